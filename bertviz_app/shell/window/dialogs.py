"""`Dialogs`: what opens over the window: the palette, the sheet of keys, the preferences."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow

from bertviz_app.shell.commands.command import Command
from bertviz_app.shell.settings.appearance import Appearance
from bertviz_app.shell.settings.recents import Recents
from bertviz_app.shell.settings.store import SettingsStore
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.dialogs.command_palette import CommandPalette
from bertviz_app.views.kit.look import Look


class Dialogs(QObject):
    """Opens them; each closes itself. Those that the first paint does not need are imported late."""

    def __init__(  # noqa: PLR0913 - each is named by its callers
        self,
        window: QMainWindow,
        app_state: AppState,
        look: Look,
        appearance: Appearance,
        store: SettingsStore,
        recents: Recents,
        commands: Callable[[], list[Command]],
    ) -> None:
        """`commands()` returns the commands of the palette, named in the language in force."""
        super().__init__(window)
        self._window = window
        self._app_state = app_state
        self._look = look
        self._appearance = appearance
        self._store = store
        self._recents = recents
        self._commands = commands

    def open_palette(self) -> None:
        """Show every command, to be found by typing."""
        entries = [command.entry for command in self._commands()]
        CommandPalette(self._look, entries, self._window).open()

    def open_shortcuts(self) -> None:
        """Show every command with its keys, group by group."""
        from bertviz_app.views.dialogs.shortcut_sheet import SheetGroup, ShortcutSheet

        groups = [
            SheetGroup(group, tuple((command.text, command.shown_keys) for command in commands))
            for group, commands in groupby(self._commands(), key=lambda command: command.group)
        ]
        ShortcutSheet(self._look, groups, self._window).open()

    def open_preferences(self) -> None:
        """Show the preferences."""
        from bertviz_app.shell.window.preferences_dialog import Preferences

        devices = self._app_state.workspace.available.devices
        dialog = Preferences(self._appearance, self._store, devices, self._window)
        dialog.device_chosen.connect(self._app_state.workspace.set_device)
        dialog.memory_chosen.connect(self._app_state.workspace.available.set_memory)
        dialog.recents_cleared.connect(self._recents.clear)
        dialog.open()
