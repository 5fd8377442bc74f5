"""`LinePen`: where the lines of predictions lie in a widget, and how each is drawn."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFont, QFontMetricsF, QPainter

from bertviz_app.views.inspector.prediction_lines import Line
from bertviz_app.views.kit.look import Look

_MARGIN = 14.0
_NARROW = 8.0  # where two runs stand side by side
_LINE = 18.0
_NAME = 0.45
"""The share of a bar that a token's name has beside its label."""


class LinePen:
    """Draws lines one below the other in a widget `width` pixels wide; sentences are wrapped."""

    def __init__(self, look: Look, width: float, *, is_narrow: bool) -> None:
        self._look = look
        self._margin = _NARROW if is_narrow else _MARGIN
        self._room = max(1.0, width - 2 * self._margin)

    @property
    def pitch(self) -> float:
        """The height of a line that is no sentence."""
        return self._look.pixels(_LINE)

    def wrapped(self, text: str) -> float:
        """Return the height of a sentence."""
        metrics = QFontMetricsF(self._look.font(12))
        room = QRectF(0, 0, self._room, 1000)
        return metrics.boundingRect(room, Qt.TextFlag.TextWordWrap, text).height() + 2

    def boxes(self, lines: Sequence[Line]) -> list[QRectF]:
        """Return where each line lies."""
        boxes, top, pitch = [], 2.0, self.pitch
        for line in lines:
            height = 0.5 * pitch if line.kind == "gap" else pitch
            if line.kind == "sentence":
                height = max(pitch, self.wrapped(line.text))
            boxes.append(QRectF(self._margin, top, self._room, height))
            top += height
        return boxes

    def draw(self, painter: QPainter, line: Line, box: QRectF, *, is_highlighted: bool) -> None:
        """Draw one line in its box."""
        bold = self._look.font(13, bold=True)
        if line.kind == "bar":
            self._draw_bar(painter, line, box, is_highlighted=is_highlighted)
        elif line.kind == "sentence":
            painter.setFont(self._look.font(12))
            painter.setPen(self._look.colour("secondary"))
            painter.drawText(box, Qt.TextFlag.TextWordWrap, line.text)
        elif line.kind == "number":
            self._write(painter, line.text, line.shown_value, box, ("secondary", "text"))
        elif line.kind == "run":
            colour = "accent" if line.text == "A" else "sentence_b"
            self._write(painter, line.text, "", box, (colour, "text"), bold)
        elif line.kind == "title":
            self._write(painter, line.text, line.note, box, ("text", "secondary"), bold)

    def _draw_bar(self, painter: QPainter, line: Line, box: QRectF, *, is_highlighted: bool) -> None:
        painter.setPen(Qt.PenStyle.NoPen)
        if is_highlighted:
            painter.setBrush(self._look.colour("raised"))
            painter.drawRoundedRect(box.adjusted(-6, 0, 6, -1), 4, 4)
        colour = "secondary" if line.is_seen else "accent"
        painter.setBrush(self._look.colour(colour, 0.42 if line.is_marked else 0.22))
        length = max(2.0, box.width() * (line.value or 0.0))
        painter.drawRoundedRect(QRectF(box.left(), box.top() + 1, length, box.height() - 3), 3, 3)
        if is_highlighted:
            painter.setPen(self._look.colour("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(-5.5, 0.5, 5.5, -1.5), 4, 4)
        font, inner = self._look.font(13, bold=line.is_marked), box.adjusted(5, 0, 0, 0)
        if line.note:
            name = inner.adjusted(0, 0, -(1 - _NAME) * inner.width(), 0)
            self._write(painter, line.text, "", name, ("text", "text"), font)
            inner.setLeft(name.right() + 4)
        self._write(painter, line.note or line.text, line.shown_value, inner, ("text", "text"), font)

    def _write(
        self,
        painter: QPainter,
        text: str,
        right: str,
        box: QRectF,
        colours: tuple[str, str],
        font: QFont | None = None,
    ) -> None:
        """Write `text` at the left of `box`, shortened where `right` leaves it too little room."""
        is_number = right[-1:].isdigit()
        number = self._look.number_font(12) if is_number else self._look.font(12)
        painter.setFont(number)
        painter.setPen(self._look.colour(colours[1]))
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | middle, right)
        room = box.width() - QFontMetricsF(number).horizontalAdvance(right) - 6
        font = font or self._look.font(12)
        painter.setFont(font)
        painter.setPen(self._look.colour(colours[0]))
        shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, room + 1)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | middle, shown)
