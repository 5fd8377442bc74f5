"""What opens over the window: the preferences, the palette, the sheet of keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import groupby
from typing import Any

from PySide6.QtCore import QCoreApplication, QObject, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QPushButton,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from bertviz_app import paths
from bertviz_app.inference.opened_checkpoint import Device
from bertviz_app.learning.glossary import Entry, glossary
from bertviz_app.licences import Component, components
from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.crashes import report
from bertviz_app.shell.diagnosis import facts
from bertviz_app.shell.process import log_file
from bertviz_app.shell.session import Recents, ask_where_to_save
from bertviz_app.shell.settings.appearance import Appearance
from bertviz_app.shell.settings.store import (
    LANGUAGES,
    LARGEST_TEXT,
    MOST_MEMORY_GB,
    MOST_RECENTS,
    MOTIONS,
    SMALLEST_TEXT,
    THEMES,
    SettingsStore,
)
from bertviz_app.shell.window.carried import Carried
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.learning.shown_facts import shown_facts
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.dialogs.documents import DocumentsDialog, GlossaryDialog
from bertviz_app.views.dialogs.palette import CommandPalette, PaletteEntry, SheetGroup, ShortcutSheet
from bertviz_app.views.dialogs.report import AboutDialog, ReportDialog
from bertviz_app.views.kit.fields import Fields
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.kit.widgets import Notice, notice_area
from bertviz_app.views.kit.words import language

_LONGEST_PATH = 60  # characters


def _device_words(devices: tuple[Device, ...], chosen: str) -> dict[str, str]:
    """Return the devices of this computer, also computing in bfloat16, and `chosen` even if it is missing."""
    low = [device.in_bfloat16() for device in devices if not device.lacks_bfloat16]
    known = {
        "auto": QCoreApplication.translate("DeviceBox", "Automatic"),
        **{device.name: f"{device.label}   {translated(device.detail)}" for device in devices},
        **{each.name: translated(each.label) for each in low},
    }
    return {**known, chosen: known.get(chosen, chosen)}


class LessonsFolderRow(QWidget):
    """The folder of the user's own lessons, and buttons that choose another one or the usual one."""

    def __init__(self, store: SettingsStore) -> None:
        super().__init__()
        self._store = store
        self._path = named(QLabel(), "secondary")
        self.choose, self.usual = QPushButton(self.tr("Choose …")), QPushButton(self.tr("Use the default"))
        self.choose.clicked.connect(self._ask)
        self.usual.clicked.connect(lambda: self._set(""))
        _lay_out(self, self._path, self.choose, self.usual)
        self._write()

    def _write(self) -> None:
        chosen = self._store.settings.lessons_folder
        folder = chosen or str(paths.own_lessons())
        room = self.fontMetrics().averageCharWidth() * _LONGEST_PATH
        self._path.setText(self.fontMetrics().elidedText(folder, Qt.TextElideMode.ElideMiddle, room))
        self._path.setToolTip(folder)
        self.usual.setEnabled(bool(chosen))

    def _ask(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, self.choose.text(), self._path.toolTip())
        if folder:
            self._set(folder)

    def _set(self, folder: str) -> None:
        self._store.change(lessons_folder=folder)
        self._write()


def _lay_out(row: QWidget, *widgets: QWidget) -> QWidget:
    """Place widgets beside each other in `row`, from the left, and return it."""
    layout = QHBoxLayout(row)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(8)
    for widget in widgets:
        layout.addWidget(widget)
    layout.addStretch(1)
    return row


def _log_row() -> QWidget:
    """Return where the log is, and a button that opens its folder."""
    path = named(QLabel(str(log_file())), "secondary")
    path.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    button = QPushButton(QCoreApplication.translate("LogRow", "Open its folder"))
    button.clicked.connect(_open_log_folder)
    return _lay_out(QWidget(), path, button)


def _open_log_folder() -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(log_file().parent)))


_TEXT_SIZES = round(SMALLEST_TEXT * 100), round(LARGEST_TEXT * 100)


