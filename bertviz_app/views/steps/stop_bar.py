"""Where one is on the walk: the sections of the encoder, and the stages of this one, each a click away."""

from __future__ import annotations

import math

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.viewmodels.steps import words as step_words
from bertviz_app.viewmodels.steps.stage import BERT_TRAITS, Traits
from bertviz_app.viewmodels.steps.stops import Stop, Walk
from bertviz_app.viewmodels.steps.why import term_of_stage
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import plain
from bertviz_app.views.steps.bar_layout import SECTIONS, BarLayout, Widths, height, n_rows
from bertviz_app.views.steps.formula import fitting

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
        self.retranslate()

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self.setAccessibleName(self.tr("Stages of the encoder"))
        self._on_moved()

    @guarded(default=QSize())
    def sizeHint(self) -> QSize:
        return QSize(300, height(self.look, self._n_rows))

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

    def _fit(self) -> None:
        """Take the rows that the signs need at this width. The stop that is shown changes nothing."""
        rows = n_rows(self.look, self._walk, self._widths, self.width()) if self._may_wrap else 1
        if rows != self._n_rows:
            self._n_rows = rows
            self.updateGeometry()

    @property
    def _widths(self) -> Widths:
        return Widths(self._sign_width, self._section_width)

    def _sign_width(self, stage: str) -> float:
        return fitting(self.look, (self._sign(stage),), math.inf, _SIGN_SIZE).box.width

    def _section_width(self, section: int) -> float:
        name = f"\\t{{{step_words.section_name(section, self._walk.n_layers)}}}"
        return fitting(self.look, (name,), math.inf, _SECTION_SIZE).box.width

    def _sign(self, stage: str) -> str:
        return step_words.sign(stage, self.traits.activation, self._first, self._walk.layer_form)

    @property
    def layout_of_bar(self) -> BarLayout:
        """Where everything lies at this size."""
        return BarLayout(self.look, self._walk, self._widths, self.width(), self._n_rows)

    def box_of(self, stop: Stop) -> QRectF:
        """Return where the cell of a stop of this section lies; of another one its section's."""
        placed = self.layout_of_bar
        return placed.stops.get(stop, placed.sections[stop.section])

    # drawing

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        placed = self.layout_of_bar
        for section, box in placed.sections.items():
            self._draw_section(painter, section, box.adjusted(1, 0, -1, 0))
        for stop, box in placed.stops.items():
            self._draw_stage(painter, stop, box.adjusted(1, 0, -1, 0))

    def _draw_section(self, painter: QPainter, section: int, box: QRectF) -> None:
        here = self._walk.stop.section
        hovered = self._hovered is not None and self._hovered.section == section != here
        painter.setPen(Qt.PenStyle.NoPen)
        alpha = 0.28 if section < here else 0.2 if hovered else 0.0
        painter.setBrush(self.look.colour("accent", 1.0 if section == here else alpha))
        if section > here and not hovered:
            painter.setBrush(self.look.colour("raised"))
        painter.drawRoundedRect(box, 3, 3)
        name = step_words.section_name(section, self._walk.n_layers)
        is_layer = 0 <= section < self._walk.n_layers
        brief = str(section) if is_layer else name[:1]
        formulas = (f"\\t{{{brief}}}",) if is_layer else (f"\\t{{{name}}}", f"\\t{{{brief}}}")
        # A name reaches farther above its line than below it, Hangul most of all.
        self._write(
            painter, formulas, box.translated(0, 1), _SECTION_SIZE, "on_accent" if section == here else "text"
        )

    def _draw_stage(self, painter: QPainter, stop: Stop, box: QRectF) -> None:
        here = self._walk.stop
        if stop == here or stop == self._hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.look.colour("accent", 0.2 if stop == here else 0.1))
            painter.drawRoundedRect(box, 3, 3)
        is_behind = self._walk.stops.index(stop) <= self._walk.position
        line = QRectF(box.left(), box.bottom() - 2, box.width(), 2)
        painter.fillRect(line, self.look.colour("accent" if is_behind else "rule"))
        colour = "accent" if stop == here else "text" if is_behind else "secondary"
        sign = self._sign(stop.stage)
        self._write(painter, (sign, _brief(sign)), box.adjusted(0, 0, 0, -3), _SIGN_SIZE, colour)

    def _write(
        self, painter: QPainter, formulas: tuple[str, ...], box: QRectF, pixels: float, colour: str
    ) -> None:
        made = fitting(self.look, formulas, box.width() - 2, pixels)
        painter.setPen(self.look.colour(colour))
        middle = box.center().y() + (made.box.above - made.box.below) / 2
        made.draw(painter, QPointF(box.center().x() - made.box.width / 2, middle))

    # gestures

    def term_at(self, position: QPoint) -> str:
        """Return the term of the glossary that a stop under a position is about."""
        is_stage = position.y() >= self.look.pixels(SECTIONS)
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
        if stop.section == self._walk.stop.section and event.position().y() >= self.look.pixels(SECTIONS):
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
        if event.pos().y() >= self.look.pixels(SECTIONS):
            title = step_words.title(stop.stage, self._first, self._walk.layer_form)
            text = plain(f"{title}\n{step_words.sentence(stop.stage, self.traits)}")
        QToolTip.showText(event.globalPos(), text, self)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()

    def _on_look_changed(self) -> None:
        super()._on_look_changed()
        self._fit()
        self.updateGeometry()

    def _on_moved(self) -> None:
        self._fit()  # the encoder may be another one
        stop = self._walk.stop
        section = step_words.section_name(stop.section, self._walk.n_layers)
        title = step_words.title(stop.stage, self._first, self._walk.layer_form)
        self.setAccessibleDescription(f"{section}, {title}")
        self.update()


def _brief(sign: str) -> str:
    """Return a sign for a narrow cell: of a word its first letter."""
    if sign.startswith("\\t{"):
        return f"\\t{{{sign[3:-1].strip('[<')[0]}}}"
    return sign
