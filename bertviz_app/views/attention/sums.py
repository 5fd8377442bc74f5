"""The sums of a matrix, as bars: what each row holds at its right, and what each column receives below it."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.views.kit.cached_picture import CachedTexts, FrameTexts
from bertviz_app.views.kit.heatmaps.heatmap import HeatmapLayout
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed

_ROOM = (38.0, 24.0)
_GAP = 4
_WIDEST = 120.0


def room_for_sums(look: Look) -> tuple[int, int]:
    """Return the pixels that the sums need right of the cells and below them."""
    right, below = (look.pixels(room) for room in _ROOM)
    return right, below


def draw_sums(
    painter: QPainter, texts: CachedTexts, look: Look, picture: HeadPicture, layout: HeatmapLayout
) -> None:
    """Draw the sums of the rows and of the columns in sight, their numbers from `texts`.

    Qt antialiases letters differently on a transparent pixmap than on the card: without `texts` a frame that
    is copied from a cached picture would differ from the frame before it.
    """
    plot = layout.plot
    across, down = (room - _GAP for room in room_for_sums(look))
    right = QRectF(plot.right() + _GAP, plot.top(), across, plot.height())
    below = QRectF(plot.left(), plot.bottom() + _GAP, plot.width(), down)
    frame = texts.frame(painter)
    _draw_bars(frame, look, layout.rows, picture, right, is_row=True)
    _draw_bars(frame, look, layout.columns, picture, below, is_row=False)


def _draw_bars(
    frame: FrameTexts, look: Look, axis: Axis, picture: HeadPicture, room: QRectF, *, is_row: bool
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
            bar = QRectF(room.left(), edge + inset, room.width() * share, pitch - 2 * inset)
        else:
            cells.append((QRectF(edge, room.top(), pitch, room.height()), total))
            bar = QRectF(edge + inset, room.top(), pitch - 2 * inset, room.height() * share)
        bars.append(bar.intersected(room))  # of the first and the last token only a part may be in sight
    painter = frame.painter
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(look.colour("accent", 0.35))
    painter.drawRects(bars)
    _write(frame, look, cells, picture.digits)


def _write(frame: FrameTexts, look: Look, cells: list[tuple[QRectF, float]], digits: int) -> None:
    """Write each number into its cell, if there is room for it."""
    font = look.number_font(10)
    metrics = QFontMetricsF(font)
    if not cells or cells[0][0].height() < metrics.height() - 2:
        return
    room = QRectF(-_WIDEST / 2, -metrics.height() / 2, _WIDEST, metrics.height())

    def write(text: str, painter: QPainter) -> None:
        painter.setFont(font)
        painter.setPen(look.colour("text"))
        painter.drawText(room, Qt.AlignmentFlag.AlignCenter, text)

    written = ((cell, fixed(total, digits)) for cell, total in cells)
    fitting = ((cell, text) for cell, text in written if cell.width() >= metrics.horizontalAdvance(text) + 2)
    frame.draw(room, ((cell.center(), text, partial(write, text)) for cell, text in fitting))