def _motions() -> dict[str, str]:
    translate = QCoreApplication.translate
    words = {
        "system": translate("MotionBox", "System"),
        "full": translate("MotionBox", "Full"),
        "reduced": translate("MotionBox", "Reduced"),
    }
    return {name: words[name] for name in MOTIONS}


class Preferences(QDialog):
    """What the program looks like, begins with and remembers, and where it looks for lessons and logs."""

    device_chosen = Signal(str)
    memory_chosen = Signal(int)
    recents_cleared = Signal()

    def __init__(
        self, appearance: Appearance, store: SettingsStore, devices: tuple[Device, ...], parent: QWidget
    ) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._store = store
        self._set: dict[str, Callable[[Any], None]] = {
            "language": appearance.choose_language,
            "theme": appearance.choose_theme,
            "motion": appearance.choose_motion,
            "text_size": appearance.set_text_size,
        }
        self._fields = fields = Fields(self._change)
        self.setWindowTitle(self.tr("Preferences"))
        themes = {"system": self.tr("System"), "light": self.tr("Light"), "dark": self.tr("Dark")}
        languages = {"system": self.tr("System"), "en": "English", "ko": "한국어"}
        self.languages = fields.combo(
            "language", self.tr("Language"), {name: languages[name] for name in LANGUAGES}
        )
        self.themes = fields.combo("theme", self.tr("Theme"), {name: themes[name] for name in THEMES})
        self.text_size = fields.spin("text_size", self.tr("Text size"), _TEXT_SIZES, " %", unit=0.01)
        self.text_size.setSingleStep(10)
        self.motions = fields.combo("motion", self.tr("Motion"), _motions())
        known = _device_words(devices, store.settings.device)
        self.devices = fields.combo("device", self.tr("Device at the start"), known)
        memory = self.tr("Memory for open checkpoints")
        self.memory = fields.spin("memory_gb", memory, (1, MOST_MEMORY_GB), " GB")
        self.restores = fields.check("restores_session", self.tr("Restore the last session"))
        most = self.tr("Number of recent texts and files")
        self.recents = fields.spin("n_recents", most, (0, MOST_RECENTS))
        self._lay_out()
        self._on_appearance_changed()
        appearance.changed.connect(self._on_appearance_changed)

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(12)
        for field in (self.languages, self.themes, self.text_size, self.motions, self.devices, self.memory):
            form.addRow(field.accessibleName(), field)
        form.addRow(self.tr("At the start"), self.restores)
        clear = QPushButton(QCoreApplication.translate("RecentsRow", "Clear"))
        clear.clicked.connect(self.recents_cleared)
        form.addRow(self.recents.accessibleName(), _lay_out(QWidget(), self.recents, clear))
        form.addRow(self.tr("Own lessons"), LessonsFolderRow(self._store))
        form.addRow(self.tr("Error log"), _log_row())
        close = QPushButton(self.tr("Close"))
        close.clicked.connect(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(20)
        column.addLayout(form)
        column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)

    def _change(self, **values: Any) -> None:
        """Set some settings, and say so of those that are in force at once."""
        said = {"device": self.device_chosen, "memory_gb": self.memory_chosen}
        for name, value in values.items():
            if name in self._set:
                self._set[name](value)
            else:
                self._store.change(**{name: value})
            if name in said:
                said[name].emit(value)

    @Slot()
    def _on_appearance_changed(self) -> None:
        """Follow what shortcuts change while the dialog is open."""
        self._fields.show(self._store.settings)


