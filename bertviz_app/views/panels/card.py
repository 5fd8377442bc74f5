"""`PanelCard`: one panel: its header, the heads it draws as lines, its note, and the view of its head."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal, Slot
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from bertviz_app.errors import AppError, Cancelled
from bertviz_app.viewmodels.heads.pictures import HeadOfRun, HeadPicture
from bertviz_app.viewmodels.panel_kinds import PANEL_KINDS
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.results import Coming, Failed, Ready
from bertviz_app.viewmodels.wording.error_words import error_text
from bertviz_app.views.attention.head_strip import HeadStrip
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.card import Card, Elided
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.style import named
from bertviz_app.views.panels.note import note_of
from bertviz_app.views.panels.options import PanelOptions
from bertviz_app.views.panels.registry import PANEL_ENTRIES
from bertviz_app.views.panels.switches import PanelSwitches
from bertviz_app.views.panels.view_stack import ViewStack
from bertviz_app.views.panels.waiting_bar import WaitingBar


class PanelCard(Card):
    """One panel: of the views that it has been drawn as, one is on top.

    All signals begin with the panel's number.
    """

    view_chosen = Signal(int, str)
    run_chosen = Signal(int, str)
    head_toggled = Signal(int, int)
    head_isolated = Signal(int, int)
    layer_walked = Signal(int, int)
    head_wanted = Signal(int, int, int)
    choice_made = Signal(int, object)
    closed = Signal(int)
    activated = Signal(int)

    def __init__(self, panel: Panel, tools: Mapping[str, PanelTools]) -> None:
        super().__init__("", QWidget())
        self.panel = panel
        self.views: dict[tuple[str, str], PanelView] = {}
        self._tools = tools
        self._is_stale = False
        look = tools["A"].look
        self.switches = PanelSwitches(self, look)
        self.heads = HeadStrip(look)
        self.note = named(Elided(), "note")
        self.stack = ViewStack()
        self.waiting = WaitingBar(look, self.stack)
        self._lay_out()
        self._connect()
        self.retranslate()

    def _lay_out(self) -> None:
        # A click anywhere on it leaves the text field: then the keys are the panel's.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.note.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
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
            signal.connect(lambda _: self.activated.emit(self.panel.number))  # first of all
        for signal, own in choices:
            signal.connect(lambda value, own=own: own.emit(self.panel.number, value))
        switches.options.clicked.connect(self.open_options)
        switches.close.clicked.connect(lambda: self.closed.emit(self.panel.number))
        switches.fitted.connect(self._write_title)
        self.waiting.late.connect(lambda: self.view.set_stale(True))
        self.waiting.cancelled.connect(self._on_cancelled)
        self._tools["A"].options.changed.connect(self._write_note)

    @property
    def view(self) -> PanelView:
        """The view on top; made when the panel is first drawn this way."""
        at = (self.panel.view_kind, self.panel.run)
        if at not in self.views:
            view = self.views[at] = PANEL_ENTRIES[self.panel.view_kind].make(self.tools)
            self.stack.add(view)
            view.installEventFilter(self)
            view.head_wanted.connect(lambda *head: self.head_wanted.emit(self.panel.number, *head))
            view.choice_made.connect(lambda choice: self.choice_made.emit(self.panel.number, choice))
            view.set_stale(self._is_stale)
        return self.views[at]

    @property
    def tools(self) -> PanelTools:
        """What the panel's run is drawn with."""
        return self._tools[self.panel.run]

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self.switches.retranslate()
        self.heads.retranslate()
        can_close = self.switches.close.isVisibleTo(self)
        message = self.stack.message
        self.show_panel(self.panel, can_close=can_close, n_heads=None)
        if message:
            self.stack.show_message(message)

    def show_panel(self, panel: Panel, *, can_close: bool, n_heads: int | None) -> None:
        """Show another head or draw it another way."""
        self.panel = panel
        kind = PANEL_KINDS[panel.view_kind]
        self._write_title()
        self.qualifier.setText(kind.words(QCoreApplication.translate).qualifier)
        self.switches.show_panel(panel, can_close=can_close)
        self.heads.setVisible(kind.draws_many_heads)
        if n_heads is not None:
            self.heads.show_heads(n_heads, panel.shown_heads)
        self.stack.show_view(self.view)
        self.view.show_panel(panel)
        self._write_note()

    @Slot()
    def _write_title(self) -> None:
        self.title.setText(panel_title(self.panel, is_short=self.switches.is_narrow))
        self.setAccessibleName(self.title.text())

    @property
    def full_title(self) -> str:
        """What the panel shows, whatever room its header has, and of which run."""
        of_run = {"B": " · B", "A-B": " · A − B"}
        return panel_title(self.panel, is_short=False) + of_run.get(self.panel.run, "")

    def show_missing(self, size: tuple[int, int]) -> None:
        """Write that the run has no such head; `size` is the number of its layers and of its heads."""
        words = self.tr("Run {0} has only {1} layers with {2} heads.")
        if self.panel.run == "A-B":
            words = self.tr("Run A and run B have only {1} layers with {2} heads in common.")
        self.waiting.end()
        self.stack.show_message(words.format(self.panel.run, *size))

    def show_waiting(self, state: Ready[HeadPicture] | Coming | Failed | None) -> None:
        """Dim the head before, should the one of the title take long; write why it cannot be had."""
        if isinstance(state, Failed):
            self.waiting.end()
            self.stack.show_message(failure_text(state.error))
        else:
            self.stack.show_view(self.view)
            self.waiting.begin(state.progress if isinstance(state, Coming) else None)

    def show_head(self, drawn: HeadPicture | HeadOfRun) -> None:
        """Draw the head: from its picture, or in a view that needs none."""
        self.waiting.end()
        self.stack.show_view(self.view)
        self.view.set_stale(self._is_stale)
        if isinstance(drawn, HeadOfRun):
            if self.view.shown_head != drawn:
                self.view.show_head(drawn)
        elif self.view.picture is not drawn:
            self.view.show_picture(drawn)
        self._write_note()

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
    def _on_cancelled(self) -> None:
        self.tools.pictures.cancel(self.panel.layer, self.panel.head)

    @Slot()
    def _write_note(self) -> None:
        picture = self.view.picture
        note = "" if picture is None else note_of(picture, self.panel.view_kind, self.tools.options.value)
        self.note.setText(note)
        self.note.setToolTip(note)
        self.note.setVisible(bool(note))

    @guarded(default=False)
    def hasHeightForWidth(self) -> bool:
        """No: the rows of panels share the height alike, whatever the strip of heads in one would like."""
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


def panel_title(panel: Panel, *, is_short: bool) -> str:
    """Return which head or heads a panel shows, or which run."""
    kind, translate = PANEL_KINDS[panel.view_kind], QCoreApplication.translate
    if not kind.is_of_head:
        return kind.words(translate).title
    if is_short:
        return f"{panel.layer} · {', '.join(map(str, panel.shown_heads))}"
    if len(panel.shown_heads) > 1:
        return translate("PanelCard", "Layer {0} · {1} heads").format(panel.layer, len(panel.shown_heads))
    return translate("PanelCard", "Layer {0} · Head {1}").format(panel.layer, panel.head)


def failure_text(error: Exception) -> str:
    """Return the sentence that stands in a panel for a result that there is none of."""
    translate = QCoreApplication.translate
    if isinstance(error, Cancelled):
        return translate("PanelCard", "Cancelled. Choose the head again to have it computed.")
    if isinstance(error, AppError):
        return error_text(error)
    return translate("PanelCard", "This could not be computed.")
