"""`TrainingProcess`: a training in a process of its own."""

from __future__ import annotations

from collections.abc import Callable

from bertviz_app.inference.child_process import ChildProcess, Report
from bertviz_app.inference.training.job import TrainingJob, to_plain

_MODULE = "bertviz_app.inference.training.child"


class TrainingProcess(ChildProcess):
    """Starts the run in the job's folder, or resumes it."""

    def __init__(
        self, job: TrainingJob, received: Callable[[Report], None], ended: Callable[[int], None]
    ) -> None:
        super().__init__(_MODULE, to_plain(job), received, ended)
