"""The main window: places the views, and shows in them what the desk says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSize, Qt, Slot
from PySide6.QtGui import QCloseEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMainWindow, QStackedLayout, QVBoxLayout, QWidget

from bertviz_app.shell import menus
from bertviz_app.shell.commands import add_shortcuts, all_commands
from bertviz_app.shell.desk import Desk
from bertviz_app.shell.problem_notice import ProblemNotice
from bertviz_app.shell.settings import SettingsStore
from bertviz_app.shell.theme import Theme
from bertviz_app.views.command_palette import CommandPalette
from bertviz_app.views.guard import guarded
from bertviz_app.views.look import Look
from bertviz_app.views.status_line import StatusLine
from bertviz_app.views.style import named
from bertviz_app.views.top_bar import ProgressLine, TopBar
from bertviz_app.views.welcome import Welcome

if TYPE_CHECKING:
    from bertviz_app.shell.stage import Stage

SMALLEST = (960, 600)
_FIRST = (1600, 1000)
_ARROWS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}


class MainWindow(QMainWindow):
    """One window on one desk."""

    def __init__(self, desk: Desk, look: Look, theme: Theme, store: SettingsStore) -> None:
        super().__init__()
        self._desk = desk
        self._look = look
        self._theme = theme
        self._store = store
        self._hub_id = ""
        self.bar = TopBar(look)
        self.progress = ProgressLine(look)
        self.welcome = Welcome()
        self._stage: Stage | None = None
        self.status = StatusLine()
        self.setWindowTitle("BertViz App")
        self.setMinimumSize(*SMALLEST)
        self._place()
        self.notice = ProblemNotice(self, self.bar, desk.workspace)
        self._connect()
        add_shortcuts(self, all_commands(self, desk))

    @property
    def stage(self) -> Stage:
        """The views of a result, made when they are first wanted."""
        if self._stage is None:
            from bertviz_app.shell.stage import Stage  # with pyqtgraph, which the first paint needs not

            self._stage = Stage(self._desk, self._look)
            self._pages.addWidget(self._stage)
        return self._stage

    def prepare_stage(self) -> None:
        """Make the views before there is a result, so that the first one is shown sooner."""
        self.stage.ensurePolished()

    def _place(self) -> None:
        ground = named(QWidget(), "ground")
        self._pages = QStackedLayout()
        self._pages.addWidget(self.welcome)
        column = QVBoxLayout(ground)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.progress)
        column.addLayout(self._pages, 1)
        column.addWidget(self.status)
        self.setCentralWidget(ground)

    def _connect(self) -> None:
        workspace = self._desk.workspace
        workspace.shown_changed.connect(self._on_shown_changed)
        workspace.facts_changed.connect(self._on_facts_changed)
        workspace.sources_changed.connect(self._on_sources_changed)
        workspace.devices_changed.connect(self._on_devices_changed)
        workspace.texts_changed.connect(self._on_texts_changed)
        workspace.activity_changed.connect(self._on_activity_changed)
        self._desk.panels.refused.connect(self._on_panel_refused)
        self.bar.texts_edited.connect(workspace.set_texts)
        self.bar.palette_asked.connect(self.open_palette)
        self.bar.models.menu().aboutToShow.connect(workspace.look_for_sources)
        self.bar.models.menu().aboutToShow.connect(self.notice.hide)
        self.welcome.example_chosen.connect(self._on_example_chosen)
        self.status.cancelled.connect(workspace.cancel_opening)
        self._refresh()

    def _refresh(self) -> None:
        """Show what the desk had to show before this window was there."""
        self._on_sources_changed()
        self._on_devices_changed()
        self._on_facts_changed()
        self._on_texts_changed()
        self._on_shown_changed()

    # what the commands do

    def focus_text(self) -> None:
        """Put the cursor into sentence A, all of it selected."""
        self.bar.text.setFocus()
        self.bar.text.selectAll()

    def ask_for_folder(self) -> None:
        """Let the user choose a checkpoint folder and open it."""
        folder = QFileDialog.getExistingDirectory(self, self.tr("Open a checkpoint folder"))
        if folder:
            self._desk.workspace.open_model(folder)

    def ask_for_hub_id(self) -> None:
        """Let the user name a checkpoint of the hub and open it, downloading it if it is not there."""
        label = self.tr("Name of the checkpoint, such as sentence-transformers/all-MiniLM-L6-v2:")
        title = self.tr("Open a checkpoint from the hub")
        name, is_given = QInputDialog.getText(self, title, label, text=self._hub_id)
        if is_given and name.strip():
            self._hub_id = name.strip()
            self._desk.workspace.open_model(self._hub_id)

    def toggle_scale(self) -> None:
        """Scale the overview per head, or alike."""
        self.stage.set_per_head(not self.stage.overview.is_per_head)

    def toggle_theme(self) -> None:
        """Switch between light and dark."""
        self.choose_theme("light" if self._theme.name == "dark" else "dark")

    def choose_theme(self, chosen: str) -> None:
        """Use "light", "dark" or the "system"'s theme, from now on."""
        self._theme.choose(chosen)
        self._store.change(theme=chosen)

    def toggle_full_screen(self) -> None:
        """Fill the screen, or be a window again."""
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def open_palette(self) -> None:
        """Show every command."""
        entries = [command.entry for command in all_commands(self, self._desk)]
        CommandPalette(self._look, entries, self).open()

    def close_window(self) -> None:
        self.close()

    # what the desk says

    @Slot()
    def _on_shown_changed(self) -> None:
        shown = self._desk.workspace.shown
        if shown is None:
            return
        self.stage.show_result(shown)
        self._pages.setCurrentWidget(self.stage)
        self.status.show_result(shown)
        n_left_out = shown.result.trace.tokens.n_left_out
        remark = self.tr("{0} left out").format(n_left_out) if n_left_out else ""
        self.bar.text.set_remark(remark, " ".join(shown.result.notices))
        self._on_devices_changed()
        self._on_activity_changed()

    @Slot()
    def _on_facts_changed(self) -> None:
        facts = self._desk.workspace.facts
        if facts is not None:
            self.bar.models.say(facts.name, menus.described(facts))
            self.bar.models.setToolTip("\n".join((facts.origin, *facts.remarks)))

    @Slot()
    def _on_sources_changed(self) -> None:
        others = [
            (self.tr("Open a folder …"), self.ask_for_folder),
            (self.tr("From the hub …"), self.ask_for_hub_id),
        ]
        workspace = self._desk.workspace
        menus.fill_models(self.bar.models.menu(), workspace.sources, workspace.open_model, others)

    @Slot()
    def _on_devices_changed(self) -> None:
        workspace = self._desk.workspace
        menus.fill_devices(self.bar.devices.menu(), workspace.devices, workspace.device, workspace.set_device)
        used = workspace.device if workspace.shown is None else workspace.shown.result.device.name
        device = next((device for device in workspace.devices if device.name == used), None)
        words = (device.label, device.detail) if device else (self.tr("Device"), "")
        self.bar.devices.say(*words)

    @Slot()
    def _on_texts_changed(self) -> None:
        self.bar.set_texts(self._desk.workspace.text, self._desk.workspace.pair)
        self._on_activity_changed()

    @Slot(str, object)
    def _on_example_chosen(self, text: str, pair: str | None) -> None:
        self._desk.workspace.set_texts(text, pair, at_once=True)

    @Slot()
    def _on_panel_refused(self) -> None:
        self.status.say(self.tr("Six panels are the most. Close one to add another."), "warning")

    @Slot()
    def _on_activity_changed(self) -> None:
        workspace = self._desk.workspace
        self.progress.set_progress(workspace.is_busy, workspace.progress)
        if self._stage is not None:
            self._stage.set_stale(not workspace.is_current)
        if workspace.opening is not None:
            name = workspace.opening or self.tr("the checkpoint")
            words = self.tr("Opening {0} …").format(name)
            if workspace.progress is not None:
                words += f" {workspace.progress:.0%}"
            if workspace.facts is None:
                self.bar.models.say(self.tr("opening …"))
            self.status.say(words, can_cancel=True)
        elif workspace.shown is not None and workspace.shown.result.notices:
            self.status.say(" ".join(workspace.shown.result.notices), "warning")
        elif workspace.shown is not None:
            error = workspace.shown.overview.row_error
            self.status.say(self.tr("rows sum to 1 within {0:.0e}").format(max(error, 1e-9)))
        else:
            self.status.say("")

    # the window itself

    def restore(self) -> None:
        """Take the size and place of last time, or fill most of the screen."""
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
            self._desk.panels.walk(*step)
        else:
            event.ignore()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        self.notice.follow()

    @guarded
    def closeEvent(self, event: QCloseEvent) -> None:
        self._store.change(geometry=self.saveGeometry().toBase64().toStdString())
        event.accept()
