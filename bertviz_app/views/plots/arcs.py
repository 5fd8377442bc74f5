"""`ArcsPlot`: words as a plot, with arcs from the one that is pointed at, reached by a key, or marked."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QScrollArea

from bertviz_app.views.kit.arcs import Arcs, WordArcs
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.widgets import scrolled
from bertviz_app.views.plots.picture import PaintedPlot, Painting
from bertviz_app.views.plots.plot import Line


class ArcsPlot(PaintedPlot[int]):
    """Draws the arcs that `arcs_of(word)` returns; its parts are the words from which arcs start.

    `lines_of_word(word)`: what is read out of a word. The plot is as high as its lines of words need, and
    scrolled by `area` around it.
    """

    shows_words = True
    reads_at_pointer = False

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.words = WordArcs(look)
        self.arcs_of: Callable[[int], Sequence[Arcs]] = lambda word: ()
        self.lines_of_word: Callable[[int], Sequence[Line]] = lambda word: ()
        self.marked: int | None = None
        self._drawn: tuple[int | None, Sequence[Arcs]] = (None, ())
        self._painting = _ArcsPainting(self)
        self.area: QScrollArea = scrolled(self)

    def show_words(
        self,
        words: Sequence[str],
        sources: Sequence[str] | None = None,
        special: frozenset[str] = frozenset(),
    ) -> None:
        """Lay out other words; `sources` are those from which arcs start, where they are of another text."""
        self.words.show_words(words, sources, special)
        self._drawn, self.marked = (None, ()), None
        self.resized()
        self.forget_part()

    def mark(self, word: int | None) -> None:
        """Draw the arcs of this word while no other one is pointed at."""
        self.marked = word if word is not None and word < self.count else None
        self.show_arcs()

    def show_arcs(self) -> None:
        """Read the arcs of the word that is meant now; never done while painting."""
        at = self.part if self.part is not None else self.marked
        self._drawn = at, () if at is None else tuple(self.arcs_of(at))
        self.viewport().update()

    def resized(self) -> None:
        self.words.fit(self.width(), self.area.viewport().height())
        self.setMinimumHeight(math.ceil(self.words.height))
        self.viewport().update()

    def recolour(self) -> None:
        self.resized()
        self.show_arcs()

    def draw_words(self, painter: QPainter) -> None:
        at, arcs = self._drawn
        self.words.draw(painter, arcs, at)

    # its parts are the words from which arcs start

    @property
    def count(self) -> int:
        return len(self.words.source_boxes)

    @property
    def first(self) -> int | None:
        return self.marked if self.part is None else self.part

    def rect_of(self, part: int) -> QRectF:
        return self.words.source_boxes[part]

    def part_at(self, at: QPointF) -> int | None:
        return self.words.word_at(at - self.box.sceneBoundingRect().topLeft())

    def beside(self, part: int | None, rows: int, columns: int) -> int | None:
        return (0 if self.count else None) if part is None else self.words.beside(part, rows, columns)

    def lines_of(self, part: int) -> Sequence[Line]:
        return self.lines_of_word(part)

    def mark_part(self, part: int | None) -> None:
        self.show_arcs()

    # in print

    def set_printed(self, *, is_printed: bool) -> None:
        """Draw for print, which looks as on screen."""

    @property
    def printed_height(self) -> float:
        """The height of all lines of words, with room for their arcs."""
        return self.words.full_height

    @property
    def lacks_room(self) -> bool:
        """Whether it is too low for all lines of words."""
        return bool(self.height() < math.floor(self.words.height))


class _ArcsPainting(Painting[ArcsPlot]):
    """The words and the arcs."""

    def draw(self, painter: QPainter) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._plot.draw_words(painter)
