"""`PanelCard`: one panel: its header, the heads it draws as lines, its note, and the view of its head."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QStackedLayout, QVBoxLayout, QWidget

from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.panel_kinds import PANEL_KINDS
from bertviz_app.viewmodels.panels import RUNS, Panel
from bertviz_app.views.attention.head_strip import HeadStrip
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.card import Card, Elided, Segments
from bertviz_app.views.kit.panel_view import PanelTools, PanelView
from bertviz_app.views.kit.style import named
from bertviz_app.views.panels.note import note_of
from bertviz_app.views.panels.options import PanelOptions
from bertviz_app.views.panels.registry import PANEL_ENTRIES

_LATE_MS = 150
_COMPACT_BELOW = 560
_NARROW_BELOW = 310


class PanelCard(Card):
    """One panel: of the views that it has been drawn as, one is on top."""

    how_chosen = Signal(int, str)
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
        self._picture: HeadPicture | None = None
        self._is_stale = False
        self.is_missing = False
        self._is_narrow = False
        self._fitted: int | None = None  # the width that the header is being fitted into
        self._missing = named(QLabel(alignment=Qt.AlignmentFlag.AlignCenter), "secondary")
        self._runs: tuple[str, ...] = RUNS[:1]
        self._late = QTimer(self, singleShot=True, interval=_LATE_MS)
        self._late.timeout.connect(lambda: self.view.set_stale(True))
        self.heads = HeadStrip(tools["A"].look)
        self.note = named(Elided(), "note")
        self._hows = Segments([(key, key, "") for key in PANEL_KINDS])
        self._of_runs = Segments([(run, run.replace("-", "−"), "") for run in RUNS])
        self._options = named(QPushButton("⚙"), "plain")
        self._close = named(QPushButton("✕"), "plain")
        self._place()
        self._connect()
        self.retranslate()

    def _place(self) -> None:
        # A click anywhere on it leaves the text field: then the keys are the panel's.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._stack = QStackedLayout()
        self._stack.setContentsMargins(0, 0, 0, 0)
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.note.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.note.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        column.addWidget(self.heads)
        column.addWidget(self.note)
        column.addLayout(self._stack, 1)
        self._stack.addWidget(self._missing)  # in a layout of no widget it would be shown as a window
        for switch in (self._of_runs, self._hows, self._options):
            self.add_switch(switch)
        self.add_corner(self._close)

    def _connect(self) -> None:
        asked = (self._hows.chosen, self._of_runs.chosen)
        for signal in (*asked, self.heads.toggled, self.heads.isolated, self.heads.layer_walked):
            signal.connect(lambda _: self.activated.emit(self.panel.number))  # first of all
        self._hows.chosen.connect(lambda how: self.how_chosen.emit(self.panel.number, how))
        self._of_runs.chosen.connect(lambda run: self.run_chosen.emit(self.panel.number, run))
        self.heads.toggled.connect(lambda head: self.head_toggled.emit(self.panel.number, head))
        self.heads.isolated.connect(lambda head: self.head_isolated.emit(self.panel.number, head))
        self.heads.layer_walked.connect(lambda by: self.layer_walked.emit(self.panel.number, by))
        self._options.clicked.connect(self.open_options)
        self._close.clicked.connect(lambda: self.closed.emit(self.panel.number))
        self._tools["A"].options.changed.connect(self._write_note)

    @property
    def view(self) -> PanelView:
        """The view on top; made when the panel is first drawn this way."""
        at = (self.panel.view_kind, self.panel.run)
        if at not in self.views:
            view = self.views[at] = PANEL_ENTRIES[self.panel.view_kind].make(self.tools)
            self._stack.addWidget(view)
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
        kinds = {key: kind.words(QCoreApplication.translate) for key, kind in PANEL_KINDS.items()}
        self._hows.set_texts({key: (words.title, words.tool_tip) for key, words in kinds.items()})
        self._of_runs.set_texts(
            {
                "A": ("A", self.tr("Run A: the text above")),
                "B": ("B", self.tr("Run B: what it is compared with")),
                "A-B": ("A − B", self.tr("The difference of both runs")),
            }
        )
        self._options.setToolTip(self.tr("Options of the drawing, for all panels (O)"))
        self._options.setAccessibleName(self.tr("Options of the drawing"))
        self._close.setToolTip(self.tr("Close this panel (Ctrl+W)"))
        self._close.setAccessibleName(self.tr("Close this panel"))
        self.heads.retranslate()
        self.show_panel(self.panel, can_close=self._close.isVisibleTo(self), n_heads=None)

    def show_runs(self, runs: tuple[str, ...]) -> None:
        """Let the panel show one of these runs; with one alone there is nothing to choose."""
        self._runs = runs
        self._of_runs.setVisible(len(runs) > 1)
        self._fit_header()

    def show_panel(self, panel: Panel, *, can_close: bool, n_heads: int | None) -> None:
        """Show another head or draw it another way."""
        self.panel = panel
        self._write_title()
        self.qualifier.setText(PANEL_KINDS[self.panel.view_kind].words(QCoreApplication.translate).qualifier)
        for key, kind in PANEL_KINDS.items():
            self._hows.offer(key, is_offered=kind.has_difference or panel.run != "A-B")
        self._hows.choose(panel.view_kind)
        self._of_runs.choose(panel.run)
        self._of_runs.setVisible(len(self._runs) > 1)
        self._show_options()
        self.heads.setVisible(PANEL_KINDS[self.panel.view_kind].draws_many_heads)
        if n_heads is not None:
            self.heads.show_heads(n_heads, panel.shown_heads)
        self._stack.setCurrentWidget(self.view)
        self.view.show_panel(panel)
        self._close.setVisible(can_close)
        self._write_note()

    def _write_title(self) -> None:
        self.title.setText(self._title(is_short=self._is_narrow))
        self.setAccessibleName(self.title.text())

    @property
    def full_title(self) -> str:
        """What the panel shows, whatever room its header has, and of which run."""
        of_run = {"B": " · B", "A-B": " · A − B"}
        return self._title(is_short=False) + of_run.get(self.panel.run, "")

    def _title(self, *, is_short: bool) -> str:
        panel = self.panel
        if not PANEL_KINDS[self.panel.view_kind].is_of_head:
            return PANEL_KINDS[self.panel.view_kind].words(QCoreApplication.translate).title
        if is_short:
            return f"{panel.layer} · {', '.join(map(str, panel.shown_heads))}"
        if len(panel.shown_heads) > 1:
            return self.tr("Layer {0} · {1} heads").format(panel.layer, len(panel.shown_heads))
        return self.tr("Layer {0} · Head {1}").format(panel.layer, panel.head)

    def await_picture(self, size: tuple[int, int] | None) -> None:
        """Dim the head before, should the one of the title take long to come.

        With `size`, the layers and heads there are, say that the run has no such head.
        """
        self.is_missing = size is not None
        if size is not None:
            words = self.tr("Run {0} has only {1} layers with {2} heads.")
            if self.panel.run == "A-B":
                words = self.tr("Run A and run B have only {1} layers with {2} heads in common.")
            self._missing.setText(words.format(self.panel.run, *size))
            self._stack.setCurrentWidget(self._missing)
        elif not self._late.isActive():
            self._late.start()

    def show_picture(self, picture: HeadPicture) -> None:
        """Draw the head's attention."""
        self._late.stop()
        self.is_missing = False
        self._stack.setCurrentWidget(self.view)
        self.view.set_stale(self._is_stale)
        self._picture = picture
        if self.view.picture is not picture:
            self.view.show_picture(picture)
        self._write_note()

    def set_stale(self, is_stale: bool) -> None:
        """Dim the drawing while it is not of what was asked for."""
        self._is_stale = is_stale
        for view in self.views.values():
            view.set_stale(is_stale)

    def open_options(self) -> None:
        """Open the options of the drawing below their button."""
        picture = self._picture
        is_pair = picture is not None and picture.trace.tokens.pair is not None
        PanelOptions(self.tools.options, is_pair=is_pair, parent=self).open_below(self._hows)

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
        self._fit_header()

    def _fit_header(self) -> None:
        """Shorten what stands in the header as far as its width asks for.

        Hiding a button may have Qt lay out at once and resize the card: then it is fitted again.
        """
        if self._fitted is not None:
            return
        while self._fitted != self.width():
            self._fitted = self.width()
            self._fit_into(self._fitted / self.tools.look.scale)
        self._fitted = None

    def _fit_into(self, width: float) -> None:
        has_runs = len(self._runs) > 1
        self._is_narrow = width < _NARROW_BELOW + 80 * has_runs
        is_compact = width < _COMPACT_BELOW + 130 * has_runs
        self._hows.set_compact(is_compact)
        self._options.setText("⚙" if is_compact else self.tr("Options"))
        self._of_runs.set_compact(width < _COMPACT_BELOW - 60)
        self._show_options()
        self._write_title()

    def _show_options(self) -> None:
        self._options.setVisible(PANEL_KINDS[self.panel.view_kind].has_options and not self._is_narrow)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press on the header makes the panel the active one."""
        self.activated.emit(self.panel.number)

    @guarded(default=False)
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonPress:
            self.activated.emit(self.panel.number)
        return False
