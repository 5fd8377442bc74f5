"""The first rows of a result as a table, its columns, and pieces by layer."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Slot,
)
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLabel,
)

from bertviz_app.analysis.combined import HeadRanking
from bertviz_app.tables import Cell, column_name
from bertviz_app.viewmodels.analyses.analyses import MOST_ROWS, Analysed
from bertviz_app.viewmodels.panel import Panel
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.layouts import in_column
from bertviz_app.views.kit.look import named
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.widgets import CopyingTable
from bertviz_app.views.kit.words import fixed, general, plain
from bertviz_app.views.overview.heads_table import measure_words


def column_word(key: str) -> str:
    """Return the name of a column in the language in force; a key that has none stands for itself."""
    translate = QCoreApplication.translate
    words = {
        "layer": translate("Columns", "layer"),
        "head": translate("Columns", "head"),
        "query": translate("Columns", "query"),
        "key": translate("Columns", "key"),
        "state": translate("Columns", "hidden state"),
        "position": translate("Columns", "position"),
        "token": translate("Columns", "token"),
        "value": translate("Columns", "value"),
        "divergence": translate("Columns", "divergence"),
        "last": translate("Columns", "last position"),
        "rank": translate("Columns", "rank"),
        "piece": translate("Columns", "piece"),
        "id": translate("Columns", "id"),
        "probability": translate("Columns", "probability"),
        "name": translate("Columns", "name"),
        "before": translate("Columns", "before"),
        "after": translate("Columns", "after"),
        "array": translate("Columns", "array"),
        "index": translate("Columns", "index"),
        "of": translate("Columns", "of"),
        "axes": translate("Columns", "axes"),
        "smallest": translate("Columns", "smallest"),
        "mean": translate("Columns", "mean"),
        "largest": translate("Columns", "largest"),
        "standard_error": translate("Columns", "standard error"),
        "part": translate("Columns", "part"),
        "other_piece": translate("Columns", "other piece"),
        "earlier_layer": translate("Columns", "earlier layer"),
        "earlier_head": translate("Columns", "earlier head"),
    }
    if key in words:
        return words[key]
    return scalar_title(key)


def scalar_title(key: str) -> str:
    """Return the name of a number of a head: that of a measure in the language in force, else its key.

    `key`: that of the number, or the name of its column in a table.
    """
    words = measure_words()
    if key in words:
        return words[key].title
    translate = QCoreApplication.translate
    named = {
        "pattern": translate("Scalars", "Pattern"),
        "vertical": translate("Scalars", "Two columns"),
        "diagonal": translate("Scalars", "Diagonal"),
        "within": translate("Scalars", "Within a sentence"),
        **{f"{a} → {b}": f"{a} → {b}" for a in "12" for b in "12"},  # of sentences
        "1 → special": translate("Scalars", "1 → special tokens"),
        "2 → special": translate("Scalars", "2 → special tokens"),
        "punctuation": translate("Scalars", "Weight on punctuation"),
        "entropy of the first": translate("Scalars", "Entropy of the first token"),
        "score change": translate("Scalars", "Change of the score"),
        "change": translate("Columns", "change"),
        "importance": translate("Columns", "importance"),
        "rank by change": translate("Columns", "rank by change"),
        "rank by importance": translate("Columns", "rank by importance"),
        "accuracy": translate("Scalars", "Share found"),
        "lower end": translate("Scalars", "Lower end"),
        "upper end": translate("Scalars", "Upper end"),
        "weight on the antecedent": translate("Scalars", "Weight on the antecedent"),
        "both": translate("Scalars", "Both runs"),
        "own side": translate("Scalars", "This run"),
        "other side": translate("Scalars", "Other run"),
        "copying": translate("Scalars", "Copying of pieces"),
        "matching": translate("Scalars", "Matching of pieces"),
        "ov positive": translate("Scalars", "OV positive"),
        "qk positive": translate("Scalars", "QK positive"),
        "ov norm": translate("Scalars", "OV size"),
        "qk norm": translate("Scalars", "QK size"),
        "ov rank": translate("Scalars", "OV directions"),
        "qk rank": translate("Scalars", "QK directions"),
        "queries": translate("Scalars", "By queries"),
        "keys": translate("Scalars", "By keys"),
        "values": translate("Scalars", "By values"),
        "divergence": translate("Columns", "divergence"),
        "significant": translate("Scalars", "Significant"),
        "weight": translate("Scalars", "Weight"),
        "by chance": translate("Scalars", "By chance"),
        "p": translate("Scalars", "p"),
        "q": translate("Scalars", "q, corrected"),
    }
    endings = {
        "uniform": translate("Scalars", "{0}, equal weights"),
        "shuffled": translate("Scalars", "{0}, words shuffled"),
        "bound": translate("Scalars", "{0}, bound"),
    }
    titles = {str(measure): words[measure].title for measure in words}
    base, _, ending = key.rpartition("_")
    if base in titles and ending in endings:
        return endings[ending].format(titles[base])
    return {column_name(name): word for name, word in named.items()}.get(column_name(key), key)


_NARROWEST = 80
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
        self.dimmed = (self.table,)
        self.table.setAccessibleName(self.tr("Result of the analysis"))
        self.remark = named(QLabel(), "note")
        self.remark.hide()
        in_column((self.table, 1), self.remark, of=self, margins=0, spacing=0)

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        self.table.interventions = analysed.interventions
        rows = tuple(tuple(row) for row in analysed.table.rows)
        self.model.show_rows(analysed.table.columns, rows)
        first = self.tr("The first {0} rows; a file has all of them.").format(MOST_ROWS)
        self.remark.setText(first if rows else self.tr("The result has no rows."))
        self.remark.setVisible(not 0 < len(rows) < MOST_ROWS)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        header = self.table.horizontalHeader()
        header.setMaximumSectionSize(max(self.look.pixels(_NARROWEST), self.width() // 2))
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
            self.table.selectRow(heads.index(name))
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
        layer, _, head = str(self.model.rows[index.row()][1]).partition("·")
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
