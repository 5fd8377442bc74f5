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
from bertviz_app.views.plots.picture import PaintedPlot
from bertviz_app.views.plots.plot import DrawnBy, Line

_MOST_COLUMNS = 6  # drawings beside each other
_TITLE = 24  # the height of the title of each


class ArcsPlot(PaintedPlot[int]):
    """Draws the arcs that `arcs_of(word)` returns; its parts are the words from which arcs start.

    `lines_of_word(word)`: what is read out of a word. The plot is as high as its lines of words need, and
    scrolled by `area` around it. With `titles` the words are drawn once for each, with one of the arcs.
    """

    shows_words = True
    reads_at_pointer = False

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.words = WordArcs(look)
        self.arcs_of: Callable[[int], Sequence[Arcs]] = lambda word: ()
        self.lines_of_word: Callable[[int], Sequence[Line]] = lambda word: ()
        self.marked: int | None = None
        self.titles: tuple[str, ...] = ()
        self._n_columns = 1
        self._drawn: tuple[int | None, Sequence[Arcs]] = (None, ())
        self._painting = DrawnBy(look, self.box, self._draw_words)
        self._painting.follow(self.box)
        self.area: QScrollArea = scrolled(self)

    def show_words(
        self,
        words: Sequence[str],
        sources: Sequence[str] | None = None,
        special: frozenset[str] = frozenset(),
        titles: tuple[str, ...] = (),
    ) -> None:
        """Lay out other words; `sources` are those from which arcs start, where they are of another text."""
        self.words.show_words(words, sources, special)
        self.titles = titles
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
        room, fits = self.area.viewport().height(), []
        for n_columns in range(1, 1 + min(len(self.titles) or 1, _MOST_COLUMNS)):
            self._fit(n_columns, room)
            fits.append((self._height_needed <= room, -self.words.n_lines, self.words.size, -n_columns))
        *_, columns = max(fits)  # in the fewest lines, the largest words
        self._fit(-columns, room)
        self.setMinimumHeight(math.ceil(self._height_needed))
        self.viewport().update()

    def _fit(self, n_columns: int, room: float) -> None:
        """Lay out the words for so many drawings beside each other."""
        self._n_columns = n_columns
        self.words.fit(self.width() / n_columns, room / self._n_rows - self._title_height)

    @property
    def _n_rows(self) -> int:
        return math.ceil(len(self.titles) / self._n_columns) or 1

    @property
    def _title_height(self) -> float:
        return self.look.pixels(_TITLE) if self.titles else 0.0

    @property
    def _height_needed(self) -> float:
        return self._n_rows * (self.words.height + self._title_height)

    def _cell(self, drawing: int) -> QRectF:
        """Return where one of the drawings is, below its title."""
        row, column = divmod(drawing, self._n_columns)
        width = self.width() / self._n_columns
        height = max(self.height(), self._height_needed) / self._n_rows
        return QRectF(column * width, row * height, width, height).adjusted(0, self._title_height, 0, 0)

    def recolour(self) -> None:
        self.resized()
        self.show_arcs()

    def _draw_words(self, painter: QPainter) -> None:
        at, arcs = self._drawn
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self.titles:
            self.words.draw(painter, arcs, at)
            return
        for drawing, title in enumerate(self.titles):
            cell = self._cell(drawing)
            painter.save()
            painter.translate(cell.topLeft())
            painter.setFont(self.look.font(13, bold=True))
            painter.setPen(self.look.colour("secondary"))
            painter.drawText(QPointF(self.look.pixels(12), -self.look.pixels(6)), title)
            self.words.draw(painter, arcs[drawing : drawing + 1], at)
            painter.restore()

    # its parts are the words from which arcs start

    @property
    def count(self) -> int:
        return len(self.words.source_boxes)

    @property
    def first(self) -> int | None:
        return self.marked if self.part is None else self.part

    def rect_of(self, part: int) -> QRectF:
        return self.words.source_boxes[part].translated(self._cell(0).topLeft())

    def part_at(self, at: QPointF) -> int | None:
        at = at - self.box.sceneBoundingRect().topLeft()
        cells = map(self._cell, range(len(self.titles) or 1))
        found = (self.words.word_at(at - cell.topLeft()) for cell in cells if cell.contains(at))
        return next(found, None)

    def beside(self, part: int | None, rows: int, columns: int) -> int | None:
        return (0 if self.count else None) if part is None else self.words.beside(part, rows, columns)

    def lines_of(self, part: int) -> Sequence[Line]:
        return self.lines_of_word(part)

    def mark_part(self, part: int | None) -> None:
        self.show_arcs()

    # in print

    @property
    def printed_height(self) -> float:
        """The height of all lines of words, with room for their arcs."""
        return self._n_rows * (self.words.full_height + self._title_height)

    @property
    def lacks_room(self) -> bool:
        """Whether it is too low for all lines of words."""
        return bool(self.height() < math.floor(self._height_needed))
