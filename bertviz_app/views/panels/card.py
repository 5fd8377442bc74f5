"""The panel area, one to six panels side by side, and the card of each: its header, switches and views."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from types import MappingProxyType

from PySide6.QtCore import QEvent, QObject, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import QIcon, QMouseEvent, QPainter, QPainterPath, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QApplication,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QWidget,
)

from bertviz_app.errors import AnalysisError, AppError, Cancelled, Remedy
from bertviz_app.learning.glossary import term_of_analysis
from bertviz_app.options import SIDES, Run
from bertviz_app.timers import OneShot
from bertviz_app.viewmodels.analyses.analyses import Analysed, DrawnContent, DrawnPanel, cancel, drawn_in
from bertviz_app.viewmodels.analyses.gallery import remedy_words
from bertviz_app.viewmodels.export import Runs
from bertviz_app.viewmodels.heads.pictures import HeadOfRun, HeadPicture
from bertviz_app.viewmodels.panel import (
    ALL_KINDS,
    IMAGE,
    MOST,
    SHOWS_ATTENTION,
    Panel,
    has_heads,
    kinds_of,
    reads_second_run,
)
from bertviz_app.viewmodels.panels import RUNS, Panels
from bertviz_app.viewmodels.results import Failed, Ready
from bertviz_app.viewmodels.wording import content_title, error_text, translate, translated
from bertviz_app.views.analyses.picture_view import OutcomeView, PictureView
from bertviz_app.views.analyses.table import TableView
from bertviz_app.views.attention.head_view import HeadStrip, sample_note
from bertviz_app.views.attention.lines import LinesView, WordsView
from bertviz_app.views.attention.matrix import MatrixView, PatchesView
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.card import Card, Elided, Segments
from bertviz_app.views.kit.look import Look, grid_of, in_column, in_row, named
from bertviz_app.views.kit.panel_view import (
    ExportedPanel,
    MakeView,
    PanelTools,
    PanelView,
    full_title,
    note_of_analysis,
    panel_title,
)
from bertviz_app.views.kit.subject import ExportSubject
from bertviz_app.views.kit.terms import set_subject
from bertviz_app.views.kit.widgets import ProgressLine, SignButton, show_words
from bertviz_app.views.panels.options import AnalysisBar, PanelOptions
from bertviz_app.views.plots.plot import Plot

VIEWS: MappingProxyType[str, MakeView] = MappingProxyType(
    {
        "words": lambda tools: WordsView(tools.look, tools.selection, tools.viewport, tools.store),
        "lines": lambda tools: LinesView(tools.look, tools.selection, tools.viewport, tools.store),
        "matrix": lambda tools: MatrixView(tools.look, tools.selection, tools.viewport, tools.store),
        IMAGE: lambda tools: PatchesView(tools.look, tools.selection, tools.viewport, tools.store),
        "grid": OutcomeView,
        "picture": PictureView,
        "table": TableView,
    }
)
"""What each of `ALL_KINDS` is drawn with, but for those of rooms.

