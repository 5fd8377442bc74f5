"""Garbage dies on the interface thread alone."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.shell.collector import Collector


class Cycle:
    """Something that only a collection can free, and that notes where it died."""

    def __init__(self, died_on: list[threading.Thread]) -> None:
        self.itself = self
        self.died_on = died_on

    def __del__(self) -> None:
        self.died_on.append(threading.current_thread())


@pytest.fixture
def parent(qapp: QApplication) -> Iterator[QObject]:
    parent = QObject()
    yield parent
    parent.deleteLater()


@pytest.fixture(autouse=True)
def _frozen_again() -> Iterator[None]:
    """Leave what is imported out of the collections after later tests, as it was before."""
    yield
    gc.collect()
    gc.freeze()


def test_a_workers_garbage_dies_on_the_interface_thread(qtbot: QtBot, parent: QObject) -> None:
    Collector(parent).freeze()
    died_on: list[threading.Thread] = []

    def work() -> None:
        Cycle(died_on)
        objects = [[number] for number in range(20_000)]  # would set off an automatic collection
        assert len(objects) == 20_000

    worker = threading.Thread(target=work)
    worker.start()
    worker.join()
    assert died_on == []
    qtbot.waitUntil(lambda: bool(died_on))
    gc.unfreeze()
    assert died_on == [threading.main_thread()]


def test_nothing_is_collected_while_the_program_starts(
    qtbot: QtBot, parent: QObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A collection of all that is imported by then would stop the window for 90 ms."""
    monkeypatch.setattr("bertviz_app.shell.collector._EVERY_MS", 1)
    collector = Collector(parent)
    collections: list[str] = []
    gc.callbacks.append(lambda phase, _: collections.append(phase))
    try:
        qtbot.wait(50)
        assert collections == []
        collector.freeze()
        qtbot.waitUntil(lambda: "stop" in collections)
    finally:
        gc.callbacks.pop()
        gc.unfreeze()


def test_what_start_up_made_is_not_looked_at_again(parent: QObject) -> None:
    collector = Collector(parent)
    gc.unfreeze()  # what the tests froze themselves
    collector.freeze()
    try:
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


def test_freezing_collects_nothing(parent: QObject) -> None:
    """A collection of all that start-up made would stop the window for 150 ms."""
    died_on: list[threading.Thread] = []
    collector = Collector(parent)
    Cycle(died_on)
    try:
        collector.freeze()
        assert died_on == []
    finally:
        gc.unfreeze()
        gc.collect()
    assert died_on == [threading.current_thread()]
