"""The frame of the window: its bars and pages, and what a room adds to it (`WindowPart`, `Guide`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QAbstractSpinBox,
    QApplication,
    QLineEdit,
    QMainWindow,
    QPlainTextEdit,
    QStackedLayout,
    QTextEdit,
    QWidget,
)
from shiboken6 import isValid

from bertviz_app.inference.jobs import Jobs
from bertviz_app.learning.words import example_words
from bertviz_app.shell.settings import Appearance
from bertviz_app.values import dataclass
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.results import Tasks
from bertviz_app.viewmodels.wording import all_translated
from bertviz_app.views.bars.status_line import StatusLine
from bertviz_app.views.bars.top_bar import CompareBar, TopBar
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look, in_column, in_row
from bertviz_app.views.kit.widgets import NoticeArea, ProgressLine, press_by_enter
from bertviz_app.views.start import StartPage

if TYPE_CHECKING:
    from bertviz_app.shell.commands.menus import Command
    from bertviz_app.shell.window.main_area import MainArea
    from bertviz_app.views.dialogs.palette import PaletteEntry
    from bertviz_app.views.kit.panel_view import MakeView


class Pages(QStackedLayout):
    """Shows one widget at a time. A page, such as Training, stands above another widget until it is left.

    Leaving it gives the focus back to what had it. `page_changed` is emitted when a page is opened or left.
    """

    page_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._below: list[QWidget] = []  # what is shown again as the pages above it are left
        self._focused: list[QWidget | None] = []  # what had the focus in or around each of these

    @property
    def has_page(self) -> bool:
        return bool(self._below)

    def open_page(self, page: QWidget) -> None:
        """Show a page above what is shown now; nothing happens where it is shown already."""
        current = self.currentWidget()
        if current is page or current is None:
            return
        if page in self._below:
            at = self._below.index(page)
            del self._below[at:], self._focused[at:]
        else:
            self._below.append(current)
            self._focused.append(QApplication.focusWidget())
        self.setCurrentWidget(page)
        self.page_changed.emit()

    def leave_page(self) -> None:
        """Show again what is below the page; nothing happens where none is shown."""
        if self._below:
            self.setCurrentWidget(self._below.pop())
            focused = self._focused.pop()
            if focused is not None and isValid(focused):
                focused.setFocus()
            self.page_changed.emit()

    def leave_pages(self) -> None:
        """Show what is below all pages."""
        if self._below:
            del self._below[1:], self._focused[1:]
            self.leave_page()

    def show_behind(self, widget: QWidget) -> None:
        """Show `widget`, at once or as soon as the pages are left."""
        if self._below:
            self._below[0] = widget
        else:
            self.setCurrentWidget(widget)


_UNLIMITED = 16_777_215  # Qt's largest height


class WindowFrame(Guarded, QWidget):
    """Places the bars and shows in them what the workspace is doing.

    `main_area_made` is emitted once, when the views of a result are built; `resized` with another size.
    """

    main_area_made = Signal()
    resized = Signal()

    def __init__(
        self,
        app_state: AppState,
        look: Look,
        recent_models: Callable[[], Sequence[str]],
        panel_views: Mapping[str, MakeView],
    ) -> None:
        """`panel_views`: what makes the views of panels that rooms bring."""
        super().__init__()
        self._panel_views = panel_views
        self.setObjectName("ground")
        self._app_state, self._look = app_state, look
        self._main_area: MainArea | None = None
        self._keeps_bars = self._is_presented = False
        self.bar = TopBar(look)
        self.compare = CompareBar(look, app_state.comparison, app_state.workspace, recent_models)
        self.bars = QWidget()
        self.progress = ProgressLine(look)
        self.welcome = StartPage(look, example_words())
        self.status = StatusLine()
        self.pages = Pages()
        self._row = in_row((self.pages, 1), spacing=0)
        in_column(self.bar, self.compare, of=self.bars, margins=0, spacing=0)
        in_column(
            self.bars, self.progress, NoticeArea(), (self._row, 1), self.status, of=self, margins=0, spacing=0
        )
        # Last: a stack shows its first widget, without a parent as a window.
        self.pages.addWidget(self.welcome)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        application.focusChanged.connect(self._fold_bars)
        application.focusChanged.connect(press_by_enter)
        app_state.workspace.activity_changed.connect(self.show_activity)
        app_state.panels.refused.connect(self._on_panel_refused)
        self.bar.compare.clicked.connect(self.toggle_comparison)
        self.status.link.clicked.connect(self._on_link_clicked)

    @property
    def main_area(self) -> MainArea:
        """The views of a result, built at the first use: the first paint does without pyqtgraph."""
        if self._main_area is None:
            from bertviz_app.shell.window.main_area import MainArea

            self._main_area = MainArea(self._app_state, self._look, self._panel_views, self)
            self.pages.addWidget(self._main_area)
            self.status.self_test.follow(self._app_state.shown_runs.self_testing)
            self.status.rounding.follow(self._app_state.shown_runs.rounding)
            self.main_area_made.emit()
        return self._main_area

    @property
    def has_main_area(self) -> bool:
        """Whether the views of a result are built."""
        return self._main_area is not None

    def add_beside(self, card: QWidget) -> None:
        """Put a card at the right of the pages."""
        self._row.addWidget(card)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def arrange(self, *, is_presented: bool, is_calm: bool) -> None:
        """Show no status line where it `is_calm`, as in Learn.

        In a presentation it leaves its room to the views, too, and so do the bars as long as no key goes to
        them.
        """
        self.status.setVisible(not is_presented and not is_calm)
        if is_presented == self._is_presented:
            return
        self._is_presented = is_presented
        focused = self.focusWidget()
        if is_presented and focused is not None and self.bars.isAncestorOf(focused):
            focused.clearFocus()
        self._fold_bars()

    def keep_bars(self, is_kept: bool) -> None:
        """Show the bars in a presentation, too: what a station asks for is done there."""
        self._keeps_bars = is_kept
        self._fold_bars()

    @Slot()
    def _fold_bars(self) -> None:
        """Take the height of the bars, not the fields in them: Ctrl+L or Tab brings them back."""
        focused = QApplication.focusWidget()
        is_in_use = focused is not None and self.bars.isAncestorOf(focused)
        is_folded = self._is_presented and not is_in_use and not self._keeps_bars
        self.bars.setMaximumHeight(0 if is_folded else _UNLIMITED)

    def focus_text(self) -> None:
        """Put the cursor into sentence 1, all of it selected; on the start page into its own field."""
        self._text_field.setFocus()
        self._text_field.selectAll()

    @property
    def _text_field(self) -> QLineEdit:
        return self.bar.text if self.bar.text.isVisibleTo(self.bar) else self.welcome.field

    def type_text(self, text: str) -> None:
        """Type into that field, as a new word, what was typed beside it and means nothing there."""
        if self.pages.currentWidget() in (self.welcome, self._main_area):
            field = self._text_field
            if not field.isReadOnly():
                field.setFocus()
                field.end(False)
                field.insert(text if field.text()[-1:] in ("", " ") else f" {text}")

    @Slot()
    def toggle_comparison(self) -> None:
        """Compare run A with a second run, or end the comparison."""
        comparison, saved = self._app_state.comparison, self._app_state.workspace.saved
        if saved is not None and not saved.is_here and not comparison.is_on:
            return  # run B would be encoded with the checkpoint of run A
        if comparison.is_on:
            comparison.end()
        else:
            comparison.begin()
            self.compare.text.setFocus()

    @Slot()
    def show_activity(self) -> None:
        """Show what is being opened and how far it is, else how exact the result on screen is."""
        workspace = self._app_state.workspace
        pending = workspace.opening.pending
        encoding = workspace.encoding
        fraction = encoding.progress if pending is None else pending.progress
        self.progress.set_progress(workspace.is_busy, fraction)
        if self._main_area is not None:
            self._main_area.staleness.set_stale("A", not workspace.is_current)
        if pending is not None:
            is_fetching = workspace.opening.is_fetching and pending.progress is not None
            words = self.tr("Downloading {0} …") if is_fetching else self.tr("Opening {0} …")
            words = words.format(pending.ref or self.tr("the checkpoint"))
            share = "" if pending.progress is None else f" {pending.progress:.0%}"
            self.status.show_message(words + share, link=self.tr("Cancel"))
        elif encoding.is_busy and encoding.progress is not None:
            words = self.tr("Encoding the text … {0}").format(f"{encoding.progress:.0%}")
            self.status.show_message(words, link=self.tr("Cancel"))
        elif encoding.is_given_up:
            self.status.show_message(self.tr("The text was not encoded."), link=self.tr("Encode it"))
        elif workspace.is_blank or workspace.shown is None:
            self.status.clear()
        elif workspace.shown.result.notices:
            self.status.show_message(all_translated(workspace.shown.result.notices), "warning")
        else:
            self.status.show_message("")

    @Slot()
    def _on_link_clicked(self) -> None:
        workspace = self._app_state.workspace
        if workspace.opening.pending is not None:
            workspace.cancel_opening()
        elif workspace.encoding.is_given_up:
            workspace.encoding.schedule(at_once=True)
        else:
            workspace.encoding.give_up()

    @Slot()
    def _on_panel_refused(self) -> None:
        self.status.show_message(self.tr("There can be six panels. Close one to add another."), "warning")


class Presentation(QObject):
    """Goes on and off; off, everything is as it was before."""

    changed = Signal()

    def __init__(self, window: QMainWindow, appearance: Appearance) -> None:
        super().__init__(window)
        self._window, self._appearance = window, appearance
        self._before = Qt.WindowState.WindowNoState
        self.is_on = False

    def toggle(self) -> None:
        """Show the panels large on the whole screen, or be an ordinary window again."""
        if self.is_on:
            self.leave()
        else:
            self._before = self._window.windowState()
            self._set(is_on=True)
            self._window.setWindowState(self._before | Qt.WindowState.WindowFullScreen)

    def leave(self) -> None:
        """Be an ordinary window again."""
        if self.is_on:
            self._set(is_on=False)
            self._window.setWindowState(self._before)

    def _set(self, *, is_on: bool) -> None:
        self.is_on = is_on
        self._appearance.set_projected(self._window.screen().size().height() if is_on else None)
        self.changed.emit()


@dataclass(frozen=True)
class EndQuestion:
    """What is asked before the window closes: a question, more about it, and the words of the two buttons."""

    question: str
    about: str
    end: str
    stay: str


class WindowPart(QObject):
    """What a room of the program adds to one window, which it lives as long as; this base adds nothing.

    When the language changes, the window builds its frame anew: it calls `move_to` of all parts with the new
    frame, then `show_again` of all.
    """

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._window = window

    def move_to(self, frame: WindowFrame) -> None:
        """Use this frame of the window from now on, and its language."""

    def show_again(self) -> None:
        """Show in the new frame what was shown in the one before."""

    def commands(self) -> Sequence[Command]:
        """Return the commands; each is listed at the end of the group that its `group` names."""
        return ()

    def palette_entries(self) -> Sequence[PaletteEntry]:
        """Return what the palette lists besides the commands."""
        return ()

    def ways_to_checkpoints(self) -> Sequence[tuple[str, Callable[[], None]]]:
        """Return entries for the end of the list of checkpoints: a text, and what a click does."""
        return ()

    def preferences(self) -> Sequence[tuple[str, QWidget]]:
        """Return rows of the preferences: a label and what sets it."""
        return ()

    def question_at_end(self) -> EndQuestion | None:
        """Return what is asked before the window closes; None where nothing would be lost."""
        return None

    def close(self) -> None:
        """End what runs; the window closes."""


class Guide(WindowPart):
    """What leads a learner through the window, as a lesson does; this base never does.

    While it is open it decides which cards are shown. `changed`: it shows another step, has begun or ended.
    """

    changed = Signal()

    @property
    def is_open(self) -> bool:
        """Whether it is leading now, so that what is shown is not the user's own work."""
        return False

    @property
    def points_at(self) -> str:
        """The part of the window that the learner is to look at now, "" for none."""
        return ""

    @property
    def holds_pin(self) -> bool:
        """Whether the learner has pinned other tokens than it did: Escape then unpins them first."""
        return False

    def arrange_cards(self) -> None:
        """Show the cards that it needs, and hide the others."""

    def refresh(self) -> None:
        """Read again what depends on the preferences, such as the learner's own lessons."""

    def open_list(self) -> None:
        """Show the list of all lessons."""

    def named(self, key: str) -> str:
        """Return the title of the lesson with a key, or of a station (lesson/station); "" of none."""
        return ""

    def open_about(self, key: str) -> None:
        """Begin the lesson with a key, or show a station of it (lesson/station)."""

    def leave(self) -> None:
        """End the lesson; what was shown before comes back."""

    def run(self, command: Callable[[], object]) -> None:
        """Run a command; what it does behind what the learner looks at comes into sight."""
        command()


