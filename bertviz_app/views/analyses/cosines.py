"""Two words compared: a line of their cosine through the layers, and what each looks at side by side."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QCoreApplication, QPointF, QRectF, QSize, QSizeF, Qt, Slot
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QComboBox, QLabel, QSizePolicy, QWidget

from bertviz_app.analysis.results import WordPair
from bertviz_app.features.steps.views.small_plots import draw_arrow
from bertviz_app.options import Run
from bertviz_app.text import Tokens
from bertviz_app.types import Floats
from bertviz_app.viewmodels.analyses.analyses import Analysed, Section, largest
from bertviz_app.viewmodels.options import Pair
from bertviz_app.viewmodels.panel import SHOWS_ATTENTION, Content, Panel, Value
from bertviz_app.views.analyses.sections import SectionBars
from bertviz_app.views.kit.canvas import Canvas
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.widgets import scrolled
from bertviz_app.views.kit.words import fixed, plain
from bertviz_app.views.plots.axes import NumberAxis
from bertviz_app.views.plots.picture import PicturePlot
from bertviz_app.views.plots.plot import Box

_MOST_LOOKED_AT = 5
_ANGLE = 170
_LOW, _NARROW = 330, 430
"""Below this height the line alone is drawn, below this width without words on the dashes and angle."""


class CosinePlot(PicturePlot[int]):
    """Draws the cosine of two tokens in each hidden state, and the mean of all pairs as a broken line.

    Its parts are the states, of which the last one is shown where none is read out.
    """

    reads_at_pointer = False
    along = (0, 1)

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._cosine: Floats = np.zeros(0, np.float32)
        self._mean: Floats = np.zeros(0, np.float32)
        self.box = Box(self)
        self.left = NumberAxis(self, self.box, "left", write=lambda value: fixed(value, 1))
        # E are the embeddings; the number of a layer stands below what it puts out.
        self.bottom = NumberAxis(
            self, self.box, "bottom", write=lambda state: f"{state - 1:.0f}" if state else "E"
        )
        self.bottom.is_whole = True
        self.item = self.plot_around(self.box, left=self.left, bottom=self.bottom)
        self.item.layout.setContentsMargins(6, 8, 22, 2)
        self.ci.addItem(self.item, 0, 0)
        self.level = pg.PlotDataItem()
        self.curve = pg.PlotDataItem()
        self.layer_line = pg.InfiniteLine(angle=90)
        for part in (self.layer_line, self.level, self.curve):
            self.item.addItem(part, ignoreBounds=True)
        self.recolour()

    def show_cosines(self, cosine: Floats, mean: Floats, state: int) -> None:
        """Draw the numbers of the states, with a line at the one whose attention is shown."""
        self._cosine, self._mean = cosine, mean
        lowest = math.floor(min(0.0, float(cosine.min()), float(np.nanmin(mean, initial=0.0))) * 5) / 5
        self.box.set_whole(QRectF(-0.3, lowest - 0.05, len(cosine) - 0.4, 1.1 - lowest))
        self.layer_line.setValue(state)
        self.setAccessibleDescription(", ".join(self._words(at) for at in range(len(cosine))))
        self.recolour()
        self.forget_part()

    def recolour(self) -> None:
        accent, secondary = self.look.colour("accent"), self.look.colour("secondary")
        for axis in (self.left, self.bottom):
            axis.recolour()
        self.left.fit_numbers("−0.0")
        self.layer_line.setPen(QPen(self.look.colour("rule"), 0))
        states = np.arange(len(self._cosine))
        pen, broken = QPen(accent, 2.5), QPen(secondary, 1.5, Qt.PenStyle.DashLine)
        for each in (pen, broken):
            each.setCosmetic(True)
        self.curve.setData(
            states, self._cosine, pen=pen, symbol="o", symbolSize=8, symbolPen=None, symbolBrush=accent
        )
        self.level.setData(states, self._mean, pen=broken)

    def sizeHint(self) -> QSize:
        return QSize(320, 180)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 110)

    def cosine_at(self, state: int) -> float:
        """Return the cosine in a hidden state."""
        return float(self._cosine[state])

    def place(self, state: int) -> str:
        """Return where in the model a hidden state is."""
        if not state:
            return QCoreApplication.translate("Words", "embeddings")
        return QCoreApplication.translate("Words", "after layer {0}").format(state - 1)

    def _words(self, state: int) -> str:
        """Return what is read out of a state."""
        words = QCoreApplication.translate("Words", "{0}: cosine {1}, mean of all pairs {2}")
        return words.format(
            self.place(state), fixed(float(self._cosine[state])), fixed(float(self._mean[state]))
        )

    @property
    def count(self) -> int:
        return len(self._cosine)

    @property
    def shown_state(self) -> int:
        """The state that is read out, or else the last one."""
        return len(self._cosine) - 1 if self.part is None else self.part

    def part_at(self, at: QPointF) -> int | None:
        position = self.box.position_inside(at)
        is_there = position is not None and self.count
        return min(max(round(position.x()), 0), self.count - 1) if is_there and position is not None else None

    def extent_of(self, part: int) -> QRectF:
        return QRectF(part, float(self._cosine[part]), 0, 0)

    def lines_of(self, part: int) -> list[str]:
        return [self._words(part)]


class AnglePlot(Canvas):
    """The angle between two vectors, by their cosine: arrows of one length, of which it is independent."""

    def __init__(self, look: Look) -> None:
        super().__init__(look)
        self._words = "", ""
        self._cosine = 1.0
        self._place = ""
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        return QSize(self.look.pixels(_ANGLE), 110)

    def show_angle(self, cosine: float, words: tuple[str, str], place: str) -> None:
        """Draw the angle of a cosine between two words, and write where in the model it is."""
        self._cosine, self._words, self._place = min(1.0, max(-1.0, cosine)), words, place
        self.setAccessibleName(f"{place}: {self.equation}")
        self.setToolTip(plain(self.accessibleName()))
        self.update()

    @property
    def degrees(self) -> float:
        """The angle, from 0 to 180."""
        return math.degrees(math.acos(self._cosine))

    @property
    def equation(self) -> str:
        return f"cos {fixed(self.degrees, 0)}° = {fixed(self._cosine, 2)}"

    def draw(self, painter: QPainter) -> None:
        line, room = self.look.pixels(20), QRectF(self.rect()).adjusted(8, 4, -8, -4)
        low = self.degrees > 90  # then the second arrow points to the left of where both begin
        length = min(room.width() * (0.44 if low else 0.72), room.height() - 3.2 * line)
        start = QPointF(room.left() + (room.width() / 2 if low else 10), room.bottom() - 2.2 * line)
        radius = length / 3
        painter.setPen(QPen(self.look.colour("secondary"), 1.5))
        arc = QRectF(start.x() - radius, start.y() - radius, 2 * radius, 2 * radius)
        painter.drawArc(arc, 0, round(16 * self.degrees))
        for angle, word, colour in (
            (0.0, self._words[0], "accent"),
            (self.degrees, self._words[1], "output"),
        ):
            turned = math.radians(angle)
            end = start + QPointF(math.cos(turned), -math.sin(turned)) * length
            draw_arrow(painter, self.look, (start, end), self.look.colour(colour), 2.5)
            self._write_word(painter, word, end, angle, colour)
        painter.setPen(self.look.colour("text"))
        painter.setFont(self.look.number_font(14))
        below = QRectF(room.left(), room.bottom() - line, room.width(), line)
        painter.drawText(below, Qt.AlignmentFlag.AlignCenter, self.equation)
        painter.setPen(self.look.colour("secondary"))
        painter.setFont(self.look.font(12))
        painter.drawText(
            QRectF(room.topLeft(), QSizeF(room.width(), line)), Qt.AlignmentFlag.AlignLeft, self._place
        )

    def _write_word(self, painter: QPainter, word: str, at: QPointF, angle: float, colour: str) -> None:
        """Write a word at the tip of its arrow: the first one below it, the second one above."""
        line = self.look.pixels(20)
        painter.setFont(self.look.font(14, bold=True))
        painter.setPen(self.look.colour(colour))
        metrics = QFontMetricsF(painter.font())
        text = metrics.elidedText(word, Qt.TextElideMode.ElideRight, self.width() * 0.6)
        width = metrics.horizontalAdvance(text) + 2
        left = min(max(at.x() - width / 2, 4.0), self.width() - width - 4)
        top = at.y() + 4 if angle == 0 else at.y() - line - 2
        painter.drawText(QRectF(left, top, width, line), Qt.AlignmentFlag.AlignCenter, text)


class CosinesView(PanelView):
    """Follows the token that is picked in its run; both can be chosen from lists of the tokens, too."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        self._content: Content = SHOWS_ATTENTION
        self._words = "", ""
        self.sentence = named(QLabel(wordWrap=True), "title")
        self.own, self.other = named(QComboBox(), "word"), named(QComboBox(), "word")
        self.plot = CosinePlot(tools.look)
        self.angle = AnglePlot(tools.look)
        self.looks = SectionBars(tools.look), SectionBars(tools.look)
        self.dimmed = self.plot, self.angle, *self.looks
        self._lay_out()
        for field, name in ((self.own, "token"), (self.other, "beside")):
            field.activated.connect(lambda at, name=name: self._choose(**{name: at}))
        self._run = tools.selection.run
        tools.selection.pointer.picked.connect(self._on_picked)
        self.plot.part_pointed.connect(self._show_angle)

    def _lay_out(self) -> None:
        translate = QCoreApplication.translate
        self.own.setAccessibleName(translate("Words", "First word"))
        self.other.setAccessibleName(translate("Words", "Second word"))
        for field in (self.own, self.other):
            field.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        words = translate("Words", "dashed: mean of all pairs of words")
        key = named(QLabel(words, wordWrap=True), "secondary")
        key.setContentsMargins(12, 0, 12, 0)
        self.sentence.setContentsMargins(12, 4, 12, 0)
        self._below = QWidget()
        for bars in self.looks:
            bars.setMinimumWidth(self.look.pixels(130))
        in_row(*((scrolled(bars), 1) for bars in self.looks), of=self._below, margins=0)
        fields = in_row((self.own, 1), (self.other, 1), margins=(12, 8, 12, 0))
        drawn = in_row((self.plot, 1), self.angle, margins=0)
        in_column(fields, self.sentence, (drawn, 3), key, (self._below, 2), of=self, margins=0, spacing=2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.angle.setVisible(self.width() >= self.look.pixels(_NARROW))
        self._below.setVisible(self.height() >= self.look.pixels(_LOW))

    def show_panel(self, panel: Panel) -> None:
        """Note what the panel shows, for a word that is chosen."""
        self._content = panel.content

    def show_result(self, analysed: Analysed) -> None:
        super().show_result(analysed)
        result = analysed.result
        if not isinstance(result, WordPair):
            return
        facts, own = result.facts, analysed.traces[0].tokens
        is_within = bool(facts["is_within"]) or analysed.other is None
        other = own if is_within or analysed.other is None else analysed.other.tokens
        at, there, layer = (int(facts[name]) for name in ("token", "other", "layer"))
        _fill(self.own, own, at)
        _fill(self.other, other, there)
        cosine = result.named["cosine"]
        self.plot.show_cosines(cosine, result.named["mean"], layer + 1)
        self._words = own.labels[at], other.labels[there]
        sentence = QCoreApplication.translate(
            "Words", "“{0}” and “{1}”: cosine {2} as embeddings, {3} after the last layer."
        )
        ends = fixed(float(cosine[0]), 2), fixed(float(cosine[-1]), 2)
        self.sentence.setText(sentence.format(*self._words, *ends))
        self.plot.setAccessibleName(self.sentence.text())
        self._show_angle()
        for bars, name, tokens, token in zip(
            self.looks, ("looks", "other_looks"), (own, other), (at, there), strict=True
        ):
            rows = largest(tokens.labels, result.named[name], _MOST_LOOKED_AT)
            words = tokens.labels[token], str(layer)
            bars.show_sections((Section("looks", tuple(rows), words, 1.0),))

    @Slot()
    def _show_angle(self) -> None:
        """Draw the angle of the state that is read out, else of the last one."""
        state = self.plot.shown_state
        self.angle.show_angle(self.plot.cosine_at(state), self._words, self.plot.place(state))

    @Slot(str, object)
    def _on_picked(self, run: Run, pair: Pair) -> None:
        """Compare the token that was clicked with the one that corresponds to it."""
        token = pair.query if pair.query is not None else pair.key
        if token is not None and run == self._run and self.isVisible():
            self._choose(token=token, other=None)

    def _choose(self, **chosen: Value) -> None:
        assert self._content.analysis
        parameters = dict(self._content.parameters) | chosen
        found = tuple((name, value) for name, value in parameters.items() if value is not None)
        self.choice_made.emit(replace(self._content, parameters=found))


def _fill(field: QComboBox, tokens: Tokens, at: int) -> None:
    """List the tokens with their positions, if they are others, and choose one."""
    names = [f"{label}  · {position}" for position, label in enumerate(tokens.labels)]
    if names != [field.itemText(number) for number in range(field.count())]:
        field.clear()
        field.addItems(names)
    field.setCurrentIndex(at)
    field.setToolTip(plain(names[at]))
