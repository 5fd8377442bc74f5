"""The page of a training over time in the window, and what it does to the rest of the window."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QFileDialog, QMainWindow

from bertviz_app.errors import AppError
from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.window.frame import PageController
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import translate

if TYPE_CHECKING:
    from bertviz_app.features.corpora.views.history import HistoryPage, TrainingTime


class HistoryController(PageController):
    """The page of a training over time."""

    def __init__(
        self, window: QMainWindow, app_state: AppState, look: Look, language: Callable[[], str]
    ) -> None:
        """`language` returns that of the window, in which the example sentences are, too."""
        super().__init__(window)
        self._app_state, self._look, self._language = app_state, look, language
        self._texts: Path | None = None

    if TYPE_CHECKING:
        page: HistoryPage

    def commands(self) -> list[Command]:
        group = translate("Commands", "Text and checkpoint")
        return [
            Command(translate("Commands", "A training over time …"), "", self.toggle, group=group),
        ]

    def _make_page(self) -> HistoryPage:
        from bertviz_app.features.corpora.views.history import HistoryPage

        page = HistoryPage(self._look, self.study)
        page.folder.clicked.connect(self._ask_for_folder)
        page.texts.clicked.connect(self._ask_for_texts)
        page.compare_requested.connect(self._compare)
        return page

    @cached_property
    def study(self) -> TrainingTime:
        """The state of the page, with a worker of its own."""
        from bertviz_app.features.corpora.views.history import TrainingTime

        return TrainingTime(self._tasks("training over time"), self._app_state.failed.emit)

    def open(self) -> None:
        """Show the page."""
        self._pages.open_page(self.page)
        self.page.folder.setFocus()

    def open_folder(self, folder: Path) -> None:
        """Measure the checkpoints in a folder, on the texts that were chosen or else on the examples."""
        from bertviz_app.learning.words import copy_of_corpus

        try:
            texts = self._texts or copy_of_corpus(self._language())
        except AppError as error:
            self._app_state.failed.emit(error)
        else:
            self.study.open(folder, texts)

    @Slot()
    def _ask_for_folder(self) -> None:
        name = QFileDialog.getExistingDirectory(self._window, self.tr("Folder of a training"))
        if name:
            self.open_folder(Path(name))

    @Slot()
    def _ask_for_texts(self) -> None:
        kinds = self.tr("Texts") + " (*.txt *.text *.md *.xz *.gz *.bz2)"
        name, _ = QFileDialog.getOpenFileName(self._window, self.tr("Texts to measure"), "", kinds)
        if name:
            self._texts = Path(name)
            if self.study.folder is not None:
                self.open_folder(self.study.folder)

    @Slot(str, str)
    def _compare(self, first: str, here: str) -> None:
        """Open the first checkpoint in run A and the one that is shown in run B, at the head looked at."""
        state = self._app_state
        self._pages.leave_pages()
        state.panels.show(*self.study.head)
        state.workspace.open_model(first)
        state.comparison.open_model(here)
