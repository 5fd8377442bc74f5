"""`BarPen`: writes the cells of the bar of stops, and measures what is written in them."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter

from bertviz_app.viewmodels.steps import words as step_words
from bertviz_app.viewmodels.steps.stage import Traits
from bertviz_app.viewmodels.steps.stops import Stop, Walk
from bertviz_app.views.kit.look import Look
from bertviz_app.views.steps.bar_layout import Widths
from bertviz_app.views.steps.formula import fitting

_SIGN_SIZE, _SECTION_SIZE = 12.0, 10.5


class BarPen:
    """Draws for a walk; `traits` and `first` name the activation and the first token."""

    def __init__(self, look: Look, walk: Walk, traits: Traits, first: str) -> None:
        self._look = look
        self._walk = walk
        self._traits = traits
        self._first = first

    @property
    def widths(self) -> Widths:
        """How wide signs and names are."""
        return Widths(
            lambda stage: self._width(self.sign(stage), _SIGN_SIZE),
            lambda stage: self._width(_brief(self.sign(stage)), _SIGN_SIZE),
            lambda number: self._width(_name(number, self._walk.n_layers), _SECTION_SIZE),
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


def _name(section: int, n_layers: int) -> str:
    return f"\\t{{{step_words.section_name(section, n_layers)}}}"


def _brief(sign: str) -> str:
    """Return a sign for a narrow cell: of a word its first letter."""
    if sign.startswith("\\t{"):
        return f"\\t{{{sign[3:-1].strip('[<')[0]}}}"
    return sign
