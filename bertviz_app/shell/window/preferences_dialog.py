"""The preferences: what the program looks like, begins with and remembers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QCoreApplication, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialog, QLabel, QLayout, QPushButton, QWidget

from bertviz_app.inference.opened_checkpoint import Device
from bertviz_app.shell.process import log_file
from bertviz_app.shell.session import Recents
from bertviz_app.shell.settings import (
    LARGEST_TEXT,
    MOST_MEMORY_GB,
    MOST_RECENTS,
    SMALLEST_TEXT,
    Appearance,
    SettingsStore,
)
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.fields import Fields
from bertviz_app.views.kit.look import form, in_column, in_row, named
from bertviz_app.views.kit.widgets import close_button


def _device_words(devices: tuple[Device, ...], chosen: str) -> dict[str, str]:
    """Return the devices of this computer, also computing in bfloat16, and `chosen` even if it is missing."""
    low = [device.in_bfloat16() for device in devices if not device.lacks_bfloat16]
    known = {
        "auto": QCoreApplication.translate("DeviceBox", "Automatic"),
        **{device.name: f"{device.label}   {translated(device.detail)}" for device in devices},
        **{each.name: translated(each.label) for each in low},
    }
    return {**known, chosen: known.get(chosen, chosen)}


def _log_row() -> QLayout:
    """Return where the log of errors is, and a button that opens its folder."""
    log = named(QLabel(str(log_file())), "secondary")
    log.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    folder = QPushButton(QCoreApplication.translate("LogRow", "Open its folder"))
    folder.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(str(log_file().parent))))
    return in_row(log, folder, 1, margins=0, spacing=8)


class Preferences(QDialog):
    """What the program looks like, begins with and remembers, what the rooms add, and where its log is."""

    def __init__(
        self,
        appearance: Appearance,
        store: SettingsStore,
        workspace: Workspace,
        recents: Recents,
        of_rooms: Sequence[tuple[str, QWidget]],
        parent: QWidget,
    ) -> None:
        """`workspace` uses a chosen device, and the memory for checkpoints, at once.

        `of_rooms`: rows that the rooms of the program add, a label and what sets it.
        """
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._store = store
        available, translate = workspace.available, QCoreApplication.translate
        self._set: dict[str, Callable[[Any], None]] = {
            "language": appearance.choose_language,
            "theme": appearance.choose_theme,
            "motion": appearance.choose_motion,
            "text_size": appearance.set_text_size,
        }
        self._in_force: dict[str, Callable[[Any], None]] = {
            "device": workspace.set_device,
            "memory_gb": available.set_memory,
        }
        self.fields = fields = Fields(self._change)
        self.setWindowTitle(self.tr("Preferences"))
        themes = {"system": self.tr("System"), "light": self.tr("Light"), "dark": self.tr("Dark")}
        motions = {
            "system": translate("MotionBox", "System"),
            "full": translate("MotionBox", "Full"),
            "reduced": translate("MotionBox", "Reduced"),
        }
        languages = {"system": self.tr("System"), "en": "English", "ko": "한국어"}
        devices = _device_words(available.devices, store.settings.device)
        sizes = round(SMALLEST_TEXT * 100), round(LARGEST_TEXT * 100)
        self.clear = QPushButton(translate("RecentsRow", "Clear"))
        recent = in_row(fields.spin("n_recents", (0, MOST_RECENTS)), self.clear, 1, margins=0, spacing=8)
        on_pair = self.tr("Open it on its most specific pair of words")
        rows = form(
            (self.tr("Language"), fields.combo("language", languages)),
            (self.tr("Theme"), fields.combo("theme", themes)),
            (self.tr("Text size"), fields.spin("text_size", sizes, " %", unit=0.01, step=10)),
            (self.tr("Motion"), fields.combo("motion", motions)),
            (self.tr("Device at the start"), fields.combo("device", devices)),
            (self.tr("Memory for open checkpoints"), fields.spin("memory_gb", (1, MOST_MEMORY_GB), " GB")),
            (self.tr("At the start"), fields.check("restores_session", self.tr("Restore the last session"))),
            (self.tr("A sentence of your own"), fields.check("opens_on_pair", on_pair)),
            (self.tr("Number of recent texts and files"), recent),
            *of_rooms,
            (self.tr("Error log"), _log_row()),
        )
        foot = in_row(1, close_button(self, self.tr("Close")))
        in_column(rows, foot, of=self, margins=(20, 20, 20, 16), spacing=20)
        self.clear.clicked.connect(recents.clear)
        self._on_appearance_changed()
        appearance.changed.connect(self._on_appearance_changed)

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
        self.fields.show(self._store.settings)
