"""`ShownRuns`: what is known of the runs on screen: selections, pictures, details, predictions, analyses."""

from __future__ import annotations

from PySide6.QtCore import QObject

from bertviz_app.analysis.head_names import names_of
from bertviz_app.inference.engine import Engine
from bertviz_app.viewmodels.analyses.analyses import Analyses
from bertviz_app.viewmodels.analyses.self_testing import SelfTesting
from bertviz_app.viewmodels.heads.pictures import Pictures
from bertviz_app.viewmodels.heads.pinned_pair import PinnedPair
from bertviz_app.viewmodels.inspected import Inspected
from bertviz_app.viewmodels.options import Options
from bertviz_app.viewmodels.panels import RUNS, Panels
from bertviz_app.viewmodels.parameters.model_matrices import ModelMatrices
from bertviz_app.viewmodels.runs.layer_details import Details
from bertviz_app.viewmodels.runs.predictions import RunPredictions
from bertviz_app.viewmodels.runs.requests import Difference
from bertviz_app.viewmodels.runs.run_states import RunState, RunStates
from bertviz_app.viewmodels.runs.saved_trace import SavedResult
from bertviz_app.viewmodels.runs.shown import Shown
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.viewmodels.workers import Workers


class ShownRuns(QObject):
    """Hands each new result of run A or B to all that is derived from it."""

    def __init__(self, engine: Engine, workers: Workers, options: Options, panels: Panels) -> None:
        super().__init__(panels)
        pictures = {run: Pictures(workers.heads, options, run) for run in RUNS}
        states: dict[str, RunState] = {
            run: RunState(pictures[run], Selection(self), Viewport(self)) for run in RUNS
        }
        selections = {run: states[run].selection for run in ("A", "B")}
        self.states = RunStates(states, options, self)
        self.details = Details(engine, workers.layers)
        self.matrices = ModelMatrices(engine, workers.layers, workers.vectors)
        self.predictions = RunPredictions(engine, workers.analysed, selections)
        self.inspected = Inspected(panels, selections, self)
        self.pinned_pair = PinnedPair(selections, self)
        self._shown: dict[str, Shown] = {}
        self.analyses = Analyses(engine, workers.analysed, workers.heads, options, panels)
        self.self_testing = SelfTesting(self.analyses, workers.analysed)

    def show(self, run: str, shown: Shown) -> None:
        """Show a result as run "A" or "B"."""
        request, trace = shown.result.request, shown.result.trace
        self.analyses.show(run, request, trace)
        self.analyses.provide(run, shown.numbers)
        if run == "A" and (run not in self._shown or self._shown[run].result is not shown.result):
            self.self_testing.show(trace)
        is_saved = isinstance(shown.result, SavedResult)
        if isinstance(shown.result, SavedResult) and not shown.result.is_here:
            self.details.drop(run)
            self.matrices.drop(run)
        else:
            self.details.show(run, request, trace)
            self.matrices.show(run, request, trace)
        self.states.show(run, shown.numbers, shown.pictures)
        self.predictions.show(run, shown.result, is_saved=is_saved)
        overview = shown.overview
        names = names_of(overview.measures, overview.n_queries)
        self.inspected.show(run, shown.numbers, overview.stamp, names)
        self.pinned_pair.show(run, shown.numbers, overview.stamp)
        self._shown[run] = shown

    def compare(self, difference: Difference) -> None:
        """Show the difference of the two runs."""
        self.analyses.compare(difference.traces, difference.alignment)
        of_a, of_b = self._shown["A"].numbers, self._shown["B"].numbers
        if of_a.kind == of_b.kind:  # else the numbers of one of the two are still to come
            self.states.compare((of_a, of_b), difference.alignment.places)

    def end_comparison(self) -> None:
        """Forget run B."""
        self.details.drop("B")
        self.matrices.drop("B")
        self.analyses.drop("B")
        self.predictions.drop("B")
        self.inspected.drop("B")
        self.pinned_pair.drop("B")
        self.states.end_comparison()
