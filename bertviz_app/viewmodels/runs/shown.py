"""What is shown of a run: its trace, computed or saved."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from functools import partial
from typing import cast

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.attention.overview import LayeredOverview, StampedOverview, is_long, overview_of
from bertviz_app.analysis.attention.stamp import ANALYSES, WEIGHTS, AttentionNumbers
from bertviz_app.analysis.compare import Alignment, keys_of
from bertviz_app.analysis.measures import names_of
from bertviz_app.analysis.parameters import Reporter
from bertviz_app.analysis.predictions import Predictions
from bertviz_app.analysis.results import HeadMatrices, TokenMatrices
from bertviz_app.checkpoint.questions import BUNDLED
from bertviz_app.errors import AppError, Check
from bertviz_app.inference.engine import AnalysisRequest, Engine, TraceResult
from bertviz_app.inference.jobs import n_processors
from bertviz_app.options import ENCODED_RUNS, RUNS, Run
from bertviz_app.text import Tokens
from bertviz_app.text.edits import MASKS
from bertviz_app.timers import OneShot
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.types import Ints
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.analyses.analyses import Analyses, Rounding, SelfTesting, WhyWeight
from bertviz_app.viewmodels.heads.pictures import (
    HeadPicture,
    HeadPictures,
    Pictures,
    head_pictures,
    pictures_of_numbers,
)
from bertviz_app.viewmodels.heads.places import (
    RunsDifference,
    TokenOrder,
    difference_order,
    difference_source,
    order_of,
)
from bertviz_app.viewmodels.inspected import HeadsOfPair, Inspected, PinnedPair
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.parameters import ModelMatrices
from bertviz_app.viewmodels.pointer import Pointer, Selection
from bertviz_app.viewmodels.results import (
    Coming,
    Failed,
    FractionDone,
    Latest,
    Ready,
    Request,
    Results,
    RunsOnScreen,
    Workers,
)
from bertviz_app.viewmodels.runs.run import Difference, DrawnHeads, SavedResult, Shown, pair_in
from bertviz_app.viewmodels.state import DrawOptions, Store
from bertviz_app.viewmodels.viewport import Viewport


class Details(QObject):
    """Has layers computed again on the analyses' worker when a view requests them.

    `arrived` is emitted when the details of a layer are there, or cannot be had: see `problem`.
    """

    arrived = Signal()

    def __init__(self, engine: Engine, results: Results, runs: RunsOnScreen) -> None:
        super().__init__(results)
        self._engine, self._results, self._runs = engine, results, runs
        results.changed.connect(self._on_result)

    def get(self, trace: Trace, layer: int, *, again: bool = False) -> LayerDetails | None:
        """Return the details of a layer if they are there; else have them computed, and emit `arrived`.

        What failed is tried once more with `again`. None for a trace that is not on screen.
        """
        shown, engine = self._runs.with_checkpoint(trace), self._engine
        if shown is None:
            return None
        state = self._results.get(
            Request(
                _key(trace, layer),
                (trace,),
                lambda check, _: engine.details(shown.request, trace, layer, check),
            ),
            f"details {shown.run} {layer}",
            again=again,
        )
        return state.value if isinstance(state, Ready) else None

    def problem(self, trace: Trace, layer: int) -> Exception | None:
        """Return why the layer cannot be had, or None."""
        state = self._results.state(_key(trace, layer))
        return state.error if isinstance(state, Failed) else None

    def is_coming(self, trace: Trace, layer: int) -> bool:
        return isinstance(self._results.state(_key(trace, layer)), Coming)

    @Slot(object)
    def _on_result(self, key: Hashable) -> None:
        if isinstance(key, tuple) and key[0] == _KIND and not isinstance(self._results.state(key), Coming):
            self.arrived.emit()


_KIND = "layer details"


def _key(trace: Trace, layer: int) -> Hashable:
    return _KIND, trace, layer


@dataclass(frozen=True, eq=False)
class RunPrediction:
    """The newest predictions of one run.

    `found` belongs to the `tokens` and to the token at `position` that the head for masked tokens was run
    for; None before there is an answer. `task_heads` are those of the checkpoint, as in Logits; `is_saved`
    says that the run was read from a file, without its checkpoint. `problem` is why there is no newer answer.
    `origin` is that of the checkpoint.
    """

    task_heads: tuple[str, ...]
    is_saved: bool
    tokens: Tokens
    position: int | None = None
    found: Predictions | None = None
    problem: AppError | None = None
    origin: str = ""

    @property
    def is_bundled(self) -> bool:
        """Whether the checkpoint ships with the program, which translates the names of its classes."""
        return self.origin == BUNDLED


class RunPredictions(QObject):
    """Has predictions computed on the analyses' worker, the newest request of each run alone.

    Nothing is requested while no view watches. Of several tokens the one that is pointed at counts, else the
    pinned one, else the first that is masked. What failed is requested again with each move of the pointer
    to a token, and when a view begins to watch.
    """

    changed = Signal()

    def __init__(self, engine: Engine, results: Results, pointer: Pointer) -> None:
        super().__init__(results)
        self._engine, self._pointer = engine, pointer
        self._watching: set[str] = set()
        self._shown: dict[Run, TraceResult] = {}
        self._latest: dict[Run, Latest[Predictions]] = {
            run: Latest(results, f"predict {run}") for run in ENCODED_RUNS
        }
        # The view under the pointer is painted before a worker takes a part of the processor.
        self._soon = OneShot(self, self._request_all)
        pointer.changed.connect(self._request_soon)
        for latest in self._latest.values():
            latest.changed.connect(self.changed)

    @property
    def runs(self) -> tuple[Run, ...]:
        return tuple(run for run in ENCODED_RUNS if run in self._shown)

    def of(self, run: Run) -> RunPrediction | None:
        """Return what is predicted of a run, None where there is no such run."""
        result, latest = self._shown.get(run), self._latest[run]
        if result is None:
            return None
        facts, tokens, position = result.facts, result.trace.tokens, None
        if latest.request is not None:
            (trace,), key = latest.request.traces, cast("tuple[str, Trace, int | None]", latest.request.key)
            tokens, position = trace.tokens, key[-1]
        return RunPrediction(
            facts.task_heads,
            isinstance(result, SavedResult),
            tokens,
            position,
            None if latest.request is None else latest.value,
            latest.problem,
            facts.origin,
        )

    def show(self, run: Run, result: TraceResult) -> None:
        """From now on `run` is `result`; the predictions of the one before stay until there are new ones."""
        before = self._shown.get(run)
        if before is result:
            return
        self._shown[run] = result
        is_other = before is None or before.facts.task_heads != result.facts.task_heads
        if is_other or isinstance(result, SavedResult):
            self._latest[run].forget()
        self._request(run)
        self.changed.emit()

    def drop(self, run: Run) -> None:
        if self._shown.pop(run, None) is not None:
            self._latest[run].forget()
            self.changed.emit()

    def watch(self, is_watched: bool, by: str = "inspector") -> None:
        """Keep the predictions up to date as long as anybody watches; `by` names who does, or no longer."""
        (self._watching.add if is_watched else self._watching.discard)(by)
        self._request_all()

    def is_coming(self, run: Run) -> bool:
        """Return whether newer predictions are being computed, or are going to be asked for."""
        return self._soon.isActive() or self._latest[run].is_coming

    def token(self, run: Run) -> int | None:
        """Return the position of the token of a run that the head for masked tokens is run for."""
        tokens = self._shown[run].trace.tokens
        shown = self._pointer.selections[run].shown.within(len(tokens))
        pointed = shown.key if shown.query is None else shown.query
        masked = (position for position, piece in enumerate(tokens.pieces) if piece in MASKS)
        return next(masked, None) if pointed is None else pointed

    @Slot()
    def _request_soon(self) -> None:
        if self._watching:
            self._soon.start()

    @Slot()
    def _request_all(self) -> None:
        for run in self.runs:
            self._request(run)

    def _request(self, run: Run) -> None:
        shown = self._shown[run]
        if not self._watching or isinstance(shown, SavedResult) or not shown.facts.task_heads:
            return
        position, trace = self.token(run) if "masked" in shown.facts.task_heads else None, shown.trace
        positions, engine = () if position is None else (position,), self._engine

        def compute(check: Check, _: object) -> Predictions:
            return engine.predict(shown.request, trace, positions, check=check)

        self._latest[run].ask(Request(("predictions", trace, position), (trace,), compute))


@dataclass(frozen=True, eq=False)
class RunState:
    """One run as panels see it. The tokens of the difference's selection are those of the alignment."""

    pictures: Pictures
    selection: Selection
    viewport: Viewport


