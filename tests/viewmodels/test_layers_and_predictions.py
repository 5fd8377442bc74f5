"""What is computed for a run that is shown: its layers in detail and what its heads predict."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.errors import CheckpointError
from bertviz_app.inference.engine import TraceRequest, TraceResult
from bertviz_app.inference.fetching import SavedCheckpoint
from bertviz_app.options import Run
from bertviz_app.text import Edits
from bertviz_app.viewmodels.pointer import Pointer
from bertviz_app.viewmodels.results import Results, RunsOnScreen, Tasks
from bertviz_app.viewmodels.runs.run import saved_result
from bertviz_app.viewmodels.runs.shown import Details, RunPrediction, RunPredictions
from tests.support.factories import make_trace
from tests.support.fakes import FakeEngine, HeldJobs
from tests.support.panel_scenes import DetailEngine
from tests.support.scene import not_none

REQUEST = TraceRequest(None, "cpu", "a text")


class _Layers:
    def __init__(self, jobs: HeldJobs) -> None:
        self.jobs, self.engine = jobs, DetailEngine()
        self.failures: list[Exception] = []
        results = Results(Tasks(jobs), self.failures.append)
        self.runs = RunsOnScreen(results)
        self.details = Details(self.engine, results, self.runs)
        self.arrivals: list[None] = []
        self.details.arrived.connect(lambda: self.arrivals.append(None))


@pytest.fixture
def layers(qapp: QApplication, jobs: HeldJobs) -> _Layers:
    return _Layers(jobs)


TEXT = "the cat sat"


class _Predictions:
    def __init__(self, jobs: HeldJobs) -> None:
        self.jobs, self.engine = jobs, FakeEngine()
        self.engine.task_heads = ("masked", "next_sentence")
        pointer = Pointer()
        self.selections = pointer.selections
        self.failures: list[Exception] = []
        results = Results(Tasks(jobs), self.failures.append)
        self.predictions = RunPredictions(self.engine, results, pointer)
        self.notified: list[None] = []
        self.predictions.changed.connect(lambda: self.notified.append(None))

    def result(self, text: str = TEXT, *replaced: tuple[int, str]) -> TraceResult:
        return self.engine.trace(TraceRequest(None, "cpu", text, None, Edits(replaced=replaced)))

    def newest(self, run: Run = "A") -> RunPrediction:
        return not_none(self.predictions.of(run))


@pytest.fixture
def scene(qapp: QApplication, jobs: HeldJobs) -> _Predictions:
    scene = _Predictions(jobs)
    scene.predictions.watch(True)
    return scene


def test_a_new_trace_drops_what_belongs_to_the_one_before(layers: _Layers) -> None:
    before, after = make_trace(5), make_trace(6)
    layers.runs.show("A", REQUEST, before)
    layers.details.get(before, 0)
    layers.jobs.finish()
    layers.details.get(before, 1)
    late = layers.jobs.submitted[0]
    layers.runs.show("A", REQUEST, after)
    late.run()
    QApplication.processEvents()
    assert layers.details.get(before, 0) is None
    assert layers.details.get(after, 1) is None
    assert len(layers.arrivals) == 1


@pytest.mark.parametrize(
    ("error", "is_reported"), [(CheckpointError("gone"), False), (ValueError("odd"), True)]
)
def test_a_failure_is_an_answer_until_it_is_requested_again(
    layers: _Layers, error: Exception, is_reported: bool
) -> None:
    trace = make_trace(5)
    layers.engine.error = error
    layers.runs.show("A", REQUEST, trace)
    layers.details.get(trace, 0)
    layers.jobs.finish()
    assert layers.details.get(trace, 0) is None
    assert layers.jobs.submitted == []
    assert layers.details.problem(trace, 0) is error
    assert layers.details.problem(trace, 1) is None
    assert layers.failures == ([error] if is_reported else [])
    assert len(layers.arrivals) == 1
    layers.engine.error = None
    layers.details.get(trace, 0, again=True)
    layers.jobs.finish()
    assert layers.details.get(trace, 0) is not None
    assert layers.details.problem(trace, 0) is None


def test_nothing_is_predicted_while_no_view_shows_predictions(scene: _Predictions) -> None:
    scene.predictions.watch(False)
    scene.predictions.show("A", scene.result())
    scene.selections["A"].pin(query=2)
    QApplication.processEvents()
    assert scene.jobs.submitted == []
    scene.predictions.watch(True)
    scene.jobs.finish()
    assert scene.engine.predicted == [(TEXT, (2,))]
    scene.predictions.watch(True)
    assert scene.jobs.submitted == [], "what is known is not asked again"


def test_the_token_is_the_one_pointed_at_else_pinned_else_masked(scene: _Predictions) -> None:
    scene.predictions.show("A", scene.result(TEXT, (3, "[MASK]")))
    selection = scene.selections["A"]
    moves: list[tuple[Callable[[], None], int]] = [
        (lambda: None, 3),
        (lambda: selection.pin(query=1), 1),
        (lambda: selection.hover(query=2), 2),
        (lambda: selection.hover(key=4), 4),
        (selection.leave, 1),
        (selection.clear, 3),
    ]
    for change, token in moves:
        change()
        QApplication.processEvents()
        scene.jobs.finish()
        assert scene.predictions.token("A") == token
        found = not_none(scene.newest().found)
        assert (scene.newest().position, found.fillings[0].position) == (token, token)
    computed = [(TEXT, (token,)) for token in (3, 1, 2, 4)]
    assert scene.engine.predicted == computed, "what was predicted before is still there"


def test_a_new_result_shows_the_last_predictions_until_its_own_arrive(scene: _Predictions) -> None:
    scene.predictions.show("A", scene.result())
    scene.jobs.finish()
    before = scene.newest()
    scene.predictions.show("A", scene.result("another text"))
    assert (scene.newest().found, scene.newest().tokens) == (before.found, before.tokens)
    scene.jobs.finish()
    assert scene.newest().tokens.text == "another text"


def test_another_checkpoint_keeps_nothing(scene: _Predictions) -> None:
    scene.predictions.show("A", scene.result())
    scene.jobs.finish()
    scene.engine.task_heads = ("classes",)
    scene.predictions.show("A", scene.result())
    assert scene.newest().task_heads == ("classes",)
    assert scene.newest().found is None
    scene.engine.task_heads = ()
    scene.predictions.show("A", scene.result())
    scene.jobs.submitted.clear()
    scene.selections["A"].pin(query=1)
    assert scene.jobs.submitted == []
    assert not scene.newest().task_heads
    assert scene.newest().found is None


def test_nothing_is_predicted_for_a_saved_trace(scene: _Predictions) -> None:
    saved = SavedCheckpoint.of_trace(scene.result().trace, "")
    scene.predictions.show("A", saved_result(scene.result().trace, saved))
    assert scene.newest().is_saved
    assert scene.jobs.submitted == []


def test_two_runs_are_predicted_independently(scene: _Predictions) -> None:
    for run in ("A", "B"):
        scene.predictions.show(run, scene.result(f"run {run}"))
        scene.selections[run].pin(query=1)
    assert scene.predictions.runs == ("A", "B")
    QApplication.processEvents()
    scene.jobs.finish()
    assert {text for text, positions in scene.engine.predicted if positions == (1,)} == {"run A", "run B"}
    scene.predictions.drop("B")
    assert list(scene.predictions.runs) == ["A"]
    assert scene.predictions.of("B") is None
    scene.selections["B"].pin(query=2)
    QApplication.processEvents()
    assert scene.jobs.submitted == []


def test_drawing_does_not_repeat_what_failed(scene: _Predictions) -> None:
    scene.engine.errors["predictions"] = CheckpointError("gone")
    scene.predictions.changed.connect(lambda: scene.predictions.of("A"))
    scene.predictions.show("A", scene.result())
    scene.jobs.finish()
    assert scene.jobs.submitted == []
    assert not scene.predictions.is_coming("A")
