"""The commands that compare two runs, and those that edit one: tokens replaced, heads muted."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from bertviz_app.options import Run
from bertviz_app.shell.commands.command import Command
from bertviz_app.views.kit.canvas import translate

if TYPE_CHECKING:
    from bertviz_app.shell.window.window import MainWindow


def edit_commands(window: MainWindow) -> list[Command]:
    """Return the commands of run B and of edits, of the pinned token and of the active panel's head."""
    editing = window.app_state.editing
    runs = window.app_state.comparison.editor

    def at_pinned(do: Callable[[int, Run], None]) -> Callable[[], None]:
        """Return a function that calls `do` with the pinned token of the run that the active panel shows."""

        def command() -> None:
            if editing.pinned is not None:
                do(editing.pinned, editing.run)
            else:
                words = translate("Commands", "Click a token first: that token is edited.")
                window.warn(words)

        return command

    def ask_compared(position: int, run: Run) -> None:
        editing.ask_for_replacement(position, "compared")

    return [
        Command(
            translate("Commands", "Start or stop comparing with a second run"),
            "Ctrl+Shift+C",
            window.frame.toggle_comparison,
            also="compare",
        ),
        Command(translate("Commands", "Swap run A and run B"), "Ctrl+Shift+X", runs.swap),
        Command(translate("Commands", "Mute or unmute the panel's head"), "X", editing.toggle_mute_active),
        Command(
            translate("Commands", "Compare with the panel's head muted"), "Shift+X", editing.compare_active
        ),
        Command(
            translate("Commands", "Mask the pinned token, or undo its edit"),
            "Ctrl+Shift+M",
            at_pinned(editing.toggle_mask),
        ),
        Command(
            translate("Commands", "Mask the pinned token and show what is expected there"),
            "Ctrl+Shift+F",
            at_pinned(lambda position, run: _predict(window, position, run)),
        ),
        Command(
            translate("Commands", "Replace the pinned token …"),
            "Ctrl+Shift+R",
            at_pinned(editing.ask_for_replacement),
        ),
        Command(
            translate("Commands", "Compare with the pinned token masked"),
            "Ctrl+Shift+K",
            at_pinned(lambda position, _: editing.compare_token(position)),
        ),
        Command(
            translate("Commands", "Compare with the pinned token replaced …"), "", at_pinned(ask_compared)
        ),
        Command(translate("Commands", "Undo all edits: tokens and heads"), "", editing.undo_all),
    ]


def _predict(window: MainWindow, position: int, run: Run) -> None:
    if window.app_state.editing.can_predict(run):
        window.app_state.editing.predict(position, run)
    else:
        words = QCoreApplication.translate("Commands", "This checkpoint has no head for masked tokens.")
        window.warn(words)
