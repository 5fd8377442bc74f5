"""`HeadView`: what the drawings of one head share: its picture, linked zoom and pan, hover and pin."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import (
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.heads.token_places import Places
from bertviz_app.viewmodels.options import Options
from bertviz_app.viewmodels.selection import NOTHING, Pair, Selection
from bertviz_app.viewmodels.viewport import Span, Viewport
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import STALE, PanelView

_DRAG_STARTS = 4.0
_WHEEL = 0.85
_STEPS = {Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0), Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1)}


class HeadView(PanelView):
    """Draws one `HeadPicture`; subclasses say where queries and keys lie and draw them.

    Queries and keys are counted as the picture's places; only the selection speaks of tokens.
    """

    def __init__(
        self,
        look: Look,
        selection: Selection,
        viewport: Viewport,
        options: Options | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(look, parent)
        self.selection = selection
        self.viewport = viewport
        self.options = options or Options(self)
        self.pointer: QPointF | None = None
        self._widest: float | None = None
        self._elided: dict[tuple[str, int, bool], str] = {}
        self._pressed: QPointF | None = None
        self._is_dragging = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(160, 140)
        selection.changed.connect(self.update)
        viewport.changed.connect(self._on_viewport_changed)
        self.options.changed.connect(self._on_options_changed)

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
        """Return the query, the key or both under a point of the widget, as places."""
        raise NotImplementedError

    def places(self, at: QPointF) -> tuple[float, float]:
        """Return the places on the query axis and on the key axis under a point of the widget."""
        raise NotImplementedError

    def draw_head(self, painter: QPainter, picture: HeadPicture) -> None:
        """Draw the head; only called when there is a picture."""
        raise NotImplementedError

    def draw(self, painter: QPainter) -> None:
        if self.picture is not None:
            painter.setOpacity(STALE if self.is_stale else 1.0)
            self.draw_head(painter, self.picture)
        if self.hasFocus():
            painter.setOpacity(1.0)
            painter.setPen(QPen(self.look.colour("accent"), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(2, 2, -2, -2), 6, 6)

    def spans(self) -> tuple[Span, Span]:
        """Return the queries and the keys in sight; all of a picture that the viewport is not of yet."""
        counts = self.viewport.counts if self.picture is None else self.picture.reading.counts
        if counts == self.viewport.counts:
            return self.viewport.queries, self.viewport.keys
        return Span(0.0, float(counts[0])), Span(0.0, float(counts[1]))

    @property
    def shown(self) -> Pair:
        """The lit pair as places, as far as this picture has its tokens."""
        if self.picture is None:
            return NOTHING
        reading, lit = self.picture.reading, self.selection.shown
        query = None if lit.query is None else reading.queries.place(lit.query)
        return Pair(query, None if lit.key is None else reading.keys.place(lit.key))

    def tokens_of(self, pair: Pair) -> Pair:
        """Return the first tokens of the places of a pair."""
        if self.picture is None:
            return NOTHING
        reading = self.picture.reading
        query = None if pair.query is None else reading.queries.token(pair.query)
        return Pair(query, None if pair.key is None else reading.keys.token(pair.key))

    def side(self, *, of_queries: bool) -> Places:
        """Return the places of the queries or of the keys; there must be a picture."""
        assert self.picture is not None
        return self.picture.reading.queries if of_queries else self.picture.reading.keys

    def widest_label(self, most: float) -> float:
        """Return the room that the labels need, at most `most` pixels at the normal text size."""
        most = self.look.pixels(most)
        if self._widest is None:
            metrics = QFontMetricsF(self.label_font())
            reading = None if self.picture is None else self.picture.reading
            labels = () if reading is None else {*reading.queries.labels, *reading.keys.labels}
            # The longest strings decide: measuring all of 8,192 would take longer than a frame.
            longest = sorted(labels, key=len)[-40:]
            self._widest = max((metrics.horizontalAdvance(label) for label in longest), default=0.0) + 2
        return min(most, self._widest)

    def label_font(self, *, bold: bool = False) -> QFont:
        return self.look.font(13, bold=bold)

    def draw_label(
        self,
        painter: QPainter,
        side: Places,
        place: int,
        box: QRectF,
        align: Qt.AlignmentFlag,
        *,
        is_lit: bool,
    ) -> None:
        """Write a place's label into `box`, shortened if it must be."""
        painter.setFont(self.label_font(bold=is_lit))
        colour = "accent" if is_lit else "secondary" if side.is_special[place] else "text"
        painter.setPen(self.look.colour(colour))
        label = side.labels[place]
        key = (label, round(box.width()), is_lit)
        if key not in self._elided:
            metrics = QFontMetricsF(painter.font())
            self._elided[key] = metrics.elidedText(label, Qt.TextElideMode.ElideRight, box.width() + 1)
        painter.drawText(box, align | Qt.AlignmentFlag.AlignVCenter, self._elided[key])

    @guarded(default=QSize())
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
        pair = self.tokens_of(self.pair_at(at))
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
            pair = self.tokens_of(self.pair_at(event.position()))
            if pair:
                self.selection.pin(pair.query, pair.key)
        self._pressed, self._is_dragging = None, False

    def forget_press(self) -> None:
        """The button that is down meant something else than a drag or a pin."""
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
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pin the next query (Shift and up or down) or key (Shift and left or right)."""
        step = _STEPS.get(Qt.Key(event.key()))
        if step is None or self.picture is None or event.modifiers() != Qt.KeyboardModifier.ShiftModifier:
            event.ignore()
            return
        shown, counts = self.shown, self.picture.reading.counts
        query = _moved(shown.query, step[0], counts[0])
        pair = Pair(query, _moved(shown.key, step[1], counts[1]))
        tokens = self.tokens_of(pair)
        self.selection.leave()
        if tokens != self.selection.pinned:
            self.selection.pin(tokens.query, tokens.key)

    @guarded
    def focusInEvent(self, event: QFocusEvent) -> None:
        self.update()

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.update()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self.pointer = None
        self.selection.leave()
        self.update()

    @guarded
    def resizeEvent(self, event: QEvent) -> None:
        self.rebuild()
        if self.pointer is not None:  # where it is now the next move tells
            self.pointer = None
            self.selection.leave()

    @Slot()
    def _on_viewport_changed(self) -> None:
        self._draw_anew()

    @Slot()
    def _on_options_changed(self) -> None:
        self._draw_anew()

    def _draw_anew(self) -> None:
        self.rebuild()
        self.update()
        if self.pointer is not None:
            self._light(self.pointer)  # zooming moves another token under a pointer at rest

    def _on_look_changed(self) -> None:
        self.rebuild()
        super()._on_look_changed()


def _moved(place: int | None, step: int, count: int) -> int | None:
    """Return the place `step` further on, going round at the ends; the first one where there was none."""
    if not step:
        return place
    return 0 if place is None else (place + step) % count
