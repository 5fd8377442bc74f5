"""The preferences: what the program looks like, begins with and remembers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QFileDialog, QFormLayout, QLabel, QPushButton, QWidget

from bertviz_app import paths
from bertviz_app.inference.opened_checkpoint import Device
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
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.fields import Fields
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import named

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
    in_row(*widgets, 1, of=row, margins=0, spacing=8)
    return row


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

    def __init__(
        self,
        appearance: Appearance,
        store: SettingsStore,
        workspace: Workspace,
        recents: Recents,
        parent: QWidget,
    ) -> None:
        """`workspace` uses a chosen device, and the memory for checkpoints, at once."""
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._store = store
        self._set: dict[str, Callable[[Any], None]] = {
            "language": appearance.choose_language,
            "theme": appearance.choose_theme,
            "motion": appearance.choose_motion,
            "text_size": appearance.set_text_size,
        }
        available = workspace.available
        self._in_force: dict[str, Callable[[Any], None]] = {
            "device": workspace.set_device,
            "memory_gb": available.set_memory,
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
        known = _device_words(available.devices, store.settings.device)
        self.devices = fields.combo("device", self.tr("Device at the start"), known)
        memory = self.tr("Memory for open checkpoints")
        self.memory = fields.spin("memory_gb", memory, (1, MOST_MEMORY_GB), " GB")
        self.restores = fields.check("restores_session", self.tr("Restore the last session"))
        most = self.tr("Number of recent texts and files")
        self.recents = fields.spin("n_recents", most, (0, MOST_RECENTS))
        self.clear = QPushButton(QCoreApplication.translate("RecentsRow", "Clear"))
        self.clear.clicked.connect(recents.clear)
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
        form.addRow(self.recents.accessibleName(), _lay_out(QWidget(), self.recents, self.clear))
        form.addRow(self.tr("Own lessons"), LessonsFolderRow(self._store))
        path = named(QLabel(str(log_file())), "secondary")
        path.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        button = QPushButton(QCoreApplication.translate("LogRow", "Open its folder"))
        folder = QUrl.fromLocalFile(str(log_file().parent))
        button.clicked.connect(lambda: QDesktopServices.openUrl(folder))
        form.addRow(self.tr("Error log"), _lay_out(QWidget(), path, button))
        close = QPushButton(self.tr("Close"))
        close.clicked.connect(self.accept)
        in_column(
            form, (close, 0, Qt.AlignmentFlag.AlignRight), of=self, margins=(20, 20, 20, 16), spacing=20
        )

    def _change(self, **values: Any) -> None:
        """Set some settings, and apply those that are in force at once."""
        for name, value in values.items():
            if name in self._set:
                self._set[name](value)
            else:
                self._store.change(**{name: value})
            if name in self._in_force:
                self._in_force[name](value)

    @Slot()
    def _on_appearance_changed(self) -> None:
        """Follow what shortcuts change while the dialog is open."""
        self._fields.show(self._store.settings)
