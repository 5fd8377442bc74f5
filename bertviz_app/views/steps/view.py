"""The Steps panel: a walk through every stage of the encoder with the numbers of one's own sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt, Slot
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QScrollBar,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.text.edits import edits_text
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.heads.pictures import HeadOfRun
from bertviz_app.viewmodels.options import Selection
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.runs.shown import Details
from bertviz_app.viewmodels.steps import stops as step_words
from bertviz_app.viewmodels.steps.columns import FollowedQuery
from bertviz_app.viewmodels.steps.stage import Traits
from bertviz_app.viewmodels.steps.stops import StopReader, StopTensors, why
from bertviz_app.viewmodels.steps.walk import PanelWalk
from bertviz_app.viewmodels.wording import head_change_text
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelView
from bertviz_app.views.kit.words import language
from bertviz_app.views.steps.divisor_bar import DivisorBar
from bertviz_app.views.steps.heading import StepsHead
from bertviz_app.views.steps.model_map import ModelMap
from bertviz_app.views.steps.picture import StepsPicture
from bertviz_app.views.steps.stop_bar import StepsBar
from bertviz_app.views.steps.table import StepsTable, has_column
from bertviz_app.views.steps.title_row import TitleRow
from bertviz_app.views.steps.why_note import WhyNote

_SENTENCE_FROM, _CLOSE_LINES_FROM, _TWO_LINES_FROM, _ONE_LINE_FITS = 290, 360, 500, 640
_SHAPES_BELOW = 460
_FORMULA_FROM = 280
_CONTROLS_FROM, _FORMS_FROM = 480, 340
_WRAPS_FROM = 340
_MAP_FROM, _MAP_HEIGHT_FROM = 660, 440


class StepsView(PanelView):
    """Shows one stop of the walk through the head, as a picture or as the textbook's table.

    `head_requested` tells that one walked into another layer. Left and right walk, up and down choose the
    query, page up and down change the layer.
    """

    def __init__(
        self, look: Look, selection: Selection, details: Details, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self.walk = PanelWalk(self)
        self.followed = FollowedQuery(selection, self)
        self._reader = StopReader(details)
        self._tensors: StopTensors | None = None
        self.title_row = TitleRow(self.walk)
        self.heading = StepsHead(look)
        self.why = WhyNote(look, self)
        self.bar = StepsBar(look, self.walk)
        self.map = ModelMap(look, self.walk)
        self.walking = StepsPicture(look, selection, QScrollBar(Qt.Orientation.Vertical))
        self.table = StepsTable(look)
        self._stack = QStackedLayout()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._lay_out()
        self._connect(details, selection)
        self.retranslate()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(0)
        column.addWidget(self.title_row)
        column.addWidget(self.bar)
        below = QHBoxLayout()
        beside = QVBoxLayout()
        beside.addWidget(self.heading)
        beside.addWidget(self.why)
        beside.addWidget(DivisorBar(self.walk))
        beside.addLayout(self._stack, 1)
        below.addWidget(self.map)
        self.map.hide()  # until there is room: while it is shown the panel cannot be narrower than both
        below.addLayout(beside, 1)
        column.addLayout(below, 1)
        self._stack.addWidget(_beside(self.walking, self.walking.scrolling.bar))
        self._stack.addWidget(_inset(self.table))

    def _connect(self, details: Details, selection: Selection) -> None:
        self.walk.form_changed.connect(self._on_form_changed)
        self.walk.what_if.changed.connect(self.refresh)
        playing = self.walk.playing
        playing.frame.connect(lambda: self.walking.set_progress(playing.progress))
        self.walk.why_changed.connect(self._on_why_changed)
        self.walk.products_changed.connect(lambda: self.walking.show_products(self.walk.shows_products))
        self.walking.products_requested.connect(self.walk.turn_products)
        self.heading.why.clicked.connect(self.walk.turn_why)
        self.walk.moved.connect(self._on_moved)
        self.walk.chosen.connect(self.choice_made)
        self.walk.head_requested.connect(self.head_requested)
        self.walking.query_chosen.connect(self.followed.choose)
        self.table.key_pointed.connect(self.followed.point_at)
        selection.changed.connect(self._on_selection_changed)
        details.arrived.connect(self.refresh)

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Steps through the encoder"))
        self.title_row.retranslate()
        self.heading.retranslate()
        self.bar.retranslate()
        self.map.retranslate()
        self.table.retranslate()
        self.refresh()

    # what is shown

    def show_panel(self, panel: Panel) -> None:
        self.walk.follow(panel)

    def show_head(self, head: HeadOfRun) -> None:
        """Show a head of a run; a difference has no steps."""
        super().show_head(head)
        self.followed.trace = None if head.is_difference else head.trace
        self.walk.follow_head(head.trace, head.layer, head.head)
        self.bar.retranslate()
        self.refresh()

    def set_stale(self, is_stale: bool) -> None:
        super().set_stale(is_stale)
        self.walking.set_stale(is_stale)

    @Slot()
    def _on_form_changed(self) -> None:
        self.title_row.forms.choose(self.walk.form)
        self._stack.setCurrentIndex(0 if self.walk.form == "walk" else 1)
        self.refresh()

    @Slot()
    def _on_why_changed(self) -> None:
        self.heading.why.setChecked(self.walk.shows_why)
        self.heading.retranslate()
        self.refresh()
        self._give_room()

    @property
    def is_waiting(self) -> bool:
        tensors = self._tensors
        return self.walking.sheet is None and tensors is not None and self._reader.is_coming(tensors)

    @Slot()
    def refresh(self) -> None:
        """Compute what stands at the stop, and draw it."""
        stop, trace, first = self.walk.shown_stop, self.followed.trace, self.followed.first_name
        title = step_words.title(stop.stage, first, self.walk.layer_form)
        if stop != self.walk.stop:  # the bar marks a stage that the table does not have
            title = self.tr("One query and every key")
        head = 0 if self.shown_head is None else self.shown_head.head
        shares = trace is not None and trace.shares_layers
        where = step_words.where(stop, self.walk.n_layers, head, shares_layers=shares)
        if trace is not None and stop.is_of_a_head:
            note = head_change_text(trace.edits, stop.section, head, self.tr("muted"))
            where += f" · {note}" if note else ""
        self.title_row.show_stop(title, where)
        if trace is not None:
            self._show(trace, head)
        elif self.shown_head is not None:
            self.walking.show_message(self.tr("Steps are those of one run: choose A or B for this panel."))

    def _show(self, trace: Trace, head: int) -> None:
        stop, what_if = self.walk.stop, self.walk.what_if
        tensors = self._reader.at(trace, stop, head, self.followed.query)
        what_if.show_stop(stop, trace.radicand)
        tensors = self._tensors = replace(tensors, what_if=what_if.weights(tensors.steps))
        self.walking.show_stop(tensors, self._reader.message(tensors))
        self.walk.playing.is_ready = self.walking.sheet is not None
        shown = replace(tensors, stop=self.walk.shown_stop)
        self.heading.show_stop(shown, self._note_over_table())
        if self.walk.shows_why:
            self.why.show_reason(*why(shown, language()))
        if self.walk.form == "table" and tensors.steps is not None:
            self.table.show_steps(tensors.steps, trace.tokens.labels)
            self.table.interventions = edits_text(trace.edits)
            self.table.mark(self.walk.stop.stage)
        known = None if tensors.details is None else tensors.details.activation
        traits = Traits(known or self.bar.traits.activation, trace.form)
        self.bar.set_names(traits, self.followed.first_name)
        self.map.set_names(traits, self.followed.first_name)

    def _note_over_table(self) -> str:
        """Return where the numbers of the stop are, if the table that is shown has no column of them."""
        stage = self.walk.stop.stage
        if self.walk.form == "walk" or has_column(stage):
            return ""
        title = step_words.title(stage, self.followed.first_name, self.walk.layer_form)
        return self.tr("The table goes from q · k to Z; Walk shows “{0}”.").format(title)

    # gestures

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = _actions(self).get(Qt.Key(event.key()))
        if action is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            event.ignore()
        else:
            action()

    @Slot()
    def _on_moved(self) -> None:
        layer, trace = self.walk.layer, self.followed.trace
        if trace is not None and layer is not None and layer < trace.n_layers:
            self._reader.try_again(trace, layer)
        self.refresh()

    @Slot()
    def _on_selection_changed(self) -> None:
        if not self.isVisible():
            return  # it follows the selection again as soon as it is shown
        self.walking.highlight()
        if self._tensors is not None and self._tensors.query != self.followed.query:
            self.refresh()

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._on_selection_changed()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._give_room()

    def _on_look_changed(self) -> None:
        super()._on_look_changed()
        self._give_room()

    def _give_room(self) -> None:
        """Show above the picture what there is height for."""
        self.walk.playing.reduces_motion = self.look.reduces_motion
        self.heading.setVisible(self.height() >= self.look.pixels(_FORMULA_FROM))
        self.why.setVisible(self.walk.shows_why)
        self.why.updateGeometry()  # in a higher panel more of it is in sight
        width, height = self.width() / self.look.scale, self.height() / self.look.scale
        self.title_row.set_wide(is_wide=width >= _CONTROLS_FROM, is_narrow=width < _FORMS_FROM)
        has_map = width >= _MAP_FROM and height >= _MAP_HEIGHT_FROM
        self.map.setVisible(has_map)
        self.bar.setVisible(not has_map)
        self.bar.set_may_wrap(may_wrap=height >= _WRAPS_FROM)
        width -= self.map.sizeHint().width() / self.look.scale if has_map else 0
        has_shapes_below = width < _SHAPES_BELOW and height >= _TWO_LINES_FROM
        lines, are_close = _sentence_lines(width, height)
        self.heading.set_lines(lines, are_close=are_close, has_shapes_below=has_shapes_below)


def _beside(widget: QWidget, bar: QScrollBar) -> QWidget:
    """Return a widget that holds `widget` and the scroll bar at its right."""
    around = QWidget()
    layout = QHBoxLayout(around)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(0)
    layout.addWidget(widget, 1)
    layout.addWidget(bar)
    return around


def _inset(widget: QWidget) -> QWidget:
    """Return a widget that holds `widget` away from the edges of the panel."""
    around = QWidget()
    layout = QHBoxLayout(around)
    layout.setContentsMargins(10, 0, 4, 0)
    layout.addWidget(widget)
    return around


def _actions(view: StepsView) -> dict[Qt.Key, Callable[[], None]]:
    walk, n_stops = view.walk, len(view.walk.stops)
    return {
        Qt.Key.Key_Right: lambda: walk.step(1),
        Qt.Key.Key_Left: lambda: walk.step(-1),
        Qt.Key.Key_Down: lambda: view.followed.step(1),
        Qt.Key.Key_Up: lambda: view.followed.step(-1),
        Qt.Key.Key_Space: walk.playing.turn,
        Qt.Key.Key_Y: walk.turn_why,
        Qt.Key.Key_Return: view.walk.turn_products,
        Qt.Key.Key_Enter: view.walk.turn_products,
        Qt.Key.Key_Home: lambda: walk.step(-n_stops),
        Qt.Key.Key_End: lambda: walk.step(n_stops),
        Qt.Key.Key_PageDown: lambda: walk.step_section(1),
        Qt.Key.Key_PageUp: lambda: walk.step_section(-1),
    }


def _sentence_lines(width: float, height: float) -> tuple[int, bool]:
    """Return how many lines the sentence gets in a panel of this size at the normal text size, and if close.

    The size alone decides, so that nothing jumps on the way.
    """
    if height < _SENTENCE_FROM:
        return 0, False
    has_two = height >= _CLOSE_LINES_FROM and width < _ONE_LINE_FITS
    return (2, height < _TWO_LINES_FROM) if has_two else (1, False)
