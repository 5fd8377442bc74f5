"""The head strip: a square for each head of the layer; those that are filled are drawn as lines."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QPainter, QPen, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.colour_maps import ink_on
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.terms import set_subject

_MARGIN = 10.0
_SIDE = 20.0
_GAP = 3.0


class HeadStrip(Canvas):
    """A click shows or hides the lines of a head, a double click isolates it; the wheel changes the layer."""

    toggled = Signal(int)
    isolated = Signal(int)
    layer_walked = Signal(int)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._n_heads = 0
        set_subject(self, "head")
        self._shown: tuple[int, ...] = ()
        self._focused = 0
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.retranslate()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Heads drawn as lines"))
        self.setAccessibleDescription(", ".join(map(str, self._shown)))

    def show_heads(self, n_heads: int, shown: tuple[int, ...]) -> None:
        """Show which of `n_heads` heads are drawn."""
        if (n_heads, shown) != (self._n_heads, self._shown):
            self._n_heads, self._shown = n_heads, shown
            self._focused = min(self._focused, max(0, n_heads - 1))
            self.retranslate()
            self.updateGeometry()
            self.update()

    def box(self, head: int) -> QRectF:
        """Return where the square of a head lies."""
        side, per_row = self._side(), self._per_row(self.width())
        row, column = divmod(head, per_row)
        return QRectF(_MARGIN + column * (side + _GAP), 5 + row * (side + _GAP), side, side)

    @guarded(default=False)
    def hasHeightForWidth(self) -> bool:
        return True

    @guarded(default=-1)
    def heightForWidth(self, width: int) -> int:
        rows = -(-max(1, self._n_heads) // self._per_row(width))
        return round(10 + rows * (self._side() + _GAP) - _GAP)

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(200, self.heightForWidth(max(self.width(), 200)))

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        return QSize(100, self.heightForWidth(max(self.width(), 100)))

    def _side(self) -> float:
        return self.look.pixels(_SIDE)

    def _per_row(self, width: int) -> int:
        return max(1, int((width - 2 * _MARGIN + _GAP) // (self._side() + _GAP)))

    def draw(self, painter: QPainter) -> None:
        painter.setFont(self.look.number_font(11))
        for head in range(self._n_heads):
            box, is_shown = self.box(head), head in self._shown
            painter.setPen(QPen(self.look.head_colour(head), 1.5))
            painter.setBrush(self.look.head_colour(head, 1.0 if is_shown else 0.08))
            painter.drawRoundedRect(box.adjusted(0.75, 0.75, -0.75, -0.75), 4, 4)
            ink = ink_on(self.look.head_colour(head).rgb())
            painter.setPen(ink if is_shown else self.look.colour("secondary"))
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(head))
            if self.hasFocus() and head == self._focused:
                painter.setPen(QPen(self.look.colour("text"), 1.5))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRoundedRect(box.adjusted(-1.5, -1.5, 1.5, 1.5), 5, 5)

    def head_at(self, at: QPointF) -> int | None:
        """Return the head whose square is under a point."""
        return next((head for head in range(self._n_heads) if self.box(head).contains(at)), None)

    # gestures

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        head = self.head_at(event.position())
        if head is not None and event.button() == Qt.MouseButton.LeftButton:
            self.toggled.emit(head)

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        # The press before it has toggled the head; whether it is drawn now or not, it is isolated.
        head = self.head_at(event.position())
        if head is not None and event.button() == Qt.MouseButton.LeftButton:
            self.isolated.emit(head)

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        notches = event.angleDelta().y()
        if notches:  # it is 0 where a wheel or a touch pad scrolls sideways
            self.layer_walked.emit(-1 if notches > 0 else 1)
        event.accept()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        key = Qt.Key(event.key())
        if key in steps and self._n_heads:
            self._focused = (self._focused + steps[key]) % self._n_heads
            self.update()
        elif key == Qt.Key.Key_Space:
            self.toggled.emit(self._focused)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.isolated.emit(self._focused)
        else:
            event.ignore()

    @guarded(default=False)
    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            head = self.head_at(QPointF(event.pos()))
            words = self.tr(
                "Head {0}: click to show or hide its lines, double click to show it alone (again: "
                "all).\nThe wheel changes the layer."
            )
            QToolTip.showText(event.globalPos(), "" if head is None else words.format(head), self)
            return True
        return super().event(event)
