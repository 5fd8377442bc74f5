"""`ShownParameters`: what a panel shows before anything is chosen, also where layers share parameters."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.checkpoint.parameters.table import ParameterTable
from bertviz_app.inference.engine import TraceRequest
from bertviz_app.viewmodels.export.as_python import Runs, parameters_as_python
from bertviz_app.viewmodels.panel_choices import DrawnParameter
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.viewmodels.parameters.model_matrices import ModelMatrices
from bertviz_app.viewmodels.parameters.shown import ShownParameters
from bertviz_app.viewmodels.results import Results
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.viewmodels.tasks import Tasks
from tests.support.factories import make_trace
from tests.support.fake_parameters import FakeParameters
from tests.support.fakes import FakeEngine, HeldJobs
from tests.support.window_fixtures import _collected_here

__all__ = ["_collected_here"]
RUNS = Runs(TraceRequest(None, "cpu", "a"))


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
    matrices = ModelMatrices(engine, results, results)
    matrices.show("A", RUNS.a, trace)
    shown = ShownParameters(matrices, selection, "parameters")
    shown.show((trace,), 1)
    assert shown.drawn is None, "the table is read on the worker"
    while jobs.submitted:
        jobs.submitted.pop(0).run()
        qapp.processEvents()
    return shown


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
