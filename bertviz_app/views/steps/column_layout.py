"""`ColumnLayout`: which columns of a head's arithmetic fit into a panel, and where each is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from PySide6.QtCore import QRectF

from bertviz_app.viewmodels.steps.columns import Column
from bertviz_app.views.kit.look import Look
from bertviz_app.views.steps.strips import Lane, lane

_ROOM = MappingProxyType({"strip": 74.0, "number": 60.0, "tinted": 60.0, "bar": 88.0})
_GAPS = (10.0, 22.0)
_WIDE = 620
_WIDEST_FOCUS, _WIDEST = 520.0, 220.0


@dataclass(frozen=True, eq=False)
class PlacedColumn(Column):
    """A column where it is drawn; `lane` is that of its vectors."""

    left: float = 0.0
    width: float = 0.0
    lane: Lane | None = None


class ColumnLayout:
    """Lays columns out in `area`, right of the tokens' names; those in `focus` get their room first."""

    def __init__(self, look: Look, area: QRectF, focus: tuple[str, ...]) -> None:
        self._look = look
        self._area = area
        self._focus = focus
        self.is_wide = area.width() >= look.pixels(_WIDE)
        self.gap = float(look.pixels(_GAPS[self.is_wide]))

    def fitting(self, columns: list[Column], labels: float) -> list[Column]:
        """Return the columns in focus and those about them that fit beside the `labels` pixels of names."""
        room = self._area.width() - labels
        positions = [position for position, column in enumerate(columns) if column.name in self._focus]
        first, last = positions[0], positions[-1]
        while first < last and self._needed(columns[first : last + 1]) > room:
            first += 1
        while True:
            wider = [
                (first - more, last + 1 - more)
                for more in (1, 0)
                if first - more >= 0 and last + 1 - more < len(columns)
            ]
            fitting = [ends for ends in wider if self._needed(columns[ends[0] : ends[1] + 1]) <= room]
            if not fitting:
                return columns[first : last + 1]
            first, last = fitting[0]

    def placed(self, columns: list[Column], labels: float, first: int) -> list[PlacedColumn]:
        """Return where the columns are drawn; what room is left goes to the strips, most to those in focus.

        `first` is the first dimension whose number is written beside a strip.
        """
        left = self._area.left() + labels
        spare = self._area.right() - left - self._needed(columns)
        shares = [self._share(column) for column in columns]
        if not any(shares):
            shares = [1.0] * len(columns)
        placed = []
        for column, share in zip(columns, shares, strict=True):
            most = self._look.pixels(_WIDEST_FOCUS if share > 1 else _WIDEST)
            width = self._room(column) - self.gap + min(spare * share / sum(shares), most)
            of_vector = None
            if column.kind == "strip":
                n, has_window = column.values.shape[1], column.name in self._focus
                of_vector = lane(self._look, left, width, n, first, has_window=has_window)
            placed.append(PlacedColumn(**vars(column), left=left, width=width, lane=of_vector))
            left += width + self.gap
        return placed

    def _room(self, column: Column) -> float:
        return self._look.pixels(_ROOM[column.kind]) + self.gap

    def _needed(self, columns: list[Column]) -> float:
        return sum(self._room(column) for column in columns)

    def _share(self, column: Column) -> float:
        if column.kind != "strip":
            return 1.0 if column.kind == "bar" and column.name in self._focus else 0.0
        return 3.0 if column.name in self._focus else 0.5
