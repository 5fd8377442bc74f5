"""How a word is cut: what is tried from the left, the longest first, until the vocabulary has it."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QFontMetricsF

from bertviz_app.learning.lessons.lesson import Scene
from bertviz_app.text.why_cut import WhyCut
from bertviz_app.viewmodels.learning.pictures import LessonPictures
from bertviz_app.views.kit.layouts import in_column
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.pencil import LEFT, Pencil
from bertviz_app.views.lessons.pictures.chips import Chips
from bertviz_app.views.lessons.pictures.lesson_picture import AROUND, DrawnPlot, LessonPicture, title_label

_LETTER, _WORDS = 34.0, 16.0
_TRY_MS = 450


class CutPlot(DrawnPlot[int]):
    """A row for each candidate, below each other; its letters stand where they stand in the word."""

    shows_words = True
    along = (1, 0)
    usual = (620, 380)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.why: WhyCut | None = None

    def show_cut(self, why: WhyCut) -> None:
        """Show what was tried for a word, one after the other."""
        if why != self.why:
            self.why = why
            self.setAccessibleDescription(". ".join(" ".join(self.lines_of(at)) for at in range(self.count)))
            self.forget_part()
            self.play(_TRY_MS * self.count)

    def sizeHint(self) -> QSize:
        return QSize(560, 320)

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
        pitch = min(self.room.height() / self.count, self.look.pixels(1.9 * _LETTER))
        top = (self.room.height() - pitch * self.count) / 2
        return QRectF(0, top + part * pitch, self.room.width(), pitch)

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
        size = min(_LETTER, 0.5 * self.rect_of(0).height() / look.scale)
        letters = QFontMetricsF(look.font(size, bold=True))
        wide = max(map(letters.horizontalAdvance, why.word)) + look.pixels(5)
        verdicts = QFontMetricsF(look.font(_WORDS))
        beside = max(verdicts.horizontalAdvance(self._verdict(is_found=found)) for found in (True, False))
        whole = wide * len(why.word) + look.pixels(36) + beside
        left, n_drawn = max(0.0, (self.room.width() - whole) / 2), self.done * self.count
        for at, (tried, (first, last)) in enumerate(zip(why.tries, self.spans(), strict=True)):
            if at >= n_drawn:
                return
            row, colour = self.rect_of(at), "right" if tried.is_found else "secondary"
            end = last if at or self.done == 1 else len(why.word)
            box = QRectF(left + first * wide, row.top(), (end - first) * wide, row.height())
            box.adjust(-2, 0.1 * row.height(), 2, -0.1 * row.height())
            fill = look.colour(colour, 0.16 if tried.is_found else 0.05)
            pencil.box(box, colour, 3.0 if at == self.part else 2.0, fill=fill, rounding=7)
            for place, letter in enumerate(why.word):
                is_tried = first <= place < last
                cell = QRectF(left + place * wide, row.top(), wide, row.height())
                font, ink = (
                    look.font(size, bold=is_tried),
                    look.colour(colour if is_tried else "text", 1 if is_tried else 0.2),
                )
                pencil.write(letter, cell, font, "text" if tried.is_found and is_tried else ink)
            words = QRectF(left + wide * len(why.word) + look.pixels(30), row.top(), beside + 6, row.height())
            pencil.write(self._verdict(is_found=tried.is_found), words, look.font(_WORDS), colour, LEFT)


class CutPicture(LessonPicture):
    """The candidates of a word, and below them the chips of the whole text."""

    name = "cut"

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        self.plot, self.title = CutPlot(look), title_label()
        self.chips = Chips(look, pictures.selection, has_numbers=False)
        in_column(self.title, (self.plot, 1), self.chips, of=self, margins=AROUND, spacing=16)
        self.plot.setAccessibleName(self.tr("How a word is cut. Arrows go through what is tried"))
        self.setFocusProxy(self.chips)
        pictures.selection.changed.connect(self.refresh)

    def show_scene(self, scene: Scene) -> None:
        tokens, why = self.pictures.tokens, self.pictures.cut
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
