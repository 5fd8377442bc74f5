"""Where one is on the walk, and the way to each of its stops: a column of names, or rows of signs."""

from __future__ import annotations

import math
from itertools import accumulate, pairwise

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip

from bertviz_app.features.steps.reasons import term_of_stage
from bertviz_app.features.steps.views.sheet import SheetPen
from bertviz_app.features.steps.walk import Walk
from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.stages import stops as step_words
from bertviz_app.viewmodels.stages.stage import BERT_TRAITS, EncoderPart, Traits
from bertviz_app.viewmodels.stages.stops import BELOW, STAGES, Stop
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.formula import fitting
from bertviz_app.views.kit.look import CENTRE, LEFT, Look
from bertviz_app.views.kit.words import plain

_SECTIONS, _STAGES, _WRAPPED = 18.0, 26.0, 23.0
"""In rows, the heights of the sections, and of the stops in one row or in each of two."""
_SIGN_SIZE, _SECTION_SIZE = 12.0, 10.5
_MARGIN = 12.0
_AROUND = 6.0
"""What is free beside a sign, and beside the name of a section."""
_LEAST_LAYER = 14.0
_OF_HEAD = (EncoderPart.BEFORE, EncoderPart.PROJECTIONS, EncoderPart.MIXING)
"""The parts of a layer that its heads compute: the upper row where the signs take two."""

_COLUMN_MARGIN, _LEAST_WIDTH = 8.0, 208.0
_SECTION_HEIGHT, _LOWEST_SECTION = 22.0, 2.0
_STOP_HEIGHT, _LOWEST_STOP = 20.0, 14.0
_ROOM_OF_SECTION = 9.0  # before the stops have their full height
_NAME_SIZE, _NAME_FROM, _NAME_ALONE = 12.0, 12.0, 18.0
_BEHIND_NAME = 6.0
_TITLE_SIZE, _TITLE_LEFT = 13.0, 52.0
_BETWEEN_PARTS = 6.0
_OVER = 6.0
"""How far the letters of a formula may reach beyond their line."""


@dataclass(frozen=True)
class Cell:
    """What can be clicked: a section, or the stop at a `position` of the walk.

    In a column every stop `is_small`, and those of the section one is in have a line with their name, too.
    """

    box: QRectF
    section: int
    position: int | None = None
    is_small: bool = False


