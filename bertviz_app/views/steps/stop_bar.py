"""Where one is on the walk: sections and stages as a bar, or the whole encoder as a map."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate, pairwise
from math import ceil
from typing import TypeVar

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.viewmodels.steps import stops as step_words
from bertviz_app.viewmodels.steps.stage import BERT_TRAITS, EncoderPart, Traits
from bertviz_app.viewmodels.steps.stops import BELOW, STAGES, Stop, Walk, term_of_stage
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import plain
from bertviz_app.views.steps.heading import fitting
from bertviz_app.views.steps.sheets.sheet import SheetPen

_Key = TypeVar("_Key")

_SECTIONS = 18.0
_STAGES, _WRAPPED = 26.0, 23.0
_MARGIN = 12.0
_AROUND = 6.0
"""What is free beside a sign, and beside the name of a section."""
_LEAST_LAYER = 14.0
_OF_HEAD = (EncoderPart.BEFORE, EncoderPart.PROJECTIONS, EncoderPart.MIXING)
"""The parts of a layer that its heads compute: the upper row where the signs take two."""
_SIGN_SIZE, _SECTION_SIZE = 12.0, 10.5


class StepsBar(Canvas):
    """Rows of cells: sections above, stages below, in one row or two; those behind one are filled."""

    def __init__(self, look: Look, walk: Walk, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._walk = walk
        self.traits, self._first = BERT_TRAITS, BERT_NAMES.first
        self._hovered: Stop | None = None
        self._may_wrap, self._n_rows = False, 1
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        walk.moved.connect(self.refresh)
        look.changed.connect(self._fit)
        self.setAccessibleName(self.tr("Stages of the encoder"))
        self.refresh()

    def sizeHint(self) -> QSize:
        return QSize(300, _height(self.look, self._n_rows))

    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def set_names(self, traits: Traits, first: str) -> None:
        """Name the activation of the feed-forward part, and the first token."""
        if (traits, first) != (self.traits, self._first):
            self.traits, self._first = traits, first
            self.refresh()

    def set_may_wrap(self, *, may_wrap: bool) -> None:
        """Allow the stages two rows, where their signs do not fit into one."""
        self._may_wrap = may_wrap
        self._fit()

    @Slot()
    def _fit(self) -> None:
        """Take the rows that the signs need at this width. The stop that is shown changes nothing."""
        rows = self._pen.n_rows(self.width()) if self._may_wrap else 1
        if rows != self._n_rows:
            self._n_rows = rows
            self.updateGeometry()

    @property
    def _pen(self) -> BarPen:
        return BarPen(self.look, self._walk, self.traits, self._first)

    @property
    def layout_of_bar(self) -> BarLayout:
        """Where everything lies at this size."""
        return BarLayout(self.look, self._walk, self._pen, self.width(), self._n_rows)

    # drawing

    def draw(self, painter: QPainter) -> None:
        placed, pen = self.layout_of_bar, self._pen
        for section, box in placed.sections.items():
            pen.draw_section(painter, section, box.adjusted(1, 0, -1, 0), self._hovered)
        for stop, box in placed.stops.items():
            pen.draw_stage(painter, stop, box.adjusted(1, 0, -1, 0), self._hovered)

    # gestures

    def term_at(self, position: QPoint) -> str:
        """Return the term of the glossary that a stop under a position is about."""
        is_stage = position.y() >= self.look.pixels(_SECTIONS)
        stop = self.stop_at(QPointF(position)) if is_stage else None
        return "" if stop is None else term_of_stage(stop.stage)

    def stop_at(self, at: QPointF) -> Stop | None:
        """Return the stop of the cell under a point; of a section's cell one of that section."""
        placed = self.layout_of_bar
        section = placed.section_at(at)
        return placed.stop_at(at) if section is None else self._walk.section(section)[0]

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hovered = self.stop_at(event.position())
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        stop = self.stop_at(event.position())
        if stop is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if stop.section == self._walk.stop.section and event.position().y() >= self.look.pixels(_SECTIONS):
            self._walk.go(stop)
        else:
            self._walk.enter(stop.section)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            self._show_tip(event)
            return True
        return super().event(event)

    @guarded
    def _show_tip(self, event: QHelpEvent) -> None:
        stop = self.stop_at(QPointF(event.pos()))
        if stop is None:
            return
        text = step_words.section_name(stop.section, self._walk.n_layers)
        if event.pos().y() >= self.look.pixels(_SECTIONS):
            title = step_words.title(stop.stage, self._first, self._walk.layer_form)
            text = plain(f"{title}\n{step_words.sentence(stop.stage, self.traits)}")
        QToolTip.showText(event.globalPos(), text, self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()

    def refresh(self) -> None:
        """Show the stop that the walk is at."""
        self._fit()  # the encoder may be another one
        stop = self._walk.stop
        section = step_words.section_name(stop.section, self._walk.n_layers)
        title = step_words.title(stop.stage, self._first, self._walk.layer_form)
        self.setAccessibleDescription(f"{section}, {title}")
        self.update()


class BarLayout:
    """A row of sections, and below it the stops of the section that is shown, in one row or in two.

    Each cell is as wide as its sign and an equal share of what is left, so that none is cut where all fit.
    Embeddings and top, which have few stops, have one row of the height of all.
    """

    def __init__(self, look: Look, walk: Walk, pen: BarPen, width: float, rows: int) -> None:
        self._look, self._pen, self._width = look, pen, width
        self.sections = self._lay_out_sections(walk.n_layers)
        self.stops: dict[Stop, QRectF] = {}
        here = walk.section(walk.stop.section)
        upper = tuple(stop for stop in here if STAGES[stop.stage].part in _OF_HEAD)
        lower = here[len(upper) :]
        wrapped = (upper, lower) if rows > 1 and upper and lower else (here,)
        top = look.pixels(_SECTIONS)
        row_height = (_height(look, rows) - top) / len(wrapped)
        for number, row in enumerate(wrapped):
            self._lay_out_row(row, top + number * row_height, row_height)

    def _lay_out_sections(self, n_layers: int) -> Mapping[int, QRectF]:
        """Give embeddings and top the room of their names, the layers equal shares of what is left."""
        room, around = self._width - 2 * _MARGIN, self._look.pixels(_AROUND)
        first, last = (self._pen.width_of_section(number) + around for number in (BELOW, n_layers))
        pitch = (room - first - last) / n_layers
        equal = room / (n_layers + 4)
        if pitch < self._look.pixels(_LEAST_LAYER) or 2 * equal >= max(first, last):
            first, pitch, last = 2 * equal, equal, 2 * equal
        return self._placed(
            dict(zip(range(BELOW, n_layers + 1), (first, *[pitch] * n_layers, last), strict=True)),
            QRectF(0, 1, 0, self._look.pixels(_SECTIONS) - 3),
        )

    def _lay_out_row(self, row: tuple[Stop, ...], top: float, row_height: float) -> None:
        room, around = self._width - 2 * _MARGIN, self._look.pixels(_AROUND)
        needed = {stop: self._pen.width_of_sign(stop.stage) + around for stop in row}
        if sum(needed.values()) > room:
            needed = {stop: self._pen.width_of_brief(stop.stage) + around for stop in row}
        free = (room - sum(needed.values())) / len(row)
        wide = {stop: each + free if free >= 0 else room / len(row) for stop, each in needed.items()}
        self.stops.update(self._placed(wide, QRectF(0, top, 0, row_height - 4)))

    @staticmethod
    def _placed(widths: Mapping[_Key, float], row: QRectF) -> dict[_Key, QRectF]:
        """Return boxes of these widths from left to right in a row."""
        lefts = accumulate(widths.values(), initial=_MARGIN)
        return {
            key: QRectF(left, row.top(), width, row.height())
            for (key, width), left in zip(widths.items(), lefts, strict=False)
        }

    def stop_at(self, at: QPointF) -> Stop | None:
        """Return the stop of the cell under a point."""
        return next((stop for stop, box in self.stops.items() if box.contains(at)), None)

    def section_at(self, at: QPointF) -> int | None:
        """Return the section of the cell under a point."""
        return next((number for number, box in self.sections.items() if box.contains(at)), None)


class BarPen:
    """Writes the cells for a walk, and measures their texts.

    `traits` and `first` name the activation and the first token.
    """

    def __init__(self, look: Look, walk: Walk, traits: Traits, first: str) -> None:
        self._look = look
        self._walk = walk
        self._traits = traits
        self._first = first

    def width_of_sign(self, stage: str) -> float:
        """Return how wide the sign of a stage is, in pixels."""
        return self._width(self.sign(stage), _SIGN_SIZE)

    def width_of_brief(self, stage: str) -> float:
        """Return how wide the brief form of a sign is, in pixels."""
        return self._width(_brief(self.sign(stage)), _SIGN_SIZE)

    def width_of_section(self, section: int) -> float:
        """Return how wide the name of a section is, in pixels."""
        return self._width(f"\\t{{{step_words.section_name(section, self._walk.n_layers)}}}", _SECTION_SIZE)

    def n_rows(self, width: float) -> int:
        """Return 1 if the signs of every layer fit beside each other into `width`, else 2."""
        walk, around, room = self._walk, self._look.pixels(_AROUND), width - 2 * _MARGIN
        layers = {tuple(stop.stage for stop in walk.section(number)) for number in range(walk.n_layers)}
        return (
            1 if all(sum(self.width_of_sign(one) + around for one in each) <= room for each in layers) else 2
        )

    def _width(self, formula: str, pixels: float) -> float:
        return fitting(self._look, (formula,), math.inf, pixels).box.width

    def sign(self, stage: str) -> str:
        """Return the formula that stands for a stage."""
        return step_words.sign(stage, self._traits.activation, self._first, self._walk.layer_form)

    def draw_section(self, painter: QPainter, section: int, box: QRectF, pointed: Stop | None) -> None:
        """Draw the cell of a section; `pointed`: the stop under the pointer."""
        here = self._walk.stop.section
        hovered = pointed is not None and pointed.section == section != here
        painter.setPen(Qt.PenStyle.NoPen)
        alpha = 0.28 if section < here else 0.2 if hovered else 0.0
        painter.setBrush(self._look.colour("accent", 1.0 if section == here else alpha))
        if section > here and not hovered:
            painter.setBrush(self._look.colour("raised"))
        painter.drawRoundedRect(box, 3, 3)
        name = step_words.section_name(section, self._walk.n_layers)
        is_layer = 0 <= section < self._walk.n_layers
        brief = str(section) if is_layer else name[:1]
        formulas = (f"\\t{{{brief}}}",) if is_layer else (f"\\t{{{name}}}", f"\\t{{{brief}}}")
        # A name reaches farther above its line than below it, Hangul most of all.
        self._write(
            painter, formulas, box.translated(0, 1), _SECTION_SIZE, "on_accent" if section == here else "text"
        )

    def draw_stage(self, painter: QPainter, stop: Stop, box: QRectF, pointed: Stop | None) -> None:
        """Draw the cell of a stop of the section that is shown."""
        here = self._walk.stop
        if stop in (here, pointed):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self._look.colour("accent", 0.2 if stop == here else 0.1))
            painter.drawRoundedRect(box, 3, 3)
        is_behind = self._walk.stops.index(stop) <= self._walk.position
        line = QRectF(box.left(), box.bottom() - 2, box.width(), 2)
        painter.fillRect(line, self._look.colour("accent" if is_behind else "rule"))
        colour = "accent" if stop == here else "text" if is_behind else "secondary"
        sign = self.sign(stop.stage)
        self._write(painter, (sign, _brief(sign)), box.adjusted(0, 0, 0, -3), _SIGN_SIZE, colour)

    def _write(
        self, painter: QPainter, formulas: tuple[str, ...], box: QRectF, pixels: float, colour: str
    ) -> None:
        made = fitting(self._look, formulas, box.width() - 2, pixels)
        painter.setPen(self._look.colour(colour))
        middle = box.center().y() + (made.box.above - made.box.below) / 2
        made.draw(painter, QPointF(box.center().x() - made.box.width / 2, middle))


