"""`WeightsView`: the numbers of one matrix in colours, zoomed and pointed at, however many there are."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.axis import Axis, fitted
from bertviz_app.viewmodels.parameters.matrix_region import Matrix, Region, RegionPicture
from bertviz_app.viewmodels.pyramid import signed_levels
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.colour_maps import ink_on, signed_table
from bertviz_app.views.kit.gestures import Gestures
from bertviz_app.views.kit.heatmaps.heatmap import HeatmapLayout, draw_selection_frame, framed_spans
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import MINUS, cell_number, signed
from bertviz_app.views.kit.pill import draw_pill

_SMALL = 11.0
_MARGIN = 8.0
_BAR = 12.0
_LONGEST_PITCH = 64.0

ReadOut = Callable[[int, int, Region], list[str]]
"""Returns what is written beside the pointer on a cell (row, column) of what is drawn as a region."""


class WeightsView(Canvas):
    """Shows a `Matrix`; its colours come as a picture of the part in sight, which a worker makes.

    `region_requested(region)` asks for it whenever another part is in sight; until it is there the picture
    before it is drawn, stretched to its place. A click emits `cell_chosen(row, column)`.
    """

    fills_ground = True

    region_requested = Signal(object)
    cell_chosen = Signal(int, int)

    def __init__(self, look: Look, read_out: ReadOut, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.viewport = Viewport(self)
        self.matrix: Matrix | None = None
        self.row_mark: int | None = None
        self._picture: RegionPicture | None = None
        self._image, self._bar = QImage(), _bar_of(look)
        self._read_out = read_out
        viewport = self.viewport
        gestures = self.gestures = Gestures(
            self,
            lambda: not viewport.is_whole,
            lambda at, _: viewport.is_whole and self.layout_of_cells.plot.contains(at),
        )
        gestures.moved.connect(self.update)
        gestures.left.connect(self.update)
        gestures.clicked.connect(self._on_clicked)
        gestures.dragged.connect(lambda *way: viewport.pan(*self.layout_of_cells.moved(*way)))
        gestures.framed.connect(lambda frame: viewport.show(*framed_spans(self.layout_of_cells, frame)))
        gestures.scaled.connect(self._on_scaled)
        gestures.double_clicked.connect(lambda at: viewport.toggle(*self.layout_of_cells.position(at)))
        viewport.changed.connect(self._on_layout_changed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(120, 80)

    def show_matrix(self, matrix: Matrix) -> None:
        """Show another matrix; one of the same shape in the same zoom."""
        if matrix is self.matrix:
            return
        self.matrix, self._picture, self._image = matrix, None, QImage()
        if matrix.shape != self.viewport.counts:
            self.viewport.fit(*matrix.shape)
        self._on_layout_changed()

    def show_picture(self, picture: RegionPicture) -> None:
        """Draw the colours of a region."""
        if picture is not self._picture:
            self._picture = picture
            self._image = _image_of(picture, self.look)
            self.update()

    def mark_row(self, row: int | None) -> None:
        """Frame a row: that of the chosen output."""
        if row != self.row_mark:
            self.row_mark = row
            self.update()

    @property
    def has_own_picture(self) -> bool:
        """Whether the colours of the part in sight are there."""
        return self._picture is not None and self._picture.region == self.region

    @property
    def region(self) -> Region:
        """The part in sight, and its pixels."""
        layout, ratio, viewport = self.layout_of_cells, self.devicePixelRatioF(), self.viewport
        rows = math.floor(viewport.queries.first), math.ceil(viewport.queries.last)
        columns = math.floor(viewport.keys.first), math.ceil(viewport.keys.last)
        return Region(
            rows,
            columns,
            max(1, math.floor((rows[1] - rows[0]) * layout.rows.pitch * ratio + 0.5)),
            max(1, math.floor((columns[1] - columns[0]) * layout.columns.pitch * ratio + 0.5)),
        )

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(400, 300)

    # geometry

    @property
    def layout_of_cells(self) -> HeatmapLayout:
        """Where the cells lie, in the coordinates of the widget."""
        metrics = QFontMetricsF(self.look.number_font(_SMALL))
        left = math.ceil(_MARGIN + metrics.horizontalAdvance(str(self.viewport.n_queries)) + 10)
        right = 10 + _BAR + max(map(metrics.horizontalAdvance, _bar_texts(self.matrix))) + 12
        across = max(20.0, math.floor(self.width() - left - right))
        down = max(20.0, math.floor(self.height() - 2 * _MARGIN - metrics.height() - 6))
        longest = self.look.pixels(_LONGEST_PITCH)
        rows = fitted(self.viewport.queries, _MARGIN, down, longest)
        columns = fitted(self.viewport.keys, left, across, longest)
        return HeatmapLayout(rows, columns, QRectF(left, _MARGIN, columns.length, rows.length), 0.0, 0.0)

    def cell_at(self, at: QPointF) -> tuple[int, int] | None:
        """Return the row and the column under a point."""
        if not self.layout_of_cells.plot.contains(at):
            return None
        row, column = self.layout_of_cells.cell_at(at)
        return None if row is None or column is None else (row, column)

    @Slot()
    def _on_layout_changed(self) -> None:
        if self.matrix is not None and self.isVisible():
            self.region_requested.emit(self.region)
        self.update()

    def _on_look_changed(self) -> None:
        self._bar = _bar_of(self.look)
        if self._picture is not None:
            self._image = _image_of(self._picture, self.look)
        super()._on_look_changed()
        self._on_layout_changed()

    # drawing

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        matrix, layout = self.matrix, self.layout_of_cells
        if matrix is None or matrix.shape != self.viewport.counts:
            return
        painter.save()
        painter.setClipRect(layout.plot, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._draw_picture(painter, layout)
        self._draw_numbers(painter, matrix, layout)
        painter.restore()
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.look.colour("rule")))
        painter.drawRect(layout.plot.adjusted(-0.5, -0.5, 0.5, 0.5))
        self._draw_mark(painter, layout)
        self._draw_ticks(painter, layout)
        self._draw_bar(painter, matrix, layout)
        if self.gestures.frame is not None:
            draw_selection_frame(painter, self.look, self.gestures.frame)
            return
        pointer = self.gestures.pointer
        cell = None if pointer is None or self.gestures.is_pressed else self.cell_at(pointer)
        if cell is not None and pointer is not None:
            painter.setOpacity(1.0)
            draw_pill(painter, self.look, self._read_out(*cell, self.region), pointer, QRectF(self.rect()))

    def _draw_picture(self, painter: QPainter, layout: HeatmapLayout) -> None:
        if self._picture is None:
            return
        region, (down, across) = self._picture.region, self._picture.region.steps
        top, left = layout.rows.edge(region.rows[0]), layout.columns.edge(region.columns[0])
        height = self._image.height() * down * layout.rows.pitch
        width = self._image.width() * across * layout.columns.pitch
        painter.drawImage(QRectF(left, top, width, height), self._image)

    def _draw_numbers(self, painter: QPainter, matrix: Matrix, layout: HeatmapLayout) -> None:
        """Write the number into each cell in sight that has room for it."""
        painter.setFont(self.look.number_font(_SMALL))
        metrics = QFontMetricsF(painter.font())
        room = metrics.horizontalAdvance(f"{MINUS}0.000") + 6, metrics.height() + 4
        if layout.columns.pitch < room[0] or layout.rows.pitch < room[1]:
            return
        rows, columns = layout.rows.tokens(), layout.columns.tokens()
        part = matrix.block(slice(rows.start, rows.stop), slice(columns.start, columns.stop))
        levels = signed_levels(np.clip(part / matrix.limit, -1, 1))
        table = signed_table(self.look)
        for row, numbers, of_row in zip(rows, part.tolist(), levels, strict=True):
            for column, number, level in zip(columns, numbers, of_row, strict=True):
                painter.setPen(ink_on(int(table[level])))
                painter.drawText(layout.cell(row, column), Qt.AlignmentFlag.AlignCenter, cell_number(number))

    def _draw_mark(self, painter: QPainter, layout: HeatmapLayout) -> None:
        if self.row_mark is None:
            return
        plot, top = layout.plot, layout.rows.edge(self.row_mark)
        height = max(layout.rows.pitch, 2.0)
        if top + height >= plot.top() and top <= plot.bottom():
            painter.setPen(QPen(self.look.colour("accent"), 1.5))
            painter.drawRect(QRectF(plot.left() - 1, top - 0.5, plot.width() + 2, height + 1))

    def _draw_ticks(self, painter: QPainter, layout: HeatmapLayout) -> None:
        """Write the numbers of rows at the left, and those of columns below, at round steps."""
        painter.setFont(self.look.number_font(_SMALL))
        metrics, plot = QFontMetricsF(painter.font()), layout.plot
        height, room = metrics.height(), metrics.horizontalAdvance(str(self.viewport.n_keys)) + 16
        rows = _ticks(layout.rows, 1.7 * height) if self.viewport.n_queries > 1 else range(0)
        at_rows = [(number, layout.rows.middle(number)) for number in rows]
        at_columns = [(number, layout.columns.middle(number)) for number in _ticks(layout.columns, room)]
        painter.setPen(QPen(self.look.colour("rule")))
        painter.drawLines([QLineF(plot.left() - 4, y, plot.left(), y) for _, y in at_rows])
        painter.drawLines([QLineF(x, plot.bottom(), x, plot.bottom() + 4) for _, x in at_columns])
        painter.setPen(self.look.colour("secondary"))
        for number, y in at_rows:
            box = QRectF(0, y - height / 2, plot.left() - 6, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, str(number))
        for number, x in at_columns:
            box = QRectF(x - room / 2, plot.bottom() + 5, room, height)
            painter.drawText(box, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, str(number))

    def _draw_bar(self, painter: QPainter, matrix: Matrix, layout: HeatmapLayout) -> None:
        """Draw the colours from the highest to the lowest, with what they stand for."""
        plot = layout.plot
        bottom = self.height() - 2 * _MARGIN - 20
        length = min(float(self.look.pixels(180)), max(bottom - plot.top(), 48.0))
        bar = QRectF(plot.right() + 10, plot.top(), _BAR, length)
        painter.drawImage(bar, self._bar)
        painter.setPen(QPen(self.look.colour("rule")))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(bar)
        painter.setFont(self.look.number_font(_SMALL))
        painter.setPen(self.look.colour("secondary"))
        line = QFontMetricsF(painter.font()).height()
        tops = (bar.top(), bar.center().y() - line / 2, bar.bottom() - line)
        for text, top in zip(_bar_texts(matrix), tops, strict=True):
            box = QRectF(bar.right() + 5, top, 200, line)
            painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    # gestures

    @Slot(QPointF)
    def _on_clicked(self, at: QPointF) -> None:
        cell = self.cell_at(at)
        if cell is not None:
            self.cell_chosen.emit(*cell)

    @Slot(float, QPointF)
    def _on_scaled(self, factor: float, at: QPointF) -> None:
        self.viewport.zoom(factor, *self.layout_of_cells.position(at))

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._on_layout_changed()


def _image_of(picture: RegionPicture, look: Look) -> QImage:
    pixels = np.ascontiguousarray(signed_table(look)[picture.levels])
    height, width = pixels.shape
    return QImage(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32).copy()


def _bar_of(look: Look) -> QImage:
    """Return the colours from the highest level to the lowest, one below the other."""
    pixels = np.ascontiguousarray(signed_table(look)[1:][::-1, None])
    return QImage(pixels.data, 1, len(pixels), 4, QImage.Format.Format_RGB32).copy()


def _bar_texts(matrix: Matrix | None) -> tuple[str, str, str]:
    """Return what is written at the top, the middle and the bottom of the colour bar."""
    if matrix is None:
        return "", "", ""
    above, below = ("≥", "≤") if matrix.goes_beyond else ("", "")
    return above + signed(matrix.limit, 3), "0", below + signed(-matrix.limit, 3)


def _ticks(axis: Axis, room: float) -> range:
    """Return the numbers that are written along an axis: round ones, `room` pixels apart."""
    steps = (step * 10**power for power in range(7) for step in (1, 2, 5))
    step = next((step for step in steps if step * axis.pitch >= room), 10**7)
    first, last = math.ceil(max(axis.span.first - 0.5, 0)), math.ceil(axis.span.last - 0.5)
    return range(-(-first // step) * step, max(last, 1), step)
