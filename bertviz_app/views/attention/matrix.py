"""The matrix: one head as a picture, a row for each query and a column for each key."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.axis import Axis, fitted
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.options import Options
from bertviz_app.viewmodels.selection import Pair, Selection
from bertviz_app.viewmodels.viewport import Span, Viewport
from bertviz_app.views.attention import matrix_marks as marks
from bertviz_app.views.attention.head_view import HeadView
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.colour_maps import Table, table_for
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.pill import draw_pill

_MARGIN = 8.0
_LONGEST_PITCH = 96.0
_WIDEST_LABEL = 120.0
_GRID_FROM = 7.0
_NUMBERS_FROM = (34.0, 22.0)
_SLANTS = (45.0, 60.0, 75.0, 90.0)
_SUMS = (38.0, 24.0)
_MOST_DRAWN = 128**2  # of cells that a file has as rectangles: more make it slow to open
_DRAWN_FROM = 6.0  # a shorter drag is a click


@dataclass(frozen=True)
class _Layout:
    """Where things lie in the widget; column labels are written at `slant` degrees."""

    queries: Axis
    keys: Axis
    plot: QRectF
    slant: float

    @property
    def axes(self) -> tuple[Axis, Axis]:
        return self.queries, self.keys


class MatrixView(HeadView):
    """Rows look at columns. The picture is the finest level of the pyramid with cells of a pixel or more.

    Dragging over the whole matrix, or with Shift, draws a rectangle to zoom into.
    """

    def __init__(
        self,
        look: Look,
        selection: Selection,
        viewport: Viewport,
        options: Options | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, selection, viewport, options, parent)
        self._layout: _Layout | None = None
        self._image: tuple[QImage, QRectF] | None = None
        self._rectangle: tuple[QPointF, QPointF] | None = None
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
        return marks.cell_box(self.axes(), query, key)

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
        spans, longest = self.spans(), self.look.pixels(_LONGEST_PITCH)
        sums = [self.look.pixels(room) if self.options.value.shows_sums else 0 for room in _SUMS]
        # Whole pixels: else the picture is drawn up to half a pixel away from the axes.
        left = math.ceil(_MARGIN + widest + 8)
        room_across = math.floor(self.width() - left - self._bar_room() - sums[0] - _MARGIN)
        keys = fitted(spans[1], left, max(20.0, room_across), longest)
        slant = 0.0 if keys.pitch >= widest + 8 else self._slant(keys)
        rise = (widest + height) * math.sin(math.radians(slant)) if slant else height
        top = math.ceil(_MARGIN + rise + 6)
        room_down = math.floor(self.height() - top - sums[1] - _MARGIN)
        queries = fitted(spans[0], top, max(20.0, room_down), longest)
        return _Layout(queries, keys, QRectF(left, top, keys.length, queries.length), slant)

    def _slant(self, keys: Axis) -> float:
        """Return 45 degrees, or a steeper slant if that gives more columns their labels."""
        return min(_SLANTS, key=lambda slant: (keys.step(self._slanted_room(slant)), slant))

    def _slanted_room(self, slant: float) -> float:
        """Return the pitch at which slanted labels keep clear, even a bracket beside a "g"."""
        return self.label_font().pixelSize() * 1.18 / math.sin(math.radians(slant))

    def _bar_room(self) -> float:
        """Return the room for the colour bar; slanted labels of the last columns reach over it."""
        return max(marks.BAR + self.look.pixels(52), self.widest_label(_WIDEST_LABEL) * 0.72)

    # drawing

    def draw_head(self, painter: QPainter, picture: HeadPicture) -> None:
        layout = self._laid_out()
        table = table_for(self.look, picture, self.options.value.colours)
        self._draw_cells(painter, picture, layout, table)
        self._draw_cross(painter, layout)
        self._draw_row_labels(painter, layout)
        self._draw_column_labels(painter, layout)
        plot, gap = layout.plot, 4
        sums = self.look.pixels(_SUMS[0]) if self.options.value.shows_sums else 0
        if sums:
            right = QRectF(plot.right() + gap, plot.top(), sums - gap, plot.height())
            below = QRectF(plot.left(), plot.bottom() + gap, plot.width(), self.look.pixels(_SUMS[1]) - gap)
            values = (picture.row_sums, picture.column_sums)
            marks.draw_sums(painter, self.look, layout.axes, values, (right, below))
        bar = QRectF(plot.right() + sums + 10, plot.top(), marks.BAR, min(plot.height(), 180.0))
        marks.draw_colour_bar(painter, self.look, picture, table, bar)
        if self._rectangle is not None:
            marks.draw_rectangle(painter, self.look, *self._rectangle)
        else:
            self._draw_read_out(painter, picture)

    def _draw_cells(self, painter: QPainter, picture: HeadPicture, layout: _Layout, table: Table) -> None:
        if self._image is None:
            self._image = self._visible_image(picture, layout, table)
        pitches, sides = (
            (layout.keys.pitch, layout.queries.pitch),
            (picture.reading.queries, picture.reading.keys),
        )
        painter.save()
        painter.setClipRect(layout.plot, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        in_sight = [len(axis.tokens()) for axis in layout.axes]
        if self.draws_vectors and in_sight[0] * in_sight[1] <= _MOST_DRAWN:
            marks.draw_cells(painter, picture, layout.axes, table)
        else:
            image, target = self._image
            painter.drawImage(target, image)
        marks.draw_gaps(painter, self.look, layout.axes, sides)
        if min(pitches) >= _GRID_FROM:
            self._draw_grid(painter, layout)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.options.value.marks_maxima:
            marks.draw_maxima(painter, self.look, picture, layout.axes, table)
        if all(pitch >= self.look.pixels(least) for pitch, least in zip(pitches, _NUMBERS_FROM, strict=True)):
            marks.draw_numbers(painter, self.look, picture, layout.axes, table)
        painter.restore()
        painter.setPen(QPen(self.look.colour("rule")))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        # Around the cells: on them it would hide the outermost ones of a long text.
        painter.drawRect(layout.plot.adjusted(-0.5, -0.5, 0.5, 0.5))

    def _visible_image(self, picture: HeadPicture, layout: _Layout, table: Table) -> tuple[QImage, QRectF]:
        """Return the visible part of the right level as an image, and where it is to be drawn."""
        ratio, counts = self.devicePixelRatioF(), picture.reading.counts
        # No texel smaller than a pixel: what nearest sampling would skip is kept by the level's maxima.
        # The last block may hold fewer tokens than the others: all texels of a level are drawn equally
        # wide, so that [SEP] in a part of a block has its pixel too.
        pitches = (layout.queries.pitch * ratio, layout.keys.pitch * ratio)
        fitting = (
            level
            for level in picture.levels
            if all(p * n / size >= 1.0 for p, n, size in zip(pitches, counts, level.shape, strict=True))
        )
        level = next(fitting, picture.levels[-1])
        tall, wide = (count / size for count, size in zip(counts, level.shape, strict=True))
        rows = _texels(layout.queries, tall, level.shape[0])
        columns = _texels(layout.keys, wide, level.shape[1])
        pixels = np.ascontiguousarray(table[level[rows, columns]])
        height, width = pixels.shape
        image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32).copy()
        top, bottom = (layout.queries.edge(place * tall) for place in (rows.start, rows.stop))
        left, right = (layout.keys.edge(place * wide) for place in (columns.start, columns.stop))
        return image, QRectF(left, top, right - left, bottom - top)

    def _draw_grid(self, painter: QPainter, layout: _Layout) -> None:
        painter.setPen(QPen(self.look.colour("card"), 1))
        for query in layout.queries.tokens():
            y = round(layout.queries.edge(query))
            painter.drawLine(QPointF(layout.plot.left(), y), QPointF(layout.plot.right(), y))
        for key in layout.keys.tokens():
            x = round(layout.keys.edge(key))
            painter.drawLine(QPointF(x, layout.plot.top()), QPointF(x, layout.plot.bottom()))

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
        side, height = self.side(of_queries=True), QFontMetricsF(self.label_font()).height()
        lit = frozenset() if self.shown.query is None else frozenset({self.shown.query})
        for query in layout.queries.labelled(height, lit):
            middle = layout.queries.middle(query)
            box = QRectF(_MARGIN, middle - height / 2, layout.plot.left() - _MARGIN - 8, height)
            self.draw_label(painter, side, query, box, Qt.AlignmentFlag.AlignRight, is_lit=query in lit)

    def _draw_column_labels(self, painter: QPainter, layout: _Layout) -> None:
        side, height = self.side(of_queries=False), QFontMetricsF(self.label_font()).height()
        lit = frozenset() if self.shown.key is None else frozenset({self.shown.key})
        if not layout.slant:
            for key in layout.keys.labelled(1.0, lit):
                box = QRectF(layout.keys.edge(key), layout.plot.top() - height - 6, layout.keys.pitch, height)
                self.draw_label(painter, side, key, box, Qt.AlignmentFlag.AlignHCenter, is_lit=key in lit)
            return
        room, lean = self._slanted_room(layout.slant), math.cos(math.radians(layout.slant))
        for key in layout.keys.labelled(room, lit):
            painter.save()
            painter.translate(layout.keys.middle(key) - height * 0.14 * lean, layout.plot.top() - 6)
            painter.rotate(-layout.slant)
            box = QRectF(0, -height * (0.5 + 0.17 * lean), self.look.pixels(_WIDEST_LABEL), height)
            self.draw_label(painter, side, key, box, Qt.AlignmentFlag.AlignLeft, is_lit=key in lit)
            painter.restore()

    def _draw_read_out(self, painter: QPainter, picture: HeadPicture) -> None:
        """Say the weight beside the pointer while it is on a cell."""
        if self.pointer is None:
            return
        pair = self.pair_at(self.pointer)
        if pair.query is not None and pair.key is not None:
            lines = marks.read_out(picture, pair.query, pair.key)
            draw_pill(painter, self.look, lines, self.pointer, QRectF(self.rect()))

    # gestures

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        is_asked = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        is_inside = self._laid_out().plot.contains(event.position())
        is_left = event.button() == Qt.MouseButton.LeftButton
        if is_left and is_inside and (is_asked or self.viewport.is_whole):
            self._rectangle = event.position(), event.position()
        super().mousePressEvent(event)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._rectangle is None:
            super().mouseMoveEvent(event)
            return
        self._rectangle = self._rectangle[0], event.position()
        self.update()

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        rectangle, self._rectangle = self._rectangle, None
        if rectangle is None or (rectangle[1] - rectangle[0]).manhattanLength() < _DRAWN_FROM:
            super().mouseReleaseEvent(event)
            return
        self.forget_press()
        corners = [self.places(corner) for corner in rectangle]
        (top, bottom), (left, right) = (sorted(side) for side in zip(*corners, strict=True))
        self.viewport.show(Span(math.floor(top), math.ceil(bottom)), Span(math.floor(left), math.ceil(right)))
        self.update()


def _texels(axis: Axis, width: float, count: int) -> slice:
    """Return the texels, `width` tokens each, that are in sight."""
    span = axis.span
    return slice(max(0, math.floor(span.first / width)), min(count, math.ceil(span.last / width)))
