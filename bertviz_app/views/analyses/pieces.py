"""`PiecesView`: the likeliest piece of each token in each hidden state, tinted by its probability."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QVBoxLayout, QWidget

from bertviz_app.analysis.results import LayerRankings
from bertviz_app.tables import Cell
from bertviz_app.viewmodels.analyses.analyses import Analysed
from bertviz_app.views.analyses.table import Index, RowsModel, RowsTable
from bertviz_app.views.kit.canvas import NO_VALUE, guarded
from bertviz_app.views.kit.colour_maps import ink_on
from bertviz_app.views.kit.labels import SIZE
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import probability
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.words import plain


class PiecesView(PanelView):
    """Rows are hidden states, the last one on top; columns are tokens. A cell names its likeliest piece."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self.model = _PiecesModel(self)
        self.table = RowsTable(self.model)
        self.table.setItemDelegate(_PieceDelegate(tools.look, self.model, self.table))
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.table, 1)
        self.retranslate()

    def retranslate(self) -> None:
        self.table.setAccessibleName(self.tr("The likeliest piece of each token in each hidden state"))
        self._show()

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        self.table.interventions = analysed.interventions
        self._show()

    def set_stale(self, is_stale: bool) -> None:
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
    """Has the ranking of each cell, for its colour and its tool tip."""

    ranking: LayerRankings | None = None

    def ranks(self, index: Index) -> list[tuple[str, float]]:
        """Return the pieces of a cell and their probabilities, the likeliest first."""
        ranking, column = self.ranking, index.column()
        if ranking is None or column == 0:
            return []
        at = len(ranking.ids) - 1 - index.row(), column - 1
        pieces = [ranking.pieces[number] for number in ranking.ids[at].tolist()]
        return list(zip(pieces, ranking.values[at].tolist(), strict=True))

    @guarded(default=NO_VALUE)
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        """Return a token as it is: `RowsModel` would translate one that is called like a column."""
        is_name = role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal
        return self.columns[section] if is_name else None

    @guarded(default=NO_VALUE)
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role != Qt.ItemDataRole.ToolTipRole:
            return super().data(index, role)
        return plain("\n".join(f"{piece}  {probability(value)}" for piece, value in self.ranks(index)))


class _PieceDelegate(QStyledItemDelegate):
    """Draws a piece on the colour of its probability."""

    def __init__(self, look: Look, model: _PiecesModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._model = model

    @guarded
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        ranks = self._model.ranks(index)
        if not ranks:
            super().paint(painter, option, index)
            return
        piece, value = ranks[0]
        colour = int(self._look.weights[round(255 * min(1.0, max(0.0, value)))])
        painter.fillRect(option.rect.adjusted(1, 1, 0, 0), QColor.fromRgb(colour))
        painter.setFont(self._look.font(SIZE))
        painter.setPen(ink_on(colour))
        painter.drawText(option.rect, Qt.AlignmentFlag.AlignCenter, piece)
