"""Quitting while a training runs or a file is written asks first, and does what is answered."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from bertviz_app.features.corpora.pages import CorpusController
from bertviz_app.features.training.state import Training
from bertviz_app.features.training.views.page import TrainingPage
from bertviz_app.shell.settings import SettingsStore
from bertviz_app.shell.window.window import MainWindow
from tests.support.fakes import problem_of, wait_for
from tests.support.scene import expect, not_none
from tests.support.training_scene import LEARNING, FakeLaunch, report, send, start


def _box(qtbot: QtBot, window: MainWindow) -> QMessageBox:
    qtbot.waitUntil(lambda: any(box.isVisible() for box in window.findChildren(QMessageBox)))
    (box,) = (box for box in window.findChildren(QMessageBox) if box.isVisible())
    return box


def _press(box: QMessageBox, text: str) -> None:
    (button,) = (button for button in box.buttons() if button.text() == text)
    button.click()


@pytest.fixture
def running(qtbot: QtBot, page: TrainingPage, training: Training, launch: FakeLaunch) -> Training:
    """A training under way."""
    send(start(qtbot, page, training, launch), LEARNING, report(3))
    assert not_none(training.run).is_alive
    return training


def test_a_training_goes_on_unless_it_is_stopped(
    qtbot: QtBot, window: MainWindow, running: Training, launch: FakeLaunch
) -> None:
    window.close()
    box = _box(qtbot, window)
    assert "resumed" in box.informativeText()
    _press(box, "Keep training")
    assert window.isVisible()
    assert not launch.processes[0].is_closed
    qtbot.waitUntil(lambda: not window.findChildren(QMessageBox))
    window.close()
    _press(_box(qtbot, window), "Stop, keep the last snapshot")
    qtbot.waitUntil(lambda: not window.isVisible())
    assert launch.processes[0].is_closed, "the process saves its run and ends"


def test_what_the_window_saves_is_on_disk_when_it_has_closed(
    window: MainWindow, store: SettingsStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace_file = Path.replace

    def slow(self: Path, target: Path) -> Path:
        time.sleep(0.2)
        return replace_file(self, target)

    monkeypatch.setattr(Path, "replace", slow)
    window.close()
    assert not window.isVisible()
    assert not window.findChildren(QMessageBox), "nothing is running"
    saved = json.loads((store.folder / "settings.json").read_text(encoding="utf-8"))
    assert saved["geometry"] == store.settings.geometry != ""


def test_a_file_is_finished_first_or_the_window_stays(
    qtbot: QtBot, window: MainWindow, tmp_path: Path
) -> None:
    is_free = threading.Event()
    window.files.write(tmp_path / "slow.csv", lambda: wait_for(is_free))
    window.close()
    _press(_box(qtbot, window), "Do not quit")
    assert window.isVisible()
    qtbot.waitUntil(lambda: not window.findChildren(QMessageBox))
    window.close()
    _press(_box(qtbot, window), "Finish the file, then quit")
    assert window.isVisible()
    is_free.set()
    qtbot.waitUntil(lambda: not window.isVisible())


@pytest.mark.parametrize("is_asked", [False, True])
def test_a_file_that_is_soon_written_needs_no_answer(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, is_asked: bool
) -> None:
    is_free = threading.Event()
    window.files.write(tmp_path / "quick.csv", lambda: wait_for(is_free))
    window.close()
    assert window.isVisible()
    if is_asked:
        _box(qtbot, window)
    is_free.set()
    qtbot.waitUntil(lambda: not window.isVisible())


@pytest.mark.parametrize("is_asked", [False, True])
def test_the_window_stays_where_a_file_could_not_be_written(
    qtbot: QtBot, window: MainWindow, tmp_path: Path, is_asked: bool
) -> None:
    is_free = threading.Event()

    def fail() -> None:
        wait_for(is_free)
        raise problem_of("The disk is full.")

    window.files.write(tmp_path / "slow.csv", fail)
    window.close()
    if is_asked:
        _box(qtbot, window)
    is_free.set()
    qtbot.waitUntil(lambda: "The disk is full." in window.notice.message)
    qtbot.waitUntil(lambda: not window.findChildren(QMessageBox))
    qtbot.wait(20)
    assert window.isVisible()
    window.close()
    assert not window.isVisible()


def test_who_stays_because_of_a_file_is_asked_about_the_training_again(
    qtbot: QtBot, window: MainWindow, running: Training, launch: FakeLaunch, tmp_path: Path
) -> None:
    is_free = threading.Event()
    window.files.write(tmp_path / "slow.csv", lambda: wait_for(is_free))
    window.close()
    _press(_box(qtbot, window), "Stop, keep the last snapshot")
    qtbot.waitUntil(lambda: "file" in _box(qtbot, window).text())
    _press(_box(qtbot, window), "Do not quit")
    is_free.set()
    qtbot.waitUntil(lambda: not window.files.is_writing)
    qtbot.waitUntil(lambda: not window.findChildren(QMessageBox))
    window.close()
    assert "training" in _box(qtbot, window).text()
    assert not launch.processes[0].is_closed
    _press(_box(qtbot, window), "Stop, keep the last snapshot")
    qtbot.waitUntil(lambda: not window.isVisible())


def test_a_window_that_stays_can_still_read_a_corpus(
    qtbot: QtBot, window: MainWindow, running: Training, tmp_path: Path
) -> None:
    corpus = expect(CorpusController, window.findChild(CorpusController))
    study = corpus.study
    window.close()
    _press(_box(qtbot, window), "Keep training")
    study.open(tmp_path / "missing.csv", None)
    qtbot.waitUntil(lambda: not study.busy_with)
    window.close()
    _press(_box(qtbot, window), "Stop, keep the last snapshot")
    qtbot.waitUntil(lambda: not window.isVisible())