class Navigator(Canvas):
    """All sections of the encoder, and their stops; what is behind one is filled, and a click goes anywhere.

    As a column it names the stops of the section one is in, and has a small cell for every other. In rows,
    for which there is always room, it has the signs of these stops alone.
    """

    def __init__(self, look: Look, walk: Walk) -> None:
        super().__init__(look)
        self._walk = walk
        self.traits, self._first = BERT_TRAITS, BERT_NAMES.first
        self.is_column = self._may_wrap = False
        self._needed = QSize()
        self._pointed: Cell | None = None
        self.cells: tuple[Cell, ...] = ()
        self.setMouseTracking(True)
        walk.moved.connect(self.refresh)
        self.setAccessibleName(self.tr("Map of the encoder"))
        self.set_form(is_column=False)
        self.refresh()

    def sizeHint(self) -> QSize:
        return self._needed

    def minimumSizeHint(self) -> QSize:
        width, height = self._needed.toTuple()
        return QSize(width, 100) if self.is_column else QSize(120, height)

    def set_names(self, traits: Traits, first: str) -> None:
        """Name the activation of the feed-forward part, and the first token."""
        if (traits, first) != (self.traits, self._first):
            self.traits, self._first = traits, first
            self.refresh()

    def set_form(self, *, is_column: bool, may_wrap: bool = False) -> None:
        """Stand as a column, or lie in rows: two for the stops if they `may_wrap` and need them."""
        self.is_column, self._may_wrap = is_column, may_wrap
        policies = QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding
        self.setSizePolicy(*(policies if is_column else policies[::-1]))
        self._lay_out()

    @Slot()
    def refresh(self) -> None:
        """Show the stop that the walk is at, perhaps of another encoder."""
        self._lay_out()
        walk = self._walk
        count = self.tr("{0} of {1}").format(walk.position + 1, len(walk.stops))
        self.setAccessibleDescription(
            f"{self._section(walk.stop.section)}, {self._title(walk.stop)}, {count}"
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._lay_out()

    def _section(self, section: int) -> str:
        return step_words.section_name(section, self._walk.n_layers)

    def _title(self, stop: Stop) -> str:
        return step_words.title(stop.stage, self._first, self._walk.layer_form)

    def _sign(self, stop: Stop) -> str:
        return step_words.sign(stop.stage, self.traits.activation, self._first, self._walk.layer_form)

    # what lies where

    def _on_look_changed(self) -> None:
        super()._on_look_changed()
        self._lay_out()

    def _lay_out(self) -> None:
        """Ask for the room that names and signs need, whatever stop is shown, and place the cells."""
        walk, n_rows = self._walk, 1
        if self._may_wrap:  # two rows where the signs of a layer do not fit beside each other
            free = self.look.pixels(_AROUND)
            layers = {tuple(stop.stage for stop in walk.section(number)) for number in range(walk.n_layers)}
            needs = [
                sum(self._width_of(self._sign(Stop(0, stage))) + free for stage in stages)
                for stages in layers
            ]
            n_rows = 1 if max(needs) <= self.width() - 2 * _MARGIN else 2
        if self.is_column:
            metrics = QFontMetricsF(self.look.font(_TITLE_SIZE, bold=True))
            widest = max(metrics.horizontalAdvance(self._title(stop)) for stop in walk.stops)
            around = self.look.pixels(_TITLE_LEFT) + _COLUMN_MARGIN + self.look.pixels(_BEHIND_NAME)
            needed = QSize(max(self.look.pixels(_LEAST_WIDTH), math.ceil(widest + around)), 300)
        else:
            needed = QSize(300, self._height(n_rows))
        if needed != self._needed:
            self._needed = needed
            self.updateGeometry()
        self.cells = tuple(self._column() if self.is_column else self._rows(n_rows))
        self.update()

    def cell_at(self, at: QPointF) -> Cell | None:
        """Return the cell under a point; one of a stop before that of its section."""
        return next((cell for cell in self.cells if cell.box.contains(at)), None)

    def _column(self) -> list[Cell]:
        """Place a row for each section with its small cells, and below that of one's own lines with names."""
        walk, pixels = self._walk, self.look.pixels
        here, sections = walk.stop.section, range(BELOW, walk.n_layers + 1)
        n_here, room = len(walk.section(here)), self.height() - _COLUMN_MARGIN
        left, width = _COLUMN_MARGIN, self.width() - 4 - _COLUMN_MARGIN
        line = max(pixels(_LOWEST_STOP), (room - len(sections) * pixels(_ROOM_OF_SECTION)) / n_here)
        line = min(pixels(_STOP_HEIGHT), line)
        height = max(_LOWEST_SECTION, (room - n_here * line) / len(sections))
        height = min(pixels(_SECTION_HEIGHT), height)
        metrics = QFontMetricsF(self.look.font(_NAME_SIZE, bold=True))
        widest = max(
            metrics.horizontalAdvance(self._section(each))
            for each in (BELOW, walk.n_layers - 1, walk.n_layers)
        )
        small, lines, names = [], [], []
        top, position, names_width = _COLUMN_MARGIN / 2, 0, widest + pixels(_BEHIND_NAME)
        for section in sections:
            names.append(Cell(QRectF(left, top, width, height), section))
            # Between two parts of a layer is a gap.
            parts = [STAGES[stop.stage].part for stop in walk.section(section)]
            gaps = [0.0, *(_BETWEEN_PARTS * (one is not other) for one, other in pairwise(parts))]
            pitch = (width - names_width - sum(gaps)) / len(parts)
            for index, gap in enumerate(accumulate(gaps)):
                box = QRectF(left + names_width + index * pitch + gap, top, pitch, height)
                small.append(Cell(box, section, position + index, is_small=True))
            top += height
            if section == here:
                boxes = [QRectF(left, top + index * line, width, line) for index in range(n_here)]
                lines = [Cell(box, section, position + index) for index, box in enumerate(boxes)]
                top += n_here * line
            position += len(parts)
        return [*small, *lines, *names]

    def _rows(self, n_rows: int) -> list[Cell]:
        """Place the sections, and below them the stops of one's own section, in one row or in two.

        Each cell is as wide as its sign and an equal share of what is left, so that none is cut where all
        fit. Embeddings and top, which have few stops, have one row of the height of all.
        """
        walk, here = self._walk, self._walk.stop.section
        stops = walk.section(here)
        n_upper = sum(STAGES[stop.stage].part in _OF_HEAD for stop in stops)
        rows = [row for row in (stops[:n_upper], stops[n_upper:]) if row] if n_rows > 1 else [stops]
        top = self.look.pixels(_SECTIONS)
        height = (self._height(n_rows) - top) / len(rows)
        room, around = self.width() - 2 * _MARGIN, self.look.pixels(_AROUND)
        boxes: list[QRectF] = []
        for number, row in enumerate(rows):
            signs = [self._sign(stop) for stop in row]
            needed = [self._width_of(sign) + around for sign in signs]
            if sum(needed) > room:
                needed = [self._width_of(_brief(sign)) + around for sign in signs]
            free = (room - sum(needed)) / len(row)
            widths = [each + free if free >= 0 else room / len(row) for each in needed]
            boxes += _beside(widths, top + number * height, height - 4)
        first = walk.stops.index(stops[0])
        # Embeddings and top have the room of their names, the layers equal shares of what is left.
        n_layers = walk.n_layers
        lower, upper = (
            self._width_of(f"\\t{{{self._section(each)}}}", _SECTION_SIZE) + around
            for each in (BELOW, n_layers)
        )
        pitch, equal = (room - lower - upper) / n_layers, room / (n_layers + 4)
        if pitch < self.look.pixels(_LEAST_LAYER) or 2 * equal >= max(lower, upper):
            lower, pitch, upper = 2 * equal, equal, 2 * equal
        sections = _beside([lower, *[pitch] * n_layers, upper], 1, self.look.pixels(_SECTIONS) - 3)
        return [
            *(Cell(box, here, first + index) for index, box in enumerate(boxes)),
            *(Cell(box, BELOW + index) for index, box in enumerate(sections)),
        ]

    def _width_of(self, formula: str, pixels: float = _SIGN_SIZE) -> float:
        return fitting(self.look, (formula,), math.inf, pixels).box.width

    def _height(self, n_rows: int) -> int:
        """Return the height of rows, with this many of stops."""
        pixels = self.look.pixels
        return pixels(_SECTIONS) + (pixels(_STAGES) if n_rows == 1 else n_rows * pixels(_WRAPPED))

    # drawing

    def draw(self, painter: QPainter) -> None:
        position = self._walk.position
        pen = SheetPen(painter, self.look)
        inks = self.look.colour("accent", 0.35), self.look.colour("accent"), self.look.colour("rule")
        for cell in self.cells:
            if not self.is_dirty(cell.box.adjusted(0, -_OVER, 0, _OVER)):
                continue
            if cell.is_small:
                assert cell.position is not None
                ink = inks[(cell.position >= position) + (cell.position > position)]
                painter.fillRect(cell.box.adjusted(0.5, 1.5, -0.5, -1.5), ink)
            elif cell.position is not None:
                self._draw_stop(pen, cell, cell.position)
            elif self.is_column:
                self._draw_name(pen, cell)
            else:
                section, here = cell.section, self._walk.stop.section
                box = cell.box.adjusted(1, 0, -1, 0)
                is_behind, is_pointed = section < here, cell == self._pointed
                alpha = 1.0 if section == here else 0.28 if is_behind else 0.2 if is_pointed else 0.0
                pen.box(box, fill=self.look.colour("accent", alpha) if alpha else "raised", rounding=3)
                name, is_layer = self._section(section), 0 <= section < self._walk.n_layers
                forms = (str(section),) if is_layer else (name, name[:1])
                # A name reaches farther above its line than below it, Hangul most of all.
                room, colour = box.translated(0, 1), "on_accent" if section == here else "text"
                room.adjust(1, 0, -1, 0)
                signs = tuple(f"\\t{{{form}}}" for form in forms)
                pen.write_formula(signs, room, colour, CENTRE, _SECTION_SIZE)

    def _draw_name(self, pen: SheetPen, cell: Cell) -> None:
        """Write the name of a section; where the rows are too low for all of them only that of one's own."""
        is_here, box = cell.section == self._walk.stop.section, cell.box
        is_low = box.height() < self.look.pixels(_NAME_FROM)
        if is_low and not is_here:
            return
        pixels = min(_NAME_SIZE, 0.8 * box.height() / self.look.scale)
        if is_low:
            pixels, height = _NAME_SIZE, self.look.pixels(_NAME_ALONE)
            box = QRectF(box.left(), max(0.0, box.bottom() - height), box.width(), height)
        font, colour = self.look.font(pixels, bold=is_here), "accent" if is_here else "text"
        pen.write(self._section(cell.section), box, font, colour, LEFT)

    def _draw_stop(self, pen: SheetPen, cell: Cell, position: int) -> None:
        """Draw the sign of a stop, in a column with its title, in rows over a line filled up to here."""
        walk, stop = self._walk, self._walk.stops[position]
        is_here, is_behind = position == walk.position, position <= walk.position
        colour = "accent" if is_here else "text" if is_behind else "secondary"
        box = cell.box if self.is_column else cell.box.adjusted(1, 0, -1, 0)
        if is_here or cell == self._pointed:
            pen.box(box, fill=self.look.colour("accent", 0.2 if is_here else 0.1), rounding=3)
        if not self.is_column:
            line = QRectF(box.left(), box.bottom() - 2, box.width(), 2)
            pen.painter.fillRect(line, self.look.colour("accent" if is_behind else "rule"))
            signs = self._sign(stop), _brief(self._sign(stop))
            pen.write_formula(signs, box.adjusted(1, 0, -1, -3), colour, CENTRE, _SIGN_SIZE)
            return
        before = walk.stops[position - 1] if position else stop
        if before.section == stop.section and STAGES[before.stage].part is not STAGES[stop.stage].part:
            pen.draw_rule(box, box.top())
        room = self.look.pixels(_TITLE_LEFT)
        sign = QRectF(box.left() + 6, box.top(), room - 14, box.height())
        pen.write_formula((self._sign(stop),), sign, colour)
        pen.label(self._title(stop), box.adjusted(room, 0, 0, 0), colour, bold=is_here)

    # gestures

    def _stop(self, cell: Cell | None) -> Stop | None:
        return None if cell is None or cell.position is None else self._walk.stops[cell.position]

    def term_at(self, position: QPoint) -> str:
        """Return the term of the glossary that a stop under a position is about."""
        stop = self._stop(self.cell_at(QPointF(position)))
        return "" if stop is None else term_of_stage(stop.stage)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(self.cell_at(event.position()))

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(None)

    def _point_at(self, cell: Cell | None) -> None:
        before, self._pointed = self._pointed, cell
        for changed in (before, cell):
            if changed is not None and before != cell:
                self.update(changed.box.toAlignedRect())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        cell = self.cell_at(event.position())
        if cell is None or event.button() != Qt.MouseButton.LeftButton:
            return
        stop = self._stop(cell)
        if stop is None:
            self._walk.enter(cell.section)
        else:
            self._walk.go(stop)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            self._show_tip(event)
            return True
        return super().event(event)

    @guarded
    def _show_tip(self, event: QHelpEvent) -> None:
        cell = self.cell_at(QPointF(event.pos()))
        if cell is None:
            return
        text, stop = self._section(cell.section), self._stop(cell)
        if stop is not None:
            text = plain(f"{text} · {self._title(stop)}\n{step_words.sentence(stop.stage, self.traits)}")
        QToolTip.showText(event.globalPos(), text, self)


def _beside(widths: list[float], top: float, height: float) -> list[QRectF]:
    """Return boxes of these widths from left to right in a row."""
    lefts = accumulate(widths, initial=_MARGIN)
    return [QRectF(left, top, width, height) for left, width in zip(lefts, widths, strict=False)]


def _brief(sign: str) -> str:
    """Return a sign for a narrow cell: of a word its first letter."""
    return f"\\t{{{sign[3:-1].strip('[<')[0]}}}" if sign.startswith("\\t{") else sign
