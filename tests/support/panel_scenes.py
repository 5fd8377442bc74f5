"""A Steps and a Vectors panel with their tools, on workers that the test drives."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.errors import Check
from bertviz_app.features.steps.views.stop_sheets import EquationSheet, FlowSheet
from bertviz_app.features.steps.views.view import StepsView
from bertviz_app.features.vectors import view as vectors_layers
from bertviz_app.features.vectors.view import VectorsView
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.shell.feature import features, panel_views
from bertviz_app.text import Edits
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.viewmodels.analyses.analyses import Analyses
from bertviz_app.viewmodels.heads.pictures import HeadOfRun, Pictures
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.parameters import ModelMatrices
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.results import Results, RunsOnScreen, Tasks
from bertviz_app.viewmodels.runs import workspace as available_module
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.shown import Details
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.stages.stops import Stop, StopTensors
from bertviz_app.viewmodels.state import Store
from bertviz_app.viewmodels.vectors import KeptVectors, VectorPictures
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelTools
from bertviz_app.views.plots.plot import ReadOut
from bertviz_app.views.vectors.plots import HeatView
from tests.support.factories import make_details, make_trace
from tests.support.fakes import FakeEngine, HeldJobs
from tests.support.scene import not_none, on_screen


class DetailEngine(FakeEngine):
    """Answers with details made by hand, or with `error`."""

    def __init__(self) -> None:
        super().__init__()
        self.error: Exception | None = None

    def details(
        self, request: TraceRequest, trace: Trace, layer: int, check: Check | None = None
    ) -> LayerDetails:
        if self.error is not None:
            raise self.error
        return make_details(trace, layer)


class StepsScene:
    """`view` shows layer 1, head 2 of a trace of `n_tokens`; `finish` lets come what was asked for."""

    def __init__(
        self,
        qtbot: QtBot,
        look: Look,
        n_tokens: int = 7,
        size: tuple[int, int] = (900, 620),
        trace: Trace | None = None,
    ) -> None:
        self.engine, self.jobs = DetailEngine(), HeldJobs()
        self.selection = Selection()
        self.trace = trace or make_trace(n_tokens, n_layers=3)
        runs = RunsOnScreen()
        runs.show("A", TraceRequest(None, "cpu", "a text"), self.trace)
        self.details = Details(self.engine, Results(Tasks(self.jobs)), runs)
        self.view = on_screen(qtbot, StepsView(look, self.selection, self.details), *size)
        self.requested_heads: list[tuple[int, int]] = []
        self.view.head_requested.connect(lambda layer, head: self.requested_heads.append((layer, head)))
        self.show(1, 2)

    def show(self, layer: int, head: int) -> None:
        """Show another head, as the panel does."""
        self.view.show_head(HeadOfRun((self.trace,), layer, head))

    @property
    def tensors(self) -> StopTensors:
        """What is drawn at the stop."""
        return not_none(self.view.walking.sheet).tensors

    @property
    def flow(self) -> FlowSheet:
        assert isinstance(self.view.walking.sheet, FlowSheet)
        return self.view.walking.sheet

    @property
    def equation(self) -> EquationSheet:
        assert isinstance(self.view.walking.sheet, EquationSheet)
        return self.view.walking.sheet

    def at(self, stage: str) -> None:
        """Go to a stop of layer 1, whose numbers are there."""
        self.view.walk.go(Stop(1, stage))
        self.finish()

    def finish(self) -> None:
        """Run what the worker was given."""
        for held in list(self.jobs.submitted):
            held.run()
        self.jobs.submitted.clear()
        QApplication.processEvents()


class VectorScene:
    """A Vectors view with its tools. `failures`: what went wrong on the way."""

    def __init__(self, look: Look, jobs: HeldJobs, panels: Panels | None = None) -> None:
        self.jobs = jobs
        self.failures: list[Exception] = []
        self.requests: list[tuple[str, str | None, Edits]] = []
        tasks, engine, store = Tasks(jobs), FakeEngine(), Store()
        results = Results(tasks, self.failures.append)
        self.engine, self.runs = engine, RunsOnScreen(results)
        self.workspace = Workspace(engine, tasks)
        self.selection = Selection()
        self.tools = PanelTools(
            look=look,
            selection=self.selection,
            viewport=Viewport(),
            store=store,
            pictures=Pictures(results, store, "A"),
            details=Details(engine, results, self.runs),
            vectors=VectorPictures(results),
            shelf=KeptVectors(self.workspace),
            comparison=Comparison(engine, self.workspace, tasks, results),
            analyses=Analyses(engine, results, results, self.runs, panels or Panels()),
            matrices=ModelMatrices(engine, results, results, self.runs),
            views=panel_views(features()),
        )
        requests = self.requests  # with the scene in the slot, Qt would keep the view for good
        self.tools.shelf.sentence_requested.connect(lambda *request: requests.append(request))

    @cached_property
    def view(self) -> VectorsView:
        """The view, made where a test looks at it."""
        return VectorsView(self.tools)

    def show(self, trace: Trace, layer: int | None = None) -> None:
        """Show a run in the view, at a layer (the last one)."""
        self.view.show_head(HeadOfRun((trace,), trace.n_layers - 1 if layer is None else layer, 0))

    def work(self) -> None:
        """Let the worker do everything that was asked, until nothing is left."""
        QApplication.processEvents()
        while self.jobs.submitted:
            self.jobs.submitted.pop(0).run()
            QApplication.processEvents()

    def type(self, text: str, pair: str | None = None) -> None:
        """Encode a text with the fake engine."""
        if self.workspace.facts is None:
            self.workspace.open_model(None)
        self.workspace.set_texts(text, pair, at_once=True)
        self.work()


@pytest.fixture
def scene(qtbot: QtBot, look: Look, monkeypatch: pytest.MonkeyPatch) -> VectorScene:
    monkeypatch.setattr(available_module, "preload_torch", lambda: None)
    monkeypatch.setattr(vectors_layers, "STEP_MS", 0)
    scene = VectorScene(look, HeldJobs())
    on_screen(qtbot, scene.view, 700, 520)
    return scene


@pytest.fixture
def read_outs(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What the read-outs say, newest last."""
    lines: list[list[str]] = []
    show = ReadOut.show_lines

    def noted(read_out: ReadOut, text: Sequence[str], at: QPointF) -> None:
        show(read_out, text, at)
        if text:
            lines.append(list(text))

    monkeypatch.setattr(ReadOut, "show_lines", noted)
    return lines


def array_of(scene: VectorScene, name: str) -> NDArray[np.float32]:
    """Return one array of the numbers that the view says it shows."""
    found = scene.view.numbers()[name]
    assert isinstance(found, np.ndarray)
    return found.astype(np.float32)


def values_of(heat: HeatView) -> NDArray[np.float32]:
    return not_none(heat.picture).values


def middle_of(heat: HeatView, row: int, column: int) -> tuple[float, float]:
    """Return the middle of a cell, in pixels."""
    rows, columns = heat.axes()
    return columns.middle(column), rows.middle(row)


def point_of(scene: VectorScene, point: int) -> tuple[float, float]:
    """Return where a point of the map is drawn."""
    x, y = scene.view.map.map.pixels()[point].tolist()
    return x, y


def press(widget: QWidget, key: Qt.Key) -> None:
    QApplication.sendEvent(widget, QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier))
