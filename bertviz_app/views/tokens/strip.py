"""The strip of tokens, of one run or two."""

from __future__ import annotations

import math
import time
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRectF, QSize, Qt, Slot
from PySide6.QtGui import (
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy

from bertviz_app.analysis.attention.stamp import MUCH, SHORT, sink_layers
from bertviz_app.options import Run
from bertviz_app.text import Tokens
from bertviz_app.text.edits import edited_lines
from bertviz_app.trace import Trace
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.heads.signs import SINK
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.views.kit.canvas import Canvas, LaterWork, draws_pixels
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.widgets import set_shown
from bertviz_app.views.kit.words import wrapped
from bertviz_app.views.tokens.chip import PIECE_SIZE, Chip, ChipPictures, draw_chip, number_font, piece_font


class TickBar:
    """Draws the ticks from an image, made anew only when the tokens, the width or the look change."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._image: QImage | None = None
        self._colours: list[str] = []

    def set_colours(self, colours: list[str]) -> None:
        """Set the palette name of the colour of each token."""
        self._colours = colours
        self._image = None

    def forget(self) -> None:
        """Drop the image: the width or the look changed."""
        self._image = None

    def draw(
        self, painter: QPainter, bar: QRectF, highlighted: Iterable[int], shares: tuple[float, float]
    ) -> None:
        """Draw into `bar`; `shares` is where the part in sight begins and how long it is, from 0 to 1."""
        if self._image is None:
            image = self._image = QImage(bar.size().toSize(), QImage.Format.Format_ARGB32_Premultiplied)
            image.fill(Qt.GlobalColor.transparent)
            pitch = image.width() / max(1, len(self._colours))
            with QPainter(image) as on_image:
                for token, colour in enumerate(self._colours):
                    tick = QRectF(token * pitch, 0, max(1.0, pitch * 0.7), image.height())
                    on_image.fillRect(tick, self._look.colour(colour, 0.55))
        painter.drawImage(bar, self._image)
        pitch = bar.width() / max(1, len(self._colours))
        for token in highlighted:
            tick = QRectF(bar.left() + token * pitch, bar.top() - 1, max(2.0, pitch), bar.height() + 2)
            painter.fillRect(tick, self._look.colour("text"))
        frame = QRectF(bar.left() + bar.width() * shares[0], bar.top() - 2, 0, bar.height() + 4)
        frame.setWidth(max(8.0, bar.width() * shares[1]))
        painter.setBrush(self._look.colour("accent", 0.18))
        painter.setPen(QPen(self._look.colour("accent"), 1))
        painter.drawRoundedRect(frame, 3, 3)


class StripDrag:
    """A click pins a token; from one token to another the first is the query and the other the key.

    `scrolls`: the ticks below the chips are dragged.
    """

    def __init__(self, selection: Selection) -> None:
        self._selection = selection
        self._first: int | None = None
        self.scrolls = False
        self.side: Side = "both"

    def begin(self, token: int | None) -> None:
        """Note that the button went down on a token, None beside them."""
        self._first = token

    def move(self, token: int | None) -> None:
        """Highlight what the pointer is on: one token, or the pair that would be pinned here."""
        if token is None:
            self._selection.leave()
        elif self.side != "both":
            self._selection.hover(*self._with_pinned(token))
        elif self._first is not None and token != self._first:
            self._selection.hover(query=self._first, key=token)
        else:
            self._selection.hover(query=token)

    def end(self, token: int | None) -> None:
        """Pin the token, or the pair; let go beside the tokens nothing is pinned."""
        first, self._first, is_scroll = self._first, None, self.scrolls
        self.scrolls = False
        if is_scroll or first is None or token is None:
            return
        if self.side != "both":
            self._selection.pin(*self._with_pinned(token))
        elif token == first:
            self._selection.pin(query=token)
        else:
            self._selection.pin(query=first, key=token)

    def _with_pinned(self, token: int) -> tuple[int | None, int | None]:
        """Return the pair of `token` and what is pinned of the other text."""
        pinned = self._selection.pinned
        return (token, pinned.key) if self.side == "queries" else (pinned.query, token)


GAP = 4.0


class ChipRow:
    """Chips in a row from `start` on, of which `room` pixels are in sight from `offset` on."""

    def __init__(self, start: float) -> None:
        self.start = start
        self.room = 1.0
        self.offset = 0.0
        self._lefts: NDArray[np.float64] = np.zeros(1)
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
        width = (
            self._after if index == len(self) else float(self._lefts[index + 1] - self._lefts[index]) - GAP
        )
        return left, width

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


_LEFT = 72.0
"""The room for the names of the lines."""
_RIGHT = 8.0
_NARROWEST = 46.0
_WIDEST = 220.0
_TOP = 8.0
_BELOW = 14.0
_FIRST_LINE = 1.545  # its height, in heights of one of the other lines
_ALL, _BRIEF = 4, 2


class StripLayout:
    """The geometry of a strip of a certain size; `row` holds the chips and how far they are scrolled."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._size = QSize()
        self._chip_height = 0.0
        self.n_lines = _ALL
        self.row = ChipRow(look.pixels(_LEFT))

    def resize(self, size: QSize) -> None:
        """Fit the row to a strip of this size, and to the size of the fonts."""
        self._size = size
        self._chip_height = size.height() - _TOP - _BELOW
        self.row.start = self._look.pixels(_LEFT)
        self.row.room = max(1.0, size.width() - self.row.start - _RIGHT)

    def lay_out(self, labels: Sequence[str], ids: Sequence[int], left_out: str) -> None:
        """Give each token a chip as wide as its piece and its id need; `left_out` stands behind the last."""
        pieces = QFontMetricsF(piece_font(self._look))
        numbers = QFontMetricsF(number_font(self._look))
        least, most = self._look.pixels(_NARROWEST), self.widest
        widths = [
            max(pieces.horizontalAdvance(label), numbers.horizontalAdvance(str(number))) + 16
            for label, number in zip(labels, ids, strict=True)
        ]
        after = QFontMetricsF(self._look.font(13)).horizontalAdvance(left_out) + 24 if left_out else 0.0
        self.row.lay_out([math.ceil(min(max(width, least), most)) for width in widths], after)

    @property
    def enlarged(self) -> float:
        """How much larger the pieces are than usual, beside the rest of the chip."""
        return self._look.word_size(PIECE_SIZE) / PIECE_SIZE

    @property
    def widest(self) -> int:
        """The largest width of a chip."""
        return self._look.pixels(_WIDEST * self.enlarged)

    def chip(self, token: int) -> QRectF:
        """Return the box of a chip; that of what follows the last one for the number of tokens."""
        left, width = self.row.chip(token)
        return QRectF(left, _TOP, width, self._chip_height)

    def lines(self) -> list[QRectF]:
        """Return the tops and the heights of the lines of a chip; left and width are 0."""
        share = _FIRST_LINE * self.enlarged
        rest = (self._chip_height - 6) / (share + self.n_lines - 1)
        first = rest * share
        tops = [_TOP + 4, *(_TOP + 4 + first + number * rest for number in range(self.n_lines - 1))]
        return [QRectF(0, top, 0, rest if number else first) for number, top in enumerate(tops)]

    def tick_bar(self) -> QRectF:
        """Return where all tokens are shown as ticks."""
        return QRectF(self.row.start, self._size.height() - 9, self.row.room, 5)

    def offset_at(self, x: float) -> float:
        """Return how far to scroll so that what the ticks show at `x` is in the middle."""
        bar = self.tick_bar()
        return (x - bar.left()) / bar.width() * self.row.length - self.row.room / 2


_BESIDE = 40
"""The number of chips at either side of those in sight whose pictures are made in advance."""
_SLICE = 0.002
_AT_ONCE = 12


def sentence_colour(tokens: Tokens, token: int) -> str:
    """Return the name of the colour of a token: that of its sentence, or of special tokens."""
    return {0: "accent", 1: "sentence_b"}.get(int(tokens.sentences[token]), "special")


def left_out_text(tokens: Tokens) -> str:
    """Return how many tokens of the text were left out, "" if none."""
    count, translate = tokens.n_left_out, QCoreApplication.translate
    if count == 0:
        return ""
    if count == 1:
        return translate("TokenStrip", "1 token left out")
    return translate("TokenStrip", "{0} tokens left out").format(f"{count:,}")


Side = Literal["both", "queries", "keys"]

NO_SINKS: Mapping[int, tuple[int, ...]] = MappingProxyType({})


def _marked(label: str, is_sink: bool) -> str:
    """Return the first line of a chip: the piece, with a mark behind that of a sink."""
    return f"{label} {SINK}" if is_sink else label


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


@dataclass(frozen=True)
class StripMarks:
    """The tokens that are highlighted, those that the model does not read as written, and sinks."""

    highlighted: Container[int]
    edited: Mapping[int, frozenset[int]]
    sinks: Container[int]


class StripDrawing:
    """Draws parts of a strip that `layout` has laid out."""

    def __init__(self, look: Look, layout: StripLayout) -> None:
        self._look = look
        self._layout = layout
        self._pictures = ChipPictures(look)
        self._chips: dict[tuple[int, bool, frozenset[int] | None, bool], Chip] = {}
        self._chips_made_for: tuple[Tokens | None, int, tuple[float, float]] = (None, 0, (0.0, 0.0))

    def draw_names(self, painter: QPainter, run: Run | None, side: Side) -> None:
        """Draw the names of the lines at the left, before the first the name of a run, if it has one."""
        translate = QCoreApplication.translate
        firsts = {
            "both": translate("TokenStrip", "token"),
            "queries": translate("TokenStrip", "query"),
            "keys": translate("TokenStrip", "key"),
        }
        first = firsts[side]
        names = (
            first if run is None else f"{run}   {first}",
            translate("TokenStrip", "id"),
            translate("TokenStrip", "segment"),
            translate("TokenStrip", "position"),
        )
        painter.setFont(self._look.font(12))
        painter.setPen(self._look.colour("secondary"))
        for name, line in zip(names, self._layout.lines(), strict=False):
            box = QRectF(0, line.top(), self._layout.row.start - 10, line.height())
            painter.drawText(box, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, name)

    def draw_chips(
        self, painter: QPainter, boxes: Mapping[int, QRectF], tokens: Tokens, marks: StripMarks
    ) -> None:
        """Draw tokens into their boxes: each piece over its numbers."""
        chips = [(self._chip(tokens, token, marks), box) for token, box in boxes.items()]
        rows = self._layout.lines()
        if not draws_pixels(painter):
            for chip, box in chips:
                draw_chip(painter, self._look, chip, box, rows)
        else:
            self._pictures.draw(painter, chips, rows)

    def prepare(self, strip: QObject, tokens: Tokens, marks: StripMarks, ratio: float) -> None:
        """Make pictures of the chips beside those in sight of `strip` in later turns, the nearest first.

        Scrolling then finds most of what it brings into sight made.
        """
        sight = self._layout.row.in_sight()
        after = range(sight.stop, min(sight.stop + _BESIDE, len(tokens)))
        before = range(sight.start - 1, max(sight.start - 1 - _BESIDE, -1), -1)
        waiting = [token for both in zip_longest(after, before) for token in both if token is not None]
        marks = replace(marks, highlighted=())

        def make_some() -> None:
            until = time.perf_counter() + _SLICE
            while waiting and time.perf_counter() < until:
                chips = [
                    (self._chip(tokens, token, marks), self._layout.chip(token))
                    for token in waiting[:_AT_ONCE]
                    if token < len(self._layout.row)  # other tokens may be laid out since
                ]
                del waiting[:_AT_ONCE]
                self._pictures.pictures(chips, self._layout.lines(), ratio)
            if waiting:
                LaterWork.shared().add(strip, "chips", make_some)

        LaterWork.shared().add(strip, "chips", make_some)

    def _chip(self, tokens: Tokens, token: int, marks: StripMarks) -> Chip:
        of, n_lines, sizes = self._chips_made_for
        if of is not tokens or (n_lines, sizes) != (self._layout.n_lines, self._look.sizes):
            self._chips_made_for = tokens, self._layout.n_lines, self._look.sizes
            self._chips.clear()
        key = token, token in marks.highlighted, marks.edited.get(token), token in marks.sinks
        chip = self._chips.get(key)
        if chip is None:
            segment = tokens.segment_ids[token] if tokens.has_segments else "–"
            number = tokens.ids[token] if tokens.has_ids else "–"
            numbers = number, segment, tokens.position_ids[token]
            label = _marked(tokens.labels[token], token in marks.sinks)
            chip = self._chips[key] = Chip(
                texts=(label, *map(str, numbers))[: self._layout.n_lines],
                colour=sentence_colour(tokens, token),
                is_highlighted=token in marks.highlighted,
                is_special=bool(tokens.is_special[token]),
                edited=marks.edited.get(token, frozenset()),
                is_cut=self._layout.row.chip(token)[1] >= self._layout.widest,  # its texts may be wider
            )
        return chip

    def draw_left_out(self, painter: QPainter, tokens: Tokens) -> None:
        """Draw behind the last token how many were left out, if any."""
        words = left_out_text(tokens)
        if not words:
            return
        box = self._layout.chip(len(tokens))
        painter.setPen(QPen(self._look.colour("warning"), 1, Qt.PenStyle.DashLine))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, 6, 6)
        painter.setFont(self._look.font(13))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)


