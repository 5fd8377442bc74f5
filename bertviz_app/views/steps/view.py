"""The Steps panel: a walk through every stage of the encoder with the numbers of one's own sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtGui import QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QPushButton,
    QScrollBar,
    QStackedLayout,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.text.tokens import BERT_NAMES
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.heads.pictures import HeadOfRun
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.runs.layer_details import Details
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.viewmodels.steps import words as step_words
from bertviz_app.viewmodels.steps.panel_walk import PanelWalk
from bertviz_app.viewmodels.steps.stage import Part
from bertviz_app.viewmodels.steps.stages import STAGES
from bertviz_app.viewmodels.steps.stop_reader import StopReader
from bertviz_app.viewmodels.steps.stops import Stop
from bertviz_app.viewmodels.steps.tensors import StopTensors
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.card import Elided, Qualifier, Segments
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelView
from bertviz_app.views.kit.style import named
from bertviz_app.views.steps.heading import StepsHead
from bertviz_app.views.steps.picture import StepsPicture
from bertviz_app.views.steps.stop_bar import StepsBar
from bertviz_app.views.steps.table import StepsTable

_SENTENCE_FROM, _TWO_LINES_FROM, _ONE_LINE_FITS = 290, 500, 640
_SHAPES_BELOW = 460
_FORMULA_FROM = 280
_OF_TABLE = "mixed"  # the stage that the table ends with


class StepsView(PanelView):
    """Shows one stop of the walk through the head, as a picture or as the textbook's table.

    `head_wanted` tells that one walked into another layer. Left and right walk, up and down choose the
    query, page up and down change the layer.
    """

    def __init__(
        self, look: Look, selection: Selection, details: Details, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self.walk = PanelWalk(self)
        self._selection = selection
        self._reader = StopReader(details)
        self._tensors: StopTensors | None = None
        self._scroll = QScrollBar(Qt.Orientation.Vertical)
        self.heading = StepsHead(look)
        self.bar = StepsBar(look, self.walk)
        self.walking = StepsPicture(look, selection, self._scroll)
        self.table = StepsTable(look)
        self.buttons = named(QPushButton("←"), "plain"), named(QPushButton("→"), "plain")
        self._title, self._count = named(Elided(), "title"), named(Qualifier(""), "qualifier")
        self.forms = Segments([("walk", "", ""), ("table", "", "")])
        self._stack = QStackedLayout()
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._lay_out()
        self._connect(details)
        self.retranslate()

    def _lay_out(self) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(8, 4, 8, 0)
        row.setSpacing(4)
        for button in self.buttons:
            row.addWidget(button)
        row.addWidget(self._title)
        row.addWidget(self._count, 1)
        row.addWidget(self.forms)
        picture = QWidget()
        beside = QHBoxLayout(picture)
        beside.setContentsMargins(0, 0, 0, 0)
        beside.setSpacing(0)
        beside.addWidget(self.walking, 1)
        beside.addWidget(self._scroll)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.bar)
        column.addWidget(self.heading)
        column.addLayout(self._stack, 1)
        self._stack.addWidget(picture)  # in a layout of no widget it would be shown as a window
        self._stack.addWidget(_inset(self.table))
        self.forms.choose("walk")

    def _connect(self, details: Details) -> None:
        back, forward = self.buttons
        back.clicked.connect(lambda: self.walk.step(-1))
        forward.clicked.connect(lambda: self.walk.step(1))
        self.forms.chosen.connect(self.walk.show_form)
        self.walk.form_changed.connect(self._on_form_changed)
        self.walk.moved.connect(self._on_moved)
        self.walk.chosen.connect(self.choice_made)
        self.walk.head_wanted.connect(self.head_wanted)
        self.walking.query_chosen.connect(self.choose_query)
        self.table.key_pointed.connect(self._on_key_pointed)
        self._selection.changed.connect(self._on_selection_changed)
        details.arrived.connect(self.refresh)

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self.setAccessibleName(self.tr("Steps through the encoder"))
        words = self.tr("Previous step (←)"), self.tr("Next step (→)")
        for button, text in zip(self.buttons, words, strict=True):
            button.setToolTip(text)
            button.setAccessibleName(text)
        self.forms.set_texts(
            {
                "walk": (self.tr("Walk"), self.tr("Every stage as a picture")),
                "table": (self.tr("Table"), self.tr("query, key, product, weight and value as a table")),
            }
        )
        self.bar.retranslate()
        self.table.retranslate()
        self.refresh()

    # what is shown

    @property
    def query(self) -> int:
        """The token whose way is shown: the highlighted query, the pinned one, else the first word."""
        trace = self._trace
        n_tokens = 1 if trace is None else trace.n_tokens
        for pair in (self._selection.shown, self._selection.pinned):
            query = pair.within(n_tokens).query
            if query is not None:
                return query
        return min(1, n_tokens - 1)

    @property
    def _trace(self) -> Trace | None:
        """The trace of the head; none of a difference: it has no steps."""
        head = self.shown_head
        return None if head is None or head.is_difference else head.trace

    def show_panel(self, panel: Panel) -> None:
        """Show what the panel asks for."""
        self.walk.follow(panel)

    def show_head(self, head: HeadOfRun) -> None:
        """Show a head of a run."""
        super().show_head(head)
        self.walk.follow_head(head.trace, head.layer, head.head)
        self.bar.retranslate()
        self.refresh()

    def set_stale(self, is_stale: bool) -> None:
        """Dim the view while a newer result is computed."""
        super().set_stale(is_stale)
        self.walking.set_stale(is_stale)

    @Slot()
    def _on_form_changed(self) -> None:
        self.forms.choose(self.walk.form)
        self._stack.setCurrentIndex(0 if self.walk.form == "walk" else 1)
        self.refresh()

    @property
    def _shown_stop(self) -> Stop:
        """The stop that title and formula are about: over the table always one of what the table has."""
        stop = self.walk.stop
        is_of_table = self._stack.currentIndex() == 0 or STAGES[stop.stage].part is Part.MIXING
        return stop if is_of_table else Stop(self.layer, _OF_TABLE)

    @property
    def is_waiting(self) -> bool:
        """Whether the view waits for its data."""
        tensors = self._tensors
        return self.walking.sheet is None and tensors is not None and self._reader.is_coming(tensors)

    @property
    def layer(self) -> int:
        """The layer that the stop's numbers are of: in the embeddings the first, on top the last."""
        return min(max(0, self.walk.stop.section), self.walk.n_layers - 1)

    def choose_query(self, query: int) -> None:
        """Follow another token on its way: pin it."""
        self._selection.leave()  # else what the pointer rests on would be shown instead
        if self._selection.pinned.query != query or self._selection.pinned.key is not None:
            self._selection.pin(query=query)

    @Slot()
    def refresh(self) -> None:
        """Compute what stands at the stop, and draw it."""
        stop = self._shown_stop
        count = self.tr("{0} of {1}").format(self.walk.position + 1, len(self.walk.stops))
        title = step_words.title(stop.stage, self._first_name())
        if stop != self.walk.stop:  # the bar marks a stage that the table does not have
            title = self.tr("One query and every key")
        self._title.setText(title)
        head = 0 if self.shown_head is None else self.shown_head.head
        shares = self._trace is not None and self._trace.shares_layers
        where = step_words.where(stop, self.walk.n_layers, head, shares_layers=shares)
        if self._trace is not None and stop.is_of_a_head and (stop.section, head) in self._trace.muted:
            where += " · " + self.tr("muted")
        self._count.setText(f"{where} · {count}")
        back, forward = self.buttons
        back.setEnabled(self.walk.position > 0)
        forward.setEnabled(self.walk.position < len(self.walk.stops) - 1)
        trace = self._trace
        if trace is not None:
            self._show(trace)
        elif self.shown_head is not None:
            self.walking.show_message(self.tr("Steps are those of one run: choose A or B for this panel."))

    def _first_name(self) -> str:
        return BERT_NAMES.first if self._trace is None else self._trace.tokens.special_names.first

    def draw(self, painter: QPainter) -> None:
        """Draw the widget."""
        if self.hasFocus():
            painter.setPen(QPen(self.look.colour("accent"), 2))
            painter.drawRect(self.rect().adjusted(1, 1, -1, -1))

    def _show(self, trace: Trace) -> None:
        assert self.shown_head is not None
        tensors = self._tensors = self._reader.at(trace, self.walk.stop, self.shown_head.head, self.query)
        self.walking.show_stop(tensors, self._reader.message(tensors))
        self.heading.show_stop(replace(tensors, stop=self._shown_stop))
        if self._stack.currentIndex() == 1 and tensors.steps is not None:
            self.table.show_steps(tensors.steps, trace.tokens.labels)
        activation = self.bar.activation if tensors.details is None else tensors.details.activation
        self.bar.name(activation, self._first_name())

    # gestures

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = _actions(self).get(Qt.Key(event.key()))
        if action is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            event.ignore()
        else:
            action()

    def step_query(self, count: int) -> None:
        """Follow the token `count` positions on; not beyond the ends."""
        if self._trace is not None:
            self.choose_query(min(max(0, self.query + count), self._trace.n_tokens - 1))

    @Slot()
    def _on_moved(self) -> None:
        layer, trace = self.walk.layer, self._trace
        if trace is not None and layer is not None and layer < trace.n_layers:
            self._reader.try_again(trace, layer)
        self.refresh()

    @Slot()
    def _on_selection_changed(self) -> None:
        self.walking.highlight()
        if self._tensors is not None and self._tensors.query != self.query:
            self.refresh()

    @Slot(int)
    def _on_key_pointed(self, key: int) -> None:
        if key < 0:
            self._selection.leave()
        else:
            self._selection.hover(self.query, key)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self._give_room()

    def _on_look_changed(self) -> None:
        super()._on_look_changed()
        self._give_room()

    def _give_room(self) -> None:
        """Show above the picture what there is height for."""
        self.heading.setVisible(self.height() >= self.look.pixels(_FORMULA_FROM))
        width, height = self.width() / self.look.scale, self.height() / self.look.scale
        has_shapes_below = width < _SHAPES_BELOW and height >= _TWO_LINES_FROM
        self.heading.set_lines(_sentence_lines(width, height), has_shapes_below=has_shapes_below)

    @guarded
    def focusInEvent(self, event: QEvent) -> None:
        self.update()

    @guarded
    def focusOutEvent(self, event: QEvent) -> None:
        self.update()


