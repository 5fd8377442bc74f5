"""`ProcessLink`: sends messages to the process that trains, and emits its reports on the interface thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, Qt, Signal, Slot

from bertviz_app.inference.child_process import Report
from bertviz_app.inference.training.job import TrainingJob, check_job

_WAIT = 5.0  # seconds at the end of the program


class Process(Protocol):
    """The process that trains: `TrainingProcess`, or a fake in tests."""

    def start(self) -> None:
        """Start the process."""

    def send(self, **message: object) -> None:
        """Send a message."""

    def close(self, timeout: float) -> bool:
        """End the process; return whether it ended within `timeout` seconds."""


Launch = Callable[[TrainingJob, Callable[[Report], None], Callable[[int], None]], Process]


class ProcessLink(QObject):
    """At most one process; `reported` and `ended` (with its exit code) are those of the newest one.

    The callbacks run on the thread that reads the output of the process. So each goes through a queued
    signal with the ticket of its process: reports of an earlier process are dropped on the interface
    thread. After `close` nothing is emitted at all: this object and its signals may have been deleted.
    """

    reported = Signal(object)
    ended = Signal(int)
    _reported_by = Signal(int, object)
    _ended_by = Signal(int, int)

    def __init__(self, launch: Launch, parent: QObject) -> None:
        super().__init__(parent)
        self._launch = launch
        self._process: Process | None = None
        self._ticket = 0
        self._reported_by.connect(self._on_reported, Qt.ConnectionType.QueuedConnection)
        self._ended_by.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)

    def starter(self, job: TrainingJob) -> Callable[[], Process]:
        """Return a function for a worker that checks `job` and starts its process, the newest from now on."""
        self._ticket += 1
        ticket = self._ticket

        def on_reported(report: Report) -> None:
            if ticket == self._ticket:
                self._reported_by.emit(ticket, report)

        def on_ended(code: int) -> None:
            if ticket == self._ticket:
                self._ended_by.emit(ticket, code)

        def start() -> Process:
            check_job(job)
            process = self._launch(job, on_reported, on_ended)
            process.start()
            return process

        return start

    def attach(self, process: Process) -> None:
        """Send to this process from now on."""
        self._process = process

    def send(self, **message: object) -> None:
        """Send a message to the process, if there is one."""
        if self._process is not None:
            self._process.send(**message)

    def close(self) -> None:
        """Let the process save its run and end; its further reports are ignored."""
        self._ticket += 1
        if self._process is not None:
            self._process.close(_WAIT)
            self._process = None

    @Slot(int, object)
    def _on_reported(self, ticket: int, report: Report) -> None:
        if ticket == self._ticket:
            self.reported.emit(report)

    @Slot(int, int)
    def _on_ended(self, ticket: int, code: int) -> None:
        if ticket == self._ticket:
            self._process = None
            self.ended.emit(code)