LINES = ("token", "token_id", "segment", "position")
"""The terms of the lines of a chip, from the top."""
_SPECIAL = {"[CLS]": "cls", "[SEP]": "sep", "[MASK]": "mask", "[UNK]": "unk", "[PAD]": "pad"}


def term_of(tokens: Tokens, token: int) -> str:
    """Return the term that explains one token of a text."""
    label = tokens.labels[token]
    if label in _SPECIAL:
        return _SPECIAL[label]
    if tokens.is_special[token]:
        return "special_token"
    if label.startswith("##"):
        return "word_piece"
    return "token"


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
        self.setAccessibleName(self.tr("Tokens"))
        self.update()

    def show_tokens(self, tokens: Tokens, sinks: Mapping[int, tuple[int, ...]] = NO_SINKS) -> None:
        """Show other tokens, from the first on; `sinks` are marked: position -> layers."""
        same_length = self.tokens is not None and len(self.tokens) == len(tokens)
        self.tokens, self.sinks = tokens, sinks
        self._highlighted = self._own_highlighted()  # all chips are drawn now, these highlighted
        self._lay_out()
        self._scroll_to(self._layout.row.offset if same_length else 0.0)
        self.setAccessibleDescription(" ".join(tokens.labels))

    def set_side(self, side: Side) -> None:
        """Have tokens that are queries, keys, or both."""
        self.side = self._drag.side = side
        self.update()

    def _own_highlighted(self) -> frozenset[int]:
        """Return which of its tokens are highlighted."""
        shown = self._selection.shown
        own = {"both": (shown.query, shown.key), "queries": (shown.query,), "keys": (shown.key,)}
        return frozenset(token for token in own[self.side] if token is not None)

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
        self._layout.n_lines = _BRIEF if is_brief else _ALL
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Return the size at which all lines can be read."""
        larger = (self._layout.enlarged - 1) * _FIRST_LINE * 17
        return QSize(400, self.look.pixels(36 + 17 * self._layout.n_lines + larger))

    # drawing

    def draw(self, painter: QPainter) -> None:
        tokens, layout, drawing = self.tokens, self._layout, self._drawing
        if tokens is None:
            return
        highlighted = self._own_highlighted()
        row, marks = layout.row, StripMarks(highlighted, self.edited, self.sinks)
        if self.is_dirty(QRectF(0, 0, row.start, self.height())):
            drawing.draw_names(painter, self.run_name, self.side)
        painter.setClipRect(QRectF(row.start, 0, self.width() - row.start, self.height()))
        boxes = {token: layout.chip(token) for token in row.in_sight()}
        dirty = {at: box for at, box in boxes.items() if self.is_dirty(box.adjusted(-2, -2, 2, 2))}
        drawing.draw_chips(painter, dirty, tokens, marks)
        drawing.draw_left_out(painter, tokens)
        if row.overflow > 0 and draws_pixels(painter):
            drawing.prepare(self, tokens, marks, self.devicePixelRatioF())
        if row.overflow > 0:
            shares = row.offset / row.length, row.room / row.length
            self._ticks.draw(painter, layout.tick_bar(), highlighted, shares)

    def _lay_out(self) -> None:
        """Lay the chips out again: other tokens are shown, or the fonts have another size."""
        tokens = self.tokens
        if tokens is not None:
            labels = [_marked(label, at in self.sinks) for at, label in enumerate(tokens.labels)]
            self._layout.lay_out(labels, tokens.ids.tolist(), left_out_text(tokens))
            self._ticks.set_colours([sentence_colour(tokens, token) for token in range(len(tokens))])

    def _scroll_to(self, offset: float) -> None:
        self._layout.row.scroll_to(offset)
        self.update()

    # gestures

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag.scrolls:
            self._scroll_to(self._layout.offset_at(event.position().x()))
        else:
            token = self.token_at(event.position().x())
            self.setToolTip(wrapped(sink_words(self.sinks.get(token, ()) if token is not None else ())))
            self._drag.move(token)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self._layout.row.overflow > 0 and event.position().y() >= self._layout.tick_bar().top() - 4:
            self._drag.scrolls = True
            self._scroll_to(self._layout.offset_at(event.position().x()))
        elif event.button() == Qt.MouseButton.LeftButton:
            self._drag.begin(self.token_at(event.position().x()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag.end(self.token_at(event.position().x()))

    def leaveEvent(self, event: QEvent) -> None:
        self._selection.leave()

    def wheelEvent(self, event: QWheelEvent) -> None:
        delta = event.angleDelta()
        self._scroll_to(self._layout.row.offset - (delta.x() or delta.y()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}
        step = steps.get(Qt.Key(event.key()))
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
        self._layout.resize(self.size())
        self._ticks.forget()
        self._scroll_to(self._layout.row.offset)

    @Slot()
    def _on_selection_changed(self) -> None:
        n_tokens = len(self.tokens) if self.tokens is not None else 0
        highlighted = frozenset(token for token in self._own_highlighted() if token < n_tokens)
        update = self.update_following
        # Only the chips that change are drawn again: all of them would take a third of a frame.
        for token in highlighted ^ self._highlighted:
            if token < n_tokens:
                update(self._layout.chip(token).adjusted(-2, -2, 2, 2).toAlignedRect())
        if self._layout.row.overflow > 0:
            update(self._layout.tick_bar().adjusted(-2, -3, 2, 3).toAlignedRect())
        self._highlighted = highlighted
        shown = self._selection.shown
        chosen = shown.key if self.side == "keys" else shown.query
        if (
            chosen is not None
            and chosen < n_tokens
            and not self.underMouse()
            and self._layout.row.reveal(chosen)
        ):
            self.update_later()

    def _on_look_changed(self) -> None:
        self._layout.resize(self.size())
        self._ticks.forget()
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
