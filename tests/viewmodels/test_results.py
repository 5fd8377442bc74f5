"""Work on threads: ends never come late, the newest of a slot counts, results are bounded."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.errors import Cancelled, Check, CheckpointError
from bertviz_app.inference.jobs import Jobs
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.panel import MOST
from bertviz_app.viewmodels.results import (
    Coming,
    Failed,
    FractionDone,
    Ready,
    Request,
    Results,
    Tasks,
    Workers,
)
from tests.support.factories import make_trace
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


@pytest.fixture
def worker() -> Iterator[Jobs]:
    worker = Jobs("worker")
    worker.start()
    yield worker
    assert worker.close()


@dataclass
class _Scene:
    jobs: HeldJobs
    results: Results
    changed: list[object] = field(default_factory=list)
    failures: list[Exception] = field(default_factory=list)
    computed: list[str] = field(default_factory=list)

    def request(
        self, key: str, *traces: Trace, error: Exception | None = None, shows_error: bool = True
    ) -> Request[str]:
        """Return a request for the upper-case of `key`, or one that fails."""

        def compute(check: Check, progress: FractionDone) -> str:
            check()
            progress(0.5)
            self.computed.append(key)
            if error is not None:
                raise error
            return key.upper()

        return Request(key, traces, compute, shows_error)


def _scene(jobs: HeldJobs, **limits: int) -> _Scene:
    failures: list[Exception] = []
    results = Results(Tasks(jobs), failures.append, **limits)
    scene = _Scene(jobs, results, failures=failures)
    results.changed.connect(scene.changed.append)
    return scene


@pytest.fixture
def scene(qapp: QApplication, jobs: HeldJobs) -> _Scene:
    return _scene(jobs)


def _value(state: object) -> object:
    assert isinstance(state, Ready)
    return state.value


def _error(state: object) -> Exception:
    assert isinstance(state, Failed)
    return state.error


def _nothing(check: Check, progress: FractionDone) -> None:
    raise AssertionError


LIMIT = 60.0  # seconds after which a test gives up, on a machine however busy; none comes near it


@pytest.fixture
def workers(qtbot: QtBot) -> Iterator[Workers]:
    errors: list[Exception] = []
    workers = Workers(errors.append)
    workers.start()
    yield workers
    workers.close()
    assert errors == []


LARGE = 300 << 20
"""Bytes of the cosines between 8,192 tokens, about."""


def _n_cached(results: Results, n_results: int, n_bytes: int) -> int:
    for number in range(n_results):
        # An array of one number repeated: it has the size of a large one, and takes no memory.
        results.put(Request(number, (), _nothing), np.broadcast_to(np.uint8(0), (n_bytes,)))
    return sum(results.state(number) is not None for number in range(n_results))


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize(
    ("events", "arrived"),
    [
        ("start start run0 run1", ["b"]),
        ("start start run1 run0", ["b"]),
        ("start run0 start", []),  # its end was already on the way
        ("start run0 cancel", []),
        ("start cancel start run0", []),
        ("start cancel start run0 run1", ["b"]),
    ],
)
def test_only_the_end_of_the_newest_arrives_and_none_of_what_was_cancelled(
    outcomes: Outcomes, jobs: HeldJobs, qapp: QApplication, events: str, arrived: list[str], fails: bool
) -> None:
    names = iter("ab")
    for event in events.split():
        if event == "start":
            name = next(names)
            outcomes.start(ValueError(name) if fails else name)
        elif event == "cancel":
            outcomes.tasks.cancel("encode")
        else:
            jobs.submitted[int(event[-1])].run()
    assert outcomes.tasks.is_busy("encode") == (not events.endswith("cancel"))
    qapp.processEvents()
    assert [*outcomes.values, *map(str, outcomes.errors)] == arrived
    assert jobs.cancelled == ["encode"] * events.count("cancel")


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


def test_of_the_requests_of_one_slot_the_newest_wins(scene: _Scene) -> None:
    for key in ("one", "two", "three"):
        scene.results.get(scene.request(key), "panel")
    assert scene.jobs.cancelled == ["panel", "panel"]
    scene.jobs.submitted.reverse()  # the superseded ones arrive last
    scene.jobs.finish()
    assert scene.results.state("one") is None
    assert scene.results.state("two") is None
    assert _value(scene.results.state("three")) == "THREE"


def test_two_slots_share_what_both_wait_for(scene: _Scene) -> None:
    for slot in ("left", "right"):
        scene.results.get(scene.request("one"), slot)
    assert len(scene.jobs.submitted) == 1
    scene.results.get(scene.request("two"), "left")
    assert scene.jobs.cancelled == [], "the right one still waits for it"
    scene.jobs.finish()
    assert _value(scene.results.state("one")) == "ONE"
    assert _value(scene.results.state("two")) == "TWO"


def test_cancelled_work_is_not_begun_again_by_drawing_but_on_request(scene: _Scene) -> None:
    request = scene.request("one")
    scene.results.get(request, "panel")
    scene.results.cancel("panel")
    assert scene.changed == ["one"]
    assert isinstance(_error(scene.results.get(request, "panel")), Cancelled)
    scene.jobs.submitted.clear()
    assert scene.results.get(request, "panel", again=True) == Coming()
    scene.jobs.finish()
    assert _value(scene.results.get(request, "panel")) == "ONE"
    scene.results.cancel("panel")  # too late: it is there
    assert _value(scene.results.get(request, "panel")) == "ONE"


@pytest.mark.parametrize(
    ("error", "shows_error", "is_reported"),
    [
        (CheckpointError("gone"), True, False),
        (CheckpointError("gone"), False, True),
        (ValueError(), True, True),
    ],
)
def test_what_no_view_shows_is_reported(
    scene: _Scene, error: Exception, shows_error: bool, is_reported: bool
) -> None:
    scene.results.get(scene.request("one", error=error, shows_error=shows_error), "panel")
    scene.jobs.finish()
    assert scene.failures == ([error] if is_reported else [])


def test_results_of_traces_that_nobody_holds_are_dropped(scene: _Scene) -> None:
    one, other, late = make_trace(4), make_trace(4, seed=1), make_trace(4, seed=2)
    scene.results.hold("A", (one,))
    scene.results.hold("A-B", (one, other))
    for key, traces in (("of one", (one,)), ("of both", (one, other)), ("of other", (other,))):
        scene.results.get(scene.request(key, *traces), key)
    scene.jobs.finish()
    coming = scene.request("is coming", other)
    scene.results.get(coming, "panel")
    scene.results.hold("A", (late,))
    assert _value(scene.results.state("of one")) == "OF ONE", "the difference still shows it"
    scene.results.hold("A-B", (late, one))
    scene.jobs.finish()
    assert [scene.results.state(key) for key in ("of both", "of other", "is coming")] == [None] * 3
    assert _value(scene.results.state("of one")) == "OF ONE"
    scene.results.hold("A-B", ())
    assert scene.results.state("of one") is None


def test_a_trace_is_not_kept_alive_by_its_results(scene: _Scene) -> None:
    trace = make_trace(4)
    gone = weakref.ref(trace)
    scene.results.hold("A", (trace,))
    for slot, error in (("fine", None), ("failing", CheckpointError("gone"))):
        scene.results.get(scene.request(slot, trace, error=error), slot)
    scene.jobs.finish()
    scene.results.hold("A", ())
    del trace, error  # the traceback of an error names its frames
    gc.collect()
    assert gone() is None


def test_a_failure_keeps_nothing_of_the_work_that_failed(scene: _Scene) -> None:
    class Array:
        pass

    arrays: list[weakref.ref[Array]] = []

    def compute(check: Check, progress: FractionDone) -> None:
        array = Array()
        arrays.append(weakref.ref(array))
        try:
            raise ValueError
        except ValueError as error:
            raise CheckpointError("gone") from error

    scene.results.get(Request("one", (), compute), "panel")
    scene.jobs.finish()
    assert arrays[0]() is None
    assert isinstance(_error(scene.results.state("one")), CheckpointError)


def test_the_least_recently_used_goes_first_beyond_the_memory(qapp: QApplication, jobs: HeldJobs) -> None:
    scene = _scene(jobs, n_bytes=250, n_least=1)
    arrays: list[Request[np.ndarray[tuple[int, ...], np.dtype[np.uint8]]]] = [
        Request(key, (), lambda check, progress: np.zeros(100, np.uint8)) for key in "abc"
    ]
    for request in arrays[:2]:
        scene.results.get(request, str(request.key))
    scene.jobs.finish()
    scene.results.get(arrays[0], "a")  # used: now "b" is the oldest
    scene.results.get(arrays[2], "c")
    scene.jobs.finish()
    there = [key for key in "abc" if isinstance(scene.results.state(key), Ready)]
    assert there == ["a", "c"]


def test_what_arrives_after_it_was_dropped_is_not_cached(scene: _Scene) -> None:
    trace = make_trace(4)
    scene.results.get(scene.request("one", trace), "panel")
    late = scene.jobs.submitted[0]
    ends: list[Callable[[], None]] = [late.run, lambda: scene.results.drop(trace), QApplication.processEvents]
    for act in ends:  # finished on the worker, dropped before its end arrived
        act()
    assert scene.results.state("one") is None
    assert "one" not in scene.changed[1:]


def test_a_text_is_encoded_and_a_picture_drawn_while_an_analysis_runs(workers: Workers, qtbot: QtBot) -> None:
    is_over, done = threading.Event(), list[str]()

    def analyse(check: Check, progress: FractionDone) -> str:
        assert is_over.wait(LIMIT)
        return "analysed"

    request = Request("an analysis", (), analyse)
    assert isinstance(workers.analysed.get(request, "panel 1"), Coming)
    workers.encoder.start("encode", lambda check, _: "encoded", done.append, lambda error: None)
    workers.pictures.start("draw", lambda check, _: "drawn", done.append, lambda error: None)
    qtbot.waitUntil(lambda: set(done) == {"encoded", "drawn"}, timeout=5000)
    assert isinstance(workers.analysed.state("an analysis"), Coming)
    is_over.set()
    qtbot.waitUntil(lambda: isinstance(workers.analysed.state("an analysis"), Ready), timeout=5000)


@pytest.mark.parametrize("store", [lambda workers: workers.layers])
def test_of_large_results_only_as_many_are_held_as_panels_show(
    qapp: QApplication, store: Callable[[Workers], Results]
) -> None:
    assert _n_cached(store(Workers(lambda error: None)), 20, LARGE) == MOST


def test_what_was_not_reported_when_the_workers_end_is_neither_reported_nor_held(qtbot: QtBot) -> None:
    class Value:
        pass

    workers, values, is_made = Workers(lambda error: None), list[Value](), threading.Event()
    made: list[weakref.ref[Value]] = []

    def make(check: Check, progress: FractionDone) -> Value:
        value = Value()
        made.append(weakref.ref(value))
        return value

    workers.start()
    workers.encoder.start("make", make, values.append, lambda error: None)
    # The worker does one after the other: the first has ended, and this thread has not yet been called back.
    workers.encoder.start("after", lambda check, _: is_made.set(), lambda _: None, lambda error: None)
    assert is_made.wait(LIMIT)
    workers.close()
    assert made[0]() is None
    qtbot.wait(10)
    assert values == []
