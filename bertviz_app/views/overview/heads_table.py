"""The table of heads and their measures, and the button of a pair over it."""

from __future__ import annotations

import math
from functools import cache, partial

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFontMetricsF, QMouseEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionButton,
    QStyleOptionViewItem,
    QStylePainter,
    QWidget,
)

from bertviz_app.analysis.attention.stamp import WEIGHTS
from bertviz_app.analysis.measures import (
    BROAD_SHARE,
    KEYS,
    LEAST_QUERIES,
    LEAST_SHARE,
    MEASURES,
    NAME_RULES,
    NEEDS_ONE_TEXT,
    UNITS,
    Head,
    HeadName,
    HeadOverview,
    MeasureKey,
    MeasureWords,
    names_of,
)
from bertviz_app.analysis.probing.baselines import BOUND, SHUFFLED, UNIFORM
from bertviz_app.analysis.results import HeadScalars
from bertviz_app.options import Run
from bertviz_app.text.tokens import BERT_NAMES, SpecialNames
from bertviz_app.timers import OneShot
from bertviz_app.trace.indexing import FirstShown
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.analyses.analyses import Baselines
from bertviz_app.viewmodels.export import Runs, measures_as_text, overview_as_python, overview_numbers
from bertviz_app.viewmodels.inspected import PairInHeads
from bertviz_app.viewmodels.overview import largest, passes
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.state import WindowState, change_overview
from bertviz_app.viewmodels.wording import sample_line, stamp_line, translate, translated
from bertviz_app.views.kit.canvas import STALE, Guarded, LaterWork
from bertviz_app.views.kit.look import Look, Pencil, named
from bertviz_app.views.kit.subject import ExportSubject, sheet_of
from bertviz_app.views.kit.terms import explain_with
from bertviz_app.views.kit.widgets import CopyingTable
from bertviz_app.views.kit.words import add_choice, fixed, in_both, plain, without_mnemonic

_NO_NUMBERS = np.zeros((0, 0), np.float32)
NO_HEADS = HeadOverview(np.zeros((0, 0, 1, 1), np.float32), dict.fromkeys(KEYS, _NO_NUMBERS), 0.0)
"""What views of all heads have before there is a result."""


@dataclass(frozen=True)
class ShownMeasure:
    """What people read of a measure, in the language in force: `words` are its messages."""

    words: MeasureWords

    @property
    def title(self) -> str:
        """Its name in menus and alone."""
        return in_both(self.words.title)

    @property
    def column(self) -> str:
        """Its name above a narrow column."""
        return translated(self.words.column)

    @property
    def meaning(self) -> str:
        """What it is, in one sentence."""
        return translated(self.words.meaning)


@cache
def measure_words(names: SpecialNames = BERT_NAMES) -> dict[MeasureKey, ShownMeasure]:
    """Return the words of every measure, by its key; `names` are those of the special tokens."""
    return {measure.key: ShownMeasure(measure.words(names)) for measure in MEASURES}


def blank_measures(overview: HeadOverview) -> frozenset[MeasureKey]:
    """Return the measures that there are none of, because the keys are tokens of another text."""
    is_cross = overview.n_cross_keys is not None
    return frozenset(one.key for one in MEASURES if is_cross and one.is_of_one_text)


def unit_word(key: MeasureKey) -> str:
    """Return the unit of a measure as it is written behind a number; nothing behind a weight."""
    units = {"bits": translate("Measures", "bits"), "tokens": translate("Measures", "tokens"), "weight": ""}
    return units[UNITS[key]]


def measure_number(value: float) -> str:
    """Return a value of a measure with two decimals, or one from 100 on."""
    return fixed(value, 2 if value < 100 else 1)


def with_unit(key: MeasureKey, value: float) -> str:
    units = {"bits": translate("Measures", "{0} bits"), "tokens": translate("Measures", "{0} tokens")}
    return units.get(UNITS[key], "{0}").format(measure_number(value))


def name_words(name: HeadName, names: SpecialNames = BERT_NAMES) -> str:
    """Return what a head is called, with the number behind it: "previous token 0.87"."""
    return f"{translated(name.rule.title(names))} {with_unit(name.rule.measure, name.value)}"


