"""`MapView`: a map of vectors that can be zoomed, moved and pointed at."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.vectors.map_drawing import MapDrawing
from bertviz_app.views.vectors.marks import by_keyboard

_DRAG_STARTS = 4.0
_WHEEL = 1.18


class MapView(MapDrawing):
    """The wheel zooms about the pointer, dragging moves, a double click shows all again.

    `pointed` tells the point under the pointer (-1: none), `chosen` the one that was clicked.
    """

    pointed = Signal(int)
    chosen = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._pressed: QPointF | None = None
        self._is_dragging = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = self.pointer = event.position()
        if self._pressed is not None and self._drags(at):
            away = at - self._pressed
            self._pressed = at
            self.move_to(self.plane.moved(away.x(), away.y()), keeps_labels=True)
            return
        point = self.point_at(at)
        self.pointed.emit(-1 if point is None else point)
        self.update()

    def _drags(self, at: QPointF) -> bool:
        assert self._pressed is not None
        self._is_dragging |= (at - self._pressed).manhattanLength() >= _DRAG_STARTS
        return self._is_dragging

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._is_dragging = event.position(), False

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._is_dragging:
            self.move_to(self.plane)  # labels have room where the drag ended
        elif self._pressed is not None:
            point = self.point_at(event.position())
            if point is not None:
                self.chosen.emit(point)
        self._pressed, self._is_dragging = None, False

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.move_to(None)

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        plot, at = self.plot(), event.position()
        factor = _WHEEL ** (event.angleDelta().y() / 120)
        self.move_to(self.plane.zoomed(factor, at.x() - plot.left(), at.y() - plot.top()))
        event.accept()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self.pointer = None
        self.pointed.emit(-1)
        self.update()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk the points, in their order."""
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if by is None or self.picture is None:
            event.ignore()
            return
        there = np.flatnonzero(~np.isnan(self.picture.points).any(-1)).tolist()
        lit = [place for place, point in enumerate(there) if point in self.lit]
        place = lit[0] + by if lit else 0
        if 0 <= place < len(there) and there[place] not in self.lit:
            self.chosen.emit(there[place])

    @guarded
    def focusInEvent(self, event: QFocusEvent) -> None:
        self.shows_focus = by_keyboard(event)
        self.update()

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.shows_focus = False
        self.update()

    @guarded
    def resizeEvent(self, event: QEvent) -> None:
        self.move_to(None)
