"""The strip of tokens, of one run or two."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Literal

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QRectF, QSize, Qt, Slot
from PySide6.QtGui import (
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy

from bertviz_app.analysis.attention.stamp import MUCH, SHORT, sink_layers
from bertviz_app.options import Run
from bertviz_app.text import Tokens
from bertviz_app.text.edits import edited_lines
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.viewport import SINK
from bertviz_app.views.kit.canvas import CachedPicture, Canvas
from bertviz_app.views.kit.look import RIGHT, Look, Pencil
from bertviz_app.views.kit.widgets import set_shown
from bertviz_app.views.kit.words import wrapped
from bertviz_app.views.tokens.chip import PIECE_SIZE, Chip, draw_chips, piece_font

_LEFT = 72.0  # the room for the names of the lines
_RIGHT = 8.0
_NARROWEST = 46.0
_WIDEST = 220.0
_TOP = 8.0
_BELOW = 14.0
_FIRST_LINE = 1.545  # its height, in heights of one of the other lines
_ALL, _BRIEF, _LEAST = 4, 2, 1
LINES = ("token", "token_id", "segment", "position")
"""The terms of the lines of a chip, from the top."""
_SPECIAL = {"[CLS]": "cls", "[SEP]": "sep", "[MASK]": "mask", "[UNK]": "unk", "[PAD]": "pad"}
Side = Literal["both", "queries", "keys"]
NO_SINKS: Mapping[int, tuple[int, ...]] = MappingProxyType({})
GAP = 4.0


class ChipRow:
    """Chips in a row from `start` on, of which `room` pixels are in sight from `offset` on."""

    def __init__(self, start: float) -> None:
        self.start = start
        self.room = 1.0
        self.offset = 0.0
        self._lefts: Doubles = np.zeros(1)
        self._after = 0.0

    def __len__(self) -> int:
        return len(self._lefts) - 1

    @property
    def length(self) -> float:
        """The pixels that all chips take, with what follows them."""
        return float(self._lefts[-1]) + self._after

    @property
    def overflow(self) -> float:
        """How far the row can be scrolled."""
        return max(0.0, self.length - self.room)

    def lay_out(self, widths: Sequence[float], after: float = 0.0) -> None:
        """Place chips of these widths; `after` is the room for what follows the last one."""
        self._lefts = np.concatenate(([0.0], np.cumsum(np.asarray(widths, np.float64) + GAP)))
        self._after = after

    def chip(self, index: int) -> tuple[float, float]:
        """Return the left edge and the width of a chip; the `index` len(self) is what follows the last."""
        left = self.start + float(self._lefts[index]) - self.offset
        is_last = index == len(self)
        return left, self._after if is_last else float(self._lefts[index + 1] - self._lefts[index]) - GAP

    def in_sight(self) -> range:
        """Return the chips that are at least partly in sight."""
        first = int(np.searchsorted(self._lefts, self.offset, "right")) - 1
        last = int(np.searchsorted(self._lefts, self.offset + self.room, "left"))
        return range(max(0, first), min(last, len(self)))

    def at(self, x: float) -> int | None:
        """Return the chip under `x`, None beside the chips."""
        if x < self.start:
            return None
        index = int(np.searchsorted(self._lefts, x - self.start + self.offset, "right")) - 1
        return index if 0 <= index < len(self) else None

    def scroll_to(self, offset: float) -> None:
        """Scroll so that `offset` whole pixels lie left of the sight, as far as the row goes."""
        self.offset = float(round(min(max(0.0, offset), self.overflow)))

    def reveal(self, index: int) -> bool:
        """Scroll as little as brings a chip into sight; return whether that moved anything."""
        before, (left, width) = self.offset, self.chip(index)
        if left < self.start:
            self.scroll_to(self.offset - (self.start - left))
        elif left + width > self.start + self.room:
            self.scroll_to(self.offset + left + width - self.start - self.room)
        return self.offset != before


def sentence_colour(tokens: Tokens, token: int) -> str:
    """Return the name of the colour of a token: that of its sentence, or of special tokens."""
    return {0: "accent", 1: "sentence_b"}.get(int(tokens.sentences[token]), "special")


def left_out_text(tokens: Tokens) -> str:
    """Return how many tokens of the text were left out, "" if none."""
    count, translate = tokens.n_left_out, QCoreApplication.translate
    one, more = translate("TokenStrip", "1 token left out"), translate("TokenStrip", "{0} tokens left out")
    return "" if not count else one if count == 1 else more.format(f"{count:,}")


def sink_words(layers: tuple[int, ...]) -> str:
    """Return why a token is marked as an attention sink in these layers, "" of none."""
    if not layers:
        return ""
    words = QCoreApplication.translate(
        "TokenStrip",
        "{0} Attention sink in layer {1}: it receives at least {2} times the mean attention there, and its "
        "value vectors are at most {3} times as long as those of other tokens. So most of that attention "
        "changes little. (The rule is this program's own.)",
    )
    return words.format(SINK, ", ".join(map(str, layers)), MUCH, SHORT)


class TokenStrip(Canvas):
    """All tokens in a row; scrolls sideways, and shows them all as ticks below when they do not fit.

    A click, or the arrow keys, pin a token as query; a drag from one token to another, or the arrow keys
    with Shift, pin the pair. `tokens` are those that are shown; `sinks` has the layers of those that are
    attention sinks.
    """

    shows_words = True
    run_name: Run | None = None
    """Written beside the first row where several runs have a strip."""
    side: Side = "both"
    """Whether its tokens are queries, keys, or both: in cross-attention each has a strip of its own."""

    def __init__(self, look: Look, selection: Selection) -> None:
        super().__init__(look)
        self._selection = selection
        self.tokens: Tokens | None = None
        self._row = ChipRow(look.pixels(_LEFT))
        self._n_lines = _ALL
        self._ticks = CachedPicture(look, is_opaque=False)
        self._highlighted: frozenset[int] = frozenset()
        self.edited: Mapping[int, frozenset[int]] = {}
        self.sinks = NO_SINKS
        self._pressed: int | None = None  # the token on which the button went down
        self._scrolls = False  # the ticks are dragged
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(200)
        selection.changed.connect(self._on_selection_changed)
        self.setAccessibleName(self.tr("Tokens"))
        self.update()

    def show_tokens(self, tokens: Tokens, sinks: Mapping[int, tuple[int, ...]] = NO_SINKS) -> None:
        """Show other tokens, from the first on; `sinks` are marked: position -> layers."""
        same_length = self.tokens is not None and len(self.tokens) == len(tokens)
        self.tokens, self.sinks = tokens, sinks
        self._highlighted = self._own_highlighted()  # all chips are drawn now, these highlighted
        self._lay_out()
        self._scroll_to(self._row.offset if same_length else 0.0)
        self.setAccessibleDescription(" ".join(tokens.labels))

    def set_side(self, side: Side) -> None:
        self.side = side
        self.update()

    def _own_highlighted(self) -> frozenset[int]:
        shown = self._selection.shown
        own = {"both": (shown.query, shown.key), "queries": (shown.query,), "keys": (shown.key,)}
        return frozenset(token for token in own[self.side] if token is not None)

    def show_edits(self, edited: Mapping[int, frozenset[int]]) -> None:
        """Mark tokens that the model reads otherwise than they are written, and the lines of their chips."""
        if edited != self.edited:
            self.edited = edited
            self.update()

    def token_at(self, x: float) -> int | None:
        index = self._row.at(x)
        return None if self.tokens is None or index is None or index >= len(self.tokens) else index

    def term_at(self, position: QPoint) -> str:
        """Return the term of the glossary at a position: of a row's name, or of a token that has one."""
        if position.x() < self._row.start:
            lines = zip(LINES, self._lines(), strict=False)
            return next((term for term, line in lines if line.top() <= position.y() < line.bottom()), "")
        tokens, token = self.tokens, self.token_at(position.x())
        if tokens is None or token is None:
            return ""
        label = tokens.labels[token]
        other = "word_piece" if label.startswith("##") else "token"
        return _SPECIAL.get(label, "special_token" if tokens.is_special[token] else other)

    def set_brief(self, is_brief: bool, *, has_ids: bool = True) -> None:
        """Show all four facts of each token, its piece and its id alone, or its piece."""
        self._n_lines = _LEAST if not has_ids else _BRIEF if is_brief else _ALL
        self.updateGeometry()
        self.update()

    # geometry

    @property
    def _enlarged(self) -> float:
        """How much larger the pieces are than usual, beside the rest of the chip."""
        return self.look.word_size(PIECE_SIZE) / PIECE_SIZE

    @property
    def _widest(self) -> int:
        return self.look.pixels(_WIDEST * self._enlarged)

    def sizeHint(self) -> QSize:
        """Return the size at which all lines can be read."""
        larger = (self._enlarged - 1) * _FIRST_LINE * 17
        return QSize(400, self.look.pixels(36 + 17 * self._n_lines + larger))

    def _fit(self) -> None:
        """Fit the row to the size of the strip, and to the size of the fonts."""
        self._row.start = self.look.pixels(_LEFT)
        self._row.room = max(1.0, self.width() - self._row.start - _RIGHT)

    def _lay_out(self) -> None:
        """Give each token a chip as wide as its piece and its id need, and room to what follows the last."""
        tokens, look = self.tokens, self.look
        if tokens is None:
            return
        pieces, digit = (
            QFontMetricsF(piece_font(look)),
            QFontMetricsF(look.number_font(12)).horizontalAdvance("0"),
        )
        least, most = look.pixels(_NARROWEST), self._widest
        widths = [
            max(pieces.horizontalAdvance(self._label(at)), len(str(number)) * digit) + 16
            for at, number in enumerate(tokens.ids.tolist())
        ]
        words = left_out_text(tokens)
        after = QFontMetricsF(look.font(13)).horizontalAdvance(words) + 24 if words else 0.0
        self._row.lay_out([math.ceil(min(max(width, least), most)) for width in widths], after)

    def _label(self, token: int) -> str:
        """Return the first line of a chip: the piece, with a mark behind that of a sink."""
        assert self.tokens is not None
        label = self.tokens.labels[token]
        return f"{label} {SINK}" if token in self.sinks else label

    def _box(self, token: int) -> QRectF:
        """Return the box of a chip; that of what follows the last one for the number of tokens."""
        left, width = self._row.chip(token)
        return QRectF(left, _TOP, width, self.height() - _TOP - _BELOW)

    def _lines(self) -> list[QRectF]:
        """Return the tops and the heights of the lines of a chip; left and width are 0."""
        share = _FIRST_LINE * self._enlarged
        rest = (self.height() - _TOP - _BELOW - 6) / (share + self._n_lines - 1)
        first, top = rest * share, _TOP + 4
        others = (QRectF(0, top + first + number * rest, 0, rest) for number in range(self._n_lines - 1))
        return [QRectF(0, top, 0, first), *others]

    def _tick_bar(self) -> QRectF:
        return QRectF(self._row.start, self.height() - 9, self._row.room, 5)

    # drawing

    def draw(self, painter: QPainter) -> None:
        tokens, row, look = self.tokens, self._row, self.look
        if tokens is None:
            return
        if self.is_dirty(QRectF(0, 0, row.start, self.height())):
            self._draw_names(painter)
        painter.setClipRect(QRectF(row.start, 0, self.width() - row.start, self.height()))
        highlighted, chips = self._own_highlighted(), []
        for at, box in ((at, self._box(at)) for at in row.in_sight()):
            if self.is_dirty(box.adjusted(-2, -2, 2, 2)):
                segment = tokens.segment_ids[at] if tokens.has_segments else "–"
                number = tokens.ids[at] if tokens.has_ids else "–"
                texts = (self._label(at), *map(str, (number, segment, tokens.position_ids[at])))
                chip = Chip(
                    texts=texts[: self._n_lines],
                    colour=sentence_colour(tokens, at),
                    is_highlighted=at in highlighted,
                    is_special=bool(tokens.is_special[at]),
                    edited=self.edited.get(at, frozenset()),
                    is_cut=row.chip(at)[1] >= self._widest,  # its texts may be wider
                )
                chips.append((chip, box))
        draw_chips(painter, look, chips, self._lines())
        words = left_out_text(tokens)
        if words:  # behind the last token
            pencil, box = Pencil(painter, look), self._box(len(tokens))
            pencil.box(box, "warning", rounding=6, is_broken=True)
            pencil.write(words, box, look.font(13), "warning")
        if row.overflow > 0:
            self._draw_ticks(painter, tokens, highlighted)

    def _draw_names(self, painter: QPainter) -> None:
        """Draw the names of the lines at the left, before the first the name of a run, if it has one."""
        translate = QCoreApplication.translate
        firsts = {
            "both": translate("TokenStrip", "token"),
            "queries": translate("TokenStrip", "query"),
            "keys": translate("TokenStrip", "key"),
        }
        first = firsts[self.side]
        names = (
            first if self.run_name is None else f"{self.run_name}   {first}",
            translate("TokenStrip", "id"),
            translate("TokenStrip", "segment"),
            translate("TokenStrip", "position"),
        )
        for name, line in zip(names, self._lines(), strict=False):
            box = QRectF(0, line.top(), self._row.start - 10, line.height())
            Pencil(painter, self.look).write(name, box, self.look.font(12), "secondary", RIGHT)

    def _draw_ticks(self, painter: QPainter, tokens: Tokens, highlighted: Iterable[int]) -> None:
        """Draw all tokens as ticks, a cached picture, and a frame around those in sight."""
        row, bar, look = self._row, self._tick_bar(), self.look
        pitch = bar.width() / max(1, len(tokens))

        def draw(painter: QPainter) -> None:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            for token in range(len(tokens)):
                tick = QRectF(token * pitch, 0, max(1.0, pitch * 0.7), bar.height())
                painter.fillRect(tick, look.colour(sentence_colour(tokens, token), 0.55))

        painter.save()
        painter.translate(bar.topLeft())
        self._ticks.draw(painter, bar.size().toSize(), (tokens,), draw)
        painter.restore()
        for token in highlighted:
            tick = QRectF(bar.left() + token * pitch, bar.top() - 1, max(2.0, pitch), bar.height() + 2)
            painter.fillRect(tick, look.colour("text"))
        frame = QRectF(bar.left() + bar.width() * row.offset / row.length, bar.top() - 2, 0, bar.height() + 4)
        frame.setWidth(max(8.0, bar.width() * row.room / row.length))
        Pencil(painter, look).box(frame, "accent", fill=look.colour("accent", 0.18), rounding=3)

    def _scroll_to(self, offset: float) -> None:
        self._row.scroll_to(offset)
        self.update()

    # gestures

    def _scroll_to_tick(self, x: float) -> None:
        """Bring what the ticks show at `x` into the middle."""
        bar = self._tick_bar()
        self._scroll_to((x - bar.left()) / bar.width() * self._row.length - self._row.room / 2)

    def _pair_at(self, token: int) -> tuple[int | None, int | None]:
        """Return the query and the key where a drag ends at `token`: one of them is of the other text."""
        pinned, first = self._selection.pinned, self._pressed
        if self.side != "both":
            return (token, pinned.key) if self.side == "queries" else (pinned.query, token)
        return (token, None) if first is None or first == token else (first, token)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._scrolls:
            self._scroll_to_tick(event.position().x())
            return
        token = self.token_at(event.position().x())
        self.setToolTip(wrapped(sink_words(self.sinks.get(token, ()) if token is not None else ())))
        if token is None:
            self._selection.leave()
        else:
            self._selection.hover(*self._pair_at(token))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._row.overflow > 0 and event.position().y() >= self._tick_bar().top() - 4:
            self._scrolls = True
            self._scroll_to_tick(event.position().x())
        elif event.button() == Qt.MouseButton.LeftButton:
            self._pressed = self.token_at(event.position().x())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Pin the token, or the pair; let go beside the tokens nothing is pinned."""
        token, is_scroll = self.token_at(event.position().x()), self._scrolls
        pair = None if token is None or self._pressed is None else self._pair_at(token)
        self._pressed, self._scrolls = None, False
        if pair is not None and not is_scroll:
            self._selection.pin(*pair)

    def leaveEvent(self, event: QEvent) -> None:
        self._selection.leave()

    def wheelEvent(self, event: QWheelEvent) -> None:
        delta = event.angleDelta()
        self._scroll_to(self._row.offset - (delta.x() or delta.y()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None or self.tokens is None:
            event.ignore()
            return
        query, key = self._selection.pinned.query, self._selection.pinned.key
        is_alone = self.side == "both"
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        is_key = is_shifted if is_alone else self.side == "keys"
        now = query if not is_key or (is_alone and key is None) else key
        token = 0 if now is None else min(max(now + step, 0), len(self.tokens) - 1)
        if token == now or (is_alone and is_key and query is None):
            return
        if is_key:
            self._selection.walk_to(query, token)
        else:
            self._selection.walk_to(token, None if is_alone else key)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()
        self._scroll_to(self._row.offset)

    @Slot()
    def _on_selection_changed(self) -> None:
        n_tokens = len(self.tokens) if self.tokens is not None else 0
        highlighted = frozenset(token for token in self._own_highlighted() if token < n_tokens)
        update = self.update_following
        # Only the chips that change are drawn again: all of them would take a third of a frame.
        for token in highlighted ^ self._highlighted:
            if token < n_tokens:
                update(self._box(token).adjusted(-2, -2, 2, 2).toAlignedRect())
        if self._row.overflow > 0:
            update(self._tick_bar().adjusted(-2, -3, 2, 3).toAlignedRect())
        self._highlighted = highlighted
        shown = self._selection.shown
        chosen = shown.key if self.side == "keys" else shown.query
        if chosen is not None and chosen < n_tokens and not self.underMouse() and self._row.reveal(chosen):
            self.update_later()

    def _on_look_changed(self) -> None:
        self._fit()
        self._lay_out()
        super()._on_look_changed()


class OtherStrip(TokenStrip):
    """Shown while two runs are compared that read different tokens; `selection` is run B's."""

    run_name: Run = "B"

    def __init__(
        self, look: Look, selection: Selection, comparison: Comparison, workspace: Workspace
    ) -> None:
        super().__init__(look, selection)
        self._comparison = comparison
        self._workspace = workspace
        self.set_brief(True)
        comparison.shown_changed.connect(self.refresh)
        workspace.shown_changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the tokens of run B, if they are not those of run A."""
        shown, other = self._workspace.shown, self._comparison.shown
        if shown is None or other is None:
            self.hide()
            return
        own, tokens = shown.result.trace.tokens, other.result.trace.tokens
        is_other = own.labels != tokens.labels or not all(
            np.array_equal(getattr(own, name), getattr(tokens, name))
            for name in ("ids", "segment_ids", "position_ids")
        )
        if is_other:
            self.show_tokens(tokens, sink_layers(other.overview.sinks))
            self.show_edits(edited_lines(other.result.request.edits))
        set_shown(self, is_other)


class KeyStrip(TokenStrip):
    """The tokens that those of run A look at, where these are of another text: in cross-attention."""

    def __init__(self, look: Look, selection: Selection) -> None:
        super().__init__(look, selection)
        self.set_side("keys")
        self.set_brief(True)
        self.hide()

    def show_keys(self, trace: Trace) -> None:
        """Show the keys of a run, if they are of another text."""
        if trace.is_cross:
            self.show_tokens(trace.key_tokens)
        set_shown(self, trace.is_cross)
