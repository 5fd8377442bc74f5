"""What stands beside and on the cells of a matrix: numbers, maxima, sums, colour bar, read-out."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.heads.head_sources import DifferenceSource
from bertviz_app.viewmodels.heads.pictures import LEAST, HeadPicture
from bertviz_app.viewmodels.heads.token_places import Places
from bertviz_app.views.kit.colour_maps import Table, is_dark
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import MINUS, cell_difference, cell_weight, fixed, general, signed

_DARK, _LIGHT = "#14161a", "#ffffff"
_MARKED_FROM = 5.0
BAR = 12.0


def draw_cells(painter: QPainter, picture: HeadPicture, axes: tuple[Axis, Axis], table: Table) -> None:
    """Draw each cell in sight as a rectangle: a file's viewer might blur an image."""
    queries, keys = axes
    for query in queries.tokens():
        for key in keys.tokens():
            colour = QColor.fromRgb(int(table[picture.levels[0][query, key]]))
            painter.fillRect(cell_box(axes, query, key), colour)


def draw_numbers(
    painter: QPainter, look: Look, picture: HeadPicture, axes: tuple[Axis, Axis], table: Table
) -> None:
    """Write the weight into each cell in sight."""
    queries, keys = axes
    rows, columns = queries.tokens(), keys.tokens()
    weights = picture.source.rows(rows.start, rows.stop)[:, columns.start : columns.stop]
    levels = picture.levels[0][rows.start : rows.stop, columns.start : columns.stop]
    inks = (QColor(_DARK), QColor(_LIGHT))
    painter.setFont(look.number_font(11))
    for row, query in enumerate(rows):
        for column, key in enumerate(columns):
            weight = float(weights[row, column])
            if math.isnan(weight):
                continue
            painter.setPen(inks[is_dark(int(table[levels[row, column]]))])
            box = QRectF(keys.edge(key), queries.edge(query), keys.pitch, queries.pitch)
            text = (cell_difference if picture.is_difference else cell_weight)(weight)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)


def draw_maxima(
    painter: QPainter, look: Look, picture: HeadPicture, axes: tuple[Axis, Axis], table: Table
) -> None:
    """Mark the strongest key of each row by a frame, of small cells by a dot."""
    queries, keys = axes
    for query in queries.tokens():
        key = int(picture.maxima[query])
        if not keys.span.first <= key + 0.5 <= keys.span.last:
            continue
        box = QRectF(keys.edge(key), queries.edge(query), keys.pitch, queries.pitch)
        ink = QColor((_DARK, _LIGHT)[is_dark(int(table[picture.levels[0][query, key]]))])
        if min(box.width(), box.height()) >= 3 * _MARKED_FROM:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(look.colour("sentence_b"), 2))
            painter.drawRect(box.adjusted(1.5, 1.5, -1.5, -1.5))
        else:
            size = max(1.0, min(_MARKED_FROM, 0.45 * min(box.width(), box.height())))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(ink)
            painter.drawEllipse(box.center(), size / 2, size / 2)


def draw_gaps(painter: QPainter, look: Look, axes: tuple[Axis, Axis], sides: tuple[Places, Places]) -> None:
    """Hatch the rows and columns of tokens that only one of two runs has."""
    queries, keys = axes
    left, top = keys.start, queries.start
    painter.setPen(Qt.PenStyle.NoPen)
    for axis, side, is_row in ((queries, sides[0], True), (keys, sides[1], False)):
        if side.is_gap is None:
            continue
        painter.setBrush(QColor(look.palette.raised))
        for pattern in (Qt.BrushStyle.SolidPattern, Qt.BrushStyle.BDiagPattern):
            colour = look.colour("raised" if pattern == Qt.BrushStyle.SolidPattern else "special")
            brush = painter.brush()
            brush.setStyle(pattern)
            brush.setColor(colour)
            painter.setBrush(brush)
            for place in axis.tokens():
                if side.is_gap[place]:
                    edge, pitch = axis.edge(place), axis.pitch
                    box = (left, edge, keys.length, pitch) if is_row else (edge, top, pitch, queries.length)
                    painter.drawRect(QRectF(*box))


