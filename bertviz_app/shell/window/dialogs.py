"""`Dialogs`: opens what stands over the window: the preferences, the palette, the sheet of keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QObject, Signal
from PySide6.QtWidgets import QApplication, QDialog, QMainWindow
from shiboken6 import isValid

from bertviz_app.learning.glossary import glossary
from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.crashes import report
from bertviz_app.shell.session import Recents, ask_where_to_save
from bertviz_app.shell.settings.appearance import Appearance
from bertviz_app.shell.settings.store import SettingsStore
from bertviz_app.shell.window.part import Guide, WindowPart
from bertviz_app.values import replace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.widgets import Notice, notice_area
from bertviz_app.views.kit.words import language

if TYPE_CHECKING:
    from bertviz_app.learning.documents import Document
    from bertviz_app.licences import Component
    from bertviz_app.shell.window.preferences_dialog import Preferences
    from bertviz_app.views.dialogs.help import DocumentsDialog, GlossaryDialog


class Dialogs(QObject):
    """Opens them; each closes itself, and is imported when it is opened: the first paint needs none."""

    preferences_closed = Signal()
    report_saved = Signal(object, str)  # the path and the text

    def __init__(  # noqa: PLR0913 - each is named by its callers
        self,
        window: QMainWindow,
        app_state: AppState,
        look: Look,
        appearance: Appearance,
        store: SettingsStore,
        recents: Recents,
        commands: Callable[[], list[Command]],
        parts: Sequence[WindowPart],
    ) -> None:
        """`commands()` returns the commands of the palette, named in the language in force.

        `parts`: what the rooms have in the window, such as rows of the preferences.
        """
        super().__init__(window)
        self._window = window
        self._app_state = app_state
        self._look = look
        self._appearance = appearance
        self._store = store
        self._recents = recents
        self._commands = commands
        self._parts = parts
        self._glossary: GlossaryDialog | None = None

    def show_again(self) -> None:
        """Open what is open over the window once more, in the language in force, where it stands."""
        from bertviz_app.shell.window.preferences_dialog import Preferences
        from bertviz_app.shell.window.widget_contents import WidgetContents
        from bertviz_app.views.dialogs.help import DocumentsDialog, GlossaryDialog

        kinds = GlossaryDialog, DocumentsDialog, Preferences  # the last one keeps keys from the others
        shown = [each for kind in kinds for each in self._window.findChildren(kind) if each.isVisible()]
        carried = [WidgetContents(each) for each in shown]
        for each in shown:
            each.hide()
            each.deleteLater()  # later: a choice in it may be what is handled now
        for each, of_it in zip(shown, carried, strict=True):
            again: QDialog
            if isinstance(each, Preferences):
                again = self.open_preferences()
            elif isinstance(each, DocumentsDialog):
                again = self.open_documents(each.shown)
            else:
                self._glossary = None
                again = self.open_glossary(each.shown if isinstance(each, GlossaryDialog) else "")
            again.setGeometry(each.geometry())
            of_it.put(again)

    def open_palette(self) -> None:
        """Show every command, to be found by typing."""
        from bertviz_app.views.dialogs.palette import CommandPalette, PaletteEntry

        entries = [command.entry for command in self._commands()]
        if (guide := self._guide) is not None:
            entries = [replace(entry, run=partial(guide.run, entry.run)) for entry in entries]
        of_parts = [entry for part in self._parts for entry in part.palette_entries()]
        is_learning = self._app_state.rooms.room == "learn"  # of two that fit alike the first is the better
        entries = of_parts + entries if is_learning else entries + of_parts
        words, group = self.tr("{0} (what is it?)"), QCoreApplication.translate("Commands", "Glossary")
        for entry in glossary():
            text = words.format(entry.name.in_language(language()))
            names = " ".join((entry.name.en, entry.name.ko, *entry.also))
            show, key = partial(self.open_glossary, entry.key), f"term {entry.key}"
            entries.append(PaletteEntry(text, "", show, names, group, key, order=2))
        palette = CommandPalette(self._look, entries, self._window, self._recents.commands)
        palette.ran.connect(self._recents.add_command)
        palette.open()

    @property
    def _guide(self) -> Guide | None:
        return next((part for part in self._parts if isinstance(part, Guide)), None)

    def open_shortcuts(self) -> None:
        """Show every command that has keys, group by group; the palette has the others, too."""
        from bertviz_app.views.dialogs.palette import SheetGroup, ShortcutSheet

        with_keys = [command for command in self._commands() if command.keys]
        groups = [
            SheetGroup(group, tuple((command.text, command.shown_keys) for command in commands))
            for group, commands in groupby(with_keys, key=lambda command: command.group)
        ]
        ShortcutSheet(self._look, groups, self._window).open()

    def open_glossary(self, term: str = "") -> GlossaryDialog:
        """Show the glossary beside the window, at the entry of one term if its key is given."""
        from bertviz_app.viewmodels.shown_facts import shown_facts
        from bertviz_app.views.dialogs.help import GlossaryDialog

        facts = partial(shown_facts, self._app_state.workspace, self._app_state.shown_runs.inspected)
        # A dialog that blocks the window blocks what belongs to the window, too.
        above = QApplication.activeModalWidget()
        shown = self._glossary if above is None else None
        if shown is None or not isValid(shown):
            shown = GlossaryDialog(self._look, glossary(), facts, above or self._window)
            if (guide := self._guide) is not None:
                shown.lesson_named = guide.named
                shown.lesson_requested.connect(guide.open_about)
                shown.update_example()
            self._app_state.workspace.shown_changed.connect(shown.update_example)
            self._glossary = shown if above is None else self._glossary
        shown.show()
        shown.raise_()
        if term:
            shown.show_entry(term)
        return shown

    def open_documents(self, shown: Document | None = None) -> DocumentsDialog:
        """Show the documents beside the window."""
        from bertviz_app.views.dialogs.help import DocumentsDialog

        documents = DocumentsDialog(self._look, self._window)
        documents.show()
        if shown is not None:
            documents.show_document(shown)
        return documents

    def open_about(self) -> None:
        """Show what the program is, and the licences of its parts, which a worker reads."""
        from bertviz_app.licences import components
        from bertviz_app.views.dialogs.help import AboutDialog

        dialog = AboutDialog(self._look, self._window)

        def show(found: list[Component]) -> None:
            if isValid(dialog):
                dialog.show_components(found)

        self._app_state.workers.listings.start(
            "licences", lambda *_: components(), show, self._app_state.failed.emit
        )
        dialog.open()

    def open_report(self, happened: str = "") -> None:
        """Show a report of a problem, "" where nothing is known but that there is one."""
        from bertviz_app.shell.diagnosis import facts
        from bertviz_app.views.dialogs.help import ReportDialog

        workspace = self._app_state.workspace
        texts = [text for text in (workspace.text, workspace.pair or "") if text.strip()]
        dialog = ReportDialog(self._look, report(happened, facts(), texts), texts, self._window)

        def save(text: str) -> None:
            title, kinds = self.tr("Save the report"), self.tr("Texts (*.txt)")
            path = ask_where_to_save(self._window, title, "bertviz-app-report.txt", kinds, ".txt")
            if path is not None:
                self.report_saved.emit(path, text)

        dialog.save_requested.connect(save)
        dialog.open()

    def tell_of_crash(self, happened: str) -> None:
        """Say over the window that the program ended by a fault the last time, and offer the report."""
        notice = Notice(notice_area(self._window))
        words = self.tr("BertViz App ended unexpectedly the last time. What was open is shown again.")
        notice.show_message(words, (self.tr("Report …"), lambda: self.open_report(happened)), "warning")

    def open_preferences(self) -> Preferences:
        from bertviz_app.shell.window.preferences_dialog import Preferences

        workspace = self._app_state.workspace
        rows = [row for part in self._parts for row in part.preferences()]
        dialog = Preferences(self._appearance, self._store, workspace, self._recents, rows, self._window)
        dialog.finished.connect(self.preferences_closed)
        dialog.open()
        return dialog
