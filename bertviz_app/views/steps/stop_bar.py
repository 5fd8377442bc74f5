"""Where one is on the walk: the sections of the encoder, and the stages of this one, each a click away."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.viewmodels.steps import words as step_words
from bertviz_app.viewmodels.steps.stage import BERT_TRAITS, Traits
from bertviz_app.viewmodels.steps.stops import Stop, Walk
from bertviz_app.viewmodels.steps.why import term_of_stage
from bertviz_app.views.kit.canvas import Canvas, guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import plain
from bertviz_app.views.steps.formula import fitting

_SECTIONS, _STAGES = 18.0, 26.0
_MARGIN = 12.0


class StepsBar(Canvas):
    """Two rows of cells: sections above, stages below; those behind one are filled."""

    def __init__(self, look: Look, walk: Walk, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._walk = walk
        self.traits, self._first = BERT_TRAITS, BERT_NAMES.first
        self._hovered: Stop | None = None
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
        return QSize(300, self.look.pixels(_SECTIONS) + self.look.pixels(_STAGES))

    @guarded(default=QSize())
    def minimumSizeHint(self) -> QSize:
        return QSize(120, self.sizeHint().height())

    def set_names(self, traits: Traits, first: str) -> None:
        """Name the activation of the feed-forward part, and the first token."""
        if (traits, first) != (self.traits, self._first):
            self.traits, self._first = traits, first
            self._on_moved()

    def box_of(self, stop: Stop) -> QRectF:
        """Return where the cell of a stop of this section lies; of another one its section's."""
        if stop.section != self._walk.stop.section:
            return self._section_box(stop.section)
        stops = self._walk.section(stop.section)
        room = self.width() - 2 * _MARGIN
        pitch = room / len(stops)
        top = self.look.pixels(_SECTIONS)
        left = _MARGIN + stops.index(stop) * pitch
        return QRectF(left, top, pitch, self.look.pixels(_STAGES) - 4)

    def _section_box(self, section: int) -> QRectF:
        """Return where the cell of a section lies; the embeddings and the top are twice as wide."""
        n_layers = self._walk.n_layers
        pitch = (self.width() - 2 * _MARGIN) / (n_layers + 4)
        left = 0.0 if section < 0 else (2 + section) * pitch
        width = pitch if 0 <= section < n_layers else 2 * pitch
        return QRectF(_MARGIN + left, 1, width, self.look.pixels(_SECTIONS) - 3)

    # drawing

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        here = self._walk.stop
        for section in range(-1, self._walk.n_layers + 1):
            self._draw_section(painter, section)
        for stop in self._walk.section(here.section):
            self._draw_stage(painter, stop)

    def _draw_section(self, painter: QPainter, section: int) -> None:
        box = self._section_box(section).adjusted(1, 0, -1, 0)
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
        self._write(painter, formulas, box.translated(0, 1), 10.5, "on_accent" if section == here else "text")

    def _draw_stage(self, painter: QPainter, stop: Stop) -> None:
        box = self.box_of(stop).adjusted(1, 0, -1, 0)
        here = self._walk.stop
        if stop == here or stop == self._hovered:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.look.colour("accent", 0.2 if stop == here else 0.1))
            painter.drawRoundedRect(box, 3, 3)
        is_behind = self._walk.stops.index(stop) <= self._walk.position
        line = QRectF(box.left(), box.bottom() - 2, box.width(), 2)
        painter.fillRect(line, self.look.colour("accent" if is_behind else "rule"))
        colour = "accent" if stop == here else "text" if is_behind else "secondary"
        sign = step_words.sign(stop.stage, self.traits.activation, self._first, self._walk.layer_form)
        self._write(painter, (sign, _brief(sign)), box.adjusted(0, 0, 0, -3), 12, colour)

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
        is_stage = position.y() >= self.look.pixels(_SECTIONS)
        stop = self.stop_at(QPointF(position)) if is_stage else None
        return "" if stop is None else term_of_stage(stop.stage)

    def stop_at(self, at: QPointF) -> Stop | None:
        """Return the stop of the cell under a point; of a section's cell one of that section."""
        if at.y() < self.look.pixels(_SECTIONS):
            for section in range(-1, self._walk.n_layers + 1):
                if self._section_box(section).contains(at):
                    return self._walk.section(section)[0]
            return None
        stops = self._walk.section(self._walk.stop.section)
        return next((stop for stop in stops if self.box_of(stop).contains(at)), None)

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

    def _on_moved(self) -> None:
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