class RunStates(QObject):
    """The state of each run that there are `pictures` of."""

    def __init__(
        self,
        pictures: Mapping[Run, Pictures],
        pointer: Pointer,
        store: Store,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._states = {
            run: RunState(of_run, pointer.selections[run], pointer.viewports[run])
            for run, of_run in pictures.items()
        }
        self._pointer, self._store = pointer, store
        self._orders: dict[Run, Callable[[DrawOptions], TokenOrder]] = {}
        self._numbers: dict[Run, AttentionNumbers] = {}
        store.watch(("options",), self._fit_changed)

    def __getitem__(self, run: Run) -> RunState:
        return self._states[run]

    def show(self, run: Run, numbers: AttentionNumbers, ready: tuple[HeadPicture, ...] = ()) -> None:
        """Show the numbers of a trace as run "A" or "B"; some of its pictures may be `ready`."""
        trace = numbers.trace
        # The options may have changed while the worker made them.
        current = self._store.now.options.makes_picture
        fresh = tuple(picture for picture in ready if picture.options.makes_picture == current)
        before, self._numbers[run] = self._numbers.get(run), numbers
        self._states[run].pictures.show(pictures_of_numbers(numbers), fresh)
        self._orders[run] = partial(order_of, trace.tokens, key_tokens=trace.key_tokens)
        self._fit(run)
        self._pointer.keep_within(run, trace.n_tokens, trace.n_keys)
        hovered = self._pointer.hovered[run]
        if hovered and before is not None and run == "A":  # which the others follow
            self._pointer.point(run, pair_in(hovered, before.trace, trace), self._pointer.pinned(run))

    def compare(self, numbers: tuple[AttentionNumbers, AttentionNumbers], positions: Ints) -> None:
        """Show the difference of runs A and B, aligned by `positions` int32 [N, 2] (-1: a gap).

        From now on the heads of both may share their scales.
        """
        of_a, of_b = numbers
        self._states["A"].pictures.show(pictures_of_numbers(of_a, of_b))
        self._states["B"].pictures.show(pictures_of_numbers(of_b, of_a))
        traces = of_a.trace, of_b.trace

        def source(layer: int, head: int, options: DrawOptions) -> RunsDifference:
            order = difference_order(traces, positions, options)
            return difference_source(numbers, positions, layer, head, order)

        size = min(trace.n_layers for trace in traces), min(trace.n_heads for trace in traces)
        self._states["A-B"].pictures.show(HeadPictures(traces, size, source, kind=of_a.kind))
        self._orders["A-B"] = partial(difference_order, traces, positions)
        self._fit("A-B")
        self._pointer.keep_partners_within(of_b.trace.n_tokens)
        self._pointer.align(positions, keys_of(of_a.trace, Alignment(positions)).positions)

    def end_comparison(self) -> None:
        """There is no run B any more."""
        for run in ("B", "A-B"):
            self._orders.pop(run, None)
            self._numbers.pop(run, None)
            self._states[run].pictures.show(None)
        self._pointer.part()
        if "A" in self._numbers:
            self._states["A"].pictures.show(pictures_of_numbers(self._numbers["A"]))

    def _fit(self, run: Run) -> None:
        """Show all of another sequence, or of the same one drawn in another order."""
        counts, viewport = self._orders[run](self._store.now.options).counts, self._states[run].viewport
        if counts != viewport.counts:
            viewport.fit(*counts)

    def _fit_changed(self) -> None:
        for run in RUNS:
            if run in self._orders:
                self._fit(run)


class ShownRuns(QObject):
    """Hands each new result of run A or B to all that is derived from it."""

    def __init__(self, engine: Engine, workers: Workers, panels: Panels, pointer: Pointer) -> None:
        super().__init__(panels)
        store = panels.store
        samples = Results(workers.overviews, workers.failed)  # while heads are drawn, overviews wait
        pictures = {run: Pictures(workers.heads, store, run, samples) for run in RUNS}
        self.heads_of_pair = HeadsOfPair(panels, pointer)
        self.states = RunStates(pictures, pointer, store, self)
        caches = workers.layers, workers.vectors, workers.analysed, workers.heads
        runs = self._runs = RunsOnScreen(*caches)
        self.details = Details(engine, workers.layers, runs)
        self.matrices = ModelMatrices(engine, workers.layers, workers.vectors, runs)
        self.predictions = RunPredictions(engine, workers.analysed, pointer)
        self.inspected = Inspected(panels, pointer, self)
        self.pinned_pair = PinnedPair(pointer, self)
        self.why_weight = WhyWeight(panels, self.inspected, pointer)
        self._shown: dict[Run, Shown] = {}
        self.analyses = Analyses(engine, workers.analysed, workers.heads, runs, panels)
        self.self_testing = SelfTesting(self.analyses, workers.analysed)
        self.rounding = Rounding(engine, workers.analyses, workers.failed)

    def show(self, run: Run, shown: Shown) -> None:
        """Show a result as run "A" or "B"."""
        result = shown.result
        is_here = not isinstance(result, SavedResult) or result.is_here
        self._runs.show(run, result.request, result.trace, is_here=is_here)
        self.analyses.provide(run, shown.numbers)
        if run == "A":
            if run not in self._shown or self._shown[run].result is not result:
                self.self_testing.show(result.trace)
            self.rounding.show(result, is_here=is_here)
        self.states.show(run, shown.numbers, shown.pictures)
        self.predictions.show(run, result)
        overview = shown.overview
        names = names_of(overview.measures, overview.n_queries, overview.n_cross_keys)
        self.inspected.show(run, shown.numbers, overview.stamp, names)
        self.pinned_pair.show(run, shown.numbers, overview.stamp)
        self._shown[run] = shown

    def compare(self, difference: Difference) -> None:
        self._runs.compare(difference.traces, difference.alignment)
        of_a, of_b = self._shown["A"].numbers, self._shown["B"].numbers
        if of_a.kind == of_b.kind:  # else the numbers of one of the two are still to come
            self.states.compare((of_a, of_b), difference.alignment.positions)

    def end_comparison(self) -> None:
        """Forget run B."""
        self._runs.drop("B")
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
    trace, stamp = result.trace, drawn.options.stamp
    numbers, refusal, layered = AttentionNumbers(trace), None, None
    known = (one for one in drawn.known if one.trace is trace and one.kind == stamp.numbers)
    if stamp.numbers != "weight" and (before := next(known, None)) is not None:
        numbers = before
    elif stamp.numbers != "weight":
        try:
            request = AnalysisRequest.of(result.request, ANALYSES[stamp.numbers], {})
            found = engine.analyse(request, trace, Reporter(check, progress))
            assert isinstance(found, HeadMatrices | TokenMatrices)
            numbers = AttentionNumbers(trace, stamp.numbers, found)
        except AppError as error:
            refusal, stamp = error, replace(stamp, numbers="weight")
    n_threads = n_processors()
    if is_long(trace):
        if stamp == WEIGHTS:
            layered = LayeredOverview(trace, n_threads=n_threads)
        else:
            layered = StampedOverview(numbers, stamp, n_threads=n_threads)
        layered.sample(check)
        overview = layered.overview()
    else:
        overview = overview_of(numbers, stamp, check=check, n_threads=n_threads)
    numbers = replace(numbers, sinks=overview.sinks)
    pictures = head_pictures(numbers, drawn.heads, check, drawn.options)
    return Shown(result, overview, numbers, pictures, refusal, drawn.options.stamp.numbers, layered)
