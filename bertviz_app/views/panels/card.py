"""`PanelCard`: one panel: its header, the heads it draws as lines, its note, and the view of its head."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from bertviz_app.errors import AppError, Cancelled
from bertviz_app.learning.example_facts import term_of_analysis
from bertviz_app.viewmodels.analyses.analyses import Analysed, DrawnPanel, Front, cancel
from bertviz_app.viewmodels.heads.pictures import HeadOfRun, HeadPicture
from bertviz_app.viewmodels.panels import Panel, has_heads, has_layers, reads_second_run
from bertviz_app.viewmodels.results import Failed
from bertviz_app.viewmodels.wording import content_title, error_text
from bertviz_app.views.attention.head_strip import HeadStrip
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.card import Card, Elided
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.terms import set_subject
from bertviz_app.views.panels.analysis_bar import AnalysisBar
from bertviz_app.views.panels.note import (
    brief_note_of,
    brief_note_of_steps,
    note_of,
    note_of_analysis,
    note_of_steps,
    sample_note,
)
from bertviz_app.views.panels.options import PanelOptions
from bertviz_app.views.panels.registry import PANEL_ENTRIES
from bertviz_app.views.panels.switches import PanelSwitches
from bertviz_app.views.panels.view_stack import ViewStack
from bertviz_app.views.panels.waiting_bar import WaitingBar
from bertviz_app.views.plots.plot import Plot

_SUBJECTS = MappingProxyType(
    {"lines": "lines", "matrix": "matrix", "steps": "steps_view", "vectors": "hidden_state"}
)
"""The terms of the views of a panel."""


class PanelCard(Card):
    """One panel: of the views that it has been drawn as, one is on top.

    All signals begin with the panel's number.
    """

    view_chosen = Signal(int, str)
    run_chosen = Signal(int, str)
    head_toggled = Signal(int, int)
    head_isolated = Signal(int, int)
    layer_walked = Signal(int, int)
    head_requested = Signal(int, int, int)
    choice_made = Signal(int, object)
    closed = Signal(int)
    activated = Signal(int)

    def __init__(self, panel: Panel, tools: Mapping[str, PanelTools]) -> None:
        super().__init__("", QWidget())
        self.panel = panel
        self.views: dict[tuple[str, str, str], PanelView] = {}
        self._tools = tools
        self._is_stale = False
        # Sentences are kept as what writes them, in the language in force.
        self._message: Callable[[], str] | None = None
        self._problem: Callable[[], str] | None = None
        look = tools["A"].look
        self.switches = PanelSwitches(self, look)
        self.heads = HeadStrip(look)
        self.analysis = AnalysisBar(look)
        self.note = named(Elided(), "note")
        self.stack = ViewStack()
        self.waiting = WaitingBar(look, self.stack)
        self._lay_out()
        self._connect()
        self.retranslate()

    def _lay_out(self) -> None:
        # A click anywhere on the panel takes the focus from the text field, so that keys go to the panel.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.note.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        column.addWidget(self.analysis)
        column.addWidget(self.heads)
        column.addWidget(self.note)
        column.addWidget(self.stack, 1)

    def _connect(self) -> None:
        switches, heads = self.switches, self.heads
        choices = (
            (switches.views.chosen, self.view_chosen),
            (switches.runs.chosen, self.run_chosen),
            (heads.toggled, self.head_toggled),
            (heads.isolated, self.head_isolated),
            (heads.layer_walked, self.layer_walked),
        )
        for signal, _ in choices:
            # Connected before the panel's own signals: slots run in the order in which they were connected,
            # and the others act on the active panel.
            signal.connect(lambda _: self.activated.emit(self.panel.number))
        for signal, own in choices:
            signal.connect(lambda value, own=own: own.emit(self.panel.number, value))
        switches.options.clicked.connect(self.open_options)
        for signal in (switches.content.chosen, self.analysis.chosen):
            signal.connect(lambda content: self.choice_made.emit(self.panel.number, content))
        switches.close.clicked.connect(lambda: self.closed.emit(self.panel.number))
        switches.fitted.connect(self._write_title)
        self.waiting.late.connect(lambda: self.view.set_stale(True))
        self.waiting.cancelled.connect(lambda: cancel(self.panel, self.tools.pictures, self.tools.analyses))
        self._tools["A"].options.changed.connect(self._write_note)

    @property
    def view(self) -> PanelView:
        """The view on top; made when the panel is first drawn this way."""
        # A view for each analysis: one view must not show what another analysis drew until its own arrives.
        at = (self.panel.kind.key, self.panel.run, self.panel.content.analysis)
        if at not in self.views:
            view = self.views[at] = PANEL_ENTRIES[self.panel.kind.key].make(self.tools)
            self.stack.add(view)
            for part in (view, *(plot.viewport() for plot in view.findChildren(Plot))):
                part.installEventFilter(self)
            view.head_requested.connect(lambda *head: self.head_requested.emit(self.panel.number, *head))
            view.choice_made.connect(lambda choice: self.choice_made.emit(self.panel.number, choice))
            view.set_stale(self._is_stale)
        return self.views[at]

    @property
    def tools(self) -> PanelTools:
        """What the panel's run is drawn with."""
        return self._tools[self.panel.run]

    def retranslate(self) -> None:
        self.switches.retranslate()
        self.heads.retranslate()
        self.analysis.retranslate()
        can_close = self.switches.close.isVisibleTo(self)
        has_message = bool(self.stack.message)
        self.show_panel(self.panel, can_close=can_close, n_heads=None)
        if has_message and self._message is not None:
            self.stack.show_message(self._message())

    def show_panel(self, panel: Panel, *, can_close: bool, n_heads: int | None) -> None:
        """Show another head or draw it another way."""
        self.panel = panel
        kind = panel.kind
        analysis = term_of_analysis(panel.content.analysis)
        set_subject(self, analysis or _SUBJECTS.get(kind.key, "attention"))
        self._write_title()
        self.analysis.show_content(panel.shown_content)
        self.qualifier.setText(_qualifier(panel))
        self.switches.show_panel(panel, can_close=can_close)
        self.heads.setVisible(kind.draws_many_heads and has_heads(panel.content))
        if n_heads is not None:
            self.heads.show_heads(n_heads, panel.shown_heads)
        self.stack.show_view(self.view)
        self.view.show_panel(panel)
        self._write_note()

    @Slot()
    def _write_title(self) -> None:
        self.title.setText(
            panel_title(self.panel, is_short=self.switches.is_narrow, is_of_layer=_is_of_layer(self.view))
        )
        self.setAccessibleName(self.title.text())

    @property
    def full_title(self) -> str:
        """What the panel shows, whatever room its header has, and of which run."""
        of_run = {"B": " · B", "A-B": " · A − B"}
        title = panel_title(self.panel, is_short=False, is_of_layer=_is_of_layer(self.view))
        title += of_run.get(self.panel.run, "")
        content = self.panel.shown_content
        return f"{content_title(content)} · {title}" if content.analysis else title

    def show_drawn(self, drawn: DrawnPanel) -> None:
        """Draw what has been computed; else show that it is being computed, or why it cannot be."""
        self._message = self._problem = None
        if drawn.front is not None:
            self._show_front(drawn, drawn.front)
        elif drawn.missing is not None:
            self._show_message(partial(missing_text, self.panel, drawn.missing))
        elif isinstance(drawn.state, Failed):
            self._show_message(partial(failure_text, drawn.state.error, self.panel))
        else:
            # What was drawn before stays; `waiting.late` dims it if the new result takes longer.
            self.stack.show_view(self.view)
            if drawn.sample is not None and not self.draws(drawn.sample):
                self.view.set_stale(self._is_stale)
                self.view.show_picture(drawn.sample)
            words = sample_note(self.view.picture) if _draws_sample(self.view, self.panel) else ""
            self.waiting.begin(drawn.state.progress if drawn.state is not None else None, words)
            if not words and self.waiting.isVisibleTo(self.stack):
                self.view.set_stale(True)  # another view than the one for which the bar appeared
        self._write_note()
        self._write_title()

    def _show_front(self, drawn: DrawnPanel, front: Front) -> None:
        self.waiting.end()
        self.stack.show_view(self.view)
        self.view.set_stale(self._is_stale)
        if not isinstance(front, HeadPicture):
            if not self.draws(front):
                self.view.show_result(front) if isinstance(front, Analysed) else self.view.show_head(front)
            return
        self.view.show_heads(drawn.pictures)
        if not self.draws(front):
            self.view.show_picture(front)

    def _show_message(self, message: Callable[[], str]) -> None:
        """Write why there is no new result: as a note on the last one of this analysis, else in its place."""
        self.waiting.end()
        picture = self.view.picture
        is_same = picture is not None and (picture.layer, picture.head) == (self.panel.layer, self.panel.head)
        if self.panel.content.analysis and (is_same or self.view.analysed is not None):
            self._problem = message
            self.stack.show_view(self.view)
            self.view.set_stale(True)
        else:
            self._message = message
            self.stack.show_message(message())

    def draws(self, front: Front | None) -> bool:
        """Return whether the view draws exactly this."""
        view = self.view
        if isinstance(front, HeadOfRun):
            return view.shown_head == front
        return front is not None and front in (view.picture, view.analysed)

    def set_stale(self, is_stale: bool) -> None:
        """Dim the drawing while it is not of the text in the field."""
        self._is_stale = is_stale
        for view in self.views.values():
            view.set_stale(is_stale)

    @Slot()
    def open_options(self) -> None:
        """Open the options of the drawing below their button."""
        picture = self.view.picture
        is_pair = picture is not None and picture.trace.tokens.pair is not None
        options = PanelOptions(self.tools.options, is_pair=is_pair, parent=self)
        options.open_below(self.switches.views)

    @Slot()
    def _write_note(self) -> None:
        picture = self.view.picture
        # The waiting bar says that it is a sample: a note for a moment would move the drawing.
        options, kind = self.tools.options.value, self.panel.kind
        note = "" if picture is None else note_of(picture, kind, options, names_sample=False)
        brief = "" if picture is None else brief_note_of(picture, kind, options)
        if self.panel.kind.key == "steps":
            note, brief = note_of_steps(options), brief_note_of_steps(options)
        if self.panel.content.analysis and not self.stack.message:
            found = self.tools.analyses.found(self.panel)
            of_analysis = note_of_analysis(self.panel.shown_content, found)
            note, brief = (" · ".join(part for part in (of, of_analysis) if part) for of in (note, brief))
        if self._problem is not None:
            note = brief = self._problem()
        self.note.brief = brief
        self.note.setText(note)
        self.note.setToolTip(note)
        self.note.setVisible(bool(note))

    @guarded(default=False)
    def hasHeightForWidth(self) -> bool:
        """Return False: all rows of panels have the same height, whatever the strip of heads would prefer."""
        return False

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self.switches.fit()

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press on the header makes the panel the active one."""
        self.activated.emit(self.panel.number)

    @guarded(default=False)
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonPress:
            self.activated.emit(self.panel.number)
        return False


def _qualifier(panel: Panel) -> str:
    """Return what stands beside the title: what the rows and columns of a matrix are."""
    if panel.kind.key == "matrix" and reads_second_run(panel.content):
        words = QCoreApplication.translate("PanelCard", "rows: run {0}, columns: run {1}")
        return words.format(*("B", "A") if panel.run == "B" else ("A", "B"))
    return panel.kind.words(QCoreApplication.translate).qualifier


def _is_of_layer(view: PanelView) -> bool:
    """Return whether one matrix for all heads of a layer is drawn."""
    return view.picture is not None and view.picture.source.kind == "residual"


def _draws_sample(view: PanelView, panel: Panel) -> bool:
    """Return whether a sample of the panel's own head is drawn."""
    picture = view.picture
    if picture is None or picture.n_sampled is None:
        return False
    return (picture.layer, picture.head) == (panel.layer, panel.head)


