"""The first rows of a result as a table, its columns, and pieces by layer."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Slot,
)
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
    QLineEdit,
)

from bertviz_app.analysis.picture import Axis, Picture, Quantity
from bertviz_app.tables import Cell, with_note
from bertviz_app.viewmodels.analyses.analyses import MOST_ROWS, Analysed
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.analyses.titles import column_word, title_of
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import in_column, in_row, named
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.widgets import CopyingTable, show_words
from bertviz_app.views.kit.words import Item, general, plain

_NARROWEST = 80
_OF_HEADS = ("layer", "head")  # the first columns of a table of heads
_MANY = 20  # from so many rows on a table has a field to search it
SORTED_BY = Qt.ItemDataRole.UserRole
"""The role of what rows are sorted by: texts, or numbers."""
Index = QModelIndex | QPersistentModelIndex
Rows = tuple[tuple[Cell, ...], ...]


class RowsModel(Guarded, QAbstractTableModel):
    """Rows of texts and numbers under named columns."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns: tuple[str, ...] = ()
        self.rows: Rows = ()

    def show_rows(self, columns: tuple[str, ...], rows: Rows) -> None:
        self.beginResetModel()
        self.columns, self.rows = columns, rows
        self.endResetModel()

    def rowCount(self, parent: Index | None = None) -> int:
        return len(self.rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return len(self.columns)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        cell = self.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if isinstance(cell, str) else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == SORTED_BY:
            return (
                cell if isinstance(cell, str) else -math.inf if cell is None or cell != cell else float(cell)
            )
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain(cell) if isinstance(cell, str) else None  # a text may be shortened in its cell
        return text_of(cell) if role == Qt.ItemDataRole.DisplayRole else None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        is_name = role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal
        return column_word(self.columns[section]) if is_name else None


def text_of(cell: Cell) -> str:
    """Return a cell as a table shows it: numbers with four significant digits."""
    if cell is None:
        return ""
    return str(cell) if isinstance(cell, (str, int)) else general(float(f"{cell:.4g}"))


NO_PICTURE = Picture(
    "", "cells", np.zeros((0, 2), np.float32), (Axis("", ()), Axis("", ("x", "y"))), Quantity("", 0.0)
)
"""What a plot of pictures has before it is given one."""


class CopiesNumbers:
    """The part of a plot of a `Picture` that copies its numbers, by an entry of its menu.

    `interventions`: what was done to the model, which the numbers that are copied have in a last column; ""
    for nothing.
    """

    picture: Picture = NO_PICTURE
    title = ""
    """What the column of numbers is called; "": as the picture is."""
    interventions = ""

    def menu_items(self) -> list[Item]:
        """Return what the menu has below pyqtgraph's own entries."""
        words = QCoreApplication.translate("PictureBars", "Copy the numbers")
        return [(words, lambda: QGuiApplication.clipboard().setText(self.copied()))]

    def copied(self) -> str:
        """Return the rows with tabs between the cells, to be pasted into a spreadsheet."""
        if self.picture is NO_PICTURE:
            return ""
        table = with_note(self.picture.as_table(), "interventions", self.interventions)
        title = self.title or title_of(self.picture)
        columns = [title if name == "value" else column_word(name) for name in table.columns]
        rows = [columns, *([text_of(cell) for cell in row] for row in table.rows)]
        return "\n".join("\t".join(row) for row in rows) + "\n"


class RowsTable(CopyingTable):
    """A table of rows, sorted by a click on a column's name; copying takes all rows that are shown."""

    def __init__(self, model: RowsModel) -> None:
        super().__init__()
        self.rows = QSortFilterProxyModel(self)
        self.rows.setSourceModel(model)
        self.rows.setSortRole(SORTED_BY)
        self.rows.setFilterKeyColumn(-1)  # all columns
        self.rows.setFilterCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._columns = model
        self.setModel(self.rows)
        self.setSortingEnabled(True)
        self.sortByColumn(-1, Qt.SortOrder.AscendingOrder)  # as the result has them
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)

    def copied(self) -> str:
        """Return the rows with tabs between the cells, to be pasted into a spreadsheet."""
        numbers = range(self.rows.rowCount())
        shown = (self._columns.rows[self.rows.mapToSource(self.rows.index(at, 0)).row()] for at in numbers)
        rows = [self._columns.columns, *(tuple(map(text_of, row)) for row in shown)]
        return "\n".join("\t".join(row) for row in rows) + "\n"


class TableView(PanelView):
    """Shows the table of a result; a click on a row of a head, or Enter, shows that head.

    Texts take three quarters of the panel at most: numbers stay in sight.
    """

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.model = RowsModel(self)
        self.table = named(RowsTable(self.model), title=self.tr("Result of the analysis"))
        self.dimmed = (self.table,)
        self.table.activated.connect(self._on_row_chosen)
        self.table.clicked.connect(self._on_row_chosen)
        self._head = 0, 0
        self.remark = named(QLabel(wordWrap=True), "note")
        self.remark.hide()
        find = self.tr("Find in the table …")
        self.search = named(QLineEdit(clearButtonEnabled=True, placeholderText=find), "entry", title=find)
        self.search.textChanged.connect(self.table.rows.setFilterFixedString)
        search = in_row(self.search, margins=(8, 6, 8, 6))
        in_column(search, (self.table, 1), self.remark, of=self, margins=0, spacing=0)

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        self.table.interventions = analysed.interventions
        rows = tuple(tuple(row) for row in analysed.table.rows)
        self.model.show_rows(analysed.table.columns, rows)
        is_of_heads = analysed.table.columns[:2] == _OF_HEADS
        mode = QAbstractItemView.SelectionMode
        self.table.setSelectionMode(mode.SingleSelection if is_of_heads else mode.NoSelection)
        first = self.tr("The first {0} rows; a file has all of them.").format(MOST_ROWS)
        said = [] if rows else [self.tr("The result has no rows.")]
        said += [first] if len(rows) >= MOST_ROWS else []
        said += map(translated, analysed.result.findings() if is_of_heads else ())
        show_words(self.remark, " · ".join(said))
        self.search.setVisible(len(rows) >= _MANY)
        self._select()

    def show_panel(self, panel: Panel) -> None:
        """Select the row of the panel's head."""
        self._head = panel.layer, panel.head
        self._select()

    def _select(self) -> None:
        rows = [row[:2] for row in self.model.rows] if self.model.columns[:2] == _OF_HEADS else []
        chosen, flags = self.table.selectionModel(), QItemSelectionModel.SelectionFlag
        chosen.clearSelection()
        if self._head in rows:  # which does not scroll to it: the first rows say most
            row = self.table.rows.mapFromSource(self.model.index(rows.index(self._head), 0))
            chosen.select(row, flags.Select | flags.Rows)

    @Slot(QModelIndex)
    def _on_row_chosen(self, index: QModelIndex) -> None:
        row = self.model.rows[self.table.rows.mapToSource(index).row()]
        if self.model.columns[:2] == _OF_HEADS and isinstance(row[0], int) and isinstance(row[1], int):
            self.head_requested.emit(row[0], row[1])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        header = self.table.horizontalHeader()
        n_texts = sum(isinstance(cell, str) for cell in next(iter(self.model.rows), ()))
        widest = self.width() // 2 if n_texts < 2 else 3 * self.width() // (4 * n_texts)
        header.setMaximumSectionSize(max(self.look.pixels(_NARROWEST), widest))
        header.resizeSections(QHeaderView.ResizeMode.ResizeToContents)
