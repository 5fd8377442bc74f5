"""The dialogs of the Training page's form, and the checkpoint that a training starts from."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, Qt, Slot
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from bertviz_app.features.training.state import Training, free_folder, with_files
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.views.kit.words import add_choice


class FormDialogs(QObject):
    """Asks for paths over `page`, and writes them into the form of `training`.

    It keeps the form on the checkpoint of run A until the user chooses one.
    """

    def __init__(self, page: QWidget, training: Training, workspace: Workspace) -> None:
        super().__init__(page)
        self._page = page
        self._training = training
        self._workspace = workspace
        workspace.facts_changed.connect(self._follow)
        self._follow()

    @Slot(str)
    def ask_for_files(self, field: str) -> None:
        """Let the user choose the files of the field of this name, or the checkpoint of the base."""
        form = self._training.form
        if field == "base":
            self.menu().popup(QCursor.pos())
        elif field == "files":
            folder = str(Path(form.files[-1]).parent) if form.files else ""
            kinds = self.tr("Texts") + " (*.txt *.text *.md *.parquet *.xlsx *.xz *.gz)"
            names, _ = QFileDialog.getOpenFileNames(self._page, self.tr("Training text"), folder, kinds)
            self._training.change(files=with_files(form, names).files)
        else:
            titles = {"rows": self.tr("Training data"), "test": self.tr("Evaluation data")}
            folder = str(Path(form.rows).parent) if form.rows else ""
            kinds = (
                self.tr("Rows") + " (*.tsv *.csv *.txt *.json *.jsonl *.conllu *.parquet *.xlsx *.xz *.gz)"
            )
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

    def menu(self) -> QMenu:
        """Return the menu of what a training can start from."""
        menu, form = QMenu(self._page), self._training.form
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.setToolTipsVisible(True)
        words = QCoreApplication.translate("BaseChoice", "The checkpoint of run A")
        add_choice(menu, words, self._on_run_a_chosen, is_chosen=form.follows_run_a)
        menu.addSeparator()
        for source in self._workspace.available.sources:
            is_base = not form.follows_run_a and form.base == source.ref
            chosen = {"base": source.ref, "base_name": source.name, "follows_run_a": False}
            choose = partial(self._training.change, **chosen)
            action = add_choice(menu, source.name, choose, is_chosen=is_base)
            action.setToolTip(source.ref)
            action.setEnabled(source.problem is None)
        return menu

    @Slot()
    def _on_run_a_chosen(self) -> None:
        self._training.change(follows_run_a=True)
        self._follow()

    @Slot()
    def _follow(self) -> None:
        workspace, follows = self._workspace, self._training.form.follows_run_a
        if follows and workspace.opening.pending is None and workspace.facts is not None:
            self._training.change(base=workspace.ref, base_name=workspace.facts.name)
