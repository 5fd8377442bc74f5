"""Every command: what it is called, its keys, and what it does. Menus and the palette are made of these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QWidget

from bertviz_app.shell.commands.command import Command
from bertviz_app.shell.commands.context import CommandContext
from bertviz_app.shell.commands.editing import edit_commands
from bertviz_app.shell.commands.exporting import export_commands
from bertviz_app.shell.commands.lessons import lesson_commands
from bertviz_app.shell.commands.overview import overview_commands, pair_commands
from bertviz_app.shell.commands.panels import drawing_commands, panel_commands
from bertviz_app.shell.commands.parameters import parameter_commands
from bertviz_app.shell.commands.steps import step_commands
from bertviz_app.shell.commands.vectors import vector_commands
from bertviz_app.views.kit.words import translate

Group = tuple[str, Callable[[CommandContext], list[Command]]]


def all_commands(context: CommandContext) -> list[Command]:
    """Return the commands in the order in which the palette lists them."""
    return [replace(command, group=group) for group, commands in _groups() for command in commands(context)]


def add_shortcuts(window: QWidget, context: CommandContext) -> None:
    """Make the keys of the commands work in `window`."""
    for _, commands in _groups():
        if commands is not _analysis_commands:  # they have no keys, and need every analysis
            for command in commands(context):
                _add_shortcut(window, command)


def _add_shortcut(window: QWidget, command: Command) -> None:
    if command.keys and not command.is_shown_only:
        action = QAction(command.text, window)
        action.setShortcuts([QKeySequence(keys) for keys in (command.keys, *command.more_keys)])
        action.triggered.connect(lambda _=False: command.run())
        window.addAction(action)


def _groups() -> tuple[Group, ...]:
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


def _analysis_commands(context: CommandContext) -> list[Command]:
    from bertviz_app.shell.commands.analyses import analysis_commands

    return analysis_commands(context)


def _text_commands(context: CommandContext) -> list[Command]:
    bar, dialogs = context.bar, context.file_dialogs
    return [
        Command(translate("Commands", "Edit sentence 1"), "Ctrl+L", context.focus_text),
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
            context.answer_again,
        ),
        Command(translate("Commands", "Choose a tokenizer folder …"), "", context.ask_for_tokenizer),
        Command(translate("Commands", "Train a model …"), "Ctrl+Shift+T", context.toggle_training),
        Command(translate("Commands", "Heads over a corpus …"), "Ctrl+Shift+H", context.toggle_corpus),
        Command(translate("Commands", "Choose a device"), "Ctrl+Shift+D", bar.devices.showMenu),
        Command(translate("Commands", "Recent texts"), "Ctrl+R", bar.recent.showMenu),
    ]


def _zoom_commands(context: CommandContext) -> list[Command]:
    app_state = context.app_state  # whose viewport is made with the first result
    return [
        Command(translate("Commands", "Zoom in"), "+", lambda: app_state.viewport.zoom_middle(0.7)),
        Command(translate("Commands", "Zoom out"), "-", lambda: app_state.viewport.zoom_middle(1 / 0.7)),
        Command(translate("Commands", "Show all tokens"), "0", lambda: app_state.viewport.fit()),
        Command(translate("Commands", "Unpin the token"), "Esc", context.leave),
    ]


def _file_commands(context: CommandContext) -> list[Command]:
    files = context.file_dialogs
    return [
        Command(
            translate("Commands", "Open a session, a trace or a text …"), "Ctrl+Alt+O", files.ask_to_open
        ),
        Command(translate("Commands", "Save the session …"), "Ctrl+Alt+S", files.ask_to_save),
        Command(translate("Commands", "Clear recent texts and files"), "", context.recents.clear),
        Command(translate("Commands", "Preferences …"), "Ctrl+,", context.dialogs.open_preferences),
        Command(translate("Commands", "Quit"), "Ctrl+Q", context.close_window),
    ]


def _view_commands(context: CommandContext) -> list[Command]:
    appearance = context.appearance
    docks = (
        ("overview", translate("Commands", "Overview: show or close"), "Ctrl+1"),
        ("heads", translate("Commands", "Heads: show or close"), "Ctrl+2"),
        ("inspector", translate("Commands", "Inspector: show or close"), "Ctrl+3"),
        ("vector", translate("Commands", "Vector: show or close"), "Ctrl+4"),
        ("interventions", translate("Commands", "Interventions: show or close"), "Ctrl+Shift+I"),
    )

    def toggle(name: str) -> None:
        context.result_views().docks.toggle(name)

    return [
        Command(translate("Commands", "Undo"), "Ctrl+Z", context.history.undo),
        Command(
            translate("Commands", "Redo"),
            "Ctrl+Shift+Z",
            context.history.redo,
            more_keys=("Ctrl+Y",),
        ),
        Command(translate("Commands", "Undo (also while typing)"), "Alt+Left", context.history.undo),
        Command(translate("Commands", "Redo (also while typing)"), "Alt+Right", context.history.redo),
        *(Command(text, keys, partial(toggle, name)) for name, text, keys in docks),
        Command(
            translate("Commands", "Predictions: show or close"),
            "Ctrl+5",
            lambda: context.result_views().toggle_predictions(),
        ),
        Command(translate("Commands", "Reset the layout"), "", lambda: context.result_views().docks.reset()),
        Command(translate("Commands", "Larger text"), "Ctrl+=", appearance.larger, more_keys=("Ctrl++",)),
        Command(translate("Commands", "Smaller text"), "Ctrl+-", appearance.smaller),
        Command(translate("Commands", "Reset text size"), "Ctrl+0", lambda: appearance.set_text_size(1)),
        Command(translate("Commands", "Switch between light and dark"), "Ctrl+T", appearance.toggle_theme),
        Command(translate("Commands", "Use the system theme"), "", lambda: appearance.choose_theme("system")),
        Command("English", "", lambda: appearance.choose_language("en")),
        Command("한국어 (Korean)", "", lambda: appearance.choose_language("ko")),
        Command(translate("Commands", "Start page"), "Ctrl+Home", context.open_start_page),
        Command(translate("Commands", "One head, one picture"), "Ctrl+Alt+1", context.show_plainly),
        Command(
            translate("Commands", "Presentation mode"),
            "F11",
            context.toggle_presentation,
            more_keys=("F5", "Shift+F5"),  # what presenters' remotes send
        ),
    ]


def _help_commands(context: CommandContext) -> list[Command]:
    dialogs = context.dialogs
    return [
        Command(translate("Commands", "All commands"), "Ctrl+K", dialogs.open_palette),
        Command(translate("Commands", "Lessons …"), "Ctrl+Shift+L", context.open_lessons),
        Command(translate("Commands", "Glossary"), "Ctrl+/", dialogs.open_glossary),
        Command(translate("Commands", "Documents"), "Ctrl+F1", dialogs.open_documents),
        Command(translate("Commands", "All keys"), "?", dialogs.open_shortcuts),
        Command(translate("Commands", "Explain what is under the pointer"), "F1", context.explain),
    ]
