"""`Training`: the form of a training and the current run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app import paths
from bertviz_app.errors import AppError, Message
from bertviz_app.inference.child_process import Report
from bertviz_app.inference.training.job import SNAPSHOTS, WATCHED, SavedRun, in_steps, saved_run
from bertviz_app.training.settings import TrainingError
from bertviz_app.viewmodels.tasks import Tasks
from bertviz_app.viewmodels.training.form import TrainingForm, free_folder, job_of
from bertviz_app.viewmodels.training.live_run import LiveRun, from_saved
from bertviz_app.viewmodels.training.process_link import Launch, Process, ProcessLink
from bertviz_app.viewmodels.training.saved_runs import SavedRuns
from bertviz_app.viewmodels.training.table_look import TableLook, look_at
from bertviz_app.viewmodels.training.watched_sentence import WatchedSentence


class Training(QObject):
    """At most one run at a time, in a process of its own.

    `changed` is emitted when a run begins, ends or is paused, `advanced` when its curves have new points,
    `look_changed` when more is known about the files of rows that the form names;
    the state is read from the properties.
    """

    form_changed = Signal()
    problem_changed = Signal()
    look_changed = Signal()
    changed = Signal()
    advanced = Signal()
    finished = Signal()

    def __init__(self, tasks: Tasks, failed: Callable[[Exception], None], launch: Launch) -> None:
        super().__init__(tasks)
        self._tasks = tasks
        self._failed = failed
        self._process = ProcessLink(launch, self)
        self.form = TrainingForm(folder=str(free_folder()))
        self.device = "auto"
        self.run: LiveRun | None = None
        self.problem: AppError | None = None
        self.look: TableLook | None = None
        """What is found about the files of rows; None before it is, and where the form names none."""
        self.saved_runs = SavedRuns(tasks, failed)
        self.suggested: tuple[str, str | None] = ("", None)
        self.watched = WatchedSentence(tasks, failed)
        self._process.reported.connect(self._on_reported)
        self._process.ended.connect(self._on_ended)

    # the form

    def change(self, **values: Any) -> None:
        """Change some fields of the form; what was wrong with it is forgotten.

        What was said about a file of rows does not hold for another one.
        """
        before, form = self.form, replace(self.form, **values)
        if form.rows != before.rows and form.table == before.table:
            form = form.without_answers()
        if form != before:
            self.form = form
            self._set_problem(None)
            if (form.rows, form.test, form.table) != (before.rows, before.test, before.table):
                self._look_at_rows()
            self.form_changed.emit()

    def suggest(self, text: str, pair: str | None) -> None:
        """Watch this sentence, unless the user typed another one."""
        if (self.form.text, self.form.pair) in (("", None), self.suggested):
            self.suggested = text, pair
            self.change(text=text, pair=pair)

    def _look_at_rows(self) -> None:
        form = self.form
        self._set_look(None)
        if not form.rows:
            self._tasks.cancel("rows")
            return
        test = Path(form.test) if form.test else None
        self._tasks.start(
            "rows",
            lambda check, _: look_at(Path(form.rows), test, form.table),
            self._set_look,
            self._failed,
        )

    def _set_look(self, look: TableLook | None) -> None:
        self.look = look
        self.look_changed.emit()

    # a run

    def start(self) -> None:
        """Start the training of the form, or set `problem` to the reason why it cannot start."""
        if self.run is not None and self.run.is_alive:
            return
        try:
            job = job_of(self.form, self.device)
            if job.is_tuning and self.look is not None and self.look.error is not None:
                raise self.look.error
        except AppError as error:
            self._set_problem(error)
            return
        if paths.exists(job.work / "job.json"):
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
            self._process.send(do="go on")
        elif run is not None and run.can_go_on:
            run.state, run.problem = "starting", None
            self._begin(run)

    def pause(self) -> None:
        """Pause the run after the current step."""
        if self.run is not None and self.run.state in ("starting", "running"):
            self.run.state = "pausing"
            self._process.send(do="pause")
            self.changed.emit()

    def stop(self) -> None:
        """Stop the run after the current step; it is saved and can be resumed."""
        if self.run is not None and self.run.is_alive:
            self.run.state = "stopping"
            self._process.send(do="stop")
            self.changed.emit()

    def leave(self) -> None:
        """Forget a run that has ended, so that the form is shown for another one."""
        if self.run is not None and not self.run.is_alive:
            self._show(None)
            self.change(folder=str(free_folder()))
            self.saved_runs.refresh()

    def watch(self, text: str, pair: str | None) -> None:
        """Look at another sentence from the next step on."""
        run = self.run
        if run is None or not run.is_alive or not text.strip():
            return
        run.job = replace(run.job, watch=replace(run.job.watch, text=text, pair=pair))
        self._process.send(do="watch", text=text, pair=pair)
        self.changed.emit()

    def close(self) -> None:
        """Let the process save its run and end; its further reports are ignored."""
        self._process.close()

    def _begin(self, run: LiveRun) -> None:
        self._set_problem(None)
        self._tasks.cancel("open run")  # what is being read would be shown in place of this run
        self.saved_runs.remember(run.job.out)
        self._show(run)
        start = self._process.starter(run.job)
        self._tasks.start("begin", lambda check, _: start(), self._on_started, self._on_refused)

    def _on_started(self, process: Process) -> None:
        self._process.attach(process)
        orders = {"stopping": "stop", "pausing": "pause"}  # given while it was being started
        if self.run is not None and self.run.state in orders:
            self._process.send(do=orders[self.run.state])

    def _show(self, run: LiveRun | None) -> None:
        is_other = run is None or self.run is None or run.job.out != self.run.job.out
        self.run = run
        if is_other:
            self.watched.show_folder(None if run is None else run.job.work / WATCHED)
        self.changed.emit()
        self.advanced.emit()

    # reports of the process

    @Slot(object)
    def _on_reported(self, report: Report) -> None:
        run = self.run
        if run is None:
            return
        changed = run.take(report)
        if changed == "state":
            self.changed.emit()
            if run.state == "done":
                self.finished.emit()
        elif changed == "curves":
            self.advanced.emit()
        elif changed == "watched":
            self.watched.note_saved()
        elif changed == "snapshots":
            self._look_for_snapshots(run)

    @Slot(int)
    def _on_ended(self, code: int) -> None:
        if self.run is None:
            return
        if self.run.is_alive:
            self.run.fail(_broken_off(code))
        self._look_for_snapshots(self.run)
        self.saved_runs.refresh()
        self.changed.emit()

    def _look_for_snapshots(self, run: LiveRun) -> None:
        folder = run.job.out / SNAPSHOTS

        def done(found: tuple[Path, ...]) -> None:
            run.snapshots = found
            self.changed.emit()

        self._tasks.start("snapshots", lambda check, _: in_steps(folder, ""), done, self._failed)

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
