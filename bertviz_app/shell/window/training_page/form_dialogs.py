"""`FormDialogs`: the dialogs in which the files and the folder of the Training page's form are chosen."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from bertviz_app.viewmodels.training.training import Training, free_folder, with_files


class FormDialogs(QObject):
    """Asks for paths over `page`, and writes them into the form of `training`."""

    def __init__(self, page: QWidget, training: Training) -> None:
        super().__init__(page)
        self._page = page
        self._training = training

    @Slot(str)
    def ask_for_files(self, field: str) -> None:
        """Let the user choose the files of the field of this name; the base has a menu of its own."""
        form = self._training.form
        if field != "files":
            if field != "base":
                self._ask_for_rows(field)
            return
        folder = str(Path(form.files[-1]).parent) if form.files else ""
        kinds = self.tr("Texts") + " (*.txt *.text *.md *.xz *.gz)"
        names, _ = QFileDialog.getOpenFileNames(self._page, self.tr("Training text"), folder, kinds)
        self._training.change(files=with_files(form, names).files)

    def _ask_for_rows(self, field: str) -> None:
        """Let the user choose the file of rows that the form has under the name `field`."""
        titles = {"rows": self.tr("Training data"), "test": self.tr("Evaluation data")}
        folder = str(Path(self._training.form.rows).parent) if self._training.form.rows else ""
        kinds = self.tr("Rows") + " (*.tsv *.csv *.txt *.json *.jsonl *.xz *.gz)"
        name, _ = QFileDialog.getOpenFileName(self._page, titles[field], folder, kinds)
        if name:
            self._training.change(**{field: name})

    @Slot()
    def ask_for_folder(self) -> None:
        """Let the user choose where the model is saved: the folder itself if it is empty, else one in it."""
        title = self.tr("Folder of the model")
        name = QFileDialog.getExistingDirectory(
            self._page, title, str(Path(self._training.form.folder).parent)
        )
        if name:
            folder = Path(name)
            try:
                is_free = not any(folder.iterdir())
            except OSError:  # the start of the training says what is wrong with it
                is_free = True
            self._training.change(folder=str(folder if is_free else free_folder(folder)))
