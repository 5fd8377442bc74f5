"""The rows of the heads table: each head with its measures, and which of them are shown in which order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
    Slot,
)

from bertviz_app.analysis.measures import KEYS, HeadOverview, MeasureKey
from bertviz_app.text.tokens import BERT_NAMES, SpecialNames
from bertviz_app.viewmodels.overview_options import OverviewOptions, passes, unit_of
from bertviz_app.views.kit.canvas import NO_VALUE, guarded
from bertviz_app.views.kit.words import plain
from bertviz_app.views.overview.measure_words import MeasureWords, measure_words, number

Index = QModelIndex | QPersistentModelIndex
_Filter = tuple[str, float | None, float | None]
VALUE = Qt.ItemDataRole.UserRole


class HeadsModel(QAbstractTableModel):
    """Rows are heads in the order of the layers; columns the head's name and its measures, as KEYS."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.overview: HeadOverview | None = None
        self._n_heads = 1
        self._tops: dict[str, float] = {}
        self._words: dict[MeasureKey, MeasureWords] = {}

    def show_overview(self, overview: HeadOverview) -> None:
        """Take the measures of another result."""
        before = self.overview
        same_size = before is not None and before.pictures.shape[:2] == overview.pictures.shape[:2]
        if not same_size:
            self.beginResetModel()
        has_names = before is not None and before.special_names == overview.special_names
        self.overview = overview
        self._n_heads = overview.pictures.shape[1]
        # Weights are bars of a whole; the others have no such bound but that of the largest there is.
        self._tops = {
            key: 1.0 if unit_of(key) == "weight" else float(overview.measures[key].max()) for key in KEYS
        }
        if not same_size:
            self.endResetModel()
        else:
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(KEYS)))
        if not has_names:
            self.retranslate()

    def retranslate(self) -> None:
        """Write the titles in the language in force."""
        self._words = {}
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(KEYS))

    def _words_of(self, section: int) -> MeasureWords:
        """Return the words of a measure; all are translated once, not in each paint."""
        self._words = self._words or measure_words(self.special_names)
        return self._words[KEYS[section - 1]]

    @property
    def special_names(self) -> SpecialNames:
        """What the tokens are called that two of the measures are of."""
        return BERT_NAMES if self.overview is None else self.overview.special_names

    @guarded(default=0)
    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if self.overview is None else self.overview.pictures.shape[0] * self._n_heads

    @guarded(default=0)
    def columnCount(self, parent: Index | None = None) -> int:
        return len(KEYS) + 1

    def head_of(self, row: int) -> tuple[int, int]:
        """Return (layer, head) of a row."""
        return row // self._n_heads, row % self._n_heads

    def row_of(self, layer: int, head: int) -> int:
        """Return the row of a head."""
        return layer * self._n_heads + head

    def share(self, row: int, column: int) -> float | None:
        """Return how long the bar of a cell is, from 0 to 1; None for the column of names."""
        if self.overview is None or column == 0:
            return None
        top = self._tops[KEYS[column - 1]]
        return self._value(row, column) / top if top > 0 else 0.0

    @guarded(default=NO_VALUE)
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == VALUE:
            return self._value(row, column)
        if role == Qt.ItemDataRole.DisplayRole:
            layer, head = self.head_of(row)
            return f"{layer} · {head}" if column == 0 else number(KEYS[column - 1], self._value(row, column))
        return None

    def _value(self, row: int, column: int) -> float:
        if self.overview is None or column == 0:
            return float(row)
        layer, head = self.head_of(row)
        return float(self.overview.measures[KEYS[column - 1]][layer, head])

    @guarded(default=NO_VALUE)
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        words = None if section == 0 else self._words_of(section)
        if role == Qt.ItemDataRole.DisplayRole:
            return self.tr("head") if words is None else words.column
        if role == Qt.ItemDataRole.ToolTipRole:
            about = self.tr("Mean over the queries. A click sorts, a right click chooses the columns.")
            name = self.tr("Layer · head, counted from 0")
            return name if words is None else plain(f"{words.meaning} {about}")
        return None


class ShownHeads(QSortFilterProxyModel):
    """The heads that the overview's filter lets through, sorted by number."""

    def __init__(self, heads: HeadsModel, options: OverviewOptions, parent: QObject) -> None:
        super().__init__(parent, sortRole=VALUE)
        self._heads = heads
        self._options = options
        self._filter = _filter_of(options)
        self._passing: tuple[HeadOverview, _Filter, NDArray[np.bool_]] | None = None
        self.setSourceModel(heads)
        options.changed.connect(self._on_options_changed)

    @guarded(default=False)
    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:
        overview = self._heads.overview
        if overview is None or not self._options.value.filtered_by:
            return True
        if self._passing is None or self._passing[:2] != (overview, self._filter):
            self._passing = overview, self._filter, passes(overview.measures, self._options.value)
        return bool(self._passing[2][self._heads.head_of(source_row)])

    def head_at_row(self, row: int) -> tuple[int, int]:
        """Return (layer, head) of a row on screen."""
        return self._heads.head_of(self.mapToSource(self.index(row, 0)).row())

    def heads_shown(self) -> list[tuple[int, int]]:
        """Return (layer, head) of all rows in their order on screen."""
        return [self.head_at_row(row) for row in range(self.rowCount())]

    @Slot()
    def _on_options_changed(self) -> None:
        if _filter_of(self._options) != self._filter:
            self.beginFilterChange()
            self._filter = _filter_of(self._options)
            self.endFilterChange(QSortFilterProxyModel.Direction.Rows)


def _filter_of(options: OverviewOptions) -> _Filter:
    choice = options.value
    return choice.filtered_by, choice.least, choice.most
