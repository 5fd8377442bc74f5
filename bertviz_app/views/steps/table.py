"""The textbook's table: for one query a row per key, from the product to the weighted value."""

from __future__ import annotations

import math
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFont, QFontMetricsF, QPainter, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from bertviz_app.analysis.pairs import HeadSteps
from bertviz_app.trace.bias import DISTANCE
from bertviz_app.viewmodels.steps.stops import bound_of
from bertviz_app.views.kit.canvas import NO_VALUE, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import fixed
from bertviz_app.views.kit.widgets import CopyingTable
from bertviz_app.views.steps.sheets.strips import Ink, lane

Index = QModelIndex | QPersistentModelIndex
_VECTORS = (5, 6)
_N_COLUMNS = 7
_WIDTHS, _LEAST_WIDTHS = (76, 76, 76, 76, 72), (56, 62, 64, 58, 56)
"""Of the columns before the vectors, in pixels at the normal text size."""
_VECTOR, _AROUND_TITLE, _AROUND_NUMBER = 52, 14, 13
_COLUMN_OF_STAGE = MappingProxyType(
    {
        "scores": 2,
        "scaled": 3,
        "biased": 3,
        "disentangled": 3,
        "softmax": 4,
        "values": 5,
        "weighted": 6,
        "mixed": 6,
    }
)


def has_column(stage: str) -> bool:
    """Return whether a column of the table has the numbers of a stage."""
    return stage in _COLUMN_OF_STAGE


class StepsModel(QAbstractTableModel):
    """Rows are the keys, sorted; columns query, key, q . k, score, weight, v_j, weight x v_j.

    It sorts itself: a proxy would ask for each value from Python, many times, with each query.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.steps: HeadSteps | None = None
        self._labels: tuple[str, ...] = ()
        self._sorted_by = (1, Qt.SortOrder.AscendingOrder)
        self._keys = np.zeros(0, np.intp)  # [T], the key of each row
        self.marked: int | None = None
        """The column that the stop of the walk is about."""

    def mark(self, stage: str) -> None:
        """Mark the column that has the numbers of a stage, if there is one."""
        marked = _COLUMN_OF_STAGE.get(stage)
        if marked != self.marked:
            self.marked = marked
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, _N_COLUMNS - 1)

    def show_steps(self, steps: HeadSteps, labels: tuple[str, ...]) -> None:
        """Take the steps of another query."""
        self.beginResetModel()
        self.steps, self._labels = steps, labels
        self._keys = self._order()
        self.endResetModel()

    @guarded(default=0)
    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if self.steps is None else len(self.steps.weights)

    @guarded(default=0)
    def columnCount(self, parent: Index | None = None) -> int:
        return _N_COLUMNS

    @guarded
    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort numbers by value, vectors by length, words by position; equal ones by position."""
        self._sorted_by = (column, order)
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        keys = [self.key_of(index.row()) for index in before]
        self._keys = self._order()
        rows = np.argsort(self._keys).tolist()  # [T], the row of each key
        # The selection stays with its keys, not with the rows in which they were.
        after = [self.index(rows[key], index.column()) for key, index in zip(keys, before, strict=True)]
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()

    def _order(self) -> NDArray[np.intp]:
        if self.steps is None:
            return np.zeros(0, np.intp)
        column, order = self._sorted_by
        ranks = self._ranks(column)
        return np.argsort(ranks if order == Qt.SortOrder.AscendingOrder else -ranks, kind="stable")

    def _ranks(self, column: int) -> NDArray[np.float32]:
        steps = self.steps
        assert steps is not None
        if column in _VECTORS:
            vectors = steps.values if column == _VECTORS[0] else steps.weighted
            lengths: NDArray[np.float32] = np.sqrt((vectors * vectors).sum(-1))
            return lengths
        positions = np.arange(len(steps.weights), dtype=np.float32)
        return (positions, positions, steps.products, steps.biased, steps.weights)[column]

    def key_of(self, row: int) -> int:
        return int(self._keys[row])

    def vector(self, row: int, column: int) -> NDArray[np.float32]:
        """Return the vector [E] of a cell of the last two columns."""
        assert self.steps is not None
        vectors = self.steps.values if column == _VECTORS[0] else self.steps.weighted
        vector: NDArray[np.float32] = vectors[self.key_of(row)]
        return vector

    @guarded(default=NO_VALUE)
    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = index.row(), index.column()
        if self.steps is None:
            return None
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if column < 2 else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        if column < 2:
            return self._labels[self.steps.query if column == 0 else self.key_of(row)]
        return "" if column in _VECTORS else fixed(float(self._number(row, column)))

    def full(self, row: int, column: int) -> str:
        """Return a cell in all its digits; of a vector all numbers, with spaces between them."""
        assert self.steps is not None
        if column < 2:
            return self._labels[self.steps.query if column == 0 else self.key_of(row)]
        if column in _VECTORS:
            return " ".join(str(value) for value in self.vector(row, column))
        return str(self._number(row, column))

    def longest_texts(self) -> list[str]:
        """Return the longest number in each column before the vectors; of a column of words nothing."""
        assert self.steps is not None
        columns = (self.steps.products, self.steps.biased, self.steps.weights)
        # A number far from zero has the most digits, and one below zero a sign.
        ends = [(fixed(float(column.min())), fixed(float(column.max()))) for column in columns]
        return ["", "", *(max(texts, key=len) for texts in ends)]

    def _number(self, row: int, column: int) -> np.float32:
        assert self.steps is not None
        numbers = (self.steps.products, self.steps.biased, self.steps.weights)[column - 2]
        number: np.float32 = numbers[self.key_of(row)]
        return number

    @guarded(default=NO_VALUE)
    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:  # beside the rows while the keys are scrolled away
            is_name = role == Qt.ItemDataRole.DisplayRole and self.steps is not None
            return self._labels[self.key_of(section)] if is_name else None
        width = "d" if self.steps is None else str(self.steps.radicand)
        names = (
            (self.tr("query"), self.tr("the token that looks")),
            (self.tr("key"), self.tr("the token that is looked at; sorted by its place")),
            ("q · k", self.tr("the product of query and key")),
            self._score_name(width),
            (self.tr("weight"), self.tr("after the softmax; the column adds up to 1")),
            ("vⱼ", self.tr("the value of the key; sorted by its length")),
            (self.tr("weight × vⱼ"), self.tr("what key j contributes; the column adds up to Z")),
        )
        if role == Qt.ItemDataRole.DisplayRole:
            return names[section][0]
        if role == Qt.ItemDataRole.FontRole and section == self.marked:
            bold = QFont()
            bold.setBold(True)
            return bold
        if role == Qt.ItemDataRole.ToolTipRole:
            return names[section][1]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            # Not at the left: there is the arrow of the sorted column.
            side = Qt.AlignmentFlag.AlignHCenter if section < 2 else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def _score_name(self, width: str) -> tuple[str, str]:
        """Return the name of what the softmax is given, and what it is."""
        if self.steps is None or not self.steps.added:
            return f"÷ √{width}", self.tr("the product divided by the square root of the head's width")
        if DISTANCE in self.steps.added:
            meaning = self.tr(
                "the product divided by the square root of the head's width, plus the distance's bias"
            )
            return f"÷ √{width} + b", meaning
        meaning = self.tr("the products of content and position, divided by the square root and added up")
        return f"(… + …) ÷ √{width}", meaning