Index = QModelIndex | QPersistentModelIndex
_UNNAMED = 100.0
_NOT_KNOWN = -1.0  # sorts heads of layers that are still being computed below all others
_Filter = tuple[str, float | None, float | None, FirstShown]
NAME = len(KEYS) + 1
"""The column of what the heads are called."""
PAIR = NAME + 1
"""The column of the weights of the pinned pair."""
COLUMNS = (0, PAIR, NAME, *range(1, NAME))
"""All columns from left to right. The measures have the numbers 1 to len(KEYS), wherever they stand."""
# Where the texts of each column stand in their cells.
_ALIGNMENTS = tuple(
    Qt.AlignmentFlag.AlignVCenter
    | (Qt.AlignmentFlag.AlignLeft if column == NAME else Qt.AlignmentFlag.AlignRight)
    for column in range(PAIR + 1)
)
VALUE = Qt.ItemDataRole.UserRole


class HeadsModel(Guarded, QAbstractTableModel):
    """Rows are heads in the order of the layers; columns: layer and head, the measures (KEYS), NAME, PAIR.

    `names`: the names of the heads that have one. `pair_header`: the text above PAIR, which the table may
    shorten.
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.overview = NO_HEADS
        self.names: dict[Head, HeadName] = {}
        self._pair: PairInHeads | None = None
        self.pair_header = ""
        self._baselines: HeadScalars | None = None
        self._n_heads = 1
        self._tops: dict[str, float] = {}

    def show_overview(self, overview: HeadOverview) -> None:
        before = self.overview
        same_size = before.pictures.shape[:2] == overview.pictures.shape[:2]
        if not same_size:
            self.beginResetModel()
        has_names = before.special_names == overview.special_names
        self.overview = overview
        self.names = names_of(overview.measures, overview.n_queries, overview.n_cross_keys)
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
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, PAIR)

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
        if found is None or overview.stamp != WEIGHTS:
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
        return self._pair if self._pair is not None and self._pair.fits(self.overview) else None

    @property
    def special_names(self) -> SpecialNames:
        """The names of the special tokens, which two of the measures are about."""
        return self.overview.special_names

    def rowCount(self, parent: Index | None = None) -> int:
        return len(self.overview.pictures) * self._n_heads

    def columnCount(self, parent: Index | None = None) -> int:
        return PAIR + 1

    def head_of(self, row: int) -> tuple[int, int]:
        return row // self._n_heads, row % self._n_heads

    def row_of(self, layer: int, head: int) -> int:
        """Return the row of a head, or of its layer where heads have none."""
        return layer * self._n_heads + min(head, self._n_heads - 1)

    def share(self, row: int, column: int) -> float | None:
        """Return how long the bar of a cell is, from 0 to 1; None for a column without bars."""
        if column in (0, NAME):
            return None
        if column == PAIR:
            return 0.0 if self.pair is None else self._value(row, column) / self.pair.top
        top, value = self._tops[KEYS[column - 1]], self._value(row, column)
        return value / top if top > 0 and not math.isnan(value) else 0.0

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENTS[column]
        if role == VALUE:
            value = self._value(row, column)
            return _NOT_KNOWN if math.isnan(value) else value
        return self.text(row, column) if role == Qt.ItemDataRole.DisplayRole else None

    def text(self, row: int, column: int) -> str:
        layer, head = self.head_of(row)
        if column == 0:
            return str(layer) if self.overview.stamp.numbers == "residual" else f"{layer} · {head}"
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
        if column == 0:
            return float(row)
        at = self.head_of(row)
        if column == NAME:
            name = self.names.get(at)
            return _UNNAMED if name is None else NAME_RULES.index(name.rule) - name.value / _UNNAMED
        if column == PAIR:
            return 0.0 if self.pair is None else float(self.pair.column.weights[at])
        return float(self.overview.measures[KEYS[column - 1]][at])

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _ALIGNMENTS[section]
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain(self._tip(section))
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if section == PAIR:
            return "" if self.pair is None else self.pair_header
        if section in (0, NAME):
            return self.tr("role") if section else self.tr("head")
        key, baselines = KEYS[section - 1], self.baselines
        title = measure_words(self.special_names)[key].column
        if baselines is None:
            return title
        uniform, bound = (
            measure_number(float(baselines.of(f"{key}{ending}")[0, 0])) for ending in (UNIFORM, BOUND)
        )
        return "\n".join((title, self.tr("equal {0}").format(uniform), f"≤ {bound}"))

    def _tip(self, section: int) -> str:
        if section == PAIR:
            words = self.tr("The weight with which the pinned pair's query looks at its key: {0}")
            return words.format("" if self.pair is None else self.pair.title)
        if section == NAME:
            return translate(
                "Measures",
                "What the head does on this text, where that is plain: at least {0} of its attention goes to "
                "these tokens, as a mean over {1} queries or more; “broad” is an entropy as of equal weights "
                "on {2} of all tokens. The rule is this program's own; another text may give another name.",
            ).format(f"{LEAST_SHARE:.0%}", LEAST_QUERIES, f"{BROAD_SHARE:.0%}")
        if not section:
            return self.tr("Layer · head, counted from 0")
        beside = self.tr(
            "In brackets: the mean of this head over random orders of the words. In the header: the "
            "value of equal weights, and the largest that is possible."
        )
        meaning = measure_words(self.special_names)[KEYS[section - 1]].meaning
        overview = self.overview
        about = self.tr("Mean over the queries. A click sorts, a right click chooses the columns.")
        if KEYS[section - 1] in blank_measures(overview):
            about = translated(NEEDS_ONE_TEXT)
        elif overview.stamp != WEIGHTS:
            of_rows = self.tr("Each row of these numbers is divided by its sum: {0}.")
            about = f"{of_rows.format(stamp_line(overview.stamp))} {about}"
        return " ".join([meaning, *((beside,) if self.baselines is not None else ()), about])


class ShownHeads(Guarded, QSortFilterProxyModel):
    """The heads that the overview's filter lets through, sorted by number."""

    def __init__(self, heads: HeadsModel, panels: Panels, parent: QObject) -> None:
        super().__init__(parent, sortRole=VALUE)
        self._heads = heads
        self._panels = panels
        self._filter = _filter_of(panels.store.now)
        self.setSourceModel(heads)
        panels.store.watch(("overview", "included"), self._on_choice_changed)

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:
        overview = self._heads.overview
        (n_layers, n_heads), included = overview.pictures.shape[:2], self._panels.store.now.included
        layer, head = self._heads.head_of(source_row)
        if included.is_partial and not (
            layer in included.layers_of(n_layers) and head in included.heads_of(n_heads)
        ):
            return False
        choice = self._panels.store.now.overview
        if not choice.filtered_by:
            return True
        of_head = overview.measures[choice.filtered_by][layer : layer + 1, head : head + 1]
        return bool(passes({choice.filtered_by: of_head}, choice)[0, 0])

    def head_at_row(self, row: int) -> tuple[int, int]:
        """Return (layer, head) of a row on screen."""
        return self._heads.head_of(self.mapToSource(self.index(row, 0)).row())

    def heads_shown(self) -> list[tuple[int, int]]:
        """Return (layer, head) of all rows in their order on screen."""
        return [self.head_at_row(row) for row in range(self.rowCount())]

    @Slot()
    def _on_choice_changed(self) -> None:
        chosen = _filter_of(self._panels.store.now)
        if chosen != self._filter:
            self.beginFilterChange()
            self._filter = chosen
            self.endFilterChange(QSortFilterProxyModel.Direction.Rows)


