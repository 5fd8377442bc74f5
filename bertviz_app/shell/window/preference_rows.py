"""Fields of the preferences that are made of several parts: the device, recents, own lessons, the log."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QComboBox, QFileDialog, QHBoxLayout, QLabel, QPushButton, QSpinBox, QWidget

from bertviz_app import paths
from bertviz_app.inference.opened_checkpoint import Device
from bertviz_app.shell.process import log_file
from bertviz_app.shell.settings.appearance import Appearance
from bertviz_app.shell.settings.store import MOST_RECENTS, MOTIONS, SettingsStore
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.look import named

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
        self.clear = QPushButton()
        _lay_out(self, self.most, self.clear)

    def retranslate(self) -> None:
        self.clear.setText(self.tr("Clear"))


class MotionBox(QComboBox):
    """Whether things may move by themselves."""

    def __init__(self, appearance: Appearance, store: SettingsStore) -> None:
        super().__init__()
        self._store = store
        self.activated.connect(lambda _: appearance.choose_motion(self.currentData()))

    def retranslate(self) -> None:
        """Write the words in the language in force, and choose what is in force."""
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

    def retranslate(self) -> None:
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
        self.retranslate()


class LogRow(QWidget):
    """Where the log is, and a button that opens its folder."""

    def __init__(self) -> None:
        super().__init__()
        path = named(QLabel(str(log_file())), "secondary")
        path.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._open = QPushButton()
        self._open.clicked.connect(_open_log_folder)
        _lay_out(self, path, self._open)

    def retranslate(self) -> None:
        self._open.setText(self.tr("Open its folder"))


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
