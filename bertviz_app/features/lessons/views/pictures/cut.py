"""How a word is cut: what is tried from the left, the longest first, until the vocabulary has it."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.chips import Chips
from bertviz_app.features.lessons.views.pictures.lesson_picture import AROUND, DrawnPlot, LessonPicture
from bertviz_app.text.why_cut import WhyCut
from bertviz_app.views.kit.layouts import in_column
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.pencil import LEFT, Pencil

_LETTER, _WORDS = 34.0, 16.0
_ROWS = 9
"""So many candidates stand in one column."""
_TRY_MS, _MOST_MS = 450, 4000


class CutPlot(DrawnPlot[int]):
    """A row for each candidate, below each other; its letters stand where they stand in the word."""

    shows_words = True
    along = (1, 0)
    usual = 620, 380
    hint = 560, 320

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.why: WhyCut | None = None

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
        n_columns = -(-self.count // _ROWS)
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
        is_said = self.count <= _ROWS  # in several columns there is room for the sign alone
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
