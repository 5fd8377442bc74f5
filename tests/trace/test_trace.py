"""Tests of `Trace`: its attention against a float64 softmax, its parts against the whole, what it refuses."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from bertviz_app.errors import SelectionError
from bertviz_app.trace import Trace
from tests.support.factories import dense, make_tokens, make_trace, projected

Indices = NDArray[np.intp]


@pytest.mark.parametrize("n_tokens", [2, 3, 17, 130])
def test_attention_is_the_softmax(n_tokens: int) -> None:
    trace = make_trace(n_tokens)
    np.testing.assert_allclose(trace.attention(), dense(trace), rtol=0, atol=1e-6)


def test_whole_rows_sum_to_1() -> None:
    trace = make_trace(65)
    np.testing.assert_allclose(trace.attention().sum(-1), 1, rtol=0, atol=1e-6)
    np.testing.assert_allclose(trace.attention(1, 2, rows=slice(3, 9)).sum(-1), 1, rtol=0, atol=1e-6)


def test_whole_rows_sum_to_1_where_the_recorded_lse_is_rounded() -> None:
    exact = make_trace(33)
    rounded = replace(exact, lse=exact.lse + np.float32(3e-5))
    np.testing.assert_allclose(rounded.attention(), exact.attention(), rtol=0, atol=1e-6)


def test_a_damaged_lse_gives_weights_of_0_and_no_warning() -> None:
    exact = make_trace(5)
    damaged = replace(exact, lse=exact.lse + np.float32(1e6))
    np.testing.assert_array_equal(damaged.attention(), np.zeros_like(exact.attention()))


@pytest.mark.parametrize("rows", [slice(None), slice(2, 7), np.array([4, 0, 19])])
@pytest.mark.parametrize("columns", [slice(None), slice(3, 5), slice(None, None, -1), np.array([19, 1])])
def test_a_rectangle_is_a_part_of_the_whole(rows: slice | Indices, columns: slice | Indices) -> None:
    trace = make_trace(20)
    for pick in (trace.attention, trace.scores):
        whole = pick(1, 2)[rows][:, columns]
        np.testing.assert_allclose(pick(1, 2, rows, columns), whole, rtol=0, atol=1e-5)


def test_every_way_of_choosing_gives_the_same_heads() -> None:
    trace = make_trace(9, n_layers=3, n_heads=2)
    cube = trace.attention()
    assert cube.shape == (3, 2, 9, 9)
    assert cube.dtype == np.float32
    np.testing.assert_allclose(trace.attention(2), cube[2], rtol=0, atol=1e-6)
    np.testing.assert_allclose(trace.attention(2, 1), cube[2, 1], rtol=0, atol=1e-6)


def test_scores_are_products_times_the_scale() -> None:
    trace = make_trace(6)
    products = trace.queries[1, 0] @ trace.keys[1, 0].T
    np.testing.assert_allclose(trace.scores(1, 0, scaled=False), products, rtol=1e-6)
    np.testing.assert_allclose(trace.scores(1, 0), products * np.float32(trace.scale), rtol=1e-6)


def test_what_is_returned_may_be_changed_without_changing_the_trace() -> None:
    trace = make_trace(4)
    before = trace.attention(0, 0)
    trace.attention(0, 0)[:] = 0
    np.testing.assert_array_equal(trace.attention(0, 0), before)


@pytest.mark.parametrize(
    ("layer", "head", "message"),
    [
        (2, 0, "There is no layer 2: this model has layers 0 to 1."),
        (-1, 0, "There is no layer -1: this model has layers 0 to 1."),
        (0, 3, "There is no head 3: this model has heads 0 to 2."),
        (None, 0, "A head is chosen within a layer."),
    ],
)
def test_a_head_that_does_not_exist_is_an_error(layer: int | None, head: int, message: str) -> None:
    with pytest.raises(SelectionError) as caught:
        make_trace(3).attention(layer, head)
    assert caught.value.message == message
    assert caught.value.hint


def test_more_than_fits_into_memory_is_an_error_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = make_trace(16, n_layers=2, n_heads=3)
    monkeypatch.setattr("bertviz_app.trace.trace.MAX_BYTES", 3 * 16 * 16 * 4)
    trace.attention(1)
    with pytest.raises(SelectionError) as caught:
        trace.attention()
    assert "rectangle" in caught.value.hint


def test_its_arrays_are_read_only() -> None:
    trace = make_trace(3)
    for field in fields(trace):
        array = getattr(trace, field.name)
        if isinstance(array, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                array[...] = 0


@pytest.mark.parametrize("head", [(2, 0), (0, 3), (-1, 0), (0, -1)])
def test_a_muted_head_is_one_of_its_own(head: tuple[int, int]) -> None:
    trace = make_trace(4)
    assert replace(trace, muted=((1, 2),)).muted == ((1, 2),)
    with pytest.raises(ValueError, match="muted head"):
        replace(trace, muted=(head,))


NO_ARRAYS = {"model", "tokens", "scale", "muted", "heads", "cells"} | {
    "shares_layers",
    "bias",
    "form",
    "provenance",
}


def test_a_sentence_vector_has_any_size_but_the_type_of_the_others() -> None:
    vector = np.ones(7, np.float32)
    assert replace(make_trace(5), sentence_vector=vector).sentence_vector is vector
    bad: Any
    for bad in (vector.astype(np.float64), vector[None]):
        with pytest.raises(ValueError, match="sentence_vector must be"):
            replace(make_trace(5), sentence_vector=bad)


OF_OTHERS = {"sentence_vector", "token_projection"}
OF_ONE_SIZE = [field.name for field in fields(Trace) if field.name not in NO_ARRAYS | OF_OTHERS]


@pytest.mark.parametrize("name", OF_ONE_SIZE)
def test_an_array_of_another_shape_or_type_is_refused(name: str) -> None:
    trace = projected(make_trace(5))
    trace = replace(trace, task_embeddings=trace.token_embeddings.copy())
    array = getattr(trace, name)
    with pytest.raises(ValueError, match="must be"):
        replace(trace, **{name: array.astype(np.float64)})
    with pytest.raises(ValueError, match="must be"):
        replace(trace, **{name: array[..., :-1]})


def test_token_embeddings_may_have_another_width_where_they_alone_are_projected() -> None:
    trace = make_trace(5)
    narrow, wide = trace.token_embeddings[:, :6].copy(), trace.token_embeddings.copy()
    assert replace(trace, token_embeddings=narrow, token_projection=wide).token_projection is wide
    for name, array in (("token_embeddings", narrow[:4]), ("token_projection", wide[:, :6])):
        arrays: dict[str, Any] = {"token_embeddings": narrow, "token_projection": wide} | {name: array.copy()}
        with pytest.raises(ValueError, match=f"{name} must be"):
            replace(trace, **arrays)


def test_embeddings_may_be_narrower_than_layers_where_a_projection_follows() -> None:
    trace = make_trace(5)
    assert projected(trace).token_embeddings.shape == (5, 6)
    with pytest.raises(ValueError, match="token_embeddings must be"):
        replace(projected(trace), embedding_norm=None)
    with pytest.raises(ValueError, match="position_embeddings must be"):
        replace(projected(trace), position_embeddings=trace.position_embeddings)


def test_tokens_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="must be"):
        replace(make_trace(5), tokens=make_tokens(6))


def test_a_trace_without_heads_is_refused() -> None:
    trace = make_trace(5)
    nothing = {name: getattr(trace, name)[:, :0] for name in ("queries", "keys", "values", "lse")}
    with pytest.raises(ValueError, match="at least one"):
        replace(trace, **nothing)


def test_it_knows_its_sizes() -> None:
    trace = make_trace(7, n_layers=2, n_heads=3)
    sizes = (trace.n_layers, trace.n_heads, trace.n_tokens, trace.head_width, trace.width)
    assert sizes == (2, 3, 7, 8, 24)
    per_layer = 3 * 3 * 7 * 8 + 3 * 7 + 7 * 24
    assert trace.n_bytes == 4 * (2 * per_layer + 5 * 7 * 24 + 24)
