"""A read-out beside the pointer, drawn by the view itself so that it is there at once."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from bertviz_app.views.kit.look import Look

_PADDING = 8.0
_AWAY = 14.0


def draw_pill(painter: QPainter, look: Look, lines: list[str], at: QPointF, bounds: QRectF) -> None:
    """Draw `lines` in a box beside `at` and inside `bounds`; the first line is the title."""
    fonts = [look.font(13, bold=True)] + [look.font(12)] * (len(lines) - 1)
    metrics = [QFontMetricsF(font) for font in fonts]
    width = max(measure.horizontalAdvance(line) for measure, line in zip(metrics, lines, strict=True))
    heights = [measure.height() for measure in metrics]
    box = QRectF(0, 0, width + 2 * _PADDING, sum(heights) + 2 * _PADDING)
    box.moveTo(_placed(at, box, bounds))
    painter.setPen(look.colour("rule"))
    painter.setBrush(look.colour("raised"))
    painter.drawRoundedRect(box, 6, 6)
    top = box.top() + _PADDING
    for number, (line, font, height) in enumerate(zip(lines, fonts, heights, strict=True)):
        painter.setFont(font)
        painter.setPen(look.colour("secondary" if number else "text"))
        row = QRectF(box.left() + _PADDING, top, width + 1, height)
        painter.drawText(row, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, line)
        top += height


def _placed(at: QPointF, box: QRectF, bounds: QRectF) -> QPointF:
    """Return the corner of `box`: below and right of `at`, on the other side where there is no room."""
    x = at.x() + _AWAY if at.x() + _AWAY + box.width() <= bounds.right() else at.x() - _AWAY - box.width()
    y = at.y() + _AWAY if at.y() + _AWAY + box.height() <= bounds.bottom() else at.y() - _AWAY - box.height()
    x = min(max(x, bounds.left()), max(bounds.left(), bounds.right() - box.width()))
    y = min(max(y, bounds.top()), max(bounds.top(), bounds.bottom() - box.height()))
    return QPointF(x, y)
