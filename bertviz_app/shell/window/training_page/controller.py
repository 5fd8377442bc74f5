"""`TrainingController`: the Training page in the window, and what it does to the rest of the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QMainWindow

from bertviz_app.inference.jobs import Jobs
from bertviz_app.shell.session.files import Files
from bertviz_app.shell.settings.store import SettingsStore
from bertviz_app.shell.window.pages import Pages
from bertviz_app.shell.window.training_page.form_file import FormFile
from bertviz_app.shell.window.training_page.status import TrainingStatus
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.results import Tasks
from bertviz_app.views.kit.look import Look

if TYPE_CHECKING:
    from bertviz_app.viewmodels.training.training import Launch, Training
    from bertviz_app.views.training.page import TrainingPage

_SENTENCE = "A cat ate the fish because it was hungry"
"""What is watched while nothing was typed."""


class TrainingController(QObject):
    """Made with the window; makes the page and its worker at the first use, and emits `page_made` with it.

    `progress_changed` has a few words about the training while its page is not shown, "" when there is none.
    """

    progress_changed = Signal(str)
    page_made = Signal(object)

    def __init__(
        self,
        window: QMainWindow,
        app_state: AppState,
        look: Look,
        store: SettingsStore,
        files: Files,
        pages: Pages,
    ) -> None:
        super().__init__(window)
        self._window = window
        self._app_state = app_state
        self._look = look
        self._file = FormFile(store.folder)
        self._files = files
        self._pages = pages
        self.launch: Launch | None = None  # what starts a run; None: a process of its own
        self._jobs: Jobs | None = None
        self._training: Training | None = None
        self._page: TrainingPage | None = None
        self._status = TrainingStatus(self)
        self._status.changed.connect(self.progress_changed)
        pages.page_changed.connect(self._on_advanced)

    def remind(self) -> None:
        """Show that a training can be resumed which ran when the program ended."""
        folder = self._file.unfinished()
        if folder is not None:
            self._status.remind(folder.name)

    def retranslate(self) -> None:
        """Write the words of the status line in the language in force; a page writes its own."""
        self._status.retranslate()

    @property
    def is_shown(self) -> bool:
        """Whether the page is what the window shows."""
        return self._page is not None and self._pages.currentWidget() is self._page

    @property
    def is_running(self) -> bool:
        """Whether a training is under way, or paused."""
        run = None if self._training is None else self._training.run
        return run is not None and run.is_alive

    @property
    def page(self) -> TrainingPage:
        if self._page is None:
            from bertviz_app.views.training.page import TrainingPage

            self._page = TrainingPage(self._look, self.training)
            self._pages.addWidget(self._page)
            self._connect(self._page)
            self.page_made.emit(self._page)
        return self._page

    @property
    def training(self) -> Training:
        """The state of the training, with a worker of its own that reads what the run has saved."""
        if self._training is None:
            from bertviz_app.inference.training.job import TrainingProcess
            from bertviz_app.viewmodels.training.training import Training

            self._jobs = Jobs("training")
            launch = TrainingProcess if self.launch is None else self.launch
            self._training = Training(Tasks(self._jobs, self), self._app_state.failed.emit, launch)
            self._jobs.start()
            self._file.restore(self._training)
        return self._training

    def _connect(self, page: TrainingPage) -> None:
        from bertviz_app.shell.window.training_page.base_choice import BaseChoice
        from bertviz_app.shell.window.training_page.form_dialogs import FormDialogs

        training, dialogs = self.training, FormDialogs(page, self.training)
        page.closed.connect(self.leave)
        page.form.files_requested.connect(dialogs.ask_for_files)
        page.form.folder_requested.connect(dialogs.ask_for_folder)
        page.state.open_requested.connect(self.open_model)
        page.state.compare_requested.connect(self.compare)
        page.form.files_requested.connect(BaseChoice(page, training, self._app_state.workspace).ask)
        training.changed.connect(self._on_advanced)
        training.advanced.connect(self._on_advanced)
        training.finished.connect(self._app_state.workspace.available.look_for_sources)
        for signal in (training.form_changed, training.changed):
            signal.connect(lambda: self._file.save(training))

    def open(self) -> None:
        unfinished = self._file.unfinished()
        page, workspace = self.page, self._app_state.workspace
        if unfinished is not None and self.training.run is None:
            self.training.open_run(unfinished)
        self.training.device = workspace.device
        self.training.suggest(workspace.text or _SENTENCE, workspace.pair if workspace.text else None)
        self.training.saved_runs.refresh()
        self._pages.open_page(page)
        (page.form.first if self.training.run is None else page.watch.player.slider).setFocus()
        self._on_advanced()

    @Slot()
    def leave(self) -> None:
        """Show again what was shown before; a training goes on."""
        if self.is_shown:
            self._pages.leave_page()

    def toggle(self) -> None:
        """Show the page, or what was shown before it."""
        if self.is_shown:
            self.leave()
        else:
            self.open()

    @Slot(str)
    def open_model(self, ref: str) -> None:
        """Open a model that was trained, on the sentence that was watched."""
        self._show_watched()
        self._files.open_model(ref)
        self.leave()

    @Slot(str, str)
    def compare(self, first: str, last: str) -> None:
        """Put two states of a model side by side: one, "" for the default, as run A, the other as run B."""
        self._show_watched()
        if first:
            self._files.open_model(first)
        else:
            self._app_state.workspace.open_model(None)
        comparison = self._app_state.comparison
        comparison.editor.begin()
        self._files.compare_with(last)
        # The head that training changed most is worth seeing first. At most one connection: another
        # comparison may be requested before the first is measured.
        comparison.measured.connect(self._on_measured, Qt.ConnectionType.UniqueConnection)
        self.leave()

    @Slot()
    def _on_measured(self) -> None:
        comparison, workspace = self._app_state.comparison, self._app_state.workspace
        if not comparison.is_current or workspace.is_busy:
            return  # of a run that is still replaced
        comparison.measured.disconnect(self._on_measured)
        if comparison.difference is not None and comparison.difference.farthest is not None:
            self._app_state.panels.show(*comparison.difference.farthest)

    def close(self) -> None:
        """Save the form and end the training, which saves its run."""
        if self._training is not None and self._jobs is not None:
            run = self._training.run
            self._file.save(self._training, run.job.out if run is not None and run.is_alive else None)
            self._training.close()
            self._jobs.close()

    def _show_watched(self) -> None:
        run = self.training.run
        if run is not None:
            self._app_state.workspace.set_texts(run.job.watch.text, run.job.watch.pair, at_once=True)

    @Slot()
    def _on_advanced(self) -> None:
        if self._training is not None:
            self._status.show_run(self._training.run, is_page_shown=self.is_shown)
