"""A training on the page, begun and told of by the test."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.tasks import Tasks
from bertviz_app.viewmodels.training.training import Training
from bertviz_app.views.training.page import TrainingPage
from tests.support.training_scene import FakeLaunch, FakeProcess

LEARNING: dict[str, object] = {"kind": "stage", "stage": "training"}


def start(qtbot: QtBot, page: TrainingPage, training: Training, launch: FakeLaunch) -> FakeProcess:
    """Press the button and return the process it started."""
    QTest.mouseClick(page.form.start, Qt.MouseButton.LeftButton)
    tasks = training.parent()
    assert isinstance(tasks, Tasks)
    qtbot.waitUntil(lambda: not tasks.is_busy("begin"))
    return launch.newest


def say(process: FakeProcess, *messages: dict[str, object]) -> None:
    for message in messages:
        process.told(message)
    QApplication.processEvents()
