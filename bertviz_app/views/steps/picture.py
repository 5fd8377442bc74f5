"""The sheet of a stop in pyqtgraph's scene, and the textbook's table of one query."""

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
    QPoint,
    QPointF,
    QRect,
    QRectF,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QRegion,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QScrollBar,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from bertviz_app.analysis.pairs import HeadSteps
from bertviz_app.trace.bias import DISTANCE
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.steps import stops as step_words
from bertviz_app.viewmodels.steps.stops import StatisticsCache, StopTensors, bound_of
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.widgets import CopyingTable
from bertviz_app.views.kit.words import exact, fixed
from bertviz_app.views.plots.plot import Drawing, Plot
from bertviz_app.views.steps.sheets.equation_sheet import (
    EquationSheet,
    draw_statistics,
    statistics_texts,
    with_left_out,
)
from bertviz_app.views.steps.sheets.flow_sheet import FlowSheet, ProductsSheet
from bertviz_app.views.steps.sheets.sheet import MARGIN, Hit, Sheet, StripPainter, VectorStyle, row_axis

_STATISTICS = 26.0
_PRINTED_ROW = 24.0
_STATISTICS_FROM = 170.0  # of a lower picture the rows need all the height


class RowScroll:
    """Scrolls the rows of a stop to the followed one, and leaves what the user has scrolled.

    `bar` is at the offset of the rows, in pixels.
    """

    def __init__(self, bar: QScrollBar) -> None:
        self.bar = bar
        self._set_offset = 0

    def fit(self, sheet: Sheet) -> None:
        """Let the bar scroll the rows of a stop that are out of sight."""
        self.bar.setRange(0, sheet.hidden_height)
        self.bar.setPageStep(max(1, round(sheet.rows_area.height())))
        self.bar.setSingleStep(round(sheet.row_height))
        self.bar.setVisible(sheet.hidden_height > 0)

    def to(self, offset: int) -> None:
        self._set_offset = offset
        self.bar.setValue(offset)

    def show_row(self, sheet: Sheet, row: int) -> None:
        """Bring a row into sight, from where the user scrolled to, else from the top.

        What was scrolled for a smaller picture does not stay scrolled in a larger one.
        """
        now = self.bar.value()
        is_by_user = now != min(self._set_offset, self.bar.maximum())
        self.to(sheet.offset_showing(row, now if is_by_user else 0))


@dataclass(frozen=True)
class _Cursor:
    """What the keys are at: a line of the sheet from the top, rows among them, and how far right in it."""

    line: int
    x: float


