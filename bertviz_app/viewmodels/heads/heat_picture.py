"""`HeatPicture`: numbers in rows and columns made ready for drawing in colours about zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertviz_app.types import Check, Floats

Levels = NDArray[np.int8]

FULL = 127
"""The level of a number at its row's limit or beyond; -FULL at the limit below zero."""

GAP = -128
"""The level of nan: there is no number."""

_COARSEST = 64
_CELLS_AT_ONCE = 1 << 21


@dataclass(frozen=True, eq=False)
class HeatPicture:
    """Numbers [R, C] in colours: `values` themselves, exact; nan where there is none.

    `limits` [R]: what full colour stands for in each row. `levels`: int8 extremes, level n over blocks of
    2^n x 2^n cells: the number farthest from zero decides, so that one bright cell among many is seen.
    `goes_beyond`: a number lies beyond its row's limit, and has the limit's colour.
    """

    values: Floats
    limits: Floats
    levels: tuple[Levels, ...]
    goes_beyond: bool

    @property
    def shape(self) -> tuple[int, int]:
        n_rows, n_columns = self.values.shape
        return n_rows, n_columns

    @property
    def limit(self) -> float | None:
        """What full colour stands for, None where each row has its own."""
        first = float(self.limits[0]) if len(self.limits) else 1.0
        return first if bool((self.limits == self.limits[:1]).all()) else None


def heat_picture(values: Floats, limits: Floats | float, check: Check = lambda: None) -> HeatPicture:
    """Return the picture of `values` [R, C]; `limits` (> 0) is one for all rows, or one for each."""
    of_rows = np.broadcast_to(np.asarray(limits, np.float32), len(values)).copy()
    finest = np.empty(values.shape, np.int8)
    at_once = max(1, _CELLS_AT_ONCE // max(1, values.shape[1]))
    goes_beyond = False
    for first in range(0, len(values), at_once):
        check()
        rows = slice(first, first + at_once)
        shares = values[rows] / of_rows[rows, None]
        is_gap = np.isnan(shares)
        shares[is_gap] = 0
        # Dividing may round a number at the limit to a little more than 1.
        goes_beyond = goes_beyond or bool((np.abs(shares) > 1.000001).any())
        finest[rows] = np.where(is_gap, GAP, np.rint(np.clip(shares, -1, 1) * FULL))
    levels = [finest]
    while max(levels[-1].shape) > _COARSEST:
        check()
        levels.append(extremes(levels[-1], 2, 2))
    return HeatPicture(values, of_rows, tuple(levels), goes_beyond)


def extremes(level: Levels, rows: int, columns: int) -> Levels:
    """Return of each block of `rows` x `columns` cells the level farthest from zero; gaps count as such."""
    highest = _reduced(level, rows, columns, np.maximum)
    lowest = _reduced(level, rows, columns, np.minimum)
    # In 16 bits: the gap has no opposite in 8.
    return np.where(-lowest.astype(np.int16) > highest, lowest, highest).astype(np.int8)


def _reduced(level: Levels, rows: int, columns: int, reduce: np.ufunc) -> Levels:
    if rows > 1:
        level = reduce.reduceat(level, np.arange(0, level.shape[0], rows), axis=0)
    if columns > 1:
        level = reduce.reduceat(level, np.arange(0, level.shape[1], columns), axis=1)
    return level


def usual_size(values: Floats) -> float:
    """Return the size that 99 % of `values` do not exceed; a few outliers must not pale all others.

    Some dimensions of BERT's hidden states are many times larger than the rest (Kovaleva et al. 2021,
    arXiv:2105.06990). nan is left out; 1 where all is zero.
    """
    sizes = np.abs(values[~np.isnan(values)])
    if not len(sizes):
        return 1.0
    place = int(0.99 * (len(sizes) - 1))
    usual = float(np.partition(sizes, place)[place])
    return usual or float(sizes.max()) or 1.0


def visible_levels(
    picture: HeatPicture, pitches: tuple[float, float], rows: range, columns: range
) -> tuple[Levels, tuple[int, int]]:
    """Return the levels to draw of `rows` x `columns`, no texel smaller than a pixel, and the cells
    (down, across) in a texel.

    `pitches`: the pixels of a cell, down and across. The first texel begins at a multiple of its cells
    at or before the first row and column.
    """
    blocks = [max(1, int(np.ceil(1 / max(pitch, 1e-9) - 1e-9))) for pitch in pitches]
    exponent = min(len(picture.levels) - 1, min(blocks).bit_length() - 1)
    level, size = picture.levels[exponent], 1 << exponent
    down, across = (-(-block // size) for block in blocks)
    step_down, step_across = down * size, across * size
    first, left = rows.start // step_down * down, columns.start // step_across * across
    part = level[first : -(-rows.stop // size), left : -(-columns.stop // size)]
    return extremes(part, down, across) if down > 1 or across > 1 else part, (step_down, step_across)
