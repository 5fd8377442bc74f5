"""`HeadView`: what the drawings of one head share: its picture, linked zoom and pan, hover and pin."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QSize, Qt, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.options import Options
from bertviz_app.viewmodels.selection import NOTHING, Pair, Selection
from bertviz_app.viewmodels.viewport import Span, Viewport
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.gestures import Gestures
from bertviz_app.views.kit.labels import Labels
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelView

_STEPS = {Qt.Key.Key_Up: (-1, 0), Qt.Key.Key_Down: (1, 0), Qt.Key.Key_Left: (0, -1), Qt.Key.Key_Right: (0, 1)}


class HeadView(PanelView):
    """Draws one `HeadPicture`; subclasses say where queries and keys lie, and update what is highlighted.

    Queries and keys are the rows and columns of the picture, in which words may be joined and tokens hidden;
    only the selection has positions of tokens.
    """

    fills_ground = True
    shows_words = True

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
        self._labels: tuple[Labels, Labels] | None = None
        self.gestures = Gestures(self, lambda: not viewport.is_whole, self.can_frame)
        self.gestures.moved.connect(self._highlight)
        self.gestures.left.connect(self._on_pointer_left)
        self.gestures.clicked.connect(self._on_clicked)
        self.gestures.dragged.connect(self._on_dragged)
        self.gestures.scaled.connect(lambda factor, at: viewport.zoom(factor, *self.position(at)))
        self.gestures.double_clicked.connect(lambda at: viewport.toggle(*self.position(at)))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumSize(160, 140)
        viewport.changed.connect(self._redraw)
        self.options.changed.connect(self._redraw)

    # what a subclass draws

    def axes(self) -> tuple[Axis, Axis]:
        """Return the axes of the queries and of the keys."""
        raise NotImplementedError

    def pair_at(self, at: QPointF) -> Pair:
        """Return the query, the key or both under a point of the widget."""
        raise NotImplementedError

    def position(self, at: QPointF) -> tuple[float, float]:
        """Return the positions on the query axis and on the key axis under a point of the widget."""
        raise NotImplementedError

    def can_frame(self, at: QPointF, keys: Qt.KeyboardModifier) -> bool:
        """Return whether a drag from this point spans a rectangle to zoom into."""
        return False

    def rebuild(self) -> None:
        """Forget what was prepared from the picture, the options, the size, the viewport or the look."""

    # the picture

    def show_picture(self, picture: HeadPicture) -> None:
        """Show the picture of a head."""
        super().show_picture(picture)
        self._labels = None
        self.rebuild()

    def set_omits_hints(self, *, omits_hints: bool) -> None:
        """Draw without the signs of attention sinks, or with them."""
        super().set_omits_hints(omits_hints=omits_hints)
        picture = self.picture
        if picture is not None and picture.token_order.without_sinks() is not picture.token_order:
            self._labels = None
            self.rebuild()

    def spans(self) -> tuple[Span, Span]:
        """Return the queries and keys in sight: all, while the viewport is of another picture's size."""
        counts = self.viewport.counts if self.picture is None else self.picture.token_order.counts
        if counts == self.viewport.counts:
            return self.viewport.queries, self.viewport.keys
        return Span(0.0, float(counts[0])), Span(0.0, float(counts[1]))

    @property
    def shown(self) -> Pair:
        """The highlighted pair, as far as this picture has its tokens."""
        return NOTHING if self.picture is None else self.picture.token_order.pair_of(self.selection.shown)

    @property
    def labels(self) -> tuple[Labels, Labels]:
        """The labels of the queries and of the keys; none before there is a picture."""
        if self._labels is None:
            picture = self.picture
            if picture is None:
                self._labels = Labels(self.look, ()), Labels(self.look, ())
            else:
                self._labels = _labels_of(picture, self.look, omits_sinks=self.omits_hints)
        return self._labels

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(420, 420)

    # gestures

    @Slot(QPointF)
    def _highlight(self, at: QPointF) -> None:
        """Highlight what is under a point of the widget."""
        pair = _tokens_at(self, at)
        if pair:
            self.selection.hover(pair.query, pair.key, pair.partner)
        else:
            self.selection.leave()

    @Slot()
    def _on_pointer_left(self) -> None:
        self.selection.leave()
        self.update()

    @Slot(QPointF)
    def _on_clicked(self, at: QPointF) -> None:
        pair = _tokens_at(self, at)
        if pair:
            self.selection.pin(pair.query, pair.key, pair.partner)

    @Slot(QPointF, QPointF)
    def _on_dragged(self, start: QPointF, end: QPointF) -> None:
        before, now = self.position(start), self.position(end)
        self.viewport.pan(before[0] - now[0], before[1] - now[1])

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Pin the next query (Shift and up or down) or key (Shift, left or right); Enter picks the pair."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.selection.pinned:
            self.selection.pick()
            return
        step = _STEPS.get(Qt.Key(event.key()))
        # On macOS the arrows are of the keypad.
        modifiers = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if step is None or self.picture is None or modifiers != Qt.KeyboardModifier.ShiftModifier:
            event.ignore()
            return
        shown, counts = self.shown, self.picture.token_order.counts
        query = _moved(shown.query, step[0], counts[0])
        pair = Pair(query, _moved(shown.key, step[1], counts[1]))
        tokens = self.picture.token_order.tokens_of(pair)
        self.selection.leave()
        self.selection.walk_to(tokens.query, tokens.key, tokens.partner)

    @guarded
    def resizeEvent(self, event: QEvent) -> None:
        self.rebuild()
        if self.gestures.pointer is not None:  # its position in the new size is not known until it moves
            self.gestures.forget_pointer()
            self.selection.leave()

    @Slot()
    def _redraw(self) -> None:
        self.rebuild()
        self.update_following()
        pointer = self.gestures.pointer
        if pointer is not None:
            self._highlight(pointer)  # zooming moves another token under a pointer at rest

    def _on_look_changed(self) -> None:
        self._labels = None
        self.rebuild()
        super()._on_look_changed()


def _labels_of(picture: HeadPicture, look: Look, *, omits_sinks: bool) -> tuple[Labels, Labels]:
    """Return the labels of queries and keys; of the keys first that of the largest number."""
    order = picture.token_order.without_sinks() if omits_sinks else picture.token_order
    _, key = picture.strongest
    queries = Labels(look, order.queries.labels, order.queries.is_special.tolist())
    keys = Labels(look, order.keys.labels, order.keys.is_special.tolist(), frozenset({key}))
    return queries, keys


def _tokens_at(view: HeadView, at: QPointF) -> Pair:
    """Return the tokens under a point of the widget."""
    return NOTHING if view.picture is None else view.picture.token_order.tokens_of(view.pair_at(at))


def _moved(number: int | None, step: int, count: int) -> int | None:
    """Return the number `step` further on, going round at the ends; the first one where there was none."""
    if not step:
        return number
    return 0 if number is None else (number + step) % count
