"""The numbers of one pair, against the formula in float64, and whom a query looks at most."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from bertviz_app.analysis import pairs
from bertviz_app.analysis.pairs import (
    PairHead,
    attention_column,
    attention_row,
    pair_numbers,
    pair_weights,
    strongest,
    strongest_heads,
)
from bertviz_app.errors import ArgumentError, SelectionError
from bertviz_app.trace import Trace
from tests.support.factories import (
    biased_trace,
    by_distance,
    dense,
    diagonal,
    disentangled_trace,
    make_trace,
    trace_of,
    windowed_trace,
)

PAIRS = [(0, 0), (0, 19), (7, 3), (19, 0), (19, 19)]


@pytest.mark.parametrize(("query", "key"), PAIRS)
@pytest.mark.parametrize(("layer", "head"), [(0, 0), (1, 2)])
def test_the_numbers_follow_the_formula(layer: int, head: int, query: int, key: int) -> None:
    trace = make_trace(20)
    numbers = pair_numbers(trace, layer, head, query, key)
    product = sum(
        float(q) * float(k)
        for q, k in zip(trace.queries[layer, head, query], trace.keys[layer, head, key], strict=True)
    )
    weights = dense(trace)[layer, head]
    row = weights[query]
    assert (numbers.query, numbers.key) == (query, key)
    assert numbers.product == pytest.approx(product, abs=1e-5)
    assert numbers.scaled == pytest.approx(product / math.sqrt(8), abs=1e-5)
    assert numbers.weight == pytest.approx(row[key], abs=1e-6)
    assert numbers.rank == sorted(row, reverse=True).index(row[key]) + 1
    assert numbers.row_entropy == pytest.approx(-(row * np.log2(row)).sum(), abs=1e-5)
    assert numbers.column_mean == pytest.approx(weights[:, key].mean(), abs=1e-6)
    assert (numbers.n_keys, numbers.radicand) == (20, 8)


@pytest.mark.parametrize(("query", "key"), PAIRS)
def test_a_bias_stands_between_score_and_weight(query: int, key: int) -> None:
    trace = biased_trace(20)
    numbers = pair_numbers(trace, 1, 2, query, key)
    bias = float(by_distance(trace)[1, 2, key - query + 19])
    assert numbers.added == {"distance": bias}
    assert numbers.score == pytest.approx(numbers.scaled + bias, rel=1e-6)
    plain = pair_numbers(make_trace(20), 1, 2, query, key)
    assert (numbers.scaled, plain.added) == (plain.scaled, {})
    expected = math.exp(numbers.scaled + bias - float(trace.lse[1, 2, query]))
    assert numbers.weight == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("query", "key"), PAIRS)
def test_content_and_position_add_up_to_what_the_weight_is_of(query: int, key: int) -> None:
    trace = disentangled_trace(20)
    numbers = pair_numbers(trace, 1, 2, query, key)
    assert numbers.radicand == 24
    assert numbers.scaled == pytest.approx(numbers.product / math.sqrt(24), abs=1e-6)
    assert list(numbers.added) == ["content_to_position", "position_to_content"]
    assert numbers.score == pytest.approx(numbers.scaled + sum(numbers.added.values()), abs=1e-5)
    expected = math.exp(numbers.score - float(trace.lse[1, 2, query]))
    assert numbers.weight == pytest.approx(expected, abs=1e-6)


def test_equal_weights_share_the_better_rank() -> None:
    row = [0.4, 0.2, 0.2, 0.1, 0.1]
    trace = trace_of(np.array([[[row] * 5]]))
    assert [pair_numbers(trace, 0, 0, 2, key).rank for key in range(5)] == [1, 2, 2, 4, 4]


def test_a_row_that_is_sure_has_no_entropy_and_no_minus_sign() -> None:
    trace = trace_of(diagonal(6))
    rounded_up = replace(trace, lse=trace.lse - np.float32(1e-6))
    for sure in (trace, rounded_up):
        assert f"{pair_numbers(sure, 0, 0, 3, 3).row_entropy:.3f}" == "0.000"


def test_a_weight_of_zero_leaves_the_entropy_finite() -> None:
    row = [0.5, 0.5, 0.0]
    numbers = pair_numbers(trace_of(np.array([[[row] * 3]])), 0, 0, 0, 2)
    assert numbers.weight == 0
    assert numbers.row_entropy == pytest.approx(1.0, abs=1e-6)


def test_in_a_window_the_softmax_is_over_the_keys_that_are_reached() -> None:
    trace = windowed_trace(20, 3)
    for layer, query, n_keys in ((0, 10, 20), (1, 10, 7), (1, 0, 4)):
        assert pair_numbers(trace, layer, 0, query, query).n_keys == n_keys


def test_rows_and_columns_are_those_of_the_matrix() -> None:
    trace = make_trace(30)
    weights = trace.attention(1, 2)
    np.testing.assert_allclose(attention_row(trace, 1, 2, 11), weights[11], rtol=1e-5)
    np.testing.assert_allclose(attention_column(trace, 1, 2, 11), weights[:, 11], rtol=1e-5)


def test_a_head_that_does_not_exist_is_refused() -> None:
    with pytest.raises(SelectionError):
        pair_numbers(make_trace(4), 0, 3, 0, 0)


@pytest.mark.parametrize(
    ("weights", "count", "expected"),
    [
        ([0.1, 0.5, 0.4], 2, [1, 2]),
        ([0.2, 0.3, 0.2, 0.3], 4, [1, 3, 0, 2]),
        ([0.2, 0.8], 5, [1, 0]),
        ([1.0], 0, []),
    ],
)
def test_the_strongest_come_first_and_ties_by_place(
    weights: list[float], count: int, expected: list[int]
) -> None:
    assert strongest(np.array(weights, np.float32), count) == expected


TRACES = [make_trace(20), biased_trace(20), disentangled_trace(20), windowed_trace(20, 3)]


@pytest.mark.parametrize(("query", "key"), PAIRS)
@pytest.mark.parametrize("trace", TRACES)
def test_a_pair_has_in_each_head_the_weight_that_the_head_gives_it(
    trace: Trace, query: int, key: int
) -> None:
    found = pair_weights(trace, query, key)
    assert found.dtype == np.float32
    assert found.shape == (2, 3)
    np.testing.assert_allclose(found, dense(trace)[:, :, query, key], atol=2e-6)
    for layer, head in np.ndindex(2, 3):
        assert found[layer, head] == attention_row(trace, layer, head, query)[key]


def test_a_pair_of_a_long_text_costs_no_whole_row(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = make_trace(20)
    monkeypatch.setattr(pairs, "WHOLE", 19)
    np.testing.assert_allclose(pair_weights(trace, 7, 3), dense(trace)[:, :, 7, 3], atol=2e-6)


def test_a_key_beyond_the_window_has_no_weight() -> None:
    weights = pair_weights(windowed_trace(20, 3), 2, 15)
    assert (weights[0] > 0).all()
    assert not weights[1].any()


def test_tokens_of_a_pair_are_named_by_position_or_text() -> None:
    trace = make_trace(20)
    np.testing.assert_array_equal(pair_weights(trace, "w7", "[CLS]"), pair_weights(trace, 7, 0))
    with pytest.raises(SelectionError, match="“w99”"):
        pair_weights(trace, "w99", 0)
    with pytest.raises(SelectionError, match="no token 20"):
        pair_weights(trace, 0, 20)
    with pytest.raises(ArgumentError, match="float"):
        pair_weights(trace, 0, 1.5)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="trace"):
        pair_weights("text", 0, 1)  # type: ignore[arg-type]


def test_the_strongest_heads_by_hand() -> None:
    weights = np.array([[0.1, 0.5, 0.2], [0.5, 0.9, 0.0]], np.float32)
    found = strongest_heads(weights)
    assert [(one.layer, one.head) for one in found] == [(1, 1), (0, 1), (1, 0)]  # ties by layer and head
    assert found[0] == PairHead(1, 1, float(np.float32(0.9)))
    assert len(strongest_heads(weights, 99)) == 6
