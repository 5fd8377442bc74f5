"""The overview of all heads by any numbers of attention; of a long text layer by layer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor

import numpy as np

from bertviz_app.analysis.attention.stamp import (
    WEIGHTS,
    AttentionNumbers,
    BlockPositions,
    RowBlock,
    Stamp,
    rescaled,
    sinks_in_layer,
)
from bertviz_app.analysis.measures import (
    KEYS,
    LOWEST,
    HeadOverview,
    MeasureKey,
    Sample,
    add_totals,
    head_overview,
    means_of,
    n_queries_of,
    rescaled_weights,
)
from bertviz_app.errors import Check
from bertviz_app.text.tokens import word_numbers
from bertviz_app.trace import Trace
from bertviz_app.trace.arrays import WeightsTrace
from bertviz_app.trace.bias import reach_of
from bertviz_app.trace.indexing import area_maximum, pooled_size
from bertviz_app.trace.memory import release_pages
from bertviz_app.types import Floats, Indices, Ints
from bertviz_app.values import replace

LONG = 1024
"""The overview of a text of more tokens is computed a layer at a time."""

N_SAMPLED = 256
"""About this many queries of each head are drawn before its layer is computed."""

CELLS_AT_ONCE = 1 << 18
"""Weights per block, 1 MB of float32: all passes over a block find it in the processor's own cache."""

SAMPLED_AT_ONCE = 32
"""Queries of a sample per block; with fewer the keys of a head would be read more often."""


