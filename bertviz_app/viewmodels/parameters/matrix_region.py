"""`Matrix`: a matrix of a checkpoint, or the difference of two, and the colours of the part in sight.

A table of embeddings has tens of millions of numbers: its colours are computed for the pixels on screen only.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bertviz_app.types import Check, Floats
from bertviz_app.viewmodels.pyramid import Levels, signed_levels

_CELLS_AT_ONCE = 1 << 21
_SAMPLED = 1 << 18


@dataclass(frozen=True)
class Region:
    """Rows and columns, [first, last) of each, and the pixels that they are drawn into."""

    rows: tuple[int, int]
    columns: tuple[int, int]
    height: int
    width: int

    @property
    def steps(self) -> tuple[int, int]:
        """The rows and columns of cells that share a pixel."""
        n_rows, n_columns = self.rows[1] - self.rows[0], self.columns[1] - self.columns[0]
        return -(-n_rows // max(1, self.height)), -(-n_columns // max(1, self.width))

    def block_at(self, row: int, column: int) -> tuple[slice, slice]:
        """Return the cells that share a pixel with this one; at the ends there are fewer."""
        sides = zip((row, column), (self.rows, self.columns), self.steps, strict=True)
        down, across = (
            slice(at := first + (index - first) // step * step, min(at + step, last))
            for index, (first, last), step in sides
        )
        return down, across


@dataclass(frozen=True, eq=False)
class RegionPicture:
    """The signed levels [r, c] of a region, as in a `Pyramid`: each that of the largest cell in a block."""

    region: Region
    levels: Levels


@dataclass(frozen=True, eq=False)
class Matrix:
    """The numbers of a parameter as rows and columns; a vector is one row.

    `arrays`: one, or two whose difference is shown; they share the memory of their models. `limit`: what full
    colour stands for, the size that 99 of 100 numbers do not exceed. `lowest`, `highest`: of all numbers.
    """

    arrays: tuple[Floats, ...]
    limit: float
    lowest: float
    highest: float

    @property
    def shape(self) -> tuple[int, int]:
        n_rows, n_columns = self.arrays[0].shape
        return n_rows, n_columns

    @property
    def goes_beyond(self) -> bool:
        """Whether numbers are larger than what full colour stands for."""
        return max(-self.lowest, self.highest) > self.limit

    @property
    def n_bytes(self) -> int:
        return 0

    def value(self, row: int, column: int) -> np.float32:
        """Return one number, exact."""
        first, *others = (array[row, column] for array in self.arrays)
        number: np.float32 = first - others[0] if others else first
        return number

    def block(self, rows: slice, columns: slice) -> Floats:
        """Return the numbers of a part."""
        first, *others = (array[rows, columns] for array in self.arrays)
        part: Floats = first - others[0] if others else first
        return part


def matrix_of(arrays: tuple[Floats, ...], check: Check = lambda: None) -> Matrix:
    """Return the matrix of one parameter, or of the difference of two of one shape."""
    flat = tuple(_as_rows(array) for array in arrays)
    matrix = Matrix(flat, 1.0, 0.0, 0.0)
    n_rows, n_columns = matrix.shape
    lows, highs, samples = [], [], []
    step = max(1, n_rows * n_columns // _SAMPLED)
    at_once = max(1, _CELLS_AT_ONCE // n_columns)
    for first in range(0, n_rows, at_once):
        check()
        block = matrix.block(slice(first, first + at_once), slice(None))
        lows.append(float(block.min()))
        highs.append(float(block.max()))
        samples.append(np.abs(block).reshape(-1)[::step])
    return Matrix(flat, _usual(np.concatenate(samples), max(-min(lows), max(highs))), min(lows), max(highs))


def region_picture(matrix: Matrix, region: Region, check: Check = lambda: None) -> RegionPicture:
    """Return the levels of a region; of many cells in one pixel it has that of the one farthest from zero."""
    down, across = region.steps
    (first, last), columns = region.rows, slice(*region.columns)
    n_columns = region.columns[1] - region.columns[0]
    levels = np.empty((-(-(last - first) // down), -(-n_columns // across)), np.uint8)
    at_once = max(1, _CELLS_AT_ONCE // (n_columns * down))
    for start in range(0, len(levels), at_once):
        check()
        rows = slice(first + start * down, min(first + (start + at_once) * down, last))
        found = _farthest(_farthest(matrix.block(rows, columns), down).T, across).T
        levels[start : start + at_once] = signed_levels(np.clip(found / matrix.limit, -1, 1))
    return RegionPicture(region, levels)


def _as_rows(array: Floats) -> Floats:
    """Return a vector as one row, and the weights of a convolution [out, in, n] as [out, in * n]."""
    return array[None] if array.ndim < 2 else array.reshape(len(array), -1)


def _farthest(block: Floats, step: int) -> Floats:
    """Return, for each `step` rows and for those left over, the number of each column farthest from zero."""
    if step == 1:
        return block
    whole = len(block) // step * step
    rows = block[:whole].reshape(-1, step, block.shape[1])
    parts = [_extreme(rows, 1)] + ([_extreme(block[None, whole:], 1)] if whole < len(block) else [])
    return np.concatenate(parts)


def _extreme(block: Floats, axis: int) -> Floats:
    highest, lowest = block.max(axis), block.min(axis)
    found: Floats = np.where(highest >= -lowest, highest, lowest)
    return found


def _usual(sizes: Floats, largest: float) -> float:
    index = int(0.99 * (len(sizes) - 1))
    return float(np.partition(sizes, index)[index]) or largest or 1.0
