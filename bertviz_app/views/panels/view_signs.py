"""`view_sign`: a small drawing of each view of a panel, where there is no room for its name."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPainterPath, QPen, QPixmap

from bertviz_app.views.kit.look import Look

_SIZE = 14.0
_SHARP = 3  # pixels of the drawing for each on screen


def view_sign(look: Look, view: str) -> QIcon:
    """Return the drawing of a view in the colours of the theme; of a view without one three lines."""
    pixmap = QPixmap(QSize(round(_SIZE * _SHARP), round(_SIZE * _SHARP)))
    pixmap.setDevicePixelRatio(_SHARP)
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    try:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.colour("text"), 1.4))
        _DRAWN.get(view, _draw_rows)(painter)
    finally:
        painter.end()
    return QIcon(pixmap)


def _draw_lines(painter: QPainter) -> None:
    for left, right in ((2.0, 9.0), (7.0, 2.0), (12.0, 12.0)):
        path = QPainterPath(QPointF(1, left))
        path.cubicTo(7, left, 7, right, 13, right)
        painter.drawPath(path)


def _draw_matrix(painter: QPainter) -> None:
    colour = painter.pen().color()
    for row in range(3):
        for column in range(3):
            colour.setAlphaF(1.0 if row == column else 0.35)
            painter.fillRect(QRectF(1 + 4.3 * column, 1 + 4.3 * row, 3.4, 3.4), colour)


def _draw_steps(painter: QPainter) -> None:
    painter.drawPolyline([QPointF(x, y) for x, y in ((1, 12), (5, 12), (5, 7.5), (9, 7.5), (9, 3), (13, 3))])


def _draw_vectors(painter: QPainter) -> None:
    for x, height in ((2.0, 5.0), (5.3, 11.0), (8.6, 3.0), (11.9, 8.0)):
        painter.drawLine(QPointF(x, 13), QPointF(x, 13 - height))


def _draw_rows(painter: QPainter) -> None:
    for y in (3.0, 7.0, 11.0):
        painter.drawLine(QPointF(1, y), QPointF(13, y))


def _draw_table(painter: QPainter) -> None:
    painter.drawRect(QRectF(1, 2, 12, 10))
    painter.drawLine(QPointF(1, 6), QPointF(13, 6))
    painter.drawLine(QPointF(6, 2), QPointF(6, 12))


_DRAWN: MappingProxyType[str, Callable[[QPainter], None]] = MappingProxyType(
    {
        "lines": _draw_lines,
        "matrix": _draw_matrix,
        "steps": _draw_steps,
        "vectors": _draw_vectors,
        "parameters": _draw_table,
    }
)