class Dialogs(QObject):
    """Opens them; each closes itself. Those that the first paint does not need are imported late."""

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

    def show_again(self) -> None:
        """Open what is open over the window once more, in the language in force, where it stands."""
        kinds = GlossaryDialog, DocumentsDialog, Preferences  # the last one keeps keys from the others
        shown = [each for kind in kinds for each in self._window.findChildren(kind) if each.isVisible()]
        carried = [Carried(each) for each in shown]
        for each in shown:
            each.hide()
            each.deleteLater()  # later: a choice in it may be what is handled now
        for each, of_it in zip(shown, carried, strict=True):
            again = self._like(each)
            again.setGeometry(each.geometry())
            of_it.put(again)

    def _like(self, shown: QDialog) -> QDialog:
        if isinstance(shown, Preferences):
            return self._show_preferences()
        if isinstance(shown, DocumentsDialog):
            documents = self._show_documents()
            if shown.shown is not None:
                documents.show_document(shown.shown)
            return documents
        self._glossary = None
        return self._show_glossary(shown.shown if isinstance(shown, GlossaryDialog) else "")

    def open_palette(self) -> None:
        """Show every command, to be found by typing."""
        from bertviz_app.shell.commands.stops import stop_entries

        entries = [command.entry for command in self._commands()]
        entries += stop_entries(self._app_state)
        entries += [self._term(entry) for entry in glossary()]
        palette = CommandPalette(self._look, entries, self._window, self._recents.commands)
        palette.ran.connect(self._recents.add_command)
        palette.open()

    def open_shortcuts(self) -> None:
        """Show every command that has keys, group by group; the palette has the others, too."""
        with_keys = [command for command in self._commands() if command.keys]
        groups = [
            SheetGroup(group, tuple((command.text, command.shown_keys) for command in commands))
            for group, commands in groupby(with_keys, key=lambda command: command.group)
        ]
        ShortcutSheet(self._look, groups, self._window).open()

    def open_glossary(self, term: str = "") -> None:
        """Show the glossary beside the window, at the entry of one term if its key is given."""
        self._show_glossary(term)

    def _show_glossary(self, term: str) -> GlossaryDialog:
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
        return shown

    def open_documents(self) -> None:
        """Show the documents beside the window."""
        self._show_documents()

    def _show_documents(self) -> DocumentsDialog:
        documents = DocumentsDialog(self._look, self._window)
        documents.show()
        return documents

    def open_about(self) -> None:
        """Show what the program is, and the licences of its parts, which a worker reads."""
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
        workspace = self._app_state.workspace
        texts = [text for text in (workspace.text, workspace.pair or "") if text.strip()]
        dialog = ReportDialog(self._look, report(happened, facts(), texts), texts, self._window)
        dialog.save_requested.connect(self._save_report)
        dialog.open()

    def _save_report(self, text: str) -> None:
        title, kinds = self.tr("Save the report"), self.tr("Texts (*.txt)")
        path = ask_where_to_save(self._window, title, "bertviz-app-report.txt", kinds, ".txt")
        if path is not None:
            self.report_saved.emit(path, text)

    def tell_of_crash(self, happened: str) -> None:
        """Say over the window that the program ended by a fault the last time, and offer the report."""
        notice = Notice(notice_area(self._window))
        words = self.tr("BertViz App ended unexpectedly the last time. What was open is shown again.")
        notice.show_message(words, (self.tr("Report …"), lambda: self.open_report(happened)), "warning")

    def _term(self, entry: Entry) -> PaletteEntry:
        """Return the line of the palette that opens an entry of the glossary."""
        names = (entry.name.en, entry.name.ko, *entry.also)
        text = self.tr("{0} (what is it?)").format(entry.name.in_language(language()))
        show = partial(self.open_glossary, entry.key)
        group = QCoreApplication.translate("Commands", "Glossary")
        return PaletteEntry(text, "", show, " ".join(names), group, f"term {entry.key}", order=2)

    def open_preferences(self) -> None:
        self._show_preferences()

    def _show_preferences(self) -> Preferences:
        devices = self._app_state.workspace.available.devices
        dialog = Preferences(self._appearance, self._store, devices, self._window)
        dialog.device_chosen.connect(self._app_state.workspace.set_device)
        dialog.memory_chosen.connect(self._app_state.workspace.available.set_memory)
        dialog.recents_cleared.connect(self._recents.clear)
        dialog.finished.connect(self.preferences_closed)
        dialog.open()
        return dialog
