"""`Gestures`: pointing, clicking, dragging and the wheel on a drawing that can be zoomed, as signals."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QWidget

from bertviz_app.views.kit.canvas import guarded

_DRAG_STARTS = 5.0  # pixels: a shorter way is a click
_WHEEL = 0.85


def _never(at: QPointF, keys: Qt.KeyboardModifier) -> bool:
    return False


class Gestures(QObject):
    """Filters the mouse events of `widget`, whose own handlers get none of them, and emits what they mean.

    While the left button is down and the pointer moves: `dragged(from, to)` if `can_drag()`, and `dropped` at
    the end; or, where `can_frame(point, keys)`, at the end `framed` with the rectangle that was spanned. A
    press without such a move is `clicked`. The wheel is `scaled` with the factor for the part in sight and
    the point about which it is scaled; a double click is `double_clicked`.
    """

    moved = Signal(QPointF)
    left = Signal()
    clicked = Signal(QPointF)
    dragged = Signal(QPointF, QPointF)
    dropped = Signal()
    framed = Signal(QRectF)
    scaled = Signal(float, QPointF)
    double_clicked = Signal(QPointF)

    def __init__(
        self,
        widget: QWidget,
        can_drag: Callable[[], bool],
        can_frame: Callable[[QPointF, Qt.KeyboardModifier], bool] = _never,
    ) -> None:
        super().__init__(widget)
        self._widget = widget
        self._can_drag = can_drag
        self._can_frame = can_frame
        self.pointer: QPointF | None = None
        self.frame: QRectF | None = None
        self._pressed: QPointF | None = None
        self._last: QPointF | None = None
        widget.setMouseTracking(True)
        widget.installEventFilter(self)

    @property
    def is_pressed(self) -> bool:
        """Whether the left button is down."""
        return self._pressed is not None

    def forget_pointer(self) -> None:
        """Act as if the pointer had left, until it moves again: what is under it has changed."""
        self.pointer = None

    @guarded(default=False)
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if isinstance(event, QMouseEvent):
            if kind == QEvent.Type.MouseMove:
                self._on_moved(event.position())
            elif kind == QEvent.Type.MouseButtonPress:
                self._on_pressed(event)
            elif kind == QEvent.Type.MouseButtonRelease:
                self._on_released(event)
            elif kind == QEvent.Type.MouseButtonDblClick:
                self.double_clicked.emit(event.position())
            return True
        if isinstance(event, QWheelEvent):
            self.scaled.emit(_WHEEL ** (event.angleDelta().y() / 120), event.position())
            event.accept()
            return True
        if kind == QEvent.Type.Leave:
            self.pointer = None
            self.left.emit()
        elif kind == QEvent.Type.Hide:  # then the button is released over another widget
            self._pressed = self._last = self.frame = None
        return False

    def _on_pressed(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            at = self._pressed = event.position()
            self._last = None
            self.frame = QRectF(at, at) if self._can_frame(at, event.modifiers()) else None
            self._widget.update()

    def _on_moved(self, at: QPointF) -> None:
        self.pointer = at
        if self._pressed is None:
            self.moved.emit(at)
        elif self.frame is not None:
            self.frame = QRectF(self._pressed, at)
            self._widget.update()
        elif self._last is not None or (self._is_far(at) and self._can_drag()):
            self.dragged.emit(self._last or self._pressed, at)
            self._last = at
        else:
            self.moved.emit(at)

    def _on_released(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        pressed, last, frame = self._pressed, self._last, self.frame
        self._pressed = self._last = self.frame = None
        if last is not None:
            self.dropped.emit()
        elif frame is not None and (frame.bottomRight() - frame.topLeft()).manhattanLength() >= _DRAG_STARTS:
            self.framed.emit(frame.normalized())
        elif pressed is not None:
            self.clicked.emit(event.position())
        self._widget.update()

    def _is_far(self, at: QPointF) -> bool:
        assert self._pressed is not None
        return (at - self._pressed).manhattanLength() >= _DRAG_STARTS
