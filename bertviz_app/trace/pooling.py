"""Attention made smaller without losing its largest weights: maxima over blocks, and uint8."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bertviz_app.types import Floats

_WIDE = 32
"""From this many columns in a block on, going through each row is faster than through every 32nd column."""


def pooled_size(n_tokens: int, cell: int) -> tuple[int, int]:
    """Return how many blocks cover `n_tokens`, at most `cell`, and how many tokens each block has."""
    block = -(-n_tokens // cell)
    return -(-n_tokens // block), block


_Number = TypeVar("_Number", np.float32, np.uint8)


def area_maximum(weights: NDArray[_Number], block: int | tuple[int, int]) -> NDArray[_Number]:
    """Return the maxima [..., r, c] over blocks of `weights` [..., rows, columns].

    `block`: the side of a square block, or the rows and columns of one.
    The last block of a side may be partly filled. Rows first: that pass runs over contiguous memory.
    """
    tall, wide = (block, block) if isinstance(block, int) else block
    if tall == wide == 1:
        return weights
    rows = weights[..., ::tall, :].copy()
    for offset in range(1, tall):
        others = weights[..., offset::tall, :]
        there = rows[..., : others.shape[-2], :]
        np.maximum(there, others, out=there)
    if wide >= _WIDE:
        most: NDArray[_Number] = np.maximum.reduceat(rows, np.arange(0, rows.shape[-1], wide), axis=-1)
        return most
    columns = rows[..., ::wide].copy()
    for offset in range(1, wide):
        others = rows[..., offset::wide]
        there = columns[..., : others.shape[-1]]
        np.maximum(there, others, out=there)
    return columns


def quantised(weights: Floats, *, per_head: bool) -> NDArray[np.uint8]:
    """Return `weights` [..., n, n] as uint8, rounded; 255 is the head's own maximum, or a weight of 1.

    A head whose weights are all zero stays zero.
    """
    top = weights.max(axis=(-2, -1), keepdims=True) if per_head else np.ones((), np.float32)
    scaled = np.divide(weights, top, out=np.zeros_like(weights), where=top > 0)
    levels: NDArray[np.uint8] = np.rint(np.clip(scaled, 0, 1) * np.float32(255)).astype(np.uint8)
    return levels
