"""The bars of the window and, between them, its pages; and the window as a class sees it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLineEdit, QMainWindow, QStackedLayout, QWidget
from shiboken6 import isValid

from bertviz_app.learning.words import example_words
from bertviz_app.shell.settings.appearance import Appearance
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.wording import all_translated
from bertviz_app.views.bars.status_line import StatusLine
from bertviz_app.views.bars.top_bar import CompareBar, TopBar
from bertviz_app.views.kit.canvas import Guarded
from bertviz_app.views.kit.look import Look, in_column
from bertviz_app.views.kit.widgets import NoticeArea, ProgressLine, press_by_enter
from bertviz_app.views.start import StartPage

if TYPE_CHECKING:
    from bertviz_app.shell.window.main_area import MainArea
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
        self._row = QHBoxLayout()
        in_column(self.bar, self.compare, of=self.bars, margins=0, spacing=0)
        self._row.setSpacing(0)
        self._row.addLayout(self.pages, 1)
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
