"""`PicturePlot`: a plot of parts, which mouse and keys reach alike; `ArcsPlot`: one of words with arcs."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar, cast

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QWheelEvent
from PySide6.QtWidgets import QScrollArea, QWidget

from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import NOTHING, Pair
from bertviz_app.views.kit.arcs import Arcs, WordArcs
from bertviz_app.views.kit.canvas import OTHER_WINDOW
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.widgets import scrolled
from bertviz_app.views.plots.plot import ARROWS, Box, Drawing, DrawnBy, Line, Plot, stepped

Part = TypeVar("Part")
"""What names a part of a picture: (row, column) of a cell, the number of a bar or of a point."""

_MENU = Qt.FocusReason.PopupFocusReason
_MORE = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
Painted = TypeVar("Painted", bound="PicturePlot[Any]")
_AROUND = 60  # the pixels above and below a part that are brought into sight with it
_ENDS = {Qt.Key.Key_Home: 0, Qt.Key.Key_End: -1}
_PAGES = {Qt.Key.Key_PageUp: -1, Qt.Key.Key_PageDown: 1}


class PicturePlot(Plot, Generic[Part]):
    """A plot whose parts are pointed at, walked, read out and chosen; a subclass says what they are.

    It answers how many parts there are (`count`), which is at a point (`part_at`) or beside another one
    (`beside`), where one is (`extent_of`) and what it says (`lines_of`), and shows which one is meant
    (`mark_part`). What the mouse and the keys do is the same for all: the part under the pointer is read out;
    arrows, Home and End go from part to part, bring each into sight and read it out; a click and Enter choose
    one; Escape lets go.

    `part_pointed` has the part under the pointer or that the keys have come to, or None; `part_chosen` the
    one that was chosen, `part_added` one that was chosen with Ctrl or Shift where it `adds`.
    """

    walks = True

    has_ends = True
    """Whether Home and End go to the first and the last part; else they are keys of what is around it."""

    pages = False
    """Whether Page Up and Page Down go through its parts; else they are keys of what is around it."""

    along = (1, 1)
    """How many parts in their order an arrow down leads on, and one to the right; 0: it leads nowhere."""

    reads_at_pointer = True
    """Whether the read-out goes along with the pointer; else it stands beside the part."""

    adds = False
    """Whether Ctrl and Shift mean something else when a part is chosen."""

    part_pointed = Signal(object)
    part_chosen = Signal(object)
    part_added = Signal(object)

    area: QScrollArea | None = None
    """What scrolls the plot, which is as high as it must be; the wheel is left to it."""

    box: Box

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.part: Part | None = None
        """The part that is read out."""
        self.walked: Part | None = None
        """The part that the keys have come to, None where the pointer was moved since."""
        self._described = ("", "")  # what the accessible description says of the whole, and of a part
        self._notified: tuple[Part | None, Part | None] = (None, None)

    @property
    def outer(self) -> QWidget:
        """What stands in a layout: the plot, or what scrolls it."""
        return self if self.area is None else self.area

    # what a subclass answers

    @property
    def count(self) -> int:
        """How many parts there are."""
        raise NotImplementedError

    def numbered(self, number: int) -> Part:
        """Return the part with a number in their order, from 0: here the part is its number."""
        return cast("Part", number)

    def number_of(self, part: Part) -> int:
        """Return the number of a part in their order."""
        return cast("int", part)

    def part_at(self, at: QPointF) -> Part | None:
        """Return the part at a point of the plot, None where there is none."""
        raise NotImplementedError

    def extent_of(self, part: Part) -> QRectF:
        """Return where a part is, in units of the axes of the box."""
        raise NotImplementedError

    def lines_of(self, part: Part) -> Sequence[Line]:
        """Return what is read out of a part, its name first."""
        raise NotImplementedError

    def mark_part(self, part: Part | None) -> None:
        """Show which part is read out; None: none is."""

    def beside(self, part: Part | None, rows: int, columns: int) -> Part | None:
        """Return the part that an arrow key leads to from `part`: here the next one `along` their order.

        `rows`: 1 down, -1 up; `columns`: 1 to the right, -1 to the left. From none it leads to the first one.
        None: it leads nowhere.
        """
        step = rows * self.along[0] + columns * self.along[1]
        if not self.count or (part is not None and not step):
            return None
        return self.numbered(stepped(None if part is None else self.number_of(part), step, self.count))

    def leap(self, part: Part | None, rows: int, columns: int) -> Part | None:
        """Return the part that an arrow key with Ctrl leads to; None: it is a key of what is around it."""
        return None

    def place_of(self, part: Part) -> QPointF:
        """Return where a part is read out, in pixels of the plot: its middle."""
        return QPointF(self.box.mapViewToScene(self.extent_of(part).center()))

    def reveal(self, part: Part) -> None:
        """Bring a part into sight."""
        if self.area is None:
            self.box.reveal(self.extent_of(part))
        else:
            at = self.mapTo(self.area.widget(), self.place_of(part).toPoint())
            self.area.ensureVisible(at.x(), at.y(), 0, _AROUND)

    @property
    def first(self) -> Part | None:
        """The part that the arrow keys start from, and that Enter chooses before they are used."""
        return self.part

    # what is the same for all

    def read(self, part: Part | None, at: QPointF | None = None) -> None:
        """Read out a part beside a point of the plot, or beside the part itself; None: none."""
        self.part, before = part, self._notified
        self.mark_part(part)
        self._say(at)
        self._notified = part, self.walked
        whole, words = self._described
        if self.walked is None and words and self.accessibleDescription() == words:
            self.setAccessibleDescription(whole)
        if self._notified != before:  # another part, or by the keys what the pointer was at
            self.part_pointed.emit(part)

    def _say(self, at: QPointF | None) -> None:
        """Write what the part says, beside a point of the plot or beside the part itself."""
        if self.part is None:
            self.read_out.hide_lines()
        else:
            place = at if at is not None and self.reads_at_pointer else self.place_of(self.part)
            self.read_out.show_lines(self.lines_of(self.part), place)

    def read_again(self) -> None:
        """Read out the same part: its numbers are others now."""
        if self.part is not None:
            self.read(self.part, self.pointer if self.walked is None else None)

    def forget_part(self) -> None:
        """Read out what is under the pointer now: there are other parts than before."""
        self.walked, at = None, self.pointer
        self.read(None if at is None else self.part_at(at), at)

    def go_to(self, part: Part) -> None:
        """Come to a part by the keys."""
        self.reveal(part)
        self.walked = part
        self.read(part)
        words = ", ".join(line if isinstance(line, str) else " ".join(line) for line in self.lines_of(part))
        whole, before = self._described
        now = self.accessibleDescription()
        self._described = whole if now == before else now, words
        self.setAccessibleDescription(words)

    @property
    def current(self) -> Part | None:
        """The part that the keys have come to, or start from."""
        return self.first if self.walked is None else self.walked

    def on_pointed(self, at: QPointF | None) -> None:
        part = None if at is None else self.part_at(at)
        if part != self.part or self.walked is not None:
            self.walked = None
            self.read(part, at)
        elif part is not None:
            self._say(at)

    def on_range_changed(self) -> None:
        self.point_again()

    def on_clicked(self, at: QPointF) -> None:
        self._choose(self.part_at(at))

    def _choose(self, part: Part | None) -> None:
        if part is not None:
            (self.part_added if self.adds and self.modifiers & _MORE else self.part_chosen).emit(part)

    def on_walked(self, rows: int, columns: int) -> None:
        part = self.beside(self.current, rows, columns)
        if part is not None:
            self.go_to(part)

    def on_entered(self) -> None:
        self._choose(self.current)

    def on_let_go(self) -> None:
        self.walked = None
        self.read(None)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Read out no part that keys have come to, which go elsewhere now."""
        super().focusOutEvent(event)
        if self.walked is not None and event.reason() not in (OTHER_WINDOW, _MENU):
            self.on_let_go()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.area is None:
            super().wheelEvent(event)
        else:
            event.ignore()

    def press(self, event: QKeyEvent) -> bool:
        key, count = Qt.Key(event.key()), self.count if self.walks else 0
        self.modifiers = event.modifiers()
        is_leap = count and key in ARROWS and self.modifiers & Qt.KeyboardModifier.ControlModifier
        to = self.leap(self.current, *ARROWS[key]) if is_leap else None
        if count and self.has_ends and key in _ENDS and self._is_plain(event):
            self.go_to(self.numbered(_ENDS[key] % count))
        elif count and self.pages and key in _PAGES:
            now = None if self.current is None else self.number_of(self.current)
            self.go_to(self.numbered(stepped(now, _PAGES[key], count)))
        elif to is not None:
            self.go_to(to)
        else:
            return super().press(event)
        return True


