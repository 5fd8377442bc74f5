"""`HeatView`: a picture of vectors that can be zoomed, pointed at, and walked row by row."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.vectors.heat_drawing import HeatDrawing, ReadOut
from bertviz_app.views.vectors.marks import by_keyboard

_DRAG_STARTS = 4.0
_WHEEL = 0.85


class HeatView(HeatDrawing):
    """A `HeatPicture`. Over dimensions the wheel zooms these, over the rows' labels it zooms the rows;
    between labelled rows and columns it zooms both. Dragging moves, a double click shows all again.

    `pointed` (row, column) follows the pointer, -1 where it is on none; a click tells `cell_chosen`, on a
    row or by the arrow keys `row_chosen`; Enter tells `activated`, Delete `removed`, of the chosen row.
    """

    pointed = Signal(int, int)
    row_chosen = Signal(int)
    cell_chosen = Signal(int, int)
    activated = Signal(int)
    removed = Signal(int)

    def __init__(self, look: Look, read_out: ReadOut, parent: QWidget | None = None) -> None:
        super().__init__(look, read_out, parent)
        self._pressed: QPointF | None = None
        self._is_dragging = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = self.pointer = event.position()
        if self._pressed is not None and self._drags(at):
            rows, columns = self.axes()
            self.viewport.pan(
                rows.place(self._pressed.y()) - rows.place(at.y()),
                columns.place(self._pressed.x()) - columns.place(at.x()),
            )
            self._pressed = at
            return
        self.pointed.emit(*self.cell_at(at))
        self.update()

    def _drags(self, at: QPointF) -> bool:
        assert self._pressed is not None
        if not self._is_dragging and (at - self._pressed).manhattanLength() >= _DRAG_STARTS:
            self._is_dragging = not self.viewport.is_whole
        return self._is_dragging

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._is_dragging = event.position(), False
            self.is_pressed = True

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pressed is not None and not self._is_dragging:
            row, column = self.cell_at(event.position())
            if row >= 0:
                self.row_chosen.emit(row)
            if row >= 0 or column >= 0:
                self.cell_chosen.emit(row, column)
        self._pressed, self._is_dragging = None, False
        self.is_pressed = False

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.viewport.fit()

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        factor = _WHEEL ** (event.angleDelta().y() / 120)
        (rows, columns), at, viewport = self.axes(), event.position(), self.viewport
        is_on_labels = at.x() < columns.start
        down = factor if self.has_column_labels or is_on_labels else 1.0
        across = factor if self.has_column_labels or not is_on_labels else 1.0
        viewport.show(
            viewport.queries.zoomed(down, rows.place(at.y()), viewport.n_queries),
            viewport.keys.zoomed(across, columns.place(at.x()), viewport.n_keys),
        )
        event.accept()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self.pointer = None
        self.pointed.emit(-1, -1)
        self.update()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk the rows; Enter activates the chosen one, Delete removes it."""
        key, row = event.key(), self.chosen_row
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        if key in steps and row is not None:
            self.row_chosen.emit(min(max(row + steps[Qt.Key(key)], 0), self.viewport.n_queries - 1))
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and row is not None:
            self.activated.emit(row)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and row is not None:
            self.removed.emit(row)
        else:
            event.ignore()

    @guarded
    def focusInEvent(self, event: QFocusEvent) -> None:
        self.shows_focus = by_keyboard(event)
        self.update()

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.shows_focus = False
        self.update()

    @guarded
    def resizeEvent(self, event: QEvent) -> None:
        self.rebuild()
