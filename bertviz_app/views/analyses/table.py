"""`TableView`: the first rows of a result; the model and the table that the other views share."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QLabel, QVBoxLayout

from bertviz_app.tables import Cell
from bertviz_app.viewmodels.analyses.analyses import MOST_ROWS, Analysed
from bertviz_app.views.analyses.column_words import column_word
from bertviz_app.views.kit.canvas import NO_VALUE, guarded
from bertviz_app.views.kit.numbers import general
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.widgets import CopyingTable
from bertviz_app.views.kit.words import plain

_NARROWEST = 80
Index = QModelIndex | QPersistentModelIndex
Rows = tuple[tuple[Cell, ...], ...]


class RowsModel(QAbstractTableModel):
    """Rows of texts and numbers under named columns."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns: tuple[str, ...] = ()
        self.rows: Rows = ()

    def show_rows(self, columns: tuple[str, ...], rows: Rows) -> None:
        self.beginResetModel()
        self.columns, self.rows = columns, rows
        self.endResetModel()

    @guarded(default=0)
    def rowCount(self, parent: Index | None = None) -> int:
        return len(self.rows)

    @guarded(default=0)
    def columnCount(self, parent: Index | None = None) -> int:
        return len(self.columns)

    @guarded(default=NO_VALUE)
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        cell = self.rows[index.row()][index.column()]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if isinstance(cell, str) else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain(cell) if isinstance(cell, str) else None  # a text may be shortened in its cell
        return text_of(cell) if role == Qt.ItemDataRole.DisplayRole else None

    @guarded(default=NO_VALUE)
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


class RowsTable(CopyingTable):
    """A table of rows; copying takes all rows that are shown."""

    def __init__(self, model: RowsModel) -> None:
        super().__init__()
        self._rows = model
        self.setModel(model)
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
        rows = [self._rows.columns, *(tuple(map(text_of, row)) for row in self._rows.rows)]
        return "\n".join("\t".join(row) for row in rows) + "\n"


class TableView(PanelView):
    """Shows the table of a result. No column is wider than half of the panel: numbers stay in sight."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.model = RowsModel(self)
        self.table = RowsTable(self.model)
        self.remark = named(QLabel(), "note")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.table, 1)
        column.addWidget(self.remark)
        self.retranslate()

    def retranslate(self) -> None:
        self.table.setAccessibleName(self.tr("Result of the analysis"))
        n_rows = len(self.model.rows)
        self.remark.setVisible(self.analysed is not None and (not n_rows or n_rows >= MOST_ROWS))
        first = self.tr("The first {0} rows; a file has all of them.").format(MOST_ROWS)
        self.remark.setText(first if n_rows else self.tr("The result has no rows."))

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        self.table.interventions = analysed.interventions
        rows = tuple(tuple(row) for row in analysed.table.rows)
        self.model.show_rows(analysed.table.columns, rows)
        self.retranslate()

    def set_stale(self, is_stale: bool) -> None:
        super().set_stale(is_stale)
        self.table.setEnabled(not is_stale)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        header = self.table.horizontalHeader()
        header.setMaximumSectionSize(max(self.look.pixels(_NARROWEST), self.width() // 2))
        header.resizeSections(QHeaderView.ResizeMode.ResizeToContents)
