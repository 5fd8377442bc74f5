"""`Training`: the form of a training, the current run, and the earlier runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Protocol

from PySide6.QtCore import QObject, Qt, Signal, Slot

from bertviz_app import paths
from bertviz_app.errors import AppError, FileError, Message
from bertviz_app.inference.training.job import (
    SNAPSHOTS,
    WATCHED,
    RunInList,
    SavedRun,
    TrainingJob,
    check_job,
    in_steps,
    run_in,
    runs_in,
    saved_run,
)
from bertviz_app.inference.training.process import Report
from bertviz_app.training.settings import TrainingError
from bertviz_app.viewmodels.tasks import Tasks
from bertviz_app.viewmodels.training.form import TrainingForm, free_folder, job_of
from bertviz_app.viewmodels.training.live_run import LiveRun, from_saved
from bertviz_app.viewmodels.training.watched_sentence import WatchedSentence

_WAIT = 5.0  # seconds at the end of the program
_MOST_ELSEWHERE = 10


class Process(Protocol):
    """What trains: `TrainingProcess`, or a test's."""

    def start(self) -> None:
        """Start it."""

    def send(self, **message: object) -> None:
        """Send a message."""

    def close(self, timeout: float) -> bool:
        """End it; return whether it ended within `timeout` seconds."""


Launch = Callable[[TrainingJob, Callable[[Report], None], Callable[[int], None]], Process]


