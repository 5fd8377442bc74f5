"""Tests of the block maxima and of the quantisation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.trace.indexing import area_maximum, pooled_size, quantised


@given(st.integers(1, 600), st.integers(1, 80))
def test_the_blocks_cover_all_tokens_and_no_more(n_tokens: int, cell: int) -> None:
    size, block = pooled_size(n_tokens, cell)
    assert size <= cell
    assert (size - 1) * block < n_tokens <= size * block


@pytest.mark.parametrize("kind", [np.float32, np.uint8])
@pytest.mark.parametrize(
    ("rows", "columns", "block"), [(6, 6, 3), (7, 7, 3), (5, 9, 4), (4, 4, 1), (2, 2, 5)]
)
def test_the_maximum_of_every_block(kind: type[np.float32], rows: int, columns: int, block: int) -> None:
    weights = (np.random.default_rng(0).random((2, rows, columns)) * 200).astype(kind)
    pooled = area_maximum(weights, block)
    assert pooled.dtype == kind
    assert pooled.shape == (2, -(-rows // block), -(-columns // block))
    for head, row, column in np.ndindex(pooled.shape):
        part = weights[head, row * block : (row + 1) * block, column * block : (column + 1) * block]
        assert pooled[head, row, column] == part.max()


def test_quantised_to_the_nearest_level() -> None:
    weights = np.array([[[0.0, 0.5], [0.25, 0.125]]], np.float32)
    assert quantised(weights, per_head=True).tolist() == [[[0, 255], [128, 64]]]
    assert quantised(weights, per_head=False).tolist() == [[[0, 128], [64, 32]]]


def test_every_head_has_its_own_brightest() -> None:
    weights = np.array([[[0.5]], [[0.01]], [[0.0]]], np.float32)
    assert quantised(weights, per_head=True).ravel().tolist() == [255, 255, 0]


def test_a_weight_just_over_1_is_the_brightest_level() -> None:
    assert quantised(np.array([[1.0000001]], np.float32), per_head=False).tolist() == [[255]]
