"""Tokens as large chips, with their numbers or as the words of a sentence; and how a word is cut."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from types import MappingProxyType

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QWidget

from bertviz_app.features.lessons.course.lesson import Part, Scene
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    DrawnPlot,
    LessonPicture,
    growth,
)
from bertviz_app.text import Tokens
from bertviz_app.text.edits import MASKS
from bertviz_app.text.tokens import written_at
from bertviz_app.text.why_cut import WhyCut
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.look import LEFT, RIGHT, Look, Pencil, in_column, named

PIECE = 30.0
_SIZES = (40.0, 36.0, PIECE, 28.0, 26.0, 24.0)
_LEAST = 15.0
_USUAL = 880.0
"""The width from which chips are larger than these."""
_NUMBER, _NAME = 0.5, 0.42
"""The sizes of numbers, and of the names of their rows, over that of the pieces; at least `_LEAST_NUMBER`."""
_LEAST_NUMBER = 12.0
_HIGHEST, _BESIDE = 16_777_215, 60
"""The height that Qt gives a widget at most; pixels around and between two lists of chips."""
_IN_WORD, _BETWEEN, _ROWS = 3.0, 14.0, 18.0
_AROUND = 14.0
_ROUND = 8.0
_MASKED = 0.55
"""The size of [MASK] over a hidden word, over that of the word."""
_AT_TOP = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
_PARTS: tuple[Part, ...] = ("ids", "segments", "positions")


class Chips(Canvas):
    """The chips. A click pins a token, arrows walk them; a double click, or Delete, is left to who listens.

    `part` is the row of numbers that is highlighted. `has_numbers`: else there are the pieces alone.
    """

    shows_words = True

    double_clicked = Signal(int)
    menu_requested = Signal(int, QPoint)

    def __init__(self, look: Look, selection: Selection, *, has_numbers: bool = True) -> None:
        super().__init__(look)
        self._selection = selection
        self._has_numbers = has_numbers
        self.tokens: Tokens | None = None
        self.written: Mapping[int, str] = {}
        self.marked: Mapping[int, str] = {}
        self.part: Part | None = None
        self._size = PIECE
        self._places: list[QRectF] = []
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(self.tr("Tokens"))
        selection.changed.connect(self.update_following)

    def show_tokens(
        self,
        tokens: Tokens,
        part: Part | None,
        written: Mapping[int, str],
        marked: Mapping[int, str] = MappingProxyType({}),
    ) -> None:
        """Show tokens; `written` has what the text has in the place of those that are hidden or unknown.

        Those that are `marked` have a frame in a colour of the palette.
        """
        self.tokens, self.part, self.written, self.marked = tokens, part, written, marked
        self._lay_out()
        self.updateGeometry()
        description = " ".join(tokens.labels)
        if self._has_numbers:
            words = self.tr("{0}: token ID {1}, segment {2}, position {3}")
            numbers = zip(tokens.labels, tokens.ids, tokens.segment_ids, tokens.position_ids, strict=True)
            description = ". ".join(words.format(*each) for each in numbers)
        self.setAccessibleDescription(description)
        self.update()

    # where things lie

    def token_under(self, at: QPoint) -> int | None:
        """Return the token whose chip is at a point, None beside them."""
        return next((token for token, box in enumerate(self._places) if box.contains(QPointF(at))), None)

    def term_at(self, at: QPoint) -> str:
        """Return the term of the glossary that explains what is at a point."""
        return "" if self.token_under(at) is None else "token"

    @property
    def is_in_one_row(self) -> bool:
        """Whether all chips stand beside each other."""
        return len({box.top() for box in self._places}) == 1

    def chip(self, token: int) -> QRectF:
        """Return where the chip of a token is."""
        return self._places[token]

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return math.ceil(self._laid_out(width, self._size_for(width))[1])

    def sizeHint(self) -> QSize:
        return QSize(400, self.heightForWidth(max(self.width(), 400)))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 80)

    def _lay_out(self) -> None:
        """Place the chips: a little smaller where that saves a row, and smaller still for the height."""
        self._size = self._size_for(self.width())
        self._places, height = self._laid_out(self.width(), self._size)
        while height > self.height() > 0 and self._size > _LEAST:
            self._size -= 2.0
            self._places, height = self._laid_out(self.width(), self._size)

    def _size_for(self, width: float) -> float:
        """Return the size of letters with the fewest rows, the largest of those that are large enough."""
        sizes = [growth(self.look, width / _USUAL) * size for size in _SIZES]
        heights = {size: self._laid_out(width, size)[1] / self._height(size) for size in sizes}
        return next(size for size in sizes if heights[size] < min(heights.values()) + 0.5)

    def _laid_out(self, width: float, size: float) -> tuple[list[QRectF], float]:
        """Return the chips in a width, their rows centred, and the height of all rows."""
        tokens = self.tokens
        if tokens is None:
            return [], 80.0
        start, high = self._start(size), self._height(size)
        rows: list[list[QRectF]] = [[]]
        x, y = 0.0, 2.0
        widths, words, sentences = self._widths(tokens, size), tokens.words, tokens.sentences
        is_piece = (words[1:] >= 0) & (words[1:] == words[:-1]) & (sentences[1:] == sentences[:-1])
        begins = [0, *(np.flatnonzero(~is_piece) + 1).tolist()]
        for first, end in pairwise([*begins, len(tokens)]):
            word = widths[first:end]
            whole = sum(word) + _IN_WORD * (len(word) - 1)
            if rows[-1] and start + x + whole > width - 2:  # the pieces of a word stay together
                rows.append([])
                x, y = 0.0, y + high + _ROWS
            for wide in word:
                rows[-1].append(QRectF(start + x, y, wide, high))
                x += wide + _IN_WORD
            x += _BETWEEN - _IN_WORD
        found: list[QRectF] = []
        for row in rows:
            free = width - 2 - (row[-1].right() if row else start)
            found += [box.translated(max(0.0, free / 2), 0) for box in row]
        return found, y + high + 2

    def _start(self, size: float) -> float:
        """Return where the first chip may begin: behind the names of the rows of numbers."""
        if not self._has_numbers:
            return 2.0
        metrics = QFontMetricsF(self.look.font(max(_LEAST_NUMBER, _NAME * size), bold=True))
        return max(metrics.horizontalAdvance(name) for name in self._row_names()) + 16

    def _widths(self, tokens: Tokens, size: float) -> list[float]:
        pieces = QFontMetricsF(self.look.font(size, bold=True))
        numbers = QFontMetricsF(self.look.number_font(max(_LEAST_NUMBER, _NUMBER * size), bold=True))
        # A word that is hidden or shown again keeps its width, so that nothing else moves.
        hidden = _MASKED * pieces.horizontalAdvance("[MASK]")
        least = numbers.horizontalAdvance("00000") if self._has_numbers else hidden
        words = (self.written.get(token, label) for token, label in enumerate(tokens.labels))
        return [max(least, pieces.horizontalAdvance(word)) + 2 * _AROUND for word in words]

    def _height(self, size: float) -> float:
        piece = self.look.pixels(1.5 * size) + _AROUND
        return piece + (3 * self._number_height(size) + 10 if self._has_numbers else 0)

    def _number_height(self, size: float) -> float:
        return self.look.pixels(1.55 * max(_LEAST_NUMBER, _NUMBER * size))

    def _row_names(self) -> list[str]:
        return [self.tr("token ID"), self.tr("segment"), self.tr("position")]

    # drawing

    def draw(self, painter: QPainter) -> None:
        if self.tokens is None:
            return
        pencil = Pencil(painter, self.look)
        if self._has_numbers:
            firsts = {box.top(): box for box in reversed(self._places)}  # of each row of chips
            start = self._start(self._size)
            for first in firsts.values():
                box = QRectF(first.left() - start, first.top(), start - 12, first.height())
                for row, name in enumerate(self._row_names()):
                    is_meant = self.part == _PARTS[row]
                    font = self.look.font(max(_LEAST_NUMBER, _NAME * self._size), bold=is_meant)
                    ink = "accent" if is_meant else "secondary"
                    pencil.write(name, self._number_row(box, row), font, ink, RIGHT)
        for token in range(len(self._places)):
            self._draw_chip(pencil, self.tokens, token)

    def _number_row(self, box: QRectF, row: int) -> QRectF:
        high = self._number_height(self._size)
        return QRectF(box.left(), box.bottom() - 6 - (3 - row) * high, box.width(), high)

    def _draw_chip(self, pencil: Pencil, tokens: Tokens, token: int) -> None:
        look, box, size = self.look, self._places[token], self._size
        is_hidden, is_meant = tokens.pieces[token] in MASKS, token in self._selection.highlighted
        colour = {0: "accent", 1: "sentence_b"}.get(int(tokens.sentences[token]), "special")
        colour = "warning" if tokens.is_unknown[token] else colour
        fill = look.colour(colour, 0.22 if is_hidden or is_meant else 0.08)
        line, width = ("accent", 2.5) if is_meant else (colour, 1.5)
        if token in self.marked:
            line, width, fill = self.marked[token], 3.5, look.colour(self.marked[token], 0.16)
        pencil.box(box, line, width, fill=fill, rounding=_ROUND)
        high = look.pixels(1.5 * size)
        piece = QRectF(box.left(), box.top() + 4, box.width(), high + _AROUND - 6)
        font = look.font(size, bold=True)
        ink = "secondary" if tokens.is_special[token] and not is_hidden else "text"
        if token in self.written:  # what the model does not see, small and struck out, below what it sees
            piece.setBottom(piece.bottom() - 0.48 * piece.height())
            struck = QFont(look.font(0.5 * size))
            struck.setStrikeOut(True)
            below = QRectF(box.left(), piece.bottom(), box.width(), 0.6 * high)
            pencil.write(self.written[token], below, struck, "secondary", _AT_TOP)
            font, ink = look.font(_MASKED * size, bold=True), "accent" if is_hidden else colour
        pencil.write(tokens.labels[token], piece, font, ink)
        numbers = tokens.ids[token], tokens.segment_ids[token], tokens.position_ids[token]
        for row, number in enumerate(numbers if self._has_numbers else ()):
            room, is_meant = self._number_row(box, row), self.part == _PARTS[row]
            if is_meant:
                pencil.box(room.adjusted(2, 0, -2, 0), fill=look.colour("accent", 0.14))
            ink = "text" if is_meant or self.part is None else "secondary"
            font = look.number_font(max(_LEAST_NUMBER, _NUMBER * size), bold=is_meant)
            pencil.write(str(number), room, font, ink)

    # gestures

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        token = self.token_under(event.position().toPoint())
        if token is None:
            self._selection.leave()
        else:
            self._selection.hover(query=token)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        token = self.token_under(event.position().toPoint())
        if token is not None and event.button() == Qt.MouseButton.LeftButton:
            self._selection.pin(query=token)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        token = self.token_under(event.position().toPoint())
        if token is not None:
            self.double_clicked.emit(token)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        is_by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        token = self._selection.pinned.query if is_by_key else self.token_under(event.pos())
        if token is not None and token < len(self._places):
            self.menu_requested.emit(token, event.globalPos())

    def leaveEvent(self, event: QEvent) -> None:
        self._selection.leave()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, now = Qt.Key(event.key()), self._selection.pinned.query
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(key)
        if key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and now is not None:
            self.double_clicked.emit(now)
            return
        if step is None or not self._places or event.modifiers():
            event.ignore()
            return
        token = 0 if now is None else min(max(now + step, 0), len(self._places) - 1)
        if token != now:
            self._selection.walk_to(token)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._lay_out()

    @Slot()
    def _on_look_changed(self) -> None:
        self._lay_out()
        super()._on_look_changed()


class Threads(Canvas):
    """Lines between the same tokens in two rows of chips, one above it and one below it."""

    def __init__(self, look: Look, above: Chips, below: Chips) -> None:
        super().__init__(look)
        self._chips = above, below
        self.setMinimumHeight(look.pixels(90))

    def draw(self, painter: QPainter) -> None:
        above, below = self._chips
        if above.tokens is None or below.tokens is None or not (above.is_in_one_row and below.is_in_one_row):
            return
        pencil, free = Pencil(painter, self.look), list(range(len(below.tokens)))
        for token, number in enumerate(above.tokens.ids.tolist()):
            same = next((at for at in free if int(below.tokens.ids[at]) == number), None)
            if same is None:
                continue
            free.remove(same)
            start, end = above.chip(token).center().x(), below.chip(same).center().x()
            moved = int(above.tokens.position_ids[token]) != int(below.tokens.position_ids[same])
            ink, width = ("accent", 3.0) if moved else ("rule", 2.0)
            pencil.line(QPointF(start, 2), QPointF(end, self.height() - 2), ink, width)


class ChipsPicture(LessonPicture):
    """The chips of the text, and what its special tokens are, or the same words in another order."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.chips, self.other = Chips(look, pictures.selection), Chips(look, Selection())
        self.threads = Threads(look, self.chips, self.other)
        self.legend = named(QLabel(textFormat=Qt.TextFormat.RichText), "pictureNote")
        page = named(QWidget(), "clear")
        legend = (self.legend, 0, Qt.AlignmentFlag.AlignHCenter)
        orders = in_column(self.chips, self.threads, self.other, spacing=4)
        in_column(2, orders, legend, 3, of=page, margins=AROUND, spacing=24)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(page)
        in_column(area, of=self, margins=0)
        self.setFocusProxy(self.chips)

    def show_scene(self, scene: Scene) -> None:
        tokens, has_other = self.pictures.tokens, scene.part == "order"
        other = self.pictures.of_now(self.pictures.other_order) if has_other else None
        self.other.setVisible(other is not None)
        self.legend.setVisible(not has_other)
        if tokens is None:
            return
        part: Part | None = "positions" if has_other else scene.part
        unknown = {at: written_at(tokens, at) for at in np.flatnonzero(tokens.is_unknown).tolist()}
        self.chips.show_tokens(tokens, part, unknown)
        if other is not None:
            self.other.show_tokens(other, part, {})
            self.threads.update()
        self._share_height()
        notes = (f"<b>{name.replace('<', '&lt;')}</b> &nbsp;{words}" for name, words in notes_on(tokens))
        self.legend.setText("<br>".join(notes))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._share_height()

    def _share_height(self) -> None:
        """Join two rows of chips; let two lists of several rows be as small as both fit."""
        has_other = not self.other.isHidden()
        self.threads.setVisible(has_other and self.chips.is_in_one_row and self.other.is_in_one_row)
        threads = 0 if self.threads.isHidden() else self.threads.minimumHeight()
        for chips in (self.chips, self.other):
            chips.setMaximumHeight((self.height() - threads - _BESIDE) // 2 if has_other else _HIGHEST)


def notes_on(tokens: Tokens) -> list[tuple[str, str]]:
    """Return what each kind of special token in a text is, and what a piece of a word is."""
    translate, names = QCoreApplication.translate, tokens.special_names
    notes = {
        names.first: translate(
            "ChipsPicture", "added in front of every text; it can stand for the whole text"
        ),
        names.separator: translate("ChipsPicture", "added at the end of each sentence"),
        "[UNK]": translate("ChipsPicture", "in the place of what the vocabulary cannot write"),
        "[MASK]": translate("ChipsPicture", "in the place of a token that is hidden from the model"),
        "##": translate("ChipsPicture", "a piece that continues the one before it, without a space"),
    }
    there = {*tokens.labels, *(label[:2] for label in tokens.labels if label.startswith("##"))}
    return [(name, words) for name, words in notes.items() if name in there]


_LETTER, _WORDS = 34.0, 16.0
_IN_COLUMN = 9
"""So many candidates stand in one column."""
_TRY_MS, _MOST_MS = 450, 4000


class CutPlot(DrawnPlot[int]):
    """A row for each candidate, below each other; its letters stand where they stand in the word."""

    shows_words = True
    along = (1, 0)
    usual = 620, 380
    hint = 560, 320

    why: WhyCut | None = None

    def show_cut(self, why: WhyCut) -> None:
        """Show what was tried for a word, one after the other."""
        if why != self.why:
            self.why = why
            self.setAccessibleDescription(". ".join(" ".join(self.lines_of(at)) for at in range(self.count)))
            self.forget_part()
            self.play(min(_TRY_MS * self.count, _MOST_MS))

    @property
    def count(self) -> int:
        return 0 if self.why is None else len(self.why.tries)

    def lines_of(self, part: int) -> list[str]:
        assert self.why is not None
        tried = self.why.tries[part]
        return [tried.piece, self._verdict(is_found=tried.is_found)]

    def _verdict(self, *, is_found: bool) -> str:
        words: tuple[str, str] = self.tr("✓ in the vocabulary"), self.tr("✕ not in the vocabulary")
        return words[not is_found]

    def rect_of(self, part: int) -> QRectF:
        """Return where a row is: from the top of the first column, of many rows in several columns."""
        n_columns = -(-self.count // _IN_COLUMN)
        per_column = -(-self.count // n_columns)
        column, row = divmod(part, per_column)
        wide = self.room.width() / n_columns
        pitch = min(self.room.height() / per_column, self.look.pixels(1.9 * _LETTER))
        top = (self.room.height() - pitch * per_column) / 2
        return QRectF(column * wide, top + row * pitch, wide, pitch)

    def spans(self) -> Iterator[tuple[int, int]]:
        """Yield where each candidate begins and ends in the word."""
        first = 0
        for tried in () if self.why is None else self.why.tries:
            length = len(tried.piece) - (2 if first else 0)  # without its ##
            yield first, first + length
            first += length if tried.is_found else 0

    def draw_with(self, pencil: Pencil) -> None:
        why, look = self.why, self.look
        if why is None or not self.count:
            return
        n_letters, first_row, verdict = len(why.word), self.rect_of(0), look.font(_WORDS)
        measure = QFontMetricsF(verdict).horizontalAdvance
        is_said = self.count <= _IN_COLUMN  # in several columns there is room for the sign alone
        verdicts = [self._verdict(is_found=found) for found in (False, True)]
        verdicts = verdicts if is_said else [words[0] for words in verdicts]
        beside = max(map(measure, verdicts)) + look.pixels(30)
        each = (first_row.width() - beside) / n_letters / look.scale
        size = min(_LETTER, 0.5 * first_row.height() / look.scale, 1.1 * each)
        advance = QFontMetricsF(look.font(size, bold=True)).horizontalAdvance
        wide = max(map(advance, why.word)) + look.pixels(0.15 * size)
        left = max(0.0, (first_row.width() - wide * n_letters - beside) / 2)
        n_drawn, before = self.done * self.count, n_letters
        for at, (tried, (first, last)) in enumerate(zip(why.tries, self.spans(), strict=True)):
            if at >= n_drawn:
                return
            row, colour = self.rect_of(at), "right" if tried.is_found else "secondary"
            row.translate(left, 0)
            end = last + max(0.0, 1 - (n_drawn - at)) * (before - last)  # on its way from the right
            box = QRectF(row.left() + first * wide, row.top(), (end - first) * wide, row.height())
            box.adjust(-2, 0.1 * row.height(), 2, -0.1 * row.height())
            fill = look.colour(colour, 0.16 if tried.is_found else 0.05)
            pencil.box(box, colour, 3.0 if at == self.part else 2.0, fill=fill, rounding=7)
            for place, letter in enumerate(why.word):
                is_tried = first <= place < last
                cell = QRectF(row.left() + place * wide, row.top(), wide, row.height())
                name = colour if is_tried and not tried.is_found else "text"
                ink = look.colour(name, 1.0 if is_tried else 0.2)
                pencil.write(letter, cell, look.font(size, bold=is_tried), ink)
            end_of_word = row.left() + wide * n_letters + look.pixels(24)
            words = QRectF(end_of_word, row.top(), beside, row.height())
            pencil.write(verdicts[tried.is_found], words, verdict, colour, LEFT)
            before = n_letters if tried.is_found else last


class CutPicture(LessonPicture):
    """The candidates of a word, and below them the chips of the whole text."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot = CutPlot(look)
        self.chips = Chips(look, pictures.selection, has_numbers=False)
        in_column(self.title, (self.plot, 1), self.chips, of=self, margins=AROUND, spacing=16)
        self.plot.setAccessibleName(self.tr("How a word is cut. Arrows go through what is tried"))
        self.setFocusProxy(self.chips)
        pictures.selection.changed.connect(self.refresh)

    def show_scene(self, scene: Scene) -> None:
        tokens, why = self.pictures.tokens, self.pictures.of_now(self.pictures.cut)
        if tokens is None:
            return
        self.chips.show_tokens(tokens, scene.part, {})
        is_tried = why is not None and why.kind == "pieces"
        self.plot.setVisible(is_tried)
        words = self.tr(
            "“{0}”: the longest piece from the left that the vocabulary has, then the same with the rest"
        )
        if why is not None and is_tried:
            self.plot.show_cut(why)
            self.title.setText(words.format(why.word))
        else:
            self.title.setText(self.tr("Point at a word: how is it cut?"))
