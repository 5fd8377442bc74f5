"""The main window: places the views, and shows in them what the desk says."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QByteArray, QSize, Qt, Slot
from PySide6.QtGui import QCloseEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFileDialog, QInputDialog, QMainWindow, QStackedLayout, QVBoxLayout, QWidget

from bertviz_app.shell import menus
from bertviz_app.shell.commands import add_shortcuts, all_commands
from bertviz_app.shell.desk import Desk
from bertviz_app.shell.settings import SettingsStore
from bertviz_app.shell.stage import Stage
from bertviz_app.shell.theme import Theme
from bertviz_app.text.tokenizer import is_unreadable
from bertviz_app.viewmodels.workspace import Problem
from bertviz_app.views.command_palette import CommandPalette
from bertviz_app.views.guard import guarded
from bertviz_app.views.look import Look
from bertviz_app.views.notice import Notice
from bertviz_app.views.status_line import StatusLine
from bertviz_app.views.style import named
from bertviz_app.views.top_bar import ProgressLine, TopBar
from bertviz_app.views.welcome import Welcome

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
        self.stage = Stage(desk, look)
        self.status = StatusLine()
        self.setWindowTitle("BertViz App")
        self.setMinimumSize(*SMALLEST)
        self._place()
        self.notice = Notice(self)
        self._connect()
        add_shortcuts(self, all_commands(self, desk))

    def _place(self) -> None:
        ground = named(QWidget(), "ground")
        self._pages = QStackedLayout()
        self._pages.addWidget(self.welcome)
        self._pages.addWidget(self.stage)
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
        workspace.problem_changed.connect(self._on_problem_changed)
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
        self.stage.area.refresh()

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
        self._pages.setCurrentWidget(self.stage)
        self.stage.show_result(shown)
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
        self.bar.devices.say(device.label, device.detail) if device else self.bar.devices.say(
            self.tr("Device")
        )

    @Slot()
    def _on_texts_changed(self) -> None:
        self.bar.set_texts(self._desk.workspace.text, self._desk.workspace.pair)
        self._on_activity_changed()

    @Slot(str, object)
    def _on_example_chosen(self, text: str, pair: str | None) -> None:
        self._desk.workspace.set_texts(text, pair, at_once=True)

    @Slot()
    def _on_problem_changed(self) -> None:
        problem = self._desk.workspace.problem
        self.bar.text.set_problem(problem is not None and problem.field == "text")
        self.bar.pair.set_problem(problem is not None and problem.field == "pair")
        if problem is None:
            self.notice.hide()
        else:
            self.notice.say(self._field(problem.field), str(problem.error), self._way_out(problem))
        self._on_activity_changed()

    def _field(self, name: str) -> QWidget:
        fields = {"text": self.bar.text, "pair": self.bar.pair, "device": self.bar.devices}
        field = fields.get(name, self.bar.models)
        return field if field.isVisibleTo(self) else self.bar.text

    def _way_out(self, problem: Problem) -> tuple[str, Callable[[], None]] | None:
        """Return a button that puts a problem right, where one click can."""
        workspace = self._desk.workspace
        if problem.field == "device":
            return self.tr("Use the CPU"), lambda: workspace.set_device("cpu")
        if problem.field == "model":
            return self.tr("Choose another"), self.bar.models.showMenu
        texts = (workspace.text, workspace.pair or "")
        if not any(is_unreadable(character) for text in texts for character in text):
            return None

        def clean() -> None:
            kept = ["".join(c for c in text if not is_unreadable(c)) for text in texts]
            workspace.set_texts(kept[0], kept[1] or None, at_once=True)

        return self.tr("Take them out"), clean

    @Slot()
    def _on_panel_refused(self) -> None:
        self.status.say(self.tr("Six panels are the most. Close one to add another."), "warning")

    @Slot()
    def _on_activity_changed(self) -> None:
        workspace = self._desk.workspace
        self.progress.set_progress(workspace.is_busy, workspace.progress)
        self.stage.set_stale(not workspace.is_current)
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
        problem = self._desk.workspace.problem
        if problem is not None and self.notice.isVisible():
            self.notice.place(self._field(problem.field))

    @guarded
    def closeEvent(self, event: QCloseEvent) -> None:
        self._store.change(geometry=self.saveGeometry().toBase64().toStdString())
        event.accept()
