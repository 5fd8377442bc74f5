"""Which heads the cells of the overview show, in which order, and where each cell lies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.measures import KEYS, Measures, heads_by
from bertviz_app.analysis.pairs import strongest_heads
from bertviz_app.types import Floats
from bertviz_app.viewmodels.overview_options import PAIR, OverviewChoice


@dataclass(frozen=True)
class HeadOrder:
    """The heads (layer, head) in the order of their cells, and those of them that are `dimmed`.

    By layer and head every head has its cell; by a measure the cells close up where heads are left out.
    """

    heads: tuple[tuple[int, int], ...]
    dimmed: frozenset[tuple[int, int]]
    is_rearranged: bool


def passes(measures: Measures, choice: OverviewChoice) -> NDArray[np.bool_]:
    """Return bool [L, H], true for heads whose measure is within the limits of the filter, or at one."""
    values = measures[choice.filtered_by or KEYS[0]].astype(np.float64)
    inside = np.ones(values.shape, bool)
    if choice.filtered_by:
        # A field shows ends rounded to four decimals: what is shown as equal passes.
        if choice.least is not None:
            inside &= values >= choice.least - 5e-5
        if choice.most is not None:
            inside &= values <= choice.most + 5e-5
    return inside


def arranged(measures: Measures, choice: OverviewChoice, pair: Floats | None = None) -> HeadOrder:
    """Return the cells of an overview of these measures; `pair` [L, H] are the weights of the pinned pair."""
    inside = passes(measures, choice)
    order = choice.order(has_pair=pair is not None)
    if order == PAIR and pair is not None:
        heads = [(one.layer, one.head) for one in strongest_heads(pair, pair.size)]
    else:
        heads = heads_by(measures, None if order == "" or order == PAIR else order)
    if order:
        return HeadOrder(tuple(at for at in heads if inside[at]), frozenset(), True)
    return HeadOrder(tuple(heads), frozenset(at for at in heads if not inside[at]), False)


GAP = 3
"""Pixels between two cells."""


@dataclass(frozen=True)
class CellGrid:
    """Where the cells of `heads` lie: `columns` a row, each `side` pixels, from (`left`, `top`) on.

    `step`: from one cell to the next, where that is no whole number of pixels, as in an enlarged grid.
    """

    heads: tuple[tuple[int, int], ...]
    columns: int
    side: int
    left: float
    top: float
    step: float = 0.0

    @property
    def pitch(self) -> float:
        """The pixels from one cell to the next."""
        return self.step or self.side + GAP

    @property
    def rows(self) -> int:
        return -(-len(self.heads) // self.columns)

    @property
    def bottom(self) -> float:
        """Where the last row ends, with the gap below it."""
        return self.top + self.rows * self.pitch

    def corner(self, index: int) -> tuple[float, float]:
        """Return the left and the top edge of a cell, at a whole number of pixels from the first one."""
        row, column = divmod(index, self.columns)
        return self.left + round(column * self.pitch), self.top + round(row * self.pitch)

    def enlarged(self, zoom: float, left: float, top: float) -> CellGrid:
        """Return the grid with cells `zoom` times as far apart, the gaps as wide as before."""
        step = self.pitch * zoom
        return CellGrid(self.heads, self.columns, int(step) - GAP, left, top, step)

    def columns_between(self, left: float, right: float) -> range:
        """Return the columns of which a part is between two pixels."""
        return _within(left - self.left, right - self.left, self.pitch, self.columns)

    def rows_between(self, top: float, bottom: float) -> range:
        """Return the rows of which a part is between two pixels."""
        return _within(top - self.top, bottom - self.top, self.pitch, self.rows)

    def head_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return the head whose cell is at a point, the gap behind a cell belonging to it."""
        column, row = (
            int((at - start) // self.pitch) for at, start in zip((x, y), (self.left, self.top), strict=True)
        )
        index = row * self.columns + column
        is_inside = 0 <= column < self.columns and 0 <= index < len(self.heads)
        return self.heads[index] if is_inside else None

    def neighbour(self, at: tuple[int, int], columns: int, rows: int) -> tuple[int, int] | None:
        """Return the head a number of cells from `at`, going round at the ends; from none the first."""
        if not self.heads:
            return None
        if at not in self.heads:
            return self.heads[0]
        index = self.heads.index(at) + columns + rows * self.columns
        return self.heads[index % len(self.heads)]


def _within(start: float, end: float, pitch: float, count: int) -> range:
    return range(max(0, int(start // pitch)), min(count, int(end // pitch) + 1))
