"""`AppState`: the state behind one window, built and connected: runs, panels, selections, options."""

from __future__ import annotations

import logging
from collections.abc import Callable
from importlib import import_module

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.inference.engine import Engine
from bertviz_app.inference.jobs import Jobs
from bertviz_app.text import Edits
from bertviz_app.viewmodels.heads.pictures import Pictures
from bertviz_app.viewmodels.inspected import Inspected
from bertviz_app.viewmodels.options import Options
from bertviz_app.viewmodels.overview_options import OverviewOptions
from bertviz_app.viewmodels.panels import RUNS, Panels
from bertviz_app.viewmodels.results import Results
from bertviz_app.viewmodels.runs.answering import Answering
from bertviz_app.viewmodels.runs.compared_panels import ComparedPanels
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.editing import Editing
from bertviz_app.viewmodels.runs.layer_details import Details
from bertviz_app.viewmodels.runs.predictions import RunPredictions
from bertviz_app.viewmodels.runs.run_states import RunState, RunStates
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.viewmodels.tasks import Tasks
from bertviz_app.viewmodels.vectors.kept_vectors import KeptVectors
from bertviz_app.viewmodels.vectors.pictures import VectorPictures
from bertviz_app.viewmodels.viewport import Viewport

_log = logging.getLogger(__name__)


class AppState(QObject):
    """Three workers, because a click on a head must not wait for a forward pass that is under way, nor that
    for a download: one runs the encoder, one makes pictures of what it found, one fetches checkpoints.
    """

    failed = Signal(object)

    def __init__(self, engine: Engine) -> None:
        super().__init__()
        self._jobs = (Jobs("encoder"), Jobs("pictures"), Jobs("downloads"))
        encoder = Tasks(self._jobs[0], self)
        self.workspace = Workspace(engine, encoder, Tasks(self._jobs[2], self))
        self._pictures = Tasks(self._jobs[1], self)
        computed, self._drawn = (Results(tasks, self.failed.emit) for tasks in (encoder, self._pictures))
        self.details = Details(engine, computed)
        self.vectors = VectorPictures(self._drawn)
        self.kept_vectors = KeptVectors(self.workspace)
        self.kept_vectors.wanted.connect(self._on_shelf_wanted)
        self.options = Options(self)
        self.overview = OverviewOptions(self)
        self.run_states = RunStates({run: self._side(run) for run in RUNS}, self.options, self)
        self.selection = self.run_states["A"].selection
        self.viewport = self.run_states["A"].viewport
        self.panels = Panels(self)
        self.workspace.draw_options = lambda: self.options.value
        self.workspace.heads_in_panels = self.panels.open_heads
        self.workspace.failed.connect(self.failed)
        self.workspace.shown_changed.connect(self._on_shown_changed)
        self.comparison = Comparison(engine, self.workspace, encoder, self._drawn)
        self.comparison.shown_changed.connect(self._on_other_changed)
        self.answering = Answering(engine, self.workspace, self.comparison, encoder)
        self.answering.failed.connect(self.failed)
        self.compared_panels = ComparedPanels(self.comparison, self.panels)
        self.editing = Editing(self.workspace, self.comparison, self.panels, self.selection)
        selections = {run: self.run_states[run].selection for run in ("A", "B")}
        self.predictions = RunPredictions(engine, computed, selections)
        self.inspected = Inspected(self.panels, selections, self)

    def _side(self, run: str) -> RunState:
        pictures = Pictures(self._drawn, self.options, run)
        return RunState(pictures, Selection(self), Viewport(self))

    def start(self, model: str | None) -> None:
        """Start the workers and open a checkpoint."""
        for jobs in self._jobs:
            jobs.start()
        self.workspace.start(model)

    def load(self, module: str, done: Callable[[], None]) -> None:
        """Import `module` on the worker of the pictures, then call `done`."""
        self._pictures.start(
            "load", lambda check, _: import_module(module), lambda _: done(), self.failed.emit
        )

    def close(self) -> None:
        """End the workers; what they still do is given up."""
        for jobs in self._jobs:
            if not jobs.close():
                _log.debug("a worker did not end in time")

    @Slot(str, object, object)
    def _on_shelf_wanted(self, text: str, pair: str | None, edits: Edits) -> None:
        self.workspace.set_texts(text, pair, at_once=True)
        self.workspace.set_edits(edits)

    @Slot()
    def _on_shown_changed(self) -> None:
        shown = self.workspace.shown
        if shown is None:
            return
        trace = shown.result.trace
        self.details.show("A", shown.result.request, trace)
        self.run_states.show("A", trace, shown.pictures)
        is_saved = shown.result is self.workspace.saved
        self.predictions.show("A", shown.result, is_saved=is_saved)
        self.inspected.show("A", trace)
        self.panels.set_size(trace.n_layers, trace.n_heads)

    @Slot()
    def _on_other_changed(self) -> None:
        shown, difference = self.comparison.shown, self.comparison.difference
        if shown is None or difference is None:
            self.details.drop("B")
            self.predictions.drop("B")
            self.inspected.drop("B")
            self.run_states.end_comparison()
            return
        self.details.show("B", shown.result.request, shown.result.trace)
        self.run_states.show("B", shown.result.trace, shown.pictures)
        self.predictions.show("B", shown.result)
        self.inspected.show("B", shown.result.trace)
        self.run_states.compare(difference.traces, difference.alignment.places)
