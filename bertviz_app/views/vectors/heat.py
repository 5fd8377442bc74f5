"""`HeatView`: numbers in rows and columns as a heatmap to be zoomed, pointed at and walked row by row."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.heat_picture import HeatPicture, heat_picture
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.colour_maps import signed_table
from bertviz_app.views.kit.gestures import Gestures
from bertviz_app.views.kit.heatmaps.heatmap import (
    SMALL,
    Cells,
    Heatmap,
    HeatmapLayout,
    Sight,
    draw_selection_frame,
    framed_spans,
    term_of_bar,
)
from bertviz_app.views.kit.labels import Labels
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import MINUS, signed
from bertviz_app.views.kit.pill import Pill
from bertviz_app.views.vectors.heat_marks import HeatMarks

_LONGEST_ROW_LABEL = 220.0
_NOTHING = heat_picture(np.zeros((0, 0), np.float32), 1.0)
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter

ReadOut = Callable[[int, int], list[str]]
"""Returns what is written beside the pointer on a cell (row, column): a title and further lines."""


@dataclass(frozen=True)
class HeatTexts:
    """What is written beside the cells: `rows` [R] labels; `columns` [C] labels, or None for dimensions.

    `is_faint` [R]: labels in secondary colour. `notes` [R]: texts at the right of the rows, or nothing.
    `full_colour` names what the ends of the colour bar are where each row has its own.
    """

    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] | None = None
    is_faint: tuple[bool, ...] = ()
    notes: tuple[str, ...] = ()
    notes_title: str = ""
    full_colour: str = ""


class HeatView(Canvas):
    """Shows a `HeatPicture`.

    Over dimensions the wheel zooms these, over the rows' labels it zooms the rows; between labelled rows
    and columns it zooms both. A drag over the whole spans a rectangle to zoom into.

    `pointed` (row, column) follows the pointer, -1 where it is on none; a click emits `cell_chosen`, on a
    row or by the arrow keys `row_chosen`; Enter emits `activated`, Delete `removed`, of the chosen row.
    `laid_out` is emitted when the axes change.
    """

    fills_ground = True

    pointed = Signal(int, int)
    row_chosen = Signal(int)
    cell_chosen = Signal(int, int)
    activated = Signal(int)
    removed = Signal(int)
    laid_out = Signal()

    def __init__(self, look: Look, read_out: ReadOut, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.viewport = Viewport(self)
        self.picture: HeatPicture | None = None
        self.heatmap = Heatmap(look)
        self.marks = HeatMarks(look, self.heatmap)
        self._pill = Pill(look, self)
        self.term_at = partial(term_of_bar, self)
        self._read_out = read_out
        self._texts = HeatTexts()
        self._cells = _cells_of(look, _NOTHING, self._texts, _new_labels(look, self._texts))
        viewport = self.viewport
        gestures = self.gestures = Gestures(
            self,
            lambda: not viewport.is_whole,
            lambda at, _: viewport.is_whole and self.layout_of_cells.plot.contains(at),
        )
        gestures.moved.connect(self._on_moved)
        gestures.left.connect(self._on_moved)
        gestures.clicked.connect(self._on_clicked)
        gestures.dragged.connect(lambda *way: viewport.pan(*self.layout_of_cells.moved(*way)))
        gestures.framed.connect(lambda frame: viewport.show(*framed_spans(self.layout_of_cells, frame)))
        gestures.scaled.connect(self._on_scaled)
        gestures.double_clicked.connect(lambda at: viewport.toggle(*self.layout_of_cells.position(at)))
        viewport.changed.connect(self._on_layout_changed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(120, 80)

    # what is shown

    def show_picture(self, picture: HeatPicture, texts: HeatTexts) -> None:
        """Show other numbers and what is written beside them; the zoom stays where the shape does."""
        is_same, self._texts = texts == self._texts, texts
        self.picture = picture
        labels = (self._cells.rows, self._cells.columns) if is_same else _new_labels(self.look, texts)
        self._cells = _cells_of(self.look, picture, texts, labels)
        if picture.shape != self.viewport.counts:
            self.viewport.fit(*picture.shape)
        self._on_layout_changed()

    def highlight(self, rows: frozenset[int], columns: frozenset[int] = frozenset()) -> None:
        """Frame some rows and columns."""
        if (rows, columns) != self.marks.framed:
            self.marks.framed = rows, columns
            self._update_marks()

    def choose_row(self, row: int | None) -> None:
        """Frame a row without emitting `row_chosen`."""
        if row != self.marks.chosen_row:
            self.marks.chosen_row = row
            self._update_marks()

    def mark_column(self, column: int | None) -> None:
        """Mark a dimension that is pointed at elsewhere."""
        if column != self.marks.marked_column:
            self.marks.marked_column = column
            self._update_marks()

    def _update_marks(self) -> None:
        """Draw the marks that there are now, and no longer those before, but nothing that stays the same."""
        layout = self.layout_of_cells
        region = self.marks.moved(layout)
        if self._texts.notes:  # which stand beside labelled rows only
            region += QRectF(layout.plot.right(), 0, self._cells.right + 1, self.height()).toAlignedRect()
        self.update(region)

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(400, 300)

    # geometry

    @property
    def has_column_labels(self) -> bool:
        """Whether the columns are labelled; else they are dimensions, numbered below."""
        return self._texts.columns is not None

    @property
    def layout_of_cells(self) -> HeatmapLayout:
        """Where the cells lie, in the coordinates of the widget."""
        viewport = self.viewport
        sight = Sight(self.width(), self.height(), self.devicePixelRatioF(), viewport.queries, viewport.keys)
        return self.heatmap.lay_out(self._cells, sight)

    def axes(self) -> tuple[Axis, Axis]:
        """Return the axes of the rows and of the columns, in pixels of the widget."""
        layout = self.layout_of_cells
        return layout.rows, layout.columns

    def cell_at(self, at: QPointF) -> tuple[int, int]:
        """Return the row and the column under a point, -1 where it is on none."""
        row, column = self.layout_of_cells.cell_at(at)
        return -1 if row is None else row, -1 if column is None else column

    @Slot()
    def _on_layout_changed(self) -> None:
        self.laid_out.emit()
        self._read()
        self.update()

    def _on_look_changed(self) -> None:
        self._cells = _cells_of(
            self.look, self.picture or _NOTHING, self._texts, _new_labels(self.look, self._texts)
        )
        self._on_layout_changed()
        super()._on_look_changed()

    # drawing

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        picture = self.picture
        if picture is None or picture.shape != self.viewport.counts or 0 in picture.shape:
            return
        layout, heatmap = self.layout_of_cells, self.heatmap
        draw = partial(heatmap.draw_plain, as_rectangles=self.draws_vectors)
        heatmap.draw(painter, draw, self.marks.of_labels)
        self.marks.draw(painter, layout)
        if self._texts.notes:
            rows = heatmap.labels.rows(self.marks.of_labels)
            _draw_notes(painter, self.look, layout, self._texts, rows, self._cells.right)
        if self.gestures.frame is not None:
            draw_selection_frame(painter, self.look, self.gestures.frame)
        elif not self.gestures.is_pressed:
            painter.setOpacity(1.0)
            self._pill.draw(painter)

    # gestures

    @Slot()
    def _on_moved(self) -> None:
        at = self.gestures.pointer
        row, column = (-1, -1) if at is None else self.cell_at(at)
        self.pointed.emit(row, column)
        self._read()

    def _read(self) -> None:
        """Write what is under the pointer beside it."""
        at = self.gestures.pointer
        row, column = (-1, -1) if at is None else self.cell_at(at)
        if at is None or min(row, column) < 0:
            self._pill.hide()
        else:
            self._pill.show(self._read_out(row, column), at)

    @Slot(QPointF)
    def _on_clicked(self, at: QPointF) -> None:
        row, column = self.cell_at(at)
        if row >= 0:
            self.row_chosen.emit(row)
        if row >= 0 or column >= 0:
            self.cell_chosen.emit(row, column)

    @Slot(float, QPointF)
    def _on_scaled(self, factor: float, at: QPointF) -> None:
        layout, viewport = self.layout_of_cells, self.viewport
        row, column = layout.position(at)
        is_on_labels, has_columns = at.x() < layout.columns.start, self.has_column_labels
        down = factor if has_columns or is_on_labels else 1.0
        across = factor if has_columns or not is_on_labels else 1.0
        viewport.show(
            viewport.queries.zoomed(down, row, viewport.n_queries),
            viewport.keys.zoomed(across, column, viewport.n_keys),
        )

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk the rows; Enter activates the chosen one, Delete removes it."""
        key, row = event.key(), self.marks.chosen_row
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if key in steps and row is not None:
            self.row_chosen.emit(min(max(row + steps[Qt.Key(key)], 0), self.viewport.n_queries - 1))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row is not None:
            self.activated.emit(row)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and row is not None:
            self.removed.emit(row)
        else:
            event.ignore()

    @guarded
    def resizeEvent(self, event: QEvent) -> None:
        self._on_layout_changed()