class PageController(WindowPart):
    """Makes a page at the first use, and workers, which end with the window."""

    def __init__(self, window: QMainWindow) -> None:
        super().__init__(window)
        self._pages = Pages()
        self._page: Any = None
        self._was_shown = False
        self._workers: list[Jobs] = []

    def move_to(self, frame: WindowFrame) -> None:
        self._was_shown = self.is_shown
        self._pages, self._page = frame.pages, None

    @property
    def page(self) -> Any:
        """The page, made at the first use; subclasses say of which class."""
        if self._page is None:
            self._page = self._make_page()
            self._pages.addWidget(self._page)
            self._page.back.clicked.connect(self._pages.leave_page)
        return self._page

    def _make_page(self) -> QWidget:
        """Return a page; a click on its `back` button leaves it."""
        raise NotImplementedError

    @property
    def is_shown(self) -> bool:
        return self._page is not None and self._pages.currentWidget() is self._page

    def show_again(self) -> None:
        if self._was_shown:
            self.show_page()

    def show_page(self) -> None:
        """Show the page as it was left."""
        self._pages.open_page(self.page)

    def toggle(self) -> None:
        """Show the page, or what was shown before it."""
        if self.is_shown:
            self._pages.leave_page()
        else:
            self.open()

    def open(self) -> None:
        """Show the page, on what the window is about now."""
        self.show_page()

    def _tasks(self, name: str) -> Tasks:
        """Start a worker of the page's own, and return what hands work to it."""
        jobs = Jobs(name)
        self._workers.append(jobs)
        jobs.start()
        return Tasks(jobs, self)

    def close(self) -> None:
        """End the workers."""
        for jobs in self._workers:
            jobs.close()


