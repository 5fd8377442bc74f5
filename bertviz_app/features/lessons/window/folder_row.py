"""The row of the preferences that says where the user's own lessons are."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QLabel, QPushButton, QWidget

from bertviz_app import paths
from bertviz_app.shell.settings import SettingsStore
from bertviz_app.views.kit.look import in_row, named

_LONGEST_PATH = 60  # characters


class LessonsFolderRow(QWidget):
    """The folder of the user's own lessons, and buttons that choose another one or the usual one."""

    def __init__(self, store: SettingsStore) -> None:
        super().__init__()
        self._store = store
        self._path = named(QLabel(), "secondary")
        self.choose, self.usual = QPushButton(self.tr("Choose …")), QPushButton(self.tr("Use the default"))
        self.choose.clicked.connect(self._ask)
        self.usual.clicked.connect(lambda: self._set(""))
        in_row(self._path, self.choose, self.usual, 1, of=self, margins=0, spacing=8)
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
