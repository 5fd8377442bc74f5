"""`PiecesView`: the likeliest piece of each token in each hidden state, tinted by its probability."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QVBoxLayout

from bertviz_app.analysis.results import LayerRankings
from bertviz_app.tables import Cell
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.views.analyses.table import Index, RowsModel, RowsTable
from bertviz_app.views.kit.canvas import NO_VALUE, guarded
from bertviz_app.views.kit.colour_maps import is_dark
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import probability
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.words import plain

_INKS = ("#14161a", "#ffffff")


class PiecesView(PanelView):
    """Rows are hidden states, the last one on top; columns are tokens. A cell names its likeliest piece."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.model = _PiecesModel(tools.look)
        self.model.setParent(self)
        self.table = RowsTable(self.model)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table, 1)
        self.retranslate()

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self.table.setAccessibleName(self.tr("The likeliest piece of each token in each hidden state"))
        self._show()

    def show_result(self, analysed: Analysed) -> None:
        """Show another result."""
        super().show_result(analysed)
        self._show()

    def set_stale(self, is_stale: bool) -> None:
        """Dim the pieces while they are out of date."""
        super().set_stale(is_stale)
        self.table.setEnabled(not is_stale)

    def _show(self) -> None:
        result = None if self.analysed is None else self.analysed.result
        if not isinstance(result, LayerRankings):
            return
        self.model.ranking = result
        rows: list[tuple[Cell, ...]] = []
        for state in reversed(range(len(result.ids))):
            likeliest = result.ids[state, :, 0].tolist()
            rows.append((state, *(result.pieces[number] for number in likeliest)))
        self.model.show_rows((self.tr("state"), *result.tokens), tuple(rows))


class _PiecesModel(RowsModel):
    """Knows the ranking of each cell, for its colour and its tool tip."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.ranking: LayerRankings | None = None

    @guarded(default=NO_VALUE)
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        ranking, column = self.ranking, index.column()
        if ranking is None or column == 0:
            return super().data(index, role)
        at = len(ranking.ids) - 1 - index.row(), column - 1
        colour = int(self._look.weights[round(255 * min(1.0, max(0.0, float(ranking.values[at][0]))))])
        if role == Qt.ItemDataRole.BackgroundRole:
            return QColor.fromRgb(colour)
        if role == Qt.ItemDataRole.ForegroundRole:
            return QColor(_INKS[is_dark(colour)])
        if role == Qt.ItemDataRole.ToolTipRole:
            ranks = zip(ranking.ids[at].tolist(), ranking.values[at].tolist(), strict=True)
            return plain(
                "\n".join(f"{ranking.pieces[number]}  {probability(value)}" for number, value in ranks)
            )
        return super().data(index, role)
