"""The Training page in the window, its form and dialogs, and what it does to the rest of the window."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QMainWindow

from bertviz_app import paths
from bertviz_app.json_store import JsonFile, encode
from bertviz_app.shell.commands.menus import Command
from bertviz_app.shell.session import Files
from bertviz_app.shell.settings import SettingsStore
from bertviz_app.shell.window.export import Export, ExportedPage
from bertviz_app.shell.window.frame import EndQuestion, PageController, WindowFrame
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import translate

if TYPE_CHECKING:
    from bertviz_app.features.training.state import Launch, LiveRun, Training
    from bertviz_app.features.training.views.page import TrainingPage

_VERSION = 1


class FormFile:
    """Written at each change of the form, read when the page is first opened."""

    def __init__(self, folder: Path) -> None:
        """`folder` is where the settings are."""
        self._file = JsonFile(folder / "training.json", _VERSION)

    def unfinished(self) -> Path | None:
        """Return the folder of the training that the end of the program stopped, if it is still there."""
        folder = self._file.read().get("unfinished")
        if not isinstance(folder, str):
            return None
        from bertviz_app.features.training.settings import WORK  # brings all readers of tables

        return Path(folder) if paths.exists(Path(folder) / WORK) else None

    def restore(self, training: Training) -> None:
        plain = self._file.read()
        if not plain:
            return
        from bertviz_app.features.training.state import free_folder, from_plain

        form, elsewhere = from_plain(plain.get("form")), plain.get("elsewhere")
        if plain.get("is_typed") is False:
            training.suggested = form.text, form.pair
        is_taken = not form.folder or paths.exists(Path(form.folder))  # by a model that was trained since
        training.change(**{**vars(form), "folder": str(free_folder()) if is_taken else form.folder})
        if isinstance(elsewhere, list):
            training.saved_runs.elsewhere = tuple(Path(str(name)) for name in elsewhere)

    def save(self, training: Training, unfinished: Path | None = None) -> None:
        """Write the form; `unfinished` is the training that is stopped now by the end of the program."""
        content = {
            "form": encode(training.form),
            "is_typed": (training.form.text, training.form.pair) != training.suggested,
            "elsewhere": [str(folder) for folder in training.saved_runs.elsewhere],
            **({} if unfinished is None else {"unfinished": str(unfinished)}),
        }
        self._file.write(content)


_SENTENCE = "A cat ate the fish because it was hungry"
"""What is watched while nothing was typed."""


class TrainingController(PageController):
    """The Training page, whose curves `export` saves and copies.

    `status_changed` is emitted with a few words about the training while its page is not shown, "" for none:
    how it ended is shown until the page was.
    """

    status_changed = Signal(str)

    def __init__(
        self,
        window: QMainWindow,
        app_state: AppState,
        look: Look,
        store: SettingsStore,
        files: Files,
        export: Export,
    ) -> None:
        super().__init__(window)
        self._app_state = app_state
        self._look = look
        self._file = FormFile(store.folder)
        self._files = files
        self._export = export
        self.launch: Launch | None = None  # what starts a run; None: a process of its own
        self._training: Training | None = None
        self._seen: LiveRun | None = None

    def move_to(self, frame: WindowFrame) -> None:
        super().move_to(frame)
        frame.pages.page_changed.connect(self._on_advanced)
        frame.status.training.clicked.connect(self.open)
        self.status_changed.connect(frame.status.show_training)
        if self._training is None:
            self.remind()

    def show_again(self) -> None:
        super().show_again()
        self._on_advanced()

    def commands(self) -> list[Command]:
        group = translate("Commands", "Text and checkpoint")
        return [Command(translate("Commands", "Train a model …"), "Ctrl+Shift+T", self.toggle, group=group)]

    def ways_to_checkpoints(self) -> list[tuple[str, Callable[[], None]]]:
        return [(translate("Commands", "Train a model …"), self.open)]

    def question_at_end(self) -> EndQuestion | None:
        if not self.is_running:
            return None
        return EndQuestion(
            self.tr("A training is still running. Quit anyway?"),
            self.tr("It cannot go on without the window. What it has learned is saved and can be resumed."),
            self.tr("Stop, keep the last snapshot"),
            self.tr("Keep training"),
        )

    def remind(self) -> None:
        """Show that a training can be resumed which ran when the program ended."""
        folder = self._file.unfinished()
        if folder is not None:
            words = translate("TrainingStatus", "The training “{0}” was saved and can be resumed")
            self.status_changed.emit(words.format(folder.name))

    @property
    def is_running(self) -> bool:
        """Whether a training is under way, or paused."""
        run = None if self._training is None else self._training.run
        return run is not None and run.is_alive

    page: TrainingPage  # made at the first use

    def _make_page(self) -> TrainingPage:
        from bertviz_app.features.training.views.form import FormDialogs
        from bertviz_app.features.training.views.page import TrainingPage

        page = TrainingPage(self._look, self.training)
        dialogs = FormDialogs(page, self.training, self._app_state.workspace)
        page.form.files_requested.connect(dialogs.ask_for_files)
        page.form.choose_folder.clicked.connect(dialogs.ask_for_folder)
        for part in (page.state.buttons, page.state.saved):
            part.open_requested.connect(self.open_model)
        page.state.buttons.compare_requested.connect(self.compare)
        nothing_yet = self.tr("There are no curves yet: they can be saved once a training runs.")
        self._export.add_page(ExportedPage(page, page.curves.cards, nothing_yet))
        return page

    @property
    def training(self) -> Training:
        """The state of the training, with a worker of its own that reads what the run has saved."""
        if self._training is None:
            from bertviz_app.features.training.process.job import TrainingProcess
            from bertviz_app.features.training.state import Training

            launch = TrainingProcess if self.launch is None else self.launch
            training = self._training = Training(self._tasks("training"), self._app_state.failed.emit, launch)
            self._file.restore(training)
            training.changed.connect(self._on_advanced)
            training.advanced.connect(self._on_advanced)
            training.finished.connect(self._app_state.workspace.available.look_for_sources)
            for signal in (training.form_changed, training.changed):
                signal.connect(lambda: self._file.save(training))
        return self._training

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
        comparison.begin()
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
        if self._training is not None:
            run = self._training.run
            self._file.save(self._training, run.job.out if run is not None and run.is_alive else None)
            self._training.close()
        super().close()

    def _show_watched(self) -> None:
        run = self.training.run
        if run is not None:
            self._app_state.workspace.set_texts(run.job.watch.text, run.job.watch.pair, at_once=True)

    @Slot()
    def _on_advanced(self) -> None:
        if self._training is None:
            return
        run = self._training.run
        if self.is_shown:
            self._seen = None if run is None or run.is_alive else run
        if self.is_shown or run is None or (run is self._seen and not run.is_alive):
            self.status_changed.emit("")
            return
        from bertviz_app.features.training.views.runs import duration, words_of

        is_training = run.state == "running" and run.stage == "training"
        title = "{0}" if is_training else translate("TrainingStatus", "Training: {0}")
        words = [title.format(words_of(run))]
        if run.last is not None and run.state != "done":
            words.append(f"{run.last.share:.0%}")
        if run.is_alive and run.seconds_left is not None:
            words.append(translate("TrainingStatus", "{0} left").format(duration(run.seconds_left)))
        self.status_changed.emit("   ".join(words))
