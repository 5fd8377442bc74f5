"""`HeatView`: numbers in rows and columns as a heatmap to be zoomed, pointed at and walked cell by cell."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from PySide6.QtCore import QPointF, QRectF, Qt, Signal, Slot
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter
from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.viewport import CLOSE, HeatPicture, PixelAxis
from bertviz_app.views.kit.colour_maps import signed_table
from bertviz_app.views.kit.labels import Labels
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import MINUS, signed
from bertviz_app.views.plots.axes import SMALL, Strip
from bertviz_app.views.plots.cells import Cells, CellsPlot, Marks, no_cells

_LONGEST_ROW_LABEL = 220.0
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


class HeatView(CellsPlot):
    """Shows a `HeatPicture`.

    Over dimensions the wheel zooms these, over the names of rows it zooms the rows; between named rows and
    columns it zooms both. `cell_pointed` (row, column) follows the pointer, -1 where it is on none; a click
    emits `cell_chosen`, on a row or by the arrow keys `row_chosen`; Enter emits `activated`, Delete
    `removed`, of the chosen row. Left and Right walk the columns, which are read out in the chosen row.
    """

    walks = True

    cell_pointed = Signal(int, int)
    row_chosen = Signal(int)
    cell_chosen = Signal(int, int)
    activated = Signal(int)
    removed = Signal(int)

    def __init__(self, look: Look, read_out: ReadOut, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.picture: HeatPicture | None = None
        self._read_out = read_out
        self._texts = HeatTexts()
        self._labels: tuple[Labels, Labels | None] = (Labels(look, ()), None)
        self.notes = Strip(self, self.box, self._draw_notes, is_of_rows=True)
        self.ci.layout.addItem(self.notes, 1, 2)
        self.notes.set_thickness(0)
        self.pointed.connect(self._on_pointed)
        self.clicked.connect(self._on_clicked)
        self.walked.connect(self._on_walked)
        self.entered.connect(self._on_entered)
        self.let_go.connect(lambda: self.mark_column(None))
        self.box.sigRangeChanged.connect(lambda *_: self._read(self.pointer))
        self.setMinimumSize(120, 80)

    # what is shown

    def show_picture(self, picture: HeatPicture, texts: HeatTexts) -> None:
        """Show other numbers and what is written beside them; the zoom stays where the shape does."""
        if texts != self._texts or self.picture is None:
            self._texts = texts
            self._labels = self._new_labels()
        self.picture = picture
        self._show()

    def _new_labels(self) -> tuple[Labels, Labels | None]:
        texts = self._texts
        columns = None if texts.columns is None else Labels(self.look, texts.columns)
        return Labels(self.look, texts.rows, texts.is_faint), columns

    def _show(self) -> None:
        picture, texts, look = self.picture, self._texts, self.look
        if picture is None or 0 in picture.shape:
            self.show_cells(no_cells(look))
            return
        self.notes.set_thickness(self.right_room())
        # Of dimensions the wheel zooms the columns alone; over the names of rows their axis zooms these.
        self.box.zooms = (True, texts.columns is not None)
        self.box.close = CLOSE
        self.show_cells(
            Cells(
                colours=picture.pyramid,
                table=signed_table(look),
                rows=self._labels[0],
                columns=self._labels[1],
                bar=_bar_texts(picture, texts.full_colour),
                texts=lambda rows, columns: _written(picture, rows, columns),
                widest_text=f"{MINUS}0.00",
                longest_row_label=_LONGEST_ROW_LABEL,
            )
        )
        self._read(self.pointer)

    def highlight(self, rows: frozenset[int], columns: frozenset[int] = frozenset()) -> None:
        self._mark(replace(self.marks, rows=rows, columns=columns))

    def choose_row(self, row: int | None) -> None:
        """Frame a row without emitting `row_chosen`."""
        self._mark(replace(self.marks, row=row))

    def mark_column(self, column: int | None) -> None:
        """Mark a dimension that is pointed at elsewhere."""
        self._mark(replace(self.marks, column=column))

    def _mark(self, marks: Marks) -> None:
        self.show_marks(marks)
        if self._texts.notes:
            self.notes.update()

    @property
    def has_column_labels(self) -> bool:
        """Whether the columns are named; else they are dimensions, numbered below."""
        return self._texts.columns is not None

    def recolour(self) -> None:
        self._labels = self._new_labels()
        self._show()

    # notes

    def right_room(self) -> float:
        """Return the room for the notes."""
        metrics, notes = QFontMetricsF(self.look.number_font(SMALL)), self._texts.notes
        return math.ceil(max(map(metrics.horizontalAdvance, notes)) + 8) if notes else 0.0

    def _draw_notes(self, painter: QPainter, axis: PixelAxis, room: QRectF) -> None:
        """Write the notes of the rows that are named at their right ends, under a title."""
        texts, look = self._texts, self.look
        painter.setFont(look.number_font(SMALL))
        height = QFontMetricsF(painter.font()).height()
        painter.setPen(look.colour("text"))
        for row in self.left.labelled:
            if row < len(texts.notes):
                box = QRectF(0, axis.middle(row) - height / 2, room.width(), height)
                painter.drawText(box, _RIGHT, texts.notes[row])
        painter.setFont(look.font(SMALL))
        painter.setPen(look.colour("secondary"))
        painter.drawText(QRectF(0, -height - 2, room.width(), height), _RIGHT, texts.notes_title)

    def top_room(self) -> float:
        """Return the room above the cells for the title of the notes."""
        return QFontMetricsF(self.look.number_font(SMALL)).height() if self._texts.notes else 0.0

    # gestures

    def pair_at(self, at: QPointF) -> tuple[int, int]:
        """Return the row and the column under a point, -1 where it is on none."""
        row, column = self.cell_at(at)
        return -1 if row is None else row, -1 if column is None else column

    @Slot(object)
    def _on_pointed(self, at: QPointF | None) -> None:
        row, column = (-1, -1) if at is None else self.pair_at(at)
        self.cell_pointed.emit(row, column)
        self._read(at)

    def _read(self, at: QPointF | None) -> None:
        """Write what is under a point beside it."""
        row, column = (-1, -1) if at is None else self.pair_at(at)
        if at is None or min(row, column) < 0:
            self.read_out.hide_lines()
        else:
            self.read_out.show_lines(self._read_out(row, column), at)

    @Slot(QPointF)
    def _on_clicked(self, at: QPointF) -> None:
        row, column = self.pair_at(at)
        if row >= 0:
            self.row_chosen.emit(row)
        if row >= 0 or column >= 0:
            self.cell_chosen.emit(row, column)

    @Slot(int, int)
    def _on_walked(self, down: int, across: int) -> None:
        if self.picture is None or 0 in self.picture.shape:
            return
        n_rows, n_columns = self.picture.shape
        if down and self.marks.row is not None:
            self.row_chosen.emit(min(max(self.marks.row + down, 0), n_rows - 1))
        if across:
            column = self.marks.column
            column = 0 if column is None else min(max(column + across, 0), n_columns - 1)
            self.mark_column(column)
        self._read_marked()

    def _read_marked(self) -> None:
        """Read out the cell that the keys have come to."""
        row, column = self.marks.row, self.marks.column
        if column is not None:
            at = self.cell_rect(row or 0, column).center()
            self.read_out.show_lines(self._read_out(row or 0, column), at)
            self.cell_pointed.emit(-1 if row is None else row, column)

    def press(self, event: QKeyEvent) -> bool:
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.marks.row is not None:
            self.removed.emit(self.marks.row)
            return True
        return super().press(event)

    @Slot()
    def _on_entered(self) -> None:
        if self.marks.row is not None:
            self.activated.emit(self.marks.row)


def _written(picture: HeatPicture, rows: range, columns: range) -> list[list[str]]:
    """Return these numbers as cells have them, above zero without a sign; "" where there is none."""
    values = picture.values[rows.start : rows.stop, columns.start : columns.stop]
    return [
        ["" if math.isnan(value) else signed(value).lstrip("+") for value in row] for row in values.tolist()
    ]


def _bar_texts(picture: HeatPicture, full_colour: str) -> tuple[str, str, str]:
    """Return what is written at the top, in the middle and at the bottom of the colour bar."""
    if picture.limit is None:
        return f"+{full_colour}", "0", f"{MINUS}{full_colour}"
    above, below = ("≥", "≤") if picture.goes_beyond else ("", "")
    return above + signed(picture.limit), "0", below + signed(-picture.limit)