def _draw_notes(
    painter: QPainter, look: Look, layout: HeatmapLayout, texts: HeatTexts, rows: list[int], width: float
) -> None:
    """Write the notes of `rows` at their right ends, under a title."""
    plot = layout.plot
    painter.setFont(look.number_font(SMALL))
    height = QFontMetricsF(painter.font()).height()
    painter.setPen(look.colour("text"))
    for row in rows:
        box = QRectF(plot.right(), layout.rows.middle(row) - height / 2, width, height)
        painter.drawText(box, _RIGHT, texts.notes[row])
    painter.setFont(look.font(SMALL))
    painter.setPen(look.colour("secondary"))
    title = QRectF(plot.right(), plot.top() - height - 2, width, height)
    painter.drawText(title, _RIGHT, texts.notes_title)


def _new_labels(look: Look, texts: HeatTexts) -> tuple[Labels, Labels | None]:
    columns = None if texts.columns is None else Labels(look, texts.columns)
    return Labels(look, texts.rows, texts.is_faint), columns


def _cells_of(
    look: Look, picture: HeatPicture, texts: HeatTexts, labels: tuple[Labels, Labels | None]
) -> Cells:
    metrics, notes = QFontMetricsF(look.number_font(SMALL)), texts.notes
    return Cells(
        pyramid=picture.pyramid,
        table=signed_table(look),
        rows=labels[0],
        columns=labels[1],
        bar=_bar_texts(picture, texts.full_colour),
        texts=lambda rows, columns: _written(picture, rows, columns),
        widest_text=f"{MINUS}0.00",
        longest_row_label=_LONGEST_ROW_LABEL,
        right=max(metrics.horizontalAdvance(note) for note in notes) + 8 if notes else 0.0,
        above=metrics.height() if notes else 0.0,
    )


def _written(picture: HeatPicture, rows: range, columns: range) -> list[list[str]]:
    """Return these numbers as cells have them, above zero without a sign; "" where there is none."""
    values = picture.values[rows.start : rows.stop, columns.start : columns.stop]
    return [
        ["" if math.isnan(value) else signed(value).lstrip("+") for value in row] for row in values.tolist()
    ]


def _bar_texts(picture: HeatPicture, full_colour: str) -> tuple[str, str, str]:
    """Return what is written at the top, the middle and the bottom of the colour bar."""
    if picture.limit is None:
        return f"+{full_colour}", "0", f"{MINUS}{full_colour}"
    above, below = ("≥", "≤") if picture.goes_beyond else ("", "")
    return above + signed(picture.limit), "0", below + signed(-picture.limit)
