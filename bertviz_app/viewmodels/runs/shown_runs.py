"""`ShownRuns`: what is known of the runs on screen: selections, pictures, details, predictions, analyses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from PySide6.QtCore import QObject

from bertviz_app.analysis.attention.overview import LONG, LayeredOverview, StampedOverview, overview_of
from bertviz_app.analysis.attention.stamp import ANALYSES, WEIGHTS, AttentionNumbers, Stamp
from bertviz_app.analysis.measures import names_of
from bertviz_app.analysis.reporter import Callbacks
from bertviz_app.analysis.results import HeadMatrices, TokenMatrices
from bertviz_app.errors import AppError
from bertviz_app.inference.engine import AnalysisRequest, Engine, TraceResult
from bertviz_app.inference.warmup import n_processors
from bertviz_app.options import Run
from bertviz_app.types import Check
from bertviz_app.viewmodels.analyses.analyses import Analyses
from bertviz_app.viewmodels.analyses.heads_of_pair import HeadsOfPair
from bertviz_app.viewmodels.analyses.rounding import Rounding
from bertviz_app.viewmodels.analyses.self_testing import SelfTesting
from bertviz_app.viewmodels.analyses.why_weight import WhyWeight
from bertviz_app.viewmodels.heads.pictures import Pictures, head_pictures
from bertviz_app.viewmodels.heads.pinned_pair import PinnedPair
from bertviz_app.viewmodels.inspected import Inspected
from bertviz_app.viewmodels.options import Options
from bertviz_app.viewmodels.panels import RUNS, Panels
from bertviz_app.viewmodels.parameters.model_matrices import ModelMatrices
from bertviz_app.viewmodels.results import Results
from bertviz_app.viewmodels.runs.layer_details import Details
from bertviz_app.viewmodels.runs.predictions import RunPredictions
from bertviz_app.viewmodels.runs.requests import Difference
from bertviz_app.viewmodels.runs.run_states import RunState, RunStates
from bertviz_app.viewmodels.runs.saved_trace import SavedResult
from bertviz_app.viewmodels.runs.shown import DrawnHeads, Shown
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.viewmodels.tasks import FractionDone
from bertviz_app.viewmodels.viewport import Viewport
from bertviz_app.viewmodels.workers import Workers


class ShownRuns(QObject):
    """Hands each new result of run A or B to all that is derived from it."""

    def __init__(
        self,
        engine: Engine,
        workers: Workers,
        options: Options,
        panels: Panels,
        selections: Mapping[Run, Selection],
    ) -> None:
        """Connect what is derived from runs; `selections` are those of all RUNS."""
        super().__init__(panels)
        samples = Results(workers.overviews, workers.failed)  # while heads are drawn, overviews wait
        pictures = {run: Pictures(workers.heads, options, run, samples) for run in RUNS}
        states: dict[Run, RunState] = {
            run: RunState(pictures[run], selections[run], Viewport(self)) for run in RUNS
        }
        self.heads_of_pair = HeadsOfPair(panels, selections)
        selections = {run: selections[run] for run in ("A", "B")}
        self.states = RunStates(states, options, self)
        self.details = Details(engine, workers.layers)
        self.matrices = ModelMatrices(engine, workers.layers, workers.vectors)
        self.predictions = RunPredictions(engine, workers.analysed, selections)
        self.inspected = Inspected(panels, selections, self)
        self.pinned_pair = PinnedPair(selections, self)
        self.why_weight = WhyWeight(panels, self.inspected, selections)
        self._shown: dict[Run, Shown] = {}
        self.analyses = Analyses(engine, workers.analysed, workers.heads, options, panels)
        self.self_testing = SelfTesting(self.analyses, workers.analysed)
        self.rounding = Rounding(engine, workers.analyses, workers.failed)

    def show(self, run: Run, shown: Shown) -> None:
        """Show a result as run "A" or "B"."""
        request, trace = shown.result.request, shown.result.trace
        self.analyses.show(run, request, trace)
        self.analyses.provide(run, shown.numbers)
        if run == "A" and (run not in self._shown or self._shown[run].result is not shown.result):
            self.self_testing.show(trace)
        is_saved = isinstance(shown.result, SavedResult)
        if run == "A":
            is_here = not isinstance(shown.result, SavedResult) or shown.result.is_here
            self.rounding.show(shown.result, is_here=is_here)
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
        self.analyses.compare(difference.traces, difference.alignment)
        of_a, of_b = self._shown["A"].numbers, self._shown["B"].numbers
        if of_a.kind == of_b.kind:  # else the numbers of one of the two are still to come
            self.states.compare((of_a, of_b), difference.alignment.positions)

    def end_comparison(self) -> None:
        """Forget run B."""
        self.details.drop("B")
        self.matrices.drop("B")
        self.analyses.drop("B")
        self.predictions.drop("B")
        self.inspected.drop("B")
        self.pinned_pair.drop("B")
        self.states.end_comparison()


def prepared(
    engine: Engine,
    result: TraceResult,
    drawn: DrawnHeads,
    check: Check,
    progress: FractionDone = lambda done: None,
) -> Shown:
    """Return `result` with its overview and the pictures of the heads that are `drawn`.

    The numbers that the options ask for are computed; where that is impossible, weights are shown.
    """
    numbers, refusal, stamp = AttentionNumbers(result.trace), None, drawn.options.stamp
    if stamp.numbers != "weight":
        try:
            numbers = _known(result, stamp, drawn) or _analysed(
                engine, result, stamp, Callbacks(check, progress)
            )
        except AppError as error:
            refusal, stamp = error, replace(stamp, numbers="weight")
    layered = None
    if result.trace.n_tokens > LONG:
        layered = _layered(numbers, stamp)
        layered.sample(check)
    if layered is None:
        overview = overview_of(numbers, stamp, check=check, n_threads=n_processors())
    else:
        overview = layered.overview()
    numbers = replace(numbers, sinks=overview.sinks)
    pictures = head_pictures(numbers, drawn.heads, check, drawn.options)
    return Shown(result, overview, numbers, pictures, refusal, drawn.options.stamp.numbers, layered)


def _layered(numbers: AttentionNumbers, stamp: Stamp) -> LayeredOverview:
    """Return what computes the overview of a long text."""
    if stamp == WEIGHTS:
        return LayeredOverview(numbers.trace, n_threads=n_processors())
    return StampedOverview(numbers, stamp, n_threads=n_processors())


def _known(result: TraceResult, stamp: Stamp, drawn: DrawnHeads) -> AttentionNumbers | None:
    """Return the numbers of a result that were computed before."""
    known = (one for one in drawn.known if one.trace is result.trace and one.kind == stamp.numbers)
    return next(known, None)


def _analysed(engine: Engine, result: TraceResult, stamp: Stamp, reporter: Callbacks) -> AttentionNumbers:
    request = AnalysisRequest.of(result.request, ANALYSES[stamp.numbers], {})
    found = engine.analyse(request, result.trace, reporter)
    assert isinstance(found, HeadMatrices | TokenMatrices)
    return AttentionNumbers(result.trace, stamp.numbers, found)
