"""Which heads the cells of the overview show, in which order, and where each cell lies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.measure_table import Measures, heads_by
from bertviz_app.analysis.measures import KEYS
from bertviz_app.analysis.pairs import strongest_heads
from bertviz_app.types import Floats
from bertviz_app.viewmodels.overview_options import PAIR, OverviewChoice


@dataclass(frozen=True)
class Arrangement:
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


def arranged(measures: Measures, choice: OverviewChoice, pair: Floats | None = None) -> Arrangement:
    """Return the cells of an overview of these measures; `pair` [L, H] are the weights of the pinned pair."""
    inside = passes(measures, choice)
    order = choice.order(has_pair=pair is not None)
    if order == PAIR and pair is not None:
        heads = [(one.layer, one.head) for one in strongest_heads(pair, pair.size)]
    else:
        heads = heads_by(measures, None if order == "" or order == PAIR else order)
    if order:
        return Arrangement(tuple(at for at in heads if inside[at]), frozenset(), True)
    return Arrangement(tuple(heads), frozenset(at for at in heads if not inside[at]), False)


GAP = 3
"""Pixels between two cells."""


@dataclass(frozen=True)
class CellGrid:
    """Where the cells of `heads` lie: `columns` a row, each `side` pixels, from (`left`, `top`) on."""

    heads: tuple[tuple[int, int], ...]
    columns: int
    side: float
    left: float
    top: float

    @property
    def rows(self) -> int:
        """The number of rows of the overview."""
        return -(-len(self.heads) // self.columns)

    @property
    def bottom(self) -> float:
        """Where the last row ends, with the gap below it."""
        return self.top + self.rows * (self.side + GAP)

    def corner(self, index: int) -> tuple[float, float]:
        """Return the left and the top edge of a cell."""
        step = self.side + GAP
        return self.left + index % self.columns * step, self.top + index // self.columns * step

    def head_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return the head whose cell is at a point, the gap behind a cell belonging to it."""
        step = self.side + GAP
        column, row = int((x - self.left) // step), int((y - self.top) // step)
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
