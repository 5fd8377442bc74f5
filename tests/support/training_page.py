"""A training on the page, begun and told of by the test."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.inference.training.job import WATCHED
from bertviz_app.trace.archive import save_arrays
from bertviz_app.viewmodels.results import Tasks
from bertviz_app.viewmodels.training.training import Training
from bertviz_app.views.training.page import TrainingPage
from tests.support.factories import random_trace
from tests.support.fakes import tokens_of
from tests.support.training_scene import FakeLaunch, FakeProcess

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
