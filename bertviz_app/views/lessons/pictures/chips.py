"""Tokens as large chips, which wrap into rows: with their three numbers, or as the words of a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QSizePolicy, QWidget

from bertviz_app.learning.lessons.lesson import Part
from bertviz_app.text import Tokens
from bertviz_app.text.edits import MASKS
from bertviz_app.viewmodels.learning.pictures import LessonPictures
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.layouts import in_column
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.lessons.pictures.lesson_picture import LessonPicture

PIECE, NUMBER, NAME = 30.0, 17.0, 14.0
_SIZES = (40.0, 36.0, PIECE, 28.0, 26.0, 24.0)
_LEAST = 18.0
_IN_WORD, _BETWEEN, _ROWS = 3.0, 14.0, 18.0
_AROUND = 14.0
_ROUND = 8.0
_MASKED = 0.55
"""The size of [MASK] over a hidden word, over that of the word."""
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
        self.sinks: Mapping[int, tuple[int, ...]] = {}
        self.part: Part | None = None
        self._size = PIECE
        self._places: list[QRectF] = []
        self._names: list[QPointF] = []
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setAccessibleName(self.tr("Tokens"))
        selection.changed.connect(self.update_following)

    def show_tokens(self, tokens: Tokens, part: Part | None, written: Mapping[int, str]) -> None:
        """Show tokens; `written` has what the text has in the place of those that are hidden."""
        self.tokens, self.part, self.written = tokens, part, written
        self._lay_out()
        self.updateGeometry()
        self.setAccessibleDescription(self._description(tokens))
        self.update()

    def _description(self, tokens: Tokens) -> str:
        if not self._has_numbers:
            return " ".join(tokens.labels)
        words = self.tr("{0}: token ID {1}, segment {2}, position {3}")
        numbers = zip(tokens.labels, tokens.ids, tokens.segment_ids, tokens.position_ids, strict=True)
        return ". ".join(words.format(*each) for each in numbers)

    # where things lie

    def token_under(self, at: QPoint) -> int | None:
        """Return the token whose chip is at a point, None beside them."""
        return next((token for token, box in enumerate(self._places) if box.contains(QPointF(at))), None)

    def term_at(self, at: QPoint) -> str:
        """Return the term of the glossary that explains what is at a point."""
        return "" if self.token_under(at) is None else "token"

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
        firsts = {box.top(): box.left() for box in reversed(self._places)}
        self._names = [QPointF(left - self._start(), top) for top, left in firsts.items()]

    def _size_for(self, width: float) -> float:
        """Return the size of letters with the fewest rows, the largest of those that are large enough."""
        heights = {size: self._laid_out(width, size)[1] / self._height(size) for size in _SIZES}
        return next(size for size in _SIZES if heights[size] < min(heights.values()) + 0.5)

    def _laid_out(self, width: float, size: float) -> tuple[list[QRectF], float]:
        """Return the chips in a width, their rows centred, and the height of all rows."""
        tokens = self.tokens
        if tokens is None:
            return [], 80.0
        start, high = self._start(), self._height(size)
        rows: list[list[QRectF]] = [[]]
        x, y = 0.0, 2.0
        for word in _words(tokens, self._widths(tokens, size)):
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

    def _start(self) -> float:
        """Return where the first chip may begin: behind the names of the rows of numbers."""
        if not self._has_numbers:
            return 2.0
        metrics = QFontMetricsF(self.look.font(NAME, bold=True))
        return max(metrics.horizontalAdvance(name) for name in self._row_names()) + 16

    def _widths(self, tokens: Tokens, size: float) -> list[float]:
        pieces = QFontMetricsF(self.look.font(size, bold=True))
        numbers = QFontMetricsF(self.look.number_font(NUMBER, bold=True))
        # A word that is hidden or shown again keeps its width, so that nothing else moves.
        hidden = _MASKED * pieces.horizontalAdvance("[MASK]")
        least = numbers.horizontalAdvance("00000") if self._has_numbers else hidden
        words = (self.written.get(token, label) for token, label in enumerate(tokens.labels))
        return [max(least, pieces.horizontalAdvance(word)) + 2 * _AROUND for word in words]

    def _height(self, size: float) -> float:
        piece = self.look.pixels(1.5 * size) + _AROUND
        return piece + (3 * self._number_height() + 10 if self._has_numbers else 0)

    def _number_height(self) -> float:
        return self.look.pixels(1.55 * NUMBER)

    def _row_names(self) -> list[str]:
        return [self.tr("token ID"), self.tr("segment"), self.tr("position")]

    # drawing

    def draw(self, painter: QPainter) -> None:
        if self.tokens is None:
            return
        if self._has_numbers:
            for at in self._names:
                box = QRectF(at.x(), at.y(), self._start() - 12, self._height(self._size))
                for row, name in enumerate(self._row_names()):
                    is_highlighted = self.part == _PARTS[row]
                    painter.setFont(self.look.font(NAME, bold=is_highlighted))
                    painter.setPen(self.look.colour("accent" if is_highlighted else "secondary"))
                    side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
                    painter.drawText(self._number_row(box, row), side, name)
        for token in range(len(self._places)):
            self._draw_chip(painter, self.tokens, token)

    def _number_row(self, box: QRectF, row: int) -> QRectF:
        high = self._number_height()
        return QRectF(box.left(), box.bottom() - 6 - (3 - row) * high, box.width(), high)

    def _draw_chip(self, painter: QPainter, tokens: Tokens, token: int) -> None:
        look, box = self.look, self._places[token]
        is_hidden = tokens.pieces[token] in MASKS
        colour = "warning" if tokens.is_unknown[token] else _colour(tokens, token)
        is_highlighted = token in self._selection.highlighted
        painter.setPen(
            QPen(look.colour("accent" if is_highlighted else colour), 2.5 if is_highlighted else 1.5)
        )
        painter.setBrush(look.colour(colour, 0.22 if is_hidden or is_highlighted else 0.08))
        painter.drawRoundedRect(box, _ROUND, _ROUND)
        piece = QRectF(
            box.left(), box.top() + 4, box.width(), self.look.pixels(1.5 * self._size) + _AROUND - 6
        )
        painter.setFont(look.font(self._size, bold=True))
        painter.setPen(look.colour("secondary" if tokens.is_special[token] and not is_hidden else "text"))
        if token in self.written:
            piece.setBottom(piece.bottom() - 0.42 * piece.height())
            self._draw_written(painter, box, piece.bottom(), self.written[token])
            painter.setFont(look.font(_MASKED * self._size, bold=True))
            painter.setPen(look.colour("accent"))
        painter.drawText(piece, Qt.AlignmentFlag.AlignCenter, tokens.labels[token])
        if self._has_numbers:
            self._draw_numbers(painter, tokens, token, box)

    def _draw_written(self, painter: QPainter, box: QRectF, top: float, word: str) -> None:
        """Write the word that is hidden, small and struck out, below the mask."""
        font = QFont(self.look.font(0.5 * self._size))
        font.setStrikeOut(True)
        painter.setFont(font)
        painter.setPen(self.look.colour("secondary"))
        room = QRectF(box.left(), top, box.width(), 0.6 * self.look.pixels(1.5 * self._size))
        painter.drawText(room, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop, word)

    def _draw_numbers(self, painter: QPainter, tokens: Tokens, token: int, box: QRectF) -> None:
        numbers = tokens.ids[token], tokens.segment_ids[token], tokens.position_ids[token]
        for row, number in enumerate(numbers):
            room, is_highlighted = self._number_row(box, row), self.part == _PARTS[row]
            if is_highlighted:
                painter.fillRect(room.adjusted(2, 0, -2, 0), self.look.colour("accent", 0.14))
            painter.setFont(self.look.number_font(NUMBER, bold=is_highlighted))
            painter.setPen(self.look.colour("text" if is_highlighted or self.part is None else "secondary"))
            painter.drawText(room, Qt.AlignmentFlag.AlignCenter, str(number))

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


def _continues(tokens: Tokens, token: int) -> bool:
    """Return whether a token is a piece of the same word as the one before it."""
    word, sentence = tokens.words[token], tokens.sentences[token]
    return bool(word >= 0 and word == tokens.words[token - 1] and sentence == tokens.sentences[token - 1])


def _colour(tokens: Tokens, token: int) -> str:
    return {0: "accent", 1: "sentence_b"}.get(int(tokens.sentences[token]), "special")


def _words(tokens: Tokens, widths: list[float]) -> list[list[float]]:
    """Return the widths of the tokens of each word."""
    words: list[list[float]] = []
    for token, width in enumerate(widths):
        if token and _continues(tokens, token):
            words[-1].append(width)
        else:
            words.append([width])
    return words


class ChipsPicture(LessonPicture):
    """The chips of the text, and what its special tokens and its pieces are."""

    def __init__(self, look: Look, pictures: LessonPictures, selection: Selection) -> None:
        super().__init__(pictures)
        self.chips = Chips(look, selection)
        self.legend = named(QLabel(textFormat=Qt.TextFormat.RichText), "pictureNote")
        page = named(QWidget(), "clear")
        legend = (self.legend, 0, Qt.AlignmentFlag.AlignHCenter)
        in_column(2, self.chips, legend, 3, of=page, margins=(24, 16, 24, 16), spacing=24)
        area = QScrollArea(widgetResizable=True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidget(page)
        in_column(area, of=self, margins=0)
        self.setFocusProxy(self.chips)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the tokens of the text that is typed."""
        tokens, scene = self._pictures.tokens, self._pictures.scene
        if tokens is None or scene is None or scene.picture != "chips":
            return
        self.chips.show_tokens(tokens, scene.part, {})
        notes = (f"<b>{name.replace('<', '&lt;')}</b> &nbsp;{words}" for name, words in notes_on(tokens))
        self.legend.setText("<br>".join(notes))


def notes_on(tokens: Tokens) -> list[tuple[str, str]]:
    """Return what each kind of special token in a text is, and what a piece of a word is."""
    translate = QCoreApplication.translate
    names = tokens.special_names
    found = [
        (
            names.first,
            translate("ChipsPicture", "added in front of every text; it can stand for the whole text"),
        ),
        (names.separator, translate("ChipsPicture", "added at the end of each sentence")),
        ("[UNK]", translate("ChipsPicture", "in the place of what the vocabulary cannot write")),
        ("[MASK]", translate("ChipsPicture", "in the place of a token that is hidden from the model")),
    ]
    there = [(name, words) for name, words in found if name in tokens.labels]
    if any(label.startswith("##") for label in tokens.labels):
        there.append(
            ("##", translate("ChipsPicture", "a piece that continues the one before it, without a space"))
        )
    return there
