"""`ExportDialog`: how a picture is exported: format, size, ground, title."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import Qt, Signal, SignalInstance, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from bertviz_app.views.export.recording import SCALES
from bertviz_app.views.kit.card import Segments
from bertviz_app.views.kit.look import named

GROUNDS = ("window", "light", "dark")


@dataclass(frozen=True)
class PictureChoice:
    """`ending`: ".png", ".svg" or ".pdf". `scale`: of PNG, pixels to one on screen. `ground`: of GROUNDS."""

    ending: str = ".png"
    scale: int = 2
    ground: str = "window"
    has_title: bool = True


class ExportDialog(QDialog):
    """`save_requested` and `copy_requested` carry the `PictureChoice` when one of the buttons is clicked."""

    save_requested = Signal(object)
    copy_requested = Signal(object)

    def __init__(self, title: str, choice: PictureChoice, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setWindowTitle(self.tr("Save as a picture"))
        self._heading = named(QLabel(title), "title")
        self.formats = Segments(
            [
                (".png", "PNG", self.tr("Pixels, for slides and pages")),
                (".svg", "SVG", self.tr("Lines and text, for browsers and drawing programs")),
                (".pdf", "PDF", self.tr("Lines and text, for papers and print")),
            ]
        )
        tip = self.tr("Pixels of the picture for each on screen")
        self.scales = Segments([(str(scale), f"{scale}×", tip) for scale in SCALES])
        grounds = {
            "window": (self.tr("Same as the window"), self.tr("In the colours that are on screen")),
            "light": (self.tr("Light"), self.tr("Dark on white, for print")),
            "dark": (self.tr("Dark"), self.tr("Light on dark, for slides")),
        }
        self.grounds = Segments([(ground, *grounds[ground]) for ground in GROUNDS])
        self.title = QCheckBox(self.tr("Checkpoint and sentence above it"))
        self.save, self.copy = QPushButton(self.tr("Save …")), QPushButton(self.tr("Copy"))
        self.copy.setToolTip(self.tr("Copy the picture to the clipboard, as pixels"))
        self._lay_out()
        self._connect(choice)

    def _lay_out(self) -> None:
        form = QFormLayout()
        form.setHorizontalSpacing(24)
        form.setVerticalSpacing(12)
        form.addRow(self.tr("Format"), self.formats)
        form.addRow(self.tr("Size"), self.scales)
        form.addRow(self.tr("Background"), self.grounds)
        form.addRow("", self.title)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.copy)
        row.addWidget(self.save)
        self.save.setDefault(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 16, 20, 16)
        column.setSpacing(16)
        column.addWidget(self._heading)
        column.addLayout(form)
        column.addLayout(row)
        for button in self.findChildren(QPushButton):
            button.setAutoDefault(button in (self.save, self.copy))  # Enter on a choice saves

    def _connect(self, choice: PictureChoice) -> None:
        self._choice = choice
        for segments, key in (
            (self.formats, choice.ending),
            (self.scales, str(choice.scale)),
            (self.grounds, choice.ground),
        ):
            segments.choose(key)
        self.title.setChecked(choice.has_title)
        self.formats.chosen.connect(self._on_format_chosen)
        self._on_format_chosen(choice.ending)
        self.save.clicked.connect(lambda: self._end(self.save_requested))
        self.copy.clicked.connect(lambda: self._end(self.copy_requested))

    @property
    def choice(self) -> PictureChoice:
        scale = int(self.scales.chosen_key)
        return PictureChoice(self.formats.chosen_key, scale, self.grounds.chosen_key, self.title.isChecked())

    @Slot(str)
    def _on_format_chosen(self, ending: str) -> None:
        for scale in SCALES:
            self.scales.offer(str(scale), is_offered=ending == ".png")

    def _end(self, signal: SignalInstance) -> None:
        choice = self.choice
        self.accept()
        signal.emit(choice)
