"""The dialog of the preferences; every choice is in force at once."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QFormLayout,
    QLabel,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.inference.opened_checkpoint import Device
from bertviz_app.shell.settings.appearance import Appearance
from bertviz_app.shell.settings.store import (
    LANGUAGES,
    LARGEST_TEXT,
    MOST_MEMORY_GB,
    SMALLEST_TEXT,
    THEMES,
    SettingsStore,
)
from bertviz_app.shell.window.preference_rows import (
    DeviceBox,
    LessonsFolderRow,
    LogRow,
    MotionBox,
    RecentsRow,
    fill_choices,
)
from bertviz_app.views.kit.canvas import guarded

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
        self.retranslate()
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

    def retranslate(self) -> None:
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
        self.recents.retranslate()
        for row in self.rows:
            row.retranslate()
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

    @guarded
    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.retranslate()


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
