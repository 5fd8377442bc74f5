"""`OverviewOptions`: what the overview shows of each head, in which order, and which heads it leaves out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from bertviz_app.analysis.measure_table import Measures, heads_by
from bertviz_app.analysis.measures import KEYS, MEASURES, MeasureKey
from bertviz_app.analysis.pairs import strongest_heads
from bertviz_app.types import Floats

Shows = Literal["attention"] | MeasureKey
"""What a head's cell shows: its attention, or one of its measures."""
ATTENTION: Literal["attention"] = "attention"
PAIR: Literal["pair"] = "pair"
"""Order by the weight of the pinned pair, by layer and head while none is pinned."""
Order = MeasureKey | Literal["", "pair"]
Filter = MeasureKey | Literal[""]
SHOWS: tuple[Shows, ...] = (ATTENTION, *KEYS)


@dataclass(frozen=True)
class OverviewChoice:
    """`shows`: one of SHOWS. `is_per_head`: attention is scaled to the head's own largest weight.

    `shows_pair`: while a pair of tokens is pinned, its weight in every head is shown instead.

    `ordered_by`: the key of a measure or PAIR, largest first, or "": by layer and head. `filtered_by`: the
    key of a measure that must lie from `least` to `most` (None: no such end), or "": all heads.
    """

    shows: Shows = ATTENTION
    is_per_head: bool = True
    ordered_by: Order = ""
    filtered_by: Filter = ""
    least: float | None = None
    most: float | None = None
    shows_pair: bool = True

    def __post_init__(self) -> None:
        if self.shows not in SHOWS:
            raise ValueError(f"shows must be one of {', '.join(SHOWS)}")
        for name, more in (("ordered_by", (PAIR,)), ("filtered_by", ())):
            keys = *KEYS, *more
            if getattr(self, name) not in ("", *keys):
                raise ValueError(f"{name} must be one of {', '.join(keys)}, or empty")
        if any(end is not None and not 0 <= end < 1e9 for end in (self.least, self.most)):
            raise ValueError("the ends of the filter must be numbers from 0")

    def order(self, *, has_pair: bool) -> Order:
        """Return by what heads are ordered, where a pair is pinned or not."""
        return "" if self.ordered_by == PAIR and not has_pair else self.ordered_by


class OverviewFields(TypedDict, total=False):
    """Some fields of `OverviewChoice`."""

    shows: Shows
    is_per_head: bool
    ordered_by: Order
    filtered_by: Filter
    least: float | None
    most: float | None
    shows_pair: bool


class OverviewOptions(QObject):
    """The choice in force."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.value = OverviewChoice()

    def set(self, value: OverviewChoice) -> None:
        """Show the heads with this choice from now on."""
        if value != self.value:
            self.value = value
            self.changed.emit()

    def change(self, **fields: Unpack[OverviewFields]) -> None:
        """Change some fields; raises ValueError for what they cannot be."""
        self.set(replace(self.value, **fields))

    def show(self, shows: Shows, *, is_pair_shown: bool) -> None:
        """Show something else; where a pair was shown instead of it, no longer the pair."""
        self.change(shows=shows, shows_pair=self.value.shows_pair and not is_pair_shown)

    def filter_by(self, key: MeasureKey | Literal[""]) -> None:
        """Filter by another measure, from no least to no most; "" ends it."""
        self.change(filtered_by=key, least=None, most=None)


@dataclass(frozen=True)
class Arrangement:
    """The heads (layer, head) in the order of their cells, and those of them that are `dimmed`.

    By layer and head every head has its cell; by a measure the cells close up where heads are left out.
    """

    heads: tuple[tuple[int, int], ...]
    dimmed: frozenset[tuple[int, int]]
    is_rearranged: bool


def passes(measures: Measures, choice: OverviewChoice) -> NDArray[np.bool_]:
    """Return bool [L, H], which heads the filter lets through; the ends belong to what passes."""
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


def unit_of(key: MeasureKey) -> str:
    """Return the unit of a measure: "bits", "tokens" or "weight"."""
    return next(measure.unit for measure in MEASURES if measure.key == key)


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

    def corner(self, place: int) -> tuple[float, float]:
        """Return the left and the top edge of a cell."""
        step = self.side + GAP
        return self.left + place % self.columns * step, self.top + place // self.columns * step

    def head_at(self, x: float, y: float) -> tuple[int, int] | None:
        """Return the head whose cell is at a point, the gap behind a cell belonging to it."""
        step = self.side + GAP
        column, row = int((x - self.left) // step), int((y - self.top) // step)
        place = row * self.columns + column
        is_inside = 0 <= column < self.columns and 0 <= place < len(self.heads)
        return self.heads[place] if is_inside else None

    def neighbour(self, at: tuple[int, int], columns: int, rows: int) -> tuple[int, int] | None:
        """Return the head a number of cells from `at`, going round at the ends; from none the first."""
        if not self.heads:
            return None
        if at not in self.heads:
            return self.heads[0]
        place = self.heads.index(at) + columns + rows * self.columns
        return self.heads[place % len(self.heads)]
