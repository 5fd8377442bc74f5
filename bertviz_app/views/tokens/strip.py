"""The token strip: a chip for each token, its piece over its token, segment and position id."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QPoint, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from bertviz_app.options import Run
from bertviz_app.text import Tokens
from bertviz_app.viewmodels.options import Selection
from bertviz_app.views.kit.cached_picture import draws_pixels
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.tick_bar import TickBar
from bertviz_app.views.kit.words import wrapped
from bertviz_app.views.tokens.strip_drag import StripDrag
from bertviz_app.views.tokens.strip_drawing import (
    NO_SINKS,
    StripDrawing,
    StripMarks,
    chip_labels,
    left_out_text,
    sentence_colour,
    sink_words,
)
from bertviz_app.views.tokens.strip_layout import StripLayout
from bertviz_app.views.tokens.strip_terms import LINES, term_of


class TokenStrip(Canvas):
    """All tokens in a row; scrolls sideways, and shows them all as ticks below when they do not fit.

    A click, or the arrow keys, pin a token as query; a drag from one token to another, or the arrow keys
    with Shift, pin the pair. `tokens` are those that are shown; `sinks` has the layers of those that are
    attention sinks.
    """

    shows_words = True
    run_name: Run | None = None
    """Written beside the first row where several runs have a strip."""

    def __init__(self, look: Look, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._selection = selection
        self.tokens: Tokens | None = None
        self._layout = StripLayout(look)
        self._drawing = StripDrawing(look, self._layout)
        self._ticks = TickBar(look)
        self._highlighted: frozenset[int] = frozenset()
        self.edited: Mapping[int, frozenset[int]] = {}
        self.sinks = NO_SINKS
        self._drag = StripDrag(selection)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(200)
        selection.changed.connect(self._on_selection_changed)
        self.retranslate()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Tokens"))
        self.update()

    def show_tokens(self, tokens: Tokens, sinks: Mapping[int, tuple[int, ...]] = NO_SINKS) -> None:
        """Show other tokens, from the first on; `sinks` are marked: position -> layers."""
        same_length = self.tokens is not None and len(self.tokens) == len(tokens)
        self.tokens, self.sinks = tokens, sinks
        self._highlighted = self._selection.highlighted  # all chips are drawn now, these highlighted
        self._lay_out()
        self._scroll_to(self._layout.row.offset if same_length else 0.0)
        self.setAccessibleDescription(" ".join(tokens.labels))

    def show_edits(self, edited: Mapping[int, frozenset[int]]) -> None:
        """Mark tokens that the model reads otherwise than they are written, and the lines of their chips."""
        if edited != self.edited:
            self.edited = edited
            self.update()

    def token_at(self, x: float) -> int | None:
        """Return the token whose chip is at `x`, None beside them."""
        index = self._layout.row.at(x)
        return None if self.tokens is None or index is None or index >= len(self.tokens) else index

    def term_at(self, position: QPoint) -> str:
        """Return the term of the glossary at a position: of a row's name, or of a token that has one."""
        if position.x() < self._layout.row.start:
            lines = zip(LINES, self._layout.lines(), strict=False)
            return next((term for term, line in lines if line.top() <= position.y() < line.bottom()), "")
        token = self.token_at(position.x())
        return "" if self.tokens is None or token is None else term_of(self.tokens, token)

    def set_brief(self, is_brief: bool) -> None:
        """Show the piece and the id of each token alone, or all four facts."""
        self._layout.set_brief(is_brief)
        self.updateGeometry()
        self.update()

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return self._layout.size_hint()

    # drawing

    def draw(self, painter: QPainter) -> None:
        tokens, layout, drawing = self.tokens, self._layout, self._drawing
        if tokens is None:
            return
        row, marks = layout.row, StripMarks(self._selection.highlighted, self.edited, self.sinks)
        if self.is_dirty(QRectF(0, 0, row.start, self.height())):
            drawing.draw_names(painter, self.run_name)
        painter.setClipRect(QRectF(row.start, 0, self.width() - row.start, self.height()))
        boxes = {token: layout.chip(token) for token in row.in_sight()}
        dirty = {at: box for at, box in boxes.items() if self.is_dirty(box.adjusted(-2, -2, 2, 2))}
        drawing.draw_chips(painter, dirty, tokens, marks)
        drawing.draw_left_out(painter, tokens)
        if row.overflow > 0 and draws_pixels(painter):
            drawing.prepare(self, tokens, marks, self.devicePixelRatioF())
        if row.overflow > 0:
            shares = row.offset / row.length, row.room / row.length
            self._ticks.draw(painter, layout.tick_bar(), self._selection.highlighted, shares)

    def _lay_out(self) -> None:
        """Lay the chips out again: other tokens are shown, or the fonts have another size."""
        tokens = self.tokens
        if tokens is not None:
            self._layout.lay_out(chip_labels(tokens, self.sinks), tokens.ids.tolist(), left_out_text(tokens))
            self._ticks.set_colours([sentence_colour(tokens, token) for token in range(len(tokens))])

    def _scroll_to(self, offset: float) -> None:
        self._layout.row.scroll_to(offset)
        self.update()

    # gestures

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag.scrolls:
            self._scroll_to(self._layout.offset_at(event.position().x()))
        else:
            token = self.token_at(event.position().x())
            self.setToolTip(wrapped(sink_words(self.sinks.get(token, ()) if token is not None else ())))
            self._drag.move(token)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._layout.row.overflow > 0 and event.position().y() >= self._layout.tick_bar().top() - 4:
            self._drag.scrolls = True
            self._scroll_to(self._layout.offset_at(event.position().x()))
        elif event.button() == Qt.MouseButton.LeftButton:
            self._drag.begin(self.token_at(event.position().x()))

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag.end(self.token_at(event.position().x()))

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._selection.leave()

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        delta = event.angleDelta()
        self._scroll_to(self._layout.row.offset - (delta.x() or delta.y()))

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None or self.tokens is None:
            event.ignore()
            return
        query, key = self._selection.pinned.query, self._selection.pinned.key
        is_key = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        now = query if not is_key or key is None else key
        token = 0 if now is None else min(max(now + step, 0), len(self.tokens) - 1)
        if token == now or (is_key and query is None):
            return
        self._selection.walk_to(query, token) if is_key else self._selection.walk_to(token)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._layout.resize(self.size())
        self._ticks.forget()
        self._scroll_to(self._layout.row.offset)

    @Slot()
    def _on_selection_changed(self) -> None:
        n_tokens = len(self.tokens) if self.tokens is not None else 0
        highlighted = frozenset(token for token in self._selection.highlighted if token < n_tokens)
        update = self.update_following
        # Only the chips that change are drawn again: all of them would take a third of a frame.
        for token in highlighted ^ self._highlighted:
            if token < n_tokens:
                update(self._layout.chip(token).adjusted(-2, -2, 2, 2).toAlignedRect())
        if self._layout.row.overflow > 0:
            update(self._layout.tick_bar().adjusted(-2, -3, 2, 3).toAlignedRect())
        self._highlighted = highlighted
        query = self._selection.shown.query
        if (
            query is not None
            and query < n_tokens
            and not self.underMouse()
            and self._layout.row.reveal(query)
        ):
            self.update_later()

    def _on_look_changed(self) -> None:
        self._layout.resize(self.size())
        self._ticks.forget()
        self._lay_out()
        super()._on_look_changed()