`resources/docs/how-to/add_a_panel_view.md` says how to add one.
"""


class AbsentView(PanelView):
    """In the place of the view of a room that is left out."""

    def __init__(self, tools: PanelTools) -> None:
        super().__init__(tools.look)
        words = translate("PanelCard", "What draws this was left out of the program.")
        in_column(1, QLabel(words, alignment=Qt.AlignmentFlag.AlignCenter, wordWrap=True), 1, of=self)


def view_of(kind: str, tools: PanelTools) -> PanelView:
    return (VIEWS.get(kind) or tools.views.get(kind) or AbsentView)(tools)


_SIZE = 14.0
_SHARP = 3  # pixels of the drawing for each on screen
_FRAME = ((1, 2), (13, 2), (13, 12), (1, 12), (1, 2))
_ROWS = tuple(((1, y), (13, y)) for y in (3, 7, 11))
# View -> the lines of its sign, through points of a square with sides of 14.
_SIGNS: Mapping[str, tuple[tuple[tuple[float, float], ...], ...]] = MappingProxyType(
    {
        "words": (
            ((2, 10), (2.8, 5), (5, 2.5), (9, 2.5), (11.2, 5), (12, 10)),
            ((2, 10), (3.2, 7), (5.8, 7), (7, 10)),
            *(((x - 1.5, 12.5), (x + 1.5, 12.5)) for x in (2, 7, 12)),
        ),
        IMAGE: (_FRAME, ((1, 11), (5, 6), (8, 9), (10, 7), (13, 10))),
        "steps": (((1, 12), (5, 12), (5, 7.5), (9, 7.5), (9, 3), (13, 3)),),
        "vectors": tuple(((x, 13), (x, 13 - y)) for x, y in ((2, 5), (5.3, 11), (8.6, 3), (11.9, 8))),
        "parameters": (_FRAME, ((1, 6), (13, 6)), ((6, 2), (6, 12))),
    }
)


def view_sign(look: Look, view: str) -> QIcon:
    """Return the drawing of a view in the colours of the theme; of a view without one three lines."""
    pixmap = QPixmap(QSize(round(_SIZE * _SHARP), round(_SIZE * _SHARP)))
    pixmap.setDevicePixelRatio(_SHARP)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(look.colour("text"), 1.4))
        if view == "lines":
            for left, right in ((2.0, 9.0), (7.0, 2.0), (12.0, 12.0)):
                path = QPainterPath(QPointF(1, left))
                path.cubicTo(7, left, 7, right, 13, right)
                painter.drawPath(path)
        elif view == "matrix":
            colour = painter.pen().color()
            for row, column in product(range(3), repeat=2):
                colour.setAlphaF(1.0 if row == column else 0.35)
                painter.fillRect(QRectF(1 + 4.3 * column, 1 + 4.3 * row, 3.4, 3.4), colour)
        else:
            for points in _SIGNS.get(view, _ROWS):
                painter.drawPolyline([QPointF(x, y) for x, y in points])
    return QIcon(pixmap)


_TITLE, _CORNER = 150, 84
_RUNS_COMPACT_BELOW, _NARROW_BELOW = 500, 310


class PanelSwitches(QObject):
    """Puts the switches into the header of `card`, and shortens them where it is narrow.

    `write_title` is called when `is_narrow`, on which the card's title depends, may have changed.
    """

    def __init__(self, card: Card, look: Look, write_title: Callable[[], None]) -> None:
        super().__init__(card)
        self._write_title = write_title
        self._card = card
        self._look = look
        self.runs = Segments(
            [
                ("A", "A", translate("PanelCard", "Run A: the text above")),
                ("B", "B", translate("PanelCard", "Run B: what it is compared with")),
                ("A-B", "A − B", translate("PanelCard", "The difference of both runs")),
            ]
        )
        self.views = Segments(
            [(key, translated(kind.title), translated(kind.tool_tip)) for key, kind in ALL_KINDS.items()]
        )
        self.views.sign_of = partial(view_sign, look)
        tip = translate("ContentButton", "What the panel shows: attention, or an analysis of the run")
        title = translate("ContentButton", "What the panel shows")
        self.content = named(SignButton("▾"), "chooser", tip, title)
        """Opens the gallery of all that a panel can show."""
        tip = translate("PanelCard", "Options of the drawing, for all panels (O)")
        self.options = named(SignButton("⚙"), "plain", tip, translate("PanelCard", "Options of the drawing"))
        tip = translate("PanelCard", "Close this panel (Ctrl+W)")
        self.close = named(SignButton("✕"), "plain", tip, translate("PanelCard", "Close this panel"))
        self.is_narrow = False
        self._has_options = False
        self._has_runs = False
        self._fitting_width: int | None = None
        self._shown: tuple[object, ...] = ()
        # After a change of the text size the buttons get their new sizes with the new style sheet.
        self._restyled = OneShot(self, self.fit)
        look.changed.connect(self._restyled.start)
        for switch in (self.runs, self.views, self.options):
            card.add_switch(switch)
        card.add_beside_title(self.content)
        card.add_corner(self.close)
        self._restyled.start()  # other words have other widths

    def show_panel(
        self, panel: Panel, runs: tuple[Run, ...], *, can_close: bool, has_image: bool = False
    ) -> None:
        """Show the content, the run and the view of a panel, which can show each of `runs`."""
        shown = panel.kind, panel.content, panel.run, runs, can_close, has_image
        if shown == self._shown:
            return
        self._shown = shown
        kinds = [kind for kind in kinds_of(panel.content) if has_image or kind.key != IMAGE]
        self.views.show_choices([kind.key for kind in kinds])
        for kind in kinds:
            self.views.offer(kind.key, is_offered=kind.has_difference or panel.run != "A-B")
        self.views.choose(panel.kind.key)
        self.runs.choose(panel.run)
        self._has_runs = len(runs) > 1  # with one alone there is nothing to choose
        self.runs.setVisible(self._has_runs)
        self._has_options = panel.kind.has_options
        self.close.setVisible(can_close)
        self.fit()  # the names of other runs and views have other widths

    def fit(self) -> None:
        """Shorten the switches as far as the width of the card requires.

        Hiding a button may have Qt lay out at once and resize the card: then they are fitted again.
        """
        if self._fitting_width is not None:
            return
        try:
            while self._fitting_width != self._card.width():
                self._fitting_width = self._card.width()
                self._fit_into(self._fitting_width / self._look.scale)
        finally:
            self._fitting_width = None

    def _fit_into(self, width: float) -> None:
        self.is_narrow = width < _NARROW_BELOW + 80 * self._has_runs
        self.options.setText(translate("PanelCard", "Options"))
        buttons = self.views.full_width + self.options.sizeHint().width()
        buttons += self.runs.full_width if self._has_runs else 0
        is_compact = width < _TITLE + _CORNER + buttons / self._look.scale
        self.views.set_compact(is_compact)
        self.views.show()
        if is_compact:
            self.options.setText("⚙")
        self.runs.set_compact(width < _RUNS_COMPACT_BELOW)
        # Where there is nothing to choose its room is left free: so the buttons beside it stay where they are
        # when another view is chosen.
        policy = self.options.sizePolicy()
        policy.setRetainSizeWhenHidden(not self.is_narrow)
        self.options.setSizePolicy(policy)
        self.options.setVisible(self._has_options and not self.is_narrow)
        self._write_title()
        if not is_compact:
            return
        # Where a short title and menus are still too wide, what has a key or a command as well is hidden. The
        # switch of runs stays: nothing else shows which run the panel is of.
        card = self._card
        self.content.show()
        self.views.set_brief(False)
        card.set_tight(False)
        if card.is_overfull:
            card.set_tight(True)
        if card.is_overfull:
            self.views.set_brief(True)
        if card.is_overfull:
            self.content.hide()
        if self._has_runs and card.is_overfull:
            self.views.hide()


class ViewStack(QStackedWidget):
    """Shows one of its views, or the sentence that says why there is nothing to draw.

    A click on `button`, below the sentence, asks for the `remedy`: what would make it possible.
    """

    def __init__(self) -> None:
        super().__init__()
        plain, centre = Qt.TextFormat.PlainText, Qt.AlignmentFlag.AlignCenter
        self._message = named(QLabel(alignment=centre, wordWrap=True, textFormat=plain), "secondary")
        self.remedy: Remedy = ""
        self.button = QPushButton()
        self._reason = QWidget()
        in_column(
            1, self._message, (self.button, 0, Qt.AlignmentFlag.AlignHCenter), 1, of=self._reason, spacing=12
        )
        self.addWidget(self._reason)

    @property
    def message(self) -> str:
        """The sentence in the place of the views; "" while one of them is shown."""
        return self._message.text() if self.currentWidget() is self._reason else ""

    def show_message(self, message: str, remedy: Remedy = "") -> None:
        """Show a sentence in the place of the views, and the button that changes what it says."""
        self._message.setText(message)
        self.remedy = remedy
        show_words(self.button, remedy_words(remedy))
        self.setCurrentWidget(self._reason)


class WaitingBar(QWidget):
    """Appears when a result takes longer than 150 ms, over the top of its parent, so that nothing moves.

    A click on `button` cancels the computation. Where a sample is drawn meanwhile the bar appears at once
    and names it.
    """

    def __init__(self, look: Look, parent: QWidget, late: Callable[[], None]) -> None:
        """`late()` is called when the bar appears because of the time."""
        super().__init__(parent)
        self._late = late
        self._view = parent
        self._progress: float | None = None
        self._timer = OneShot(self, self._on_late, 150)
        self.line = ProgressLine(look)
        self.button = named(SignButton("✕"), "corner", self.tr("Cancel the computation"))
        self.sample = named(QLabel(), "note")
        self.sample.hide()
        self.computing = named(QLabel(wordWrap=True), "secondary")
        self.computing.setContentsMargins(12, 6, 0, 0)
        self.computing.hide()
        below = in_row(self.sample, (self.computing, 50), 1, self.button)
        in_column(self.line, below, of=self, margins=(0, 0, 4, 0), spacing=0)
        self.hide()

    def begin(self, progress: float | None, sample: str = "") -> None:
        """Wait for a result that is being computed; `progress` is from 0 to 1, None if unknown.

        `sample`: what is drawn meanwhile, in words, if it is a sample.
        """
        self._progress = progress
        if self.sample.text() and not sample:
            self.hide()  # the sample is of what was waited for before
        show_words(self.sample, sample)
        if sample:
            self._timer.stop()
            self.say("")  # there is something below the bar
        elif self.isVisibleTo(self._view):
            self.line.set_progress(True, progress)
        elif not self._timer.isActive():
            self._timer.start()

    def say(self, words: str) -> None:
        """Write what is being computed, where there is nothing below the bar; "" writes nothing."""
        show_words(self.computing, words)
        self._appear()

    def end(self) -> None:
        """Hide: the result has been computed, or there is none."""
        self._timer.stop()
        if not self.isHidden():
            self.computing.hide()
            self.line.set_progress(False, None)
            self.hide()

    @Slot()
    def _on_late(self) -> None:
        self._appear()
        self._late()

    def _appear(self) -> None:
        self.setGeometry(0, 0, self._view.width(), self.sizeHint().height())
        self.line.set_progress(True, self._progress)
        self.show()
        self.raise_()


# The terms of the views of a panel.
_SUBJECTS = MappingProxyType(
    {
        "words": "attention",
        "lines": "lines",
        "matrix": "matrix",
        "steps": "steps_view",
        "vectors": "hidden_state",
    }
)


class PanelCard(Card):
    """One panel of `panels`: of the views that it has been drawn as, one is on top.

    `head_requested` begins with the panel's number.
    """

    head_requested = Signal(int, int, int)

    def __init__(self, panel: Panel, panels: Panels, tools: Mapping[str, PanelTools]) -> None:
        super().__init__("", QWidget())
        self.panel = panel
        self._panels = panels
        self.views: dict[tuple[str, str, str], PanelView] = {}
        self._tools = tools
        self._is_stale = False
        self._problem = ""
        look = tools["A"].look
        self.switches = PanelSwitches(self, look, self._write_title)
        self.heads = HeadStrip(look)
        self.analysis = AnalysisBar(look)
        self.note = named(Elided(), "note")
        self.meaning = named(Elided(alignment=Qt.AlignmentFlag.AlignCenter), "meaning")
        self._is_alone = False
        self._drawn_as: tuple[object, ...] = ()
        self.stack = ViewStack()
        self.waiting = WaitingBar(look, self.stack, self._on_late)
        # A click anywhere on the panel takes the focus from the text field, so that keys go to the panel.
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        for words in (self.note, self.meaning):
            words.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.note.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        parts = self.analysis, self.heads, self.note, (self.stack, 1), self.meaning
        in_column(*parts, of=self.body, margins=0, spacing=0)
        switches = self.switches
        acts = {
            "toggle": panels.toggle_head,
            "isolate": panels.isolate_head,
            "walk": lambda _, by: panels.walk(by, 0),
        }
        switches.views.chosen.connect(lambda kind: self._change_active(panels.draw_as, kind))
        switches.runs.chosen.connect(lambda run: self._change_active(panels.show_run, run))
        self.heads.acted.connect(lambda act, number: self._change_active(acts[act], number))
        switches.options.clicked.connect(self.open_options)
        self.analysis.chosen.connect(lambda content: self._change(panels.choose, content))
        switches.close.clicked.connect(lambda: self._change(panels.close))
        self.waiting.button.clicked.connect(
            lambda: cancel(self.panel, self.tools.pictures, self.tools.analyses)
        )
        self._tools["A"].store.watch(("options",), self._write_note)

    def _change(self, change: Callable[..., None], *values: object) -> None:
        """Call `change` for this panel; a closed one, of which a menu may be open still, changes nothing."""
        if not self.signalsBlocked():
            change(self.panel.number, *values)

    def _change_active(self, change: Callable[..., None], value: object) -> None:
        """Make this panel the active one, then call `change` for it."""
        self._change(self._panels.activate)
        self._change(change, value)

    def _on_late(self) -> None:
        """Dim what was drawn before; where that is nothing say what is being computed."""
        view, content = self.view, self.panel.shown_content
        view.set_stale(True)
        is_blank = content.analysis and view.analysed is None and view.picture is None
        words = translate("PanelCard", "Computing: {0} …")
        self.waiting.say(words.format(content_title(content)) if is_blank else "")

    @property
    def view(self) -> PanelView:
        """The view on top; made when the panel is first drawn this way."""
        # A view for each analysis: one view must not show what another analysis drew until its own arrives.
        at = (self.panel.kind.key, self.panel.run, self.panel.content.analysis)
        if at not in self.views:
            view = self.views[at] = view_of(self.panel.kind.key, self.tools)
            self.stack.addWidget(view)
            for part in (view, *(plot.viewport() for plot in view.findChildren(Plot))):
                part.installEventFilter(self)
            view.head_requested.connect(lambda *head: self.head_requested.emit(self.panel.number, *head))
            view.choice_made.connect(lambda choice: self._change(self._panels.choose, choice))
            view.choice_made.connect(self._write_meaning)
            view.set_stale(self._is_stale)
        return self.views[at]

    @property
    def tools(self) -> PanelTools:
        """What the panel's run is drawn with."""
        return self._tools[self.panel.run]

    def show_panel(
        self, panel: Panel, runs: tuple[Run, ...], heads: tuple[int, ...], *, is_alone: bool
    ) -> None:
        """Show another head or draw it another way; `show_drawn` has what is drawn of it.

        `runs`, `heads`: those to choose from.
        """
        self.panel, self._is_alone = panel, is_alone
        drawn_as = panel.kind, panel.shown_content, panel.run
        if drawn_as != self._drawn_as:
            self._drawn_as = drawn_as
            kind, analysis = panel.kind, panel.content.analysis
            subject = term_of_analysis(analysis) if analysis else ""
            set_subject(self, subject or _SUBJECTS.get(kind.key, "attention"))
            self.analysis.show_content(panel.shown_content)
            about = translated(kind.qualifier)
            if analysis and kind.key == "matrix" and reads_second_run(panel.content):
                about = translate("PanelCard", "rows: run {0}, columns: run {1}").format(*SIDES[panel.run])
            self.qualifier.setText(about)
            self.heads.setVisible(kind.draws_many_heads and has_heads(panel.content))
        self.heads.show_heads(heads, panel.shown_heads)
        self.view.show_panel(panel)
        self.switches.show_panel(panel, runs, can_close=not is_alone, has_image=self.tools.pictures.has_image)

    @Slot()
    def _write_title(self) -> None:
        """Write what is shown; beside a title of another width the switches have other room."""
        width = self.title.sizeHint().width()
        self.title.setText(
            panel_title(self.panel, is_short=self.switches.is_narrow, is_of_layer=self.view.is_of_layer)
        )
        self.setAccessibleName(self.title.text())
        if self.title.sizeHint().width() != width:
            self.switches.fit()

    @property
    def is_exported(self) -> bool:
        return True

    def subject(self, runs: Runs | None) -> ExportSubject | None:
        panel = self.panel
        if runs is None or (panel.run == "B" and runs.b is None):
            return None
        found = self.tools.analyses.found(panel) if panel.content.analysis else None
        return self.view.subject(ExportedPanel(panel, runs, self.tools.store.now.options, found))

    @property
    def full_title(self) -> str:
        """What the panel shows, whatever room its header has, and of which run."""
        return full_title(self.panel, self.view)

    def show_drawn(self, drawn: DrawnPanel) -> None:
        """Draw what has been computed; else show that it is being computed, or why it cannot be."""
        self._problem = ""
        front = drawn.front
        if front is not None:
            self.waiting.end()
            view, is_drawn = self.view, self.draws(front)
            self.stack.setCurrentWidget(view)
            if view.is_stale != self._is_stale:
                view.set_stale(self._is_stale)
            if isinstance(front, HeadPicture) and (not is_drawn or drawn.pictures != view.others):
                view.show_picture(front, drawn.pictures)
            elif isinstance(front, Analysed) and not is_drawn:
                view.show_result(front)
            elif isinstance(front, HeadOfRun) and not is_drawn:
                view.show_head(front)
        elif drawn.missing is not None:
            self._show_message(missing_text(self.panel, drawn.missing))
        elif isinstance(drawn.state, Failed):
            error = drawn.state.error
            remedy = error.remedy if isinstance(error, AnalysisError) else ""
            self._show_message(failure_text(error, self.panel), remedy)
        else:
            # What was drawn before stays; `_on_late` dims it if the new result takes longer.
            self.stack.setCurrentWidget(self.view)
            if drawn.sample is not None and not self.draws(drawn.sample):
                self.view.set_stale(self._is_stale)
                self.view.show_picture(drawn.sample)
            picture, at = self.view.picture, (self.panel.layer, self.panel.head)
            words = (
                sample_note(picture) if picture is not None and (picture.layer, picture.head) == at else ""
            )
            self.waiting.begin(drawn.state.progress if drawn.state is not None else None, words)
            if not words and self.waiting.isVisibleTo(self.stack):
                self._on_late()  # another view than the one for which the bar appeared
        self._write_note()
        self._write_title()

    def _show_message(self, message: str, remedy: Remedy = "") -> None:
        """Write why there is no new result: as a note on the last one of this analysis, else in its place."""
        self.waiting.end()
        picture = self.view.picture
        is_same = picture is not None and (picture.layer, picture.head) == (self.panel.layer, self.panel.head)
        if self.panel.content.analysis and (is_same or self.view.analysed is not None):
            self._problem = message
            self.stack.setCurrentWidget(self.view)
            self.view.set_stale(True)
        else:
            self.stack.show_message(message, remedy)

    def draws(self, front: DrawnContent | None) -> bool:
        view = self.view
        if isinstance(front, HeadOfRun):
            return view.shown_head == front
        return front is not None and front in (view.picture, view.analysed)

    def set_stale(self, is_stale: bool) -> None:
        self._is_stale = is_stale
        for view in self.views.values():
            view.set_stale(is_stale)

    @Slot()
    def open_options(self) -> None:
        picture = self.view.picture
        is_pair = picture is not None and picture.trace.tokens.pair is not None
        PanelOptions(self.tools.store, is_pair=is_pair, parent=self).open_below(self.switches.views)

    @Slot()
    def _write_note(self) -> None:
        note, brief = self.view.notes_for(self.tools.store.now.options)
        if self.panel.content.analysis and not self.stack.message:
            of_analysis = note_of_analysis(self.panel.shown_content, self.tools.analyses.found(self.panel))
            note, brief = (" · ".join(part for part in (of, of_analysis) if part) for of in (note, brief))
        if self._problem:
            note = brief = self._problem
        self.note.brief = brief
        show_words(self.note, note)
        self.note.setToolTip(note)
        self._write_meaning()

    @Slot()
    def _write_meaning(self) -> None:
        """Say below the only picture what is seen; where several stand side by side that is known."""
        words = self.view.meaning if self._is_alone and not self.stack.message else ""
        show_words(self.meaning, words)
        self.meaning.setToolTip(words)

    def hasHeightForWidth(self) -> bool:
        """Return False: all rows of panels have the same height, whatever the strip of heads would prefer."""
        return False

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.switches.fit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Make the panel of a pressed header the active one."""
        self._change(self._panels.activate)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.MouseButtonPress:
            self._change(self._panels.activate)
        return False


def missing_text(panel: Panel, size: tuple[int, int]) -> str:
    """Return the sentence for a head that the run lacks; `size` is the number of its layers and heads."""
    words = translate("PanelCard", "Run {0} has only {1} layers with {2} heads.")
    if panel.run == "A-B":
        words = translate("PanelCard", "Run A and run B have only {1} layers with {2} heads in common.")
    return words.format(panel.run, *size)


def failure_text(error: Exception, panel: Panel) -> str:
    """Return the sentence that stands in a panel for a result that there is none of."""
    if isinstance(error, Cancelled) and panel.content.analysis:
        return translate("PanelCard", "Cancelled. Choose the analysis again to have it computed.")
    if isinstance(error, Cancelled):
        return translate("PanelCard", "Cancelled. Choose the head again to have it computed.")
    if isinstance(error, AppError):
        return error_text(error)
    return translate("PanelCard", "This could not be computed.")


_GRID = 6  # every row of one, two or three cards divides so many columns


def columns_for(count: int, width: int, height: int) -> int:
    """Return how many of `count` panels stand in a row, so that each is as large and as square as can be."""
    choices = range(1, max(1, min(3, count)) + 1)
    return max(choices, key=lambda n: (min(width / n, height / -(-max(count, 1) // n)), n))


class PanelArea(Guarded, QWidget):
    """Tiles the open panels and hands each its head, with a picture where its view needs one.

    `gallery_requested` has the number of the panel that is to show something else, `remedy_requested` what
    makes an analysis possible. `card_opened(card)`: a panel has a new card.
    """

    gallery_requested = Signal(int)
    remedy_requested = Signal(str)
    card_opened = Signal(object)

    def __init__(self, panels: Panels, tools: Mapping[str, PanelTools]) -> None:
        """`tools`: what the views of each of RUNS share."""
        super().__init__()
        self.setObjectName("ground")
        self._panels = panels
        self._tools = tools
        self._runs: tuple[Run, ...] = RUNS[:1]
        self.cards: dict[int, PanelCard] = {}
        self._grid = grid_of(self, margins=0, spacing=(8, 8))
        self._shown: dict[int, tuple[object, ...]] = {}  # what each card was last shown with
        self._tiled: list[PanelCard] = []
        self._n_columns = 1
        panels.changed.connect(self.show_panels)
        for run in RUNS:
            tools[run].pictures.arrived.connect(self._on_picture_arrived)
            tools[run].pictures.waiting_changed.connect(self._on_waiting_changed)
            tools[run].pictures.dropped.connect(self.refresh)
        tools["A"].analyses.changed.connect(self._on_analyses_changed)

    @property
    def is_complete(self) -> bool:
        """Whether every panel draws its own heads, with all of their lines."""
        drawn = {card: _drawn(card) for card in self.cards.values() if not card.stack.message}
        return all(of_card.is_whole and card.draws(of_card.front) for card, of_card in drawn.items())

    def show_runs(self, runs: tuple[Run, ...]) -> None:
        self._runs = runs
        self.refresh()

    def set_stale(self, is_stale: bool) -> None:
        for card in self.cards.values():
            card.set_stale(is_stale)

    @Slot()
    def refresh(self) -> None:
        """Open, close and place cards for the panels there are, and fetch their heads."""
        self._shown.clear()
        self.show_panels()

    @Slot()
    def show_panels(self) -> None:
        """Show the panels that are not as they were, and what has been computed for each."""
        numbers = {panel.number for panel in self._panels.panels}
        focused, had_focus = QApplication.focusWidget(), False
        # All are taken out first: to hide the one with the focus activates another panel, which calls this
        # method again from within.
        closing = [self.cards.pop(number) for number in list(self.cards) if number not in numbers]
        for card in closing:
            # While a menu is open deleteLater has to wait for its event loop, and the card's timers go on.
            card.blockSignals(True)
        for card in closing:
            had_focus |= focused is not None and card.isAncestorOf(focused)
            self._grid.removeWidget(card)
            card.hide()
            card.deleteLater()
        panels = self._panels.panels  # read now: a card that was hidden may have made another panel active
        active, heads, is_alone = self._panels.active, self._panels.included_heads, len(panels) == 1
        for panel in panels:
            if panel.number not in self.cards:
                card = self.cards[panel.number] = PanelCard(panel, self._panels, self._tools)
                # All rows have the same height: the size hint of a card must not make its row higher.
                card.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Ignored)
                card.head_requested.connect(self._on_head_requested)
                card.switches.content.clicked.connect(
                    lambda _=False, card=card: self.gallery_requested.emit(card.panel.number)
                )
                card.stack.button.clicked.connect(
                    lambda _=False, card=card: self.remedy_requested.emit(card.stack.remedy)
                )
                self.card_opened.emit(card)
            card = self.cards[panel.number]
            card.set_active(panel == active and not is_alone)
            state = panel, is_alone, heads
            if self._shown.get(panel.number) != state:
                card.show_panel(panel, self._runs, heads, is_alone=is_alone)
                self._shown[panel.number] = state
            # Also where the panel is as it was: what failed or was cancelled is chosen again.
            card.show_drawn(_drawn(card))
        self._shown = {number: state for number, state in self._shown.items() if number in self.cards}
        cards = [self.cards[panel.number] for panel in panels]
        if cards != self._tiled:
            self._tile(cards)
        if had_focus:
            self.focus_active()

    def focus_active(self) -> None:
        if self._panels.active is not None:
            self.cards[self._panels.active.number].view.setFocus()

    def _tile(self, cards: list[PanelCard]) -> None:
        """Place the cards in rows; those of a shorter last row are wider."""
        self._tiled = cards
        per_row = self._n_columns = columns_for(len(cards), self.width(), self.height())
        for index, card in enumerate(cards):
            row, column = divmod(index, per_row)
            span = _GRID // min(per_row, len(cards) - row * per_row)
            self._grid.addWidget(card, row, column * span, 1, span)
            card.show()
        for column in range(_GRID):
            self._grid.setColumnStretch(column, 1)
        rows = -(-len(cards) // per_row)
        for row in range(MOST):
            self._grid.setRowStretch(row, 1 if row < rows else 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        if columns_for(len(self.cards), self.width(), self.height()) != self._n_columns:
            self._tile([self.cards[panel.number] for panel in self._panels.panels])

    @Slot(int, int, int)
    def _on_head_requested(self, number: int, layer: int, head: int) -> None:
        self._panels.activate(number)
        self._panels.show(layer, head)
        panel = self.cards[number].panel
        if not panel.content.analysis or panel.kind.needs_picture:
            return
        # The attention of the head is shown beside its result, unless a panel shows it already.
        at = (panel.layer, panel.head)
        is_shown = any(
            (one.layer, one.head) == at and one.content == SHOWS_ATTENTION and one.kind.is_of_head
            for one in self._panels.panels
        )
        if not is_shown and len(self._panels.panels) < MOST:
            self._panels.insert(
                replace(panel, run=SIDES[panel.run][0], content=SHOWS_ATTENTION, view_kind="matrix", heads=())
            )
            self._panels.activate(panel.number)

    @Slot(object)
    def _on_picture_arrived(self, picture: HeadPicture) -> None:
        for card in self.cards.values():
            panel = card.panel
            is_shown = picture.layer == panel.layer and picture.head in panel.shown_heads
            if is_shown and _shows_pictures_of_heads(panel):
                card.show_drawn(_drawn(card))

    @Slot(int, int)
    def _on_waiting_changed(self, layer: int, head: int) -> None:
        """Show how far the picture of a head is, or why there is none, in the panels of that head."""
        for card in self.cards.values():
            panel = card.panel
            if (panel.layer, panel.head) == (layer, head) and _shows_pictures_of_heads(panel):
                # Only its state is read: requesting the picture would start what has just failed again.
                state = card.tools.pictures.state(layer, head)
                card.show_drawn(DrawnPanel(state=None if isinstance(state, Ready) else state))

    @Slot()
    def _on_analyses_changed(self) -> None:
        for card in self.cards.values():
            if card.panel.content.analysis:
                card.show_drawn(_drawn(card))


def _drawn(card: PanelCard) -> DrawnPanel:
    return drawn_in(card.panel, card.tools.pictures, card.tools.analyses)


def _shows_pictures_of_heads(panel: Panel) -> bool:
    return panel.kind.needs_picture and not panel.content.analysis