WidgetPath = tuple[tuple[str, int], ...]
"""The way to a widget: of each on the way the class, and how many siblings of it come before."""


class WidgetContents:
    """Typed texts with their cursors, where lists are scrolled to, and which widget has the keyboard focus.

    Two windows around the same state have the same widgets in the same order; what the other one lacks stays
    as it is there.
    """

    def __init__(self, root: QWidget) -> None:
        self._texts: dict[WidgetPath, tuple[str, int]] = {}
        self._scrolled: dict[WidgetPath, tuple[int, int]] = {}
        self._focused: WidgetPath | None = None
        focused = root.window().focusWidget()
        for path, widget in _below(root):
            if widget is focused:
                self._focused = path
            if isinstance(widget, QLineEdit) and not isinstance(widget.parent(), QAbstractSpinBox):
                self._texts[path] = widget.text(), widget.cursorPosition()
            elif isinstance(widget, QPlainTextEdit | QTextEdit) and not widget.isReadOnly():
                self._texts[path] = widget.toPlainText(), widget.textCursor().position()
            if isinstance(widget, QAbstractScrollArea):
                bars = widget.horizontalScrollBar(), widget.verticalScrollBar()
                self._scrolled[path] = bars[0].value(), bars[1].value()

    def put(self, root: QWidget) -> None:
        """Write it into the widgets below `root`."""
        for path, widget in _below(root):
            text, cursor = self._texts.get(path, ("", 0))
            if path in self._texts and isinstance(widget, QLineEdit):
                if widget.text() != text and not widget.isReadOnly():
                    widget.setText(text)
                widget.setCursorPosition(cursor)
            elif path in self._texts and isinstance(widget, QPlainTextEdit | QTextEdit):
                if widget.toPlainText() != text:
                    widget.setPlainText(text)
                place = widget.textCursor()
                place.setPosition(cursor)
                widget.setTextCursor(place)
            if isinstance(widget, QAbstractScrollArea) and path in self._scrolled:
                across, down = self._scrolled[path]
                widget.horizontalScrollBar().setValue(across)
                widget.verticalScrollBar().setValue(down)
            if path == self._focused:
                widget.setFocus()


def _below(root: QWidget, path: WidgetPath = ()) -> Iterator[tuple[WidgetPath, QWidget]]:
    """Yield every widget below `root` with the way to it; no windows of their own, such as menus."""
    n_before = Counter[str]()
    for child in root.children():
        if isinstance(child, QWidget) and not child.isWindow():
            name = type(child).__name__
            here = (*path, (name, n_before[name]))
            n_before[name] += 1
            yield here, child
            yield from _below(child, here)
