"""What is drawn on, beside and below the cells of the overview: values, names, numbers, frames, colours."""

from __future__ import annotations

from collections.abc import Container, Iterable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen

from bertviz_app.viewmodels.head_atlas import level_of
from bertviz_app.viewmodels.heads.overview_cells import CellGrid
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.views.kit.colour_maps import ink_on
from bertviz_app.views.kit.look import Look, colour_table
from bertviz_app.views.kit.numbers import MINUS, cell_change, cell_measure

Head = tuple[int, int]
SAMPLED = "≈"
"""Stands before a layer whose pictures are of a sample of the queries."""

_MARGIN = 1.5  # beside the number of a cell


def cell_rects(grid: CellGrid) -> dict[Head, QRectF]:
    """Return where each head's cell lies."""
    corners = (grid.corner(index) for index in range(len(grid.heads)))
    return {at: QRectF(*corner, grid.side, grid.side) for at, corner in zip(grid.heads, corners, strict=True)}


def name_height(look: Look) -> float:
    """Return the height of the band with a head's name in a rearranged cell."""
    return look.pixels(14)


def draw_measure(
    painter: QPainter, look: Look, grid: CellGrid, values: NDArray[np.float32], *, is_named: bool
) -> None:
    """Fill each cell with the colour of its value, and write the value where it fits."""
    top = largest(values)
    painter.setFont(look.number_font(min(11.0, 4.5 + grid.side / look.scale / 5)))
    below = name_height(look) if is_named else 0.0
    for at, rect in cell_rects(grid).items():
        value = float(values[at])
        is_known = not np.isnan(value)  # else it is still being computed
        colour = int(look.weights[level_of(value, top)]) if is_known else look.colour("card").rgb()
        _draw_cell(painter, look, (rect, below), colour, cell_measure(value) if is_known else "…")


def largest(values: NDArray[np.float32]) -> float:
    """Return the largest of the values that are known, 0 where none is."""
    return float(np.nan_to_num(values).max())


def draw_differences(painter: QPainter, look: Look, grid: CellGrid, values: NDArray[np.float32]) -> None:
    """Fill each cell with the colour of its difference about zero, and write the difference where it fits."""
    top, colours = float(np.abs(values).max()) or 1.0, colour_table(look.palette.differences, 255)
    sizes = (size for size in (11.0, 10.0, 9.0, 8.0) if _width_of_change(look, size) <= grid.side - _MARGIN)
    size = next(sizes, None)
    painter.setFont(look.number_font(size or 8.0))
    for at, rect in cell_rects(grid).items():
        value = float(values[at])
        colour = int(colours[round((value / top + 1) * 127)])
        # A few zeros alone, where nothing else has room, would be taken for all that there is.
        _draw_cell(painter, look, (rect, 0.0), colour, cell_change(value) if size else "")


def _width_of_change(look: Look, size: float) -> float:
    return QFontMetricsF(look.number_font(size)).horizontalAdvance(cell_change(-0.25))


def _draw_cell(painter: QPainter, look: Look, box: tuple[QRectF, float], colour: int, text: str) -> None:
    """Fill a cell, and write into it where it fits; `box`: the cell, and how much of its top is left free."""
    rect, below = box
    painter.fillRect(rect.adjusted(-1, -1, 1, 1), look.colour("rule"))
    painter.fillRect(rect, QColor.fromRgb(colour))
    if QFontMetricsF(painter.font()).horizontalAdvance(text) <= rect.width() - _MARGIN:
        painter.setPen(ink_on(colour))
        painter.drawText(rect.adjusted(0, below, 0, 0), Qt.AlignmentFlag.AlignCenter, text)


def draw_edges(
    painter: QPainter, look: Look, grid: CellGrid, current: Head | None, sampled: Container[int] = ()
) -> None:
    """Write the numbers of heads above the cells, and at their left the layers, ≈ before `sampled` ones."""
    painter.setFont(look.font(12))
    for head in range(grid.columns):
        left, top = grid.corner(head)
        is_current = current is not None and current[1] == head
        painter.setPen(look.colour("accent" if is_current else "secondary"))
        above = QRectF(left - 2, 0, grid.side + 4, top - 4)
        painter.drawText(above, Qt.AlignmentFlag.AlignCenter, str(head))
    for layer in range(grid.rows):
        left, top = grid.corner(layer * grid.columns)
        is_current = current is not None and current[0] == layer
        painter.setPen(look.colour("accent" if is_current else "secondary"))
        beside = QRectF(0, top, left - 7, grid.side)
        name = f"{SAMPLED}{layer}" if layer in sampled else str(layer)
        painter.drawText(beside, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)


def draw_frames(
    painter: QPainter, look: Look, grid: CellGrid, panels: Panels, hovered: Head | None, muted: Iterable[Head]
) -> None:
    """Cross out muted heads; frame those in panels and the one under the pointer."""
    rects = cell_rects(grid)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(look.colour("error"), 1.5))
    for at in muted:
        if at in rects:
            painter.drawLine(rects[at].topLeft(), rects[at].bottomRight())
            painter.drawLine(rects[at].topRight(), rects[at].bottomLeft())
    last = max((head for _, head in rects), default=0)  # 0 too where a layer has one cell
    for panel in panels.panels:
        rect = rects.get((panel.layer, min(panel.head, last)))
        if rect is not None:
            is_active = panel == panels.active
            painter.setPen(QPen(look.colour("accent", 1.0 if is_active else 0.6), 2 if is_active else 1.5))
            painter.drawRect(rect.adjusted(-1, -1, 1, 1))
    if hovered in rects:
        painter.setPen(QPen(look.colour("text"), 1))
        painter.drawRect(rects[hovered].adjusted(-1, -1, 1, 1))


def draw_bar(painter: QPainter, look: Look, corner: QPointF, width: float, end: str) -> None:
    """Draw the colours from 0 to `end`, from `corner` on and at most `width` pixels wide."""
    _draw_bar(painter, look, QRectF(corner.x(), corner.y(), width, 0), ("0", end), look.weights)


def draw_signed_bar(painter: QPainter, look: Look, corner: QPointF, width: float, end: str) -> None:
    """Draw the colours of differences from −`end` to +`end`, where `draw_bar` draws those of weights."""
    colours = colour_table(look.palette.differences)
    _draw_bar(painter, look, QRectF(corner.x(), corner.y(), width, 0), (f"{MINUS}{end}", f"+{end}"), colours)


def _draw_bar(
    painter: QPainter, look: Look, box: QRectF, ends: tuple[str, str], colours: NDArray[np.uint32]
) -> None:
    corner, width, (start, end) = box.topLeft(), box.width(), ends
    painter.setFont(look.font(12))
    metrics = QFontMetricsF(painter.font())
    zero = metrics.horizontalAdvance(start) + 6
    room = width - zero - metrics.horizontalAdvance(end) - 6
    bar = QRectF(corner.x() + zero, corner.y() + 2, max(30.0, min(room, look.pixels(150))), look.pixels(10))
    pixels = np.ascontiguousarray(colours[None])
    painter.drawImage(bar, QImage(pixels.data, 256, 1, 256 * 4, QImage.Format.Format_RGB32))
    painter.setPen(QPen(look.colour("rule")))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(bar)
    painter.setPen(look.colour("secondary"))
    line = QRectF(0, bar.top() - 4, 1, bar.height() + 8)
    flags = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextDontClip
    painter.drawText(line.translated(corner.x(), 0), flags, start)
    painter.drawText(line.translated(bar.right() + 6, 0), flags, end)
