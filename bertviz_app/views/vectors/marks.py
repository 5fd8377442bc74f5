"""What stands beside and on a picture of vectors: labels, numbers, dimensions, colour bar."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFocusEvent, QFontMetricsF, QImage, QPainter, QPen

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.heads.heat_picture import GAP, HeatPicture, visible_levels
from bertviz_app.viewmodels.plane import Plane, ticks
from bertviz_app.views.kit.colour_maps import is_dark
from bertviz_app.views.kit.look import Look, colour_table
from bertviz_app.views.kit.numbers import fixed, general, signed

Table = NDArray[np.uint32]

BAR = 12.0
LABEL = 13.0
SMALL = 11.0
_INKS = ("#14161a", "#ffffff")
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def heat_table(look: Look) -> Table:
    """Return [256] colours 0xffRRGGBB for the levels from GAP to 127: blue below zero, orange above."""
    fine = colour_table(look.palette.differences, 509)
    table = np.empty(256, np.uint32)
    table[0] = np.uint32(look.colour("rule").rgb())
    table[1:] = fine[::2]  # 255 levels, zero exactly in the middle
    return table


def heat_image(
    picture: HeatPicture, axes: tuple[Axis, Axis], ratio: float, table: Table
) -> tuple[QImage, QRectF]:
    """Return the cells in sight as an image, and where it is to be drawn; `ratio`: device pixels a pixel."""
    rows, columns = axes
    n_rows, n_columns = picture.shape
    down = range(max(0, rows.tokens().start), min(n_rows, rows.tokens().stop))
    across = range(max(0, columns.tokens().start), min(n_columns, columns.tokens().stop))
    pitches = rows.pitch * ratio, columns.pitch * ratio
    levels, (tall, wide) = visible_levels(picture, pitches, down, across)
    pixels = np.ascontiguousarray(table[levels.astype(np.int16) - GAP])
    height, width = pixels.shape
    image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32).copy()
    y, x = rows.edge(down.start // tall * tall), columns.edge(across.start // wide * wide)
    return image, QRectF(x, y, width * wide * columns.pitch, height * tall * rows.pitch)


class Labels:
    """Labels of rows or columns, cut to the room they have; keeps what it measured."""

    def __init__(self, look: Look, texts: Sequence[str], is_faint: Sequence[bool] = ()) -> None:
        self.look = look
        self.texts = tuple(texts)
        self._is_faint = tuple(is_faint) or (False,) * len(self.texts)
        self._widest: float | None = None
        self._cut: dict[tuple[int, int, bool], str] = {}

    @property
    def height(self) -> float:
        return QFontMetricsF(self.look.font(LABEL)).height()

    def widest(self, most: float) -> float:
        """Return the room the labels need, at most `most` pixels."""
        if self._widest is None:
            metrics = QFontMetricsF(self.look.font(LABEL, bold=True))
            # The longest strings decide: measuring thousands would take longer than a frame.
            longest = sorted(self.texts, key=len)[-40:]
            self._widest = max((metrics.horizontalAdvance(text) for text in longest), default=0.0) + 2
        return min(most, self._widest)

    def draw(
        self, painter: QPainter, place: int, box: QRectF, align: Qt.AlignmentFlag, *, is_lit: bool
    ) -> None:
        """Write one label into `box`."""
        painter.setFont(self.look.font(LABEL, bold=is_lit))
        faint = self._is_faint[place]
        painter.setPen(self.look.colour("accent" if is_lit else "secondary" if faint else "text"))
        key = (place, round(box.width()), is_lit)
        if key not in self._cut:
            metrics = QFontMetricsF(painter.font())
            self._cut[key] = metrics.elidedText(
                self.texts[place], Qt.TextElideMode.ElideRight, box.width() + 1
            )
        painter.drawText(box, align | Qt.AlignmentFlag.AlignVCenter, self._cut[key])


def draw_row_labels(
    painter: QPainter, labels: Labels, axis: Axis, room: QRectF, lit: frozenset[int]
) -> list[int]:
    """Write the labels of the rows into `room`, right-aligned; return the rows that have one."""
    height = labels.height
    rows = axis.labelled(height, lit)
    for row in rows:
        box = QRectF(room.left(), axis.middle(row) - height / 2, room.width(), height)
        labels.draw(painter, row, box, Qt.AlignmentFlag.AlignRight, is_lit=row in lit)
    return rows


def slanted_rise(labels: Labels, most: float) -> float:
    """Return the height that labels written at 45 degrees need."""
    return (labels.widest(most) + labels.height) * math.sin(math.radians(45))


def draw_slanted_labels(
    painter: QPainter, labels: Labels, axis: Axis, bottom: float, most: float, lit: frozenset[int]
) -> None:
    """Write the labels of the columns at 45 degrees above `bottom`."""
    height = labels.height
    room = labels.look.font(LABEL).pixelSize() * 1.06 / math.sin(math.radians(45))
    for column in axis.labelled(room, lit):
        painter.save()
        painter.translate(axis.middle(column) - height * 0.1, bottom - 6)
        painter.rotate(-45)
        box = QRectF(0, -height * 0.62, most, height)
        labels.draw(painter, column, box, Qt.AlignmentFlag.AlignLeft, is_lit=column in lit)
        painter.restore()


def draw_level_labels(
    painter: QPainter, labels: Labels, axis: Axis, bottom: float, lit: frozenset[int]
) -> None:
    """Write the labels of wide columns level above `bottom`."""
    for column in axis.labelled(1.0, lit):
        box = QRectF(axis.edge(column) + 2, bottom - labels.height - 4, axis.pitch - 4, labels.height)
        labels.draw(painter, column, box, Qt.AlignmentFlag.AlignHCenter, is_lit=column in lit)


def draw_dimensions(painter: QPainter, look: Look, axis: Axis, top: float) -> None:
    """Write the numbers of the dimensions below the columns, at round steps."""
    painter.setFont(look.number_font(SMALL))
    metrics = QFontMetricsF(painter.font())
    last = max(0, math.ceil(axis.span.last) - 1)
    room = metrics.horizontalAdvance(str(last)) + 16
    steps = (step * 10**power for power in range(6) for step in (1, 2, 5))
    step = next((step for step in steps if step * axis.pitch >= room), 10**6)
    first = math.ceil(axis.span.first / step) * step
    for number in range(first, last + 1, step):
        x = axis.middle(number)
        if not axis.start <= x <= axis.end:
            continue
        painter.setPen(QPen(look.colour("rule")))
        painter.drawLine(QPointF(x, top), QPointF(x, top + 4))
        painter.setPen(look.colour("secondary"))
        box = QRectF(x - room / 2, top + 4, room, metrics.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, str(number))


def draw_numbers(
    painter: QPainter, look: Look, picture: HeatPicture, axes: tuple[Axis, Axis], table: Table
) -> None:
    """Write the number into each cell in sight."""
    rows, columns = axes
    inks = tuple(QColor(ink) for ink in _INKS)
    painter.setFont(look.number_font(SMALL))
    for row in rows.tokens():
        for column in columns.tokens():
            level = int(picture.levels[0][row, column])
            if level == GAP:
                continue
            painter.setPen(inks[is_dark(int(table[level - GAP]))])
            box = QRectF(columns.edge(column), rows.edge(row), columns.pitch, rows.pitch)
            painter.drawText(
                box, Qt.AlignmentFlag.AlignCenter, signed(float(picture.values[row, column])).lstrip("+")
            )


def numbers_fit(look: Look, axes: tuple[Axis, Axis]) -> bool:
    """Return whether cells have room for a number."""
    metrics = QFontMetricsF(look.number_font(SMALL))
    rows, columns = axes
    return columns.pitch >= metrics.horizontalAdvance("−0.00") + 4 and rows.pitch >= metrics.height() + 4


def draw_grid(painter: QPainter, look: Look, axes: tuple[Axis, Axis], plot: QRectF) -> None:
    """Part the cells by lines in the colour of the card."""
    rows, columns = axes
    painter.setPen(QPen(look.colour("card"), 1))
    for row in rows.tokens():
        y = round(rows.edge(row))
        painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
    for column in columns.tokens():
        x = round(columns.edge(column))
        painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))


def draw_notes(
    painter: QPainter, look: Look, notes: Sequence[str], axis: Axis, room: QRectF, title: str, rows: list[int]
) -> None:
    """Write the texts of `rows` at their right ends, under a title."""
    painter.setFont(look.number_font(SMALL))
    height = QFontMetricsF(painter.font()).height()
    painter.setPen(look.colour("text"))
    for row in rows:
        box = QRectF(room.left(), axis.middle(row) - height / 2, room.width(), height)
        painter.drawText(box, _RIGHT, notes[row])
    painter.setFont(look.font(SMALL))
    painter.setPen(look.colour("secondary"))
    painter.drawText(QRectF(room.left(), room.top() - height - 2, room.width(), height), _RIGHT, title)


def bar_texts(picture: HeatPicture | None, of_row: str) -> tuple[str, str, str]:
    """Return what stands at the top, the middle and the bottom of the colour bar.

    `of_row` says what full colour is where each row has its own.
    """
    if picture is None:
        return "", "", ""
    if picture.limit is None:
        return f"+{of_row}", "0", f"−{of_row}"
    above, below = ("≥", "≤") if picture.goes_beyond else ("", "")
    return above + signed(picture.limit), "0", below + signed(-picture.limit)


def draw_focus(painter: QPainter, look: Look, plot: QRectF) -> None:
    """Frame what the keys speak to."""
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(look.colour("accent"), 2))
    painter.drawRoundedRect(plot.adjusted(-3, -3, 3, 3), 3, 3)


def by_keyboard(event: QFocusEvent) -> bool:
    """Return whether the focus came by a key: by a click it needs no frame."""
    return event.gotFocus() and event.reason() in (
        Qt.FocusReason.TabFocusReason,
        Qt.FocusReason.BacktabFocusReason,
    )


def draw_heat_bar(painter: QPainter, look: Look, table: Table, bar: QRectF, texts: Sequence[str]) -> None:
    """Draw the colours from the highest to the lowest; `texts` stand at the top, the middle, the bottom."""
    pixels = np.ascontiguousarray(table[:0:-1, None])
    image = QImage(pixels.data, 1, len(pixels), 4, QImage.Format.Format_RGB32)
    painter.drawImage(bar, image)
    painter.setPen(QPen(look.colour("rule")))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(bar)
    painter.setFont(look.number_font(SMALL))
    painter.setPen(look.colour("secondary"))
    height = QFontMetricsF(painter.font()).height()
    places = (bar.top(), bar.center().y() - height / 2, bar.bottom() - height)
    for text, top in zip(texts, places, strict=True):
        painter.drawText(QRectF(bar.right() + 5, top, 200, height), _LEFT, text)


def draw_point(painter: QPainter, at: QPointF, radius: float, colours: tuple[QColor, QColor | None]) -> None:
    """Draw a point of a map: filled or, with a second colour for its inside, as a ring."""
    colour, inside = colours
    painter.setPen(Qt.PenStyle.NoPen if inside is None else QPen(colour, 2))
    painter.setBrush(colour if inside is None else inside)
    painter.drawEllipse(at, radius, radius)


def draw_axes(
    painter: QPainter, look: Look, plane: Plane, plot: QRectF, ratios: NDArray[np.float32], bottom: float
) -> None:
    """Draw round numbers along both axes of a map, and the share of the variance that each explains."""
    painter.setFont(look.number_font(SMALL))
    metrics = QFontMetricsF(painter.font())
    low, high = plane.point(0, plot.height()), plane.point(plot.width(), 0)
    apart = metrics.horizontalAdvance("−00.00") + 28
    for value in ticks(low[0], high[0], plot.width(), apart):
        x = plot.left() + plot.width() / 2 + (value - plane.x) * plane.scale
        painter.setPen(QPen(look.colour("secondary" if not value else "rule"), 1))
        painter.drawLine(QLineF(x, plot.top(), x, plot.bottom()))
        painter.setPen(look.colour("secondary"))
        box = QRectF(x - apart / 2, plot.bottom() + 3, apart, metrics.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, general(value))
    for value in ticks(low[1], high[1], plot.height(), metrics.height() * 3):
        y = plot.top() + plot.height() / 2 - (value - plane.y) * plane.scale
        painter.setPen(QPen(look.colour("secondary" if not value else "rule"), 1))
        painter.drawLine(QLineF(plot.left(), y, plot.right(), y))
        painter.setPen(look.colour("secondary"))
        box = QRectF(0, y - metrics.height() / 2, plot.left() - 6, metrics.height())
        painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, general(value))
    painter.setFont(look.font(12, bold=True))
    painter.setPen(look.colour("text"))
    height = QFontMetricsF(painter.font()).height()
    names = [f"PC{axis + 1} {fixed(100 * float(ratio), 1)} %" for axis, ratio in enumerate(ratios)]
    painter.drawText(QRectF(8, 4, 200, height), Qt.AlignmentFlag.AlignLeft, f"↑ {names[1]}")
    box = QRectF(plot.right() - 200, bottom - height - 4, 200, height)
    painter.drawText(box, Qt.AlignmentFlag.AlignRight, f"{names[0]} →")
