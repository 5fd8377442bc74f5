"""Tests of a bias by distance: what a trace with one gives, against the sum made cell by cell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bertviz_app.trace import Trace
from bertviz_app.trace.bias import GlobalAttention, RelativeBias, adds_window_alone, reach_of
from tests.support.factories import biased_trace, by_distance, dense, make_trace, windowed_trace

Indices = NDArray[np.intp]


@pytest.mark.parametrize("n_tokens", [2, 3, 17, 130])
def test_attention_is_the_softmax_of_scores_and_bias(n_tokens: int) -> None:
    trace = biased_trace(n_tokens)
    np.testing.assert_allclose(trace.attention(), dense(trace), rtol=0, atol=1e-6)
    assert np.abs(trace.attention() - make_trace(n_tokens).attention()).max() > 0.1


@pytest.mark.parametrize("rows", [slice(None), slice(2, 7), np.array([4, 0, 19])])
@pytest.mark.parametrize("columns", [slice(None), slice(3, 5), slice(None, None, -1), np.array([19, 1])])
def test_a_rectangle_is_a_part_of_the_whole(rows: slice | Indices, columns: slice | Indices) -> None:
    trace = biased_trace(20)
    for pick in (trace.attention, trace.scores):
        for layer, head in ((1, 2), (1, None), (None, None)):
            whole = pick(layer, head)[..., rows, :][..., columns]
            np.testing.assert_allclose(pick(layer, head, rows, columns), whole, rtol=0, atol=1e-5)


def test_the_product_alone_has_no_bias_in_it() -> None:
    np.testing.assert_array_equal(
        biased_trace(6).scores(1, 0, scaled=False), make_trace(6).scores(1, 0, scaled=False)
    )


def test_one_bias_serves_all_heads_of_a_layer() -> None:
    trace = biased_trace(9)
    shared = by_distance(trace)[:, :1].copy()
    one = replace(trace, bias=RelativeBias(shared))
    each = replace(trace, bias=RelativeBias(np.repeat(shared, 3, axis=1)))
    for at in ((1, 2), (1, None), (None, None)):
        np.testing.assert_array_equal(one.scores(*at), each.scores(*at))


def test_the_memory_of_a_trace_counts_it() -> None:
    trace = biased_trace(40)
    assert trace.n_bytes == make_trace(40).n_bytes + 4 * 2 * 3 * 79


@pytest.mark.parametrize("shape", [(1, 3, 11), (2, 2, 11), (2, 3, 12), (2, 3, 13)])
def test_one_of_another_size_is_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="another size"):
        replace(make_trace(6), bias=RelativeBias(np.zeros(shape, np.float32)))


@pytest.mark.parametrize(
    "numbers",
    [
        np.zeros((2, 11), np.float32),
        np.zeros((2, 3, 11)),
        np.full((2, 3, 11), np.nan, np.float32),
        np.full((2, 3, 11), np.inf, np.float32),
        np.full((2, 3, 11), -np.inf, np.float32),  # a token sees itself at least
    ],
)
def test_what_is_no_bias_is_refused(numbers: NDArray[np.float32]) -> None:
    with pytest.raises(ValueError, match="must be"):
        RelativeBias(numbers)


def test_a_bias_of_zeros_outside_of_its_window_is_a_window_alone() -> None:
    numbers = np.zeros((2, 1, 5), np.float32)
    numbers[0, 0, 0] = -np.inf
    numbers[1, 0, 1] = 0.5
    bias = RelativeBias(numbers)
    assert [adds_window_alone(bias, layer) for layer in (0, 1)] == [True, False]
    assert not adds_window_alone(None, 0)
    rows = np.zeros((2, 1, 3, 4), np.float32)
    assert adds_window_alone(GlobalAttention(1, rows, rows.copy(), bias), 0)
    assert not adds_window_alone(GlobalAttention(1, rows.copy(), rows.copy(), None), 0)


@pytest.mark.parametrize(
    "rows", [slice(None), slice(0, 9), slice(70, 90), slice(190, 201), slice(50, 40, -3)]
)
def test_rows_in_a_window_are_those_of_the_dense_softmax(rows: slice) -> None:
    trace = windowed_trace(201, 7)
    for layer in (0, 1):
        expected = dense(trace)[layer][:, rows]
        np.testing.assert_allclose(trace.attention(layer, None, rows), expected, rtol=0, atol=1e-6)
        np.testing.assert_allclose(trace.attention(layer, 1, rows), expected[1], rtol=0, atol=1e-6)
    far = np.abs(np.arange(201)[rows, None] - np.arange(201)) > 7
    assert not trace.attention(1, None, rows)[:, far].any()


def test_rows_in_a_window_cost_their_window_only(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = windowed_trace(201, 7)
    read: list[int] = []
    scores = Trace.scores

    def counted(self: Trace, *args: Any, **keywords: Any) -> NDArray[np.float32]:
        found = scores(self, *args, **keywords)
        read.append(found.shape[-1])
        return found

    monkeypatch.setattr(Trace, "scores", counted)
    trace.attention(1, 0, slice(90, 100))
    trace.attention(0, 0, slice(90, 100))
    assert read == [10 + 2 * 7, 201]


def test_the_reach_is_that_of_the_farthest_key_of_any_head() -> None:
    by_distance = np.full((2, 3, 2 * 30 - 1), -np.inf, np.float32)
    by_distance[0] = 0
    by_distance[1, :, 29] = 0
    by_distance[1, 2, 29 - 4] = 0.5
    trace = replace(make_trace(30), bias=RelativeBias(by_distance))
    assert [reach_of(trace.bias, layer) for layer in (0, 1)] == [None, 4]
    assert reach_of(None, 0) is None


@pytest.mark.parametrize(
    "rows", [np.array([3]), np.array([4, 5, 6]), np.array([0, 2]), np.array([], np.intp)]
)
@pytest.mark.parametrize("columns", [np.arange(20), np.array([19]), np.array([5, 4])])
def test_numbers_of_distances_are_those_of_each_cell(rows: Indices, columns: Indices) -> None:
    trace = biased_trace(20)
    numbers = by_distance(trace)
    added = trace.score_parts(None, None, rows, columns)["distance"]
    expected = numbers[..., columns - rows[:, None] + 19]
    np.testing.assert_array_equal(added, np.broadcast_to(expected, added.shape))
