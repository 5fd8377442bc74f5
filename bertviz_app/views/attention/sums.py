"""The sums of a matrix, as bars: what each row holds at its right, and what each column receives below it."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.views.kit.heatmaps.heatmap import Layout
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed

_ROOM = (38.0, 24.0)
_GAP = 4


def room_for_sums(look: Look) -> tuple[int, int]:
    """Return the pixels that the sums need right of the cells and below them."""
    right, below = (look.pixels(room) for room in _ROOM)
    return right, below


def draw_sums(painter: QPainter, look: Look, picture: HeadPicture, layout: Layout) -> None:
    """Draw the sums of the rows and of the columns in sight."""
    plot = layout.plot
    across, down = (room - _GAP for room in room_for_sums(look))
    right = QRectF(plot.right() + _GAP, plot.top(), across, plot.height())
    below = QRectF(plot.left(), plot.bottom() + _GAP, plot.width(), down)
    _draw_bars(painter, look, layout.rows, picture, right, is_row=True)
    _draw_bars(painter, look, layout.columns, picture, below, is_row=False)


def _draw_bars(
    painter: QPainter, look: Look, axis: Axis, picture: HeadPicture, room: QRectF, *, is_row: bool
) -> None:
    sums = picture.row_sums if is_row else picture.column_sums
    whole = 1.0 if is_row and picture.is_of_weights else 0.0
    longest = max(whole, float(np.abs(np.nan_to_num(sums)).max()), 1e-30)
    pitch, inset = axis.pitch, min(2.0, axis.pitch * 0.15)
    bars, cells = [], []
    for number in axis.tokens():
        total = float(sums[number])
        if math.isnan(total):
            continue
        edge, share = axis.edge(number), abs(total) / longest
        if is_row:
            cells.append((QRectF(room.left(), edge, room.width(), pitch), total))
            bars.append(QRectF(room.left(), edge + inset, room.width() * share, pitch - 2 * inset))
        else:
            cells.append((QRectF(edge, room.top(), pitch, room.height()), total))
            bars.append(QRectF(edge + inset, room.top(), pitch - 2 * inset, room.height() * share))
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.colour("accent", 0.35))
    painter.drawRects(bars)
    _write(painter, look, cells, picture.digits)


def _write(painter: QPainter, look: Look, cells: list[tuple[QRectF, float]], digits: int) -> None:
    """Write each number into its cell, if there is room for it."""
    painter.setFont(look.number_font(10))
    painter.setPen(look.colour("text"))
    metrics = QFontMetricsF(painter.font())
    if not cells or cells[0][0].height() < metrics.height() - 2:
        return
    for cell, total in cells:
        text = fixed(total, digits)
        if cell.width() >= metrics.horizontalAdvance(text) + 2:
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)
