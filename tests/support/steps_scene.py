"""A Steps panel on a trace made by hand, whose layers are there as soon as they are asked for."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.inference.engine import TraceRequest
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.types import Check
from bertviz_app.viewmodels.heads.pictures import HeadOfRun
from bertviz_app.viewmodels.options import Selection
from bertviz_app.viewmodels.results import Results, Tasks
from bertviz_app.viewmodels.runs.shown import Details
from bertviz_app.viewmodels.steps.stops import StopTensors
from bertviz_app.views.kit.look import Look
from bertviz_app.views.steps.view import StepsView
from tests.support.factories import make_details, make_trace
from tests.support.fakes import FakeEngine, HeldJobs
from tests.support.scene import on_screen


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
        self.details = Details(self.engine, Results(Tasks(self.jobs)))
        self.trace = trace or make_trace(n_tokens, n_layers=3)
        self.details.show("A", TraceRequest(None, "cpu", "a text"), self.trace)
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
        sheet = self.view.walking.sheet
        assert sheet is not None
        return sheet.tensors

    def finish(self) -> None:
        """Run what the worker was given."""
        for held in list(self.jobs.submitted):
            held.run()
        self.jobs.submitted.clear()
        QApplication.processEvents()
