"""The token strip: a chip for each token, its piece over its token, segment and position id."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import (
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from bertviz_app.text import Tokens
from bertviz_app.viewmodels.chip_row import ChipRow
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.tick_bar import TickBar
from bertviz_app.views.tokens.chip import Chip, draw_chip
from bertviz_app.views.tokens.strip_drag import StripDrag

_LEFT = 72.0
_NARROWEST = 46.0
_WIDEST = 220.0
_TOP = 8.0
_FIRST_ROW = 1.545  # how many of the others it is as high as


_ROWS = ("token", "token_id", "segment", "position")
"""The terms of the rows, from the top."""
_SPECIAL = {"[CLS]": "cls", "[SEP]": "sep", "[MASK]": "mask", "[UNK]": "unk", "[PAD]": "pad"}


class TokenStrip(Canvas):
    """All tokens in a row; scrolls sideways, and shows them all as ticks below when they do not fit.

    A click, or the arrow keys, pin a token as query; a drag from one token to another, or the arrow keys
    with Shift, pin the pair.
    """

    shows_words = True

    def __init__(self, look: Look, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._selection = selection
        self._tokens: Tokens | None = None
        self._row = ChipRow(look.pixels(_LEFT))
        self._ticks = TickBar(look)
        self._highlighted: frozenset[int] = frozenset()
        self._edited: frozenset[int] = frozenset()
        self._drag = StripDrag(selection)
        self._n_rows = 4
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        selection.changed.connect(self._on_selection_changed)
        self.retranslate()

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self.setAccessibleName(self.tr("Tokens"))
        self.update()

    def show_tokens(self, tokens: Tokens) -> None:
        """Show other tokens, from the first on."""
        same_length = self._tokens is not None and len(self._tokens) == len(tokens)
        self._tokens = tokens
        self._lay_out()
        self._scroll_to(self._row.offset if same_length else 0.0)
        self.setAccessibleDescription(" ".join(tokens.labels))

    def show_edits(self, edited: frozenset[int]) -> None:
        """Mark the tokens that are read as others than are written."""
        if edited != self._edited:
            self._edited = edited
            self.update()

    @property
    def tokens(self) -> Tokens | None:
        """The tokens that are shown."""
        return self._tokens

    def token_at(self, x: float) -> int | None:
        """Return the token whose chip is at `x`, None beside them."""
        index = self._row.at(x)
        return None if self._tokens is None or index is None or index >= len(self._tokens) else index

    def term_at(self, position: QPoint) -> str:
        """Return the term of the glossary at a position: of a row's name, or of a token that has one."""
        if position.x() < self._row.start:
            rows = zip(_ROWS, self._rows()[: self._n_rows], strict=False)
            return next((term for term, row in rows if row.top() <= position.y() < row.bottom()), "")
        token = self.token_at(position.x())
        return "" if self._tokens is None or token is None else _term_of(self._tokens, token)

    def set_brief(self, is_brief: bool) -> None:
        """Show of each token its piece and its id alone, or all four facts."""
        self._n_rows = 2 if is_brief else 4
        self.updateGeometry()
        self.update()

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(400, self.look.pixels(36 + 17 * self._n_rows))

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    # drawing

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        if self._tokens is None:
            return
        highlighted, dirty = self._selection.highlighted, painter.clipBoundingRect()
        self._draw_row_names(painter)
        painter.setClipRect(QRectF(self._row.start, 0, self.width() - self._row.start, self.height()))
        for token in self._row.in_sight():
            if self._chip(token).intersects(dirty):
                self._draw_chip(painter, token, is_highlighted=token in highlighted)
        if self._tokens.n_left_out:
            self._draw_left_out(painter)
        if self._row.overflow > 0:
            shares = self._row.offset / self._row.length, self._row.room / self._row.length
            self._ticks.draw(painter, self._tick_bar(), highlighted, shares)

    def _draw_row_names(self, painter: QPainter) -> None:
        names = (self.tr("token"), self.tr("id"), self.tr("segment"), self.tr("position"))
        painter.setFont(self.look.font(12))
        painter.setPen(self.look.colour("secondary"))
        for name, row in zip(names, self._rows(), strict=False):
            box = QRectF(0, row.top(), self._row.start - 10, row.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)

    def _draw_chip(self, painter: QPainter, token: int, *, is_highlighted: bool) -> None:
        tokens = self._tokens
        assert tokens is not None
        segment = tokens.segment_ids[token] if tokens.has_segments else "–"
        numbers = tokens.ids[token], segment, tokens.position_ids[token]
        chip = Chip(
            texts=(tokens.labels[token], *map(str, numbers))[: self._n_rows],
            colour=self._segment_colour(token),
            is_highlighted=is_highlighted,
            is_special=bool(tokens.is_special[token]),
            is_edited=token in self._edited,
        )
        draw_chip(painter, self.look, chip, self._chip(token), self._rows())

    def _draw_left_out(self, painter: QPainter) -> None:
        assert self._tokens is not None
        box = self._chip(len(self._tokens))
        painter.setPen(QPen(self.look.colour("warning"), 1, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 6, 6)
        painter.setFont(self.look.font(13))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, self._left_out_text())

    # geometry

    def _lay_out(self) -> None:
        if self._tokens is None:
            return
        piece_font, number_font = self._fonts()
        pieces, numbers = QFontMetricsF(piece_font), QFontMetricsF(number_font)
        least, most = self.look.pixels(_NARROWEST), self.look.pixels(_WIDEST)
        widths = [
            max(pieces.horizontalAdvance(label), numbers.horizontalAdvance(str(number))) + 16
            for label, number in zip(self._tokens.labels, self._tokens.ids, strict=True)
        ]
        after = self._left_out_width() if self._tokens.n_left_out else 0.0
        self._row.lay_out([min(max(width, least), most) for width in widths], after)
        self._ticks.set_colours([self._segment_colour(token) for token in range(len(self._tokens))])

    def _fonts(self) -> tuple[QFont, QFont]:
        return self.look.font(14, bold=True), self.look.number_font(12)

    def _chip(self, token: int) -> QRectF:
        left, width = self._row.chip(token)
        return QRectF(left, _TOP, width, self._chip_height())

    def _chip_height(self) -> float:
        return self.height() - _TOP - 14

    def _rows(self) -> list[QRectF]:
        """Return where the lines of a chip lie; only top and height count."""
        rest = (self._chip_height() - 6) / (_FIRST_ROW + self._n_rows - 1)
        first = rest * _FIRST_ROW
        tops = [_TOP + 4, *(_TOP + 4 + first + number * rest for number in range(self._n_rows - 1))]
        return [QRectF(0, top, 0, rest if number else first) for number, top in enumerate(tops)]

    def _tick_bar(self) -> QRectF:
        return QRectF(self._row.start, self.height() - 9, self._row.room, 5)

    def _left_out_width(self) -> float:
        return QFontMetricsF(self.look.font(13)).horizontalAdvance(self._left_out_text()) + 24

    def _left_out_text(self) -> str:
        count = self._tokens.n_left_out if self._tokens is not None else 0
        return self.tr("1 token left out") if count == 1 else self.tr("{0} tokens left out").format(count)

    def _segment_colour(self, token: int) -> str:
        assert self._tokens is not None
        sentence = int(self._tokens.sentences[token])
        return {0: "accent", 1: "sentence_b"}.get(sentence, "special")

    def _scroll_to(self, offset: float) -> None:
        self._row.scroll_to(offset)
        self.update()

    # gestures

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag.scrolls:
            self._scroll_by_ticks(event.position())
        else:
            self._drag.move(self.token_at(event.position().x()))

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._row.overflow > 0 and event.position().y() >= self._tick_bar().top() - 4:
            self._drag.scrolls = True
            self._scroll_by_ticks(event.position())
        elif event.button() == Qt.MouseButton.LeftButton:
            self._drag.begin(self.token_at(event.position().x()))

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag.end(self.token_at(event.position().x()))

    def _scroll_by_ticks(self, at: QPointF) -> None:
        bar = self._tick_bar()
        share = (at.x() - bar.left()) / bar.width()
        self._scroll_to(share * self._row.length - self._row.room / 2)

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._selection.leave()

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        delta = event.angleDelta()
        self._scroll_to(self._row.offset - (delta.x() or delta.y()))

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()))
        if step is None or self._tokens is None:
            event.ignore()
            return
        query, key = self._selection.pinned.query, self._selection.pinned.key
        is_key = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        now = query if not is_key or key is None else key
        token = 0 if now is None else min(max(now + step, 0), len(self._tokens) - 1)
        if token == now or (is_key and query is None):
            return
        self._selection.pin(query=query, key=token) if is_key else self._selection.pin(query=token)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._row.room = max(1.0, self.width() - self._row.start - 8)
        self._ticks.forget()
        self._scroll_to(self._row.offset)

    @Slot()
    def _on_selection_changed(self) -> None:
        n_tokens = len(self._tokens) if self._tokens is not None else 0
        highlighted = frozenset(token for token in self._selection.highlighted if token < n_tokens)
        # Only the chips that change are drawn again: all of them would take a third of a frame.
        for token in highlighted ^ self._highlighted:
            if token < n_tokens:
                self.update(self._chip(token).adjusted(-2, -2, 2, 2).toAlignedRect())
        if self._row.overflow > 0:
            self.update(self._tick_bar().adjusted(-2, -3, 2, 3).toAlignedRect())
        self._highlighted = highlighted
        query = self._selection.shown.query
        if query is not None and query < n_tokens and not self.underMouse() and self._row.reveal(query):
            self.update()

    def _on_look_changed(self) -> None:
        self._row.start = self.look.pixels(_LEFT)
        self._row.room = max(1.0, self.width() - self._row.start - 8)
        self._ticks.forget()
        self._lay_out()
        super()._on_look_changed()


def _term_of(tokens: Tokens, token: int) -> str:
    """Return the term that explains one token of a text."""
    label = tokens.labels[token]
    if label in _SPECIAL:
        return _SPECIAL[label]
    if tokens.is_special[token]:
        return "special_token"
    if label.startswith("##"):
        return "word_piece"
    return "token"
