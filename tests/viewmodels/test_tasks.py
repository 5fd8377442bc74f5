"""Ends come on the interface thread and never late: whatever the worker does, the newest ticket counts."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.inference.jobs import Jobs
from bertviz_app.types import Check
from bertviz_app.viewmodels.tasks import FractionDone, Tasks
from tests.support.fakes import HeldJobs


class Outcomes:
    """Tasks on held jobs, and all that they told."""

    def __init__(self, jobs: HeldJobs) -> None:
        self.tasks = Tasks(jobs)
        self.values: list[Any] = []
        self.errors: list[Exception] = []
        self.busy: list[tuple[str, bool]] = []
        self.progress: list[tuple[str, float]] = []
        self.tasks.busy_changed.connect(lambda slot, is_busy: self.busy.append((slot, is_busy)))
        self.tasks.progressed.connect(lambda slot, fraction: self.progress.append((slot, fraction)))

    def start(self, value: object, slot: str = "encode") -> None:
        def work(check: Check, progress: FractionDone) -> object:
            progress(0.5)
            if isinstance(value, Exception):
                raise value
            return value

        self.tasks.start(slot, work, self.values.append, self.errors.append)


@pytest.fixture
def outcomes(qapp: QApplication, jobs: HeldJobs) -> Outcomes:
    return Outcomes(jobs)


def test_a_value_arrives_through_the_event_loop(
    outcomes: Outcomes, jobs: HeldJobs, qapp: QApplication
) -> None:
    outcomes.start("good")
    jobs.submitted[0].run()
    assert outcomes.values == []
    qapp.processEvents()
    assert outcomes.values == ["good"]
    assert not outcomes.tasks.is_busy("encode")


def test_an_error_arrives_as_one(outcomes: Outcomes, jobs: HeldJobs, qapp: QApplication) -> None:
    error = ValueError("a defect")
    outcomes.start(error)
    jobs.submitted[0].run()
    qapp.processEvents()
    assert (outcomes.values, outcomes.errors) == ([], [error])


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_only_the_newest_arrives_in_whatever_order_they_end(
    outcomes: Outcomes, jobs: HeldJobs, qapp: QApplication, order: tuple[int, int]
) -> None:
    outcomes.start("old")
    outcomes.start("new")
    for number in order:
        jobs.submitted[number].run()
    qapp.processEvents()
    assert outcomes.values == ["new"]


def test_what_is_already_on_its_way_is_dropped_when_a_newer_one_starts(
    outcomes: Outcomes, jobs: HeldJobs, qapp: QApplication
) -> None:
    outcomes.start("old")
    jobs.submitted[0].run()
    outcomes.start("new")
    qapp.processEvents()
    assert outcomes.values == []
    assert outcomes.tasks.is_busy("encode")


@pytest.mark.parametrize("ending", ["value", ValueError("late")])
def test_nothing_arrives_after_a_cancel(
    outcomes: Outcomes, jobs: HeldJobs, qapp: QApplication, ending: object
) -> None:
    outcomes.start(ending)
    jobs.submitted[0].run()
    outcomes.tasks.cancel("encode")
    qapp.processEvents()
    assert (outcomes.values, outcomes.errors) == ([], [])
    assert jobs.cancelled == ["encode"]


def test_what_was_cancelled_does_not_arrive_as_its_successor(
    outcomes: Outcomes, jobs: HeldJobs, qapp: QApplication
) -> None:
    outcomes.start("cancelled")
    outcomes.tasks.cancel("encode")
    outcomes.start("new")
    jobs.submitted[0].run()
    qapp.processEvents()
    assert outcomes.values == []
    jobs.submitted[1].run()
    qapp.processEvents()
    assert outcomes.values == ["new"]


def test_busy_is_notified_once_however_often_work_starts(
    outcomes: Outcomes, jobs: HeldJobs, qapp: QApplication
) -> None:
    for value in ("a", "ab", "abc"):
        outcomes.start(value)
    assert outcomes.busy == [("encode", True)]
    for held in jobs.submitted:
        held.run()
    qapp.processEvents()
    assert outcomes.busy == [("encode", True), ("encode", False)]


def test_a_cancel_is_notified_once_and_only_where_something_ran(outcomes: Outcomes, jobs: HeldJobs) -> None:
    outcomes.tasks.cancel("encode")
    assert (outcomes.busy, jobs.cancelled) == ([], [])
    outcomes.start("a")
    outcomes.tasks.cancel("encode")
    outcomes.tasks.cancel("encode")
    assert outcomes.busy == [("encode", True), ("encode", False)]


def test_slots_do_not_know_of_each_other(outcomes: Outcomes, jobs: HeldJobs, qapp: QApplication) -> None:
    outcomes.start("text", slot="encode")
    outcomes.start("model", slot="open")
    outcomes.tasks.cancel("open")
    for held in jobs.submitted:
        held.run()
    qapp.processEvents()
    assert outcomes.values == ["text"]


def test_when_done_is_called_the_slot_is_free_again(
    outcomes: Outcomes, jobs: HeldJobs, qapp: QApplication
) -> None:
    def again(value: object) -> None:
        states.append(outcomes.tasks.is_busy("encode"))
        outcomes.start("second")

    states: list[bool] = []
    outcomes.tasks.start("encode", lambda check, progress: None, again, outcomes.errors.append)
    jobs.submitted[0].run()
    qapp.processEvents()
    assert states == [False]
    assert outcomes.tasks.is_busy("encode")


def test_only_the_newest_work_notifies_of_progress(
    outcomes: Outcomes, jobs: HeldJobs, qapp: QApplication
) -> None:
    outcomes.start("old", slot="open")
    outcomes.start("new", slot="open")
    jobs.submitted[0].run()
    qapp.processEvents()
    assert outcomes.progress == []
    jobs.submitted[1].run()
    qapp.processEvents()
    assert outcomes.progress == [("open", 0.5)]


def test_no_progress_is_notified_after_a_cancel(
    outcomes: Outcomes, jobs: HeldJobs, qapp: QApplication
) -> None:
    outcomes.start("old", slot="open")
    jobs.submitted[0].run()
    outcomes.tasks.cancel("open")
    qapp.processEvents()
    assert outcomes.progress == []


@pytest.fixture
def worker() -> Iterator[Jobs]:
    worker = Jobs("worker")
    worker.start()
    yield worker
    assert worker.close()


def test_on_a_real_worker_the_end_comes_on_the_interface_thread(qtbot: QtBot, worker: Jobs) -> None:
    threads: list[str] = []
    tasks = Tasks(worker)

    def work(check: Check, progress: FractionDone) -> None:
        threads.append(threading.current_thread().name)

    def note(value: object) -> None:
        threads.append(threading.current_thread().name)

    tasks.start("encode", work, note, note)
    qtbot.waitUntil(lambda: len(threads) == 2)
    assert threads == ["worker", threading.current_thread().name]


def test_of_many_starts_on_a_real_worker_the_last_arrives(qtbot: QtBot, worker: Jobs) -> None:
    tasks = Tasks(worker)
    values: list[int] = []
    errors: list[Exception] = []
    for number in range(200):
        tasks.start("encode", partial(_return, number), values.append, errors.append)
    qtbot.waitUntil(lambda: not tasks.is_busy("encode"))
    assert (values, errors) == ([199], [])


def _return(value: int, check: Check, progress: FractionDone) -> int:
    return value
