"""The request for a training, saved in its folder; the state that the folder holds; the training process."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from bertviz_app.errors import FileError, Message
from bertviz_app.features.training.finetuning.settings import (
    MultiLabelEvaluation,
    ScoreEvaluation,
    TagEvaluation,
    TuningEvaluation,
    TuningSettings,
    TuningStep,
    TuningVerdict,
)
from bertviz_app.features.training.pretraining.settings import Evaluation, PretrainingSettings, StepReport
from bertviz_app.features.training.settings import LOCK, LOG, STATE, WORK, TrainingError, read_record
from bertviz_app.inference.child_process import ChildProcess, Report
from bertviz_app.json_store import decode, encode
from bertviz_app.paths import examining, replacing
from bertviz_app.text_tables.packages import files_in, is_dataset
from bertviz_app.text_tables.table import BY_CONTENT, TableChoices
from bertviz_app.typeset import byte_count
from bertviz_app.values import MISSING, dataclass, fields, replace

JOB, WATCHED = "job.json", "watched"
MOST_FRAMES = 120
"""The largest number of traces of the watched sentence that are saved."""
_TAIL = 4096  # bytes; a line of the log has some 300
_COPIES = 14  # of all numbers that are on the disk at most: state and model, each twice, and six snapshots
Step = StepReport | TuningStep
Verdict = Evaluation | TuningVerdict


@dataclass(frozen=True)
class Watch:
    """A sentence, or a pair, that the current model encodes every `every` steps."""

    text: str
    pair: str | None = None
    every: int = 50


@dataclass(frozen=True)
class TrainingJob:
    """What to train on, where to save the model, with which settings and device, which sentence to watch.

    A fine-tuning has TuningSettings and one file, of rows, and `test` are rows to evaluate on; `table` is how
    both are read. It begins with the checkpoint that `base` refers to, None to the default one, called
    `base_name`. A pre-training does so if it `begins_at_base`, else with random weights.
    """

    files: tuple[Path, ...]
    out: Path
    settings: PretrainingSettings | TuningSettings
    watch: Watch
    device: str = "auto"
    base: str | None = None
    base_name: str = ""
    test: Path | None = None
    begins_at_base: bool = False
    table: TableChoices = BY_CONTENT

    @property
    def is_tuning(self) -> bool:
        """Whether a checkpoint is fine-tuned on rows with labels."""
        return isinstance(self.settings, TuningSettings)

    @property
    def has_base(self) -> bool:
        """Whether it begins with the weights of a checkpoint."""
        return self.is_tuning or self.begins_at_base

    @property
    def read(self) -> tuple[Path, ...]:
        return self.files if self.test is None else (*self.files, self.test)

    @property
    def work(self) -> Path:
        """The folder within `out` that only the training needs."""
        return self.out / WORK


@dataclass(frozen=True, eq=False)
class SavedRun:
    """The state of a training in its folder: its steps and evaluations so far, or its last step alone."""

    job: TrainingJob
    steps: tuple[Step, ...] = ()
    held_out: tuple[Verdict, ...] = ()

    @property
    def last(self) -> Step | None:
        """The last step, None before the first."""
        return self.steps[-1] if self.steps else None

    @property
    def is_done(self) -> bool:
        """Whether the training is finished."""
        return self.last is not None and self.last.share >= 1


def to_plain(job: TrainingJob) -> dict[str, object]:
    """Return `job` as plain values for JSON."""
    return {**encode(job), "tunes": job.is_tuning}


def from_plain(plain: object) -> TrainingJob:
    """Return the job that `to_plain` wrote. Raises ValueError for anything else."""
    if not isinstance(plain, dict):
        raise ValueError("no object")
    # The fields alone do not show of which class the settings are, so they are decoded separately.
    kind: type[PretrainingSettings | TuningSettings]
    kind = TuningSettings if plain.get("tunes") is True else PretrainingSettings
    settings = decode(kind, plain.get("settings"))
    return replace(decode(TrainingJob, {**plain, "settings": {}}), settings=settings)


def save_job(job: TrainingJob) -> None:
    """Write `job` into its folder. Raises FileError."""
    job.work.mkdir(parents=True, exist_ok=True)
    with replacing(job.work / JOB) as beside:
        beside.write_text(json.dumps(to_plain(job), indent=1, ensure_ascii=False), encoding="utf-8")


def remove_unbegun(job: TrainingJob) -> None:
    """Remove what `save_job` wrote if no step was done: resuming such a training would only fail again."""
    if not _has_begun(job):
        (job.work / JOB).unlink(missing_ok=True)


def _has_begun(job: TrainingJob) -> bool:
    return (job.work / STATE).exists() or (job.out / LOG).exists()


def saved_job(folder: Path) -> TrainingJob:
    """Return the job of the training in `folder`, which may have been moved. Raises FileError."""
    path = folder / WORK / JOB
    try:
        return from_plain({**json.loads(path.read_text(encoding="utf-8")), "out": str(folder)})
    except (OSError, ValueError, TypeError, RecursionError) as error:
        message = Message("{0} holds no training that was begun in the window.", folder)
        raise FileError(message, Message("Choose another folder.")) from error


def saved_run(folder: Path) -> SavedRun:
    """Return all that is saved of the training in `folder`. Raises FileError."""
    job = saved_job(folder)
    lines = read_record(folder)
    steps = tuple(report for line in lines if (report := as_step(line)) is not None)
    return SavedRun(job, steps, tuple(result for line in lines if (result := as_held_out(line)) is not None))


def runs_in(home: Path) -> list[SavedRun]:
    """Return the trainings in the folders of `home`, the one that was begun last first."""
    jobs = sorted(home.glob(f"*/{WORK}/{JOB}"), key=_written, reverse=True)
    return [found for path in jobs if (found := run_in(path.parent.parent)) is not None]


def run_in(folder: Path) -> SavedRun | None:
    """Return the training in `folder`, None if there is none that can be read."""
    try:
        job, log = saved_job(folder), folder / LOG
        with log.open("rb") as file:  # the last step is read from the end
            file.seek(max(0, log.stat().st_size - _TAIL))
            lines = file.read().decode("utf-8", "replace").splitlines()
    except FileError:
        return None
    except OSError:
        lines = []
    for line in reversed(lines):
        with suppress(ValueError):
            found = json.loads(line)
            if isinstance(found, dict) and (step := as_step(found)) is not None:
                return SavedRun(job, (step,))
    return SavedRun(job)


def as_step(line: Mapping[str, object]) -> Step | None:
    """Return the report that a line of a log, or a message of a training process, holds; else None."""
    found: Step | None = _reported("step", (StepReport, TuningStep), line)
    return found


def as_held_out(line: Mapping[str, object]) -> Verdict | None:
    """Return the evaluation on held-out text or rows that a line or a message holds; else None."""
    # That of tags has the fields of that of classes, and more.
    of_rows = TagEvaluation if "n_units" in line else TuningEvaluation
    kinds = Evaluation, ScoreEvaluation, MultiLabelEvaluation, of_rows
    found: Verdict | None = _reported("held-out", kinds, line)
    return found


def _reported(name: str, kinds: Sequence[Any], line: Mapping[str, object]) -> Any:
    """Return the one of `kinds` whose fields a line called `name` has; None where none fits."""
    for kind in kinds if line.get("kind") == name else ():
        if all(one.name in line for one in fields(kind) if one.default is MISSING):
            with suppress(ValueError):
                return decode(kind, line)
    return None


def step_of(path: Path) -> int:
    """Return the step in the name of a file or folder, such as "step-000123"; -1 for another name."""
    head, _, digits = path.stem.partition("-")
    return int(digits) if head == "step" and digits.isdecimal() else -1


def in_steps(folder: Path, ending: str) -> tuple[Path, ...]:
    """Return the saved files of steps in `folder`, earliest first."""
    return tuple(sorted((path for path in folder.glob(f"step-*{ending}") if step_of(path) >= 0), key=step_of))


def check_job(job: TrainingJob) -> None:
    """Raise TrainingError or FileError for a training that cannot be started or resumed."""
    job.settings.validate()
    if not job.files:
        raise TrainingError(Message("There is no text to train on."), Message("Add a file with sentences."))
    for path in job.read:
        hint = Message("Choose it again, or leave it out.")
        with examining(path, hint):
            if not (path.is_file() or is_dataset(path)):
                raise FileError(Message("There is no file {0}.", path), hint)
    with examining(job.out, Message("Choose another folder.")):
        if job.out.exists() and not job.out.is_dir():
            raise FileError(Message("{0} is a file, not a folder.", job.out), Message("Choose a folder."))
        is_removed = (job.work / LOCK).exists() and not _has_begun(job)
        if not (job.work / JOB).exists() and not is_removed and job.out.is_dir() and any(job.out.iterdir()):
            raise FileError(
                Message("The folder {0} holds something else.", job.out),
                Message("Choose an empty or a new folder."),
            )
        there = next(folder for folder in (job.out, *job.out.parents) if folder.exists())
        n_free, n_needed = shutil.disk_usage(there).free, n_bytes(job)
        if n_free < n_needed:
            needed, left = byte_count(n_needed), byte_count(n_free)
            message = Message("This training fills about {0}; {1} has {2} left.", needed, there, left)
            raise FileError(message, Message("Free some space, choose another folder, or a smaller model."))


def n_bytes(job: TrainingJob) -> int:
    """Return about how many bytes a training needs at most; 0 where that depends on the checkpoint."""
    settings = job.settings
    if isinstance(settings, TuningSettings):
        return 0
    table = (settings.vocabulary_size + settings.n_positions) * settings.width
    n_numbers = table + 12 * settings.n_layers * settings.width**2
    of_texts = sum(file.stat().st_size for path in job.files for file in files_in(path))
    return _COPIES * 4 * n_numbers + 2 * of_texts  # 4 bytes of each number


def _written(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


class TrainingProcess(ChildProcess):
    """Starts the run in the job's folder, or resumes it."""

    def __init__(
        self, job: TrainingJob, received: Callable[[Report], None], ended: Callable[[int], None]
    ) -> None:
        super().__init__("bertviz_app.features.training.process.child", to_plain(job), received, ended)
