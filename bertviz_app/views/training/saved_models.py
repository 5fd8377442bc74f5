"""The models that a run has saved during training, each a link that opens it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QPushButton, QVBoxLayout, QWidget

from bertviz_app.inference.training.job import step_of
from bertviz_app.views.kit.style import named


class SavedModels(QWidget):
    """Shows a line for each folder, named after its step; `open_requested` is of the one that was clicked."""

    open_requested = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._folders: tuple[Path, ...] = ()
        self._title = named(QLabel(), "secondary")
        self._links = QVBoxLayout()
        self._links.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self._title)
        column.addLayout(self._links)

    def retranslate(self) -> None:
        self._title.setText(self.tr("Saved during training; click to open"))
        self._write_links()

    def show_folders(self, folders: tuple[Path, ...]) -> None:
        """Show these; links are made again only if others are to be shown."""
        self.setVisible(bool(folders))
        if folders != self._folders:
            self._folders = folders
            self._write_links()

    def _write_links(self) -> None:
        while (item := self._links.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for folder in self._folders:
            button = named(QPushButton(self.tr("Step {0}").format(f"{step_of(folder):,}")), "link")
            button.clicked.connect(lambda _=False, folder=folder: self.open_requested.emit(str(folder)))
            self._links.addWidget(button)
