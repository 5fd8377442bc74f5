"""`RankingView`: the heads in the order of what replacing each does, beside their importance by gradients."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Slot
from PySide6.QtWidgets import QAbstractItemView, QLabel, QVBoxLayout

from bertviz_app.analysis.combined import HeadRanking
from bertviz_app.tables import Cell
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.views.analyses.table import RowsModel, RowsTable
from bertviz_app.views.kit.numbers import fixed
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.style import named


class RankingView(PanelView):
    """A row for each head; a click on one, or Enter, shows the head."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.model = RowsModel(self)
        self.table = RowsTable(self.model)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.clicked.connect(self._on_row_chosen)
        self.table.activated.connect(self._on_row_chosen)
        self.heading = named(QLabel(wordWrap=True), "note")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.heading)
        column.addWidget(self.table, 1)

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
        self.retranslate()

    def set_stale(self, is_stale: bool) -> None:
        super().set_stale(is_stale)
        self.table.setEnabled(not is_stale)

    def retranslate(self) -> None:
        """Write the words and the rows in the language in force."""
        result = None if self.analysed is None else self.analysed.result
        if not isinstance(result, HeadRanking):
            return
        self.table.setAccessibleName(self.tr("Heads by what they do to the outcome"))
        replaced = {
            "zero": self.tr("Each head's output replaced by zeros"),
            "mean": self.tr("Each head's output replaced by its mean over the tokens"),
            "uniform": self.tr("Each head made to attend to all tokens alike"),
        }
        outcome = 0.0 if result.outcome is None else result.outcome
        words = self.tr("{0}. Outcome with all heads: {1}. Both rankings agree by {2} (Spearman).")
        self.heading.setText(
            words.format(replaced[result.flavour], fixed(outcome, 4), fixed(result.agreement, 2))
        )
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