class Training(QObject):
    """At most one run at a time, in a process of its own.

    `changed` is emitted when a run begins, ends or is paused, `advanced` when its curves have new points;
    the state is read from the properties.
    """

    form_changed = Signal()
    problem_changed = Signal()
    changed = Signal()
    advanced = Signal()
    runs_changed = Signal()
    finished = Signal()
    _told = Signal(int, object)
    _ended = Signal(int, int)

    def __init__(self, tasks: Tasks, failed: Callable[[Exception], None], launch: Launch) -> None:
        super().__init__(tasks)
        self._tasks = tasks
        self._failed = failed
        self._launch = launch
        self._process: Process | None = None
        self._ticket = 0
        self.form = TrainingForm(folder=str(free_folder()))
        self.device = "auto"
        self.run: LiveRun | None = None
        self.problem: AppError | None = None
        self.runs: tuple[RunInList, ...] = ()
        self.elsewhere: tuple[Path, ...] = ()
        self.suggested: tuple[str, str | None] = ("", None)
        self.watched = WatchedSentence(tasks, self._on_watched_failed)
        self._told.connect(self._on_told, Qt.ConnectionType.QueuedConnection)
        self._ended.connect(self._on_ended, Qt.ConnectionType.QueuedConnection)

    # the form

    def change(self, **values: Any) -> None:
        """Change some fields of the form; what was wrong with it is forgotten."""
        form = replace(self.form, **values)
        if form != self.form:
            self.form = form
            self._set_problem(None)
            self.form_changed.emit()

    def suggest(self, text: str, pair: str | None) -> None:
        """Watch this sentence, unless the user typed another one."""
        if (self.form.text, self.form.pair) in (("", None), self.suggested):
            self.suggested = text, pair
            self.change(text=text, pair=pair)

    def look_for_runs(self) -> None:
        """Find out again which trainings there are: in the usual folder, and in those of `elsewhere`."""
        home, others = paths.trained_models(), self.elsewhere

        def work() -> tuple[RunInList, ...]:
            found = [run for folder in others if (run := run_in(folder)) is not None]
            return (*runs_in(home), *found)

        self._tasks.start("runs", lambda check, _: work(), self._on_runs, self._failed)

    # a run

    def start(self) -> None:
        """Start the training of the form, or set `problem` to the reason why it cannot start."""
        if self.run is not None and self.run.is_alive:
            return
        try:
            job = job_of(self.form, self.device)
        except AppError as error:
            self._set_problem(error)
            return
        if (job.work / "job.json").exists():
            message = Message("There is a training in {0} already.", job.out)
            self._set_problem(TrainingError(message, Message("Go on with it, or choose another folder.")))
            return
        self._begin(LiveRun(job))

    def open_run(self, folder: Path, *, goes_on: bool = False) -> None:
        """Show a training that was begun before, and go on with it or leave that to the user."""
        if self.run is not None and self.run.is_alive:
            return

        def work() -> tuple[SavedRun, tuple[Path, ...]]:
            return saved_run(folder), in_steps(folder / SNAPSHOTS, "")

        def done(found: tuple[SavedRun, tuple[Path, ...]]) -> None:
            self._set_problem(None)
            self._show(from_saved(*found))
            if goes_on:
                self.go_on()

        self._tasks.start("open run", lambda check, _: work(), done, self._on_refused)

    def go_on(self) -> None:
        """Go on with a run that is paused, or was ended before its end."""
        run = self.run
        if run is not None and run.state in ("paused", "pausing"):
            self._send(do="go on")
        elif run is not None and run.can_go_on:
            run.state, run.problem = "starting", None
            self._begin(run)

    def pause(self) -> None:
        """Pause the run after the current step."""
        if self.run is not None and self.run.state in ("starting", "running"):
            self.run.state = "pausing"
            self._send(do="pause")
            self.changed.emit()

    def stop(self) -> None:
        """Stop the run after the current step; it is saved and can be resumed."""
        if self.run is not None and self.run.is_alive:
            self.run.state = "stopping"
            self._send(do="stop")
            self.changed.emit()

    def leave(self) -> None:
        """Forget a run that has ended, so that the form is shown for another one."""
        if self.run is not None and not self.run.is_alive:
            self._show(None)
            self.change(folder=str(free_folder()))
            self.look_for_runs()

    def watch(self, text: str, pair: str | None) -> None:
        """Look at another sentence from the next step on."""
        run = self.run
        if run is None or not run.is_alive or not text.strip():
            return
        run.job = replace(run.job, watch=replace(run.job.watch, text=text, pair=pair))
        self._send(do="watch", text=text, pair=pair)
        self.changed.emit()

    def close(self) -> None:
        """Let the process save its run and end; its further messages are ignored."""
        self._ticket += 1
        if self._process is not None:
            self._process.close(_WAIT)
            self._process = None

    def _begin(self, run: LiveRun) -> None:
        self._set_problem(None)
        self._remember(run.job.out)
        self._show(run)
        self._ticket += 1
        ticket, job = self._ticket, run.job

        def work() -> Process:
            check_job(job)
            process = self._launch(
                job,
                lambda message: self._told.emit(ticket, message),
                lambda code: self._ended.emit(ticket, code),
            )
            process.start()
            return process

        self._tasks.start("begin", lambda check, _: work(), self._on_started, self._on_refused)

    def _remember(self, folder: Path) -> None:
        """Keep in mind where a training is that is not in the usual folder."""
        if folder.parent != paths.trained_models():
            others = (folder, *(other for other in self.elsewhere if other != folder))
            self.elsewhere = others[:_MOST_ELSEWHERE]

    def _on_started(self, process: Process) -> None:
        self._process = process
        orders = {"stopping": "stop", "pausing": "pause"}  # given while it was being started
        if self.run is not None and self.run.state in orders:
            self._send(do=orders[self.run.state])

    def _send(self, **message: object) -> None:
        if self._process is not None:
            self._process.send(**message)

    def _show(self, run: LiveRun | None) -> None:
        is_other = run is None or self.run is None or run.job.out != self.run.job.out
        self.run = run
        if is_other:
            self.watched.show_folder(None if run is None else run.job.work / WATCHED)
        self.changed.emit()
        self.advanced.emit()

    # messages of the process

    @Slot(int, object)
    def _on_told(self, ticket: int, message: Report) -> None:
        run = self.run
        if ticket != self._ticket or run is None:
            return
        what = run.take(message)
        if what == "state":
            self.changed.emit()
            if run.state == "done":
                self.finished.emit()
        elif what == "curves":
            self.advanced.emit()
        elif what == "watched":
            self.watched.refresh()
        elif what == "snapshots":
            self._look_for_snapshots(run)

    @Slot(int, int)
    def _on_ended(self, ticket: int, code: int) -> None:
        if ticket != self._ticket or self.run is None:
            return
        self._process = None
        if self.run.is_alive:
            self.run.fail(_broken_off(code))
        self._look_for_snapshots(self.run)
        self.look_for_runs()
        self.changed.emit()

    def _look_for_snapshots(self, run: LiveRun) -> None:
        folder = run.job.out / SNAPSHOTS

        def done(found: tuple[Path, ...]) -> None:
            run.snapshots = found
            self.changed.emit()

        self._tasks.start("snapshots", lambda check, _: in_steps(folder, ""), done, self._failed)

    def _on_runs(self, runs: tuple[RunInList, ...]) -> None:
        self.runs = runs
        self.runs_changed.emit()

    def _on_refused(self, error: Exception) -> None:
        """Show the form, or the run as it was, again with the reason why the run cannot begin."""
        if not isinstance(error, AppError):
            self._failed(error)
            error = _broken_off(1)
        if self.run is not None and self.run.steps:
            self.run.fail(error)
            self.changed.emit()
            return
        self._show(None)
        self._set_problem(error)

    def _on_watched_failed(self, error: Exception) -> None:
        """Ignore a trace that cannot be read: it was removed meanwhile, or the next one is shown."""
        if not isinstance(error, FileError):
            self._failed(error)

    def _set_problem(self, problem: AppError | None) -> None:
        if problem is not self.problem:
            self.problem = problem
            self.problem_changed.emit()


def _broken_off(code: int) -> AppError:
    """Return the error of a process that ended without a message; `code` is below 0 for a signal."""
    hint = Message("Resume it: it is as last saved.")
    if code < 0:
        return TrainingError(
            Message("The training was ended from outside, perhaps for want of memory."), hint
        )
    return TrainingError(Message("The training broke off unexpectedly."), hint)
