"""`HeatDrawing`: where numbers in rows and columns lie, and how they are drawn as colours about zero."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QPen
from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.axis import Axis, fitted
from bertviz_app.viewmodels.heads.heat_picture import HeatPicture
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.pill import draw_pill
from bertviz_app.views.vectors import marks

_MARGIN = 8.0
_GRID_FROM = 9.0
_STALE = 0.45
_TALLEST_ROW = 96.0
_WIDEST_COLUMN = 96.0

ReadOut = Callable[[int, int], list[str]]
"""What is said of a cell (row, column): a title and further lines."""


@dataclass(frozen=True, eq=False)
class HeatMarks:
    """What stands beside the cells: `rows` [R] labels; `columns` [C] labels, or None for dimensions.

    `is_faint` [R]: labels in secondary colour. `notes` [R]: texts at the right of the rows, or nothing.
    """

    rows: tuple[str, ...]
    columns: tuple[str, ...] | None = None
    is_faint: tuple[bool, ...] = ()
    notes: tuple[str, ...] = ()
    notes_title: str = ""


@dataclass(frozen=True)
class _Layout:
    rows: Axis
    columns: Axis
    plot: QRectF
    is_slanted: bool


class HeatDrawing(Canvas):
    """Draws a `HeatPicture` with its labels, its colour bar, and what is lit.

    `laid_out` tells that the axes changed.
    """

    laid_out = Signal()

    def __init__(self, look: Look, read_out: ReadOut, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.viewport = Viewport(self)
        self.picture: HeatPicture | None = None
        self.chosen_row: int | None = None
        self.column_mark: int | None = None
        self.bar_note = ""
        self.pointer: QPointF | None = None
        self.is_pressed = False
        self.has_column_labels = False
        self.shows_focus = False
        self._read_out = read_out
        self._marks = HeatMarks(())
        self._rows = marks.Labels(look, ())
        self._columns: marks.Labels | None = None
        self._table = marks.heat_table(look)
        self._lit: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())
        self._is_stale = False
        self._layout: _Layout | None = None
        self._image: tuple[QImage, QRectF] | None = None
        self.setMinimumSize(120, 80)
        self.viewport.changed.connect(self.rebuild)

    def show_picture(self, picture: HeatPicture | None, beside: HeatMarks) -> None:
        """Show other numbers with what stands beside them; zoom stays where the shape does."""
        if picture is not None and picture.shape != self.viewport.counts:
            self.picture = None
            self.viewport.fit(*picture.shape)
        if beside != self._marks or beside.rows != self._rows.texts:
            self._marks = beside
            self._rows = marks.Labels(self.look, beside.rows, beside.is_faint)
            self._columns = None if beside.columns is None else marks.Labels(self.look, beside.columns)
            self.has_column_labels = self._columns is not None
        self.picture = picture
        self.rebuild()

    def light(self, rows: frozenset[int], columns: frozenset[int] = frozenset()) -> None:
        """Mark some rows and columns."""
        if (rows, columns) != self._lit:
            self._lit = rows, columns
            self.update()

    def choose_row(self, row: int | None) -> None:
        """Frame a row without telling `row_chosen`."""
        if row != self.chosen_row:
            self.chosen_row = row
            self.update()

    def mark_column(self, column: int | None) -> None:
        """Mark a dimension that is pointed at elsewhere."""
        if column != self.column_mark:
            self.column_mark = column
            self.update()

    def set_stale(self, is_stale: bool) -> None:
        """Dim the numbers while they are not of what was asked for."""
        if is_stale != self._is_stale:
            self._is_stale = is_stale
            self.update()

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(400, 300)

    # geometry

    def axes(self) -> tuple[Axis, Axis]:
        """Return the axes of the rows and of the columns, in pixels of the widget."""
        layout = self._laid_out()
        return layout.rows, layout.columns

    def cell_at(self, at: QPointF) -> tuple[int, int]:
        """Return the row and the column under a point, -1 where it is on none."""
        layout = self._laid_out()
        row, column = layout.rows.token(at.y()), layout.columns.token(at.x())
        return (-1 if row is None or at.x() >= layout.plot.right() else row), (
            -1 if column is None or not layout.plot.top() <= at.y() < layout.plot.bottom() else column
        )

    def _laid_out(self) -> _Layout:
        if self._layout is None:
            self._layout = self._lay_out()
        return self._layout

    def _lay_out(self) -> _Layout:
        look = self.look
        left = math.ceil(_MARGIN + self._rows.widest(self._longest_row()) + 8)
        across = math.floor(self.width() - left - self._right_room())
        widest = look.pixels(_WIDEST_COLUMN) if self._columns else max(20.0, across)
        columns = fitted(self.viewport.keys, left, max(20.0, across), widest)
        small = QFontMetricsF(look.number_font(marks.SMALL)).height()
        is_slanted, top, bottom = False, _MARGIN, _MARGIN
        if self._columns is not None:
            is_slanted = columns.pitch < self._columns.widest(self._longest()) + 8
            rise = marks.slanted_rise(self._columns, self._longest()) if is_slanted else self._columns.height
            top = _MARGIN + rise + 6
        else:
            bottom = small + 8
            top = _MARGIN + (small if self._marks.notes else 0)
        down = math.floor(self.height() - math.ceil(top) - bottom)
        tallest = look.pixels(_TALLEST_ROW if self._columns is None else _WIDEST_COLUMN)
        rows = fitted(self.viewport.queries, math.ceil(top), max(20.0, down), tallest)
        return _Layout(rows, columns, QRectF(left, math.ceil(top), columns.length, rows.length), is_slanted)

    def _longest_row(self) -> float:
        return max(40.0, min(self.look.pixels(220), self.width() * 0.3))

    def _longest(self) -> float:
        """Return the pixels that a column's label may take along its slant."""
        return max(40.0, min(self.look.pixels(120), self.width() * 0.3, self.height() * 0.35))

    def _right_room(self) -> float:
        bar = marks.BAR + 10 + self._bar_text_room()
        if self._columns is not None:  # slanted labels of the last columns reach over the bar
            bar = max(bar, self._columns.widest(self._longest()) * 0.72)
        return bar + self._notes_room() + 4

    def _bar_text_room(self) -> float:
        metrics = QFontMetricsF(self.look.number_font(marks.SMALL))
        return (
            max(metrics.horizontalAdvance(text) for text in marks.bar_texts(self.picture, self.bar_note)) + 6
        )

    def _notes_room(self) -> float:
        if not self._marks.notes:
            return 0.0
        metrics = QFontMetricsF(self.look.number_font(marks.SMALL))
        return max(metrics.horizontalAdvance(note) for note in self._marks.notes) + 8

    # drawing

    def draw(self, painter: QPainter) -> None:
        picture = self.picture
        if picture is None or picture.shape != self.viewport.counts or 0 in picture.shape:
            return
        painter.setOpacity(_STALE if self._is_stale else 1.0)
        layout = self._laid_out()
        self._draw_cells(painter, picture, layout)
        self._draw_lit(painter, layout)
        lit = self._lit[0] | ({self.chosen_row} if self.chosen_row is not None else set())
        room = QRectF(_MARGIN, layout.plot.top(), layout.plot.left() - _MARGIN - 8, layout.plot.height())
        rows = marks.draw_row_labels(painter, self._rows, layout.rows, room, lit & self._all_rows())
        self._draw_columns(painter, layout)
        if self._marks.notes:
            notes = QRectF(layout.plot.right(), layout.plot.top(), self._notes_room(), layout.plot.height())
            beside = self._marks.notes, layout.rows, notes, self._marks.notes_title, rows
            marks.draw_notes(painter, self.look, *beside)
        left = layout.plot.right() + 10 + self._notes_room()
        height = max(min(layout.plot.height(), self.look.pixels(180.0)), self.look.pixels(64))
        bar = QRectF(left, layout.plot.top(), marks.BAR, height)
        marks.draw_heat_bar(
            painter, self.look, self._table, bar, marks.bar_texts(self.picture, self.bar_note)
        )
        if self.shows_focus:
            marks.draw_focus(painter, self.look, layout.plot)
        if self.pointer is not None and not self.is_pressed:
            self._draw_read_out(painter, self.pointer)

    def _all_rows(self) -> frozenset[int]:
        return frozenset(range(len(self._rows.texts)))

    def _draw_cells(self, painter: QPainter, picture: HeatPicture, layout: _Layout) -> None:
        if self._image is None:
            self._image = marks.heat_image(
                picture, (layout.rows, layout.columns), self.devicePixelRatioF(), self._table
            )
        image, target = self._image
        painter.save()
        painter.setClipRect(layout.plot, Qt.ClipOperation.IntersectClip)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.drawImage(target, image)
        axes = layout.rows, layout.columns
        if min(layout.rows.pitch, layout.columns.pitch) >= _GRID_FROM:
            marks.draw_grid(painter, self.look, axes, layout.plot)
        if marks.numbers_fit(self.look, axes):
            marks.draw_numbers(painter, self.look, picture, axes, self._table)
        painter.restore()
        painter.setPen(QPen(self.look.colour("rule")))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(layout.plot.adjusted(-0.5, -0.5, 0.5, 0.5))

    def _draw_lit(self, painter: QPainter, layout: _Layout) -> None:
        """Frame the lit rows and columns, and the chosen row."""
        plot, (rows, columns) = layout.plot, self._lit
        painter.save()
        painter.setClipRect(plot.adjusted(-2, -2, 2, 2), Qt.ClipOperation.IntersectClip)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.look.colour("accent", 0.85), 1))
        for row in rows:
            painter.drawRect(QRectF(plot.left(), layout.rows.edge(row), plot.width(), layout.rows.pitch))
        for column in columns if self._columns else ():
            painter.drawRect(
                QRectF(layout.columns.edge(column), plot.top(), layout.columns.pitch, plot.height())
            )
        painter.setPen(QPen(self.look.colour("accent"), 2))
        if self.chosen_row is not None:
            top = layout.rows.edge(self.chosen_row)
            painter.drawRect(QRectF(plot.left(), top, plot.width(), layout.rows.pitch))
        if self.column_mark is not None:
            painter.setPen(QPen(self.look.colour("text"), 1))
            x = layout.columns.middle(self.column_mark)
            painter.drawLine(QPointF(x, plot.top()), QPointF(x, plot.bottom()))
        painter.restore()

    def _draw_columns(self, painter: QPainter, layout: _Layout) -> None:
        if self._columns is None:
            marks.draw_dimensions(painter, self.look, layout.columns, layout.plot.bottom())
            return
        lit = self._lit[1]
        if layout.is_slanted:
            marks.draw_slanted_labels(
                painter, self._columns, layout.columns, layout.plot.top(), self._longest(), lit
            )
        else:
            marks.draw_level_labels(painter, self._columns, layout.columns, layout.plot.top(), lit)

    def _draw_read_out(self, painter: QPainter, at: QPointF) -> None:
        row, column = self.cell_at(at)
        if row >= 0 and column >= 0:
            lines = self._read_out(row, column)
            if lines:
                painter.setOpacity(1.0)
                draw_pill(painter, self.look, lines, at, QRectF(self.rect()))

    def rebuild(self) -> None:
        """Forget what was prepared from the picture, the size, the zoom or the look."""
        self._layout = None
        self._image = None
        self.laid_out.emit()
        self.update()

    def _on_look_changed(self) -> None:
        self._table = marks.heat_table(self.look)
        self._rows = marks.Labels(self.look, self._marks.rows, self._marks.is_faint)
        if self._columns is not None:
            self._columns = marks.Labels(self.look, self._columns.texts)
        self.rebuild()
        super()._on_look_changed()
