"""Every command: what it is called, its keys, and what it does. Menus and the palette are made of these."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QAction, QKeySequence

from bertviz_app.shell.commands.command import Command
from bertviz_app.shell.commands.editing import edit_commands
from bertviz_app.shell.commands.exporting import export_commands
from bertviz_app.shell.commands.overview import overview_commands
from bertviz_app.shell.commands.panels import drawing_commands, panel_commands
from bertviz_app.shell.commands.steps import step_commands
from bertviz_app.shell.commands.vectors import vector_commands
from bertviz_app.viewmodels.app_state import AppState

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow


def all_commands(window: MainWindow, app_state: AppState) -> list[Command]:
    """Return the commands in the order in which the palette lists them."""
    translate = QCoreApplication.translate
    groups = {
        translate("Commands", "File"): _file_commands(window),
        translate("Commands", "Taking along"): export_commands(window),
        translate("Commands", "Text and checkpoint"): _text_commands(window, app_state),
        translate("Commands", "Panels"): panel_commands(window, app_state),
        translate("Commands", "Comparing and editing"): edit_commands(window, app_state),
        translate("Commands", "Drawing"): drawing_commands(app_state),
        translate("Commands", "Steps"): step_commands(window, app_state),
        translate("Commands", "Vectors"): vector_commands(window, app_state),
        translate("Commands", "Overview"): overview_commands(window, app_state),
        translate("Commands", "Zoom and selection"): _zoom_commands(window, app_state),
        translate("Commands", "View"): _view_commands(window),
        translate("Commands", "Help"): _help_commands(window),
    }
    return [replace(command, group=group) for group, commands in groups.items() for command in commands]


def add_shortcuts(window: MainWindow, commands: list[Command]) -> None:
    """Make the keys of `commands` work in `window`."""
    for command in commands:
        if command.keys and not command.is_shown_only:
            action = QAction(command.text, window)
            action.setShortcuts([QKeySequence(keys) for keys in (command.keys, *command.more_keys)])
            action.triggered.connect(lambda _=False, run=command.run: run())
            window.addAction(action)


def _text_commands(window: MainWindow, app_state: AppState) -> list[Command]:
    translate = QCoreApplication.translate
    return [
        Command(translate("Commands", "Edit sentence A"), "Ctrl+L", window.focus_text),
        Command(translate("Commands", "Add or edit sentence B"), "Ctrl+B", window.bar.open_pair),
        Command(translate("Commands", "Remove sentence B"), "Ctrl+Shift+B", window.bar.close_pair),
        Command(translate("Commands", "Choose a checkpoint"), "Ctrl+M", window.bar.models.showMenu),
        Command(translate("Commands", "Open a checkpoint folder …"), "Ctrl+O", window.files.ask_for_folder),
        Command(translate("Commands", "Open a file of weights …"), "Ctrl+Alt+W", window.files.ask_for_file),
        Command(
            translate("Commands", "Open a checkpoint from the hub …"),
            "Ctrl+Shift+O",
            window.files.ask_for_hub_id,
        ),
        Command(
            translate("Commands", "Answers about this checkpoint …"),
            "Ctrl+Alt+M",
            window.asking.ask_again,
        ),
        Command(translate("Commands", "Train a model …"), "Ctrl+Shift+T", window.training.toggle),
        Command(translate("Commands", "Choose a device"), "Ctrl+Shift+D", window.bar.devices.showMenu),
        Command(translate("Commands", "Recent texts"), "Ctrl+R", window.bar.recent.showMenu),
    ]


def _zoom_commands(window: MainWindow, app_state: AppState) -> list[Command]:
    translate, viewport = QCoreApplication.translate, app_state.viewport
    return [
        Command(translate("Commands", "Zoom in"), "+", lambda: viewport.zoom_middle(0.7)),
        Command(translate("Commands", "Zoom out"), "-", lambda: viewport.zoom_middle(1 / 0.7)),
        Command(translate("Commands", "Show all tokens"), "0", lambda: viewport.fit()),
        Command(translate("Commands", "Let go of the pinned token"), "Esc", window.let_go),
    ]


def _file_commands(window: MainWindow) -> list[Command]:
    translate, files = QCoreApplication.translate, window.files
    return [
        Command(
            translate("Commands", "Open a session, a trace or a text …"), "Ctrl+Alt+O", files.ask_to_open
        ),
        Command(translate("Commands", "Save the session …"), "Ctrl+Alt+S", files.ask_to_save),
        Command(translate("Commands", "Forget recent texts and files"), "", window.recents.clear),
        Command(translate("Commands", "Preferences …"), "Ctrl+,", window.dialogs.open_preferences),
        Command(translate("Commands", "Quit"), "Ctrl+Q", window.close_window),
    ]


def _view_commands(window: MainWindow) -> list[Command]:
    translate, appearance = QCoreApplication.translate, window.appearance
    docks = (
        ("overview", translate("Commands", "Overview: show or close"), "Ctrl+1"),
        ("heads", translate("Commands", "Heads: show or close"), "Ctrl+2"),
        ("inspector", translate("Commands", "Inspector: show or close"), "Ctrl+3"),
        ("vector", translate("Commands", "Vector: show or close"), "Ctrl+4"),
    )

    def toggle(name: str) -> None:
        window.main_area.docks.toggle(name)

    return [
        Command(translate("Commands", "Undo: what was looked at before"), "Ctrl+Z", window.history.undo),
        Command(
            translate("Commands", "Redo: what was looked at after"),
            "Ctrl+Shift+Z",
            window.history.redo,
            more_keys=("Ctrl+Y",),
        ),
        Command(translate("Commands", "Undo, while typing too"), "Alt+Left", window.history.undo),
        Command(translate("Commands", "Redo, while typing too"), "Alt+Right", window.history.redo),
        *(Command(text, keys, partial(toggle, name)) for name, text, keys in docks),
        Command(
            translate("Commands", "Predictions: show or close"),
            "Ctrl+5",
            lambda: window.main_area.toggle_predictions(),
        ),
        Command(translate("Commands", "Reset the layout"), "", lambda: window.main_area.docks.reset()),
        Command(translate("Commands", "Larger text"), "Ctrl+=", appearance.larger, more_keys=("Ctrl++",)),
        Command(translate("Commands", "Smaller text"), "Ctrl+-", appearance.smaller),
        Command(
            translate("Commands", "Text of the normal size"), "Ctrl+0", lambda: appearance.set_text_size(1)
        ),
        Command(translate("Commands", "Switch between light and dark"), "Ctrl+T", appearance.toggle_theme),
        Command(translate("Commands", "Theme of the system"), "", lambda: appearance.choose_theme("system")),
        Command("English", "", lambda: appearance.choose_language("en")),
        Command("한국어 (Korean)", "", lambda: appearance.choose_language("ko")),
        Command(
            translate("Commands", "Present: large, on the whole screen"), "F11", window.presentation.toggle
        ),
    ]


def _help_commands(window: MainWindow) -> list[Command]:
    translate, dialogs = QCoreApplication.translate, window.dialogs
    return [
        Command(translate("Commands", "All commands"), "Ctrl+K", dialogs.open_palette),
        Command(translate("Commands", "All keys"), "?", dialogs.open_shortcuts, more_keys=("F1",)),
    ]
