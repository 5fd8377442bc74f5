"""`HeadView`: what the drawings of one head share: its picture, linked zoom and pan, hover and pin."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFont, QFontMetricsF, QMouseEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.pictures import HeadPicture
from bertviz_app.viewmodels.selection import NOTHING, Pair, Selection
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.guard import guarded
from bertviz_app.views.look import Look
from bertviz_app.views.panel_view import STALE, PanelView

_DRAG_STARTS = 4.0
_WHEEL = 0.85


class HeadView(PanelView):
    """Draws one `HeadPicture`; subclasses say where queries and keys lie and draw them."""

    def __init__(
        self, look: Look, selection: Selection, viewport: Viewport, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self.selection = selection
        self.viewport = viewport
        self.pointer: QPointF | None = None
        self._widest: float | None = None
        self._elided: dict[tuple[int, int, bool], str] = {}
        self._pressed: QPointF | None = None
        self._is_dragging = False
        self.setMouseTracking(True)
        self.setMinimumSize(160, 140)
        selection.changed.connect(self.update)
        viewport.changed.connect(self._on_viewport_changed)

    def show_picture(self, picture: HeadPicture) -> None:
        super().show_picture(picture)
        self.rebuild()

    def rebuild(self) -> None:
        """Forget what was prepared from the picture, the size, the viewport or the look."""
        self._widest = None
        self._elided.clear()

    def axes(self) -> tuple[Axis, Axis]:
        """Return the axes of the queries and of the keys."""
        raise NotImplementedError

    def pair_at(self, at: QPointF) -> Pair:
        """Return the query, the key or both under a point of the widget."""
        raise NotImplementedError

    def places(self, at: QPointF) -> tuple[float, float]:
        """Return the places on the query axis and on the key axis under a point of the widget."""
        raise NotImplementedError

    def draw_head(self, painter: QPainter, picture: HeadPicture) -> None:
        """Draw the head; only called when there is a picture and the viewport fits it."""
        raise NotImplementedError

    def draw(self, painter: QPainter) -> None:
        picture = self.picture
        if picture is None or picture.trace.n_tokens != self.viewport.n_tokens:
            return
        painter.setOpacity(STALE if self.is_stale else 1.0)
        self.draw_head(painter, picture)

    @property
    def shown(self) -> Pair:
        """The lit pair, as far as this picture has its tokens."""
        return NOTHING if self.picture is None else self.selection.shown.within(self.picture.trace.n_tokens)

    @property
    def labels(self) -> tuple[str, ...]:
        return () if self.picture is None else self.picture.trace.tokens.labels

    def widest_label(self, most: float) -> float:
        """Return the room that the labels need, at most `most` pixels."""
        if self._widest is None:
            metrics = QFontMetricsF(self.label_font())
            # The longest strings decide: measuring all of 8,192 would take longer than a frame.
            longest = sorted(self.labels, key=len)[-40:]
            self._widest = max((metrics.horizontalAdvance(label) for label in longest), default=0.0) + 2
        return min(most, self._widest)

    def label_font(self, *, bold: bool = False) -> QFont:
        return self.look.font(13, bold=bold)

    def draw_label(
        self, painter: QPainter, token: int, box: QRectF, align: Qt.AlignmentFlag, *, is_lit: bool
    ) -> None:
        """Write a token's label into `box`, shortened if it must be."""
        assert self.picture is not None
        special = bool(self.picture.trace.tokens.is_special[token])
        painter.setFont(self.label_font(bold=is_lit))
        painter.setPen(self.look.colour("accent" if is_lit else "secondary" if special else "text"))
        key = (token, round(box.width()), is_lit)
        if key not in self._elided:
            metrics = QFontMetricsF(painter.font())
            elided = metrics.elidedText(self.labels[token], Qt.TextElideMode.ElideRight, box.width() + 1)
            self._elided[key] = elided
        painter.drawText(box, align | Qt.AlignmentFlag.AlignVCenter, self._elided[key])

    def sizeHint(self) -> QSize:
        return QSize(420, 420)

    # gestures

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.pointer = event.position()
        if self._pressed is not None and self._drags(event.position()):
            before, now = self.places(self._pressed), self.places(event.position())
            self._pressed = event.position()
            self.viewport.pan(before[0] - now[0], before[1] - now[1])
            return
        self._light(event.position())

    def _light(self, at: QPointF) -> None:
        """Light what is under a point of the widget."""
        pair = self.pair_at(at)
        if pair:
            self.selection.hover(pair.query, pair.key)
        else:
            self.selection.leave()

    def _drags(self, at: QPointF) -> bool:
        assert self._pressed is not None
        if not self._is_dragging and (at - self._pressed).manhattanLength() >= _DRAG_STARTS:
            self._is_dragging = not self.viewport.is_whole
        return self._is_dragging

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._is_dragging = event.position(), False

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._pressed is not None and not self._is_dragging:
            pair = self.pair_at(event.position())
            if pair:
                self.selection.pin(pair.query, pair.key)
        self._pressed, self._is_dragging = None, False

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.viewport.fit()

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        steps = event.angleDelta().y() / 120
        self.viewport.zoom(_WHEEL**steps, *self.places(event.position()))
        event.accept()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self.pointer = None
        self.selection.leave()
        self.update()

    @guarded
    def resizeEvent(self, event: QEvent) -> None:
        self.rebuild()

    @Slot()
    def _on_viewport_changed(self) -> None:
        self.rebuild()
        self.update()
        if self.pointer is not None:
            self._light(self.pointer)  # zooming moves another token under a pointer at rest

    def _on_look_changed(self) -> None:
        self.rebuild()
        super()._on_look_changed()
