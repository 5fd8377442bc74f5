"""The textbook's table of one query: from the product with each key to what that contributes."""

from __future__ import annotations

import math
from functools import cached_property
from types import MappingProxyType

import numpy as np
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
from bertviz_app.features.steps.views.sheet import StripPainter, VectorStyle, row_axis
from bertviz_app.trace.bias import DISTANCE
from bertviz_app.types import Floats, Indices
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.stages.stops import bound_of
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.widgets import CopyingTable
from bertviz_app.views.kit.words import fixed

Index = QModelIndex | QPersistentModelIndex
_VECTORS = (5, 6)
_WIDTHS, _LEAST_WIDTHS = (76, 76, 76, 76, 72), (56, 62, 64, 58, 56)
"""Of the columns before the vectors, in pixels at the normal text size."""
_VECTOR, _AROUND_TITLE, _AROUND_NUMBER = 52, 14, 13
COLUMN_OF_STAGE = MappingProxyType(
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
"""The column of the table that has the numbers of a stage."""


@dataclass(frozen=True, eq=False)
class TableColumn:
    """A column: its name, what that means, and by key its number, its vector or a word."""

    name: str
    meaning: str
    values: Floats | tuple[str, ...]

    @cached_property
    def bound(self) -> float:
        """The scale of its vectors."""
        return 1.0 if isinstance(self.values, tuple) else bound_of(self.values)


class StepsModel(Guarded, QAbstractTableModel):
    """Rows are the keys, sorted; columns query, key, q . k, score, weight, v_j, weight x v_j.

    It sorts itself: a proxy would ask for each value from Python, many times, with each query.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.steps: HeadSteps | None = None
        self._labels: tuple[str, ...] = ()
        self._sorted_by = (1, Qt.SortOrder.AscendingOrder)
        self._keys = np.zeros(0, np.intp)  # [T], the key of each row
        self.columns = self._columns()
        self.marked: int | None = None
        """The column that the stop of the walk is about."""

    def show_steps(self, steps: HeadSteps, labels: tuple[str, ...]) -> None:
        """Take the steps of another query."""
        self.beginResetModel()
        self.steps, self._labels = steps, labels
        self.columns = self._columns()
        self._keys = self._order()
        self.endResetModel()

    def _columns(self) -> tuple[TableColumn, ...]:
        steps, labels = self.steps, self._labels

        def values(name: str) -> Floats:
            found: Floats = np.zeros(0, np.float32) if steps is None else getattr(steps, name)
            return found

        query = () if steps is None else (labels[steps.query],) * len(labels)
        score = f"÷ √{'d' if steps is None else steps.radicand}"
        meaning = self.tr("the product divided by the square root of the head's width")
        if steps is not None and DISTANCE in steps.added:
            score += " + b"
            meaning = self.tr(
                "the product divided by the square root of the head's width, plus the distance's bias"
            )
        elif steps is not None and steps.added:
            score = f"(… + …) {score}"
            meaning = self.tr("the products of content and position, divided by the square root and added up")
        rows = (
            (self.tr("query"), self.tr("the token that looks"), query),
            (self.tr("key"), self.tr("the token that is looked at; sorted by its place"), labels),
            ("q · k", self.tr("the product of query and key"), values("products")),
            (score, meaning, values("biased")),
            (self.tr("weight"), self.tr("after the softmax; the column adds up to 1"), values("weights")),
            ("vⱼ", self.tr("the value of the key; sorted by its length"), values("values")),
            (
                self.tr("weight × vⱼ"),
                self.tr("what key j contributes; the column adds up to Z"),
                values("weighted"),
            ),
        )
        return tuple(TableColumn(*row) for row in rows)

    def rowCount(self, parent: Index | None = None) -> int:
        return len(self._keys)

    def columnCount(self, parent: Index | None = None) -> int:
        return len(self.columns)

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

    def _order(self) -> Indices:
        column, order = self._sorted_by
        ranks = self.columns[column].values
        if isinstance(ranks, tuple):
            ranks = np.arange(len(ranks), dtype=np.float32)
        elif ranks.ndim > 1:
            ranks = np.sqrt((ranks * ranks).sum(-1))
        return np.argsort(ranks if order == Qt.SortOrder.AscendingOrder else -ranks, kind="stable")

    def key_of(self, row: int) -> int:
        return int(self._keys[row])

    def vector(self, row: int, column: int) -> Floats:
        """Return the vector [E] of a cell of the last two columns."""
        return np.asarray(self.columns[column].values[self.key_of(row)])

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if index.column() < 2 else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        if role != Qt.ItemDataRole.DisplayRole or not len(self._keys):
            return None
        value = self.columns[index.column()].values[self.key_of(index.row())]
        return value if isinstance(value, str) else "" if value.ndim else fixed(float(value))

    def full(self, row: int, column: int) -> str:
        """Return a cell in all its digits; of a vector all numbers, with spaces between them."""
        value = self.columns[column].values[self.key_of(row)]
        return value if isinstance(value, str) else " ".join(map(str, np.atleast_1d(value)))

    def longest_texts(self) -> list[str]:
        """Return the longest number in each column before the vectors; of a column of words nothing."""
        if self.steps is None:
            return [""] * _VECTORS[0]
        numbers = (self.steps.products, self.steps.biased, self.steps.weights)
        # A number far from zero has the most digits, and one below zero a sign.
        ends = [(fixed(float(column.min())), fixed(float(column.max()))) for column in numbers]
        return ["", "", *(max(texts, key=len) for texts in ends)]

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:  # beside the rows while the keys are scrolled away
            is_name = role == Qt.ItemDataRole.DisplayRole and self.steps is not None
            return self._labels[self.key_of(section)] if is_name else None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section].name
        if role == Qt.ItemDataRole.FontRole and section == self.marked:
            bold = QFont()
            bold.setBold(True)
            return bold
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.columns[section].meaning
        if role == Qt.ItemDataRole.TextAlignmentRole:
            # Not at the left: there is the arrow of the sorted column.
            side = Qt.AlignmentFlag.AlignHCenter if section < 2 else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return None


class _CellDelegate(Guarded, QStyledItemDelegate):
    """Draws numbers in the face for numbers, and vectors as strips with their first numbers."""

    def __init__(self, look: Look, model: StepsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._model = model

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if index.column() == self._model.marked:
            painter.fillRect(option.rect, self._look.colour("accent", 0.1))
        option.font = self._look.font(13) if index.column() < 2 else self._look.number_font(12)
        super().paint(painter, option, index)
        if index.column() in _VECTORS:
            values = self._model.vector(index.row(), index.column())
            box = QRectF(option.rect).adjusted(8, 0, -4, 0)
            drawn = row_axis(self._look, box.left(), box.width(), len(values), 0, has_window=True)
            style = VectorStyle(self._model.columns[index.column()].bound, inset=6.0)
            StripPainter(painter, self._look).draw_vector(drawn, values, box, style)


class StepsTable(CopyingTable):
    """Sortable; what is selected, or all, is copied as tab-separated text in full precision.

    `key_pointed(key)`: the pointer is on the row of a key; -1 when it has left the table.
    """

    key_pointed = Signal(int)

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self.steps = StepsModel(self)
        self.setModel(self.steps)
        self.setItemDelegate(_CellDelegate(look, self.steps, self))
        self.setSortingEnabled(True)
        self.sortByColumn(1, Qt.SortOrder.AscendingOrder)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        # The keys stand beside the rows while their column is scrolled away.
        self.horizontalScrollBar().valueChanged.connect(
            lambda _: self.verticalHeader().setVisible(self.columnViewportPosition(1) < 0)
        )
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(_VECTORS[1], QHeaderView.ResizeMode.Stretch)
        self.setMouseTracking(True)
        self.entered.connect(lambda index: self.key_pointed.emit(self.steps.key_of(index.row())))
        look.changed.connect(self._resize)
        self.setAccessibleName(self.tr("From the product of query and key to the weighted value"))
        self.setToolTip(self.tr("A click on a column's name sorts; Ctrl+C copies all digits"))
        self._resize()

    def mark(self, stage: str) -> None:
        """Mark the column that has the numbers of a stage, if there is one, and bring it into sight."""
        steps, marked = self.steps, COLUMN_OF_STAGE.get(stage)
        if marked != steps.marked:
            steps.marked = marked
            steps.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(steps.columns) - 1)
            self._show_marked()
        self.viewport().update()

    def _show_marked(self) -> None:
        row = self.rowAt(0)
        if self.steps.marked is not None and row >= 0:
            self.scrollTo(self.steps.index(row, self.steps.marked))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_width()
        self._show_marked()

    def show_steps(self, steps: HeadSteps, labels: tuple[str, ...]) -> None:
        if self.steps.steps is not steps:
            self.steps.show_steps(steps, labels)
            self._share_width()

    def copied(self) -> str:
        """Return what is selected, or all rows if nothing is, as tab-separated text with a line of names."""
        rows = sorted({index.row() for index in self.selectionModel().selectedRows()})
        rows = rows or list(range(self.steps.rowCount()))
        names = [column.name for column in self.steps.columns]
        lines = [[self.steps.full(row, column) for column in range(len(names))] for row in rows]
        return "\n".join("\t".join(line) for line in [names, *lines]) + "\n"

    def leaveEvent(self, event: QEvent) -> None:
        self.key_pointed.emit(-1)

    @Slot()
    def _resize(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._look.pixels(30))
        header = self.horizontalHeader()
        header.setFont(self._look.font(12))
        header.setMinimumSectionSize(self._look.pixels(_VECTOR))
        self._share_width()

    def _share_width(self) -> None:
        """Give words and numbers their usual width, or less where the vectors would be out of sight.

        The query, which is the same in all rows, is left out where even that is not enough.
        """
        header, scale = self.horizontalHeader(), self._look.scale
        title = self.steps.columns[-1].name
        last = QFontMetricsF(header.font()).horizontalAdvance(title) / scale + _AROUND_TITLE
        room = self.viewport().width() / scale - _VECTOR - last
        # No number is cut.
        metrics = QFontMetricsF(self._look.number_font(12))
        texts = self.steps.longest_texts()
        needed = [metrics.horizontalAdvance(text) / scale + _AROUND_NUMBER for text in texts]
        narrowest = [max(pair) for pair in zip(_LEAST_WIDTHS, needed, strict=True)]
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
