"""`ParametersTable`: every parameter of a checkpoint in groups, one row each; a click chooses one."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView

from bertviz_app.checkpoint.parameters import ParameterTable, StoredParameter, group_title, title_of
from bertviz_app.viewmodels.parameters import ShownTable
from bertviz_app.viewmodels.wording import all_translated
from bertviz_app.views.analyses.table import Index
from bertviz_app.views.kit.canvas import NO_VALUE, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.widgets import CopyingTable

_NUMBERS = (1, 2)
_INDENT = 7
_AROUND = 28
"""Pixels around the text of a cell, rather too many: a row that fits has one line in any case."""
_EMPTY = ShownTable(ParameterTable(()))


class _Row:
    """A line of the table: a parameter, or the title of a group with the sums of it."""

    def __init__(self, cells: tuple[str, ...], entry: StoredParameter | None, notes: str = "") -> None:
        self.cells = cells
        self.entry = entry
        self.notes = notes


class ParametersModel(QAbstractTableModel):
    """The rows of all groups."""

    def __init__(self, look: Look, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._indent = _indent(look)
        self.shown = _EMPTY
        self.rows: list[_Row] = []

    def show_table(self, shown: ShownTable) -> None:
        """Show the parameters of another checkpoint, or the same in another language."""
        self.beginResetModel()
        self.shown, self.rows = shown, _rows(shown.table)
        self.endResetModel()

    def follow_look(self) -> None:
        """Indent the names as far as the text size in force asks for."""
        self._indent = _indent(self._look)
        if self.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(len(self.rows) - 1, 0))

    @guarded(default=0)
    def rowCount(self, parent: Index | None = None) -> int:
        return len(self.rows)

    @guarded(default=0)
    def columnCount(self, parent: Index | None = None) -> int:
        return len(_columns())

    @guarded(default=NO_VALUE)
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.cells[index.column()].lstrip()
        if role == Qt.ItemDataRole.DecorationRole and index.column() == 0 and row.entry is not None:
            return self._indent
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if index.column() in _NUMBERS else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            return row.notes or row.cells[index.column()]
        if role == Qt.ItemDataRole.FontRole and row.entry is None:
            font = QFont()
            font.setWeight(QFont.Weight.DemiBold)
            return font
        if role == Qt.ItemDataRole.ForegroundRole and not self._is_comparable(row):
            return self._look.colour("secondary")
        return None

    @guarded(default=NO_VALUE)
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section in _NUMBERS else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return _columns()[section] if role == Qt.ItemDataRole.DisplayRole else None

    def _is_comparable(self, row: _Row) -> bool:
        comparable = self.shown.comparable
        return row.entry is None or comparable is None or row.entry.key in comparable


class ParametersTable(CopyingTable):
    """Emits `chosen(key)` for a click on a parameter, or Enter."""

    chosen = Signal(str)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.rows_model = ParametersModel(look, self)
        self._natural_widths: list[int] = []
        self.setModel(self.rows_model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setTextElideMode(Qt.TextElideMode.ElideNone)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(look.pixels(24))
        self.horizontalHeader().setHighlightSections(False)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.clicked.connect(self._on_clicked)
        # After a change of the text size the fonts come with the new style sheet.
        self._restyled = QTimer(self, singleShot=True, interval=0)
        self._restyled.timeout.connect(self._follow_look)
        look.changed.connect(self._restyled.start)

    def show_table(self, shown: ShownTable) -> None:
        """Show the parameters of another checkpoint."""
        self.rows_model.show_table(shown)
        self._measure()

    @Slot()
    def _follow_look(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._look.pixels(24))
        self.rows_model.follow_look()
        self._measure()

    def _measure(self) -> None:
        metrics = QFontMetrics(self._look.font(13, bold=True)), QFontMetrics(self._look.font(13))
        self._natural_widths = [
            metrics[row.entry is not None].horizontalAdvance(row.cells[0]) + self._look.pixels(_AROUND)
            for row in self.rows_model.rows
        ]
        self._share_width()

    def _share_width(self) -> None:
        """Show counts and shares beside the names, which are wrapped for it; the rest is scrolled to."""
        self.resizeColumnsToContents()
        room = self.viewport().width() - sum(map(self.columnWidth, _NUMBERS)) - 2
        self.setColumnWidth(0, min(self.columnWidth(0), max(self._look.pixels(130), room)))
        self._wrap_names()

    def _wrap_names(self) -> None:
        """Give each name that is wider than its column the lines that it needs."""
        width, line = self.columnWidth(0), self.verticalHeader().defaultSectionSize()
        for number, natural in enumerate(self._natural_widths):
            if natural > width:
                self.resizeRowToContents(number)
                self.setRowHeight(number, max(line, self.rowHeight(number)))
            elif self.rowHeight(number) != line:
                self.setRowHeight(number, line)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()

    def retranslate(self) -> None:
        self.show_table(self.rows_model.shown)

    def choose(self, key: str) -> None:
        """Select a parameter, and scroll to it, without emitting `chosen`."""
        for number, row in enumerate(self.rows_model.rows):
            if row.entry is not None and row.entry.key == key:
                self.selectRow(number)
                self.scrollTo(self.rows_model.index(number, 0))

    def copied(self) -> str:
        """Return the rows with tabs between the cells, to be pasted into a spreadsheet."""
        rows = [_columns(), *(row.cells for row in self.rows_model.rows)]
        return "\n".join("\t".join(row) for row in rows) + "\n"

    def _on_clicked(self, index: QModelIndex) -> None:
        entry = self.rows_model.rows[index.row()].entry
        if entry is not None:
            self.chosen.emit(entry.key)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter chooses the selected row."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._on_clicked(self.currentIndex())
        else:
            super().keyPressEvent(event)


def _indent(look: Look) -> QPixmap:
    """Return what stands before a name, so that wrapped lines are indented, too."""
    indent = QPixmap(look.pixels(_INDENT), 1)
    indent.fill(Qt.GlobalColor.transparent)
    return indent


def _columns() -> tuple[str, ...]:
    translate = QCoreApplication.translate
    return (
        translate("ParametersView", "What it is"),
        translate("ParametersView", "Parameters"),
        translate("ParametersView", "Share"),
        translate("ParametersView", "Shape"),
        translate("ParametersView", "Name in the file"),
    )


def _rows(table: ParameterTable) -> list[_Row]:
    translate = QCoreApplication.translate
    rows = []
    for (group, layers), entries in table.groups():
        count = sum(entry.n_numbers for entry in entries)
        share = count / table.total if table.total else 0.0
        cells = (group_title(group, layers, translate), f"{count:,}", f"{share:.2%}", "", "")
        rows.append(_Row(cells, None))
        rows += [_row(entry, table) for entry in entries]
    return rows


def _row(entry: StoredParameter, table: ParameterTable) -> _Row:
    name, symbol = title_of(entry.key, QCoreApplication.translate)
    shape = " × ".join(map(str, entry.shape))
    notes = all_translated(entry.notes)
    in_file = entry.name or f"= {entry.tied_to}"
    if entry.part[1] > 1:
        in_file += f" [{entry.part[0]}/{entry.part[1]}]"
    count = f"{entry.n_numbers:,}" if entry.n_numbers else "–"
    share = f"{table.share(entry):.2%}" if entry.n_numbers else "–"
    what = f"   {name}  {symbol}" if symbol else f"   {name}"
    return _Row((what, count, share, shape, in_file), entry, notes)
