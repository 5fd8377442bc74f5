"""A trace: its scores and weights, the biases in them, what they are indexed by, and what they cost."""

from __future__ import annotations

import pickle
import time
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from bertviz_app.encoder.recorder import record
from bertviz_app.errors import Cancelled, FileError, SelectionError
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace, load_trace, save_trace
from bertviz_app.trace.bias import (
    DisentangledBias,
    GlobalAttention,
    RelativeBias,
    adds_window_alone,
    reach_of,
)
from bertviz_app.trace.indexing import area_maximum, pooled_size
from bertviz_app.trace.interventions import SetRow, _with_set
from bertviz_app.trace.memory import TraceMemory
from bertviz_app.types import Floats
from tests.support.checkpoint_folders import small_encoder
from tests.support.exactness import of_bound
from tests.support.factories import (
    biased_trace,
    by_distance,
    dense,
    dense_in_float32,
    disentangled_trace,
    make_tokens,
    make_trace,
    projected,
    random_trace,
    windowed_trace,
)

Indices = NDArray[np.intp]
RECTANGLES = pytest.mark.parametrize(
    ("rows", "columns"),
    [
        (slice(None), slice(3, 5)),
        (slice(2, 7), slice(None, None, -1)),
        (np.array([4, 0, 19]), np.array([19, 1])),
        (slice(2, 7), slice(None)),
    ],
)


KEYS, QUERIES = "position_keys", "position_queries"
KINDS = [(KEYS, QUERIES), (KEYS,), (QUERIES,)]


@pytest.mark.parametrize("n_tokens", [2, 3, 17, 130])
def test_attention_is_the_softmax_of_scores_and_what_is_added(n_tokens: int) -> None:
    parted = [disentangled_trace(n_tokens, names=names) for names in KINDS]
    assert [trace.radicand for trace in parted] == [24, 16, 16]
    plain, biased = make_trace(n_tokens), biased_trace(n_tokens)
    for trace in (plain, biased, *parted):
        assert of_bound([trace.attention()], [dense_in_float32(trace)], [dense(trace)]) <= 1
    assert np.abs(biased.attention() - plain.attention()).max() > 0.1


def test_whole_rows_sum_to_1_where_the_recorded_lse_is_rounded() -> None:
    exact = make_trace(33)
    rounded = replace(exact, lse=exact.lse + np.float32(3e-5))
    np.testing.assert_allclose(rounded.attention(), exact.attention(), rtol=0, atol=1e-6)


def test_a_damaged_lse_gives_weights_of_0_and_no_warning() -> None:
    exact = make_trace(5)
    damaged = replace(exact, lse=exact.lse + np.float32(1e6))
    np.testing.assert_array_equal(damaged.attention(), np.zeros_like(exact.attention()))


def test_scores_are_products_times_the_scale() -> None:
    trace = make_trace(6)
    products = trace.queries[1, 0] @ trace.keys[1, 0].T
    np.testing.assert_allclose(trace.scores(1, 0, scaled=False), products, rtol=1e-6)
    np.testing.assert_allclose(trace.scores(1, 0), products * np.float32(trace.scale), rtol=1e-6)


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
    with pytest.raises(ValueError, match="pruned head"):
        replace(trace, pruned=(head,))


