"""What is computed for a run that is shown: layers, predictions and parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.checkpoint.parameters import ParameterTable
from bertviz_app.errors import CheckpointError
from bertviz_app.inference.engine import TraceRequest, TraceResult
from bertviz_app.inference.fetching import SavedCheckpoint
from bertviz_app.options import Run
from bertviz_app.text import Edits
from bertviz_app.types import Floats
from bertviz_app.viewmodels import parameters as matrix_region
from bertviz_app.viewmodels.export import parameters_as_python
from bertviz_app.viewmodels.panel import DrawnParameter, Panel
from bertviz_app.viewmodels.parameters import (
    Matrix,
    ModelMatrices,
    Region,
    ShownParameters,
    matrix_of,
    region_picture,
)
from bertviz_app.viewmodels.pointer import Pointer, Selection
from bertviz_app.viewmodels.results import Coming, Failed, Results, RunsOnScreen, Tasks
from bertviz_app.viewmodels.runs.run import saved_result
from bertviz_app.viewmodels.runs.shown import Details, RunPrediction, RunPredictions
from bertviz_app.viewmodels.viewport import signed_levels
from tests.support.factories import make_trace
from tests.support.fakes import FakeEngine, FakeParameters, HeldJobs, runs_of
from tests.support.panel_scenes import DetailEngine
from tests.support.scene import not_none
from tests.support.window_fixtures import _collected_here

__all__ = ["_collected_here"]
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


def _random(*shape: int, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _expected(matrix: Matrix, region: Region) -> np.ndarray:
    """Return the levels, found pixel by pixel."""
    down, across = region.steps
    part = matrix.block(slice(*region.rows), slice(*region.columns))
    rows = []
    for top in range(0, len(part), down):
        blocks = [part[top : top + down, left : left + across] for left in range(0, part.shape[1], across)]
        rows.append([block.flat[np.abs(block).argmax()] for block in blocks])
    return signed_levels(np.clip(np.array(rows, np.float32) / matrix.limit, -1, 1))


RUNS = runs_of(TraceRequest(None, "cpu", "a"))


class SharedParameters(FakeParameters):
    """Both layers have the parameters of the first one."""

    def __init__(self) -> None:
        super().__init__()
        of_first = [entry for entry in self.table if not entry.layers or entry.layers == (0,)]
        shared = [replace(entry, layers=(0, 1)) if entry.layers else entry for entry in of_first]
        self.table = ParameterTable(shared)


@pytest.fixture
def selection() -> Selection:
    return Selection()


@pytest.fixture
def shown(
    qapp: QApplication, selection: Selection, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> ShownParameters:
    """What is shown in layer 1 of these parameters, once they are read."""
    jobs, engine, parameters, trace = HeldJobs(), FakeEngine(), request.param(), make_trace(5)
    monkeypatch.setattr(engine, "parameters", lambda *_: parameters)
    results = Results(Tasks(jobs))
    runs = RunsOnScreen(results)
    runs.show("A", RUNS.a.request, trace)
    matrices = ModelMatrices(engine, results, results, runs)
    shown = ShownParameters(matrices, selection, "parameters")
    shown.show((trace,), 1)
    assert shown.drawn is None, "the table is read on the worker"
    while jobs.submitted:
        jobs.submitted.pop(0).run()
        qapp.processEvents()
    return shown


@pytest.mark.parametrize(
    "region",
    [Region((0, 97), (0, 31), 20, 7), Region((13, 90), (5, 6), 10, 10), Region((96, 97), (30, 31), 1, 1)],
)
def test_each_pixel_has_the_number_farthest_from_zero(
    region: Region, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix_region, "_CELLS_AT_ONCE", 50)
    matrix = matrix_of((_random(97, 31),))
    found = region_picture(matrix, region)
    np.testing.assert_array_equal(found.levels, _expected(matrix, region))
    assert found.levels.shape[0] <= region.height
    assert found.levels.shape[1] <= region.width


def test_numbers_of_a_matrix_and_of_a_difference_are_seen() -> None:
    numbers = np.zeros((30_522, 48), np.float32)
    numbers[12_345, 17] = -3
    matrix = matrix_of((numbers,))
    levels = region_picture(matrix, Region((0, 30_522), (0, 48), 600, 48)).levels
    found = np.argwhere(levels != 128).tolist()
    down, _ = Region((0, 30_522), (0, 48), 600, 48).steps
    assert found == [[12_345 // down, 17]]
    assert levels[tuple(found[0])] == 1
    # a difference is that of both numbers
    one, other = _random(20, 8), _random(20, 8, seed=1)
    matrix = matrix_of((one, other))
    assert matrix.value(3, 4) == one[3, 4] - other[3, 4]
    region = Region((0, 20), (0, 8), 5, 4)
    np.testing.assert_array_equal(region_picture(matrix, region).levels, _expected(matrix, region))


@pytest.mark.parametrize(("shown", "layer"), [(FakeParameters, 1), (SharedParameters, 0)], indirect=["shown"])
def test_at_first_the_queries_of_the_panels_layer_are_shown(shown: ShownParameters, layer: int) -> None:
    key = f"layers.{layer}.attention.query.weight"
    assert shown.drawn == DrawnParameter(key, token=1, output=0, layer=1), "its input is that of the layer"
    lines = parameters_as_python(Panel(0, 1, 0, "parameters"), RUNS, shown.drawn)
    assert f"matrix = model.parameter({key!r})" in lines


@pytest.mark.parametrize("shown", [SharedParameters], indirect=True)
def test_lines_of_python_multiply_what_the_panel_does(shown: ShownParameters, selection: Selection) -> None:
    selection.pin(query=2)
    shown.choose("product", output=3)
    panel = Panel(0, 1, 0, "parameters", parameters=shown.choice)
    lines = parameters_as_python(panel, RUNS, shown.drawn)
    key = "layers.0.attention.query.weight"
    assert f"model.linear_product(trace, {key!r}, token=2, output=3, layer=1)" in lines


def test_a_run_without_its_checkpoint_has_no_parameters_and_no_details(qapp: QApplication) -> None:
    jobs, engine, trace = HeldJobs(), FakeEngine(), make_trace(5)
    results = Results(Tasks(jobs))
    runs = RunsOnScreen(results)
    matrices, details = ModelMatrices(engine, results, results, runs), Details(engine, results, runs)
    runs.show("A", RUNS.a.request, trace, is_here=False)
    assert isinstance(matrices.table((trace,), "parameters"), Failed)
    assert details.get(trace, 0) is None
    assert not jobs.submitted
    runs.show("A", RUNS.a.request, trace)
    assert isinstance(matrices.table((trace,), "parameters"), Coming)
    assert details.get(trace, 0) is None
    assert len(jobs.submitted) == 2, "the checkpoint is here now"
