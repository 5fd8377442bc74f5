"""The heads as a table: the measures of every head, sortable; a row shows its head."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSortFilterProxyModel,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from bertviz_app.analysis.measures import HeadOverview
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.views.guard import guarded
from bertviz_app.views.look import Look

Index = QModelIndex | QPersistentModelIndex
_SHOWN = ("entropy", "previous", "next", "first", "separator")
_VALUE = Qt.ItemDataRole.UserRole


class HeadsModel(QAbstractTableModel):
    """Rows are heads in the order of the layers; columns the head's name and its measures."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._overview: HeadOverview | None = None
        self._n_heads = 1
        self._tops: dict[str, float] = {}

    def show_overview(self, overview: HeadOverview) -> None:
        """Take the measures of another result."""
        before = self._overview
        same_size = before is not None and before.pictures.shape[:2] == overview.pictures.shape[:2]
        if not same_size:
            self.beginResetModel()
        self._overview = overview
        self._n_heads = overview.pictures.shape[1]
        # Weights are bars of a whole; entropy has no such bound but that of the largest there is.
        self._tops = {name: float(values.max()) for name, values in overview.measures.items()}
        if not same_size:
            self.endResetModel()
        else:
            self.dataChanged.emit(self.index(0, 0), self.index(self.rowCount() - 1, len(_SHOWN)))

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if self._overview is None else self._overview.pictures.shape[0] * self._n_heads

    def columnCount(self, parent: Index | None = None) -> int:
        return len(_SHOWN) + 1

    def head_of(self, row: int) -> tuple[int, int]:
        """Return (layer, head) of a row."""
        return row // self._n_heads, row % self._n_heads

    def row_of(self, layer: int, head: int) -> int:
        return layer * self._n_heads + head

    def share(self, row: int, column: int) -> float | None:
        """Return how long the bar of a cell is, from 0 to 1; None for the column of names."""
        if self._overview is None or column == 0:
            return None
        name = _SHOWN[column - 1]
        top = self._tops[name] if name == "entropy" else 1.0
        return self._value(row, column) / top if top > 0 else 0.0

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == _VALUE:
            return self._value(row, column)
        if role == Qt.ItemDataRole.DisplayRole:
            layer, head = self.head_of(row)
            return f"{layer} · {head}" if column == 0 else f"{self._value(row, column):.2f}"
        return None

    def _value(self, row: int, column: int) -> float:
        if self._overview is None or column == 0:
            return float(row)
        layer, head = self.head_of(row)
        return float(self._overview.measures[_SHOWN[column - 1]][layer, head])

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        names = (
            (self.tr("head"), self.tr("layer · head, counted from 0")),
            (self.tr("entropy"), self.tr("how spread a row is, in bits: mean over the queries")),
            (self.tr("prev"), self.tr("mean weight on the token before")),
            (self.tr("next"), self.tr("mean weight on the token after")),
            (self.tr("[CLS]"), self.tr("mean weight on the first token")),
            (self.tr("[SEP]"), self.tr("mean weight on the other special tokens")),
        )
        if role == Qt.ItemDataRole.DisplayRole:
            return names[section][0]
        if role == Qt.ItemDataRole.ToolTipRole:
            return names[section][1]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None


class _BarDelegate(QStyledItemDelegate):
    """Draws the number, and a bar below it."""

    def __init__(self, look: Look, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look

    @guarded
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        option.font = self._look.number_font(12)
        super().paint(painter, option, index)
        proxy = index.model()
        assert isinstance(proxy, QSortFilterProxyModel)
        source = proxy.mapToSource(index)
        model = source.model()
        assert isinstance(model, HeadsModel)
        share = model.share(source.row(), source.column())
        if share:
            box = QRectF(option.rect)
            length = max(1.0, (box.width() - 12) * min(1.0, share))
            bar = QRectF(box.right() - 4 - length, box.bottom() - 5, length, 3)
            painter.fillRect(bar, self._look.colour("accent"))


class HeadsTable(QTableView):
    """All heads; click or move to a row to show its head, shift-click to add a panel."""

    head_chosen = Signal(int, int)
    head_added = Signal(int, int)

    def __init__(self, look: Look, panels: Panels, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._panels = panels
        self.heads = HeadsModel(self)
        self._sorted = QSortFilterProxyModel(self, sortRole=_VALUE)
        self._sorted.setSourceModel(self.heads)
        self.setModel(self._sorted)
        self.setItemDelegate(_BarDelegate(look, self))
        self.setSortingEnabled(True)
        self.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.verticalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.horizontalHeader().setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setHighlightSections(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(self.tr("Measures of all heads"))
        panels.changed.connect(self._mark_active)
        look.changed.connect(self._resize_rows)
        self._resize_rows()

    def show_overview(self, overview: HeadOverview) -> None:
        """Show the measures of another result."""
        self.heads.show_overview(overview)
        self._mark_active()

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if not index.isValid():
            return
        at = self.heads.head_of(self._sorted.mapToSource(index).row())
        is_more = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        (self.head_added if is_more else self.head_chosen).emit(*at)

    def currentChanged(self, current: Index, previous: Index) -> None:
        """Follow the arrow keys."""
        super().currentChanged(current, previous)
        if self.hasFocus() and current.isValid():
            self.head_chosen.emit(*self.heads.head_of(self._sorted.mapToSource(current).row()))

    @Slot()
    def _mark_active(self) -> None:
        active = self._panels.active
        if active is None or not self.heads.rowCount():
            return
        row = self.heads.row_of(active.layer, active.head)
        index = self._sorted.mapFromSource(self.heads.index(row, 0))
        if index.isValid() and index.row() != self.currentIndex().row():
            self.setCurrentIndex(index)

    @Slot()
    def _resize_rows(self) -> None:
        self.verticalHeader().setDefaultSectionSize(self._look.pixels(30))
        self.horizontalHeader().setFont(self._look.font(12))
        self.horizontalHeader().resizeSection(0, self._look.pixels(60))
