"""Scores of content and position: a case done by hand, sums in float64, parts, rectangles and blocks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from bertviz_app.errors import FileError, SelectionError
from bertviz_app.trace import load_trace, save_trace
from bertviz_app.trace.bias import DisentangledBias
from tests.support.factories import (
    biased_trace,
    dense,
    disentangled_trace,
    make_tokens,
    make_trace,
    random_trace,
)

Indices = NDArray[np.intp]
KEYS, QUERIES = "position_keys", "position_queries"
KINDS = [(KEYS, QUERIES), (KEYS,), (QUERIES,)]


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
@pytest.mark.parametrize("n_tokens", [1, 2, 3, 17, 130])
def test_attention_is_the_softmax_of_the_sum(n_tokens: int, names: tuple[str, ...]) -> None:
    trace = disentangled_trace(n_tokens, names=names)
    np.testing.assert_allclose(trace.attention(), dense(trace), rtol=0, atol=2e-6)
    assert trace.radicand == (1 + len(names)) * 8


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


@pytest.mark.parametrize("rows", [slice(None), slice(2, 7), np.array([4, 0, 19])])
@pytest.mark.parametrize("columns", [slice(None), slice(3, 5), slice(None, None, -1), np.array([19, 1])])
@pytest.mark.parametrize("names", KINDS)
def test_a_rectangle_is_a_part_of_the_whole(
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


def test_the_memory_of_a_trace_counts_its_tables() -> None:
    trace = disentangled_trace(300)
    assert trace.n_bytes == make_trace(300).n_bytes + 2 * 4 * 2 * 3 * 5 * 8 + 8 * 599


@pytest.mark.parametrize(
    ("shape", "n_distances"), [((1, 3, 5, 8), 11), ((2, 2, 5, 8), 11), ((2, 3, 5, 7), 11), ((2, 3, 5, 8), 13)]
)
def test_one_of_another_size_is_refused(shape: tuple[int, ...], n_distances: int) -> None:
    bias = DisentangledBias(np.zeros(shape, np.float32), None, np.zeros(n_distances, np.int64))
    with pytest.raises(ValueError, match="another size"):
        replace(make_trace(6), bias=bias)


TABLE, BUCKETS = np.zeros((2, 3, 5, 8), np.float32), np.zeros(11, np.int64)


@pytest.mark.parametrize(
    ("keys", "queries", "buckets"),
    [
        (None, None, BUCKETS),
        (TABLE[0], TABLE[0], BUCKETS),
        (TABLE.astype(np.float64), None, BUCKETS),
        (TABLE, TABLE[:, :, :4].copy(), BUCKETS),
        (TABLE, None, BUCKETS + 5),
        (TABLE, None, BUCKETS - 1),
        (TABLE, None, BUCKETS.astype(np.int32)),
        (TABLE, None, BUCKETS[None]),
    ],
)
def test_what_is_no_such_bias_is_refused(
    keys: NDArray[np.float32] | None, queries: NDArray[np.float32] | None, buckets: NDArray[np.int64]
) -> None:
    with pytest.raises(ValueError, match="must"):
        DisentangledBias(keys, queries, buckets)


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