class _CellDelegate(QStyledItemDelegate):
    """Draws numbers in the face for numbers, and vectors as strips with their first numbers."""

    def __init__(self, look: Look, model: StepsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._model = model
        self._ink = Ink(look)
        self._bounds: tuple[HeadSteps, tuple[float, float]] | None = None
        look.changed.connect(self._on_look_changed)

    @guarded
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.column() == self._model.marked:
            painter.fillRect(option.rect, self._look.colour("accent", 0.1))
        option.font = self._look.font(13) if index.column() < 2 else self._look.number_font(12)
        super().paint(painter, option, index)
        steps = self._model.steps
        if index.column() not in _VECTORS or steps is None:
            return
        values = self._model.vector(index.row(), index.column())
        box = QRectF(option.rect).adjusted(8, 0, -4, 0)
        drawn = lane(self._look, box.left(), box.width(), len(values), 0, has_window=True)
        strip = QRectF(drawn.strip.left(), box.top() + 6, drawn.strip.width(), box.height() - 12)
        self._ink.draw_strip(painter, strip, values, self._bound(index.column()))
        self._ink.draw_frame(painter, strip)
        painter.setPen(self._look.colour("text"))
        self._ink.draw_window(painter, drawn, box.top(), box.height(), values)

    def _bound(self, column: int) -> float:
        """Return the scale of a column, found once for each query."""
        steps = self._model.steps
        assert steps is not None
        if self._bounds is None or self._bounds[0] is not steps:
            self._bounds = steps, (bound_of(steps.values), bound_of(steps.weighted))
        return self._bounds[1][column - _VECTORS[0]]

    @Slot()
    def _on_look_changed(self) -> None:
        self._ink = Ink(self._look)


class StepsTable(CopyingTable):
    """Sortable; what is selected, or all, is copied as tab-separated text in full precision.

    `key_pointed(key)`: the pointer is on the row of a key; -1 when it has left the table.
    """

    key_pointed = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self.steps = StepsModel(self)
        self.setModel(self.steps)
        self.setItemDelegate(_CellDelegate(look, self.steps, self))
        self.setSortingEnabled(True)
        self.sortByColumn(1, Qt.SortOrder.AscendingOrder)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)  # Tab leaves the table, the arrows move in it
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.horizontalScrollBar().valueChanged.connect(self._name_rows)
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(_VECTORS[1], QHeaderView.ResizeMode.Stretch)
        self.setMouseTracking(True)
        self.entered.connect(lambda index: self.key_pointed.emit(self.steps.key_of(index.row())))
        look.changed.connect(self._resize)
        self.retranslate()
        self._resize()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("From the product of query and key to the weighted value"))
        self.setToolTip(self.tr("A click on a column's name sorts; Ctrl+C copies all digits"))
        self.steps.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, _N_COLUMNS - 1)
        self._share_width()

    def mark(self, stage: str) -> None:
        """Mark the column that has the numbers of a stage, if there is one, and bring it into sight."""
        before = self.steps.marked
        self.steps.mark(stage)
        if self.steps.marked != before:
            self._show_marked()
        self.viewport().update()

    def _show_marked(self) -> None:
        row = self.rowAt(0)
        if self.steps.marked is not None and row >= 0:
            self.scrollTo(self.steps.index(row, self.steps.marked))

    @Slot()
    def _name_rows(self) -> None:
        """Write the keys beside the rows while their column is scrolled away."""
        self.verticalHeader().setVisible(self.columnViewportPosition(1) < 0)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()
        self._show_marked()

    def show_steps(self, steps: HeadSteps, labels: tuple[str, ...]) -> None:
        """Show the steps of another query."""
        if self.steps.steps is not steps:
            self.steps.show_steps(steps, labels)
            self._share_width()

    def copied(self) -> str:
        """Return what is selected, or all rows if nothing is, as tab-separated text with a line of names."""
        rows = sorted({index.row() for index in self.selectionModel().selectedRows()})
        rows = rows or list(range(self.steps.rowCount()))
        names = [
            str(self.steps.headerData(column, Qt.Orientation.Horizontal)) for column in range(_N_COLUMNS)
        ]
        lines = [[self.steps.full(row, column) for column in range(_N_COLUMNS)] for row in rows]
        return "\n".join("\t".join(line) for line in [names, *lines]) + "\n"

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self.key_pointed.emit(-1)

    @Slot()
    def _resize(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._look.pixels(30))
        header = self.horizontalHeader()
        header.setFont(self._look.font(12))
        header.setMinimumSectionSize(self._look.pixels(_VECTOR))
        self._share_width()

    def _least_widths(self) -> list[float]:
        """Return the least widths of the columns before the vectors, in which no number is cut."""
        metrics = QFontMetricsF(self._look.number_font(12))
        texts = ["" for _ in _LEAST_WIDTHS] if self.steps.steps is None else self.steps.longest_texts()
        needed = [metrics.horizontalAdvance(text) / self._look.scale + _AROUND_NUMBER for text in texts]
        return [max(pair) for pair in zip(_LEAST_WIDTHS, needed, strict=True)]

    def _share_width(self) -> None:
        """Give words and numbers their usual width, or less where the vectors would be out of sight.

        The query, which is the same in all rows, is left out where even that is not enough.
        """
        header, scale = self.horizontalHeader(), self._look.scale
        title = str(self.steps.headerData(_VECTORS[1], Qt.Orientation.Horizontal))
        last = QFontMetricsF(header.font()).horizontalAdvance(title) / scale + _AROUND_TITLE
        room = self.viewport().width() / scale - _VECTOR - last
        narrowest = self._least_widths()
        widest = [max(pair) for pair in zip(_WIDTHS, narrowest, strict=True)]
        first = 0 if room >= sum(narrowest) else 1
        self.setColumnHidden(0, first > 0)
        usual, least = sum(widest[first:]), sum(narrowest[first:])
        share = min(1.0, max(0.0, (usual - room) / max(1.0, usual - least)))
        for column, (width, narrow) in enumerate(zip(widest, narrowest, strict=True)):
            header.resizeSection(column, math.floor(scale * (width - share * (width - narrow))))
        rest = self.viewport().width() - sum(map(header.sectionSize, range(first, _VECTORS[0])))
        vector = max(scale * _VECTOR, min(rest / 2, rest - scale * last))
        header.resizeSection(_VECTORS[0], math.floor(vector))
