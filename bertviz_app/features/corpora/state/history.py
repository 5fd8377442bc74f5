"""`TrainingTime`: the page of a training's checkpoints: measured, shown step by step, compared."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from bertviz_app.analysis.measures import Head, MeasureKey
from bertviz_app.errors import FileError, Message
from bertviz_app.features.corpora.head_history import TrainingHistory, TrainingStage
from bertviz_app.features.corpora.process.history import stages_of, training_history
from bertviz_app.features.corpora.process.measuring import LineReader
from bertviz_app.features.corpora.state.corpus import Work
from bertviz_app.text_tables.table import TableError
from bertviz_app.types import Check
from bertviz_app.viewmodels.results import FractionDone, Tasks

_RUN = "history"
FIRST_MEASURE: MeasureKey = "previous"
"""Heads that look at the previous token are the first that a training forms in most encoders."""


class TrainingTime(Work):
    """Measures the checkpoints of a folder. `changed`: another history, checkpoint, measure or head."""

    def __init__(self, tasks: Tasks, report: Callable[[Exception], None]) -> None:
        super().__init__(tasks, _RUN, report)
        self.history: TrainingHistory | None = None
        self.folder: Path | None = None
        self.at = 0
        """Which of the checkpoints is shown."""
        self.measure: MeasureKey = FIRST_MEASURE
        self.head: Head = (0, 0)

    @property
    def stage(self) -> TrainingStage | None:
        """The checkpoint that is shown."""
        return None if self.history is None else self.history.stages[self.at]

    def open(self, folder: Path, texts: Path) -> None:
        """Measure the checkpoints in a folder on the texts of a file; the last one is shown first."""

        def work(check: Check, progress: FractionDone) -> TrainingHistory:
            try:
                LineReader((str(texts),)).form(str(texts))
            except TableError as error:  # no column is asked for on this page
                hint = Message("Give a file of text, a sentence a line.")
                raise FileError(error.message, hint) from error
            return training_history(stages_of(folder), texts, progress, check)

        def done(history: TrainingHistory) -> None:
            self.history, self.folder = history, folder
            self.at = len(history.stages) - 1
            if self.measure not in history.measures:
                self.measure = history.measures[0]
            self.head = history.formed(self.measure)[0].head

        self._start(folder.name, work, done)

    def show_checkpoint(self, at: int) -> None:
        """Show another checkpoint, by its number in the order of steps."""
        if self.history is not None and 0 <= at < len(self.history.stages) and at != self.at:
            self.at = at
            self.changed.emit()

    def show_measure(self, key: MeasureKey) -> None:
        self.measure = key
        self.changed.emit()

    def show_head(self, head: Head) -> None:
        self.head = head
        self.changed.emit()
