"""All heads at a glance of other numbers than weights, or without the special tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from bertviz_app.analysis.attention.layered_overview import overview_of_weights
from bertviz_app.analysis.attention.numbers import AttentionNumbers, rescaled
from bertviz_app.analysis.attention.row_block import RowBlock, RowPlaces
from bertviz_app.analysis.attention.stamp import WEIGHTS, Stamp
from bertviz_app.analysis.measures import (
    KEYS,
    MEASURES,
    HeadOverview,
    MeasureKey,
    means_of,
)
from bertviz_app.text.written import word_numbers
from bertviz_app.trace.pooling import area_maximum, pooled_size

_LOWEST = np.finfo(np.float32).min / 2
_CELLS_AT_ONCE = 1 << 22  # 16 MB of float32


def overview_of(
    numbers: AttentionNumbers,
    stamp: Stamp,
    cell: int = 64,
    check: Callable[[], None] | None = None,
    n_threads: int = 1,
) -> HeadOverview:
    """Return thumbnails and measures of every head, of the numbers and tokens that `stamp` names.

    A measure describes rows that add up to 1, so each row of lengths is divided by its sum for it. Special
    tokens that are hidden still count in the measures; where they are removed, they are neither queries nor
    keys, and the rest of each row is divided by its sum.

    Parameters
    ----------
    numbers : AttentionNumbers
        Of a trace of L layers and T tokens.
    stamp : Stamp
        `numbers` of it is the kind of the same.
    cell : int
        The most pixels that a side of a thumbnail has.
    check : callable, optional
        Called between blocks of rows, on any thread; it may raise Cancelled.
    n_threads : int
        So many layers of weights are computed at a time; the numbers are the same for any.

    Returns
    -------
    HeadOverview
        [L, H, ...]; H is 1 where all heads of a layer have one matrix.
    """
    plain = overview_of_weights(numbers.trace, cell, check, n_threads)
    if stamp == WEIGHTS:
        return plain
    trace, shown = numbers.trace, stamp.included(numbers.trace.tokens)
    is_removed = stamp.special_tokens == "removed"
    counted = shown if is_removed else np.ones(trace.n_tokens, bool)
    words = word_numbers(trace.tokens)
    n_queries: dict[MeasureKey, int] = {one.key: one.n_queries(words, counted) for one in MEASURES}
    size, block = pooled_size(int(shown.sum()), cell)
    shape = trace.n_layers, numbers.n_heads
    pictures = np.zeros((*shape, size, size), np.float32)
    sums = {key: np.zeros(shape, np.float64) for key in KEYS}
    at_once = max(1, _CELLS_AT_ONCE // (numbers.n_heads * trace.n_tokens))
    for layer in range(trace.n_layers):
        thumbnails = np.zeros((numbers.n_heads, int(shown.sum()), size), np.float32)
        for first in range(0, trace.n_tokens, at_once):
            if check is not None:
                check()
            rows = slice(first, min(trace.n_tokens, first + at_once))
            found = numbers.rows(layer, rows)
            shares = rescaled(found, counted)
            shares[:, ~counted[rows]] = 0
            drawn = (shares if is_removed else found)[:, shown[rows]][:, :, shown]
            start = int(shown[:first].sum())
            thumbnails[:, start : start + drawn.shape[1]] = area_maximum(drawn, (1, block))
            logarithms = np.log(shares, out=np.full_like(shares, _LOWEST), where=shares > 0)
            block_of_rows = RowBlock(shares, logarithms, RowPlaces.of(trace.tokens, words, rows))
            for measure in MEASURES:
                if n_queries[measure.key]:
                    sums[measure.key][layer] += measure.total(block_of_rows)
        pictures[layer] = area_maximum(thumbnails, (block, 1))
    return replace(
        plain, pictures=pictures, measures=means_of(sums, n_queries), n_queries=n_queries, stamp=stamp
    )