def _height(look: Look, rows: int) -> int:
    """Return the height of the bar with this many rows of stages."""
    return look.pixels(_SECTIONS) + (look.pixels(_STAGES) if rows == 1 else rows * look.pixels(_WRAPPED))


def _brief(sign: str) -> str:
    """Return a sign for a narrow cell: of a word its first letter."""
    if sign.startswith("\\t{"):
        return f"\\t{{{sign[3:-1].strip('[<')[0]}}}"
    return sign


_SECTION_HEIGHT, _LOWEST_SECTION = 22.0, 2.0
_STAGE_HEIGHT, _LOWEST_STAGE = 20.0, 14.0
_GAP = 2.0
_MAP_MARGIN = 8.0
_LEAST_WIDTH = 208.0
_SIGN = 52.0
_NAME_FROM = 12.0
_NAME_SIZE = 12.0
_NAME_ALONE = 18.0
_TITLE_SIZE = 13.0
_BEHIND_NAME = 6.0
_OVER = 6.0
"""How far the letters of a formula may reach beyond their line."""


class ModelMap(Canvas):
    """Sections from the embeddings to the top, a cell for each stop.

    The section that is shown has the names of its stops. The stops before the one that is shown are filled. A
    click on a cell or on a name goes to that stop, on the name of a section to the section.
    """

    def __init__(self, look: Look, walk: Walk, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._walk = walk
        self._traits, self._first = BERT_TRAITS, BERT_NAMES.first
        self._pointed: QPointF | None = None
        self._position = walk.position  # that was drawn last
        self._width = self.look.pixels(_LEAST_WIDTH)
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        walk.moved.connect(self._on_moved)
        look.changed.connect(self._fit_titles)
        self.setAccessibleName(self.tr("Map of the encoder"))
        self._on_moved()

    @property
    def layout_of_map(self) -> MapLayout:
        """Where everything lies at this size."""
        return MapLayout(self.look, self._walk, self.width() - 4, self.height(), self._name_width())

    def _name_width(self) -> float:
        """Return how wide the widest name of a section is, in bold, with what is free behind it."""
        metrics = QFontMetricsF(self.look.font(_NAME_SIZE, bold=True))
        n_layers = self._walk.n_layers
        names = {step_words.section_name(number, n_layers) for number in (BELOW, n_layers - 1, n_layers)}
        return max(map(metrics.horizontalAdvance, names)) + self.look.pixels(_BEHIND_NAME)

    def sizeHint(self) -> QSize:
        return QSize(self._width, 300)

    def minimumSizeHint(self) -> QSize:
        return QSize(self._width, 100)

    @Slot()
    def _fit_titles(self) -> None:
        """Become as wide as the longest title of a stop, so that none is cut."""
        metrics = QFontMetricsF(self.look.font(_TITLE_SIZE, bold=True))
        form = self._walk.layer_form
        titles = {step_words.title(stage, self._first, form) for stage in {s.stage for s in self._walk.stops}}
        widest = max(map(metrics.horizontalAdvance, titles))
        width = ceil(widest + self.look.pixels(_SIGN) + _MAP_MARGIN + self.look.pixels(_BEHIND_NAME))
        width = max(self.look.pixels(_LEAST_WIDTH), width)
        if width != self._width:
            self._width = width
            self.updateGeometry()

    def set_names(self, traits: Traits, first: str) -> None:
        """Name the activation of the feed-forward part, and the first token."""
        if (traits, first) != (self._traits, self._first):
            self._traits, self._first = traits, first
            self._on_moved()

    # drawing

    def draw(self, painter: QPainter) -> None:
        placed = self.layout_of_map
        position = self._walk.position
        for section, box in placed.names.items():
            if self.is_dirty(box):
                self._draw_name(painter, section, box)
        inks = self.look.colour("accent", 0.35), self.look.colour("accent"), self.look.colour("rule")
        for index, box in enumerate(placed.cells.values()):
            if self.is_dirty(box):
                ink = inks[0] if index < position else inks[1] if index == position else inks[2]
                painter.fillRect(box.adjusted(0.5, 1.5, -0.5, -1.5), ink)
        for stop, box in placed.lines.items():
            if self.is_dirty(box.adjusted(0, -_OVER, 0, _OVER)):
                self._draw_line(painter, stop, box)

    def _draw_name(self, painter: QPainter, section: int, box: QRectF) -> None:
        is_here, is_low = section == self._walk.stop.section, box.height() < self.look.pixels(_NAME_FROM)
        if is_low and not is_here:
            return
        text = step_words.section_name(section, self._walk.n_layers)
        pixels = min(_NAME_SIZE, 0.8 * box.height() / self.look.scale)
        if is_low:  # alone: no other section has its name written
            pixels, height = _NAME_SIZE, self.look.pixels(_NAME_ALONE)
            box = QRectF(box.left(), max(0.0, box.bottom() - height), box.width(), height)
        painter.setFont(self.look.font(pixels, bold=is_here))
        painter.setPen(self.look.colour("accent" if is_here else "text"))
        painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)

    def _draw_line(self, painter: QPainter, stop: Stop, box: QRectF) -> None:
        pen, is_here = SheetPen(self.look), stop == self._walk.stop
        is_pointed = self._pointed is not None and box.contains(self._pointed)
        if is_here or is_pointed:
            pen.draw_band(painter, box, 0.2 if is_here else 0.08)
        stops = self._walk.section(stop.section)
        index, here = stops.index(stop), self._walk.stop
        if index and STAGES[stops[index - 1].stage].part is not STAGES[stop.stage].part:
            pen.draw_rule(painter, box, box.top())
        colour = "accent" if is_here else "text" if index < stops.index(here) else "secondary"
        title = step_words.title(stop.stage, self._first, self._walk.layer_form)
        sign = step_words.sign(stop.stage, self._traits.activation, self._first, self._walk.layer_form)
        room = self.look.pixels(_SIGN)
        letter = QRectF(box.left() + 6, box.top(), room - 14, box.height())
        pen.write_formula(painter, (sign,), letter, colour)
        pen.write(painter, title, box.adjusted(room, 0, 0, 0), colour, bold=is_here)

    # gestures

    def term_at(self, position: QPoint) -> str:
        """Return the term of the glossary that a stop under a position is about."""
        stop = self.layout_of_map.stop_at(QPointF(position))
        return "" if stop is None else term_of_stage(stop.stage)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(event.position())

    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(None)

    def _point_at(self, at: QPointF | None) -> None:
        """Mark the name of a stop under a point; where nothing else is under it, nothing is drawn anew."""
        before, self._pointed = self._pointed, at
        for box in self.layout_of_map.lines.values():
            if any(point is not None and box.contains(point) for point in (before, at)):
                self.update(box.toAlignedRect())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        placed = self.layout_of_map
        stop, section = placed.stop_at(event.position()), placed.section_at(event.position())
        if stop is not None:
            self._walk.go(stop)
        elif section is not None:
            self._walk.enter(section)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            self._show_tip(event)
            return True
        return super().event(event)

    @guarded
    def _show_tip(self, event: QHelpEvent) -> None:
        placed, at = self.layout_of_map, QPointF(event.pos())
        stop, section = placed.stop_at(at), placed.section_at(at)
        if stop is not None:
            name = step_words.section_name(stop.section, self._walk.n_layers)
            title = step_words.title(stop.stage, self._first, self._walk.layer_form)
            text = f"{name} · {title}\n{step_words.sentence(stop.stage, self._traits)}"
            QToolTip.showText(event.globalPos(), plain(text), self)
        elif section is not None:
            QToolTip.showText(event.globalPos(), step_words.section_name(section, self._walk.n_layers), self)

    def _on_moved(self) -> None:
        self._fit_titles()
        stop = self._walk.stop
        name = step_words.section_name(stop.section, self._walk.n_layers)
        title = step_words.title(stop.stage, self._first, self._walk.layer_form)
        count = self.tr("{0} of {1}").format(self._walk.position + 1, len(self._walk.stops))
        self.setAccessibleDescription(f"{name}, {title}, {count}")
        self._update_between(self._position, self._walk.position)
        self._position = self._walk.position

    def _update_between(self, before: int, now: int) -> None:
        """Draw anew what differs between two positions; where everything else moved, all of it."""
        stops = self._walk.stops
        if before == now or before >= len(stops) or stops[before].section != stops[now].section:
            self.update()
            return
        placed = self.layout_of_map
        for stop in stops[min(before, now) : max(before, now) + 1]:
            for boxes in (placed.cells, placed.lines):
                self.update(boxes[stop].toAlignedRect())


