"""`TrainedLabels`: the two models of a station, trained on real labels and on random ones."""

from __future__ import annotations

import shutil
import tempfile
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot

from bertviz_app.errors import AppError, Message, from_json
from bertviz_app.features.training.finetuning.settings import TuningStep
from bertviz_app.features.training.process.job import TrainingProcess, as_step
from bertviz_app.features.training.process.labels import label_jobs, result_in
from bertviz_app.features.training.state import Launch, Process
from bertviz_app.learning.label_training import LABELS, LabelProgress, Labels, LabelTraining
from bertviz_app.values import replace
from bertviz_app.viewmodels.label_trainings import LabelTrainings

_WAIT = 3.0  # seconds at the end of the program


class TrainedLabels(LabelTrainings):
    """Trains both at the same time, each in a process of its own."""

    _received = Signal(int, str, object)
    _ended = Signal(int, str, int)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.launch: Launch = TrainingProcess
        self._processes: dict[Labels, Process] = {}
        self._folder: Path | None = None
        self._ticket = 0
        self._received.connect(self._on_received, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)

    @property
    def is_running(self) -> bool:
        return bool(self._processes)

    def start(self, training: LabelTraining) -> None:
        if self.is_running:
            return
        self._clear()
        self._ticket += 1
        self.problem = ""
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="bertviz-app-"))
            jobs = label_jobs(training, self._folder)
            for labels, job in jobs.items():
                received, ended = (
                    partial(signal.emit, self._ticket, labels) for signal in (self._received, self._ended)
                )
                self._processes[labels] = process = self.launch(job, received, ended)
                process.start()
        except (AppError, OSError) as error:
            self.problem = error.message if isinstance(error, AppError) else str(error)
            self.cancel()
        self.progress = {labels: LabelProgress() for labels in LABELS}
        self.changed.emit()

    def cancel(self) -> None:
        if not self.is_running:
            return
        self._ticket += 1
        for process in self._processes.values():
            process.close(0.0)  # its end is the order to stop
        self._processes = {}
        self.progress = {labels: each for labels, each in self.progress.items() if each.result is not None}
        self.changed.emit()

    def forget(self) -> None:
        """Stop both, and forget what came of them."""
        self.cancel()
        self.progress = {}
        self.changed.emit()

    def close(self) -> None:
        for process in self._processes.values():
            process.close(_WAIT)
        self._processes = {}
        self._ticket += 1
        self._clear()

    @Slot(int, str, object)
    def _on_received(self, ticket: int, labels: Labels, message: dict[str, object]) -> None:
        if ticket != self._ticket:
            return
        if message.get("kind") == "error":
            try:
                self.problem = from_json(message.get("message"))
            except ValueError:
                self.problem = Message("The training could not be done.")
        step = as_step(message)
        if isinstance(step, TuningStep):
            before = self.progress[labels]
            self.progress[labels] = replace(
                before,
                share=step.share,
                accuracy=step.accuracy,
                accuracies=(*before.accuracies, step.accuracy or 0.0),
                losses=(*before.losses, step.loss),
            )
        self.changed.emit()

    @Slot(int, str, int)
    def _on_ended(self, ticket: int, labels: Labels, code: int) -> None:
        if ticket != self._ticket:
            return
        self._processes.pop(labels, None)
        try:
            result = result_in(self._folder / labels) if self._folder is not None else None
        except AppError as error:
            result, self.problem = None, error.message
        if result is None:
            self.problem = self.problem or Message("The training could not be done.")
        else:
            self.progress[labels] = replace(self.progress[labels], share=1.0, result=result)
        if not self.is_running:
            self._clear()
        self.changed.emit()
        if len(self.results) == len(LABELS):
            self.finished.emit()

    def _clear(self) -> None:
        """Remove the files of the last time. A process that is still ending may hold some of them."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
