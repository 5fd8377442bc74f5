"""What opens over the window: the preferences, the palette, the sheet of keys."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import groupby

from PySide6.QtCore import QObject, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QComboBox,
    QDialog,
    QFileDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from bertviz_app import paths
from bertviz_app.inference.opened_checkpoint import Device
from bertviz_app.learning.example_facts import Entry, glossary
from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.process import log_file
from bertviz_app.shell.session import Recents
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
from bertviz_app.views.kit.canvas import language
from bertviz_app.views.kit.look import Look, named

_LONGEST_PATH = 60  # characters


class DeviceBox(QComboBox):
    """The devices of this computer, and the chosen one even where it is missing."""

    def __init__(self, devices: tuple[Device, ...]) -> None:
        super().__init__()
        self._devices = devices

    def write(self, chosen: str) -> None:
        """Write the names in the language in force."""
        known = [
            ("auto", self.tr("Automatic")),
            *((device.name, f"{device.label}   {translated(device.detail)}") for device in self._devices),
            *((low.name, translated(low.label)) for low in self._low()),
        ]
        missing = [] if chosen in dict(known) else [(chosen, chosen)]
        fill_choices(self, known + missing)

    def _low(self) -> tuple[Device, ...]:
        """Return the devices that can compute in bfloat16, to do so."""
        return tuple(device.in_bfloat16() for device in self._devices if not device.lacks_bfloat16)


class RecentsRow(QWidget):
    """How many recent texts and files are remembered, and a button that forgets them."""

    def __init__(self) -> None:
        super().__init__()
        self.most = QSpinBox()
        self.most.setRange(0, MOST_RECENTS)
        self.clear = QPushButton(self.tr("Clear"))
        _lay_out(self, self.most, self.clear)


class MotionBox(QComboBox):
    """Whether things may move by themselves."""

    def __init__(self, appearance: Appearance, store: SettingsStore) -> None:
        super().__init__()
        self._store = store
        self.activated.connect(lambda _: appearance.choose_motion(self.currentData()))
        names = {"system": self.tr("System"), "full": self.tr("Full"), "reduced": self.tr("Reduced")}
        fill_choices(self, [(name, names[name]) for name in MOTIONS])
        self.setCurrentIndex(self.findData(self._store.settings.motion))


class LessonsFolderRow(QWidget):
    """The folder of the user's own lessons, and buttons that choose another one or the usual one."""

    def __init__(self, store: SettingsStore) -> None:
        super().__init__()
        self._store = store
        self._path = named(QLabel(), "secondary")
        self.choose, self.usual = QPushButton(), QPushButton()
        self.choose.clicked.connect(self._ask)
        self.usual.clicked.connect(lambda: self._set(""))
        _lay_out(self, self._path, self.choose, self.usual)
        self._write()

    def _write(self) -> None:
        self.choose.setText(self.tr("Choose …"))
        self.usual.setText(self.tr("Use the default"))
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


class LogRow(QWidget):
    """Where the log is, and a button that opens its folder."""

    def __init__(self) -> None:
        super().__init__()
        path = named(QLabel(str(log_file())), "secondary")
        path.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._open = QPushButton(self.tr("Open its folder"))
        self._open.clicked.connect(_open_log_folder)
        _lay_out(self, path, self._open)


def fill_choices(box: QComboBox, choices: list[tuple[str, str]]) -> None:
    """Offer `choices` (value, text), with what was chosen still chosen."""
    chosen = box.currentData()
    box.blockSignals(True)
    box.clear()
    for value, text in choices:
        box.addItem(text, value)
    box.setCurrentIndex(max(0, box.findData(chosen)))
    box.blockSignals(False)


def _lay_out(row: QWidget, *widgets: QWidget) -> None:
    """Place widgets beside each other, from the left."""
    layout = QHBoxLayout(row)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(8)
    for widget in widgets:
        layout.addWidget(widget)
    layout.addStretch(1)


def _open_log_folder() -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(log_file().parent)))


