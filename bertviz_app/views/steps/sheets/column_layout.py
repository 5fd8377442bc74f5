"""`ColumnLayout`: which columns of a head's arithmetic fit into a panel, and where each is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType

from PySide6.QtCore import QRectF

from bertviz_app.viewmodels.steps.columns import Column
from bertviz_app.views.kit.look import Look
from bertviz_app.views.steps.sheets.strips import Lane, lane, width_of_lane

_ROOM = MappingProxyType({"strip": 74.0, "number": 60.0, "tinted": 60.0, "bar": 88.0})
_GAPS = (10.0, 22.0)
_WIDE = 620
_NUMBERS = 4
_WIDEST_FOCUS, _WIDEST = 520.0, 220.0


@dataclass(frozen=True, eq=False)
class PlacedColumn(Column):
    """A column where it is drawn; `lane` is that of its vectors."""

    left: float = 0.0
    width: float = 0.0
    lane: Lane | None = None


class ColumnLayout:
    """Lays columns out in `area`, right of the tokens' names; those in `focus` get their room first.

    The last vector in focus has at least one number beside its strip in the narrowest panel, and columns
    out of focus are drawn only where it has several.
    """

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
        while first < last and self._needed(columns[first : last + 1], 1) > room:
            first += 1
        while True:
            wider = [
                (first - more, last + 1 - more)
                for more in (1, 0)
                if first - more >= 0 and last + 1 - more < len(columns)
            ]
            fitting = [
                ends for ends in wider if self._needed(columns[ends[0] : ends[1] + 1], _NUMBERS) <= room
            ]
            if not fitting:
                return columns[first : last + 1]
            first, last = fitting[0]

    def placed(self, columns: list[Column], labels: float, first: int) -> list[PlacedColumn]:
        """Return where the columns are drawn.

        The room that is left is given to the strips, most to those in focus. `first` is the first dimension
        whose number is written beside a strip.
        """
        left = self._area.left() + labels
        room = self._area.right() - left
        n_numbers = next((n for n in (_NUMBERS, 1) if self._needed(columns, n) <= room), 0)
        spare = room - self._needed(columns, n_numbers)
        own = self._own(columns)
        shares = [self._share(column) for column in columns]
        if not any(shares):
            shares = [1.0] * len(columns)
        placed = []
        for column, share in zip(columns, shares, strict=True):
            most = self._look.pixels(_WIDEST_FOCUS if share > 1 else _WIDEST)
            width = self._room(column, n_numbers if column is own else 0)
            width = max(self._room(column, 0), min(width + spare * share / sum(shares), most)) - self.gap
            of_vector = None
            if column.kind == "strip":
                n, has_window = column.values.shape[1], column.name in self._focus
                of_vector = lane(self._look, left, width, n, first, has_window=has_window)
            placed.append(PlacedColumn(**vars(column), left=left, width=width, lane=of_vector))
            left += width + self.gap
        return placed

    def _own(self, columns: list[Column]) -> Column | None:
        """Return the vector whose numbers are written first: the last one in focus."""
        strips = [column for column in columns if column.kind == "strip" and column.name in self._focus]
        return strips[-1] if strips else None

    def _room(self, column: Column, n_numbers: int) -> float:
        """Return the width of a column with so many numbers beside its strip, and of the gap after it."""
        room = self._look.pixels(_ROOM[column.kind])
        if n_numbers and column.kind == "strip":
            room = max(room, width_of_lane(self._look, min(n_numbers, column.values.shape[1])))
        return room + self.gap

    def _needed(self, columns: list[Column], n_numbers: int) -> float:
        own = self._own(columns)
        return sum(self._room(column, n_numbers if column is own else 0) for column in columns)

    def _share(self, column: Column) -> float:
        if column.kind != "strip":
            return 1.0 if column.kind == "bar" and column.name in self._focus else 0.0
        return 3.0 if column.name in self._focus else 0.5
