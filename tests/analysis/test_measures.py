"""The measures of every head, each against its definition in float64, and the thumbnails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bertviz_app.analysis import measures
from bertviz_app.analysis.measures import KEYS, MEASURES, head_measures, head_overview
from bertviz_app.api import open_model
from bertviz_app.errors import Cancelled
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from tests.support.factories import (
    biased_trace,
    dense,
    diagonal,
    disentangled_trace,
    make_tokens,
    make_trace,
    trace_of,
    windowed_trace,
)

SIZES = (1, 2, 3, 12, 64, 65, 130)


def _entropy(weights: Doubles, trace: Trace) -> Doubles:
    bits: Doubles = -(weights * np.log2(weights)).sum(-1).mean(-1)
    return bits


def _previous(weights: Doubles, trace: Trace) -> Doubles:
    """The mean over the queries that have a token before them."""
    if trace.n_tokens == 1:
        return np.zeros(weights.shape[:2])
    mean: Doubles = np.diagonal(weights, -1, -2, -1).mean(-1)
    return mean


def _distance(weights: Doubles, trace: Trace) -> Doubles:
    """The mean over queries of the distance to the key, cell by cell."""
    total = np.zeros(weights.shape[:2])
    for query in range(trace.n_tokens):
        for key in range(trace.n_tokens):
            total += weights[..., query, key] * abs(query - key)
    mean: Doubles = total / trace.n_tokens
    return mean


def _same(weights: Doubles, trace: Trace) -> Doubles:
    mean: Doubles = np.trace(weights, axis1=-2, axis2=-1) / trace.n_tokens
    return mean


def _next(weights: Doubles, trace: Trace) -> Doubles:
    if trace.n_tokens == 1:
        return np.zeros(weights.shape[:2])
    mean: Doubles = np.diagonal(weights, 1, -2, -1).mean(-1)
    return mean


def _first(weights: Doubles, trace: Trace) -> Doubles:
    mean: Doubles = weights[..., 0].mean(-1)
    return mean


def _separator(weights: Doubles, trace: Trace) -> Doubles:
    positions = [position for position in np.flatnonzero(trace.tokens.is_special) if position != 0]
    mean: Doubles = weights[..., positions].sum(-1).mean(-1)
    return mean


def _largest(weights: Doubles, trace: Trace) -> Doubles:
    mean: Doubles = weights.max(-1).mean(-1)
    return mean


def _word(weights: Doubles, trace: Trace) -> Doubles:
    """The mean over the queries of whose word there are other tokens, cell by cell."""
    labels, special = trace.tokens.labels, trace.tokens.is_special
    total, queries = np.zeros(weights.shape[:2]), set[int]()
    for query in range(trace.n_tokens):
        for key in range(trace.n_tokens):
            if query != key and labels[query] == labels[key] and not special[query]:
                total += weights[..., query, key]
                queries.add(query)
    mean: Doubles = total / max(1, len(queries))
    return mean


DEFINITIONS: dict[str, Callable[[Doubles, Trace], Doubles]] = {
    "entropy": _entropy,
    "distance": _distance,
    "same": _same,
    "word": _word,
    "previous": _previous,
    "next": _next,
    "first": _first,
    "separator": _separator,
    "largest": _largest,
}


def test_every_measure_is_defined_here() -> None:
    assert set(DEFINITIONS) == set(KEYS)


@pytest.mark.parametrize("name", KEYS)
@pytest.mark.parametrize("n_tokens", SIZES)
def test_a_measure_is_the_mean_that_its_name_describes(name: str, n_tokens: int) -> None:
    trace = make_trace(n_tokens, pair=n_tokens > 4)
    expected = DEFINITIONS[name](dense(trace), trace)
    found = head_overview(trace).measures[name]
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, expected, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("n_tokens", [6, 65, 130])
@pytest.mark.parametrize("n_words", [1, 5, 60])
def test_the_weight_on_the_same_word_is_the_mean_that_its_name_describes(n_tokens: int, n_words: int) -> None:
    trace = make_trace(n_tokens, pair=True)
    trace = replace(trace, tokens=_repeated(trace.tokens, n_words))
    found = head_overview(trace)
    np.testing.assert_allclose(found.measures["word"], _word(dense(trace), trace), rtol=2e-6, atol=2e-6)
    assert found.measures["word"].any() == (n_tokens > n_words + 4)


def test_the_same_word_by_hand() -> None:
    """[CLS] a b a [SEP]: the first a looks at the other for 1/4, the second at the first for 1/2."""
    tokens = replace(make_tokens(5), pieces=("[CLS]", "a", "b", "a", "[SEP]"))
    attention = np.full((1, 1, 5, 5), 1 / 5)
    attention[0, 0, 1] = [1 / 4, 1 / 2, 0, 1 / 4, 0]
    attention[0, 0, 3] = [0, 1 / 2, 0, 1 / 2, 0]
    overview = head_overview(trace_of(attention, tokens))
    assert overview.measures["word"][0, 0] == pytest.approx((1 / 4 + 1 / 2) / 2, abs=1e-6)
    assert overview.n_queries == {
        "entropy": 5,
        "distance": 5,
        "first": 5,
        "separator": 5,
        "same": 5,
        "largest": 5,
        "previous": 4,
        "next": 4,
        "word": 2,
    }


@pytest.mark.parametrize("name", KEYS)
def test_a_measure_counts_the_bias(name: str) -> None:
    trace = biased_trace(65)
    expected = DEFINITIONS[name](dense(trace), trace)
    found = head_overview(trace)
    np.testing.assert_allclose(found.measures[name], expected, rtol=2e-6, atol=2e-6)
    assert found.row_error < 1e-5


@pytest.mark.parametrize("name", KEYS)
def test_a_measure_counts_no_key_beyond_a_window(name: str) -> None:
    trace = windowed_trace(65, 5)
    weights = dense(trace)
    found = head_overview(trace)
    if name == "entropy":
        bits = -(weights * np.log2(np.where(weights > 0, weights, 1))).sum(-1).mean(-1)
        np.testing.assert_allclose(found.measures[name], bits, rtol=2e-6, atol=2e-6)
    else:
        np.testing.assert_allclose(
            found.measures[name], DEFINITIONS[name](weights, trace), rtol=2e-6, atol=2e-6
        )
    assert not found.pictures[1, :, 0, -1].any()
    assert (found.pictures[0, :, 0, -1] > 0).all()


def test_three_tokens_by_hand() -> None:
    """[CLS] looks everywhere alike, w1 looks back half the time, [SEP] only at itself."""
    attention = np.array([[[[1 / 3, 1 / 3, 1 / 3], [1 / 2, 1 / 4, 1 / 4], [0, 0, 1]]]])
    overview = head_overview(trace_of(attention))
    by_hand = {
        # log2(3), then 1/2 * 1 + 2 * 1/4 * 2, then 0
        "entropy": (1.584962500721156 + 1.5 + 0.0) / 3,
        # 0, 1 and 2 places away; then 1, 0 and 1; then none
        "distance": ((1 + 2) / 3 + (1 / 2 + 1 / 4) + 0) / 3,
        "same": (1 / 3 + 1 / 4 + 1) / 3,
        # no word is there twice
        "word": 0.0,
        # w1 on [CLS]; [SEP] on w1; nothing is before [CLS]
        "previous": (1 / 2 + 0) / 2,
        # [CLS] on w1; w1 on [SEP]; nothing is after [SEP]
        "next": (1 / 3 + 1 / 4) / 2,
        "first": (1 / 3 + 1 / 2 + 0) / 3,
        "separator": (1 / 3 + 1 / 4 + 1) / 3,
        "largest": (1 / 3 + 1 / 2 + 1) / 3,
    }
    assert {name: float(values[0, 0]) for name, values in overview.measures.items()} == pytest.approx(
        by_hand, abs=1e-6
    )
    np.testing.assert_allclose(overview.pictures, attention, atol=1e-6)
    assert overview.row_error < 1e-6


@pytest.mark.parametrize("key", ["previous", "next"])
def test_a_head_of_neighbours_is_the_same_in_texts_of_any_length(key: str) -> None:
    """Counted as 0, the query without such a neighbour would weigh more in short texts."""
    step = -1 if key == "previous" else 1
    for n_tokens in (2, 7, 119):
        attention = np.zeros((1, 1, n_tokens, n_tokens))
        for query in range(n_tokens):
            attention[..., query, min(max(query + step, 0), n_tokens - 1)] = 1
        assert head_overview(trace_of(attention)).measures[key][0, 0] == pytest.approx(1, abs=1e-6)


def test_the_separators_of_a_pair_are_both_counted() -> None:
    tokens = make_tokens(6, pair=True)
    assert [tokens.pieces[position] for position in (3, 5)] == ["[SEP]", "[SEP]"]
    attention = np.zeros((1, 1, 6, 6))
    attention[..., 3], attention[..., 5], attention[..., 1] = 0.25, 0.5, 0.25
    overview = head_overview(trace_of(attention, tokens))
    assert overview.measures["separator"][0, 0] == pytest.approx(0.75, abs=1e-6)
    assert overview.measures["first"][0, 0] == 0


def test_the_entropy_of_a_head_that_is_sure_is_zero_and_not_minus_zero() -> None:
    trace = trace_of(diagonal(9))
    rounded_up = replace(trace, lse=trace.lse - np.float32(1e-6))
    for sure in (trace, rounded_up):
        entropy = float(head_overview(sure).measures["entropy"][0, 0])
        assert f"{entropy:.2f}" == "0.00"


@pytest.mark.parametrize("n_tokens", SIZES)
def test_no_measure_leaves_its_range(n_tokens: int) -> None:
    found = head_measures(make_trace(n_tokens))
    assert list(found) == list(KEYS)
    for measure in MEASURES:
        values = found[measure.key]
        assert values.min() >= 0
        highest = {"bits": np.log2(n_tokens), "tokens": n_tokens - 1, "weight": 1}[measure.unit]
        assert values.max() <= highest * (1 + 1e-6)


def test_the_measures_of_uniform_attention_are_known() -> None:
    uniform = head_measures(trace_of(np.full((1, 1, 8, 8), 1 / 8)))
    assert uniform["entropy"][0, 0] == pytest.approx(3, abs=1e-6)
    # sum of |i - j| over 8 x 8 places is (8^3 - 8) / 3
    assert uniform["distance"][0, 0] == pytest.approx((8**3 - 8) / 3 / 64, abs=1e-6)


def test_the_row_error_is_the_largest_there_is() -> None:
    trace = make_trace(70)
    lse = trace.lse.copy()
    lse[1, 2, 69] -= np.float32(np.log(1.5))
    assert head_overview(trace).row_error < 1e-5
    assert head_overview(replace(trace, lse=lse)).row_error == pytest.approx(0.5, abs=1e-5)


@pytest.mark.parametrize("cell", [1, 16, 64])
@pytest.mark.parametrize("n_tokens", SIZES)
def test_thumbnails_are_area_maxima(n_tokens: int, cell: int) -> None:
    trace = make_trace(n_tokens)
    pictures = head_overview(trace, cell).pictures
    np.testing.assert_allclose(pictures, _area_maxima(dense(trace), cell), atol=2e-6)


@pytest.mark.parametrize("trace", [biased_trace(40), disentangled_trace(300), windowed_trace(40, 3)])
def test_thumbnails_count_what_is_added_to_the_scores(trace: Trace) -> None:
    pictures = head_overview(trace, 10).pictures
    np.testing.assert_allclose(pictures, _area_maxima(dense(trace), 10), atol=2e-6)


@pytest.mark.parametrize("cells_at_once", [1, 3 * 130 * 3 * 7, 1 << 30])
def test_the_result_does_not_depend_on_the_size_of_the_blocks(
    monkeypatch: pytest.MonkeyPatch, cells_at_once: int
) -> None:
    trace = make_trace(130)
    expected = head_overview(trace)
    monkeypatch.setattr(measures, "_CELLS_AT_ONCE", cells_at_once)
    found = head_overview(trace)
    np.testing.assert_allclose(found.pictures, expected.pictures, atol=1e-6)
    for name in KEYS:
        np.testing.assert_allclose(found.measures[name], expected.measures[name], rtol=1e-6, atol=1e-6)
    assert found.row_error == pytest.approx(expected.row_error, abs=1e-6)


def test_check_is_called_between_blocks_and_may_stop_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measures, "_CELLS_AT_ONCE", 1)
    calls: list[None] = []

    def check() -> None:
        calls.append(None)
        if len(calls) == 5:
            raise Cancelled

    with pytest.raises(Cancelled):
        head_overview(make_trace(64), check=check)
    assert len(calls) == 5


def _repeated(tokens: Tokens, n_words: int) -> Tokens:
    """Return `tokens` with so many words over and over."""
    names = [
        piece if special else f"w{position % n_words}"
        for position, (piece, special) in enumerate(zip(tokens.pieces, tokens.is_special, strict=True))
    ]
    return replace(tokens, pieces=tuple(names))


def _area_maxima(weights: Doubles, cell: int) -> NDArray[np.float64]:
    """Return the maxima over blocks, cell by cell."""
    n_tokens = weights.shape[-1]
    block = -(-n_tokens // cell)
    firsts = range(0, n_tokens, block)
    rows = [[weights[..., i : i + block, j : j + block].max((-2, -1)) for j in firsts] for i in firsts]
    maxima: Doubles = np.moveaxis(np.array(rows), (0, 1), (-2, -1))
    return maxima


def test_several_threads_compute_the_same_numbers() -> None:
    trace = make_trace(70)
    alone, together = (head_overview(trace, n_threads=n_threads) for n_threads in (1, 3))
    np.testing.assert_array_equal(together.pictures, alone.pictures)
    for key, values in alone.measures.items():
        np.testing.assert_array_equal(together.measures[key], values)
    assert together.row_error == alone.row_error
    assert alone.sinks is not None
    assert together.sinks is not None
    np.testing.assert_array_equal(together.sinks, alone.sinks)


def test_several_threads_can_be_cancelled() -> None:
    def cancel() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        head_overview(make_trace(30), check=cancel, n_threads=2)


def test_minilm_on_the_quick_brown_fox(minilm: Path) -> None:
    """The figures were computed beforehand in float64 by other code."""
    found = head_measures(open_model(str(minilm)).trace("The quick brown fox jumps over the lazy dog."))
    nats = (found["entropy"] * np.log(2)).mean(1)
    np.testing.assert_allclose(nats, [1.7661, 1.0984, 1.1527, 1.2711, 1.1061, 1.7122], atol=2e-4)
    assert found["previous"].max() == found["previous"][0, 2] == pytest.approx(0.9164 * 12 / 11, abs=2e-4)
    assert found["next"].max() == found["next"][1, 8] == pytest.approx(0.5094 * 12 / 11, abs=2e-4)
    assert found["same"].max() == found["same"][0, 8] == pytest.approx(0.2166, abs=2e-4)
    assert found["first"].max() == found["first"][4, 5] == pytest.approx(0.9297, abs=2e-4)
    assert found["separator"].max() == found["separator"][0, 5] == pytest.approx(0.2160, abs=2e-4)
