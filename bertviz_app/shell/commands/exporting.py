"""The commands that copy and save pictures, numbers and Python code of panels and cards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertviz_app.shell.commands.command import Command
from bertviz_app.views.kit.canvas import translate

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow


def export_commands(window: MainWindow) -> list[Command]:
    """Return the commands; they are about the card with the focus, else about the active panel."""
    export = window.export
    return [
        Command(translate("Commands", "Copy the panel as a picture"), "Ctrl+C", export.copy_picture),
        Command(translate("Commands", "Save the panel as a picture …"), "Ctrl+S", export.ask_for_picture),
        Command(translate("Commands", "Save the panel's numbers …"), "Ctrl+Shift+S", export.ask_for_numbers),
        Command(translate("Commands", "Copy the panel as Python"), "Ctrl+Shift+P", export.copy_python),
    ]
