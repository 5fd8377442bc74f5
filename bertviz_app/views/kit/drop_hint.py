"""The hint that lies over the window while something is dragged over it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QWidget

from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.look import Look

_MARGIN = 14.0


class DropHint(Canvas):
    """Says what will happen if it is let go here."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(look, parent)
        self.words = ""
        self.is_welcome = True
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def say_what(self, words: str, *, is_welcome: bool) -> None:
        """Cover the window with these words, in the colour of errors where it would be refused."""
        parent = self.parentWidget()
        assert parent is not None
        self.words, self.is_welcome = words, is_welcome
        self.setGeometry(parent.rect())
        self.show()
        self.raise_()
        self.update()

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        room = QRectF(self.rect())
        painter.fillRect(room, self.look.colour("window", 0.86))
        frame = QPen(self.look.colour("accent" if self.is_welcome else "error"), 3, Qt.PenStyle.DashLine)
        painter.setPen(frame)
        painter.drawRoundedRect(room.adjusted(_MARGIN, _MARGIN, -_MARGIN, -_MARGIN), 9, 9)
        painter.setFont(self.look.font(20, bold=True))
        painter.setPen(self.look.colour("text" if self.is_welcome else "error"))
        inner = room.adjusted(4 * _MARGIN, 0, -4 * _MARGIN, 0)
        painter.drawText(inner, int(Qt.AlignmentFlag.AlignCenter) | int(Qt.TextFlag.TextWordWrap), self.words)
