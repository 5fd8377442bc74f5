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
_IN_BAR = 5.0
_WRAPPED = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
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

    def height(self, line: Line) -> float:
        if line.kind == "gap":
            return 0.5 * self.pitch
        if line.kind == "sentence":
            return max(self.pitch, self.wrapped(line.text))
        if not line.wraps:
            return self.pitch
        font = self._bar_font(line) if line.kind == "bar" else self._look.font(12)
        left = self._inset(line)
        room = QRectF(0, 0, max(1.0, self._left_of(line.shown_value, self._room - left)), 1000)
        metrics = QFontMetricsF(font)
        n_lines = round(metrics.boundingRect(room, _WRAPPED, line.text).height() / metrics.lineSpacing())
        return max(1, n_lines) * self.pitch

    def _bar_font(self, line: Line) -> QFont:
        return self._look.font(13, bold=line.is_marked)

    def _inset(self, line: Line) -> float:
        return _IN_BAR if line.kind == "bar" else 0.0

    def _left_of(self, right: str, width: float) -> float:
        """Return how much of a width is left beside a text at its right end."""
        return width - QFontMetricsF(self._right_font(right)).horizontalAdvance(right) - 6

    def _right_font(self, right: str) -> QFont:
        return self._look.number_font(12) if right[-1:].isdigit() else self._look.font(12)

    def boxes(self, lines: Sequence[Line]) -> list[QRectF]:
        boxes, top = [], 2.0
        for line in lines:
            height = self.height(line)
            boxes.append(QRectF(self._margin, top, self._room, height))
            top += height
        return boxes

    def draw(self, painter: QPainter, line: Line, box: QRectF, *, is_highlighted: bool) -> None:
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
        colour = "secondary" if line.is_faint else "accent"
        painter.setBrush(self._look.colour(colour, 0.42 if line.is_marked else 0.22))
        length = max(2.0, box.width() * (line.value or 0.0))
        painter.drawRoundedRect(QRectF(box.left(), box.top() + 1, length, box.height() - 3), 3, 3)
        if is_highlighted:
            painter.setPen(self._look.colour("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box.adjusted(-5.5, 0.5, 5.5, -1.5), 4, 4)
        font, inner = self._bar_font(line), box.adjusted(_IN_BAR, 0, 0, 0)
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
        """Write `text` at the left of `box`, shortened where `right` leaves it too little room.

        In a box of several lines it is wrapped, with `right` beside its first line.
        """
        painter.setFont(self._right_font(right))
        painter.setPen(self._look.colour(colours[1]))
        middle = Qt.AlignmentFlag.AlignVCenter
        first = QRectF(box.left(), box.top(), box.width(), self.pitch)
        painter.drawText(first, Qt.AlignmentFlag.AlignRight | middle, right)
        room = self._left_of(right, box.width())
        font = font or self._look.font(12)
        painter.setFont(font)
        painter.setPen(self._look.colour(colours[0]))
        if box.height() > 1.5 * self.pitch:
            painter.drawText(QRectF(box.left(), box.top(), room, box.height()), _WRAPPED, text)
            return
        shown = QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, room + 1)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | middle, shown)