class LayeredOverview:
    """Computes the overview of `trace` layer by layer, in any order, in blocks of rows.

    Of a layer with a local window only the window is computed. `sample` and `finish` call `check` between
    blocks, on any thread, which may raise Cancelled; a later call continues after the last complete block.
    Only one thread may call them at a time; they compute the heads of a layer on `n_threads` threads, and
    of layers with a window a layer on each.
    """

    def __init__(self, trace: Trace, cell: int = 64, n_threads: int = 1) -> None:
        self.trace = trace
        self._n_threads = n_threads
        self._size, self._block = pooled_size(trace.n_tokens, cell)
        self._pictures = np.zeros((trace.n_layers, trace.n_heads, self._size, self._size), np.float32)
        words, every = word_numbers(trace.tokens), np.ones(trace.n_tokens, bool)
        self._n_queries = n_queries_of(trace, words, every)
        self._layers = [_LayerSums(trace, layer, words, self._n_queries) for layer in range(trace.n_layers)]
        self._sinks = np.zeros((trace.n_layers, trace.n_tokens), bool)
        self._sampled = sampled_positions(trace.n_tokens, self._block, self._size)

    @property
    def missing(self) -> tuple[int, ...]:
        """The layers that are not computed yet."""
        return tuple(number for number, layer in enumerate(self._layers) if not layer.is_done)

    def sample(self, check: Check) -> None:
        """Compute the layers with a window; of the others draw the pictures from about N_SAMPLED queries."""
        every = range(self.trace.n_layers)
        local = [layer for layer in every if reach_of(self.trace.bias, layer) is not None]
        with ThreadPoolExecutor(self._n_threads) as pool:
            _wait_for(pool.map(lambda layer: self._finish(layer, pool, check), local))
            for layer in every:
                if layer not in local:
                    self._draw_sample(layer, pool, check)

    def finish(self, layer: int, check: Check) -> None:
        """Compute a layer, or what is left of it if that was cancelled before."""
        with ThreadPoolExecutor(self._n_threads) as pool:
            self._finish(layer, pool, check)

    def _finish(self, layer: int, pool: Executor, check: Check) -> None:
        sums = self._layers[layer]
        sums.finish(self._size, self._block, pool, check)
        self._pictures[layer] = sums.pictures
        self._pictures[~self.trace.present] = 0
        if self.trace.has_states:
            self._sinks[layer] = sinks_in_layer(self.trace.values[layer], sums.received.sum(0))
            release_pages(self.trace.values)

    def overview(self) -> HeadOverview:
        """Return the overview as far as it is computed."""
        trace, layers = self.trace, self._layers
        sums = {key: np.stack([layer.sums[key] for layer in layers]) for key in KEYS}
        is_missing = np.array([not layer.is_done for layer in layers])
        return HeadOverview(
            self._pictures.copy(),
            means_of(sums, self._n_queries, trace, is_missing),
            float(np.max([layer.row_errors.max() for layer in layers])),
            trace.tokens.special_names,
            self._n_queries,
            trace.n_tokens,
            sinks=self._sinks.copy() if trace.has_states else None,
            sample=Sample(self._sampled.size, is_missing) if is_missing.any() else None,
            dtype=trace.provenance.dtype,
        )

    def _draw_sample(self, layer: int, pool: Executor, check: Check) -> None:
        """Draw the pictures of the sampled queries of a layer without a window."""
        at_once = max(1, SAMPLED_AT_ONCE // self._sampled.shape[1])
        for first in range(0, self._size, at_once):
            check()
            rows = self._sampled[first : first + at_once]

            def draw(head: int, first: int = first, rows: Indices = rows) -> None:
                weights = self.trace.attention(layer, head, rows.ravel())
                tops = area_maximum(weights, (1, self._block)).reshape(*rows.shape, -1)
                self._pictures[layer, head, first : first + at_once] = tops.max(1)

            _wait_for(pool.map(draw, self.trace.heads_of(layer)))


def is_long(trace: Trace) -> bool:
    """Return whether the overview of a run is computed a layer at a time.

    That of cross-attention is not: its weights are in memory as they were given.
    """
    return trace.n_tokens > LONG and not trace.is_cross


def overview_of_weights(
    trace: Trace, cell: int = 64, check: Callable[[], None] | None = None, n_threads: int = 1
) -> HeadOverview:
    """Return what `head_overview` does, of a long text without all heads of a layer in memory at once."""
    if not is_long(trace):
        return head_overview(trace, cell, check, n_threads)
    layered = LayeredOverview(trace, cell, n_threads)
    for layer in layered.missing:
        layered.finish(layer, check or (lambda: None))
    return layered.overview()


class _LayerSums:
    """The sums and the pictures of one layer so far: those of its first `_done` queries."""

    def __init__(self, trace: Trace, layer: int, words: Ints, n_queries: dict[MeasureKey, int]) -> None:
        self._trace, self._layer, self._words, self._n_queries = trace, layer, words, n_queries
        self._reach = reach_of(trace.bias, layer)
        self.pictures = np.zeros((0, 0, 0), np.float32)
        self.sums = {key: np.zeros(trace.n_heads, np.float64) for key in KEYS}
        self.received = np.zeros((trace.n_heads, trace.n_tokens), np.float32)
        self.row_errors = np.zeros(trace.n_heads, np.float32)
        self._done = 0

    @property
    def is_done(self) -> bool:
        """Whether all queries are counted."""
        return self._done == self._trace.n_tokens

    def finish(self, size: int, block: int, pool: Executor, check: Check) -> None:
        """Add the queries that are left; a side of the pictures has `size` cells of `block` tokens each."""
        trace = self._trace
        reach = self._reach
        if self._done == 0:
            self.pictures = np.zeros((trace.n_heads, size, size), np.float32)
        at_once = max(1, min(block, CELLS_AT_ONCE // trace.n_tokens))
        if reach is not None:  # all heads at once, in parts of equal height
            n_parts = -(-trace.n_heads * block * (2 * reach + block) // CELLS_AT_ONCE)
            at_once = -(-block // n_parts)
        while not self.is_done:
            check()
            end = min(self._done + at_once, (self._done // block + 1) * block, trace.n_tokens)
            keys = range(trace.n_tokens)
            if reach is not None:
                keys = range(max(0, self._done - reach), min(trace.n_tokens, end + reach))
            self._count(BlockPositions(trace.tokens, self._words, range(self._done, end), keys), block, pool)
            self._done = end

    def _count(self, positions: BlockPositions, block: int, pool: Executor) -> None:
        """Count the queries of `positions`, all of which lie in one row of cells of the pictures."""
        first = positions.keys.start // block
        # The columns at which the cells of the keys begin; the first cell may begin before the first key.
        starts = np.maximum(np.arange(first * block, positions.keys.stop, block) - positions.keys.start, 0)
        cells = positions.queries.start // block, slice(first, first + len(starts))

        def count(head: int | None) -> None:
            heads = slice(None) if head is None else slice(head, head + 1)
            rows = self._rows(positions, head, heads)
            drawn = self.pictures[heads, *cells]
            np.maximum(drawn, np.maximum.reduceat(rows.weights.max(1), starts, axis=-1), out=drawn)
            add_totals(self.sums, heads, rows, self._n_queries)
            self.received[heads, positions.keys.start : positions.keys.stop] += rows.weights.sum(1)

        if self._reach is not None:
            # The window is so small that the cost of a call for each head would outweigh its arithmetic.
            count(None)
        else:
            _wait_for(pool.map(count, self._trace.heads_of(self._layer)))

    def _rows(self, positions: BlockPositions, head: int | None, heads: slice) -> RowBlock:
        """Return the weights [H, r, K] of a head, or of all, and their logarithms."""
        trace = self._trace
        rows, keys = (slice(one.start, one.stop) for one in (positions.queries, positions.keys))
        if isinstance(trace, WeightsTrace):
            weights = trace.rows_of(self._layer, heads, rows)
            return RowBlock(weights, np.log(np.maximum(weights, np.finfo(np.float32).tiny)), positions)
        scores = trace.scores(self._layer, head, rows, keys)
        scores = scores if head is None else scores[None]
        scores -= trace.lse[self._layer, heads, rows, None]
        weights, logarithms, total = rescaled_weights(trace, self._layer, scores, head, rows, keys)
        self.row_errors[heads] = np.maximum(self.row_errors[heads], np.abs(total - 1).max((1, 2)))
        return RowBlock(weights, logarithms, positions)


def sampled_positions(n_tokens: int, block: int, size: int) -> Indices:
    """Return positions [size, n] of queries, n in each row of cells of the pictures, evenly spaced there."""
    n_each = min(block, max(1, N_SAMPLED // size))
    within = (2 * np.arange(n_each) + 1) * block // (2 * n_each)
    positions = np.arange(size)[:, None] * block + within
    found: Indices = np.minimum(positions, n_tokens - 1)  # the last row of cells may be partly filled
    return found


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

    `cell`: the most pixels that a side of a thumbnail has. `check` is called between blocks of rows, on any
    thread; it may raise Cancelled. `n_threads` layers of weights are computed at a time; it does not change
    the numbers. The first axis but one, of heads, is 1 where all heads of a layer have one matrix.
    """
    plain = overview_of_weights(numbers.trace, cell, check, n_threads)
    if stamp == WEIGHTS:
        return plain
    read = _StampedLayers(numbers, stamp, cell)
    with ThreadPoolExecutor(n_threads) as pool:
        for layer in read.layers:
            layer.finish(pool, check or (lambda: None))
    return read.shown_in(plain)


class StampedOverview(LayeredOverview):
    """Computes what `overview_of` returns for a long text layer by layer, in any order, after a sample.

    It computes the weights of a layer too, which alone show wrong sums of rows and attention sinks.
    """

    def __init__(self, numbers: AttentionNumbers, stamp: Stamp, cell: int = 64, n_threads: int = 1) -> None:
        super().__init__(numbers.trace, cell, n_threads)
        self._read = _StampedLayers(numbers, stamp, cell)

    @property
    def missing(self) -> tuple[int, ...]:
        """The layers that are not computed yet."""
        read = {number for number, layer in enumerate(self._read.layers) if not layer.is_done}
        return tuple(sorted(read.union(super().missing)))

    def sample(self, check: Check) -> None:
        """Draw the pictures of all layers of about N_SAMPLED queries."""
        with ThreadPoolExecutor(self._n_threads) as pool:
            for layer in self._read.layers:
                layer.draw_sample(pool, check)

    def overview(self) -> HeadOverview:
        return self._read.shown_in(super().overview())

    def _finish(self, layer: int, pool: Executor, check: Check) -> None:
        super()._finish(layer, pool, check)
        self._read.layers[layer].finish(pool, check)


class _TokensShown:
    """Which of T tokens are drawn and which count in the measures, as masks [T], and the word of each.

    Those of the keys, [K], are the same ones but in cross-attention.
    """

    def __init__(self, trace: Trace, stamp: Stamp) -> None:
        self.is_removed = stamp.special_tokens == "removed"
        self.shown, self.shown_keys = stamp.included(trace.tokens), stamp.included(trace.key_tokens)
        self.counted, self.counted_keys = (
            side if self.is_removed else np.ones(len(side), bool) for side in (self.shown, self.shown_keys)
        )
        self.words = word_numbers(trace.tokens)
        self.n_queries = n_queries_of(trace, self.words, self.counted)


class _StampedLayers:
    """The thumbnails and the sums of the measures of all layers, of the numbers and tokens of `stamp`."""

    def __init__(self, numbers: AttentionNumbers, stamp: Stamp, cell: int) -> None:
        self._stamp, self._tokens = stamp, _TokensShown(numbers.trace, stamp)
        self._trace = numbers.trace
        self.layers = [
            _StampedLayer(numbers, layer, self._tokens, cell) for layer in range(numbers.trace.n_layers)
        ]

    def shown_in(self, plain: HeadOverview) -> HeadOverview:
        """Return `plain`, the overview of the weights, with these numbers as far as they are computed."""
        layers, n_queries = self.layers, self._tokens.n_queries
        sums = {key: np.stack([one.sums[key] for one in layers]) for key in KEYS}
        is_missing = np.array([not layer.is_done for layer in layers])
        sample = None
        if is_missing.any():
            is_missing |= plain.sample.layers if plain.sample is not None else False
            sample = Sample(layers[0].sampled.size, is_missing)
        return replace(
            plain,
            pictures=np.stack([layer.pictures for layer in layers]),
            measures=means_of(sums, n_queries, self._trace, is_missing),
            n_queries=n_queries,
            stamp=self._stamp,
            sample=sample or plain.sample,
        )


class _StampedLayer:
    """The sums and the pictures of one layer so far: those of its first `_done` queries."""

    def __init__(self, numbers: AttentionNumbers, layer: int, tokens: _TokensShown, cell: int) -> None:
        self._numbers, self._layer, self._tokens = numbers, layer, tokens
        heads = numbers.trace.heads_of(layer)
        self._heads = [head for head in range(numbers.n_heads) if head in heads or not numbers.has_heads]
        size, tall = pooled_size(int(tokens.shown.sum()), cell)
        n_columns, wide = pooled_size(int(tokens.shown_keys.sum()), cell)
        self._block = tall, wide
        self.pictures = np.zeros((numbers.n_heads, size, n_columns), np.float32)
        self.sums = {key: np.zeros(numbers.n_heads, np.float64) for key in KEYS}
        self.sampled = sampled_positions(int(tokens.shown.sum()), tall, size)
        self._done = 0

    @property
    def is_done(self) -> bool:
        """Whether all queries are counted."""
        return self._done == self._numbers.trace.n_tokens

    def draw_sample(self, pool: Executor, check: Check) -> None:
        """Draw the pictures of the sampled queries."""
        queries = np.flatnonzero(self._tokens.shown)[self.sampled]  # [size, n]
        at_once = max(1, SAMPLED_AT_ONCE // queries.shape[1])

        def draw(head: int) -> None:
            for first in range(0, len(queries), at_once):
                check()
                rows = queries[first : first + at_once]
                found = self._numbers.matrix(self._layer, head).rows(rows.ravel())
                if self._tokens.is_removed:
                    found = rescaled(found, self._tokens.counted_keys)
                tops = area_maximum(found[:, self._tokens.shown_keys], (1, self._block[1]))
                self.pictures[head, first : first + at_once] = tops.reshape(*rows.shape, -1).max(1)

        _wait_for(pool.map(draw, self._heads))

    def finish(self, pool: Executor, check: Check) -> None:
        """Add the queries that are left."""
        trace, n_heads = self._numbers.trace, len(self._heads)
        if self._done == 0:
            self.pictures = np.zeros_like(self.pictures)
        # All heads of a short text are computed in one call: the cost of a call outweighs its arithmetic.
        together = n_heads * trace.n_tokens * trace.n_keys <= CELLS_AT_ONCE
        groups = [self._heads] if together else [[head] for head in self._heads]
        at_once = trace.n_tokens if together else max(1, CELLS_AT_ONCE // trace.n_keys)
        reach = reach_of(trace.bias, self._layer) if self._numbers.has_heads else None
        while not self.is_done:
            check()
            end, keys = min(self._done + at_once, trace.n_tokens), range(trace.n_keys)
            if reach is not None:
                keys = range(max(0, self._done - reach), min(trace.n_tokens, end + reach))
            positions = BlockPositions(trace.tokens, self._tokens.words, range(self._done, end), keys)
            if together:
                self._count(self._heads, positions)
            else:
                _wait_for(pool.map(lambda heads, at=positions: self._count(heads, at), groups))
            self._done = end

    def _count(self, heads: list[int], positions: BlockPositions) -> None:
        """Add the queries of `positions`, of one head or of all, to the sums and the pictures."""
        rows, keys = (slice(one.start, one.stop) for one in (positions.queries, positions.keys))
        numbers, tokens = self._numbers, self._tokens
        if heads is self._heads:
            found = numbers.rows(self._layer, rows)[heads][:, :, keys]  # [H, r, K]
        else:
            found = numbers.matrix(self._layer, *heads).rows(rows)[None, :, keys]  # [1, r, K]
        shares = rescaled(found, tokens.counted_keys[keys])
        shares[:, ~tokens.counted[rows]] = 0
        self._draw(heads, shares if tokens.is_removed else found, rows, keys)
        logarithms = np.log(shares, out=np.full_like(shares, LOWEST), where=shares > 0)
        add_totals(self.sums, heads, RowBlock(shares, logarithms, positions), tokens.n_queries)

    def _draw(self, heads: list[int], found: Floats, rows: slice, keys: slice) -> None:
        """Put the numbers `found` [H, r, K] into the pictures, those of the tokens that are shown."""
        sides = self._tokens.shown, self._tokens.shown_keys
        drawn = found[:, sides[0][rows]][:, :, sides[1][keys]]
        if 0 in drawn.shape:
            return
        # How many are shown before these.
        row, key = (int(side[: at.start].sum()) for side, at in zip(sides, (rows, keys), strict=True))
        tall, wide = self._block
        # The first block of each side may have begun in earlier rows or columns.
        above, before = row % tall, key % wide
        if above or before:
            drawn = np.pad(drawn, ((0, 0), (above, 0), (before, 0)))
        tops = area_maximum(drawn, self._block)
        row, key = row // tall, key // wide
        at = heads, slice(row, row + tops.shape[1]), slice(key, key + tops.shape[2])
        self.pictures[at] = np.maximum(self.pictures[at], tops)


def _wait_for(results: Iterator[None]) -> None:
    """Wait for all results of a pool; raises what one of its threads raised."""
    for _ in results:
        pass
