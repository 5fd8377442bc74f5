"""What a picture needs of a whole matrix: read in blocks of rows, those of a large one by several threads."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from bertviz_app.inference.warmup import n_processors
from bertviz_app.types import Check, Floats
from bertviz_app.viewmodels.heads.head_sources import PictureSource

MOST_LINES = 60_000

N_SAMPLED = 256
"""At most so many queries are in a sample of a matrix."""

_SAMPLED_AT_ONCE = 16  # queries
_CELLS_AT_ONCE = 1 << 22  # 16 MB of float32: a matrix that is not larger is computed once
_CELLS_OF_BLOCK = 1 << 18  # 1 MB: of a larger one a block is found in the processor's own cache

Lines = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]
"""Queries, keys and weights of lines, of equal length."""

_Made = TypeVar("_Made")


@dataclass(frozen=True, eq=False)
class MatrixSums:
    """The largest number, and where it is; the strongest key of each row, the sums of rows and of columns."""

    largest: float
    strongest: tuple[int, int]
    maxima: NDArray[np.int32]  # [queries], -1 for a row of zeros, which has none
    row_sums: Floats  # [queries]
    column_sums: Floats  # [keys]


class MatrixReading:
    """Reads what `source` holds a block of rows at a time; `check` is called for each block.

    Keys that no query of a block may attend to are left out: they are 0.
    """

    def __init__(self, source: PictureSource, check: Check) -> None:
        self._source, self._check = source, check
        self.n_queries, self.n_keys = source.token_order.counts
        is_small = self.n_queries * self.n_keys <= _CELLS_AT_ONCE
        self._only = source.rows(0, self.n_queries) if is_small else None
        at_once = self.n_queries if is_small else max(1, min(_CELLS_OF_BLOCK, _CELLS_AT_ONCE) // self.n_keys)
        ends = (*range(0, self.n_queries, max(1, at_once)), self.n_queries)
        self._blocks = list(itertools.pairwise(ends))

    def sample(self) -> tuple[int, Floats]:
        """Return one row of each block of 2^n rows [r, keys], and n: at most N_SAMPLED of either side."""
        number = ((max(self.n_queries, self.n_keys) - 1) // N_SAMPLED).bit_length()
        block = 1 << number
        middles = np.arange(block // 2, self.n_queries + block // 2, block)
        queries = np.minimum(middles, self.n_queries - 1)  # the last block may be partly filled

        def read(first: int, last: int) -> Floats:
            return self._source.scattered_rows(queries[first:last])

        ends = (*range(0, len(queries), _SAMPLED_AT_ONCE), len(queries))
        return number, np.concatenate(list(self._each(read, list(itertools.pairwise(ends)))))

    def sums(self) -> MatrixSums:
        """Return the sums and the largest numbers, without their signs."""
        maxima, row_sums = np.empty(self.n_queries, np.int32), np.empty(self.n_queries, np.float32)
        column_sums = np.zeros(self.n_keys, np.float64)
        tops: list[tuple[float, int, int]] = []
        is_signed = self._source.quantity.is_signed

        def count(first: int, last: int) -> tuple[slice, NDArray[np.float64]]:
            weights, keys = self._block(first, last)
            sizes = np.abs(np.nan_to_num(weights)) if is_signed else weights
            at = sizes.argmax(1)
            largest = sizes[np.arange(len(at)), at]
            maxima[first:last] = np.where(largest > 0, at + keys.start, -1)
            row_sums[first:last] = np.nansum(weights, 1) if is_signed else weights.sum(1)
            row = int(largest.argmax())
            tops.append((float(largest[row]), first + row, int(at[row]) + keys.start))
            return keys, (np.nansum if is_signed else np.sum)(weights, 0, dtype=np.float64)

        for keys, sums in self._each(count, self._blocks):
            column_sums[keys] += sums
        # Of equal ones the first, whichever thread was faster.
        largest, query, key = max(tops, key=lambda top: (top[0], -top[1]))
        return MatrixSums(largest, (query, key), maxima, row_sums, column_sums.astype(np.float32))

    def levels(
        self, quantised: Callable[[Floats], NDArray[np.uint8]], least: float
    ) -> tuple[NDArray[np.uint8], Lines]:
        """Return all numbers as `quantised` makes them levels, 0 staying 0, and the lines from `least` on.

        At most the MOST_LINES strongest of these, weakest first.
        """
        is_dense = all(keys == slice(0, self.n_keys) for keys in self._keys())
        # Pages of zeros that are never written take no memory.
        level = (np.empty if is_dense else np.zeros)((self.n_queries, self.n_keys), np.uint8)

        def draw(first: int, last: int) -> Lines:
            weights, keys = self._block(first, last)
            level[first:last, keys] = quantised(weights)
            return _lines(weights, first, keys.start, least)

        lines: list[Lines] = []
        n_lines = 0
        for found in self._each(draw, self._blocks):
            lines.append(found)
            n_lines += len(found[0])
            if n_lines > 4 * MOST_LINES:  # otherwise those of a long text would fill the memory
                lines = [_strongest(lines)]
                n_lines = len(lines[0][0])
        return level, _strongest(lines)

    def _keys(self) -> Iterator[slice]:
        return (self._source.near(*block) for block in self._blocks)

    def _block(self, first: int, last: int) -> tuple[Floats, slice]:
        """Return the numbers of some queries, and the keys that these are of."""
        keys = self._source.near(first, last)
        rows = self._source.rows(first, last) if self._only is None else self._only
        return rows[:, keys], keys

    def _each(self, work: Callable[[int, int], _Made], blocks: Sequence[tuple[int, int]]) -> Iterator[_Made]:
        """Return what `work` makes of each block, in their order; an error ends the work on all of them."""
        if len(blocks) == 1:
            self._check()
            yield work(*blocks[0])
            return
        pool = ThreadPoolExecutor(n_processors())
        try:
            results = pool.map(work, *zip(*blocks, strict=True))
            for _ in blocks:
                self._check()
                yield next(results)
        finally:
            pool.shutdown(cancel_futures=True)


def _lines(weights: Floats, first: int, first_key: int, least: float) -> Lines:
    flat = np.flatnonzero(np.abs(weights) >= least)
    queries, keys = np.divmod(flat, weights.shape[1])
    found = weights[queries, keys]
    return (queries + first).astype(np.int32), (keys + first_key).astype(np.int32), found


def _strongest(lines: list[Lines]) -> Lines:
    queries, keys, weights = (np.concatenate(arrays) for arrays in zip(*lines, strict=True))
    order = np.argsort(np.abs(weights), kind="stable")[-MOST_LINES:]
    return queries[order], keys[order], weights[order]
