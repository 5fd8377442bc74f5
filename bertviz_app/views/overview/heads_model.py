"""The rows of the heads table: each head with its name, a pair's weight and its measures; which are shown."""

from __future__ import annotations

import math

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

from bertviz_app.analysis.attention.stamp import WEIGHTS
from bertviz_app.analysis.measures import (
    KEYS,
    NAME_RULES,
    UNITS,
    Head,
    HeadName,
    HeadOverview,
    MeasureKey,
    names_of,
)
from bertviz_app.analysis.probing.baselines import BOUND, SHUFFLED, UNIFORM
from bertviz_app.analysis.results import HeadScalars
from bertviz_app.text.tokens import BERT_NAMES, SpecialNames
from bertviz_app.viewmodels.inspected import PairInHeads
from bertviz_app.viewmodels.options import OverviewOptions
from bertviz_app.viewmodels.overview import largest, passes
from bertviz_app.viewmodels.wording import stamp_line
from bertviz_app.views.kit.canvas import NO_VALUE, LaterWork, guarded
from bertviz_app.views.kit.numbers import fixed
from bertviz_app.views.kit.words import plain
from bertviz_app.views.overview.measure_words import (
    ShownMeasure,
    measure_number,
    measure_words,
    name_rule_words,
    name_words,
)

Index = QModelIndex | QPersistentModelIndex
_UNNAMED = 100.0
_NOT_KNOWN = -1.0  # sorts heads of layers that are still being computed below all others
_Filter = tuple[str, float | None, float | None]
NAME = len(KEYS) + 1
"""The column of what the heads are called."""
PAIR = NAME + 1
"""The column of the weights of the pinned pair."""
COLUMNS = (0, PAIR, NAME, *range(1, NAME))
"""All columns from left to right. The measures have the numbers 1 to len(KEYS), wherever they stand."""
VALUE = Qt.ItemDataRole.UserRole


