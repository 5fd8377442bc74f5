"""`Dialogs`: what opens over the window: the palette, the sheet of keys, the preferences."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import groupby

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication, QMainWindow
from shiboken6 import isValid

from bertviz_app.learning.example_facts import Entry, glossary
from bertviz_app.shell.commands.command import Command
from bertviz_app.shell.commands.stops import stop_entries
from bertviz_app.shell.settings.appearance import Appearance
from bertviz_app.shell.settings.recents import Recents
from bertviz_app.shell.settings.store import SettingsStore
from bertviz_app.shell.window.preferences_dialog import Preferences
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.learning.shown_facts import shown_facts
from bertviz_app.views.dialogs.documents import DocumentsDialog, GlossaryDialog
from bertviz_app.views.dialogs.palette import CommandPalette, PaletteEntry, SheetGroup, ShortcutSheet
from bertviz_app.views.kit.canvas import language
from bertviz_app.views.kit.look import Look


class Dialogs(QObject):
    """Opens them; each closes itself. Those that the first paint does not need are imported late."""

    preferences_closed = Signal()

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
        self._glossary: GlossaryDialog | None = None

    def open_palette(self) -> None:
        """Show every command, to be found by typing."""
        entries = [command.entry for command in self._commands()]
        entries += stop_entries(self._app_state)
        entries += [self._term(entry) for entry in glossary()]
        CommandPalette(self._look, entries, self._window).open()

    def open_shortcuts(self) -> None:
        """Show every command with its keys, group by group."""
        groups = [
            SheetGroup(group, tuple((command.text, command.shown_keys) for command in commands))
            for group, commands in groupby(self._commands(), key=lambda command: command.group)
        ]
        ShortcutSheet(self._look, groups, self._window).open()

    def open_glossary(self, term: str = "") -> None:
        """Show the glossary beside the window, at the entry of one term if its key is given."""
        facts = partial(shown_facts, self._app_state.workspace, self._app_state.shown_runs.inspected)
        # A dialog that blocks the window blocks what belongs to the window, too.
        above = QApplication.activeModalWidget()
        shown = self._glossary if above is None else None
        if shown is None or not isValid(shown):
            shown = GlossaryDialog(self._look, glossary(), facts, above or self._window)
            self._app_state.workspace.shown_changed.connect(shown.update_example)
            self._glossary = shown if above is None else self._glossary
        shown.show()
        shown.raise_()
        if term:
            shown.show_entry(term)

    def open_documents(self) -> None:
        """Show the documents beside the window."""
        DocumentsDialog(self._look, self._window).show()

    def _term(self, entry: Entry) -> PaletteEntry:
        """Return the line of the palette that opens an entry of the glossary."""
        names = (entry.name.en, entry.name.ko, *entry.also)
        text = self.tr("{0} (what is it?)").format(entry.name.in_language(language()))
        return PaletteEntry(text, "", partial(self.open_glossary, entry.key), " ".join(names))

    def open_preferences(self) -> None:
        devices = self._app_state.workspace.available.devices
        dialog = Preferences(self._appearance, self._store, devices, self._window)
        dialog.device_chosen.connect(self._app_state.workspace.set_device)
        dialog.memory_chosen.connect(self._app_state.workspace.available.set_memory)
        dialog.recents_cleared.connect(self._recents.clear)
        dialog.finished.connect(self.preferences_closed)
        dialog.open()
