"""A head made ready for drawing: maxima at every scale, lines by strength, in blocks or at once."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, strategies as st
from PySide6.QtWidgets import QApplication

from bertviz_app.analysis.attention.stamp import AttentionNumbers
from bertviz_app.analysis.measures import head_overview
from bertviz_app.errors import Cancelled
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.heads import pictures, places as matrix_reading
from bertviz_app.viewmodels.heads.pictures import (
    FAINTEST,
    HeadPicture,
    Pictures,
    pictures_of_numbers,
    sample_of,
)
from bertviz_app.viewmodels.heads.places import head_source, order_of
from bertviz_app.viewmodels.overview import Thumbnails, full_colours
from bertviz_app.viewmodels.results import Results, Tasks
from bertviz_app.viewmodels.state import DrawOptions, Store, change_options
from bertviz_app.viewmodels.viewport import (
    GAP,
    ZERO,
    Levels,
    TokenSpan,
    extremes,
    pyramid_of,
    signed_levels,
    usual_size,
)
from tests.support.factories import dense, make_trace, trace_of, windowed_trace
from tests.support.fakes import HeldJobs
from tests.support.scene import head_picture, not_none

SIZES = (1, 33, 257)


def _lines(picture: HeadPicture) -> dict[tuple[int, int], float]:
    triples = zip(picture.queries.tolist(), picture.keys.tolist(), picture.weights.tolist(), strict=True)
    return {(query, key): weight for query, key, weight in triples}


class Collected:
    """A `Pictures` on held jobs, and what it told."""

    def __init__(self, jobs: HeldJobs) -> None:
        self.arrived: list[HeadPicture] = []
        self.failures: list[Exception] = []
        self.tasks = Tasks(jobs)
        self.store = Store()
        self.pictures = Pictures(Results(self.tasks, self.failures.append), self.store, "A")
        self.pictures.arrived.connect(self.arrived.append)


@pytest.fixture
def collected(qapp: QApplication, jobs: HeldJobs) -> Collected:
    return Collected(jobs)


def _heads(jobs: HeldJobs) -> list[str]:
    return [held.slot for held in jobs.submitted]


def _sample(trace: Trace, options: DrawOptions) -> HeadPicture:
    source = head_source(trace, 1, 2, order_of(trace.tokens, options))
    return sample_of(source, 1, 2, options, lambda: None)


_LINEAR = DrawOptions(scale="linear")
SHARED = DrawOptions()


def _uniform(n_tokens: int) -> Trace:
    return trace_of(np.full((1, 1, n_tokens, n_tokens), 1 / n_tokens))


def _peaked(n_tokens: int, largest: float) -> Trace:
    weights: Doubles = np.full((n_tokens, n_tokens), (1 - largest) / (n_tokens - 1))
    weights[:, 1] = largest
    return trace_of(weights[None, None])


def _picture(trace: Trace, beside: Trace | None = None, options: DrawOptions = SHARED) -> HeadPicture:
    return head_picture(trace, 0, 0, options=options, beside=beside)


def _levels(picture: HeadPicture) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    return picture.pyramid.levels[0]


_QUERIES = np.array([5, 0, 3, 3])


def _random_levels(n_rows: int, n_columns: int, seed: int) -> Levels:
    return np.random.default_rng(seed).integers(0, 256, (n_rows, n_columns)).astype(np.uint8)


def _farthest(block: Levels, *, is_signed: bool) -> int:
    """Return how far from zero a block reaches, computed one cell at a time; -1 where all are gaps."""
    cells = [int(level) for level in block.ravel() if level != GAP or not is_signed]
    return max((abs(level - ZERO) if is_signed else level for level in cells), default=-1)


@pytest.mark.parametrize("n_tokens", SIZES)
def test_the_finest_level_is_the_weights_rounded(n_tokens: int) -> None:
    trace = make_trace(n_tokens)
    picture = head_picture(trace, 1, 2)
    weights = dense(trace)[1, 2]
    assert picture.pyramid.levels[0].dtype == np.uint8
    assert picture.pyramid.levels[0].shape == (n_tokens, n_tokens)
    assert picture.largest == pytest.approx(weights.max(), abs=1e-6)
    assert weights[picture.strongest] == pytest.approx(weights.max(), abs=1e-6)
    np.testing.assert_allclose(picture.pyramid.levels[0], weights / weights.max() * 255, atol=0.51)
    assert picture.pyramid.levels[0][picture.strongest] == 255


@pytest.mark.parametrize("n_tokens", SIZES)
def test_the_lines_are_all_weights_that_can_be_seen_weakest_first(n_tokens: int) -> None:
    trace = make_trace(n_tokens)
    picture = head_picture(trace, 0, 1)
    weights = trace.attention(0, 1)
    expected = {
        (query, key): float(weights[query, key])
        for query in range(n_tokens)
        for key in range(n_tokens)
        if weights[query, key] >= FAINTEST
    }
    assert _lines(picture) == expected
    assert len(picture.weights) == len(expected)
    assert (np.diff(picture.weights) >= 0).all()


def test_where_no_weight_reaches_the_faintest_half_of_the_largest_does() -> None:
    row = np.full(600, 1 / 600)
    row[7], row[8] = 3 / 600, 1.4 / 600
    row /= row.sum()
    picture = head_picture(trace_of(np.broadcast_to(row, (1, 1, 600, 600)).copy()), 0, 0)
    assert picture.largest < 1.5 * FAINTEST
    assert set(picture.keys.tolist()) == {7}
    assert len(picture.keys) == 600


def test_of_too_many_lines_the_strongest_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = make_trace(40)
    everything = head_picture(trace, 0, 0)
    monkeypatch.setattr(matrix_reading, "MOST_LINES", 50)
    picture = head_picture(trace, 0, 0)
    np.testing.assert_array_equal(picture.weights, everything.weights[-50:])
    assert picture.weights.min() >= np.sort(everything.weights)[-50]


def test_a_head_made_in_blocks_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = make_trace(90)
    at_once = head_picture(trace, 1, 1)
    monkeypatch.setattr(matrix_reading, "_CELLS_AT_ONCE", 5 * 90)
    in_blocks = head_picture(trace, 1, 1)
    assert in_blocks.largest == pytest.approx(at_once.largest, rel=1e-6)
    assert in_blocks.strongest == at_once.strongest
    for one, other in zip(at_once.pyramid.levels, in_blocks.pyramid.levels, strict=True):
        # A product of other shape may differ in its last bit, and fall on the other side of a level.
        assert np.abs(one.astype(int) - other.astype(int)).max() <= 1
        assert (one == other).mean() > 0.999
    assert _lines(in_blocks) == pytest.approx(_lines(at_once), rel=1e-5)


def test_check_stops_it_between_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_reading, "_CELLS_AT_ONCE", 1)
    calls: list[None] = []

    def check() -> None:
        calls.append(None)
        if len(calls) == 7:
            raise Cancelled

    with pytest.raises(Cancelled):
        head_picture(make_trace(5), 0, 0, check)
    assert len(calls) == 7


def test_another_trace_cancels_the_pictures_of_the_last(
    collected: Collected, jobs: HeldJobs, qapp: QApplication
) -> None:
    collected.pictures.show(pictures_of_numbers(AttentionNumbers(make_trace(6))))
    collected.pictures.get(0, 0)
    collected.pictures.show(pictures_of_numbers(AttentionNumbers(make_trace(6, seed=1))))
    assert jobs.cancelled == ["picture A 0 0"]
    jobs.submitted[0].run()
    qapp.processEvents()
    assert collected.arrived == []
    assert collected.pictures.get(0, 0) is None
    assert len(jobs.submitted) == 2


def test_of_a_long_text_a_sample_is_made_until_the_picture_is_there(
    collected: Collected, jobs: HeldJobs, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    collected.pictures.show(pictures_of_numbers(AttentionNumbers(make_trace(6))))
    assert collected.pictures.sample(0, 1) is None
    assert jobs.submitted == [], "the text is short"
    monkeypatch.setattr(pictures, "LONG", 5)
    assert collected.pictures.sample(0, 1) is None
    assert collected.pictures.get(0, 1) is None
    assert _heads(jobs) == ["sample picture A 0 1", "picture A 0 1"]
    jobs.submitted[0].run()
    qapp.processEvents()
    (sample,) = collected.arrived
    assert sample.n_sampled == 6
    assert collected.pictures.sample(0, 1) is sample
    assert collected.pictures.get(0, 1) is None
    jobs.submitted[1].run()
    qapp.processEvents()
    assert collected.pictures.sample(0, 1) is None, "the picture is there"
    picture = not_none(collected.pictures.get(0, 1))
    assert picture.n_sampled is None
    assert len(jobs.submitted) == 2


@pytest.mark.parametrize("n_tokens", [9, 257])
def test_a_sample_has_one_query_of_each_block_and_the_largest_weights_of_its_keys(
    n_tokens: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix_reading, "N_SAMPLED", 10)
    trace = make_trace(n_tokens)
    sample = _sample(trace, _LINEAR)
    assert sample.n_sampled is not None
    block = 1 << sample.pyramid.first
    assert sample.n_sampled == -(-n_tokens // block) <= 10
    assert block == 1 or -(-n_tokens // (block // 2)) > 10, "no fewer than needed"
    queries = np.minimum(np.arange(sample.n_sampled) * block + block // 2, n_tokens - 1)
    rows = trace.attention(1, 2)[queries]
    assert sample.largest == pytest.approx(rows.max())
    assert trace.attention(1, 2)[sample.strongest] == pytest.approx(sample.largest)
    tops = np.stack([rows[:, at : at + block].max(1) for at in range(0, n_tokens, block)], 1)
    np.testing.assert_allclose(sample.pyramid.levels[0], tops / rows.max() * 255, atol=0.51)
    assert sample.pyramid.shape == (n_tokens, n_tokens)


def test_other_options_have_the_pictures_made_anew(
    collected: Collected, jobs: HeldJobs, qapp: QApplication
) -> None:
    dropped: list[None] = []
    collected.pictures.dropped.connect(lambda: dropped.append(None))
    collected.pictures.show(pictures_of_numbers(AttentionNumbers(make_trace(6))))
    collected.pictures.get(0, 0)
    jobs.submitted[0].run()
    qapp.processEvents()
    collected.pictures.get(0, 1)
    change_options(collected.store, colours="magma")
    assert dropped == []
    change_options(collected.store, hides_special=True)
    assert len(dropped) == 1
    assert jobs.cancelled == ["picture A 0 1"]
    assert collected.pictures.get(0, 0) is None
    jobs.submitted[-1].run()
    qapp.processEvents()
    picture = not_none(collected.pictures.get(0, 0))
    assert picture.options.hides_special


def test_a_head_with_a_window_is_that_of_the_dense_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = windowed_trace(201, 7)
    expected = head_picture(trace_of(dense(trace), trace.tokens), 1, 2)
    monkeypatch.setattr(matrix_reading, "_CELLS_AT_ONCE", 16 * 201)
    found = head_picture(trace, 1, 2)
    assert found.strongest == expected.strongest
    assert found.largest == pytest.approx(expected.largest, abs=1e-6)
    np.testing.assert_array_equal(found.maxima, expected.maxima)
    np.testing.assert_allclose(found.row_sums, expected.row_sums, atol=1e-6)
    np.testing.assert_allclose(found.column_sums, expected.column_sums, rtol=1e-5, atol=1e-6)
    levels = found.pyramid.levels[0].astype(int) - expected.pyramid.levels[0]
    assert np.abs(levels).max() <= 1
    assert _lines(found) == pytest.approx(_lines(expected), rel=1e-5, abs=1e-6)


def test_of_two_runs_a_weight_has_one_colour() -> None:
    weak, strong = _peaked(11, 0.5), _peaked(11, 0.8)
    pictures = _picture(weak, strong), _picture(strong, weak)
    assert pictures[0].full == pictures[1].full == pytest.approx(0.8, abs=1e-6)
    assert pictures[0].largest == pytest.approx(0.5, abs=1e-6)
    assert [_levels(picture).max() for picture in pictures] == [round(255 * 0.5 / 0.8), 255]


def test_in_the_overview_uniform_heads_are_pale_and_runs_share_a_scale() -> None:
    uniform, peaked = head_overview(_uniform(130)), head_overview(_peaked(130, 0.9))
    alone = Thumbnails(uniform.pictures, full_colours(uniform, None)).cells([(0, 0)], 20)
    assert alone.max() == 51
    beside = Thumbnails(uniform.pictures, full_colours(uniform, peaked)).cells([(0, 0)], 20)
    assert beside.max() == round(255 / 130 / 0.9)
    assert Thumbnails(peaked.pictures, full_colours(peaked, uniform)).cells([(0, 0)], 20).max() == 255


@pytest.mark.parametrize("options", [DrawOptions(), DrawOptions(hides_special=True)])
def test_scattered_rows_are_those_of_each_query(options: DrawOptions) -> None:
    trace = make_trace(12)
    source = head_source(trace, 1, 2, order_of(trace.tokens, options))
    rows = source.scattered_rows(_QUERIES)
    places = source.token_order
    assert places.is_plain == (options == DrawOptions())
    assert rows.shape == (4, len(places.keys))
    queries, keys = places.queries.starts[_QUERIES], places.keys.starts
    np.testing.assert_allclose(rows, trace.attention(1, 2)[np.ix_(queries, keys)], rtol=1e-6)


@pytest.mark.parametrize("is_signed", [False, True])
@given(st.integers(1, 20), st.integers(1, 20), st.integers(1, 5), st.integers(1, 5), st.integers(0, 99))
def test_of_a_block_the_level_farthest_from_zero_is_kept(
    is_signed: bool, n_rows: int, n_columns: int, rows: int, columns: int, seed: int
) -> None:
    level = _random_levels(n_rows, n_columns, seed)
    level[np.random.default_rng(seed).random(level.shape) < 0.5] = GAP
    found = extremes(level, rows, columns, is_signed=is_signed)
    assert found.shape == (-(-n_rows // rows), -(-n_columns // columns))
    for row, column in np.ndindex(found.shape):
        block = level[row * rows : (row + 1) * rows, column * columns : (column + 1) * columns]
        value = found[row : row + 1, column : column + 1]
        assert value.item() in block
        assert _farthest(value, is_signed=is_signed) == _farthest(block, is_signed=is_signed)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(0, 3), st.floats(1, 40), st.integers(0, 99))
def test_blocks_whose_cells_are_not_known_are_drawn_as_if_all_of_their_cells_were_alike(
    n_rows: int, n_columns: int, first: int, pitch: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    levels = _random_levels(-(-n_rows // 2**first), -(-n_columns // 2**first), seed)
    cells = levels.repeat(2**first, 0).repeat(2**first, 1)[:n_rows, :n_columns]
    blocks = pyramid_of(levels, is_signed=False, shape=(n_rows, n_columns), first=first)
    assert blocks.shape == (n_rows, n_columns)
    for row, column in random.integers((n_rows, n_columns), size=(5, 2)).tolist():
        assert blocks.level(row, column) == cells[row, column]
    spans = [
        TokenSpan(random.uniform(0, count / 2), random.uniform(count / 2, count)) for count in cells.shape
    ]
    found = blocks.texels(spans[0], spans[1], (pitch, pitch))
    exact = pyramid_of(cells, is_signed=False).texels(spans[0], spans[1], (pitch, pitch))
    middles = [
        [np.linspace(span.first, span.last, 2 * n + 1)[1::2] for span, n in zip(at, shape, strict=True)]
        for at, shape in (((texels.rows, texels.columns), texels.levels.shape) for texels in (found, exact))
    ]
    for row, level in zip(middles[1][0], exact.levels, strict=True):
        for column, expected in zip(middles[1][1], level, strict=True):
            of_row = int((row - found.rows.first) / found.rows.length * len(found.levels))
            of_column = int((column - found.columns.first) / found.columns.length * found.levels.shape[1])
            assert found.levels[of_row, of_column] >= expected  # of coarser texels the brightest


@example(1, 41, 1.0, 0.1015625, 41)  # two texels in sight, the last of them narrower
@given(st.integers(1, 300), st.integers(1, 300), st.floats(0.1, 40), st.floats(0.1, 40), st.integers(0, 99))
def test_texels_are_a_pixel_or_more_and_lose_no_bright_cell_in_sight(
    n_rows: int, n_columns: int, tall: float, wide: float, seed: int
) -> None:
    random = np.random.default_rng(seed)
    levels = np.full((n_rows, n_columns), ZERO, np.uint8)
    bright = int(random.integers(n_rows)), int(random.integers(n_columns))
    levels[bright] = 1
    spans = [
        TokenSpan(random.uniform(0, cell), random.uniform(cell + 1, count))
        for cell, count in zip(bright, levels.shape, strict=True)
    ]
    found = pyramid_of(levels, is_signed=True).texels(spans[0], spans[1], (tall, wide))
    for drawn, span, count, pitch, n_texels, n_cells in zip(
        (found.rows, found.columns),
        spans,
        levels.shape,
        (tall, wide),
        found.levels.shape,
        (n_rows, n_columns),
        strict=True,
    ):
        assert drawn.first <= span.first + 1e-6
        assert drawn.last >= span.last - 1e-6
        assert drawn.last <= count + 1e-6
        assert drawn.length / n_texels * pitch >= min(1.0, n_cells * pitch) - 1e-6
    (row, column) = (int(at[0]) for at in np.nonzero(found.levels == 1))
    texel = found.rows.length / found.levels.shape[0], found.columns.length / found.levels.shape[1]
    assert abs(found.rows.first + (row + 0.5) * texel[0] - bright[0] - 0.5) <= 1.5 * texel[0]
    assert abs(found.columns.first + (column + 0.5) * texel[1] - bright[1] - 0.5) <= 1.5 * texel[1]


@given(st.lists(st.one_of(st.just(math.nan), st.floats(-1, 1)), min_size=1, max_size=9))
def test_signed_levels_lie_about_zero(shares: list[float]) -> None:
    levels = signed_levels(np.array([shares], np.float32))[0].tolist()
    for level, share in zip(levels, shares, strict=True):
        assert level == GAP if math.isnan(share) else abs(level - ZERO - 127 * share) <= 0.501


def test_few_outliers_do_not_set_the_scale() -> None:
    values = np.full(1000, 0.5, np.float32)
    values[3] = -80
    assert usual_size(values) == 0.5
    assert usual_size(np.array([0, 0, 0, 7], np.float32)) == 7
    assert usual_size(np.array([0, np.nan], np.float32)) == 1
