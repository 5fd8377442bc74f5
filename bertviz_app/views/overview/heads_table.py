"""The heads as a table: the measures of every head, sortable; a row shows its head."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QPoint, QRectF, QSortFilterProxyModel, Qt, QTimer, Signal, Slot
from PySide6.QtGui import (
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from bertviz_app.analysis.measures import KEYS, HeadOverview
from bertviz_app.options import Run
from bertviz_app.viewmodels.analyses.analyses import Baselines
from bertviz_app.viewmodels.export import measures_as_text
from bertviz_app.viewmodels.inspected import PairInHeads
from bertviz_app.viewmodels.options import OverviewOptions
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.views.kit.canvas import STALE, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.widgets import CopyingTable
from bertviz_app.views.overview.heads_model import (
    COLUMNS,
    NAME,
    PAIR,
    HeadsModel,
    Index,
    ShownHeads,
    alignment,
)
from bertviz_app.views.overview.measure_words import measure_words
from bertviz_app.views.overview.pair_button import fitted

_ROW = 23
_NARROWEST = 52
_WITH_BASELINES = 92  # "2.64 (2.91)"
_NUMBERS = 60
_NAME = 122
_PAIR = 84
_WIDEST_PAIR = 116
_SHORT_NAME = 70
_PADDING = 5

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
"""The terms of the glossary, by measure or column."""


class _BarDelegate(QStyledItemDelegate):
    """Draws the number of a cell, and a bar below it.

    It draws what the style sheet describes without asking Qt's style, which would interpret the sheet for
    each cell: that takes four times as long. The table draws the background of the selected row.
    """

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self.is_stale = False

    @guarded
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
        text, room = model.text(row, column), QRectF(box).adjusted(_PADDING, 0, -_PADDING, -2)
        metrics = QFontMetricsF(font)
        if metrics.horizontalAdvance(text) > room.width():
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.setFont(font)
        painter.setPen(look.colour("text"))
        painter.drawText(room, alignment(column), text)
        share = model.share(row, column)
        if share:
            length = max(1.0, (box.width() - 12) * min(1.0, share))
            bar = QRectF(QRectF(box).right() - 4 - length, QRectF(box).bottom() - 5, length, 3)
            painter.fillRect(bar, look.colour("accent"))


class HeadsTable(CopyingTable):
    """All heads; click or move to a row to show its head, shift-click to add a panel."""

    head_chosen = Signal(int, int)
    head_added = Signal(int, int)

    def __init__(
        self,
        look: Look,
        panels: Panels,
        options: OverviewOptions | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._panels = panels
        self.heads = HeadsModel(self)
        self._options = options or OverviewOptions(self)
        self._baselines: Baselines | None = None
        self.shown = ShownHeads(self.heads, self._options, self)
        self.setModel(self.shown)
        self._bars = _BarDelegate(look, self)
        self.setItemDelegate(self._bars)
        self.setSortingEnabled(True)
        self.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)  # Tab leaves the table, the arrows move in it
        self.setWordWrap(False)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setHighlightSections(False)
        for index, column in enumerate(COLUMNS):
            header.moveSection(header.visualIndex(column), index)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        header.customContextMenuRequested.connect(self._choose_columns)
        self.setColumnHidden(PAIR, True)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAccessibleName(self.tr("Measures of all heads"))
        panels.changed.connect(self._mark_active)
        # Once for all rows: a filter removes and inserts them as many small ranges.
        self._is_marked_seen = False  # before Qt moves the rows for another height
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self._settling = QTimer(self, singleShot=True, interval=0)
        self._settling.timeout.connect(self._settle)
        self._fitting = QTimer(self, singleShot=True, interval=0)
        self._fitting.timeout.connect(self._fit_rows)
        for signal in (self.shown.modelReset, self.shown.rowsInserted, self.shown.rowsRemoved):
            signal.connect(self._fitting.start)
        look.changed.connect(self._fit)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Measures of all heads"))
        self.heads.retranslate()

    def set_stale(self, is_stale: bool) -> None:
        """Dim the numbers while they are out of date."""
        self._bars.is_stale = is_stale
        self.viewport().update()

    def copied(self) -> str:
        """Return what is shown, in its order and with all measures, to be pasted into a spreadsheet."""
        overview, rows = self.heads.overview, self.shown.heads_shown()
        return "" if overview is None else measures_as_text(overview, rows, self.heads.pair)

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

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = self.head_at(event.position().toPoint())
        if at is None:
            return
        is_more = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        (self.head_added if is_more else self.head_chosen).emit(*at)

    @guarded
    def currentChanged(self, current: Index, previous: Index) -> None:
        """Follow the arrow keys."""
        super().currentChanged(current, previous)
        if self.hasFocus() and current.isValid():
            self.head_chosen.emit(*self.shown.head_at_row(current.row()))

    @Slot()
    def _mark_active(self) -> None:
        active = self._panels.active
        if active is None or not self.heads.rowCount():
            return
        row = self.heads.row_of(active.layer, active.head)
        index = self.shown.mapFromSource(self.heads.index(row, 0))
        if index.isValid() and index.row() != self.currentIndex().row():
            self.setCurrentIndex(index)
            self._is_marked_seen = True

    @Slot(QPoint)
    def _choose_columns(self, at: QPoint) -> None:
        """Open the menu in which columns are shown or hidden."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        words = measure_words(self.heads.special_names)
        for column, key in enumerate(KEYS, start=1):
            action = menu.addAction(words[key].title)
            action.setCheckable(True)
            action.setChecked(not self.isColumnHidden(column))
            action.toggled.connect(lambda is_on, column=column: self.show_column(column, is_on))
        name = menu.addAction(self.tr("What the head does"))
        name.setCheckable(True)
        name.setChecked(not self.isColumnHidden(NAME))
        name.toggled.connect(lambda is_on: self.show_column(NAME, is_on))
        menu.addSeparator()
        beside = menu.addAction(self.tr("Null baselines: equal weights, shuffled words"))
        beside.setCheckable(True)
        beside.setChecked(self._options.value.shows_baselines)
        beside.toggled.connect(lambda is_on: self._options.change(shows_baselines=is_on))
        menu.popup(self.horizontalHeader().mapToGlobal(at))

    def show_column(self, column: int, is_shown: bool) -> None:
        self.setColumnHidden(column, not is_shown)
        self._fit()

    @guarded
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
            if column == PAIR:
                width = _name_pair(self.heads, self._look, QFontMetricsF(header.font()))
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


def _name_pair(heads: HeadsModel, look: Look, metrics: QFontMetricsF) -> int:
    """Name the pair above its column, each of two long tokens shortened; return the column's width."""
    narrowest, beside = look.pixels(_PAIR), 2 * look.pixels(_PADDING) + 2
    if heads.pair is None:
        return narrowest
    title = heads.pair.title
    width = min(ceil(metrics.horizontalAdvance(title)) + beside, look.pixels(_WIDEST_PAIR))
    width = max(narrowest, width)
    shortened = fitted(title, metrics, width - beside)
    if shortened != heads.pair_header:
        heads.pair_header = shortened
        heads.headerDataChanged.emit(Qt.Orientation.Horizontal, PAIR, PAIR)
    return width