class StepsPicture(Plot):
    """The picture of a stop. Rows scroll by the wheel; the numbers written follow the pointer's dimension.

    It takes the keyboard focus by Tab alone: a click leaves it to the panel, whose arrows walk the stops.
    With the focus arrows walk the rows and numbers of the picture, Enter does what a click does there.
    """

    query_chosen = Signal(int)
    products_requested = Signal()
    walks = True

    def __init__(self, look: Look, selection: Selection, bar: QScrollBar) -> None:
        super().__init__(look)
        self._selection = selection
        self.scrolling = RowScroll(bar)
        self.strips = StripPainter(look)
        self._tensors: StopTensors | None = None
        self._sheet: Sheet | None = None
        self._first = 0
        self._known = StatisticsCache()
        self._statistics: tuple[str, ...] = ("",)
        self.message = ""
        self._has_products = False
        self.progress = 1.0
        self._cursor: _Cursor | None = None
        self.dirty: QRegion | None = None
        """What is being painted anew; None: everything, as in a file."""
        self.setMinimumSize(200, 120)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._drawing = _SheetItem(self)
        self._frame = _CursorItem(self)
        bar.valueChanged.connect(lambda _: self.viewport().update())

    @property
    def sheet(self) -> Sheet | None:
        """What is drawn now; None where the numbers are not there."""
        return self._sheet

    @property
    def offset(self) -> int:
        """How many pixels of the rows are scrolled away."""
        return self.scrolling.bar.value()

    @property
    def needed_height(self) -> float:
        """How high it is with all rows in sight, none of them higher than its letters need."""
        sheet, pixels = self._sheet, self.look.pixels
        if sheet is None:
            return float(self.height())
        return sheet.head + sheet.n_rows * pixels(_PRINTED_ROW) + sheet.foot + pixels(_STATISTICS)

    def show_stop(self, tensors: StopTensors, message: str) -> None:
        """Draw another stop, or `message` where its numbers are not there."""
        before = self._tensors
        self._tensors, self.message = tensors, message
        self._statistics = statistics_texts(self._known.get(tensors))
        has_followed = before is not None and self._sheet is not None and self._sheet.follow(tensors)
        if not has_followed:
            self._rebuild()
        moved = before is None or (before.stop, before.query) != (tensors.stop, tensors.query)
        sheet, description = self._sheet, message
        if sheet is not None:
            is_in_use = self.underMouse() or self._cursor is not None  # its row must not be scrolled away
            if sheet.is_alone and (before is None or before.stop != tensors.stop):
                self.scrolling.to(0)
            elif moved and not tensors.stop.is_of_a_head and not sheet.is_alone and not is_in_use:
                self.scrolling.show_row(sheet, tensors.query)
            description = self._statistics[0]
        tokens = tensors.trace.tokens
        self.setAccessibleName(
            step_words.title(tensors.stop.stage, tokens.special_names.first, tensors.trace.form)
        )
        self.setAccessibleDescription(f"{tokens.labels[tensors.query]}: {description}")
        if before is None or not has_followed:
            self.viewport().update()
        elif before.query != tensors.query:
            self._update_rows((before.query, tensors.query))

    def show_message(self, message: str) -> None:
        """Draw no stop, but say why."""
        self._tensors, self.message = None, message
        self._rebuild()
        self.setAccessibleDescription(message)
        self.viewport().update()

    def set_progress(self, progress: float) -> None:
        """Draw the stop as it is during its motion, from 0 to 1."""
        self.progress = progress
        self.viewport().update()

    def highlight(self) -> None:
        """Highlight the token that is highlighted in every view."""
        sheet = self._sheet
        if sheet is None:
            return
        before, now = sheet.highlighted, self._selection.shown.within(sheet.tensors.trace.n_tokens).key
        if now == before:
            return
        sheet.highlight(now)
        if sheet.is_alone:
            self.viewport().update()
        else:
            self._update_rows(tuple(row for row in (before, now) if row is not None))

    def _update_rows(self, rows: tuple[int, ...]) -> None:
        """Draw some rows anew, and head and foot: there are the query's vectors, and a pair's products."""
        assert self._sheet is not None
        inner = self._sheet.rows_area.toAlignedRect()
        between = QRegion(0, inner.top() + 1, self.width(), inner.height() - 2)
        around = QRegion(QRect(QPoint(0, 0), self.size())) - between
        for row in rows:
            around += self._sheet.row_box(row, self.offset).toAlignedRect()
        self.viewport().update(around)

    def _rebuild(self) -> None:
        tensors = self._tensors
        self._sheet = None
        self._let_go_of_cursor()
        if tensors is None or tensors.tensor() is None:
            self.scrolling.bar.hide()
            self.read_out.hide_lines()
            return
        kind: type[Sheet] = FlowSheet if tensors.stop.is_of_a_head else EquationSheet
        if self._has_products and tensors.stop.stage == "scores":
            kind = ProductsSheet
        highlighted = self._selection.shown.within(tensors.trace.n_tokens).key

        def sheet_above(foot: float) -> Sheet:
            area = QRectF(MARGIN, 0, self.width() - MARGIN - 6, self.height() - foot)
            return kind(self.strips, tensors, area, self._first, highlighted)

        self._sheet = sheet_above(self.look.pixels(_STATISTICS))
        if self.height() < self.look.pixels(_STATISTICS_FROM) and not self._sheet.left_out:
            self._sheet = sheet_above(0.0)
        self.scrolling.fit(self._sheet)

    def show_products(self, are_shown: bool) -> None:
        """Show the products of query and key in all dimensions, or all keys again."""
        self._has_products = are_shown
        self._rebuild()
        self.scrolling.to(0)
        self.viewport().update()

    @property
    def statistics(self) -> tuple[str, ...]:
        """What is written below the rows, the longest form first."""
        return with_left_out(self._statistics, [] if self._sheet is None else self._sheet.left_out)

    # what is pointed at

    def words_of(self, hit: Hit) -> list[str]:
        """Return what is read out of a number: whose it is, and all its digits."""
        assert self._tensors is not None
        assert hit.value is not None
        token = "" if hit.token is None else self._tensors.trace.tokens.labels[hit.token]
        is_sum_of_parts = hit.name == "biased" and "disentangled" not in self._tensors.absent
        name = step_words.quantity("disentangled" if is_sum_of_parts else hit.name)
        lines = [f"{token} · {name}", exact(hit.value)]
        if hit.dimension is not None:
            lines.append(self.tr("dimension {0}").format(hit.dimension))
        return lines

    def _hit(self, at: QPointF) -> Hit | None:
        return None if self._sheet is None else self._sheet.hit(at, self.offset)

    def on_pointed(self, at: QPointF | None) -> None:
        self._let_go_of_cursor()
        is_link = at is not None and self._sheet is not None and bool(self._sheet.action_at(at))
        self.setCursor(Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.ArrowCursor)
        self._point_at(at)

    def _point_at(self, at: QPointF | None) -> None:
        """Read out the number at a point, highlight its token, and write the numbers about its dimension."""
        sheet, hit = self._sheet, None if at is None else self._hit(at)
        if sheet is None or hit is None or hit.token is None or sheet.is_alone:
            self._selection.leave()
        elif sheet.is_mixing:
            self._selection.hover(sheet.tensors.query, hit.token)
        else:
            self._selection.hover(query=hit.token)
        if sheet is not None and at is not None and hit is not None and hit.dimension is not None:
            # The numbers in sight stay while one of them is pointed at.
            first = max(0, hit.dimension - 1)
            if first != self._first and not sheet.is_in_window(at.x()):
                self._first = first
                sheet.write_from(first)
                self.viewport().update()
        if at is None or hit is None or hit.value is None:
            self.read_out.hide_lines()
        else:
            self.read_out.show_lines(self.words_of(hit), at)

    def on_let_go(self) -> None:
        self.on_pointed(None)

    def on_clicked(self, at: QPointF) -> None:
        """Choose the query at a point, pin its pair, or unfold the products."""
        sheet, hit = self._sheet, self._hit(at)
        if sheet is None:
            return
        if sheet.action_at(at) == "products":
            self.products_requested.emit()
        elif sheet.is_alone or hit is None or hit.token is None:
            return
        elif hit.is_label or not sheet.is_mixing:
            self.query_chosen.emit(hit.token)
        else:
            self._selection.pin(sheet.tensors.query, hit.token)

    def on_entered(self) -> None:
        if self._point is not None:
            self.on_clicked(self._point)

    # keys

    def press(self, event: QKeyEvent) -> bool:
        """Handle a key; Enter is one of the panel while the keys are at nothing in the picture."""
        is_enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        return False if is_enter and self._cursor is None else super().press(event)

    def on_walked(self, rows: int, columns: int) -> None:
        """Go to the line above or below, or to the number beside; first to the row of the query."""
        sheet = self._sheet
        if sheet is None:
            return
        above, below = len(sheet.lines_above()), len(sheet.lines_below())
        before = self._cursor
        if before is None:
            line, x = above + (0 if sheet.is_alone else sheet.tensors.query), sheet.area.left() + 1
        else:
            line = min(max(before.line + rows, 0), above + sheet.n_rows + below - 1)
            x = before.x
        if above <= line < above + sheet.n_rows:
            self.scrolling.to(sheet.offset_showing(line - above, self.offset))
        self._cursor = _Cursor(line, x)
        if columns and before is not None:
            self._cursor = _Cursor(line, self._beside(x, columns))
        self._point_at(self._point)
        self.viewport().update()

    @property
    def _y(self) -> float:
        """The vertical middle of the line that the keys are at."""
        sheet, cursor = self._sheet, self._cursor
        assert sheet is not None
        assert cursor is not None
        above = sheet.lines_above()
        row = cursor.line - len(above)
        if row < 0:
            return above[cursor.line]
        if row < sheet.n_rows:
            return sheet.row_box(row, self.offset).center().y()
        return sheet.lines_below()[row - sheet.n_rows]

    @property
    def _point(self) -> QPointF | None:
        """The point of the plot that the keys are at."""
        return None if self._cursor is None or self._sheet is None else QPointF(self._cursor.x, self._y)

    def _beside(self, x: float, step: int) -> float:
        """Return where beside `x` something else is read out; `x` where nothing is."""
        assert self._sheet is not None
        y, area = self._y, self._sheet.area
        here = self._hit(QPointF(x, y))
        position = x + step
        while area.left() <= position <= area.right():
            there = self._hit(QPointF(position, y))
            if there is not None and there != here and (there.is_label or there.value is not None):
                return position
            position += step
        return x

    def cursor_rect(self) -> QRectF:
        """Return what the keys are at, in pixels of the plot."""
        at = self._point
        if at is None or self._sheet is None:
            return QRectF()
        hit, (left, right) = self._hit(at), (at.x(), at.x())
        area = self._sheet.area
        while left > area.left() and self._hit(QPointF(left - 1, at.y())) == hit:
            left -= 1
        while right < area.right() and self._hit(QPointF(right + 1, at.y())) == hit:
            right += 1
        height = self._sheet.row_height
        return QRectF(left - 1, at.y() - height / 2, right - left + 2, height)

    def _let_go_of_cursor(self) -> None:
        if self._cursor is not None:
            self._cursor = None
            self.viewport().update()

    # changes around it

    def paintEvent(self, event: QPaintEvent) -> None:
        self.dirty = event.region()
        try:
            super().paintEvent(event)
        finally:
            self.dirty = None

    def wheelEvent(self, event: QWheelEvent) -> None:
        steps, bar = event.angleDelta().y() / 120, self.scrolling.bar
        bar.setValue(round(bar.value() - steps * 3 * bar.singleStep()))
        event.accept()

    def resized(self) -> None:
        """Keep the row of the followed token in sight."""
        self._rebuild()
        sheet = self._sheet
        if sheet is not None and not sheet.is_alone:
            self.scrolling.show_row(sheet, sheet.tensors.query)

    def recolour(self) -> None:
        self.strips = StripPainter(self.look)
        self._rebuild()