def _filter_of(state: WindowState) -> _Filter:
    choice = state.overview
    return choice.filtered_by, choice.least, choice.most, state.included


_ARROW = " → "
_LEAST = 9  # characters, the ellipsis in the middle included
_MOST = 44


class PairButton(Guarded, QPushButton):
    """Prefers to show the whole title; `least_width` is enough for its beginning and its end."""

    def __init__(self) -> None:
        super().__init__()
        self._title = ""
        named(self, "segment")
        self.setProperty("place", "only")
        self.setCheckable(True)
        explain_with(self, "pair_weight")

    def show_title(self, title: str) -> None:
        """Show the title of another pair; a row around makes room for it."""
        self._title = shortened(title, _MOST)
        self.setText(without_mnemonic(self._title))

    @property
    def least_width(self) -> int:
        """The width of the button with a title of a few characters."""
        return self._around + self.fontMetrics().horizontalAdvance(shortened(self._title, _LEAST))

    @property
    def shown_text(self) -> str:
        """As much of the title as the width has room for: the beginnings of its tokens."""
        room = self.width() - self._around + 1  # which is rounded
        return fitted(self._title, QFontMetricsF(self.font()), room)

    @property
    def _around(self) -> int:
        """The width of the button but for its text."""
        return self.sizeHint().width() - self.fontMetrics().horizontalAdvance(self._title)

    def minimumSizeHint(self) -> QSize:
        return QSize(self.least_width, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the button as Qt does, with the text that fits."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = without_mnemonic(self.shown_text)
        painter = QStylePainter(self)
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        painter.end()


def fitted(title: str, metrics: QFontMetricsF, room: float) -> str:
    """Return a pair's two tokens as wide as `room` at most: the longer one loses its end first."""
    if metrics.horizontalAdvance(title) <= room:
        return title
    query, arrow, key = title.partition(_ARROW)
    left = room - metrics.horizontalAdvance(arrow)
    widths = [metrics.horizontalAdvance(part) for part in (query, key)]
    of_query = max(left / 2, left - widths[1])
    if widths[0] > of_query:
        query = metrics.elidedText(query, Qt.TextElideMode.ElideRight, of_query)
    of_key = left - metrics.horizontalAdvance(query)
    if widths[1] > of_key + 0.5:  # the advance of several words is rounded otherwise than their sum
        key = metrics.elidedText(key, Qt.TextElideMode.ElideRight, of_key)
    return f"{query}{arrow}{key}"


def shortened(title: str, longest: int) -> str:
    """Return a title, the middle of a long one left out."""
    return title if len(title) <= longest else f"{title[: longest // 2]}…{title[-(longest // 2) :]}"


_ROW = 23
_NARROWEST = 52
_WITH_BASELINES = 92  # "2.64 (2.91)"
_NUMBERS = 60
_NAME = 122
_PAIR = 84
_WIDEST_PAIR = 116
_SHORT_NAME = 70
_PADDING = 5

# The terms of the glossary, by measure or column.
_TERMS: dict[str | int, str] = {
    "entropy": "entropy",
    "distance": "distance",
    "first": "cls",
    "separator": "sep",
    "previous": "previous_next",
    "same": "previous_next",
    "next": "previous_next",
    "word": "head_name",
    "largest": "largest_weight",
    NAME: "head_name",
    PAIR: "pair_weight",
}


class _BarDelegate(Guarded, QStyledItemDelegate):
    """Draws the number of a cell, and a bar below it.

    It draws what the style sheet describes without asking Qt's style, which would interpret the sheet for
    each cell: that takes four times as long. The table draws the background of the selected row.
    """

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self.is_stale = False

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        proxy = index.model()
        assert isinstance(proxy, QSortFilterProxyModel)
        source = proxy.mapToSource(index)
        model, row, column = source.model(), source.row(), source.column()
        assert isinstance(model, HeadsModel)
        box, look = option.rect, self._look
        painter.setOpacity(STALE if self.is_stale else 1.0)
        painter.fillRect(box.left(), box.bottom(), box.width(), 1, look.colour("rule"))
        font = look.font(12) if column == NAME else look.number_font(12)
        room = QRectF(box).adjusted(_PADDING, 0, -_PADDING, -2)
        Pencil(painter, look).write(model.text(row, column), room, font, side=_ALIGNMENTS[column])
        share = model.share(row, column)
        if share:
            length = max(1.0, (box.width() - 12) * min(1.0, share))
            bar = QRectF(QRectF(box).right() - 4 - length, QRectF(box).bottom() - 5, length, 3)
            painter.fillRect(bar, look.colour("accent"))


def subject_of_heads(
    widget: QWidget, title: str, runs: Runs, run: Run, overview: HeadOverview, pair: PairInHeads | None
) -> ExportSubject:
    """Return what is exported of all heads of run "A" or "B", as cells or as a table."""
    stamp = overview.stamp
    return ExportSubject(
        widget,
        "heads",
        sheet_of(title, runs, run, stamp_line(stamp), sample_line(overview)),
        runs.named(run, partial(overview_numbers, overview, pair)),
        overview_as_python(runs.only(run), None if pair is None else pair.tokens, stamp),
    )


class HeadsTable(CopyingTable):
    """All heads; click or move to a row to show its head, shift-click to add a panel."""

    part_chosen = Signal(object)
    part_added = Signal(object)

    def __init__(self, look: Look, panels: Panels) -> None:
        super().__init__()
        self._look = look
        self._panels = panels
        self.heads = HeadsModel(self)
        self._baselines: Baselines | None = None
        self._run: Run = "A"
        self.shown = ShownHeads(self.heads, panels, self)
        self.setModel(self.shown)
        self._bars = _BarDelegate(look, self)
        self.setItemDelegate(self._bars)
        self.setSortingEnabled(True)
        self.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        for index, column in enumerate(COLUMNS):
            header.moveSection(header.visualIndex(column), index)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._choose_columns)
        self.setColumnHidden(PAIR, True)
        self.setAccessibleName(self.tr("Measures of all heads"))
        panels.changed.connect(self._mark_active)
        # Once for all rows: a filter removes and inserts them as many small ranges.
        self._is_marked_seen = False  # before Qt moves the rows for another height
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self._settling = OneShot(self, self._settle)
        self._fitting = OneShot(self, self._fit_rows)
        for signal in (self.shown.modelReset, self.shown.rowsInserted, self.shown.rowsRemoved):
            signal.connect(self._fitting.start)
        look.changed.connect(self._fit)

    def set_stale(self, is_stale: bool) -> None:
        self._bars.is_stale = is_stale
        self.viewport().update()

    def copied(self) -> str:
        """Return what is shown, in its order and with all measures, to be pasted into a spreadsheet."""
        overview, rows = self.heads.overview, self.shown.heads_shown()
        return "" if overview is NO_HEADS else measures_as_text(overview, rows, self.heads.pair)

    def subject(self, title: str, runs: Runs) -> ExportSubject | None:
        overview = self.heads.overview
        if overview is NO_HEADS:
            return None
        return subject_of_heads(self, title, runs, self._run, overview, self.heads.pair)

    def follow(self, baselines: Baselines) -> None:
        """Show the null baselines that `baselines` computes, while the options ask for them."""
        self._baselines = baselines
        baselines.changed.connect(self._on_baselines_changed)

    @Slot()
    def _on_baselines_changed(self) -> None:
        self.heads.show_baselines(None if self._baselines is None else self._baselines.found)
        self._fit()

    def show_overview(self, overview: HeadOverview, run: Run = "A") -> None:
        """Show the measures of another result, which is of run "A" or "B"."""
        self._run = run
        self.heads.show_overview(overview)
        if self._baselines is not None:
            self._baselines.show(run)
        self._mark_active()

    def show_pair(self, pair: PairInHeads | None) -> None:
        """Show the weights of the pinned pair in a column of its own, or no such column."""
        self.heads.show_pair(pair)
        if self.isColumnHidden(PAIR) != (pair is None):
            if pair is None and self.shown.sortColumn() == PAIR:
                self.sortByColumn(0, Qt.SortOrder.AscendingOrder)
            self.show_column(PAIR, pair is not None)
        elif pair is not None:
            self._fit()

    def head_at(self, point: QPoint) -> tuple[int, int] | None:
        """Return the (layer, head) of the row at a point of the viewport."""
        index = self.indexAt(point)
        return self.shown.head_at_row(index.row()) if index.isValid() else None

    def term_at(self, position: QPoint) -> str:
        """Return the term of the glossary at a position: that of the column."""
        header = self.horizontalHeader()
        column = header.logicalIndexAt(header.mapFrom(self, position))
        return _TERMS.get(KEYS[column - 1] if 0 < column < NAME else column, "head")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self.head_at(event.position().toPoint())
        if at is None:
            return
        is_more = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        (self.part_added if is_more else self.part_chosen).emit(at)

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Follow the arrow keys."""
        super().currentChanged(current, previous)
        if self.hasFocus() and current.isValid():
            self.part_chosen.emit(self.shown.head_at_row(current.row()))

    @Slot()
    def _mark_active(self) -> None:
        active = self._panels.active
        if active is None or not self.heads.rowCount():
            return
        index = self.shown.mapFromSource(self.heads.index(self.heads.row_of(active.layer, active.head), 0))
        if index.isValid() and index.row() != self.currentIndex().row():
            self.setCurrentIndex(index)
            self._is_marked_seen = True

    @Slot(QPoint)
    def _choose_columns(self, at: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        words, store = measure_words(self.heads.special_names), self._panels.store
        titles = {column: words[key].title for column, key in enumerate(KEYS, start=1)}
        for column, title in {**titles, NAME: self.tr("What the head does")}.items():
            is_hidden = self.isColumnHidden(column)
            add_choice(menu, title, partial(self.show_column, column, is_hidden), is_chosen=not is_hidden)
        menu.addSeparator()
        title = self.tr("Null baselines: equal weights, shuffled words")
        is_on = store.now.overview.shows_baselines
        add_choice(menu, title, partial(change_overview, store, shows_baselines=not is_on), is_chosen=is_on)
        menu.popup(self.horizontalHeader().mapToGlobal(at))

    def show_column(self, column: int, is_shown: bool) -> None:
        self.setColumnHidden(column, not is_shown)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        was_seen = self._is_marked_seen
        super().resizeEvent(event)
        self._fit()
        if was_seen:
            self.scrollTo(self.currentIndex())
        self._is_marked_seen = was_seen
        self._settling.start()  # the scroll bars come, go and get their new ranges after this

    @Slot()
    def _settle(self) -> None:
        is_seen = self._is_marked_seen
        self._fit()
        if is_seen:
            self.scrollTo(self.currentIndex())

    @Slot()
    def _on_scrolled(self) -> None:
        marked = self.visualRect(self.currentIndex())
        self._is_marked_seen = marked.isValid() and self.viewport().rect().contains(marked.center())

    @Slot()
    def _fit(self) -> None:
        """Give the columns of measures equal widths, so that a whole number of them fills the table.

        Where not all have room the table scrolls sideways.
        """
        header = self.horizontalHeader()
        header.setFont(self._look.font(12))
        columns = [column for column in range(1, len(KEYS) + 1) if not self.isColumnHidden(column)]
        least = _NARROWEST if self.heads.baselines is None else _WITH_BASELINES
        narrowest, room = self._look.pixels(least), self.viewport().width()
        for column, size in {0: _NUMBERS, PAIR: _PAIR, NAME: _NAME}.items():
            width = self._look.pixels(size)
            if column == PAIR and self.heads.pair is not None:
                # Its name stands above it, each of two long tokens shortened.
                title, metrics = self.heads.pair.title, QFontMetricsF(header.font())
                beside = 2 * self._look.pixels(_PADDING) + 2
                widest = self._look.pixels(_WIDEST_PAIR)
                width = max(width, min(math.ceil(metrics.horizontalAdvance(title)) + beside, widest))
                shown = fitted(title, metrics, width - beside)
                if shown != self.heads.pair_header:
                    self.heads.pair_header = shown
                    self.heads.headerDataChanged.emit(Qt.Orientation.Horizontal, PAIR, PAIR)
            if column == NAME:  # the words give way to the first of the measures
                width = max(self._look.pixels(_SHORT_NAME), min(width, room - narrowest))
            header.resizeSection(column, width)
            room -= 0 if self.isColumnHidden(column) else width
        in_sight = min(max(1, room // narrowest), max(1, len(columns)))
        width = max(narrowest, room // in_sight)
        for column in columns:
            header.resizeSection(column, width)
        self._fit_rows()

    @Slot()
    def _fit_rows(self) -> None:
        """Give the rows heights such that n rows fill the view exactly: none is cut, however one scrolls.

        The remaining pixels go to the first rows of every n, so any n rows in a row are as high together.
        """
        header, height = self.verticalHeader(), self.viewport().height()
        rows = max(1, height // self._look.pixels(_ROW))
        size, left = max(self._look.pixels(_ROW), height // rows), max(0, height % rows)
        header.setDefaultSectionSize(size)
        for row in range(self.shown.rowCount()):
            header.resizeSection(row, size + (row % rows < left))
