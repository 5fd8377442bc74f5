"""The first rows of a result as a table, its columns, and pieces by layer."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
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

from bertviz_app.analysis.combined import HeadRanking
from bertviz_app.analysis.picture import Picture
from bertviz_app.tables import Cell, with_note
from bertviz_app.viewmodels.analyses.analyses import MOST_ROWS, Analysed
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.views.analyses.titles import column_word, title_of
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import named
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.widgets import CopyingTable
from bertviz_app.views.kit.words import fixed, general, plain

_NARROWEST = 80
_MANY = 20
"""From so many rows on a table has a field to search it."""
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


class CopiesNumbers:
    """The part of a plot of a `Picture` that copies its numbers, by an entry of its menu.

    `interventions`: what was done to the model, which the numbers that are copied have in a last column; ""
    for nothing.
    """

    picture: Picture | None = None
    title = ""
    """What the column of numbers is called; "": as the picture is."""
    interventions = ""

    def menu_items(self) -> list[tuple[str, Callable[[], None] | None]]:
        """Return what the menu has below pyqtgraph's own entries."""
        words = QCoreApplication.translate("PictureBars", "Copy the numbers")
        return [(words, lambda: QGuiApplication.clipboard().setText(self.copied()))]

    def copied(self) -> str:
        """Return the rows with tabs between the cells, to be pasted into a spreadsheet."""
        if self.picture is None:
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
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)

    def copied(self) -> str:
        """Return the rows with tabs between the cells, to be pasted into a spreadsheet."""
        numbers = range(self.rows.rowCount())
        shown = (self._columns.rows[self.rows.mapToSource(self.rows.index(at, 0)).row()] for at in numbers)
        rows = [self._columns.columns, *(tuple(map(text_of, row)) for row in shown)]
        return "\n".join("\t".join(row) for row in rows) + "\n"


class TableView(PanelView):
    """Shows the table of a result. Texts take three quarters of the panel at most: numbers stay in sight."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.model = RowsModel(self)
        self.table = RowsTable(self.model)
        self.dimmed = (self.table,)
        self.table.setAccessibleName(self.tr("Result of the analysis"))
        self.remark = named(QLabel(), "note")
        self.remark.hide()
        self.search = named(QLineEdit(clearButtonEnabled=True), "entry")
        self.search.setPlaceholderText(self.tr("Find in the table …"))
        self.search.setAccessibleName(self.tr("Find in the table …"))
        self.search.textChanged.connect(self.table.rows.setFilterFixedString)
        search = in_row(self.search, margins=(8, 6, 8, 6))
        in_column(search, (self.table, 1), self.remark, of=self, margins=0, spacing=0)

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        self.table.interventions = analysed.interventions
        rows = tuple(tuple(row) for row in analysed.table.rows)
        self.model.show_rows(analysed.table.columns, rows)
        first = self.tr("The first {0} rows; a file has all of them.").format(MOST_ROWS)
        self.remark.setText(first if rows else self.tr("The result has no rows."))
        self.remark.setVisible(not 0 < len(rows) < MOST_ROWS)
        self.search.setVisible(len(rows) >= _MANY)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        header = self.table.horizontalHeader()
        n_texts = sum(isinstance(cell, str) for cell in next(iter(self.model.rows), ()))
        widest = self.width() // 2 if n_texts < 2 else 3 * self.width() // (4 * n_texts)
        header.setMaximumSectionSize(max(self.look.pixels(_NARROWEST), widest))
        header.resizeSections(QHeaderView.ResizeMode.ResizeToContents)


class RankingView(PanelView):
    """A row for each head; a click on one, or Enter, shows the head."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.model = RowsModel(self)
        self.table = RowsTable(self.model)
        self.dimmed = (self.table,)
        self.table.setAccessibleName(self.tr("Heads by what they do to the outcome"))
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.clicked.connect(self._on_row_chosen)
        self.table.activated.connect(self._on_row_chosen)
        self.heading = named(QLabel(wordWrap=True), "note")
        in_column(self.heading, (self.table, 1), of=self, margins=0, spacing=0)

    def show_panel(self, panel: Panel) -> None:
        heads = [row[1] for row in self.model.rows]
        name = f"{panel.layer}·{panel.head}"
        if name in heads:
            row = self.model.index(heads.index(name), 0)
            self.table.selectRow(self.table.rows.mapFromSource(row).row())
        else:
            self.table.clearSelection()

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        self.table.interventions = analysed.interventions
        result = analysed.result
        if not isinstance(result, HeadRanking):
            return
        replaced = {
            "zero": self.tr("Each head's output replaced by zeros"),
            "mean": self.tr("Each head's output replaced by its mean over the tokens"),
            "uniform": self.tr("Each head made to attend to all tokens alike"),
        }
        outcome = 0.0 if result.outcome is None else result.outcome
        words = self.tr("{0}. Outcome with all heads: {1}. Both rankings agree by {2} (Spearman).")
        agreement = "–" if np.isnan(result.agreement) else fixed(result.agreement, 2)
        self.heading.setText(words.format(replaced[result.flavour], fixed(outcome, 4), agreement))
        columns = (
            self.tr("rank"),
            self.tr("head"),
            self.tr("change"),
            self.tr("importance by gradients"),
            self.tr("its rank"),
            self.tr("outcome without"),
        )
        self.model.show_rows(columns, tuple(_rows(result, outcome)))

    @Slot(QModelIndex)
    def _on_row_chosen(self, index: QModelIndex) -> None:
        row = self.table.rows.mapToSource(index).row()
        layer, _, head = str(self.model.rows[row][1]).partition("·")
        self.head_requested.emit(int(layer), int(head))


def _rows(result: HeadRanking, outcome: float) -> list[tuple[Cell, ...]]:
    """Return rank, head, change, importance, rank by it, and the outcome without the head, of each head."""
    return [
        (_shown(rank), f"{layer}·{head}", change, importance, _shown(other), outcome + change)
        for layer, head in result.order()
        for change, importance, rank, other in (result.values[:, layer, head].tolist(),)
    ]


def _shown(rank: float) -> Cell:
    """Return a rank as it is shown: equal heads share one, which may end in .5."""
    return int(rank) if rank.is_integer() else rank
