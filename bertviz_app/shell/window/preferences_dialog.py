"""The dialog of the preferences; every choice is in force at once."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QLayout,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.inference.engine import Device
from bertviz_app.shell.process import log_file
from bertviz_app.shell.settings.appearance import Appearance
from bertviz_app.shell.settings.store import (
    LANGUAGES,
    LARGEST_TEXT,
    MOST_MEMORY_GB,
    MOST_RECENTS,
    SMALLEST_TEXT,
    THEMES,
    SettingsStore,
)
from bertviz_app.viewmodels.wording.error_words import translated
from bertviz_app.views.kit.canvas import guarded
from bertviz_app.views.kit.style import named


class Preferences(QDialog):
    """Language, theme, text size, device, memory, last session, recents, and where the log is."""

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
        self._devices = devices
        self.languages, self.themes, self.devices = QComboBox(), QComboBox(), QComboBox()
        self.text_size = QSpinBox(suffix=" %", singleStep=10)
        self.text_size.setRange(round(SMALLEST_TEXT * 100), round(LARGEST_TEXT * 100))
        self.restores = QCheckBox()
        self.n_recents = QSpinBox()
        self.n_recents.setRange(0, MOST_RECENTS)
        self.memory = QSpinBox(suffix=" GB")
        self.memory.setRange(1, MOST_MEMORY_GB)
        self._clear, self._open_log, self._close = QPushButton(), QPushButton(), QPushButton()
        self._log = named(QLabel(str(log_file())), "secondary")
        self._log.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._labels = {name: QLabel() for name in _ROWS}
        self._place()
        self.retranslate()
        self._read()
        self._connect()

    def _place(self) -> None:
        form = QFormLayout()
        form.setLabelAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(12)
        fields: dict[str, QWidget | QLayout] = {
            "language": self.languages,
            "theme": self.themes,
            "text size": self.text_size,
            "device": self.devices,
            "memory": self.memory,
            "session": self.restores,
            "recents": _beside(self.n_recents, self._clear),
            "log": _beside(self._log, self._open_log),
        }
        for name in _ROWS:
            field = fields[name]
            if isinstance(field, QWidget):
                form.addRow(self._labels[name], field)
            else:
                form.addRow(self._labels[name], field)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 20, 20, 16)
        column.setSpacing(20)
        column.addLayout(form)
        column.addWidget(self._close, 0, Qt.AlignmentFlag.AlignRight)

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self.setWindowTitle(self.tr("Preferences"))
        for name, words in self._row_words().items():
            self._labels[name].setText(words)
        names = {
            "system": self.tr("As the system"),
            "light": self.tr("Light"),
            "dark": self.tr("Dark"),
            "en": "English",
            "ko": "한국어",
        }
        _fill(self.themes, [(name, names[name]) for name in THEMES])
        _fill(self.languages, [(name, names[name]) for name in LANGUAGES])
        known = [
            ("auto", self.tr("Automatic")),
            *((d.name, f"{d.label}   {translated(d.detail)}") for d in self._devices),
        ]
        chosen = self._store.settings.device
        missing = [] if chosen in dict(known) else [(chosen, chosen)]
        _fill(self.devices, known + missing)
        self.restores.setText(self.tr("Open what was shown last"))
        self._clear.setText(self.tr("Forget them"))
        self._open_log.setText(self.tr("Open its folder"))
        self._close.setText(self.tr("Close"))
        for name, field in self._named_fields().items():
            field.setAccessibleName(self._labels[name].text())

    def _row_words(self) -> dict[str, str]:
        return {
            "language": self.tr("Language"),
            "theme": self.tr("Theme"),
            "text size": self.tr("Text size"),
            "device": self.tr("Device at the start"),
            "memory": self.tr("Open checkpoints fill at most"),
            "session": self.tr("At the start"),
            "recents": self.tr("Recent texts and files kept"),
            "log": self.tr("Log of what went wrong"),
        }

    def _named_fields(self) -> dict[str, QWidget]:
        return {
            "language": self.languages,
            "theme": self.themes,
            "text size": self.text_size,
            "device": self.devices,
            "memory": self.memory,
            "recents": self.n_recents,
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
        self.n_recents.setValue(settings.n_recents)
        self.memory.setValue(settings.memory_gb)

    def _connect(self) -> None:
        appearance, store = self._appearance, self._store
        _on_chosen(self.languages, appearance.choose_language)
        _on_chosen(self.themes, appearance.choose_theme)
        _on_chosen(self.devices, self._choose_device)
        self.text_size.valueChanged.connect(lambda percent: appearance.set_text_size(percent / 100))
        self.restores.toggled.connect(lambda is_on: store.change(restores_session=is_on))
        self.n_recents.valueChanged.connect(lambda count: store.change(n_recents=count))
        self.memory.valueChanged.connect(self._choose_memory)
        self._clear.clicked.connect(self.recents_cleared)
        self._open_log.clicked.connect(_open_log_folder)
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
        fields = (*chosen, self.text_size, self.restores, self.n_recents, self.memory)
        for field in fields:
            field.blockSignals(True)
        self._read()
        for field in fields:
            field.blockSignals(False)

    @guarded
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()


_ROWS = ("language", "theme", "text size", "device", "memory", "session", "recents", "log")


def _fill(box: QComboBox, choices: list[tuple[str, str]]) -> None:
    """Offer `choices` (value, text), with what was chosen still chosen."""
    chosen = box.currentData()
    box.blockSignals(True)
    box.clear()
    for value, text in choices:
        box.addItem(text, value)
    box.setCurrentIndex(max(0, box.findData(chosen)))
    box.blockSignals(False)


def _on_chosen(box: QComboBox, choose: Callable[[str], None]) -> None:
    box.currentIndexChanged.connect(lambda _: choose(str(box.currentData())))


def _beside(*widgets: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    for widget in widgets:
        row.addWidget(widget)
    row.addStretch(1)
    return row


def _open_log_folder() -> None:
    QDesktopServices.openUrl(QUrl.fromLocalFile(str(log_file().parent)))
