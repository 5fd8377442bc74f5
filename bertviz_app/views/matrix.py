"""The matrix: one head as a picture, a row for each query and a column for each key."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QPen
from PySide6.QtWidgets import QWidget

from bertviz_app.analysis.pairs import attention_row
from bertviz_app.viewmodels.axis import Axis, fitted
from bertviz_app.viewmodels.pictures import HeadPicture
from bertviz_app.viewmodels.selection import Pair, Selection
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.head_view import HeadView
from bertviz_app.views.look import Look
from bertviz_app.views.pill import draw_pill

_MARGIN = 8.0
_BAR = 12.0
_LONGEST_PITCH = 96.0
_WIDEST_LABEL = 120.0
_GRID_FROM = 7.0
_NUMBERS_FROM = (34.0, 22.0)
_SLANTS = (45.0, 60.0)


@dataclass(frozen=True)
class _Layout:
    """Where things lie in the widget; column labels are written at `slant` degrees."""

    queries: Axis
    keys: Axis
    plot: QRectF
    slant: float


class MatrixView(HeadView):
    """Rows look at columns. The picture is the finest level of the pyramid with cells of a pixel or more."""

    def __init__(
        self, look: Look, selection: Selection, viewport: Viewport, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, selection, viewport, parent)
        self._layout: _Layout | None = None
        self._image: tuple[QImage, QRectF] | None = None
        self.setAccessibleName(self.tr("Attention matrix: rows look at columns"))

    def rebuild(self) -> None:
        super().rebuild()
        self._layout = None
        self._image = None

    # geometry

    def axes(self) -> tuple[Axis, Axis]:
        layout = self._laid_out()
        return layout.queries, layout.keys

    def cell_rect(self, query: int, key: int) -> QRectF:
        """Return where the cell of a pair lies, in the coordinates of the widget."""
        queries, keys = self.axes()
        return QRectF(keys.edge(key), queries.edge(query), keys.pitch, queries.pitch)

    def pair_at(self, at: QPointF) -> Pair:
        layout = self._laid_out()
        query, key = layout.queries.token(at.y()), layout.keys.token(at.x())
        is_in_rows, is_in_columns = at.x() < layout.plot.right(), at.y() < layout.plot.bottom()
        return Pair(query if is_in_rows else None, key if is_in_columns else None)

    def places(self, at: QPointF) -> tuple[float, float]:
        queries, keys = self.axes()
        return queries.place(at.y()), keys.place(at.x())

    def _laid_out(self) -> _Layout:
        if self._layout is None:
            self._layout = self._lay_out()
        return self._layout

    def _lay_out(self) -> _Layout:
        widest = self.widest_label(_WIDEST_LABEL)
        height = QFontMetricsF(self.label_font()).height()
        # Whole pixels: else the picture is drawn up to half a pixel away from the axes.
        left = math.ceil(_MARGIN + widest + 8)
        room_across = math.floor(self.width() - left - self._bar_room() - _MARGIN)
        keys = fitted(self.viewport.keys, left, max(20.0, room_across), _LONGEST_PITCH)
        slant = 0.0 if keys.pitch >= widest + 8 else self._slant(keys.pitch)
        rise = (widest + height) * math.sin(math.radians(slant)) if slant else height
        top = math.ceil(_MARGIN + rise + 6)
        room_down = math.floor(self.height() - top - _MARGIN)
        queries = fitted(self.viewport.queries, top, max(20.0, room_down), _LONGEST_PITCH)
        return _Layout(queries, keys, QRectF(left, top, keys.length, queries.length), slant)

    def _slant(self, pitch: float) -> float:
        """Return 45 degrees, or a steeper slant if only that gives every column its label."""
        fitting = [slant for slant in _SLANTS if pitch >= self._slanted_room(slant)]
        return fitting[0] if fitting else _SLANTS[0]

    def _slanted_room(self, slant: float) -> float:
        """Return the pitch at which slanted labels keep clear of each other: the letters need their
        size, not the whole height of a line.
        """
        return self.label_font().pixelSize() * 1.06 / math.sin(math.radians(slant))

    def _bar_room(self) -> float:
        """Return the room for the colour bar; slanted labels of the last columns reach over it."""
        return max(_BAR + 44, self.widest_label(_WIDEST_LABEL) * 0.72)

    # drawing

    def draw_head(self, painter: QPainter, picture: HeadPicture) -> None:
        layout = self._laid_out()
        self._draw_image(painter, picture, layout)
        self._draw_cross(painter, layout)
        self._draw_row_labels(painter, layout)
        self._draw_column_labels(painter, layout)
        self._draw_colour_bar(painter, picture, layout)
        self._draw_read_out(painter, picture)

    def _draw_image(self, painter: QPainter, picture: HeadPicture, layout: _Layout) -> None:
        if self._image is None:
            self._image = self._visible_image(picture, layout)
        image, target = self._image
        painter.save()
        painter.setClipRect(layout.plot, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.drawImage(target, image)
        if min(layout.queries.pitch, layout.keys.pitch) >= _GRID_FROM:
            self._draw_grid(painter, layout)
        if layout.keys.pitch >= _NUMBERS_FROM[0] and layout.queries.pitch >= _NUMBERS_FROM[1]:
            self._draw_numbers(painter, picture, layout)
        painter.restore()
        painter.setPen(QPen(self.look.colour("rule")))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # Around the cells: on them it would hide the outermost ones of a long text.
        painter.drawRect(layout.plot.adjusted(-0.5, -0.5, 0.5, 0.5))

    def _visible_image(self, picture: HeadPicture, layout: _Layout) -> tuple[QImage, QRectF]:
        """Return the visible part of the right level as an image, and where it is to be drawn."""
        finest = min(layout.queries.pitch, layout.keys.pitch) * self.devicePixelRatioF()
        # No texel smaller than a pixel: what nearest sampling would skip is kept by the level's maxima.
        # The last block may hold fewer tokens than the others: all texels of a level are drawn equally
        # wide, so that [SEP] in a part of a block has its pixel too.
        n_tokens = picture.trace.n_tokens
        fitting = (level for level in picture.levels if finest * n_tokens / len(level) >= 1.0)
        level = next(fitting, picture.levels[-1])
        width_of_texel = n_tokens / len(level)
        rows = _texels(layout.queries, width_of_texel, len(level))
        columns = _texels(layout.keys, width_of_texel, len(level))
        pixels = np.ascontiguousarray(self.look.weights[level[rows, columns]])
        height, width = pixels.shape
        image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32).copy()
        top, bottom = (layout.queries.edge(place * width_of_texel) for place in (rows.start, rows.stop))
        left, right = (layout.keys.edge(place * width_of_texel) for place in (columns.start, columns.stop))
        return image, QRectF(left, top, right - left, bottom - top)

    def _draw_grid(self, painter: QPainter, layout: _Layout) -> None:
        painter.setPen(QPen(self.look.colour("card"), 1))
        for query in layout.queries.tokens():
            y = round(layout.queries.edge(query))
            painter.drawLine(QPointF(layout.plot.left(), y), QPointF(layout.plot.right(), y))
        for key in layout.keys.tokens():
            x = round(layout.keys.edge(key))
            painter.drawLine(QPointF(x, layout.plot.top()), QPointF(x, layout.plot.bottom()))

    def _draw_numbers(self, painter: QPainter, picture: HeadPicture, layout: _Layout) -> None:
        rows, columns = layout.queries.tokens(), layout.keys.tokens()
        part = (slice(rows.start, rows.stop), slice(columns.start, columns.stop))
        # Whole rows, of which a part is shown: only those are divided by their sum.
        whole = picture.trace.attention(picture.layer, picture.head, part[0])
        weights, levels = whole[:, part[1]], picture.levels[0][part]
        inks = [self.look.colour("text"), QColor("#14161a"), QColor("#ffffff")]
        painter.setFont(self.look.number_font(11))
        for row, query in enumerate(rows):
            for column, key in enumerate(columns):
                painter.setPen(inks[_ink(int(self.look.weights[levels[row, column]]))])
                box = QRectF(
                    layout.keys.edge(key), layout.queries.edge(query), layout.keys.pitch, layout.queries.pitch
                )
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, _short(float(weights[row, column])))

    def _draw_cross(self, painter: QPainter, layout: _Layout) -> None:
        """Mark the lit row and column by thin lines along them, and the lit cell by a frame."""
        shown, plot = self.shown, layout.plot
        painter.save()
        painter.setClipRect(plot.adjusted(-2, -2, 2, 2), Qt.ClipOperation.IntersectClip)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.look.colour("accent", 0.75), 1))
        if shown.query is not None:
            painter.drawRect(
                QRectF(plot.left(), layout.queries.edge(shown.query), plot.width(), layout.queries.pitch)
            )
        if shown.key is not None:
            painter.drawRect(
                QRectF(layout.keys.edge(shown.key), plot.top(), layout.keys.pitch, plot.height())
            )
        if shown.query is not None and shown.key is not None:
            painter.setPen(QPen(self.look.colour("accent"), 2.5))
            painter.drawRect(self.cell_rect(shown.query, shown.key))
        painter.restore()

    def _draw_row_labels(self, painter: QPainter, layout: _Layout) -> None:
        height = QFontMetricsF(self.label_font()).height()
        lit = frozenset() if self.shown.query is None else frozenset({self.shown.query})
        for query in layout.queries.labelled(height, lit):
            middle = layout.queries.middle(query)
            box = QRectF(_MARGIN, middle - height / 2, layout.plot.left() - _MARGIN - 8, height)
            self.draw_label(painter, query, box, Qt.AlignmentFlag.AlignRight, is_lit=query in lit)

    def _draw_column_labels(self, painter: QPainter, layout: _Layout) -> None:
        height = QFontMetricsF(self.label_font()).height()
        lit = frozenset() if self.shown.key is None else frozenset({self.shown.key})
        if not layout.slant:
            for key in layout.keys.labelled(1.0, lit):
                box = QRectF(layout.keys.edge(key), layout.plot.top() - height - 6, layout.keys.pitch, height)
                self.draw_label(painter, key, box, Qt.AlignmentFlag.AlignHCenter, is_lit=key in lit)
            return
        room = self._slanted_room(layout.slant)
        for key in layout.keys.labelled(room, lit):
            painter.save()
            painter.translate(layout.keys.middle(key) - height * 0.1, layout.plot.top() - 6)
            painter.rotate(-layout.slant)
            box = QRectF(0, -height * 0.62, _WIDEST_LABEL, height)
            self.draw_label(painter, key, box, Qt.AlignmentFlag.AlignLeft, is_lit=key in lit)
            painter.restore()

    def _draw_colour_bar(self, painter: QPainter, picture: HeadPicture, layout: _Layout) -> None:
        height = min(layout.plot.height(), 180.0)
        bar = QRectF(layout.plot.right() + 10, layout.plot.top(), _BAR, height)
        pixels = np.ascontiguousarray(self.look.weights[::-1, None])
        image = QImage(pixels.data, 1, 256, 4, QImage.Format.Format_RGB32)
        painter.drawImage(bar, image)
        painter.setPen(QPen(self.look.colour("rule")))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(bar)
        painter.setFont(self.look.number_font(11))
        painter.setPen(self.look.colour("secondary"))
        for text, y in ((_short(picture.largest), bar.top() + 5), ("0", bar.bottom() - 5)):
            box = QRectF(bar.right() + 5, y - 8, 44, 16)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def _draw_read_out(self, painter: QPainter, picture: HeadPicture) -> None:
        """Say the weight beside the pointer while it is on a cell."""
        if self.pointer is None:
            return
        pair = self.pair_at(self.pointer)
        if pair.query is None or pair.key is None:
            return
        query, key = pair.query, pair.key
        weight = float(attention_row(picture.trace, picture.layer, picture.head, query)[key])
        title = f"{self.labels[query]} → {self.labels[key]}"
        numbers = self.tr("weight {0:.4f} · query {1} · key {2}").format(weight, query, key)
        draw_pill(painter, self.look, [title, numbers], self.pointer, QRectF(self.rect()))


def _texels(axis: Axis, width: float, count: int) -> slice:
    """Return the texels, `width` tokens each, that are in sight."""
    span = axis.span
    return slice(max(0, math.floor(span.first / width)), min(count, math.ceil(span.last / width)))


def _ink(colour: int) -> int:
    """Return which ink is read best on 0xffRRGGBB: 1 for dark, 2 for light."""
    red, green, blue = colour >> 16 & 255, colour >> 8 & 255, colour & 255
    return 1 if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else 2


def _short(weight: float) -> str:
    """Return a weight with as many digits as a cell has room for; small ones are not called zero."""
    return f"{weight:.2f}" if weight >= 0.005 or weight == 0 else "<.01"