NO_ARRAYS = {"model", "tokens", "scale", "muted", "pruned", "heads", "cells", "states"} | {
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


def test_token_vectors_are_of_each_token_and_of_any_width() -> None:
    vectors = np.ones((5, 7), np.float32)
    assert replace(make_trace(5), token_vectors=vectors).token_vectors is vectors
    bad: Any
    for bad in (vectors.astype(np.float64), vectors[1:], vectors[0]):
        with pytest.raises(ValueError, match="token_vectors must be"):
            replace(make_trace(5), token_vectors=bad)


OF_OTHERS = {"sentence_vector", "token_vectors", "token_projection"}
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


def test_a_case_done_by_hand() -> None:
    trace = random_trace(make_tokens(3), n_layers=1, n_heads=1)
    nothing = np.zeros((1, 1, 3, 8), np.float32)
    queries, keys, of_keys, of_queries = (nothing.copy() for _ in range(4))
    queries[..., 0] = [1, 2, 3]  # all other numbers are 0
    keys[..., 0] = [5, 7, 11]
    of_keys[..., 0] = [100, 200, 300]  # the key is: before the query, the same token, after it
    of_queries[..., 0] = [1000, 2000, 3000]
    bias = DisentangledBias(of_keys, of_queries, np.array([0, 0, 1, 2, 2]))
    trace = replace(trace, queries=queries, keys=keys, bias=bias, scale=0.5)
    parts = trace.score_parts(0, 0)
    assert (2 * parts["content"]).tolist() == [[5, 7, 11], [10, 14, 22], [15, 21, 33]]
    to_position = [[200, 300, 300], [200, 400, 600], [300, 300, 600]]
    to_content = [[10000, 21000, 33000], [5000, 14000, 33000], [5000, 7000, 22000]]
    assert (2 * parts["content_to_position"]).tolist() == to_position
    assert (2 * parts["position_to_content"]).tolist() == to_content
    assert trace.scores(0, 0)[0, 1] == (7 + 300 + 21000) / 2
    assert trace.radicand == 4


@pytest.mark.parametrize("names", KINDS)
def test_the_parts_add_up_to_the_scores(names: tuple[str, ...]) -> None:
    trace = disentangled_trace(12, names=names)
    for at in ((1, 2), (1, None), (None, None)):
        parts = trace.score_parts(*at)
        assert list(parts) == ["content", *trace.added]
        assert len(trace.added) == len(names)
        np.testing.assert_allclose(sum(parts.values()), trace.scores(*at), rtol=0, atol=1e-5)
        np.testing.assert_allclose(
            parts["content"], trace.scores(*at, scaled=False) * trace.scale, rtol=1e-6, atol=1e-6
        )


def test_every_encoder_has_parts() -> None:
    plain, biased = make_trace(6), biased_trace(6)
    assert (plain.added, biased.added) == ((), ("distance",))
    assert list(plain.score_parts(0, 0)) == ["content"]
    np.testing.assert_array_equal(plain.score_parts(0)["content"], plain.scores(0))
    parts = biased.score_parts()
    assert list(parts) == ["content", "distance"]
    assert parts["distance"].shape == parts["content"].shape
    np.testing.assert_allclose(parts["content"] + parts["distance"], biased.scores(), rtol=1e-6)
    with pytest.raises(SelectionError):
        plain.score_parts(2, 0)


@RECTANGLES
@pytest.mark.parametrize("names", KINDS)
def test_a_rectangle_of_disentangled_attention_is_a_part_of_the_whole(
    rows: slice | Indices, columns: slice | Indices, names: tuple[str, ...]
) -> None:
    trace = disentangled_trace(20, names=names)
    for layer, head in ((1, 2), (1, None), (None, None)):
        for pick in (trace.attention, trace.scores):
            whole = pick(layer, head)[..., rows, :][..., columns]
            np.testing.assert_allclose(pick(layer, head, rows, columns), whole, rtol=0, atol=1e-5)
        for name, part in trace.score_parts(layer, head, rows, columns).items():
            whole = trace.score_parts(layer, head)[name][..., rows, :][..., columns]
            np.testing.assert_allclose(part, whole, rtol=0, atol=1e-5)


@pytest.mark.parametrize("names", KINDS)
def test_a_file_of_it_comes_back_and_a_bad_one_is_refused(names: tuple[str, ...], tmp_path: Path) -> None:
    trace = disentangled_trace(7, names=names)
    save_trace(trace, tmp_path / "parts.npz")
    loaded = load_trace(tmp_path / "parts.npz")
    assert loaded.added == trace.added
    for name, part in trace.score_parts().items():
        np.testing.assert_array_equal(loaded.score_parts()[name], part)
    np.testing.assert_array_equal(loaded.attention(), trace.attention())
    with np.load(tmp_path / "parts.npz", allow_pickle=False) as file:
        arrays = dict(file)
    table = arrays[names[0]]
    lies: tuple[dict[str, np.ndarray], ...] = (
        {names[0]: np.full_like(table, np.nan)},
        {names[0]: table.astype(np.float64)},
        {names[0]: table[:1]},
        {names[0]: table[..., :4]},
        {"buckets": arrays["buckets"] + 100},
        {"buckets": arrays["buckets"][:5]},
        {"buckets": arrays["buckets"].astype(np.float32)},
    )
    for lie in lies:
        np.savez(tmp_path / "bad.npz", **(arrays | lie))
        with pytest.raises(FileError):
            load_trace(tmp_path / "bad.npz")
    del arrays["buckets"]
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(FileError):
        load_trace(tmp_path / "bad.npz")


def test_one_bias_serves_all_heads_of_a_layer() -> None:
    trace = biased_trace(9)
    shared = by_distance(trace)[:, :1].copy()
    one = replace(trace, bias=RelativeBias(shared))
    each = replace(trace, bias=RelativeBias(np.repeat(shared, 3, axis=1)))
    for at in ((1, 2), (1, None), (None, None)):
        np.testing.assert_array_equal(one.scores(*at), each.scores(*at))


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
        theirs, exact = (found[layer][:, rows] for found in (dense_in_float32(trace), dense(trace)))
        ours = [trace.attention(layer, None, rows), trace.attention(layer, 1, rows)]
        assert of_bound(ours, [theirs, theirs[1]], [exact, exact[1]]) <= 1
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


@given(st.integers(1, 600), st.integers(1, 80))
def test_the_blocks_cover_all_tokens_and_no_more(n_tokens: int, cell: int) -> None:
    size, block = pooled_size(n_tokens, cell)
    assert size <= cell
    assert (size - 1) * block < n_tokens <= size * block


@pytest.mark.parametrize(
    ("kind", "rows", "columns", "block"),
    [
        (np.float32, 6, 6, 3),
        (np.uint8, 7, 7, 3),
        (np.float32, 5, 9, 4),
        (np.uint8, 4, 4, 1),
        (np.float32, 2, 2, 5),
    ],
)
def test_the_maximum_of_every_block(kind: type[np.float32], rows: int, columns: int, block: int) -> None:
    weights = (np.random.default_rng(0).random((2, rows, columns)) * 200).astype(kind)
    pooled = area_maximum(weights, block)
    assert pooled.dtype == kind
    assert pooled.shape == (2, -(-rows // block), -(-columns // block))
    for head, row, column in np.ndindex(pooled.shape):
        part = weights[head, row * block : (row + 1) * block, column * block : (column + 1) * block]
        assert pooled[head, row, column] == part.max()


def test_other_weights_that_are_all_zero_become_equal() -> None:
    weights = np.array([1, 0, 0], np.float32)
    np.testing.assert_allclose(
        _with_set(weights, np.ones(3, bool), SetRow(0, 0, 0, (0,), (0.4,))), [0.4, 0.3, 0.3], rtol=1e-6
    )


def test_a_key_out_of_reach_gets_nothing_of_the_rest() -> None:
    weights, reachable = np.array([1, 0, 0, 0], np.float32), np.array([True, True, True, False])
    found = _with_set(weights, reachable, SetRow(0, 0, 0, (0,), (0.4,)))
    np.testing.assert_allclose(found, [0.4, 0.3, 0.3, 0], rtol=1e-6)


def test_memory_is_used_again_once_nothing_refers_to_it() -> None:
    memory = TraceMemory()
    (first,) = memory.arrays([(1000,)])
    address, row = first.ctypes.data, first[:10][::2]
    del first
    (second,) = memory.arrays([(1000,)])
    assert second.ctypes.data != address, "a view still refers to the first"
    del row
    (third,) = memory.arrays([(900,)])
    assert third.ctypes.data == address


def test_a_trace_keeps_its_numbers_while_later_ones_are_made() -> None:
    encoder, memory = small_encoder(), TraceMemory()
    texts = [_tokens(n_tokens, first) for n_tokens, first in ((7, 0), (7, 20), (9, 10))]
    traces = [record(encoder, tokens, "small", memory=memory) for tokens in texts]
    expected = [record(encoder, tokens, "small") for tokens in texts]
    for trace, alone in zip(traces, expected, strict=True):
        np.testing.assert_array_equal(trace.queries, alone.queries)
        np.testing.assert_array_equal(trace.hidden, alone.hidden)
        np.testing.assert_array_equal(trace.lse, alone.lse)


_HOLDERS: dict[str, Callable[[Floats], object]] = {
    "a slice": lambda hidden: hidden[1],
    "every second row, turned": lambda hidden: hidden[1:, ::-2].T,
    "one row of a view of bytes": lambda hidden: hidden[0].view(np.uint8)[2:3],
    "a memoryview": lambda hidden: hidden.data[1:],
    "an array of a memoryview": lambda hidden: np.frombuffer(hidden.data, np.float32),
    "a tensor": lambda hidden: _as_tensor(hidden)[1],
    "an iterator": lambda hidden: np.nditer(hidden),
    "a copy by pickle": lambda hidden: pickle.loads(pickle.dumps(hidden[1:])),
}
"""What a user may hold of an array of a trace when the trace is no longer referred to."""


@pytest.mark.parametrize("name", _HOLDERS)
def test_a_part_of_a_trace_that_is_dropped_stays_while_later_traces_are_made(name: str) -> None:
    encoder, memory = small_encoder(), TraceMemory()
    trace = record(encoder, _tokens(9, 0), "small", memory=memory)
    address, held = trace.hidden.ctypes.data, _HOLDERS[name](trace.hidden)
    before = _numbers(held)
    del trace
    others = [record(encoder, _tokens(9, first), "small", memory=memory).hidden for first in (10, 20, 30)]
    others += [record(encoder, _tokens(9, first), "small", memory=memory).hidden for first in (3, 5)]
    np.testing.assert_array_equal(_numbers(held), before)
    is_own = name == "a copy by pickle"
    assert any(other.ctypes.data == address for other in others) == is_own
    del held
    last = record(encoder, _tokens(9, 0), "small", memory=memory)
    assert is_own or last.hidden.ctypes.data == address, "what is no longer held is used again"


def _as_tensor(array: Floats) -> torch.Tensor:
    with warnings.catch_warnings(action="ignore"):  # it may be written to through the tensor
        return torch.from_numpy(array)


def _numbers(held: object) -> NDArray[Any]:
    if isinstance(held, np.nditer):
        held = held.operands[0]
    if isinstance(held, torch.Tensor):
        held = held.numpy()
    return np.array(held)


def test_memory_of_a_pass_that_is_cancelled_is_used_again_and_changes_no_earlier_trace() -> None:
    encoder, memory = small_encoder(), TraceMemory()
    trace = record(encoder, _tokens(9, 0), "small", memory=memory)
    hidden = trace.hidden.copy()

    def cancel() -> None:
        raise Cancelled

    for _ in range(3):
        with pytest.raises(Cancelled):
            record(encoder, _tokens(9, 10), "small", check=cancel, memory=memory)
    again = record(encoder, _tokens(9, 0), "small", memory=memory)
    np.testing.assert_array_equal(trace.hidden, hidden)
    np.testing.assert_array_equal(again.hidden, hidden)


def test_threads_never_lend_one_block_twice() -> None:
    memory, errors = TraceMemory(), list[int]()

    def borrow(number: int) -> None:
        for _ in range(300):
            (array,) = memory.arrays([(200,)])
            array[:] = number
            time.sleep(0)
            if not (array == number).all():
                errors.append(number)
            del array

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(borrow, range(4)))
    assert errors == []


def _tokens(n_tokens: int, first: int) -> Tokens:
    return replace(make_tokens(n_tokens), ids=np.arange(first, first + n_tokens, dtype=np.int32))
