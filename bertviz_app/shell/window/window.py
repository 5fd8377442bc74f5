"""The main window: places the views, and shows in them what its state holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QSize, Qt, Slot
from PySide6.QtGui import QCloseEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QMainWindow, QStackedLayout, QVBoxLayout, QWidget

from bertviz_app.shell.commands.catalogue import add_shortcuts, all_commands
from bertviz_app.shell.session.files import Files
from bertviz_app.shell.session.restore import Memory
from bertviz_app.shell.settings.appearance import Appearance
from bertviz_app.shell.settings.store import SettingsStore
from bertviz_app.shell.settings.theme import Theme
from bertviz_app.shell.window.asking import Asking
from bertviz_app.shell.window.bar_state import BarState
from bertviz_app.shell.window.dialogs import Dialogs
from bertviz_app.shell.window.drops import Drops
from bertviz_app.shell.window.export import Export
from bertviz_app.shell.window.presentation import Presentation
from bertviz_app.shell.window.problem_notice import ProblemNotice
from bertviz_app.shell.window.training import TrainingPlace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.wording.error_words import all_translated
from bertviz_app.views.bars.compare_bar import CompareBar
from bertviz_app.views.bars.status_line import StatusLine
from bertviz_app.views.bars.top_bar import ProgressLine, TopBar
from bertviz_app.views.dialogs.welcome import Welcome
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.words import retranslate_all

if TYPE_CHECKING:
    from bertviz_app.shell.window.main_area import MainArea

SMALLEST = (960, 600)
_FIRST = (1600, 1000)
_ARROWS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class MainWindow(QMainWindow):
    """One window and the state it shows."""

    def __init__(self, app_state: AppState, look: Look, theme: Theme, store: SettingsStore) -> None:
        super().__init__()
        self._app_state = app_state
        self._look = look
        self._store = store
        self._main_area: MainArea | None = None
        self.bar = TopBar(look)
        self.compare = CompareBar(look, app_state.comparison, app_state.workspace)
        self.progress = ProgressLine(look)
        self.welcome = Welcome()
        self.status = StatusLine()
        self.setWindowTitle("BertViz App")
        self.setMinimumSize(*SMALLEST)
        self._place()
        self.notice = ProblemNotice(self, self.bar, app_state.workspace)
        bars = (self.bar, self.compare)
        self.asking = Asking(self, look, app_state.answering, app_state.workspace, bars, self.notice)
        self.appearance = Appearance(look, theme, store)
        self.memory = Memory(app_state, store, self)
        self.history, self.recents = self.memory.history, self.memory.recents
        self.files = Files(self, app_state, self.memory.snapshot_taker, self.recents)
        self.export = Export(self, app_state, look)
        self.drops = Drops(self, look, self.files)
        self.training = TrainingPlace(self, app_state, look, store, self.files, self._pages)
        self.presentation = Presentation(self, self.appearance, self._set_alone)
        self.dialogs = Dialogs(self, app_state, look, self.appearance, store, self.recents)
        self._bar_state = BarState(self.bar, self.notice, app_state, self.files, self.recents, self.asking)
        self.dialogs.commands = self._bar_state.commands = lambda: all_commands(self, app_state)
        self._connect()
        add_shortcuts(self, self.dialogs.commands())

    @property
    def main_area(self) -> MainArea:
        """The views of a result, made when they are first wanted."""
        if self._main_area is None:
            from bertviz_app.shell.window.main_area import (
                MainArea,  # with pyqtgraph, which the first paint needs not
            )

            self._main_area = MainArea(self._app_state, self._look)
            self._main_area.docks.restore_layout(self._store.settings.layout)
            self._main_area.predictions.open(self._store.settings.shows_predictions)
            self._main_area.docks.set_alone(self.presentation.is_on)
            self._pages.addWidget(self._main_area)
            self.export.serve(self._main_area)
        return self._main_area

    def prepare_stage(self) -> None:
        """Make the views before there is a result, so that the first one is shown sooner."""
        self.main_area.ensurePolished()

    def _place(self) -> None:
        ground = named(QWidget(), "ground")
        self._pages = QStackedLayout()
        self._pages.addWidget(self.welcome)
        column = QVBoxLayout(ground)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.compare)
        column.addWidget(self.progress)
        column.addLayout(self._pages, 1)
        column.addWidget(self.status)
        self.setCentralWidget(ground)

    def _connect(self) -> None:
        workspace = self._app_state.workspace
        workspace.shown_changed.connect(self._on_shown_changed)
        workspace.activity_changed.connect(self._on_activity_changed)
        self._app_state.panels.refused.connect(self._on_panel_refused)
        self.bar.compare.clicked.connect(self.toggle_comparison)
        for field in (self.bar.text, self.bar.pair):
            field.returnPressed.connect(self._app_state.kept_vectors.keep)
        workspace.recent_refs = lambda: self.recents.checkpoints
        self.compare.file_asked.connect(self.files.ask_for_other_file)
        self.compare.folder_asked.connect(self.files.ask_for_other_folder)
        self.compare.hub_asked.connect(self.files.ask_for_other_hub_id)
        self.compare.recent_models = lambda: self.recents.checkpoints
        self.bar.palette_asked.connect(self.dialogs.open_palette)
        self.files.began.connect(self.notice.forget_remark)
        self.files.refused.connect(lambda words: self.notice.show_message(self.bar.text, words))
        self.files.remarked.connect(
            lambda words: self.notice.show_message(self.bar.text, words, tone="warning")
        )
        self.files.saved.connect(lambda path: self.status.show_message(self.tr("Saved {0}.").format(path)))
        self.welcome.example_chosen.connect(self._on_example_chosen)
        self.status.cancelled.connect(workspace.cancel_opening)
        self.training.said.connect(self.status.say_training)
        for signal in (self.status.training_asked, self._bar_state.training_asked):
            signal.connect(self.training.open)
        for left in (self.bar.texts_edited, self.files.began):
            left.connect(self.training.leave)
        self._refresh()

    def _refresh(self) -> None:
        """Show what there was to show before this window was there."""
        self._bar_state.refresh()
        self._on_shown_changed()
        self._on_activity_changed()

    # what the commands do

    def focus_text(self) -> None:
        """Put the cursor into sentence A, all of it selected."""
        self.bar.text.setFocus()
        self.bar.text.selectAll()

    def toggle_comparison(self) -> None:
        """Compare run A with a second run, or no longer."""
        comparison = self._app_state.comparison
        if comparison.is_on:
            comparison.end()
        else:
            comparison.begin()
            self.compare.text.setFocus()

    def toggle_scale(self) -> None:
        """Scale the overview per head, or alike."""
        self.main_area.set_per_head(not self.main_area.overview.is_per_head)

    def let_go(self) -> None:
        """Leave the presentation or the Training page, else let go of what is pinned."""
        if self.presentation.is_on:
            self.presentation.leave()
        elif self.training.is_shown:
            self.training.leave()
        else:
            self._app_state.selection.clear()

    def close_window(self) -> None:
        self.close()

    # changes of the state

    @Slot()
    def _on_shown_changed(self) -> None:
        shown = self._app_state.workspace.shown
        if shown is None:
            return
        self.main_area.show_result(shown)
        self.training.show_behind(self.main_area)
        self.status.show_result(shown)
        self._on_activity_changed()

    @Slot(str, object)
    def _on_example_chosen(self, text: str, pair: str | None) -> None:
        self._app_state.workspace.set_texts(text, pair, at_once=True)

    @Slot()
    def _on_panel_refused(self) -> None:
        self.status.show_message(self.tr("Six panels are the most. Close one to add another."), "warning")

    @Slot()
    def _on_activity_changed(self) -> None:
        workspace = self._app_state.workspace
        self.progress.set_progress(workspace.is_busy, workspace.progress)
        if self._main_area is not None:
            self._main_area.set_stale(not workspace.is_current)
        if workspace.opening is not None:
            name = workspace.opening or self.tr("the checkpoint")
            is_fetching = workspace.is_fetching and workspace.progress is not None
            words = self.tr("Downloading {0} …") if is_fetching else self.tr("Opening {0} …")
            words = words.format(name)
            if workspace.progress is not None:
                words += f" {workspace.progress:.0%}"
            self.status.show_message(words, can_cancel=True)
        elif workspace.shown is not None and workspace.shown.result.notices:
            self.status.show_message(all_translated(workspace.shown.result.notices), "warning")
        elif workspace.shown is not None:
            error = workspace.shown.overview.row_error
            self.status.show_message(self.tr("rows sum to 1 within {0:.0e}").format(max(error, 1e-9)))
        else:
            self.status.show_message("")

    # the window itself

    def _set_alone(self, is_alone: bool) -> None:
        if self._main_area is not None:
            self._main_area.docks.set_alone(is_alone)

    def restore(self) -> None:
        """Take the looks, the size and the place of last time, or fill most of the screen."""
        self.appearance.restore()
        geometry = QByteArray.fromBase64(self._store.settings.geometry.encode())
        if geometry.isEmpty() or not self.restoreGeometry(geometry):
            screen = self.screen().availableSize()
            self.resize(screen.boundedTo(QSize(*_FIRST)))
            if self.size() != QSize(*_FIRST):  # the window manager's frame needs room too
                self.setWindowState(Qt.WindowState.WindowMaximized)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk heads and layers by the arrows that no view wanted."""
        step = _ARROWS.get(Qt.Key(event.key()))
        if step is not None and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            self._app_state.panels.walk(*step)
        else:
            event.ignore()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self.notice.follow()
        self.asking.follow()

    @guarded
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            retranslate_all(self)
            self.export.retranslate()
            self.notice.say_again()
            self._refresh()

    @guarded
    def closeEvent(self, event: QCloseEvent) -> None:
        self.presentation.leave()
        if self._main_area is not None:
            is_open = self._main_area.predictions.is_open
            self._store.change(layout=self._main_area.docks.layout_text, shows_predictions=is_open)
        self._store.change(geometry=self.saveGeometry().toBase64().toStdString())
        self.memory.end()
        self.training.close()
        self.files.close()
        event.accept()
