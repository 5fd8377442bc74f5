"""A training that a test leads: a tiny corpus and job, a process whose messages it sends, the page."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.features.training.finetuning.settings import (
    SpanCounts,
    TagEvaluation,
    TuningEvaluation,
    TuningSettings,
    TuningStep,
)
from bertviz_app.features.training.pretraining.settings import Evaluation, PretrainingSettings, StepReport
from bertviz_app.features.training.process.job import WATCHED, TrainingJob, Watch
from bertviz_app.features.training.state import Training
from bertviz_app.features.training.views.page import TrainingPage
from bertviz_app.inference.jobs import Jobs
from bertviz_app.trace.archive import save_arrays
from bertviz_app.viewmodels.results import Tasks
from tests.support.factories import random_trace
from tests.support.fakes import tokens_of

TINY = PretrainingSettings(
    n_layers=2,
    n_heads=2,
    width=16,
    vocabulary_size=300,
    n_positions=32,
    length=32,
    batch_tokens=128,
    steps=12,
    precision="float32",
    evaluate_every=6,
    save_every=1e9,
)


def write_corpus(path: Path, n_lines: int = 200) -> Path:
    """Write lines of made-up sentences, always the same ones."""
    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnop", k=rng.randint(2, 6))) for _ in range(150)]
    lines = (" ".join(rng.choices(words, k=rng.randint(6, 14))) + "." for _ in range(n_lines))
    path.write_text("".join(f"{line} {line}\n" for line in lines), encoding="utf-8")
    return path


def tiny_job(folder: Path, **settings: float) -> TrainingJob:
    """Return a job on such a corpus in `folder`, for a model beside it."""
    files = (write_corpus(folder / "corpus.txt"),)
    plain = {**asdict(TINY), **settings}
    return TrainingJob(
        files, folder / "model", PretrainingSettings(**plain), Watch("ab cd ef", None, 4), "cpu"
    )


def tuning_job(folder: Path, base: Path, rows: Path, epochs: int = 2) -> TrainingJob:
    """Return a job that fine-tunes the checkpoint in `base` on `rows`, for a model in `folder`."""
    settings = TuningSettings(
        epochs=epochs, batch=8, length=48, rate=5e-3, precision="float32", evaluate_every=5, save_every=1e9
    )
    watch = Watch("the cat ate", None, 4)
    return TrainingJob((rows,), folder / "model", settings, watch, "cpu", str(base), base.name)


def report(step: int, share: float = 0.5, seconds: float = 4.0) -> dict[str, object]:
    """Return what a process says of a step."""
    report = StepReport(
        step=step,
        share=share,
        seconds=seconds,
        n_tokens=1000,
        tokens_per_second=250.0,
        masked_loss=5.0 - step / 100,
        next_loss=0.69,
        rate=0.001,
    )
    return {"kind": "step", **asdict(report)}


def evaluation(step: int, masked: float = 0.1) -> dict[str, object]:
    """Return what a process says of held-out text."""
    return {"kind": "held-out", **asdict(Evaluation(step, 100, 5.0, masked, 0.69, 0.5, 0.06, 15, 40))}


def tuning_report(step: int, share: float = 0.5) -> dict[str, object]:
    """Return what a process says of a step of a fine-tuning."""
    report = TuningStep(
        step=step,
        epoch=2,
        share=share,
        seconds=4.0,
        n_tokens=1000,
        tokens_per_second=250.0,
        loss=0.7 - step / 100,
        accuracy=0.5,
        rate=5e-5,
    )
    return {"kind": "step", **asdict(report)}


def tuning_evaluation(step: int, accuracy: float = 0.75) -> dict[str, object]:
    """Return what a process reports of held-out rows, as JSON has it."""
    report = TuningEvaluation(step, 20, 0.6, accuracy, 0.55, ("bad", "good"), ((8, 3), (2, 7)))
    return {"kind": "held-out", **json.loads(json.dumps(asdict(report)))}


def tag_evaluation(step: int, accuracy: float = 0.75, *, has_spans: bool = True) -> dict[str, object]:
    """Return what a process reports of held-out sentences with a label for each word, as JSON has it."""
    spans = (SpanCounts("LOC", 4, 5, 3), SpanCounts("PER", 2, 0, 0)) if has_spans else None
    report = TagEvaluation(
        step=step,
        n_rows=6,
        n_units=20,
        unit="words",
        loss=0.6,
        accuracy=accuracy,
        baseline=0.55,
        labels=("O", "B-LOC"),
        confusion=((8, 3), (2, 7)),
        spans=spans,
    )
    return {"kind": "held-out", **json.loads(json.dumps(asdict(report)))}


class FakeProcess:
    """Does nothing by itself: the test calls `received` and `ended`."""

    def __init__(
        self, job: TrainingJob, received: Callable[[dict[str, object]], None], ended: Callable[[int], None]
    ) -> None:
        self.job = job
        self.received = received
        self.ended = ended
        self.sent: list[dict[str, object]] = []
        self.is_started = self.is_closed = False

    def start(self) -> None:
        self.is_started = True

    def send(self, **message: object) -> None:
        self.sent.append(message)

    def close(self, timeout: float) -> bool:
        self.is_closed = True
        return True


class FakeLaunch:
    """Launches `FakeProcess`es and remembers them."""

    def __init__(self) -> None:
        self.processes: list[FakeProcess] = []

    def __call__(
        self, job: TrainingJob, received: Callable[[dict[str, object]], None], ended: Callable[[int], None]
    ) -> FakeProcess:
        self.processes.append(FakeProcess(job, received, ended))
        return self.processes[-1]

    @property
    def newest(self) -> FakeProcess:
        return self.processes[-1]


LEARNING: dict[str, object] = {"kind": "stage", "stage": "training"}


def start(qtbot: QtBot, page: TrainingPage, training: Training, launch: FakeLaunch) -> FakeProcess:
    """Press the button and return the process it started."""
    QTest.mouseClick(page.form.start, Qt.MouseButton.LeftButton)
    tasks = training.parent()
    assert isinstance(tasks, Tasks)
    qtbot.waitUntil(lambda: not tasks.is_busy("begin"))
    return launch.newest


def send(process: FakeProcess, *messages: dict[str, object]) -> None:
    for message in messages:
        process.received(message)
    QApplication.processEvents()


def write_step(qtbot: QtBot, training: Training, process: FakeProcess, step: int) -> None:
    """Let the process write a trace of the watched sentence at a step, and say so."""
    folder = process.job.work / WATCHED
    folder.mkdir(parents=True, exist_ok=True)
    save_arrays(random_trace(tokens_of("the cat"), seed=step), folder / f"step-{step:06d}.npz")
    with qtbot.waitSignal(training.watched.changed):
        send(process, {"kind": "watched", "step": step})


@pytest.fixture(name="training")
def training_alone(
    qtbot: QtBot, tmp_path: Path, launch: FakeLaunch, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Training]:
    """A training with a worker of its own, and a form that only wants to be started."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "data"))
    errors: list[Exception] = []
    jobs = Jobs("test")
    made = Training(Tasks(jobs), errors.append, launch)
    jobs.start()
    made.change(files=(str(write_corpus(tmp_path / "a.txt")),), folder=str(tmp_path / "m"), text="the cat")
    yield made
    made.close()
    jobs.close()
    assert errors == []