def panel_title(panel: Panel, *, is_short: bool, is_of_layer: bool = False) -> str:
    """Return which head or heads a panel shows, which layer, or what kind of view.

    `is_of_layer`: one matrix for all heads is drawn.
    """
    kind, translate = panel.kind, QCoreApplication.translate
    if not kind.is_of_head or (panel.content.analysis and not has_layers(panel.content)):
        return kind.words(translate).title
    if is_of_layer or not has_heads(panel.content):
        return str(panel.layer) if is_short else translate("PanelCard", "Layer {0}").format(panel.layer)
    if is_short:
        return f"{panel.layer} · {', '.join(map(str, panel.shown_heads))}"
    if len(panel.shown_heads) > 1:
        return translate("PanelCard", "Layer {0} · {1} heads").format(panel.layer, len(panel.shown_heads))
    return translate("PanelCard", "Layer {0} · Head {1}").format(panel.layer, panel.head)


def missing_text(panel: Panel, size: tuple[int, int]) -> str:
    """Return the sentence for a head that the run lacks; `size` is the number of its layers and heads."""
    words = QCoreApplication.translate("PanelCard", "Run {0} has only {1} layers with {2} heads.")
    if panel.run == "A-B":
        words = QCoreApplication.translate(
            "PanelCard", "Run A and run B have only {1} layers with {2} heads in common."
        )
    return words.format(panel.run, *size)


def failure_text(error: Exception, panel: Panel) -> str:
    """Return the sentence that stands in a panel for a result that there is none of."""
    translate = QCoreApplication.translate
    if isinstance(error, Cancelled) and panel.content.analysis:
        return translate("PanelCard", "Cancelled. Choose the analysis again to have it computed.")
    if isinstance(error, Cancelled):
        return translate("PanelCard", "Cancelled. Choose the head again to have it computed.")
    if isinstance(error, AppError):
        return error_text(error)
    return translate("PanelCard", "This could not be computed.")
