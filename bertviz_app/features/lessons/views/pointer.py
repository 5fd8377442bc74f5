"""`Pointer`: a frame around the part of the window that a station is about."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.look import Look

_AROUND = 3


class Pointer(Canvas):
    """Lies over the window, follows its target and lets every click through."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(look, window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._window = window
        self._target: QWidget | None = None
        self.hide()

    @property
    def target(self) -> QWidget | None:
        return self._target

    def point_at(self, target: QWidget | None) -> None:
        """Point at another widget, at none with None."""
        if self._target is not None and isValid(self._target):
            self._target.removeEventFilter(self)
        self._target = target
        if target is not None:
            target.installEventFilter(self)
        self.follow()
        self.raise_()  # only now: what covers the window later stays above

    def follow(self) -> None:
        """Lie where the target is now; hide while it is hidden."""
        target = self._target
        if target is not None and not isValid(target):  # its panel was closed
            target = self._target = None
        if target is None or not target.isVisible() or target.window() is not self.window():
            self.hide()
            return
        corner = target.mapTo(self._window, QPoint(0, 0))
        around = QRect(corner, target.size()).adjusted(-_AROUND, -_AROUND, _AROUND, _AROUND)
        self.setGeometry(around.intersected(self._window.rect()))
        self.show()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move, QEvent.Type.Show, QEvent.Type.Hide):
            self.follow()
        return False

    def draw(self, painter: QPainter) -> None:
        painter.setPen(QPen(self.look.colour("accent"), 3))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(1.5, 1.5, -1.5, -1.5), 9, 9)
