"""Where one is on the walk: the sections of the encoder, and the stages of this one, each a click away."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import accumulate
from typing import TypeVar

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Slot
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.viewmodels.steps import stops as step_words
from bertviz_app.viewmodels.steps.stage import BERT_TRAITS, EncoderPart, Traits
from bertviz_app.viewmodels.steps.stops import BELOW, STAGES, Stop, Walk, term_of_stage
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import plain
from bertviz_app.views.steps.formula import fitting

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
        walk.moved.connect(self._on_moved)
        look.changed.connect(self._fit)
        self.retranslate()

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Stages of the encoder"))
        self._on_moved()

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(300, _height(self.look, self._n_rows))

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def set_names(self, traits: Traits, first: str) -> None:
        """Name the activation of the feed-forward part, and the first token."""
        if (traits, first) != (self.traits, self._first):
            self.traits, self._first = traits, first
            self._on_moved()

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

    def box_of(self, stop: Stop) -> QRectF:
        """Return where the cell of a stop of this section lies; of another one its section's."""
        placed = self.layout_of_bar
        return placed.stops.get(stop, placed.sections[stop.section])

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

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hovered = self.stop_at(event.position())
        self.update()

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        self._hovered = None
        self.update()

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        stop = self.stop_at(event.position())
        if stop is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if stop.section == self._walk.stop.section and event.position().y() >= self.look.pixels(_SECTIONS):
            self._walk.go(stop)
        else:
            self._walk.enter(stop.section)

    @guarded(default=False)
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

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()

    def _on_moved(self) -> None:
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