class _SheetItem(Drawing):
    """Draws the sheet, its motion, and below it the line of statistics, if there is room for one."""

    def __init__(self, picture: StepsPicture) -> None:
        super().__init__(picture.look, picture.ci)
        self._picture = picture

    def draw(self, painter: QPainter) -> None:
        """Draw what is to be painted anew of them, or why there is no sheet."""
        picture, sheet = self._picture, self._picture.sheet
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = QRectF(picture.rect())
        if sheet is None:
            painter.setFont(self.look.font(14))
            painter.setPen(self.look.colour("secondary"))
            align = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(room.adjusted(24, 12, -24, -12), align, picture.message)
            return
        dirty = picture.dirty
        sheet.draw(
            painter, picture.offset, lambda box: dirty is None or dirty.intersects(box.toAlignedRect())
        )
        if picture.progress < 1.0:
            painter.save()
            sheet.draw_motion(painter, picture.progress, picture.offset)
            painter.restore()
        top = sheet.area.bottom()
        if top < room.height():
            box = QRectF(MARGIN, top, room.width() - 2 * MARGIN, room.height() - top)
            draw_statistics(painter, picture.strips, picture.statistics, box, sheet.bound)


class _CursorItem(Drawing):
    """Frames what the keys are at."""

    def __init__(self, picture: StepsPicture) -> None:
        super().__init__(picture.look, picture.ci)
        self._picture = picture
        self.setZValue(1)

    def draw(self, painter: QPainter) -> None:
        box = self._picture.cursor_rect()
        if not box.isEmpty():
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(self.look.colour("accent"), 2))
            painter.drawRoundedRect(box, 3, 3)


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

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if self.steps is None else len(self.steps.weights)

    def columnCount(self, parent: Index | None = None) -> int:
        return _N_COLUMNS

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
        steps, (column, order) = self.steps, self._sorted_by
        if steps is None:
            return np.zeros(0, np.intp)
        if column in _VECTORS:
            vectors = steps.values if column == _VECTORS[0] else steps.weighted
            ranks: NDArray[np.float32] = np.sqrt((vectors * vectors).sum(-1))
        else:
            positions = np.arange(len(steps.weights), dtype=np.float32)
            ranks = (positions, positions, steps.products, steps.biased, steps.weights)[column]
        return np.argsort(ranks if order == Qt.SortOrder.AscendingOrder else -ranks, kind="stable")

    def key_of(self, row: int) -> int:
        return int(self._keys[row])

    def vector(self, row: int, column: int) -> NDArray[np.float32]:
        """Return the vector [E] of a cell of the last two columns."""
        assert self.steps is not None
        vectors = self.steps.values if column == _VECTORS[0] else self.steps.weighted
        vector: NDArray[np.float32] = vectors[self.key_of(row)]
        return vector

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


