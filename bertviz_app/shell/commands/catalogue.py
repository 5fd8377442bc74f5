"""Every command: what it is called, its keys, and what it does. Menus and the palette are made of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from bertviz_app.shell.commands.command import Command
from bertviz_app.shell.commands.editing import edit_commands
from bertviz_app.shell.commands.exporting import export_commands
from bertviz_app.shell.commands.lessons import lesson_commands
from bertviz_app.shell.commands.overview import overview_commands, pair_commands
from bertviz_app.shell.commands.panels import drawing_commands, panel_commands
from bertviz_app.shell.commands.parameters import parameter_commands
from bertviz_app.shell.commands.steps import step_commands
from bertviz_app.shell.commands.vectors import vector_commands
from bertviz_app.views.kit.canvas import translate

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow


def all_commands(window: MainWindow) -> list[Command]:
    """Return the commands in the order in which the palette lists them."""
    return [replace(command, group=group) for group, commands in _groups() for command in commands(window)]


def add_shortcuts(window: MainWindow) -> None:
    """Make the keys of the commands work in `window`."""
    for _, commands in _groups():
        if commands is not _analysis_commands:  # they have no keys, and need every analysis
            for command in commands(window):
                _add_shortcut(window, command)


def _add_shortcut(window: QWidget, command: Command) -> None:
    if command.keys and not command.is_shown_only:
        action = QAction(command.text, window)
        action.setShortcuts([QKeySequence(keys) for keys in (command.keys, *command.more_keys)])
        action.triggered.connect(lambda _=False: command.run())
        window.addAction(action)


def _groups() -> tuple[tuple[str, Callable[[MainWindow], list[Command]]], ...]:
    """Return the titles of the groups, and what makes their commands."""
    return (
        (translate("Commands", "File"), _file_commands),
        (translate("Commands", "Export"), export_commands),
        (translate("Commands", "Text and checkpoint"), _text_commands),
        (translate("Commands", "Panels"), panel_commands),
        (translate("Commands", "Analyses"), _analysis_commands),
        (translate("Commands", "Comparing and editing"), edit_commands),
        (translate("Commands", "Drawing"), drawing_commands),
        (translate("Commands", "Steps"), step_commands),
        (translate("Commands", "Vectors"), vector_commands),
        (translate("Commands", "Parameters"), parameter_commands),
        (translate("Commands", "Overview"), overview_commands),
        (translate("Commands", "Overview"), pair_commands),
        (translate("Commands", "Zoom and selection"), _zoom_commands),
        (translate("Commands", "View"), _view_commands),
        (translate("Commands", "Lessons"), lesson_commands),
        (translate("Commands", "Help"), _help_commands),
    )


def _analysis_commands(window: MainWindow) -> list[Command]:
    from bertviz_app.shell.commands.analyses import analysis_commands

    return analysis_commands(window)


def _text_commands(window: MainWindow) -> list[Command]:
    bar, dialogs = window.frame.bar, window.file_dialogs
    return [
        Command(translate("Commands", "Edit sentence 1"), "Ctrl+L", window.frame.focus_text),
        Command(translate("Commands", "Add or edit sentence 2"), "Ctrl+B", bar.open_pair),
        Command(translate("Commands", "Remove sentence 2"), "Ctrl+Shift+B", bar.close_pair),
        Command(translate("Commands", "Choose a checkpoint"), "Ctrl+M", bar.models.showMenu),
        Command(translate("Commands", "Open a checkpoint folder …"), "Ctrl+O", dialogs.ask_for_folder),
        Command(translate("Commands", "Open a file of weights …"), "Ctrl+Alt+W", dialogs.ask_for_file),
        Command(
            translate("Commands", "Open a checkpoint from the hub …"),
            "Ctrl+Shift+O",
            dialogs.ask_for_hub_id,
        ),
        Command(
            translate("Commands", "Answers about this checkpoint …"),
            "Ctrl+Alt+M",
            window.questions.ask_again,
        ),
        Command(translate("Commands", "Choose a tokenizer folder …"), "", window.questions.ask_for_tokenizer),
        Command(translate("Commands", "Train a model …"), "Ctrl+Shift+T", window.training.toggle),
        Command(translate("Commands", "Heads over a corpus …"), "Ctrl+Shift+H", window.corpus.toggle),
        Command(translate("Commands", "Choose a device"), "Ctrl+Shift+D", bar.devices.showMenu),
        Command(translate("Commands", "Recent texts"), "Ctrl+R", bar.recent.showMenu),
    ]


def _zoom_commands(window: MainWindow) -> list[Command]:
    app_state = window.app_state  # whose viewport is made with the first result
    return [
        Command(translate("Commands", "Zoom in"), "+", lambda: app_state.viewport.zoom_middle(0.7)),
        Command(translate("Commands", "Zoom out"), "-", lambda: app_state.viewport.zoom_middle(1 / 0.7)),
        Command(translate("Commands", "Show all tokens"), "0", lambda: app_state.viewport.fit()),
        Command(translate("Commands", "Unpin the token"), "Esc", window.leave),
    ]


def _file_commands(window: MainWindow) -> list[Command]:
    files = window.file_dialogs
    return [
        Command(
            translate("Commands", "Open a session, a trace or a text …"), "Ctrl+Alt+O", files.ask_to_open
        ),
        Command(translate("Commands", "Save the session …"), "Ctrl+Alt+S", files.ask_to_save),
        Command(translate("Commands", "Clear recent texts and files"), "", window.session.recents.clear),
        Command(translate("Commands", "Preferences …"), "Ctrl+,", window.dialogs.open_preferences),
        Command(translate("Commands", "Quit"), "Ctrl+Q", window.close_window),
    ]


def _view_commands(window: MainWindow) -> list[Command]:
    appearance = window.appearance
    docks = (
        ("overview", translate("Commands", "Overview: show or close"), "Ctrl+1"),
        ("heads", translate("Commands", "Heads: show or close"), "Ctrl+2"),
        ("inspector", translate("Commands", "Inspector: show or close"), "Ctrl+3"),
        ("vector", translate("Commands", "Vector: show or close"), "Ctrl+4"),
        ("interventions", translate("Commands", "Interventions: show or close"), "Ctrl+Shift+I"),
    )

    def toggle(name: str) -> None:
        window.main_area.docks.toggle(name)

    return [
        Command(translate("Commands", "Undo"), "Ctrl+Z", window.session.history.undo),
        Command(
            translate("Commands", "Redo"),
            "Ctrl+Shift+Z",
            window.session.history.redo,
            more_keys=("Ctrl+Y",),
        ),
        Command(translate("Commands", "Undo (also while typing)"), "Alt+Left", window.session.history.undo),
        Command(translate("Commands", "Redo (also while typing)"), "Alt+Right", window.session.history.redo),
        *(Command(text, keys, partial(toggle, name)) for name, text, keys in docks),
        Command(
            translate("Commands", "Predictions: show or close"),
            "Ctrl+5",
            lambda: window.main_area.toggle_predictions(),
        ),
        Command(translate("Commands", "Reset the layout"), "", lambda: window.main_area.docks.reset()),
        Command(translate("Commands", "Larger text"), "Ctrl+=", appearance.larger, more_keys=("Ctrl++",)),
        Command(translate("Commands", "Smaller text"), "Ctrl+-", appearance.smaller),
        Command(translate("Commands", "Reset text size"), "Ctrl+0", lambda: appearance.set_text_size(1)),
        Command(translate("Commands", "Switch between light and dark"), "Ctrl+T", appearance.toggle_theme),
        Command(translate("Commands", "Use the system theme"), "", lambda: appearance.choose_theme("system")),
        Command("English", "", lambda: appearance.choose_language("en")),
        Command("한국어 (Korean)", "", lambda: appearance.choose_language("ko")),
        Command(translate("Commands", "Start page"), "Ctrl+Home", window.open_start_page),
        Command(translate("Commands", "One head, one picture"), "Ctrl+Alt+1", window.examples.show_plainly),
        Command(
            translate("Commands", "Presentation mode"),
            "F11",
            window.presentation.toggle,
            more_keys=("F5", "Shift+F5"),  # what presenters' remotes send
        ),
    ]


def _help_commands(window: MainWindow) -> list[Command]:
    dialogs = window.dialogs
    return [
        Command(translate("Commands", "All commands"), "Ctrl+K", dialogs.open_palette),
        Command(translate("Commands", "Lessons …"), "Ctrl+Shift+L", window.lessons.catalogue.open_list),
        Command(translate("Commands", "Glossary"), "Ctrl+/", dialogs.open_glossary),
        Command(translate("Commands", "Documents"), "Ctrl+F1", dialogs.open_documents),
        Command(translate("Commands", "All keys"), "?", dialogs.open_shortcuts),
        Command(translate("Commands", "Explain what is under the pointer"), "F1", window.term_help.explain),
    ]
