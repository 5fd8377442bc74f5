"""`StopReader`: steps made once for a query, details as they come, and words while they do not."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.errors import CheckpointError
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.viewmodels.results import Results
from bertviz_app.viewmodels.runs.layer_details import Details
from bertviz_app.viewmodels.steps.stop_reader import StopReader
from bertviz_app.viewmodels.steps.stops import BELOW, Stop
from bertviz_app.viewmodels.tasks import Tasks
from tests.support.factories import make_trace
from tests.support.fakes import HeldJobs
from tests.support.steps_scene import DetailEngine

TRACE = make_trace(5)


@pytest.fixture
def engine() -> DetailEngine:
    return DetailEngine()


@pytest.fixture
def reader(qapp: QApplication, jobs: HeldJobs, engine: DetailEngine) -> StopReader:
    details = Details(engine, Results(Tasks(jobs)))
    details.show("A", TraceRequest(None, "cpu", "a text"), TRACE)
    return StopReader(details)


def _finish(jobs: HeldJobs) -> None:
    for held in jobs.submitted:
        held.run()
    QApplication.processEvents()


def test_the_steps_of_a_query_are_made_once(reader: StopReader) -> None:
    first = reader.at(TRACE, Stop(0, "scores"), 1, 2).steps
    assert reader.at(TRACE, Stop(0, "softmax"), 1, 2).steps is first
    others = [
        reader.at(TRACE, Stop(*at), head, query).steps
        for at, head, query in (((1, "scores"), 1, 2), ((0, "scores"), 0, 2), ((0, "scores"), 1, 3))
    ]
    assert [(steps.layer, steps.head, steps.query) for steps in others if steps] == [
        (1, 1, 2),
        (0, 0, 2),
        (0, 1, 3),
    ]
    other = make_trace(5, seed=1)
    again = reader.at(other, Stop(0, "scores"), 1, 3).steps
    assert again is not None
    assert again is not others[-1]
    assert (again.keys == other.keys[0, 1]).all()


def test_details_come_when_they_are_needed(reader: StopReader, jobs: HeldJobs) -> None:
    assert reader.at(TRACE, Stop(BELOW, "token"), 0, 1).layer == 0
    assert jobs.submitted == []
    first = reader.at(TRACE, Stop(2, "first"), 0, 1)
    assert first.layer == 1
    assert first.tensor() is not None  # of the trace; beside it stands what the pooler's layer makes of it
    assert reader.is_coming(first)
    tensors = reader.at(TRACE, Stop(1, "concat"), 0, 1)
    assert reader.is_coming(tensors)
    assert tensors.tensor() is None
    assert "1" in reader.message(tensors)
    _finish(jobs)
    assert not reader.is_coming(tensors)
    assert reader.at(TRACE, Stop(1, "concat"), 0, 1).tensor() is not None


def test_the_message_for_missing_details_has_the_error(
    reader: StopReader, jobs: HeldJobs, engine: DetailEngine
) -> None:
    engine.error = CheckpointError("It is gone.", "Fetch it.")
    tensors = reader.at(TRACE, Stop(1, "concat"), 0, 1)
    _finish(jobs)
    assert reader.message(tensors) == "It is gone. Fetch it."
    stranger = reader.at(make_trace(4), Stop(1, "concat"), 0, 1)
    assert not reader.is_coming(stranger)
    assert "not in the trace" in reader.message(stranger)
