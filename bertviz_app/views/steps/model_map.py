"""`ModelMap`: the whole encoder at a glance, with the stop that is shown; a click goes to any other."""

from __future__ import annotations

from itertools import pairwise
from math import ceil

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.viewmodels.steps import stops as step_words
from bertviz_app.viewmodels.steps.stage import BERT_TRAITS, Traits
from bertviz_app.viewmodels.steps.stops import BELOW, STAGES, Stop, Walk, term_of_stage
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import plain
from bertviz_app.views.steps.sheets.sheet_pen import SheetPen

_SECTION_HEIGHT, _LOWEST_SECTION = 22.0, 2.0
_STAGE_HEIGHT, _LOWEST_STAGE = 20.0, 14.0
_GAP = 2.0
_MARGIN = 8.0
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
        self.retranslate()

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

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(self._width, 300)

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        return QSize(self._width, 100)

    @Slot()
    def _fit_titles(self) -> None:
        """Become as wide as the longest title of a stop, so that none is cut."""
        metrics = QFontMetricsF(self.look.font(_TITLE_SIZE, bold=True))
        form = self._walk.layer_form
        titles = {step_words.title(stage, self._first, form) for stage in {s.stage for s in self._walk.stops}}
        widest = max(map(metrics.horizontalAdvance, titles))
        width = ceil(widest + self.look.pixels(_SIGN) + _MARGIN + self.look.pixels(_BEHIND_NAME))
        width = max(self.look.pixels(_LEAST_WIDTH), width)
        if width != self._width:
            self._width = width
            self.updateGeometry()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Map of the encoder"))
        self._on_moved()

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

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._point_at(event.position())

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._point_at(None)

    def _point_at(self, at: QPointF | None) -> None:
        """Mark the name of a stop under a point; where nothing else is under it, nothing is drawn anew."""
        before, self._pointed = self._pointed, at
        for box in self.layout_of_map.lines.values():
            if any(point is not None and box.contains(point) for point in (before, at)):
                self.update(box.toAlignedRect())

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        placed = self.layout_of_map
        stop, section = placed.stop_at(event.position()), placed.section_at(event.position())
        if stop is not None:
            self._walk.go(stop)
        elif section is not None:
            self._walk.enter(section)

    @guarded(default=False)
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
        room, low = height - _MARGIN, look.pixels(_LOWEST_STAGE)
        stage = min(look.pixels(_STAGE_HEIGHT), max(low, (room - len(sections) * look.pixels(9)) / len(here)))
        section = (room - len(here) * stage) / len(sections)
        self.section_height = min(look.pixels(_SECTION_HEIGHT), max(_LOWEST_SECTION, section))
        self.stage_height = float(stage)
        self.names: dict[int, QRectF] = {}
        """By section the whole row, in which a click anywhere but on a cell enters the section."""
        self.cells: dict[Stop, QRectF] = {}
        self.lines: dict[Stop, QRectF] = {}
        """The named stops of the section one is in."""
        top = _MARGIN / 2
        for number in sections:
            self.names[number] = QRectF(_MARGIN, top, width - _MARGIN, self.section_height)
            self._lay_out_cells(walk.section(number), name, width, top)
            top += self.section_height
            if number == self.here.section:
                for stop in here:
                    self.lines[stop] = QRectF(_MARGIN, top, width - _MARGIN, self.stage_height)
                    top += self.stage_height

    def _lay_out_cells(self, stops: tuple[Stop, ...], name: float, width: float, top: float) -> None:
        """Give each stop a cell; between two parts of a layer is a gap."""
        parts = [STAGES[stop.stage].part for stop in stops]
        n_gaps = sum(one is not other for one, other in pairwise(parts))
        left = _MARGIN + name
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