def follow_selection(plot: PicturePlot[Part], selection: Selection, pair_of: Callable[[Part], Pair]) -> None:
    """Hover, walk to, pin and pick the tokens that `pair_of` returns for the parts of a plot."""

    def on_pointed(part: Part | None) -> None:
        pair = NOTHING if part is None else pair_of(part)
        (selection.hover if part is None or part != plot.walked else selection.walk_to)(pair.query, pair.key)

    def on_chosen(part: Part) -> None:
        pair = pair_of(part)
        if part == plot.walked:
            selection.pick()
        elif pair:
            selection.pin(pair.query, pair.key)

    plot.part_pointed.connect(on_pointed)
    plot.part_chosen.connect(on_chosen)


class PaintedPlot(PicturePlot[Part]):
    """A picture that one item draws as a whole, not to be zoomed; `rect_of` says where a part is."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self.box = self.add_box()
        self.box.setMouseEnabled(False, False)

    def rect_of(self, part: Part) -> QRectF:
        """Return where a part is, in pixels of the box."""
        raise NotImplementedError

    def extent_of(self, part: Part) -> QRectF:
        """Return where a part is, in pixels of the plot."""
        return self.in_plot(self.rect_of(part))

    def in_plot(self, rect: QRectF) -> QRectF:
        """Return a part of the box in pixels of the plot."""
        return rect.translated(self.box.sceneBoundingRect().topLeft())

    def part_at(self, at: QPointF) -> Part | None:
        parts = map(self.numbered, range(self.count))
        return next((part for part in parts if self.extent_of(part).contains(at)), None)

    def place_of(self, part: Part) -> QPointF:
        return self.extent_of(part).center()

    def reveal(self, part: Part) -> None:
        """Bring a part into sight, where all of it is not."""
        if self.area is not None:
            super().reveal(part)

    def mark_part(self, part: Part | None) -> None:
        self.viewport().update()

    def recolour(self) -> None:
        self.viewport().update()


class Painting(Drawing, Generic[Painted]):
    """Draws what is in the box of a plot, in pixels of the box."""

    def __init__(self, plot: Painted) -> None:
        self._plot = plot
        super().__init__(plot.look, plot.box)
        self.follow(plot.box)


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
        return next((self.words.word_at(at - cell.topLeft()) for cell in cells if cell.contains(at)), None)

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
