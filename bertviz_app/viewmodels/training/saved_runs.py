"""`SavedRuns`: the trainings that there are on disk, so that one can be viewed or resumed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from bertviz_app import paths
from bertviz_app.inference.training.job import RunInList, run_in, runs_in
from bertviz_app.viewmodels.tasks import Tasks

_MOST_ELSEWHERE = 10


class SavedRuns(QObject):
    """The trainings in the usual folder and in those of `elsewhere`, as they were at the last `refresh`."""

    changed = Signal()

    def __init__(self, tasks: Tasks, failed: Callable[[Exception], None]) -> None:
        super().__init__(tasks)
        self._tasks = tasks
        self._failed = failed
        self.runs: tuple[RunInList, ...] = ()
        self.elsewhere: tuple[Path, ...] = ()

    def refresh(self) -> None:
        """Find out again which trainings there are; `changed` is emitted when that is known."""
        home, others = paths.trained_models(), self.elsewhere

        def work() -> tuple[RunInList, ...]:
            found = [run for folder in others if (run := run_in(folder)) is not None]
            return (*runs_in(home), *found)

        self._tasks.start("runs", lambda check, _: work(), self._on_found, self._failed)

    def remember(self, folder: Path) -> None:
        """Add a folder to `elsewhere`, unless it is in the usual one."""
        if folder.parent != paths.trained_models():
            others = (folder, *(other for other in self.elsewhere if other != folder))
            self.elsewhere = others[:_MOST_ELSEWHERE]

    def _on_found(self, runs: tuple[RunInList, ...]) -> None:
        self.runs = runs
        self.changed.emit()
