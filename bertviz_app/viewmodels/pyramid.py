"""`Pyramid`: the colours of a table of cells at several resolutions, in which no bright cell is lost."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertviz_app.trace.indexing import area_maximum
from bertviz_app.viewmodels.viewport import TokenSpan

Levels = NDArray[np.uint8]

ZERO = 128
"""The signed level of zero; 255 is full colour above zero, 1 below."""

FULL = 127
"""The number of signed levels between zero and full colour."""

GAP = 0
"""The signed level of a cell that has no number."""

_COARSEST = 16  # a small panel of a long text still has a level without cells below a pixel
_ROUNDING = 1e-9


@dataclass(frozen=True, eq=False)
class Texels:
    """The levels [r, c] of a part of a table, each one texel of an image.

    The image covers the cells of `rows` and `columns`, all its texels alike.
    """

    levels: Levels
    rows: TokenSpan
    columns: TokenSpan


@dataclass(frozen=True, eq=False)
class Pyramid:
    """The levels of cells [R, C]: uint8, places in a table of 256 colours.

    `levels[n]` has of each block of 2^(first + n) cells a side the one farthest from zero: `first` is 0 where
    every cell has a level. Unsigned levels reach from 0 (zero) to 255 (full colour); signed ones from 1 to
    255 about ZERO, and a block is a GAP where all its cells are. `shape`: the numbers of rows and columns.
    """

    levels: tuple[Levels, ...]
    is_signed: bool
    shape: tuple[int, int]
    first: int = 0

    def level(self, row: int, column: int) -> int:
        """Return the level of a cell, or of the smallest block that holds it."""
        return int(self.levels[0][row >> self.first, column >> self.first])

    @property
    def n_bytes(self) -> int:
        """The memory that all levels take."""
        return sum(level.nbytes for level in self.levels)

    def texels(self, rows: TokenSpan, columns: TokenSpan, pitches: tuple[float, float]) -> Texels:
        """Return the texels of the cells in sight, none of them smaller than a pixel.

        `pitches`: the pixels of a row and of a column. What nearest sampling would skip is kept by the
        maxima of the level.
        """
        sides = [
            _Side(count, span, pitch)
            for count, span, pitch in zip(self.shape, (rows, columns), pitches, strict=True)
        ]
        last = self.first + len(self.levels) - 1
        number = min(last, max(self.first, min(side.fewest for side in sides).bit_length() - 1))
        steps = [side.steps(1 << number) for side in sides]  # so many blocks of the level in a texel
        while number < last and not any(step % 2 for step in steps):
            number, steps = number + 1, [step // 2 for step in steps]
        down, across = (side.texels(step << number) for side, step in zip(sides, steps, strict=True))
        part = self.levels[number - self.first][
            down.start * steps[0] : down.stop * steps[0], across.start * steps[1] : across.stop * steps[1]
        ]
        goes_beyond = number == self.first > 0
        return Texels(
            extremes(part, steps[0], steps[1], is_signed=self.is_signed),
            sides[0].cells(down, steps[0] << number, goes_beyond=goes_beyond),
            sides[1].cells(across, steps[1] << number, goes_beyond=goes_beyond),
        )


@dataclass(frozen=True)
class _Side:
    """The rows or the columns of a table: how many there are, which are in sight, how many pixels each has.

    The last block may hold fewer cells than the others. All texels in sight are drawn equally wide, so that
    a last row that is part of a block has its pixel too.
    """

    count: int
    span: TokenSpan
    pitch: float

    @property
    def fewest(self) -> int:
        """The fewest cells that fill a pixel."""
        return max(1, min(self.count, math.ceil(1 / max(self.pitch, _ROUNDING) - _ROUNDING)))

    def steps(self, size: int) -> int:
        """Return how many blocks of `size` cells a texel has, wherever the stretch in sight may lie."""
        steps = -(-self.fewest // size)
        while steps * size < self.count and self._narrowest(steps * size) * self.pitch < 1 - _ROUNDING:
            steps += 1
        return steps

    def _narrowest(self, block: int) -> float:
        """Return how many cells wide the texels are where the last block is in sight."""
        n_blocks = -(-self.count // block)
        in_last = self.count - (n_blocks - 1) * block
        n_in_sight = min(n_blocks, math.ceil(self.span.length / block) + 1)
        return ((n_in_sight - 1) * block + in_last) / n_in_sight

    def texels(self, block: int) -> range:
        """Return the texels of `block` cells that are in sight."""
        n_blocks = -(-self.count // block)
        first = max(0, math.floor(self.span.first / block))
        return range(first, max(first, min(n_blocks, math.ceil(self.span.last / block))))

    def cells(self, texels: range, block: int, *, goes_beyond: bool) -> TokenSpan:
        """Return the cells that these texels cover.

        Where blocks are many pixels wide, the last one `goes_beyond` the table unless that would hide it: so
        all are as wide as they should be.
        """
        first, last = texels.start * block, texels.stop * block
        if not goes_beyond or (self.count - last + block) * self.pitch < 1:
            last = min(last, self.count)
        return TokenSpan(float(first), float(last))


def pyramid_of(
    finest: Levels,
    *,
    is_signed: bool,
    check: Callable[[], None] = lambda: None,
    shape: tuple[int, int] | None = None,
    first: int = 0,
) -> Pyramid:
    """Return the pyramid over these levels; `check` is called before each further one.

    They are those of the cells, or of blocks of 2^`first` cells a side of a table of that `shape`.
    """
    levels = [finest]
    while max(levels[-1].shape) > _COARSEST:
        check()
        levels.append(extremes(levels[-1], 2, 2, is_signed=is_signed))
    n_rows, n_columns = shape or finest.shape
    return Pyramid(tuple(levels), is_signed, (n_rows, n_columns), first)


def signed_levels(shares: NDArray[np.floating]) -> Levels:
    """Return the signed levels of `shares` of full colour, from -1 to 1; nan is a gap."""
    levels = np.where(np.isnan(shares), GAP, np.rint(ZERO + shares * FULL))
    whole: Levels = levels.astype(np.uint8)
    return whole


def extremes(level: Levels, rows: int, columns: int, *, is_signed: bool) -> Levels:
    """Return of each block of `rows` x `columns` levels the one farthest from zero."""
    highest = area_maximum(level, (rows, columns))
    if not is_signed:
        return highest
    # Modulo 256 the negative of a signed level is its reflection about zero, and that of a gap a gap.
    lowest = area_maximum(np.negative(level), (rows, columns))
    return np.where(highest >= lowest, highest, np.negative(lowest))
