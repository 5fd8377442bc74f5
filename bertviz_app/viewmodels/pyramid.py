"""`Pyramid`: the colours of a table of cells at several resolutions, in which no bright cell is lost."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertviz_app.trace.pooling import area_maximum
from bertviz_app.viewmodels.viewport import Span

Levels = NDArray[np.uint8]

ZERO = 128
"""The signed level of zero; 255 is full colour above zero, 1 below."""

FULL = 127
"""So many signed levels lie between zero and full colour."""

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
    rows: Span
    columns: Span


@dataclass(frozen=True, eq=False)
class Pyramid:
    """The levels of cells [R, C]: uint8, places in a table of 256 colours.

    `levels[n]` has of each block of 2^n x 2^n cells the one farthest from zero. Unsigned levels reach from
    0 (zero) to 255 (full colour); signed ones from 1 to 255 about ZERO, and a block is a GAP where all its
    cells are.
    """

    levels: tuple[Levels, ...]
    is_signed: bool

    @property
    def finest(self) -> Levels:
        """The levels [R, C] of the cells themselves."""
        return self.levels[0]

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        n_rows, n_columns = self.finest.shape
        return n_rows, n_columns

    @property
    def n_bytes(self) -> int:
        """The memory that all levels take."""
        return sum(level.nbytes for level in self.levels)

    def texels(self, rows: Span, columns: Span, pitches: tuple[float, float]) -> Texels:
        """Return the texels of the cells in sight, none of them smaller than a pixel.

        `pitches`: the pixels of a row and of a column. What nearest sampling would skip is kept by the
        maxima of the level. The last block may hold fewer cells than the others: all texels are drawn
        equally wide, so that a last row that is part of a block has its pixel too.
        """
        blocks = [_block(count, pitch) for count, pitch in zip(self.shape, pitches, strict=True)]
        number = min(len(self.levels) - 1, min(blocks).bit_length() - 1)
        steps = [-(-block >> number) for block in blocks]  # so many blocks of the level in a texel
        while number + 1 < len(self.levels) and not any(step % 2 for step in steps):
            number, steps = number + 1, [step // 2 for step in steps]
        stretches = [
            _stretch(span, count, step << number)
            for span, count, step in zip((rows, columns), self.shape, steps, strict=True)
        ]
        (down, in_rows), (across, in_columns) = stretches
        part = self.levels[number][
            down.start * steps[0] : down.stop * steps[0], across.start * steps[1] : across.stop * steps[1]
        ]
        return Texels(extremes(part, steps[0], steps[1], is_signed=self.is_signed), in_rows, in_columns)


def pyramid_of(finest: Levels, *, is_signed: bool, check: Callable[[], None] = lambda: None) -> Pyramid:
    """Return the pyramid over these levels; `check` is called before each further one."""
    levels = [finest]
    while max(levels[-1].shape) > _COARSEST:
        check()
        levels.append(extremes(levels[-1], 2, 2, is_signed=is_signed))
    return Pyramid(tuple(levels), is_signed)


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


def _block(count: int, pitch: float) -> int:
    """Return how many of `count` cells make up a texel of a pixel or more."""
    most = max(1, math.floor(count * pitch + _ROUNDING))
    return -(-count // most)


def _stretch(span: Span, count: int, block: int) -> tuple[range, Span]:
    """Return the texels of `block` cells that are in sight, and the cells that they cover when drawn."""
    n_texels = -(-count // block)
    width = count / n_texels
    first = max(0, math.floor(span.first / width))
    last = max(first, min(n_texels, math.ceil(span.last / width)))
    return range(first, last), Span(first * width, last * width)
