"""All heads at a glance of other numbers than weights, or without the special tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

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
from bertviz_app.types import Floats

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
    tokens = _TokensShown.of(numbers, stamp)
    size, block = pooled_size(int(tokens.shown.sum()), cell)
    shape = numbers.trace.n_layers, numbers.n_heads
    pictures = np.zeros((*shape, size, size), np.float32)
    sums = {key: np.zeros(shape, np.float64) for key in KEYS}
    for layer in range(numbers.trace.n_layers):
        totals = {key: of_layers[layer] for key, of_layers in sums.items()}
        pictures[layer] = _read_layer(numbers, layer, tokens, block, totals, check)
    means = means_of(sums, tokens.n_queries)
    return replace(plain, pictures=pictures, measures=means, n_queries=tokens.n_queries, stamp=stamp)


@dataclass(frozen=True, eq=False)
class _TokensShown:
    """Which of T tokens are drawn and which count in the measures, as masks [T]; what word each is of."""

    shown: NDArray[np.bool_]
    counted: NDArray[np.bool_]
    is_removed: bool
    words: NDArray[np.int32]
    n_queries: dict[MeasureKey, int]

    @classmethod
    def of(cls, numbers: AttentionNumbers, stamp: Stamp) -> _TokensShown:
        tokens = numbers.trace.tokens
        shown, is_removed = stamp.included(tokens), stamp.special_tokens == "removed"
        counted = shown if is_removed else np.ones(len(shown), bool)
        words = word_numbers(tokens)
        n_queries = {one.key: one.n_queries(words, counted) for one in MEASURES}
        return cls(shown, counted, is_removed, words, n_queries)


def _read_layer(
    numbers: AttentionNumbers,
    layer: int,
    tokens: _TokensShown,
    block: int,
    totals: dict[MeasureKey, NDArray[np.float64]],
    check: Callable[[], None] | None,
) -> Floats:
    """Return the thumbnails [H, size, size] of a layer; add its rows' share of each measure to `totals`."""
    trace, shown, counted = numbers.trace, tokens.shown, tokens.counted
    at_once = max(1, _CELLS_AT_ONCE // (numbers.n_heads * trace.n_tokens))
    n_shown = int(shown.sum())
    thumbnails = np.zeros((numbers.n_heads, n_shown, -(-n_shown // block)), np.float32)
    for first in range(0, trace.n_tokens, at_once):
        if check is not None:
            check()
        rows = slice(first, min(trace.n_tokens, first + at_once))
        found = numbers.rows(layer, rows)
        shares = rescaled(found, counted)
        shares[:, ~counted[rows]] = 0
        drawn = (shares if tokens.is_removed else found)[:, shown[rows]][:, :, shown]
        start = int(shown[:first].sum())
        thumbnails[:, start : start + drawn.shape[1]] = area_maximum(drawn, (1, block))
        logarithms = np.log(shares, out=np.full_like(shares, _LOWEST), where=shares > 0)
        block_of_rows = RowBlock(shares, logarithms, RowPlaces.of(trace.tokens, tokens.words, rows))
        for measure in MEASURES:
            if tokens.n_queries[measure.key]:
                totals[measure.key] += measure.total(block_of_rows)
    return area_maximum(thumbnails, (block, 1))
