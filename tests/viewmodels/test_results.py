"""Results: computed once, the newest of a slot alone, cached by size, dropped with their trace."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.errors import Cancelled, CheckpointError
from bertviz_app.trace import Trace
from bertviz_app.types import Check
from bertviz_app.viewmodels.results import Coming, Failed, Ready, Request, Results, size_of
from bertviz_app.viewmodels.tasks import FractionDone, Tasks
from tests.support.factories import make_trace
from tests.support.fakes import HeldJobs


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


def test_a_result_is_computed_once_and_cached(scene: _Scene) -> None:
    request = scene.request("one")
    assert scene.results.get(request, "panel") == Coming()
    assert scene.results.get(request, "panel") == Coming()
    assert scene.results.is_coming("panel")
    scene.jobs.finish()
    assert _value(scene.results.get(request, "panel")) == "ONE"
    assert not scene.results.is_coming("panel")
    assert scene.computed == ["one"]


def test_progress_is_notified_until_the_result_is_there(scene: _Scene) -> None:
    scene.results.get(scene.request("one"), "panel")
    seen: list[object] = []
    scene.results.changed.connect(lambda key: seen.append(scene.results.state(key)))
    scene.jobs.finish()
    assert seen[0] == Coming(0.5)
    assert _value(seen[1]) == "ONE"
    assert scene.changed == ["one", "one"]


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


def test_what_nobody_waits_for_any_more_is_not_computed(scene: _Scene) -> None:
    for slot in ("left", "right"):
        scene.results.get(scene.request("one"), slot)
    scene.results.release("left")
    assert scene.jobs.cancelled == []
    scene.results.release("right")
    assert scene.jobs.cancelled == ["left"]
    scene.jobs.finish()
    assert scene.results.state("one") is None


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


def test_a_failure_stands_until_it_is_requested_again(scene: _Scene) -> None:
    error = CheckpointError("gone")
    failing = scene.request("one", error=error)
    scene.results.get(failing, "panel")
    scene.jobs.finish()
    assert _error(scene.results.get(failing, "panel")) is error
    assert scene.jobs.submitted == []
    assert scene.failures == []
    scene.results.get(scene.request("one"), "panel", again=True)
    scene.jobs.finish()
    assert _value(scene.results.state("one")) == "ONE"


def test_a_failure_is_forgotten_when_its_slot_goes_on(scene: _Scene) -> None:
    scene.results.get(scene.request("one", error=CheckpointError("gone")), "panel")
    scene.jobs.finish()
    scene.results.get(scene.request("two"), "panel")
    scene.jobs.finish()
    scene.results.get(scene.request("one"), "panel")
    scene.jobs.finish()
    assert _value(scene.results.state("one")) == "ONE"


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


def test_what_is_on_screen_together_stays_whatever_its_size(qapp: QApplication, jobs: HeldJobs) -> None:
    scene = _scene(jobs, n_bytes=0, n_least=2)
    for key in "abc":
        scene.results.get(scene.request(key), key)
        scene.results.put(scene.request(key + "!"), key * 9)
    scene.jobs.finish()
    there = [key for key in ("a", "b", "c", "a!", "b!", "c!") if scene.results.state(key) is not None]
    assert len(there) == 6, "strings take no memory of arrays"
    for key in "xyz":
        scene.results.put(Request(key, (), _nothing), np.zeros(8))
    assert [key for key in "xyz" if scene.results.state(key) is not None] == ["y", "z"]


def _nothing(check: Check, progress: FractionDone) -> None:
    raise AssertionError


@dataclass(frozen=True)
class _Parts:
    trace: Trace
    arrays: tuple[object, ...]
    by_name: dict[str, object]


def test_the_size_is_that_of_the_arrays_without_the_trace() -> None:
    eight = np.zeros(8, np.uint8)
    assert size_of(_Parts(make_trace(4), (eight, None, "text"), {"more": [eight]})) == 16


def test_what_arrives_after_it_was_dropped_is_not_cached(scene: _Scene) -> None:
    trace = make_trace(4)
    scene.results.get(scene.request("one", trace), "panel")
    late = scene.jobs.submitted[0]
    ends: list[Callable[[], None]] = [late.run, lambda: scene.results.drop(trace), QApplication.processEvents]
    for act in ends:  # finished on the worker, dropped before its end arrived
        act()
    assert scene.results.state("one") is None
    assert "one" not in scene.changed[1:]