def _inset(widget: QWidget) -> QWidget:
    """Return a widget that holds `widget` away from the edges of the panel."""
    around = QWidget()
    layout = QHBoxLayout(around)
    layout.setContentsMargins(10, 0, 4, 0)
    layout.addWidget(widget)
    return around


def _actions(view: StepsView) -> dict[Qt.Key, Callable[[], None]]:
    """Return what the keys do."""
    walk, n_stops = view.walk, len(view.walk.stops)
    return {
        Qt.Key.Key_Right: lambda: walk.step(1),
        Qt.Key.Key_Left: lambda: walk.step(-1),
        Qt.Key.Key_Down: lambda: view.step_query(1),
        Qt.Key.Key_Up: lambda: view.step_query(-1),
        Qt.Key.Key_Return: view.walking.turn_products,
        Qt.Key.Key_Enter: view.walking.turn_products,
        Qt.Key.Key_Home: lambda: walk.step(-n_stops),
        Qt.Key.Key_End: lambda: walk.step(n_stops),
        Qt.Key.Key_PageDown: lambda: walk.step_section(1),
        Qt.Key.Key_PageUp: lambda: walk.step_section(-1),
    }


def _sentence_lines(width: float, height: float) -> int:
    """Return how many lines the sentence gets in a panel of this size at the normal text size.

    The size alone decides, so that nothing jumps on the way.
    """
    if height < _SENTENCE_FROM:
        return 0
    return 2 if height >= _TWO_LINES_FROM and width < _ONE_LINE_FITS else 1
