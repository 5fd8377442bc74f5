"""`Sheet`: what the drawings of a stop share: a fixed head and foot, and between them rows that scroll."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from bertviz_app.viewmodels.steps.stops import StopTensors
from bertviz_app.views.steps.sheets.sheet_pen import SheetPen
from bertviz_app.views.steps.sheets.strips import Ink

MARGIN = 12.0
_LOWEST, _HIGHEST = 18.0, 60.0


@dataclass(frozen=True)
class Spot:
    """What lies under a point: the token of the row, a number and its name, or the row alone.

    `is_label`: the row's name is pointed at. `dimension`: the position of the number in its vector.
    """

    token: int | None
    name: str = ""
    value: np.float32 | None = None
    dimension: int | None = None
    is_label: bool = False


class Sheet:
    """Draws a `StopTensors` into `area`; subclasses say what stands in head, rows and foot.

    `first` is the first dimension whose number is written. Heights are in pixels.
    """

    n_rows = 0
    is_alone = False
    """Whether the stage has one vector, not one for each token."""
    is_mixing = False
    """Whether a row is a key of the query, not a token by itself."""
    bound = 0.0
    """The size from which on the stage's colours are full; 0 where it has no colours."""
    head = 0.0
    foot = 0.0

    def __init__(
        self, ink: Ink, tensors: StopTensors, area: QRectF, first: int, highlighted: int | None
    ) -> None:
        self.ink = ink
        self.look = ink.look
        self.pen = SheetPen(ink.look)
        self.tensors = tensors
        self.area = area
        self.first = first
        self.highlighted = highlighted
        self.row_height = float(self.look.pixels(_LOWEST))

    def highlight(self, token: int | None) -> None:
        self.highlighted = token

    def write_from(self, first: int) -> None:
        """Write the numbers from another dimension on."""
        self.first = first

    def settle(self) -> None:
        """Give the rows the height that there is room for, in whole pixels."""
        room = (self.area.height() - self.head - self.foot) / max(1, self.n_rows)
        low, high = self.look.pixels(_LOWEST), self.look.pixels(_HIGHEST)
        self.row_height = float(min(max(low, math.floor(room)), high))

    @property
    def rows_area(self) -> QRectF:
        """The room of the rows: between head and foot, which follows the last row if all are in sight."""
        height = max(0.0, self.area.height() - self.head - self.foot)
        if self.n_rows * self.row_height > height >= self.row_height:
            height -= height % self.row_height  # no row is cut where one scrolls by rows
        height = min(height, self.n_rows * self.row_height)
        return QRectF(self.area.left(), self.area.top() + self.head, self.area.width(), height)

    @property
    def foot_top(self) -> float:
        """The vertical position below the last row."""
        return self.rows_area.bottom()

    @property
    def hidden_height(self) -> int:
        """How far the rows can be scrolled."""
        return max(0, math.ceil(self.n_rows * self.row_height - self.rows_area.height()))

    def row_box(self, row: int, offset: int) -> QRectF:
        """Return where a row lies while `offset` pixels are scrolled away."""
        area = self.rows_area
        top = area.top() + row * self.row_height - offset
        return QRectF(area.left(), top, area.width(), self.row_height)

    def row_at(self, y: float, offset: int) -> int | None:
        """Return the row at a vertical position."""
        area = self.rows_area
        if not area.top() <= y < area.bottom():
            return None
        row = int((y - area.top() + offset) / self.row_height)
        return row if row < self.n_rows else None

    def offset_showing(self, row: int, offset: int) -> int:
        """Return the offset next to `offset` with which a row is wholly in sight."""
        top = row * self.row_height
        bottom = top + self.row_height - self.rows_area.height()
        return round(min(max(offset, bottom), top))

    def draw(
        self, painter: QPainter, offset: int, is_dirty: Callable[[QRectF], bool] = lambda _: True
    ) -> None:
        """Draw head, rows and foot; of the rows those that `is_dirty`."""
        with self.ink.one_frame(painter):
            self.draw_head(painter)
            area = self.rows_area
            painter.save()
            painter.setClipRect(area, Qt.ClipOperation.IntersectClip)
            boxes = {row: self.row_box(row, offset) for row in rows_in_sight(self, offset)}
            rows = {row: box for row, box in boxes.items() if is_dirty(box)}
            if rows:
                self.draw_rows(painter, rows)
            painter.restore()
            self.draw_foot(painter)

    def draw_head(self, painter: QPainter) -> None:
        """Draw what stays above the rows."""

    def draw_rows(self, painter: QPainter, rows: Mapping[int, QRectF]) -> None:
        raise NotImplementedError

    def draw_foot(self, painter: QPainter) -> None:
        """Draw what stays below the rows."""

    def spot(self, at: QPointF, offset: int) -> Spot | None:
        """Return what lies under a point."""
        raise NotImplementedError

    def is_in_window(self, x: float) -> bool:
        """Return whether a horizontal position is among the numbers written beside a strip."""
        raise NotImplementedError

    def lines_above(self) -> list[float]:
        """Return the vertical middles of the lines above the rows that have something to read out."""
        return []

    def lines_below(self) -> list[float]:
        """Return the vertical middles of the lines below the rows that have something to read out."""
        return []

    def follow(self, tensors: StopTensors) -> bool:
        """Show another query if the layout is the same then; return whether it is.

        What differs then are head and foot, and the rows of both queries.
        """
        at, at_before = (
            (one.trace, one.stop, one.layer, one.head, one.details) for one in (tensors, self.tensors)
        )
        if self.is_mixing or self.is_alone or at != at_before:
            return False
        self.tensors = tensors
        return True

    def draw_motion(self, painter: QPainter, progress: float, offset: int) -> None:
        """Draw over the finished sheet how it comes about while Steps plays, `progress` from 0 to 1.

        What is not computed yet is covered, and what it is computed from moves to where it goes.
        """

    @property
    def left_out(self) -> list[str]:
        """The names of the quantities that the panel is too narrow for."""
        return []

    def action_at(self, at: QPointF) -> str:
        """Return what a click on a point does besides choosing a token; "" for nothing."""
        return ""

    # what subclasses draw with

    def draw_token(self, painter: QPainter, token: int, box: QRectF) -> None:
        """Write a token: the query and the highlighted one in the accent colour, special ones paler."""
        tokens = self.tensors.trace.tokens
        is_query = token == self.tensors.query
        colour = "accent" if token in (self.highlighted, self.tensors.query) else "text"
        if colour == "text" and tokens.is_special[token]:
            colour = "secondary"
        self.ink.write(painter, tokens.labels[token], box, colour, bold=is_query)

    def label_width(self, share: float = 0.2) -> float:
        """Return the room that the tokens' names need, at most a part of the width."""
        metrics = QFontMetricsF(self.look.font(13, bold=True))
        # The longest strings decide: measuring all of a long text would take longer than a frame.
        longest = sorted(self.tensors.trace.tokens.labels, key=len)[-12:]
        widest = max(metrics.horizontalAdvance(label) for label in longest) + self.look.pixels(12)
        return math.ceil(min(max(widest, self.look.pixels(52)), share * self.area.width()))


def rows_in_sight(sheet: Sheet, offset: int) -> range:
    """Return the rows of which something is in sight while `offset` pixels are scrolled away."""
    last = math.ceil((offset + sheet.rows_area.height()) / sheet.row_height)
    return range(int(offset / sheet.row_height), min(sheet.n_rows, last))