class MapLayout:
    """A row for each section with a cell for each of its stops, and lines with the names of the stops nearby.

    These stand below the row of the section one is in.
    """

    def __init__(self, look: Look, walk: Walk, width: float, height: float, name: float) -> None:
        """`name`: how wide the widest name of a section is, in pixels; the cells begin behind it."""
        self.here = walk.stop
        here = walk.section(self.here.section)
        sections = range(BELOW, walk.n_layers + 1)
        room, low = height - _MAP_MARGIN, look.pixels(_LOWEST_STAGE)
        stage = min(look.pixels(_STAGE_HEIGHT), max(low, (room - len(sections) * look.pixels(9)) / len(here)))
        section = (room - len(here) * stage) / len(sections)
        self.section_height = min(look.pixels(_SECTION_HEIGHT), max(_LOWEST_SECTION, section))
        self.stage_height = float(stage)
        self.names: dict[int, QRectF] = {}
        """By section the whole row, in which a click anywhere but on a cell enters the section."""
        self.cells: dict[Stop, QRectF] = {}
        self.lines: dict[Stop, QRectF] = {}
        """The named stops of the section one is in."""
        top = _MAP_MARGIN / 2
        for number in sections:
            self.names[number] = QRectF(_MAP_MARGIN, top, width - _MAP_MARGIN, self.section_height)
            self._lay_out_cells(walk.section(number), name, width, top)
            top += self.section_height
            if number == self.here.section:
                for stop in here:
                    self.lines[stop] = QRectF(_MAP_MARGIN, top, width - _MAP_MARGIN, self.stage_height)
                    top += self.stage_height

    def _lay_out_cells(self, stops: tuple[Stop, ...], name: float, width: float, top: float) -> None:
        """Give each stop a cell; between two parts of a layer is a gap."""
        parts = [STAGES[stop.stage].part for stop in stops]
        n_gaps = sum(one is not other for one, other in pairwise(parts))
        left = _MAP_MARGIN + name
        pitch = (width - left - 3 * _GAP * n_gaps) / len(stops)
        for index, stop in enumerate(stops):
            if index and parts[index] is not parts[index - 1]:
                left += 3 * _GAP
            self.cells[stop] = QRectF(left, top, pitch, self.section_height)
            left += pitch

    def stop_at(self, at: QPointF) -> Stop | None:
        """Return the stop of the cell or of the line under a point."""
        for boxes in (self.cells, self.lines):
            for stop, box in boxes.items():
                if box.contains(at):
                    return stop
        return None

    def section_at(self, at: QPointF) -> int | None:
        """Return the section of the row under a point."""
        return next((section for section, box in self.names.items() if box.contains(at)), None)
