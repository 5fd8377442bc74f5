"""`FileDialogs`: lets the user choose what `Files` opens, compares with and saves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QInputDialog, QWidget

from bertviz_app.checkpoint.folder import WEIGHT_ENDINGS
from bertviz_app.checkpoint.sources.source import hub_ref
from bertviz_app.shell.session.files import Files
from bertviz_app.shell.session.save_dialog import ask_where_to_save
from bertviz_app.viewmodels.session.archive import ENDING


class FileDialogs(QObject):
    """Asks over `window`, beginning where the user was last; a dialog that is cancelled changes nothing."""

    def __init__(self, window: QWidget, files: Files) -> None:
        super().__init__(window)
        self._window = window
        self._files = files
        self._hub_id = ""
        self._models_folder = ""

    def ask_for_folder(self) -> None:
        """Let the user choose a checkpoint folder and open it."""
        self._ask_for_folder(self._files.open_model)

    def ask_for_file(self) -> None:
        """Let the user choose one file of weights and open it."""
        self._ask_for_file(self._files.open_model)

    def ask_for_hub_id(self) -> None:
        """Let the user name a checkpoint of the hub and open it, downloading it if it is not there."""
        self._ask_for_hub_id(self._files.open_model)

    def ask_for_saved_folder(self) -> None:
        """Let the user choose the folder of the checkpoint that a session or a trace was saved with."""
        self._ask_for_folder(self._files.try_checkpoint)

    def ask_for_other_folder(self) -> None:
        """Let the user choose a checkpoint folder for run B."""
        self._ask_for_folder(self._files.compare_with)

    def ask_for_other_file(self) -> None:
        """Let the user choose one file of weights for run B."""
        self._ask_for_file(self._files.compare_with)

    def ask_for_other_hub_id(self) -> None:
        """Let the user name a checkpoint of the hub for run B, downloading it if it is not there."""
        self._ask_for_hub_id(self._files.compare_with)

    def _ask_for_folder(self, use: Callable[[str], None]) -> None:
        title = self.tr("Open a checkpoint folder")
        folder = QFileDialog.getExistingDirectory(self._window, title, self._models_folder)
        if folder:
            self._models_folder = str(Path(folder).parent)
            use(folder)

    def _ask_for_file(self, use: Callable[[str], None]) -> None:
        endings = " ".join(f"*{ending}" for ending in WEIGHT_ENDINGS)
        kinds = self.tr("Weights, with config.json and the vocabulary beside them") + f" ({endings})"
        kinds += ";;" + self.tr("All files") + " (*)"
        title = self.tr("Open a file of weights")
        name, _ = QFileDialog.getOpenFileName(self._window, title, self._models_folder, kinds)
        if name:
            self._models_folder = str(Path(name).parent)
            use(name)

    def _ask_for_hub_id(self, use: Callable[[str], None]) -> None:
        label = self.tr(
            "Name of the checkpoint, such as sentence-transformers/all-MiniLM-L6-v2,\n"
            "with @ and a branch, tag or commit if it is not the newest; or the address of its page:"
        )
        title = self.tr("Open a checkpoint from the hub")
        name, is_given = QInputDialog.getText(self._window, title, label, text=self._hub_id)
        if is_given and name.strip():
            self._hub_id = hub_ref(name)
            use(self._hub_id)

    def ask_to_open(self) -> None:
        """Let the user choose a session, a trace or a text, and open it."""
        kinds = self.tr("Sessions, traces and texts") + " (*.bva *.npz *.txt)"
        name, _ = QFileDialog.getOpenFileName(self._window, self.tr("Open"), self._files.folder, kinds)
        if name:
            self._files.open_path(Path(name))

    def ask_to_save(self) -> None:
        """Let the user choose where the session is saved."""
        kinds, title = self.tr("Sessions") + f" (*{ENDING})", self.tr("Save the session")
        path = ask_where_to_save(self._window, title, self._files.folder, kinds, ENDING)
        if path is not None:
            self._files.save(path)
