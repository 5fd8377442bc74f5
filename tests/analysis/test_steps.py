"""The steps of one query: against a softmax done by hand, and against the trace."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest

from bertviz_app.analysis.pairs import head_steps
from bertviz_app.errors import SelectionError
from bertviz_app.trace import Trace
from tests.support.factories import biased_trace, by_distance, disentangled_trace, make_trace, windowed_trace


@pytest.mark.parametrize(("layer", "head", "query"), [(0, 0, 0), (1, 2, 4), (0, 1, 8)])
def test_every_step_is_what_one_computes_by_hand(layer: int, head: int, query: int) -> None:
    trace = make_trace(9)
    steps = head_steps(trace, layer, head, query)
    row = [float(number) for number in trace.queries[layer, head, query]]
    keys, values = trace.keys[layer, head].tolist(), trace.values[layer, head].tolist()
    products = [sum(a * b for a, b in zip(row, key, strict=True)) for key in keys]
    scaled = [product / math.sqrt(8) for product in products]
    largest = max(scaled)
    exponentials = [math.exp(score - largest) for score in scaled]
    weights = [number / sum(exponentials) for number in exponentials]
    weighted = [[w * v for v in value] for w, value in zip(weights, values, strict=True)]
    gathered = [sum(column) for column in zip(*weighted, strict=True)]
    np.testing.assert_allclose(steps.products, products, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(steps.scaled, scaled, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(steps.maxima, [max(scaled[: n + 1]) for n in range(9)], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(steps.exponentials, exponentials, rtol=1e-5)
    np.testing.assert_allclose(steps.weights, weights, rtol=1e-5)
    np.testing.assert_allclose(steps.weighted, weighted, atol=1e-6)
    np.testing.assert_allclose(steps.gathered, gathered, atol=1e-6)
    assert steps.maximum == pytest.approx(largest)
    assert steps.total == pytest.approx(sum(exponentials))


def test_the_numbers_are_the_traces_own() -> None:
    trace = make_trace(7)
    steps = head_steps(trace, 1, 0, 3)
    row = slice(3, 4)
    np.testing.assert_array_equal(steps.weights, trace.attention(1, 0, row)[0])
    np.testing.assert_array_equal(steps.scaled, trace.scores(1, 0, row)[0])
    np.testing.assert_array_equal(steps.products, trace.scores(1, 0, row, scaled=False)[0])
    np.testing.assert_array_equal(steps.query_row, trace.queries[1, 0, 3])
    np.testing.assert_array_equal(steps.keys, trace.keys[1, 0])
    np.testing.assert_array_equal(steps.values, trace.values[1, 0])


def test_the_exponentials_over_their_sum_are_the_weights() -> None:
    steps = head_steps(make_trace(40), 0, 2, 17)
    np.testing.assert_allclose(steps.exponentials / steps.total, steps.weights, rtol=2e-5)
    assert steps.exponentials.max() == 1.0


@pytest.mark.parametrize("make", [make_trace, biased_trace, disentangled_trace])
def test_the_products_of_the_dimensions_sum_to_the_score(make: Callable[..., Trace]) -> None:
    trace = make(9)
    steps = head_steps(trace, 1, 2, 4)
    for key in range(9):
        products = steps.products_with(key)
        for dimension in range(8):
            by_hand = float(trace.queries[1, 2, 4, dimension]) * float(trace.keys[1, 2, key, dimension])
            assert products[dimension] == by_hand  # exact: two float32 have a product in float64
        # The trace multiplies in float32: at most one rounding for each product and each sum.
        allowed = 2 * 8 * np.finfo(np.float32).eps * np.abs(products).sum()
        assert abs(products.sum() - steps.products[key]) <= allowed


@pytest.mark.parametrize(
    "trace", [make_trace(9), biased_trace(9), disentangled_trace(9), windowed_trace(9, reach=2)]
)
def test_another_divisor_moves_the_weights_of_the_row_alone(trace: Trace) -> None:
    steps = head_steps(trace, 1, 2, 4)
    own = math.sqrt(steps.radicand)
    np.testing.assert_allclose(steps.weights_divided_by(own), steps.weights, rtol=1e-5, atol=1e-7)
    bias = steps.added.get("distance", np.zeros(9)).astype(float)
    for divisor in (1.0, 40.0):
        scores = [
            -math.inf if math.isinf(score) else (score - plus) * own / divisor + plus
            for score, plus in zip(steps.biased.astype(float).tolist(), bias.tolist(), strict=True)
        ]
        exponentials = [math.exp(score - max(scores)) for score in scores]
        expected = [number / sum(exponentials) for number in exponentials]
        np.testing.assert_allclose(steps.weights_divided_by(divisor), expected, rtol=1e-6, atol=1e-12)


def test_a_bias_is_added_before_the_softmax() -> None:
    trace = biased_trace(9)
    steps = head_steps(trace, 1, 2, 4)
    assert list(steps.added) == ["distance"]
    np.testing.assert_array_equal(steps.added["distance"], by_distance(trace)[1, 2, 4:13])
    np.testing.assert_allclose(steps.scaled, steps.products / math.sqrt(8), rtol=1e-6)
    np.testing.assert_allclose(steps.biased, steps.scaled + steps.added["distance"], rtol=1e-6)
    np.testing.assert_allclose(steps.exponentials / steps.total, steps.weights, rtol=2e-5)
    plain = head_steps(make_trace(9), 1, 2, 4)
    assert plain.added == {}
    np.testing.assert_array_equal(plain.biased, plain.scaled)


def test_content_and_position_add_up_before_the_softmax() -> None:
    trace = disentangled_trace(9)
    steps = head_steps(trace, 1, 2, 4)
    assert list(steps.added) == ["content_to_position", "position_to_content"]
    assert steps.radicand == 24
    np.testing.assert_allclose(steps.scaled, steps.products / math.sqrt(24), rtol=1e-6)
    np.testing.assert_allclose(steps.scaled + sum(steps.added.values()), steps.biased, atol=1e-5)
    np.testing.assert_allclose(steps.exponentials / steps.total, steps.weights, rtol=2e-5)


def test_a_key_beyond_the_window_has_a_score_of_minus_infinity_and_no_weight() -> None:
    steps = head_steps(windowed_trace(9, 2), 1, 0, 6)
    assert np.isneginf(steps.biased[:4]).all()
    assert not steps.exponentials[:4].any()
    assert not steps.weights[:4].any()
    np.testing.assert_allclose(steps.exponentials / steps.total, steps.weights, rtol=2e-5)
    assert steps.maximum == steps.biased[4:].max()


def test_a_head_that_is_not_there_is_refused() -> None:
    with pytest.raises(SelectionError):
        head_steps(make_trace(5), 0, 3, 0)
