"""The overview of long texts and the numbers in it: a sample first, then each layer in full."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest

from bertviz_app.analysis.attention import overview as layered_overview
from bertviz_app.analysis.attention.overview import LayeredOverview, StampedOverview, overview_of
from bertviz_app.analysis.attention.stamp import (
    WEIGHTS,
    AttentionNumbers,
    NumbersKind,
    SpecialTokens,
    Stamp,
    sink_layers,
    sinks_of,
)
from bertviz_app.analysis.compare import AttentionMatrix
from bertviz_app.analysis.measures import KEYS, HeadOverview, head_overview
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.results import HeadMatrices, TokenMatrices
from bertviz_app.errors import Cancelled, Check
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import RelativeBias
from bertviz_app.trace.indexing import area_maximum
from bertviz_app.types import Doubles, Floats
from tests.support.exactness import of_bound
from tests.support.factories import (
    biased_trace,
    dense,
    dense_in_float32,
    disentangled_trace,
    long_trace,
    make_trace,
    trace_of,
    window_bias,
    windowed_trace,
)

NORM = Quantity("norm", 0)


@pytest.fixture
def short_trace() -> Trace:
    return make_trace(9, n_layers=2, n_heads=3)


def factors(short_trace: Trace) -> Floats:
    shape = short_trace.n_layers, short_trace.n_heads, short_trace.n_tokens
    return np.random.default_rng(4).uniform(0.1, 3, shape).astype(np.float32)


def norms(short_trace: Trace) -> AttentionNumbers:
    lengths, pieces = factors(short_trace), short_trace.tokens.pieces
    result = HeadMatrices(
        short_trace.n_layers,
        pieces,
        pieces,
        NORM,
        lambda layer, head: AttentionMatrix(short_trace, layer, head, lengths[layer, head]),
        n_heads=short_trace.n_heads,
    )
    return AttentionNumbers(short_trace, "norm", result)


def residual(short_trace: Trace) -> AttentionNumbers:
    values = np.random.default_rng(5).uniform(0, 2, (2, 9, 9)).astype(np.float32)
    pieces = short_trace.tokens.pieces
    return AttentionNumbers(short_trace, "residual", TokenMatrices.dense(values, pieces, pieces, NORM, 0.0))


def dense_norms(short_trace: Trace) -> Floats:
    weights = np.stack([short_trace.attention(layer) for layer in range(short_trace.n_layers)])
    return weights * factors(short_trace)[:, :, None]


def test_norms_are_weights_times_lengths(short_trace: Trace) -> None:
    numbers = norms(short_trace)
    expected = dense_norms(short_trace)
    found = np.stack([numbers.rows(layer, slice(2, 5)) for layer in range(2)])
    np.testing.assert_allclose(found, expected[:, :, 2:5], rtol=1e-6)
    pair = numbers.of_pair(3, 6, Stamp("norm"))
    np.testing.assert_allclose(pair, expected[:, :, 3, 6], rtol=1e-6)
    assert numbers.quantity() == NORM


def test_removed_tokens_leave_rows_that_add_up_to_1(short_trace: Trace) -> None:
    ordinary = ~short_trace.tokens.is_special
    assert 0 < ordinary.sum() < short_trace.n_tokens
    expected = dense_norms(short_trace)
    expected = expected[:, :, 3] / expected[:, :, 3][..., ordinary].sum(-1, keepdims=True)
    stamp = Stamp("norm", "removed")
    np.testing.assert_allclose(norms(short_trace).of_pair(3, 6, stamp), expected[..., 6], rtol=1e-5)
    assert np.isnan(norms(short_trace).of_pair(0, 6, stamp)).all()
    assert np.isnan(norms(short_trace).of_pair(3, 0, stamp)).all()


@pytest.mark.parametrize("special", ["shown", "hidden"])
def test_measures_of_norms_are_of_rows_divided_by_their_sums(
    short_trace: Trace, special: SpecialTokens
) -> None:
    overview = overview_of(norms(short_trace), Stamp("norm", special))
    dense = dense_norms(short_trace).astype(np.float64)
    shares = dense / dense.sum(-1, keepdims=True)
    entropy = -(shares * np.log2(shares)).sum(-1).mean(-1)
    np.testing.assert_allclose(overview.measures["entropy"], entropy, atol=1e-5)
    np.testing.assert_allclose(overview.measures["largest"], shares.max(-1).mean(-1), atol=1e-6)
    shown = np.ones(9, bool) if special == "shown" else ~short_trace.tokens.is_special
    np.testing.assert_allclose(overview.pictures, dense[:, :, shown][..., shown], rtol=1e-5)
    assert overview.stamp == Stamp("norm", special)


@pytest.mark.parametrize("kind", ["weight", "norm"])
def test_measures_without_special_tokens(short_trace: Trace, kind: NumbersKind) -> None:
    numbers = AttentionNumbers(short_trace) if kind == "weight" else norms(short_trace)
    overview = overview_of(numbers, Stamp(kind, "removed"))
    ordinary = np.flatnonzero(~short_trace.tokens.is_special)
    dense = np.stack([numbers.rows(layer, slice(None)) for layer in range(2)]).astype(np.float64)
    left = dense[:, :, ordinary][..., ordinary]
    left /= left.sum(-1, keepdims=True)
    np.testing.assert_allclose(overview.pictures, left, rtol=1e-5)
    np.testing.assert_allclose(
        overview.measures["same"], np.einsum("lhii->lh", left) / len(ordinary), atol=1e-6
    )
    assert not overview.measures["first"].any()
    assert not overview.measures["separator"].any()
    followed = np.flatnonzero(np.diff(ordinary) == 1)
    previous = sum(left[:, :, at + 1, at] for at in followed) / len(followed)
    np.testing.assert_allclose(overview.measures["previous"], previous, atol=1e-6)
    assert overview.n_queries["previous"] == len(followed)


def test_numbers_of_a_layer_have_one_matrix(short_trace: Trace) -> None:
    numbers = residual(short_trace)
    overview = overview_of(numbers, Stamp("residual"))
    assert overview.pictures.shape == (2, 1, 9, 9)
    assert numbers.of_pair(1, 2, Stamp("residual")).shape == (2, 1)
    np.testing.assert_array_equal(overview.pictures[1, 0], numbers.rows(1, slice(None))[0])


def test_a_long_text_is_pooled_as_one_block_would_be() -> None:
    short_trace = make_trace(150, n_layers=1, n_heads=2)
    overview = overview_of(norms(short_trace), Stamp("norm"))
    dense = dense_norms(short_trace)
    expected = np.zeros((1, 2, 50, 50), np.float32)
    for row in range(50):
        for column in range(50):
            block = dense[:, :, 3 * row : 3 * row + 3, 3 * column : 3 * column + 3]
            expected[:, :, row, column] = block.max((-2, -1))
    np.testing.assert_allclose(overview.pictures, expected, rtol=1e-6)


def test_a_sink_gathers_much_and_its_values_are_short(short_trace: Trace) -> None:
    received = np.ones((2, 9), np.float32)
    received[:, 4] = 9.0
    values = short_trace.values.copy()
    lengths = np.linalg.norm(values, axis=-1, keepdims=True)
    values /= lengths
    values[1, :, 4] *= 0.5
    even = replace(short_trace, values=values)
    found = sinks_of(even, received)
    expected = np.zeros((2, 9), bool)
    expected[1, 4] = True  # in layer 0 its values are as long as the others'
    np.testing.assert_array_equal(found, expected)
    assert sink_layers(found) == {4: (1,)}
    received[1, 4] = 2.4
    assert not sinks_of(even, received).any()


_WORK = [(1, 1), (700, 3), (1 << 18, 1)]
"""How many cells are computed at once (those of a row, of several, of all), and on how many threads."""


def _nothing() -> None:
    """Let the work go on."""


def _assert_alike(found: HeadOverview, expected: HeadOverview, exact: Doubles | None = None) -> None:
    """Compare two overviews; `exact` is the pictures of weights in float64."""
    assert of_bound([found.pictures], [expected.pictures], None if exact is None else [exact]) <= 1
    for key in KEYS:
        np.testing.assert_allclose(found.measures[key], expected.measures[key], rtol=2e-6, atol=2e-6)
    assert found.sinks is not None
    assert expected.sinks is not None
    np.testing.assert_array_equal(found.sinks, expected.sinks)
    assert found.n_queries == expected.n_queries
    assert found.row_error == pytest.approx(expected.row_error, abs=2e-6)


@pytest.mark.parametrize(("cells_at_once", "n_threads"), _WORK)
@pytest.mark.parametrize(
    "trace",
    [
        make_trace(131),
        biased_trace(70),
        windowed_trace(201, 7),
        windowed_trace(130, 64),
        disentangled_trace(90),
    ],
)
def test_all_layers_together_are_the_dense_overview(
    trace: Trace, cells_at_once: int, n_threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layered_overview, "CELLS_AT_ONCE", cells_at_once)
    layered = LayeredOverview(trace, 16, n_threads)
    layered.sample(_nothing)
    for layer in (1, 0):
        layered.finish(layer, _nothing)
    assert layered.missing == ()
    assert layered.overview().sample is None
    exact = _pictures(dense(trace), -(-trace.n_tokens // 16))
    _assert_alike(layered.overview(), head_overview(trace, 16), exact)


def _pictures(weights: Doubles, cell: int) -> Doubles:
    """Return the maxima over areas of `cell` by `cell` weights."""
    starts = np.arange(0, weights.shape[-1], cell)
    pictures: Doubles = np.maximum.reduceat(np.maximum.reduceat(weights, starts, -2), starts, -1)
    return pictures


def test_a_sink_is_one_in_its_own_layer_alone() -> None:
    weights = np.full((2, 3, 40, 40), 0.5 / 39)
    weights[..., 7] = 0.5
    trace = trace_of(weights)
    values = np.ones_like(trace.values)
    values[1, :, 7] = 0.1
    layered = LayeredOverview(replace(trace, values=values), 16, 1)
    layered.sample(_nothing)
    for layer in (0, 1):
        layered.finish(layer, _nothing)
    assert sink_layers(layered.overview().sinks) == {7: (1,)}


@pytest.mark.slow
@pytest.mark.parametrize("n_tokens", [100, 1000, 1024])
def test_the_sample_is_the_exact_picture_of_its_queries(n_tokens: int) -> None:
    trace = make_trace(n_tokens)
    layered = LayeredOverview(trace)
    layered.sample(_nothing)
    found = layered.overview()
    block = -(-n_tokens // 64)
    size = -(-n_tokens // block)
    n_each = min(block, 256 // size)
    queries = [
        [
            min(cell * block + (2 * number + 1) * block // (2 * n_each), n_tokens - 1)
            for number in range(n_each)
        ]
        for cell in range(size)
    ]
    starts = np.arange(0, n_tokens, block)
    theirs, exact = (  # from [L, H, cells, queries of a cell, T]
        np.maximum.reduceat(weights[:, :, queries], starts, -1).max(3)
        for weights in (dense_in_float32(trace), dense(trace))
    )
    assert of_bound([found.pictures], [theirs], [exact]) <= 1
    assert found.sample is not None
    assert found.sample.n_queries == size * n_each
    assert found.n_sampled(0) == size * n_each
    assert (found.pictures <= head_overview(trace).pictures + 1e-6).all()


def test_what_is_sampled_has_no_measures_and_no_sinks() -> None:
    trace = windowed_trace(300, 7)
    layered = LayeredOverview(trace)
    layered.sample(_nothing)
    found, exact = layered.overview(), head_overview(trace)
    assert layered.missing == (0,)
    assert [found.n_sampled(layer) for layer in (0, 1)] == [found.sample and found.sample.n_queries, None]
    assert found.sinks is not None
    assert not found.sinks[0].any()
    for key in KEYS:
        assert np.isnan(found.measures[key][0]).all()
        np.testing.assert_allclose(found.measures[key][1], exact.measures[key][1], rtol=2e-6, atol=2e-6)
    np.testing.assert_allclose(found.pictures[1], exact.pictures[1], rtol=0, atol=1e-6)


def test_a_long_text_is_computed_layer_by_layer(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = windowed_trace(201, 7)
    expected = head_overview(trace)
    monkeypatch.setattr(layered_overview, "LONG", 200)
    finished: list[int] = []
    finish = LayeredOverview.finish

    def noted(self: LayeredOverview, layer: int, check: Check) -> None:
        finished.append(layer)
        finish(self, layer, check)

    monkeypatch.setattr(LayeredOverview, "finish", noted)
    _assert_alike(overview_of(AttentionNumbers(trace), WEIGHTS), expected)
    assert finished == [0, 1]


def test_a_cancelled_layer_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layered_overview, "CELLS_AT_ONCE", 131 * 4)
    trace = make_trace(131)
    layered, n_blocks = LayeredOverview(trace, 16), [0]

    def check() -> None:
        n_blocks[0] += 1
        if n_blocks[0] == 7:
            raise Cancelled

    with pytest.raises(Cancelled):
        layered.finish(0, check)
    assert layered.missing == (0, 1)
    assert not layered.overview().pictures[0].any()
    for layer in (0, 1):
        layered.finish(layer, check)
    _assert_alike(layered.overview(), head_overview(trace, 16))
    whole = [0]

    def counted() -> None:
        whole[0] += 1

    again = LayeredOverview(trace, 16)
    again.finish(0, counted)
    again.finish(1, counted)
    assert n_blocks[0] == whole[0] + 1  # no block was computed twice


def test_layers_with_a_window_go_on_where_they_were_on_several_threads(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    trace, window = windowed_trace(301, 7), window_bias(301, 7).by_distance[1:]
    trace = replace(trace, bias=RelativeBias(np.concatenate((window, window))))
    monkeypatch.setattr(layered_overview, "CELLS_AT_ONCE", 1)
    layered, n_blocks = LayeredOverview(trace, 16, n_threads=2), count(1)

    def check() -> None:
        if next(n_blocks) == 90:
            raise Cancelled

    with pytest.raises(Cancelled):
        layered.sample(check)
    assert layered.missing
    layered.sample(check)
    assert not layered.missing
    _assert_alike(layered.overview(), head_overview(trace, 16))


def test_a_layer_with_a_window_costs_its_window_only(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    scores = Trace.scores

    def counted(self: Trace, *args: Any, **keywords: Any) -> Floats:
        found = scores(self, *args, **keywords)
        read.append(found.size)
        return found

    monkeypatch.setattr(Trace, "scores", counted)
    LayeredOverview(windowed_trace(640, 7)).finish(1, _nothing)
    assert sum(read) <= 3 * 640 * (10 + 2 * 7)


def test_no_square_of_a_long_text_is_ever_in_memory() -> None:
    n_tokens, n_heads = 3000, 2
    trace = replace(long_trace(n_tokens, 2, n_heads), bias=window_bias(n_tokens, 16))
    layered = LayeredOverview(trace, n_threads=2)
    tracemalloc.start()
    layered.sample(_nothing)
    for layer in layered.missing:
        layered.finish(layer, _nothing)
    layered.overview()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert layered.missing == ()
    assert peak < n_tokens * n_tokens * 4 / 2


_STAMPS = [Stamp("weight", "hidden"), Stamp("weight", "removed"), Stamp("norm"), Stamp("norm", "removed")]


def _numbers(trace: Trace, stamp: Stamp) -> AttentionNumbers:
    return AttentionNumbers(trace) if stamp.numbers == "weight" else norms(trace)


def _dense_pictures(trace: Trace, stamp: Stamp, cell: int) -> Floats:
    """Return the thumbnails of all heads, computed from whole matrices."""
    numbers, shown = _numbers(trace, stamp), stamp.included(trace.tokens)
    layers = range(trace.n_layers)
    whole = np.stack([numbers.rows(layer, slice(None)) for layer in layers])[:, :, shown][..., shown]
    if stamp.special_tokens == "removed":
        whole /= whole.sum(-1, keepdims=True)
    return area_maximum(whole, -(-int(shown.sum()) // cell))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("trace", "stamp"),
    [
        (make_trace(67), _STAMPS[1]),
        (windowed_trace(99, 7), _STAMPS[0]),
        (biased_trace(40), _STAMPS[2]),
        (windowed_trace(41, 7), _STAMPS[3]),
    ],
)
def test_other_numbers_come_layer_by_layer_too(
    trace: Trace, stamp: Stamp, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, dense = overview_of(_numbers(trace, stamp), stamp, 16), _dense_pictures(trace, stamp, 16)
    for cells_at_once, n_threads in _WORK:
        monkeypatch.setattr(layered_overview, "CELLS_AT_ONCE", cells_at_once)
        layered = StampedOverview(_numbers(trace, stamp), stamp, 16, n_threads)
        layered.sample(_nothing)
        assert list(layered.missing) == [0, 1]
        for layer in (1, 0):
            layered.finish(layer, _nothing)
        assert not layered.missing
        found = layered.overview()
        assert (found.sample, found.stamp) == (None, stamp)
        _assert_alike(found, expected)
        np.testing.assert_allclose(found.pictures, dense, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("stamp", _STAMPS)
def test_a_sample_of_other_numbers_has_no_measures_and_is_exact_of_its_queries(stamp: Stamp) -> None:
    trace = windowed_trace(300, 7)
    layered = StampedOverview(_numbers(trace, stamp), stamp)
    layered.sample(_nothing)
    found, exact = layered.overview(), _dense_pictures(trace, stamp, 64)
    assert found.sample is not None
    assert found.sample.layers.all()
    assert all(np.isnan(values).all() for values in found.measures.values())
    assert found.sinks is not None
    assert not found.sinks.any()
    assert (found.pictures <= exact + 1e-6).all()
    rows = np.isclose(found.pictures, exact, rtol=1e-4).mean()
    assert rows > 0.2, "of five queries in a row of cells four are sampled"
    layered.finish(1, _nothing)
    found = layered.overview()
    assert found.sample is not None
    assert found.sample.layers.tolist() == [True, False]
    assert np.isnan(found.measures["entropy"][0]).all()
    assert np.isfinite(found.measures["entropy"][1]).all()


def test_a_cancelled_layer_of_other_numbers_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layered_overview, "CELLS_AT_ONCE", 131 * 4)
    stamp, trace = Stamp("norm", "removed"), make_trace(131)
    n_checks, cancelled = [0], set[int]()

    def check() -> None:
        n_checks[0] += 1
        if n_checks[0] in cancelled:
            raise Cancelled

    StampedOverview(norms(trace), stamp, 16).finish(0, check)
    n_blocks, n_checks[0] = n_checks[0], 0
    assert n_blocks >= 33, "of four queries"
    layered = StampedOverview(norms(trace), stamp, 16)
    cancelled |= {n_blocks - 20, n_blocks - 10}
    for _ in cancelled:
        with pytest.raises(Cancelled):
            layered.finish(0, check)
        assert layered.missing == (0, 1)
    layered.finish(0, check)
    assert n_checks[0] == n_blocks + 2, "no block is computed twice"
    assert layered.missing == (1,)
    expected = _dense_pictures(trace, stamp, 16)[0]
    np.testing.assert_allclose(layered.overview().pictures[0], expected, rtol=1e-5)