def draw_sums(
    painter: QPainter,
    look: Look,
    axes: tuple[Axis, Axis],
    sums: tuple[NDArray[np.float32], NDArray[np.float32]],
    room: tuple[QRectF, QRectF],
) -> None:
    """Draw what each row holds at its right and what each column receives below it, as bars."""
    metrics = QFontMetricsF(look.number_font(10))
    painter.setFont(look.number_font(10))
    for axis, values, box, is_row in (
        (axes[0], sums[0], room[0], True),
        (axes[1], sums[1], room[1], False),
    ):
        tallest = max(1.0 if is_row else 0.0, float(np.abs(np.nan_to_num(values)).max()), 1e-30)
        for place in axis.tokens():
            value = float(values[place])
            if math.isnan(value):
                continue
            edge, pitch = axis.edge(place), axis.pitch
            length = abs(value) / tallest
            inset = min(2.0, pitch * 0.15)
            if is_row:
                bar = QRectF(box.left(), edge + inset, box.width() * length, pitch - 2 * inset)
                cell = QRectF(box.left(), edge, box.width(), pitch)
            else:
                bar = QRectF(edge + inset, box.top(), pitch - 2 * inset, box.height() * length)
                cell = QRectF(edge, box.top(), pitch, box.height())
            painter.fillRect(bar, look.colour("accent", 0.35))
            text = fixed(value, 2)
            if cell.height() >= metrics.height() - 2 and cell.width() >= metrics.horizontalAdvance(text) + 2:
                painter.setPen(look.colour("text"))
                painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, text)


def draw_colour_bar(painter: QPainter, look: Look, picture: HeadPicture, table: Table, bar: QRectF) -> None:
    """Draw the colours from the least to the most, with what the ends stand for."""
    pixels = np.ascontiguousarray(table[::-1, None])
    image = QImage(pixels.data, 1, 256, 4, QImage.Format.Format_RGB32)
    painter.drawImage(bar, image)
    painter.setPen(QPen(look.colour("rule")))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(bar)
    painter.setFont(look.number_font(11))
    painter.setPen(look.colour("secondary"))
    places = (bar.top() + 5, bar.center().y(), bar.bottom() - 5)
    for text, y in zip(bar_texts(picture), places, strict=True):
        box = QRectF(bar.right() + 5, y - 8, look.pixels(52), 16)
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)


def bar_texts(picture: HeadPicture) -> tuple[str, str, str]:
    """Return what is written at the top, the middle and the bottom of the colour bar."""
    if picture.options.scale == "row":
        most = QCoreApplication.translate("Matrix", "row max")
        return (f"+{most}", "0", f"{MINUS}{most}") if picture.is_difference else (most, "", "0")
    if picture.is_difference:
        return cell_difference(picture.largest), "0", cell_difference(-picture.largest)
    if picture.options.scale == "log":
        return cell_weight(picture.largest), cell_weight(math.sqrt(picture.largest * LEAST)), general(LEAST)
    return cell_weight(picture.largest), "", "0"


def read_out(picture: HeadPicture, query: int, key: int) -> list[str]:
    """Return the lines of the read-out of a cell."""
    reading = picture.reading
    title = f"{reading.queries.labels[query]} → {reading.keys.labels[key]}"
    weight = float(picture.source.row(query)[key])
    if isinstance(picture.source, DifferenceSource):
        translate = QCoreApplication.translate
        if math.isnan(weight):
            return [title, translate("Matrix", "only one of the two runs has this token")]
        parts = picture.source.parts(query, key)
        words = translate("Matrix", "A − B {0} · A {1} · B {2}")
        return [title, words.format(signed(weight, 4), *map(fixed, parts))]
    words = QCoreApplication.translate("Matrix", "weight {0} · query {1} · key {2}")
    return [title, words.format(fixed(weight), reading.queries.token(query), reading.keys.token(key))]


def cell_box(axes: tuple[Axis, Axis], query: int, key: int) -> QRectF:
    """Return where the cell of a pair lies."""
    queries, keys = axes
    return QRectF(keys.edge(key), queries.edge(query), keys.pitch, queries.pitch)


def draw_rectangle(painter: QPainter, look: Look, start: QPointF, end: QPointF) -> None:
    """Draw the rectangle that is being chosen to zoom into."""
    painter.setPen(QPen(look.colour("accent"), 1.5, Qt.PenStyle.DashLine))
    painter.setBrush(look.colour("accent", 0.12))
    painter.drawRect(QRectF(start, end).normalized())
