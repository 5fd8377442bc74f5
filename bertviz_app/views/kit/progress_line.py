"""`ProgressLine`: a thin line that says how much of something is done, or that it is going on."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QTimer, Slot
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look


class ProgressLine(QWidget):
    """A line two pixels high: how much is done, or that something is going on."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._fraction: float | None = None
        self._phase = 0.0
        self._timer = QTimer(self, interval=33)
        self._timer.timeout.connect(self._move)
        self.setFixedHeight(2)

    def set_progress(self, is_busy: bool, fraction: float | None) -> None:
        """Show `fraction` from 0 to 1, a moving piece if it is not known, nothing when not busy."""
        self._fraction = fraction if is_busy else None
        if is_busy and fraction is None and not self._timer.isActive():
            self._timer.start()
        elif not is_busy or fraction is not None:
            self._timer.stop()
        self.update()

    @Slot()
    def _move(self) -> None:
        self._phase = (self._phase + 0.02) % 1.3
        self.update()

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        try:
            colour = self._look.colour("accent")
            if self._fraction is not None:
                painter.fillRect(QRectF(0, 0, self.width() * self._fraction, 2), colour)
            elif self._timer.isActive():
                painter.fillRect(QRectF((self._phase - 0.3) * self.width(), 0, self.width() * 0.3, 2), colour)
        finally:
            painter.end()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self.update()