class _CellDelegate(Guarded, QStyledItemDelegate):
    """Draws numbers in the face for numbers, and vectors as strips with their first numbers."""

    def __init__(self, look: Look, model: StepsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._look = look
        self._model = model
        self._strips = StripPainter(look)
        self._bounds: tuple[HeadSteps, tuple[float, float]] | None = None
        look.changed.connect(self._on_look_changed)

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
        drawn = row_axis(self._look, box.left(), box.width(), len(values), 0, has_window=True)
        style = VectorStyle(self._bound(index.column()), inset=6.0)
        self._strips.draw_vector(painter, drawn, values, box, style)

    def _bound(self, column: int) -> float:
        """Return the scale of a column, found once for each query."""
        steps = self._model.steps
        assert steps is not None
        if self._bounds is None or self._bounds[0] is not steps:
            self._bounds = steps, (bound_of(steps.values), bound_of(steps.weighted))
        return self._bounds[1][column - _VECTORS[0]]

    @Slot()
    def _on_look_changed(self) -> None:
        self._strips = StripPainter(self._look)


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
        # The keys stand beside the rows while their column is scrolled away.
        self.horizontalScrollBar().valueChanged.connect(
            lambda _: self.verticalHeader().setVisible(self.columnViewportPosition(1) < 0)
        )
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        header.setSectionResizeMode(_VECTORS[1], QHeaderView.ResizeMode.Stretch)
        self.setMouseTracking(True)
        self.entered.connect(lambda index: self.key_pointed.emit(self.steps.key_of(index.row())))
        look.changed.connect(self._resize)
        self.setAccessibleName(self.tr("From the product of query and key to the weighted value"))
        self.setToolTip(self.tr("A click on a column's name sorts; Ctrl+C copies all digits"))
        self.steps.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, _N_COLUMNS - 1)
        self._share_width()
        self._resize()

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
        title = str(self.steps.headerData(_VECTORS[1], Qt.Orientation.Horizontal))
        last = QFontMetricsF(header.font()).horizontalAdvance(title) / scale + _AROUND_TITLE
        room = self.viewport().width() / scale - _VECTOR - last
        # No number is cut.
        metrics = QFontMetricsF(self._look.number_font(12))
        texts = ["" for _ in _LEAST_WIDTHS] if self.steps.steps is None else self.steps.longest_texts()
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
