"""A training that runs in a process of its own, and the runs that are saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import count
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal, Slot

from bertviz_app import paths
from bertviz_app.errors import AppError, Message, from_json
from bertviz_app.features.training.finetuning.settings import (
    TuningSettings,
    label_names,
    label_notices,
    read_rows,
)
from bertviz_app.features.training.pretraining.settings import PretrainingSettings
from bertviz_app.features.training.process.job import (
    WATCHED,
    SavedRun,
    Step,
    TrainingJob,
    Verdict,
    Watch,
    as_held_out,
    as_step,
    check_job,
    in_steps,
    run_in,
    runs_in,
    saved_run,
)
from bertviz_app.features.training.settings import TrainingError, refuse, table_of_texts, texts_notice
from bertviz_app.features.training.watched_sentence import WatchedSentence
from bertviz_app.inference.child_process import Report
from bertviz_app.json_store import decode_or_keep
from bertviz_app.paths import SNAPSHOTS
from bertviz_app.text.tokens import validate
from bertviz_app.text_tables.table import TARGETS, Preview, TableChoices, TableError, column_value
from bertviz_app.text_tables.token_labels import has_token_labels, only_known, read_token_table, tag_names
from bertviz_app.types import Doubles
from bertviz_app.values import dataclass, field, fields, replace
from bertviz_app.viewmodels.results import Tasks

TABLE_FIELDS = tuple(field.name for field in fields(TableChoices))
_READ_BY = attrgetter("task", "files", "column", "rows", "test", "table")
SMALL = PretrainingSettings(
    n_layers=2,
    n_heads=4,
    width=128,
    vocabulary_size=4_000,
    n_positions=128,
    length=64,
    batch_tokens=2_048,
    rate=2e-3,
    evaluate_every=50,
    save_every=20.0,
)
"""Shows something within two minutes on two processors."""
BUNDLED = PretrainingSettings()
"""The sizes of the model that ships with the program."""
TUNING = TuningSettings(evaluate_every=20, save_every=20.0)
"""Evaluated and saved often enough to be watched."""
CONTINUED = replace(BUNDLED, rate=2e-4, evaluate_every=50, save_every=20.0)
"""Of a checkpoint that is trained further; the rates of new models would undo what it has learnt."""
_PRESETS = MappingProxyType({"small": SMALL, "bundled": BUNDLED})


@dataclass(frozen=True)
class TrainingForm:
    """What the user asks for.

    To pre-train, the numbers below `size` are those of "own"; the run ends after `amount` `end`. If it
    `begins_at_base` the checkpoint below is trained further. `column` is that of the texts in `files` that
    are tables.

    To fine-tune, `rows` and `test` ("" for none) are files, `base` refers to the checkpoint to begin with
    (None: the default one), which is called `base_name`; it is that of run A as long as it `follows_run_a`.
    The columns, `separator`, `encoding` and `target` are what the user says about `rows` and `test`.
    `text` and `pair` are encoded every `every` steps.
    `folder` may not exist yet.
    """

    task: Literal["pretrain", "finetune"] = "pretrain"
    files: tuple[str, ...] = ()
    column: str = ""
    begins_at_base: bool = False
    size: Literal["small", "bundled", "own"] = "small"
    n_layers: int = 4
    n_heads: int = 4
    width: int = 128
    vocabulary_size: int = 8_000
    end: Literal["minutes", "steps"] = "minutes"
    amount: float = 2.0
    rows: str = ""
    test: str = ""
    label_column: str = ""
    text_column: str = ""
    pair_column: str = ""
    separator: str = ""
    encoding: str = ""
    target: str = ""
    base: str | None = None
    base_name: str = ""
    follows_run_a: bool = True
    epochs: int = TUNING.epochs
    rate: float = TUNING.rate
    freezes: bool = False
    folder: str = ""
    text: str = ""
    pair: str | None = None
    every: int = 25

    @property
    def table(self) -> TableChoices:
        """What the user says about the files of rows."""
        return TableChoices(**{name: getattr(self, name) for name in TABLE_FIELDS})

    @property
    def preset(self) -> PretrainingSettings:
        """The settings of the chosen size, or those for a checkpoint, whose sizes replace theirs."""
        if self.begins_at_base:
            return CONTINUED
        if self.size != "own":
            return _PRESETS[self.size]
        like = SMALL if self.width < BUNDLED.width else BUNDLED
        sizes = {name: getattr(self, name) for name in ("n_layers", "n_heads", "width", "vocabulary_size")}
        return replace(like, **sizes)


def settings_of(form: TrainingForm) -> PretrainingSettings:
    """Return the settings of the run that `form` asks for."""
    ends = {"minutes": form.amount} if form.end == "minutes" else {"steps": round(form.amount)}
    return replace(form.preset, **ends, column=form.column)


def job_of(form: TrainingForm, device: str) -> TrainingJob:
    """Return the training that `form` asks for. Raises TrainingError or TextError for what it cannot be."""
    is_tuning = form.task == "finetune"
    files = (form.rows,) if is_tuning else form.files
    refuse(
        (
            is_tuning and not form.rows,
            Message("There are no rows to learn from."),
            Message("Choose a file of labels and texts."),
        ),
        (not files, Message("There is no text to train on."), Message("Add a file with sentences.")),
        (not form.folder.strip(), Message("There is no folder for the model."), Message("Choose one.")),
        (
            form.every < 1,
            Message("The number of steps between two pictures of the sentence is {0}.", form.every),
            Message("Give a whole number of steps from 1."),
        ),
    )
    validate(form.text, name=Message("The sentence to watch"))
    tuned = replace(TUNING, epochs=form.epochs, rate=form.rate, freezes_encoder=form.freezes)
    settings = tuned if is_tuning else settings_of(form)
    settings.validate()
    try:
        out = Path(form.folder.strip()).expanduser()
    except RuntimeError as error:  # such as "~nobody/model"
        message = Message("The home folder that {0} begins with cannot be found.", form.folder.strip())
        raise TrainingError(message, Message("Choose another folder.")) from error
    job = TrainingJob(
        files=tuple(Path(name) for name in files),
        out=out,
        settings=settings,
        watch=Watch(form.text, form.pair, form.every),
        device=device,
    )
    if is_tuning:
        job = replace(job, test=Path(form.test) if form.test else None, table=form.table)
    elif not form.begins_at_base:
        return job
    return replace(job, base=form.base, base_name=form.base_name, begins_at_base=not is_tuning)


def free_folder(home: Path | None = None) -> Path:
    """Return a folder for another model in `home` (that of trained models) which is not there yet."""
    home = home or paths.trained_models()
    return next(folder for number in count(1) if not (folder := home / f"model-{number}").exists())


def with_files(form: TrainingForm, names: list[str]) -> TrainingForm:
    """Return `form` with these files too, none twice.

    Of two files of rows the first is trained on and the second evaluated on; they replace the former ones.
    """
    if form.task == "finetune":
        rows, *others = names or [form.rows]
        if others:
            return replace(form, rows=rows, test=others[0])
        is_second = bool(form.rows) and rows != form.rows and not form.test
        return replace(form, test=rows) if is_second else replace(form, rows=rows)
    return replace(form, files=tuple(dict.fromkeys((*form.files, *names))))


def from_plain(plain: object) -> TrainingForm:
    """Return the form that was saved as JSON; fields that do not fit have their defaults."""
    found = decode_or_keep(TrainingForm(), plain) if isinstance(plain, dict) else TrainingForm()
    return found if found.target in ("", *TARGETS) else TrainingForm()


STATES = ("starting", "running", "pausing", "paused", "stopping", "stopped", "failed", "done")
_ALIVE = STATES[:5]
_MOST_POINTS = 4_000


@dataclass(eq=False)
class LiveRun:
    """The job of a run, and all that its process has reported.

    `state` is one of STATES. `stage` is what the process does now: "vocabulary", "opening", "rows", "tokens"
    or "training", "" before the first report. `remark` is what is wrong with the watched sentence, `problem`
    what ended the run; `notices` are sentences about rows that cannot be used.
    """

    job: TrainingJob
    state: str = "starting"
    stage: str = ""
    steps: list[Step] = field(default_factory=list)
    held_out: list[Verdict] = field(default_factory=list)
    snapshots: tuple[Path, ...] = ()
    notices: list[str] = field(default_factory=list)
    remark: AppError | None = None
    problem: AppError | None = None

    @property
    def verdict(self) -> Verdict | None:
        """The last evaluation, whose kind shows what is predicted; None before the first one."""
        return self.held_out[-1] if self.held_out else None

    @property
    def is_alive(self) -> bool:
        """Whether its process has not ended."""
        return self.state in _ALIVE

    @property
    def can_go_on(self) -> bool:
        """Whether it can be resumed: not after its end, nor if it failed before its first step."""
        return self.state in ("stopped", "failed") and not self.never_began

    @property
    def never_began(self) -> bool:
        """Whether it failed before its first step: there is nothing of it to see, or to resume."""
        return self.state == "failed" and not self.steps

    @property
    def last(self) -> Step | None:
        """The last step, or None."""
        return self.steps[-1] if self.steps else None

    @property
    def seconds_left(self) -> float | None:
        """Seconds left at the pace so far; None before the first step."""
        last = self.last
        return None if last is None or last.share <= 0.005 else last.seconds * (1 - last.share) / last.share

    def take(self, message: Mapping[str, object]) -> str:
        """Apply a message of the process; return the kind of change, "" for none."""
        kind = message.get("kind")
        kinds: tuple[tuple[Callable[..., Any], list[Any]], ...] = (
            (as_step, self.steps),
            (as_held_out, self.held_out),
        )
        for read, reports in kinds:
            report: Any = read(message)
            if report is not None:
                while reports and reports[-1].step >= report.step:  # done again after a kill
                    reports.pop()
                reports.append(report)
                if len(self.steps) > _MOST_POINTS:
                    del self.steps[1:-1:2]
                return "curves"
        if kind in ("watched", "snapshots"):
            self.remark = None if kind == "watched" else self.remark
            return str(kind)
        if kind == "remark":
            self.remark = _error(message)
            return "state"
        if kind == "notice":
            notice = _text(message.get("notice"))
            if notice not in self.notices:  # a resumed run reads its rows again
                self.notices.append(notice)
            return "state"
        return self._take_state(kind, message)

    def _take_state(self, kind: object, message: Mapping[str, object]) -> str:
        if kind == "stage":
            self.stage = str(message.get("stage"))
            self.state = "running" if self.state == "starting" else self.state
        elif kind == "going on":
            self.state = "running" if self.state != "stopping" else self.state
        elif kind in ("paused", "stopped", "done"):
            self.state = str(kind)
        elif kind == "error":
            self.fail(_error(message))
        else:
            return ""
        return "state"

    def fail(self, problem: AppError) -> None:
        self.state, self.problem = "failed", problem


def from_saved(saved: SavedRun, snapshots: tuple[Path, ...]) -> LiveRun:
    run = LiveRun(saved.job, "done" if saved.is_done else "stopped", "training", snapshots=snapshots)
    run.steps = list(saved.steps[:: max(1, len(saved.steps) // _MOST_POINTS)])
    if saved.steps and run.steps[-1] is not saved.steps[-1]:
        run.steps.append(saved.steps[-1])
    run.held_out = list(saved.held_out)
    return run


def column(reports: Sequence[Step | Verdict], name: str) -> Doubles:
    """Return one number of each report: [N]."""
    return np.array([getattr(report, name) for report in reports], np.float64)


def _error(message: Mapping[str, object]) -> AppError:
    return AppError(_text(message.get("message")), _text(message.get("hint", "")))


def _text(value: object) -> str:
    """Return what the process wrote as a message; what is none as plain text."""
    try:
        return from_json(value)
    except ValueError:
        return str(value)


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
    _called = Signal(int, object)

    def __init__(self, launch: Launch, parent: QObject) -> None:
        super().__init__(parent)
        self._launch = launch
        self._process: Process | None = None
        self._ticket = 0
        self._called.connect(self._on_called, Qt.ConnectionType.QueuedConnection)

    def starter(self, job: TrainingJob) -> Callable[[], Process]:
        """Return a function for a worker that checks `job` and starts its process, the newest from now on."""
        self._ticket += 1
        ticket = self._ticket

        def call(function: Callable[[], None]) -> None:
            if ticket == self._ticket:
                self._called.emit(ticket, function)

        def start() -> Process:
            check_job(job)
            process = self._launch(
                job,
                lambda report: call(lambda: self.reported.emit(report)),
                lambda code: call(lambda: self._end(code)),
            )
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
            self._process.close(5.0)  # seconds at the end of the program
            self._process = None

    def _end(self, code: int) -> None:
        self._process = None
        self.ended.emit(code)

    @Slot(int, object)
    def _on_called(self, ticket: int, function: Callable[[], None]) -> None:
        if ticket == self._ticket:
            function()


_MOST_ELSEWHERE = 10
_HEAD_ROWS = 1_000


class SavedRuns(QObject):
    """The trainings in the usual folder and in those of `elsewhere`, as they were at the last `refresh`."""

    changed = Signal()

    def __init__(self, tasks: Tasks, failed: Callable[[Exception], None]) -> None:
        super().__init__(tasks)
        self._tasks = tasks
        self._failed = failed
        self.runs: tuple[SavedRun, ...] = ()
        self.elsewhere: tuple[Path, ...] = ()

    def refresh(self) -> None:
        """Find out again which trainings there are; `changed` is emitted when that is known."""
        home, others = paths.trained_models(), self.elsewhere

        def done(runs: tuple[SavedRun, ...]) -> None:
            self.runs = runs
            self.changed.emit()

        self._tasks.start(
            "runs",
            lambda check, _: (*runs_in(home), *(run for one in others if (run := run_in(one)) is not None)),
            done,
            self._failed,
        )

    def remember(self, folder: Path) -> None:
        """Add a folder to `elsewhere`, unless it is in the usual one."""
        if folder.parent != paths.trained_models():
            others = (folder, *(other for other in self.elsewhere if other != folder))
            self.elsewhere = others[:_MOST_ELSEWHERE]


@dataclass(frozen=True, eq=False)
class TableLook:
    """The first rows, the columns that are read by their names, notices, and what is unclear or wrong.

    `columns` has the fields of `TableChoices` that are columns. `preview` is None where nothing can be read.
    """

    preview: Preview | None
    columns: dict[str, str]
    notices: tuple[str, ...] = ()
    error: AppError | None = None

    @property
    def is_asking(self) -> bool:
        """Whether the file can be read once the user says how."""
        return isinstance(self.error, TableError)

    def failed(self, error: AppError) -> TableLook:
        """Return what is found where this error has ended the look."""
        preview = error.preview if isinstance(error, TableError) else self.preview
        return replace(self, preview=preview, error=error)


def look_at_texts(files: Sequence[str], column: str) -> TableLook:
    """Return what is found about the texts to pre-train on that are tables."""
    look = TableLook(None, {"column": column})
    for name in files:
        try:
            found = table_of_texts(Path(name), column, _HEAD_ROWS)
        except AppError as error:
            return look.failed(error)
        if found is not None:
            preview = found[0].preview
            given = {"column": column_value(preview, found[1])}
            look = TableLook(preview, given, (*look.notices, texts_notice(*found)))
    return look


def look_at(data: Path, test: Path | None, choices: TableChoices) -> TableLook:
    """Return what is found about the rows of `data`, and whether those of `test` can be read alike."""
    names = "label_column", "text_column", "pair_column"
    look = TableLook(None, {name: getattr(choices, name) for name in names})
    of_test: tuple[str, ...] = ()
    try:
        if has_token_labels(data, choices):
            table = read_token_table(data, choices)
            numbers = table.form.label_column, table.form.unit_column
            chosen = (*(column_value(table.preview, at) for at in numbers), "")
            columns = dict(zip(names, chosen, strict=True))
            look = TableLook(table.preview, columns, (table.about, *table.notices))
            tags = tag_names(table)
            if test is not None:
                tagged = only_known(read_token_table(test, choices), tags)
                of_test = tagged.about, *tagged.notices
        else:
            rows = read_rows(data, choices)
            look = TableLook(rows.preview, dict(zip(names, rows.columns, strict=True)), rows.notices)
            labels = () if rows.has_scores else label_names(rows)
            look = replace(look, notices=(*rows.notices, *label_notices(rows)))
            if test is not None:
                of_test = read_rows(test, replace(choices, target=rows.kind), labels).notices
    except AppError as error:
        return look.failed(error)
    return replace(look, notices=(*look.notices, *of_test))


class Training(QObject):
    """At most one run at a time, in a process of its own.

    `changed` is emitted when a run begins, ends or is paused, `advanced` when its curves have new points,
    `look_changed` when more is known about the tables that the form names;
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
        """What is found about the tables; None before it is, and where the form names no file."""
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
            form = replace(form, label_column="", text_column="", pair_column="", separator="", encoding="")
        if not set(before.files) <= set(form.files):
            form = replace(form, column="")
        if form == before:
            return

        def look() -> TableLook:
            if form.task == "pretrain":
                return look_at_texts(form.files, form.column)
            return look_at(Path(form.rows), Path(form.test) if form.test else None, form.table)

        self.form = form
        self._set_problem(None)
        if _READ_BY(form) != _READ_BY(before):
            self._set_look(None)
            if form.files if form.task == "pretrain" else form.rows:
                self._tasks.start("rows", lambda check, _: look(), self._set_look, self._failed)
            else:
                self._tasks.cancel("rows")
        self.form_changed.emit()

    def suggest(self, text: str, pair: str | None) -> None:
        """Watch this sentence, unless the user typed another one."""
        if (self.form.text, self.form.pair) in (("", None), self.suggested):
            self.suggested = text, pair
            self.change(text=text, pair=pair)

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
            if self.look is not None and self.look.error is not None:
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

        def done(found: tuple[SavedRun, tuple[Path, ...]]) -> None:
            self._set_problem(None)
            self._show(from_saved(*found))
            if goes_on:
                self.go_on()

        self._tasks.start(
            "open run",
            lambda check, _: (saved_run(folder), in_steps(folder / SNAPSHOTS, "")),
            done,
            self._on_refused,
        )

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