class HeadsModel(QAbstractTableModel):
    """Rows are heads in the order of the layers; columns: layer and head, the measures (KEYS), NAME, PAIR.

    `names`: the names of the heads that have one. `pair_header`: the text above PAIR, which the table may
    shorten.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.overview: HeadOverview | None = None
        self.names: dict[Head, HeadName] = {}
        self._pair: PairInHeads | None = None
        self.pair_header = ""
        self._baselines: HeadScalars | None = None
        self._n_heads = 1
        self._tops: dict[str, float] = {}
        self._words: dict[MeasureKey, ShownMeasure] = {}

    def show_overview(self, overview: HeadOverview) -> None:
        """Take the measures of another result."""
        before = self.overview
        same_size = before is not None and before.pictures.shape[:2] == overview.pictures.shape[:2]
        if not same_size:
            self.beginResetModel()
        has_names = before is not None and before.special_names == overview.special_names
        self.overview = overview
        self.names = names_of(overview.measures, overview.n_queries)
        self._n_heads = overview.pictures.shape[1]
        # A full bar is a weight of 1; other measures have no such bound, so it is their largest value.
        self._tops = {key: 1.0 if UNITS[key] == "weight" else largest(overview.measures[key]) for key in KEYS}
        if not same_size:
            self.endResetModel()
        else:  # the table sorts and paints in a turn of its own: the views of the text come first
            LaterWork.shared().add(
                self,
                "numbers",
                lambda: self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, PAIR)),
            )
        if not has_names:
            self.retranslate()

    def show_baselines(self, baselines: HeadScalars | None) -> None:
        """Show null baselines beside the measures, or none."""
        self._baselines = baselines
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 1, len(KEYS))
        if self.rowCount():
            self.dataChanged.emit(self.index(0, 1), self.index(self.rowCount() - 1, len(KEYS)))

    @property
    def baselines(self) -> HeadScalars | None:
        """The null baselines; None without any, and for other numbers than the weights of all tokens."""
        found, overview = self._baselines, self.overview
        if found is None or overview is None or overview.stamp != WEIGHTS:
            return None
        return found if found.values.shape[1:] == overview.pictures.shape[:2] else None

    def show_pair(self, pair: PairInHeads | None) -> None:
        self._pair = pair
        self.pair_header = "" if pair is None else pair.title
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, PAIR, PAIR)
        if self.rowCount():
            self.dataChanged.emit(self.index(0, PAIR), self.index(self.rowCount() - 1, PAIR))

    @property
    def pair(self) -> PairInHeads | None:
        """The pinned pair; None without one, and while it is of another run's heads."""
        fits = self._pair is not None and self.overview is not None and self._pair.fits(self.overview)
        return self._pair if fits else None

    def retranslate(self) -> None:
        """Write the titles in the language in force."""
        self._words = {}
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, PAIR)

    def _words_of(self, section: int) -> ShownMeasure:
        """Return the words of a measure; all are translated once, not in each paint."""
        self._words = self._words or measure_words(self.special_names)
        return self._words[KEYS[section - 1]]

    @property
    def special_names(self) -> SpecialNames:
        """The names of the special tokens, which two of the measures are about."""
        return BERT_NAMES if self.overview is None else self.overview.special_names

    @guarded(default=0)
    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if self.overview is None else self.overview.pictures.shape[0] * self._n_heads

    @guarded(default=0)
    def columnCount(self, parent: Index | None = None) -> int:
        return PAIR + 1

    def head_of(self, row: int) -> tuple[int, int]:
        """Return (layer, head) of a row."""
        return row // self._n_heads, row % self._n_heads

    def row_of(self, layer: int, head: int) -> int:
        """Return the row of a head, or of its layer where heads have none."""
        return layer * self._n_heads + min(head, self._n_heads - 1)

    def share(self, row: int, column: int) -> float | None:
        """Return how long the bar of a cell is, from 0 to 1; None for a column without bars."""
        if self.overview is None or column in (0, NAME):
            return None
        if column == PAIR:
            return 0.0 if self.pair is None else self._value(row, column) / self.pair.top
        top, value = self._tops[KEYS[column - 1]], self._value(row, column)
        return value / top if top > 0 and not math.isnan(value) else 0.0

    @guarded(default=NO_VALUE)
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(column)
        if role == VALUE:
            value = self._value(row, column)
            return _NOT_KNOWN if math.isnan(value) else value
        if role == Qt.ItemDataRole.DisplayRole:
            return self.text(row, column)
        return None

    def text(self, row: int, column: int) -> str:
        """Return what is written in a cell."""
        layer, head = self.head_of(row)
        if column == 0:
            is_of_layer = self.overview is not None and self.overview.stamp.numbers == "residual"
            return str(layer) if is_of_layer else f"{layer} · {head}"
        if column == NAME:
            name = self.names.get((layer, head))
            return "" if name is None else name_words(name, self.special_names)
        if column == PAIR:
            return "" if self.pair is None else fixed(self._value(row, column))
        key, baselines = KEYS[column - 1], self.baselines
        own = measure_number(self._value(row, column))
        if baselines is None:
            return own
        return f"{own} ({measure_number(float(baselines.of(f'{key}{SHUFFLED}')[layer, head]))})"

    def _value(self, row: int, column: int) -> float:
        """Return the sort key of a cell; heads of one name are together, the largest weight first."""
        if self.overview is None or column == 0:
            return float(row)
        at = self.head_of(row)
        if column == NAME:
            name = self.names.get(at)
            return _UNNAMED if name is None else NAME_RULES.index(name.rule) - name.value / _UNNAMED
        if column == PAIR:
            return 0.0 if self.pair is None else float(self.pair.column.weights[at])
        return float(self.overview.measures[KEYS[column - 1]][at])

    @guarded(default=NO_VALUE)
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return alignment(section)
        if section in (NAME, PAIR):
            return self._header(section, role)
        words = None if section == 0 else self._words_of(section)
        if role == Qt.ItemDataRole.DisplayRole:
            if words is None:
                return self.tr("head")
            baselines = self.baselines
            return words.column if baselines is None else self._with_baselines(words.column, section)
        if role == Qt.ItemDataRole.ToolTipRole:
            about = self.tr("Mean over the queries. A click sorts, a right click chooses the columns.")
            if self.overview is not None and self.overview.stamp != WEIGHTS:
                of_rows = self.tr("Each row of these numbers is divided by its sum: {0}.")
                about = f"{of_rows.format(stamp_line(self.overview.stamp))} {about}"
            name = self.tr("Layer · head, counted from 0")
            if words is not None and self.baselines is not None:
                beside = self.tr(
                    "In brackets: the mean of this head over random orders of the words. In the header: the "
                    "value of equal weights, and the largest that is possible."
                )
                about = f"{beside} {about}"
            return name if words is None else plain(f"{words.meaning} {about}")
        return None

    def _with_baselines(self, title: str, section: int) -> str:
        """Return a title with the value of equal weights and the bound below it."""
        key, baselines = KEYS[section - 1], self.baselines
        assert baselines is not None
        uniform, bound = (
            measure_number(float(baselines.of(f"{key}{ending}")[0, 0])) for ending in (UNIFORM, BOUND)
        )
        equal = self.tr("equal {0}").format(uniform)
        return f"{title}\n{equal}\n≤ {bound}"

    def _header(self, section: int, role: int) -> str | None:
        if section == PAIR:
            title = "" if self.pair is None else self.pair.title
            meaning = self.tr("The weight with which the pinned pair's query looks at its key: {0}").format(
                title
            )
        else:
            title, meaning = self.tr("does"), name_rule_words()
        if role == Qt.ItemDataRole.DisplayRole:
            return title if section == NAME or self.pair is None else self.pair_header
        return plain(meaning) if role == Qt.ItemDataRole.ToolTipRole else None


def alignment(column: int) -> Qt.AlignmentFlag:
    """Return where a column's texts stand in their cells."""
    side = Qt.AlignmentFlag.AlignLeft if column == NAME else Qt.AlignmentFlag.AlignRight
    return side | Qt.AlignmentFlag.AlignVCenter


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
