"""Where one is on the walk: the sections of the encoder, and the stages of this one, each a click away."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Slot
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
from bertviz_app.views.steps.bar_layout import SECTIONS, BarLayout, height, n_rows
from bertviz_app.views.steps.bar_pen import BarPen


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

    @Slot()
    def _fit(self) -> None:
        """Take the rows that the signs need at this width. The stop that is shown changes nothing."""
        rows = n_rows(self.look, self._walk, self._pen.widths, self.width()) if self._may_wrap else 1
        if rows != self._n_rows:
            self._n_rows = rows
            self.updateGeometry()

    @property
    def _pen(self) -> BarPen:
        return BarPen(self.look, self._walk, self.traits, self._first)

    @property
    def layout_of_bar(self) -> BarLayout:
        """Where everything lies at this size."""
        return BarLayout(self.look, self._walk, self._pen.widths, self.width(), self._n_rows)

    def box_of(self, stop: Stop) -> QRectF:
        """Return where the cell of a stop of this section lies; of another one its section's."""
        placed = self.layout_of_bar
        return placed.stops.get(stop, placed.sections[stop.section])

    # drawing

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        placed, pen = self.layout_of_bar, self._pen
        for section, box in placed.sections.items():
            pen.draw_section(painter, section, box.adjusted(1, 0, -1, 0), self._hovered)
        for stop, box in placed.stops.items():
            pen.draw_stage(painter, stop, box.adjusted(1, 0, -1, 0), self._hovered)

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

    def _on_moved(self) -> None:
        self._fit()  # the encoder may be another one
        stop = self._walk.stop
        section = step_words.section_name(stop.section, self._walk.n_layers)
        title = step_words.title(stop.stage, self._first, self._walk.layer_form)
        self.setAccessibleDescription(f"{section}, {title}")
        self.update()
