"""A head made ready for drawing: maxima at every scale, lines by strength, in blocks or at once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.analysis.attention.numbers import AttentionNumbers
from bertviz_app.analysis.measures import head_overview
from bertviz_app.errors import Cancelled, SelectionError
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.head_atlas import Thumbnails, full_colours
from bertviz_app.viewmodels.heads import matrix_reading, pictures
from bertviz_app.viewmodels.heads.head_sources import HeadSource
from bertviz_app.viewmodels.heads.pictures import (
    FAINTEST,
    HeadPicture,
    Pictures,
    head_picture,
    pictures_of_numbers,
    sample_of,
)
from bertviz_app.viewmodels.heads.token_places import order_of
from bertviz_app.viewmodels.options import DrawOptions, Options
from bertviz_app.viewmodels.results import Failed, Results
from bertviz_app.viewmodels.tasks import Tasks
from tests.support.factories import dense, make_trace, trace_of, windowed_trace
from tests.support.fakes import HeldJobs
from tests.support.scene import difference_picture, random_attention

SIZES = (1, 2, 3, 17, 33, 100, 257)


def _lines(picture: HeadPicture) -> dict[tuple[int, int], float]:
    triples = zip(picture.queries.tolist(), picture.keys.tolist(), picture.weights.tolist(), strict=True)
    return {(query, key): weight for query, key, weight in triples}


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
def test_each_level_holds_the_maxima_of_its_blocks(n_tokens: int) -> None:
    levels = head_picture(make_trace(n_tokens), 0, 0).pyramid.levels
    finest = levels[0]
    for number, level in enumerate(levels):
        block = 2**number
        size = -(-n_tokens // block)
        assert level.shape == (size, size)
        naive = [
            [finest[i * block : (i + 1) * block, j * block : (j + 1) * block].max() for j in range(size)]
            for i in range(size)
        ]
        np.testing.assert_array_equal(level, naive)


@pytest.mark.parametrize("n_tokens", SIZES)
def test_the_coarsest_level_fits_the_smallest_panel(n_tokens: int) -> None:
    assert head_picture(make_trace(n_tokens), 0, 0).pyramid.levels[-1].shape[0] <= 16


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


def test_a_weight_just_below_the_faintest_has_no_line() -> None:
    row = np.array([1 / 250, 1 / 260, 0.0, 0.0])
    row[3] = 1 - row.sum()
    picture = head_picture(trace_of(np.broadcast_to(row, (1, 1, 4, 4)).copy()), 0, 0)
    assert set(picture.keys.tolist()) == {0, 3}


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


@pytest.mark.parametrize("cells_at_once", [1, 5 * 90, 89 * 90])
def test_a_head_made_in_blocks_is_the_same(monkeypatch: pytest.MonkeyPatch, cells_at_once: int) -> None:
    trace = make_trace(90)
    at_once = head_picture(trace, 1, 1)
    monkeypatch.setattr(matrix_reading, "_CELLS_AT_ONCE", cells_at_once)
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


class Collected:
    """A `Pictures` on held jobs, and what it told."""

    def __init__(self, jobs: HeldJobs) -> None:
        self.arrived: list[HeadPicture] = []
        self.failures: list[Exception] = []
        self.tasks = Tasks(jobs)
        self.options = Options()
        self.pictures = Pictures(Results(self.tasks, self.failures.append), self.options, "A")
        self.pictures.arrived.connect(self.arrived.append)


@pytest.fixture
def collected(qapp: QApplication, jobs: HeldJobs) -> Collected:
    return Collected(jobs)


def _heads(jobs: HeldJobs) -> list[str]:
    return [held.slot for held in jobs.submitted]


def test_a_picture_is_made_once_and_kept(collected: Collected, jobs: HeldJobs, qapp: QApplication) -> None:
    trace = make_trace(6)
    collected.pictures.show(pictures_of_numbers(AttentionNumbers(trace)))
    assert collected.pictures.get(0, 1) is None
    assert collected.pictures.get(0, 1) is None
    assert _heads(jobs) == ["picture A 0 1"]
    jobs.submitted[0].run()
    qapp.processEvents()
    (picture,) = collected.arrived
    assert (picture.trace, picture.layer, picture.head) == (trace, 0, 1)
    assert collected.pictures.get(0, 1) is picture
    assert len(jobs.submitted) == 1


def test_before_there_is_a_trace_there_are_no_pictures(collected: Collected, jobs: HeldJobs) -> None:
    assert collected.pictures.get(0, 0) is None
    assert jobs.submitted == []


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


def test_another_trace_forgets_the_pictures_of_the_last(
    collected: Collected, jobs: HeldJobs, qapp: QApplication
) -> None:
    collected.pictures.show(pictures_of_numbers(AttentionNumbers(make_trace(6))))
    collected.pictures.get(0, 0)
    jobs.submitted[0].run()
    qapp.processEvents()
    collected.pictures.show(pictures_of_numbers(AttentionNumbers(make_trace(6, seed=1))))
    assert collected.pictures.get(0, 0) is None


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
    picture = collected.pictures.get(0, 1)
    assert picture is not None
    assert picture.n_sampled is None
    assert len(jobs.submitted) == 2


def test_another_trace_gives_up_the_samples_of_the_last(
    collected: Collected, jobs: HeldJobs, qapp: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pictures, "LONG", 5)
    collected.pictures.show(pictures_of_numbers(AttentionNumbers(make_trace(6))))
    collected.pictures.sample(0, 0)
    collected.pictures.show(pictures_of_numbers(AttentionNumbers(make_trace(6, seed=1))))
    assert jobs.cancelled == ["sample picture A 0 0"]
    jobs.submitted[0].run()
    qapp.processEvents()
    assert collected.arrived == []


@pytest.mark.parametrize("n_tokens", [1, 9, 40, 257, 513])
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


def test_a_sample_shows_nothing_that_it_does_not_know(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix_reading, "N_SAMPLED", 10)
    sample = _sample(make_trace(40), _LINEAR)
    assert not len(sample.weights)
    assert np.isnan(sample.row_sums).all()
    assert np.isnan(sample.column_sums).all()
    assert (sample.maxima == -1).all()


@pytest.mark.parametrize("cells_at_once", [0, 1 << 22])
def test_a_sample_can_be_cancelled(monkeypatch: pytest.MonkeyPatch, cells_at_once: int) -> None:
    monkeypatch.setattr(matrix_reading, "_CELLS_AT_ONCE", cells_at_once)

    def cancel() -> None:
        raise Cancelled

    source = HeadSource(make_trace(40), 0, 0, order_of(make_trace(40).tokens, _LINEAR))
    with pytest.raises(Cancelled):
        sample_of(source, 0, 0, _LINEAR, cancel)


def _sample(trace: Trace, options: DrawOptions) -> HeadPicture:
    source = HeadSource(trace, 1, 2, order_of(trace.tokens, options))
    return sample_of(source, 1, 2, options, lambda: None)


_LINEAR = DrawOptions(scale="linear")


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
    collected.options.change(colours="magma")
    assert dropped == []
    collected.options.change(hides_special=True)
    assert len(dropped) == 1
    assert jobs.cancelled == ["picture A 0 1"]
    assert collected.pictures.get(0, 0) is None
    jobs.submitted[-1].run()
    qapp.processEvents()
    picture = collected.pictures.get(0, 0)
    assert picture is not None
    assert picture.options.hides_special


def test_a_failure_is_the_state_of_the_picture_and_it_can_be_requested_again(
    collected: Collected, jobs: HeldJobs, qapp: QApplication
) -> None:
    trace = make_trace(4)
    collected.pictures.show(replace(pictures_of_numbers(AttentionNumbers(trace)), size=(1, 100)))
    collected.pictures.get(0, 99)
    jobs.submitted[0].run()
    qapp.processEvents()
    state = collected.pictures.state(0, 99)
    assert isinstance(state, Failed)
    assert isinstance(state.error, SelectionError)
    assert collected.failures == [], "the panel shows it"
    assert collected.pictures.get(0, 99) is None
    assert len(jobs.submitted) == 2


def test_a_row_of_zeros_has_no_strongest_key() -> None:
    trace = make_trace(5)
    assert (difference_picture(trace, trace).maxima == -1).all()
    assert (difference_picture(trace, make_trace(5, seed=1)).maxima >= 0).all()


@pytest.mark.parametrize("cells_at_once", [1, 16 * 201, 1 << 22])
def test_a_head_with_a_window_is_that_of_the_dense_weights(
    monkeypatch: pytest.MonkeyPatch, cells_at_once: int
) -> None:
    trace = windowed_trace(201, 7)
    expected = head_picture(trace_of(dense(trace), trace.tokens), 1, 2)
    monkeypatch.setattr(matrix_reading, "_CELLS_AT_ONCE", cells_at_once)
    found = head_picture(trace, 1, 2)
    assert found.strongest == expected.strongest
    assert found.largest == pytest.approx(expected.largest, abs=1e-6)
    np.testing.assert_array_equal(found.maxima, expected.maxima)
    np.testing.assert_allclose(found.row_sums, expected.row_sums, atol=1e-6)
    np.testing.assert_allclose(found.column_sums, expected.column_sums, rtol=1e-5, atol=1e-6)
    levels = found.pyramid.levels[0].astype(int) - expected.pyramid.levels[0]
    assert np.abs(levels).max() <= 1
    assert _lines(found) == pytest.approx(_lines(expected), rel=1e-5, abs=1e-6)


def test_of_many_lines_those_of_all_blocks_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = make_trace(90)
    monkeypatch.setattr(matrix_reading, "MOST_LINES", 30)
    expected = head_picture(trace, 0, 0)
    monkeypatch.setattr(matrix_reading, "_CELLS_AT_ONCE", 90)
    found = head_picture(trace, 0, 0)
    assert len(found.weights) == 30
    np.testing.assert_allclose(found.weights, expected.weights, rtol=1e-5)


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


@pytest.mark.parametrize("n_tokens", [5, 11, 64, 300])
def test_uniform_attention_is_pale_and_a_peak_is_not(n_tokens: int) -> None:
    assert _levels(_picture(_uniform(n_tokens))).max() == 51  # a fifth of 255
    assert _levels(_picture(_peaked(n_tokens, 0.99))).max() > 250


def test_of_two_runs_a_weight_has_one_colour() -> None:
    weak, strong = _peaked(11, 0.5), _peaked(11, 0.8)
    pictures = _picture(weak, strong), _picture(strong, weak)
    assert pictures[0].full == pictures[1].full == pytest.approx(0.8, abs=1e-6)
    assert pictures[0].largest == pytest.approx(0.5, abs=1e-6)
    assert [_levels(picture).max() for picture in pictures] == [round(255 * 0.5 / 0.8), 255]


def test_a_head_that_the_other_run_lacks_is_scaled_by_itself() -> None:
    larger = trace_of(np.stack([random_attention(11, seed) for seed in range(4)])[None])
    alone = head_picture(larger, 0, 3, options=SHARED)
    beside = head_picture(larger, 0, 3, options=SHARED, beside=_peaked(11, 0.9))
    assert alone.full == beside.full


def test_the_scale_of_the_head_alone_can_be_chosen() -> None:
    own = DrawOptions(scale="linear")
    assert _levels(_picture(_uniform(11), _peaked(11, 0.8), own)).min() == 255


def test_numbers_and_lines_are_those_of_the_head_on_every_scale() -> None:
    trace = trace_of(random_attention(9)[None, None])
    shared, own = _picture(trace, _peaked(9, 0.9)), _picture(trace, None, DrawOptions(scale="linear"))
    assert shared.largest == own.largest
    np.testing.assert_array_equal(shared.weights, own.weights)
    np.testing.assert_array_equal(shared.row_sums, own.row_sums)


@pytest.mark.parametrize("n_tokens", [11, 130])
def test_in_the_overview_uniform_heads_are_pale_and_runs_share_a_scale(n_tokens: int) -> None:
    uniform, peaked = head_overview(_uniform(n_tokens)), head_overview(_peaked(n_tokens, 0.9))
    alone = Thumbnails(uniform.pictures, full_colours(uniform, None)).cells([(0, 0)], 20)
    assert alone.max() == 51
    beside = Thumbnails(uniform.pictures, full_colours(uniform, peaked)).cells([(0, 0)], 20)
    assert beside.max() == round(255 / n_tokens / 0.9)
    assert Thumbnails(peaked.pictures, full_colours(peaked, uniform)).cells([(0, 0)], 20).max() == 255