_IN_FIELD = 6


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
        self._appearance = appearance
        self._store = store
        self.languages, self.themes, self.devices = QComboBox(), QComboBox(), DeviceBox(devices)
        self.text_size = QSpinBox(suffix=" %", singleStep=10)
        self.text_size.setRange(round(SMALLEST_TEXT * 100), round(LARGEST_TEXT * 100))
        self.restores = QCheckBox()
        self.recents = RecentsRow()
        self.memory = QSpinBox(suffix=" GB")
        self.memory.setRange(1, MOST_MEMORY_GB)
        self.rows = MotionBox(appearance, store), LessonsFolderRow(store), LogRow()
        self._close = QPushButton()
        self._labels = {name: QLabel() for name in _ROWS}
        self._lay_out()
        self._write()
        self._read()
        self._connect()

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(12)
        fields: dict[str, QWidget] = {
            "language": self.languages,
            "theme": self.themes,
            "text size": self.text_size,
            "device": self.devices,
            "memory": self.memory,
            "session": self.restores,
            "recents": self.recents,
            "motion": self.rows[0],
            "lessons": self.rows[1],
            "log": self.rows[2],
        }
        for name in _ROWS:
            form.addRow(self._labels[name], fields[name])
        for box in (self.text_size, self.recents.most, self.memory):
            # Qt leaves the padding of a style sheet out of the field of a spin box.
            box.lineEdit().setTextMargins(_IN_FIELD, 0, 0, 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(20)
        column.addLayout(form)
        column.addWidget(self._close, 0, Qt.AlignmentFlag.AlignRight)

    def _write(self) -> None:
        self.setWindowTitle(self.tr("Preferences"))
        for name, words in self._row_words().items():
            self._labels[name].setText(words)
        names = {
            "system": self.tr("System"),
            "light": self.tr("Light"),
            "dark": self.tr("Dark"),
            "en": "English",
            "ko": "한국어",
        }
        fill_choices(self.themes, [(name, names[name]) for name in THEMES])
        fill_choices(self.languages, [(name, names[name]) for name in LANGUAGES])
        self.devices.write(self._store.settings.device)
        self.restores.setText(self.tr("Restore the last session"))
        self._close.setText(self.tr("Close"))
        for name, field in self._named_fields().items():
            field.setAccessibleName(self._labels[name].text())

    def _row_words(self) -> dict[str, str]:
        return {
            "language": self.tr("Language"),
            "theme": self.tr("Theme"),
            "text size": self.tr("Text size"),
            "motion": self.tr("Motion"),
            "device": self.tr("Device at the start"),
            "memory": self.tr("Memory for open checkpoints"),
            "session": self.tr("At the start"),
            "recents": self.tr("Number of recent texts and files"),
            "lessons": self.tr("Own lessons"),
            "log": self.tr("Error log"),
        }

    def _named_fields(self) -> dict[str, QWidget]:
        return {
            "language": self.languages,
            "theme": self.themes,
            "text size": self.text_size,
            "motion": self.rows[0],
            "device": self.devices,
            "memory": self.memory,
            "recents": self.recents.most,
        }

    def _read(self) -> None:
        settings = self._store.settings
        for box, chosen in (
            (self.languages, settings.language),
            (self.themes, settings.theme),
            (self.devices, settings.device),
        ):
            box.setCurrentIndex(box.findData(chosen))
        self.text_size.setValue(round(settings.text_size * 100))
        self.restores.setChecked(settings.restores_session)
        self.recents.most.setValue(settings.n_recents)
        self.memory.setValue(settings.memory_gb)

    def _connect(self) -> None:
        appearance, store = self._appearance, self._store
        _on_chosen(self.languages, appearance.choose_language)
        _on_chosen(self.themes, appearance.choose_theme)
        _on_chosen(self.devices, self._choose_device)
        self.text_size.valueChanged.connect(lambda percent: appearance.set_text_size(percent / 100))
        self.restores.toggled.connect(lambda is_on: store.change(restores_session=is_on))
        self.recents.most.valueChanged.connect(lambda count: store.change(n_recents=count))
        self.memory.valueChanged.connect(self._choose_memory)
        self.recents.clear.clicked.connect(self.recents_cleared)
        self._close.clicked.connect(self.accept)
        appearance.changed.connect(self._on_appearance_changed)

    def _choose_device(self, name: str) -> None:
        self._store.change(device=name)
        self.device_chosen.emit(name)

    @Slot(int)
    def _choose_memory(self, gigabytes: int) -> None:
        self._store.change(memory_gb=gigabytes)
        self.memory_chosen.emit(gigabytes)

    @Slot()
    def _on_appearance_changed(self) -> None:
        """Follow what shortcuts change while the dialog is open."""
        chosen = (self.languages, self.themes, self.devices)
        fields = (*chosen, self.text_size, self.restores, self.recents.most, self.memory)
        for field in fields:
            field.blockSignals(True)
        self._read()
        for field in fields:
            field.blockSignals(False)


_ROWS = (
    "language",
    "theme",
    "text size",
    "motion",
    "device",
    "memory",
    "session",
    "recents",
    "lessons",
    "log",
)


def _on_chosen(box: QComboBox, choose: Callable[[str], None]) -> None:
    box.currentIndexChanged.connect(lambda _: choose(str(box.currentData())))


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
        from bertviz_app.shell.commands.menus import stop_entries

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

    def _term(self, entry: Entry) -> PaletteEntry:
        """Return the line of the palette that opens an entry of the glossary."""
        names = (entry.name.en, entry.name.ko, *entry.also)
        text = self.tr("{0} (what is it?)").format(entry.name.in_language(language()))
        return PaletteEntry(text, "", partial(self.open_glossary, entry.key), " ".join(names))

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
