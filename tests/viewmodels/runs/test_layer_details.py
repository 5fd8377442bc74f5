"""Layers in detail: computed once, kept a while, dropped with their trace."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.errors import CheckpointError
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.options import ENCODED_RUNS
from bertviz_app.trace import Trace
from bertviz_app.trace.details import LayerDetails
from bertviz_app.types import Check
from bertviz_app.viewmodels.results import Results
from bertviz_app.viewmodels.runs.layer_details import Details
from bertviz_app.viewmodels.tasks import Tasks
from tests.support.factories import make_details, make_trace
from tests.support.fakes import FakeEngine, HeldJobs

REQUEST = TraceRequest(None, "cpu", "a text")


class _Engine(FakeEngine):
    error: Exception | None = None

    def details(
        self, request: TraceRequest, trace: Trace, layer: int, check: Check | None = None
    ) -> LayerDetails:
        if self.error is not None:
            raise self.error
        return make_details(trace, layer)


class _Scene:
    def __init__(self, jobs: HeldJobs) -> None:
        self.jobs, self.engine = jobs, _Engine()
        self.failures: list[Exception] = []
        self.details = Details(self.engine, Results(Tasks(jobs), self.failures.append))
        self.arrivals: list[None] = []
        self.details.arrived.connect(lambda: self.arrivals.append(None))


@pytest.fixture
def scene(qapp: QApplication, jobs: HeldJobs) -> _Scene:
    return _Scene(jobs)


def test_requested_details_are_computed_once_and_cached(scene: _Scene) -> None:
    trace = make_trace(5)
    scene.details.show("A", REQUEST, trace)
    assert scene.details.get(trace, 1) is None
    assert scene.details.get(trace, 1) is None
    assert scene.details.is_coming(trace, 1)
    assert [held.slot for held in scene.jobs.submitted] == ["details A 1"]
    scene.jobs.finish()
    found = scene.details.get(trace, 1)
    assert found is not None
    np.testing.assert_array_equal(found.output, trace.hidden[2])
    assert scene.jobs.submitted == []
    assert not scene.details.is_coming(trace, 1)
    assert len(scene.arrivals) == 1


def test_a_new_trace_drops_what_belongs_to_the_one_before(scene: _Scene) -> None:
    before, after = make_trace(5), make_trace(6)
    scene.details.show("A", REQUEST, before)
    scene.details.get(before, 0)
    scene.jobs.finish()
    scene.details.get(before, 1)
    late = scene.jobs.submitted[0]
    scene.details.show("A", REQUEST, after)
    late.run()
    QApplication.processEvents()
    assert scene.details.get(before, 0) is None
    assert scene.details.get(after, 1) is None
    assert len(scene.arrivals) == 1


def test_two_runs_stand_side_by_side(scene: _Scene) -> None:
    traces = make_trace(5), make_trace(6, seed=1)
    for run, trace in zip(ENCODED_RUNS, traces, strict=True):
        scene.details.show(run, REQUEST, trace)
        scene.details.get(trace, 0)
    scene.jobs.finish()
    for trace in traces:
        found = scene.details.get(trace, 0)
        assert found is not None
        assert len(found.output) == trace.n_tokens
    scene.details.drop("B")
    assert scene.details.get(traces[0], 0) is not None
    assert scene.details.get(traces[1], 0) is None
    assert scene.jobs.submitted == []


def test_the_same_trace_again_loses_nothing(scene: _Scene) -> None:
    trace = make_trace(5)
    scene.details.show("A", REQUEST, trace)
    scene.details.get(trace, 0)
    scene.jobs.finish()
    scene.details.show("A", REQUEST, trace)
    assert scene.details.get(trace, 0) is not None


@pytest.mark.parametrize(
    ("error", "is_reported"), [(CheckpointError("gone"), False), (ValueError("odd"), True)]
)
def test_a_failure_is_an_answer_until_it_is_requested_again(
    scene: _Scene, error: Exception, is_reported: bool
) -> None:
    trace = make_trace(5)
    scene.engine.error = error
    scene.details.show("A", REQUEST, trace)
    scene.details.get(trace, 0)
    scene.jobs.finish()
    assert scene.details.get(trace, 0) is None
    assert scene.jobs.submitted == []
    assert scene.details.problem(trace, 0) is error
    assert scene.details.problem(trace, 1) is None
    assert scene.failures == ([error] if is_reported else [])
    assert len(scene.arrivals) == 1
    scene.engine.error = None
    scene.details.get(trace, 0, again=True)
    scene.jobs.finish()
    assert scene.details.get(trace, 0) is not None
    assert scene.details.problem(trace, 0) is None


def test_a_trace_of_nobody_has_none(scene: _Scene) -> None:
    trace = make_trace(5)
    assert scene.details.get(trace, 0) is None
    assert scene.details.problem(trace, 0) is None
    assert scene.jobs.submitted == []
