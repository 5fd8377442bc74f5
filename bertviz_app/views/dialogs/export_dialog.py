"""`ExportDialog`: how a picture is exported: format, size, ground, title."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import (
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
from bertviz_app.views.kit.fields import Fields
from bertviz_app.views.kit.look import named


@dataclass(frozen=True)
class PictureChoice:
    """`ending`: ".png", ".svg" or ".pdf". `scale`: of PNG, pixels to one on screen.

    `ground`: "window", "light" or "dark".
    """

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
        self.choice = choice
        self._fields = Fields(self._change)
        self.save, self.copy = QPushButton(self.tr("Save …")), QPushButton(self.tr("Copy"))
        self.copy.setToolTip(self.tr("Copy the picture to the clipboard, as pixels"))
        self.save.clicked.connect(lambda: self._end(self.save_requested))
        self.copy.clicked.connect(lambda: self._end(self.copy_requested))
        self._make_fields()
        self._lay_out()
        self._fields.show(choice)

    def _make_fields(self) -> None:
        fields = self._fields
        self.formats = fields.segments(
            "ending",
            [
                (".png", "PNG", self.tr("Pixels, for slides and pages")),
                (".svg", "SVG", self.tr("Lines and text, for browsers and drawing programs")),
                (".pdf", "PDF", self.tr("Lines and text, for papers and print")),
            ],
        )
        tip = self.tr("Pixels of the picture for each on screen")
        self.scales = Segments([(str(scale), f"{scale}×", tip) for scale in SCALES])
        fields.bind(
            "scale", self.scales, self.scales.chosen, lambda scale: self.scales.choose(str(scale)), int
        )
        fields.enable_if(lambda choice: choice.ending == ".png", self.scales)
        self.grounds = fields.segments(
            "ground",
            [
                ("window", self.tr("Same as the window"), self.tr("In the colours that are on screen")),
                ("light", self.tr("Light"), self.tr("Dark on white, for print")),
                ("dark", self.tr("Dark"), self.tr("Light on dark, for slides")),
            ],
        )
        self.title = fields.check("has_title", self.tr("Checkpoint and sentence above it"))

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

    def _change(self, **changes: Any) -> None:
        self.choice = replace(self.choice, **changes)
        self._fields.show(self.choice)

    def _end(self, signal: SignalInstance) -> None:
        choice = self.choice
        self.accept()
        signal.emit(choice)
