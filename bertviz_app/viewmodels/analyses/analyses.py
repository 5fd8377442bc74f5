"""The analyses of the shown runs: requested, computed, drawn in panels; self-test and rounding of run A."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from itertools import islice

import numpy as np
from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.attention.stamp import ANALYSES, AttentionNumbers, NumbersKind
from bertviz_app.analysis.compare import MatrixDifference
from bertviz_app.analysis.parameters import Reporter
from bertviz_app.analysis.results import (
    HeadMatrices,
    HeadScalars,
    NamedArrays,
    Result,
    RunMatrix,
    TokenMatrices,
)
from bertviz_app.errors import AnalysisError, AppError, Cancelled, Check, Message, SelectionError
from bertviz_app.inference.engine import AnalysisRequest, Engine, TraceRequest, TraceResult, rounding
from bertviz_app.options import ENCODED_RUNS, SIDES, Run
from bertviz_app.tables import Table
from bertviz_app.text.edits import edits_text, edits_texts
from bertviz_app.timers import OneShot
from bertviz_app.trace import Trace
from bertviz_app.trace.arrays import lacks_states
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.heads.pictures import HeadOfRun, HeadPicture, HeadPictures, Pictures
from bertviz_app.viewmodels.heads.places import (
    PictureSource,
    RunsDifference,
    RunSource,
    TokenOrder,
    TokenPlaces,
    difference_order,
    order_of,
)
from bertviz_app.viewmodels.inspected import Inspected
from bertviz_app.viewmodels.panel import (
    IMAGE,
    MOST as MOST_PANELS,
    Content,
    Panel,
    Value,
    analysis_of,
    reads_second_run,
)
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.pointer import Pointer
from bertviz_app.viewmodels.results import (
    CheckRow,
    Coming,
    Failed,
    FractionDone,
    Latest,
    Ready,
    Request,
    Results,
    RunsOnScreen,
    Tasks,
    TestState,
)
from bertviz_app.viewmodels.state import DrawOptions, Store


def pictures_of_result(result: Result, traces: tuple[Trace, ...]) -> HeadPictures:
    """Return the maker of the pictures of a result of matrices; a matrix of a whole layer is that of head 0.

    `traces`: of the run, or of the two runs whose difference the result is. Raises TypeError for a result
    without matrices.
    """
    if not isinstance(result, HeadMatrices | TokenMatrices):
        raise TypeError(f"{type(result).__name__} has no matrices")
    n_heads = result.n_heads if isinstance(result, HeadMatrices) else 1

    def source(layer: int, head: int, options: DrawOptions) -> PictureSource:
        matrix = result.source(layer, head) if isinstance(result, HeadMatrices) else result.source(layer)
        if isinstance(matrix, MatrixDifference) and len(traces) > 1:
            order = difference_order((traces[0], traces[1]), matrix.positions, options)
            return RunsDifference((traces[0], traces[1]), matrix, order, result.quantity)
        # Between the tokens of two runs columns are those of the other one, be they as many.
        is_of_two = isinstance(result, RunMatrix)
        if not is_of_two and matrix.n_queries == matrix.n_keys == traces[0].n_tokens:
            order = order_of(traces[0].tokens, options)
        else:  # of other things than the tokens of the run, each once
            sizes, places = (len(result.queries), len(result.keys)), []
            for labels, size in zip((result.queries, result.keys), sizes, strict=True):
                starts = np.arange(size, dtype=np.int32)
                places.append(TokenPlaces(starts, starts + 1, labels, labels, np.zeros(size, bool)))
            order = TokenOrder(places[0], places[1], *sizes, keys_are_of_other_run=is_of_two)
        if order.renormalises and not result.quantity.is_share:
            order = replace(order, renormalises=False)  # rows of lengths are no parts of 1
        return RunSource(traces[0], matrix, order, result.quantity, result.identity_error)

    return HeadPictures(traces, (result.n_layers, n_heads), source, result=result)


MOST_ROWS = 500


def shown_table(result: Result) -> Table:
    """Return the first MOST_ROWS rows of a result; none of matrices.

    Of named arrays they are those of its first picture, where it has one.
    """
    if isinstance(result, HeadMatrices | TokenMatrices):
        return Table((), ())
    drawn = result.pictures() if isinstance(result, NamedArrays) else ()
    table = drawn[0].as_table() if drawn else result.as_table()
    return Table(table.columns, tuple(tuple(row) for row in islice(table.rows, MOST_ROWS)))


@dataclass(frozen=True, eq=False)
class Analysed:
    """The result of an analysis, and the rows of it that a table shows.

    `traces`: of the run, or of the two runs whose difference it is. `other`: a second run that the analysis
    read, too.
    """

    content: Content
    traces: tuple[Trace, ...]
    result: Result
    table: Table
    other: Trace | None = None

    @property
    def interventions(self) -> str:
        """What was done to the model, in one line; "" for nothing."""
        runs = self.traces if self.other is None else (*self.traces, self.other)
        if len(runs) > 1:
            return edits_texts(runs[0].edits, runs[1].edits)
        return "".join(edits_text(trace.edits) for trace in runs)


class Analyses(QObject):
    """Has the analyses of panels computed on the worker of analyses; of each panel the newest request counts.

    A panel of run A or B shows the result of that run, one of A-B the difference of both results. An analysis
    that compares two runs itself is done once: of A and B, or of B and A in a panel of run B.

    `changed` is emitted on progress, and when a result, a failure or a picture is there.
    """

    changed = Signal()

    def __init__(
        self, engine: Engine, results: Results, pictures: Results, runs: RunsOnScreen, panels: Panels
    ) -> None:
        """`results` computes the analyses of `runs`, `pictures` the pictures of their matrices."""
        super().__init__(results)
        self._engine, self._runs, self._panels = engine, runs, panels
        self._results, self._pictures = results, pictures
        self._slots: dict[int, tuple[str, ...]] = {}
        results.changed.connect(self._on_result)
        pictures.changed.connect(self._on_result)
        panels.content_chosen.connect(self._release)
        panels.changed.connect(self._on_panels_changed)

    def provide(self, run: Run, numbers: AttentionNumbers) -> None:
        """Cache the result of an analysis that was computed with a run, for panels that show it."""
        if numbers.result is None:
            return
        content = Content(ANALYSES[numbers.kind])
        if (request := self.request_of_run(run, content)) is not None:
            analysed = Analysed(content, (numbers.trace,), numbers.result, shown_table(numbers.result))
            self._results.put(request, analysed)

    def known(self, kind: NumbersKind) -> tuple[AttentionNumbers, ...]:
        """Return the numbers of a kind that are there for the runs that are shown."""
        if kind not in ANALYSES:
            return ()
        found = []
        for run in self._runs:
            result = self.result_of(Content(ANALYSES[kind]), run.trace)
            if isinstance(result, HeadMatrices | TokenMatrices):
                found.append(AttentionNumbers(run.trace, kind, result))
        return tuple(found)

    def get(self, panel: Panel) -> Ready[Analysed] | Coming | Failed | None:
        """Return the result that a panel shows, or have it computed; None while there is no such run."""
        if (request := self._request(panel)) is None:
            return None
        self._slots.setdefault(panel.number, ())
        return self._results.get(request, _slot(panel))

    def found(self, panel: Panel) -> Analysed | None:
        """Return the result that a panel shows if it is there, without having it computed."""
        request = self._request(panel)
        state = None if request is None else self._results.state(request.key)
        return state.value if isinstance(state, Ready) else None

    def result_of(self, content: Content, trace: Trace) -> Result | None:
        """Return the result of an analysis of one run if it is there, without having it computed."""
        state = self._results.state(("analysis", content, (trace,)))
        return state.value.result if isinstance(state, Ready) else None

    def request_of_run(self, run: Run, content: Content) -> Request[Analysed] | None:
        """Return the request for an analysis of one run, as panels make it; None without the run."""
        if (shown := self._runs.get(run)) is None:
            return None
        work = partial(self._analyse, content, shown.request, (shown.trace,))
        return Request(("analysis", content, (shown.trace,)), (shown.trace,), work)

    def pictures(self, panel: Panel, analysed: Analysed) -> list[Ready[HeadPicture] | Coming | Failed]:
        """Return the pictures of the heads that a panel shows, or have them made.

        Returns an empty list where the result has no such layer or head.
        """
        made = pictures_of_result(analysed.result, analysed.traces)
        heads = panel.shown_heads if isinstance(analysed.result, HeadMatrices) else (0,)
        layer = 0 if isinstance(analysed.result, RunMatrix) else panel.layer
        if not all(made.has(layer, head) for head in heads):
            return []
        slots = tuple(f"{_slot(panel)} head {head}" for head in heads)
        for slot in set(self._slots.get(panel.number, ())).difference(slots):
            self._pictures.release(slot)
        self._slots[panel.number] = slots
        options = self._panels.store.now.options
        return [
            self._pictures.get(made.request(layer, head, options), slot)
            for head, slot in zip(heads, slots, strict=True)
        ]

    def size(self, analysed: Analysed) -> tuple[int, int]:
        """Return the number of layers and of heads that there are pictures of."""
        return pictures_of_result(analysed.result, analysed.traces).size

    def cancel(self, panel: Panel) -> None:
        """Stop computing what a panel waits for, at the user's request."""
        self._results.cancel(_slot(panel))

    def _request(self, panel: Panel) -> Request[Analysed] | None:
        """Return the request for what a panel shows; None while its runs are not there."""
        content, compares = replace(panel.shown_content, part=""), reads_second_run(panel.content)
        if panel.run == "A-B" and not compares:
            return self._request_of_difference(content)
        first, second = (self._runs.get(run) for run in SIDES[panel.run])
        if first is None or (panel.run == "A-B" and self._runs.compared is None):
            return None
        traces = (first.trace, second.trace) if compares and second is not None else (first.trace,)
        work = partial(self._analyse, content, first.request, traces)
        return Request(("analysis", content, traces), traces, work)

    def _request_of_difference(self, content: Content) -> Request[Analysed] | None:
        a, b, compared = self._runs.get("A"), self._runs.get("B"), self._runs.compared
        if a is None or b is None or compared is None:
            return None
        (traces, alignment), requests = compared, (a.request, b.request)
        known = [self._results.state(("analysis", content, (trace,))) for trace in traces]

        def work(check: Check, progress: FractionDone) -> Analysed:
            def advance(at: int, done: float) -> None:
                progress((at + done) / 2)

            found = [
                state.value
                if isinstance(state, Ready)
                else self._analyse(content, requests[at], (traces[at],), check, partial(advance, at))
                for at, state in enumerate(known)
            ]
            result = found[0].result.minus(found[1].result, alignment)
            return Analysed(content, traces, result, shown_table(result))

        return Request(("difference of analyses", content, traces), traces, work)

    def _analyse(
        self,
        content: Content,
        run: TraceRequest,
        traces: tuple[Trace, ...],
        check: Check,
        progress: FractionDone,
    ) -> Analysed:
        """Run an analysis of a trace, which may compare it with a second one; on the worker."""
        if analysis_of(content) is None:  # of a session that another version of the program saved
            raise AnalysisError(
                Message("There is no analysis “{0}”.", content.analysis),
                Message("Choose another one by ▾ beside the title of the panel."),
            )
        request = AnalysisRequest.of(run, content.analysis, dict(content.parameters))
        other = traces[1] if len(traces) > 1 else None
        result = self._engine.analyse(request, traces[0], Reporter(check, progress), other)
        return Analysed(content, traces[:1], result, shown_table(result), other)

    @Slot(int)
    def _release(self, number: int) -> None:
        """Stop waiting for the result of a panel; its next request computes what failed or was cancelled."""
        for slot in self._slots.pop(number, ()):
            self._pictures.release(slot)
        self._results.release(f"panel {number}")

    @Slot()
    def _on_panels_changed(self) -> None:
        shown = {panel.number for panel in self._panels.panels if panel.content.analysis}
        for number in self._slots.keys() - shown:
            self._release(number)

    @Slot(object)
    def _on_result(self, key: Hashable) -> None:
        kinds = "analysis", "difference of analyses", "head picture"
        if self._slots and isinstance(key, tuple) and key[0] in kinds:
            self.changed.emit()


def _slot(panel: Panel) -> str:
    return f"panel {panel.number}"


class Baselines(Latest[Analysed]):
    """The baselines of the run that the table shows, while the option asks for them."""

    def __init__(
        self, analyses: Analyses, results: Results, store: Store, parent: QObject | None = None
    ) -> None:
        super().__init__(results, "baselines", parent)
        self._analyses, self._store = analyses, store
        self._run: Run = "A"
        store.watch(("overview",), self.refresh)

    @property
    def found(self) -> HeadScalars | None:
        """The baseline of each head, None while there is none."""
        result = None if self.value is None else self.value.result
        return result if isinstance(result, HeadScalars) else None

    def show(self, run: Run) -> None:
        """From now on the table shows run "A" or "B", or another result of it."""
        self._run = run
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Request what is shown; those of another result are no baselines of this one."""
        request = None
        if self._store.now.overview.shows_baselines:
            request = self._analyses.request_of_run(self._run, Content("head-baselines"))
        if request is None:
            self.forget()
        elif not self.is_requested(request):
            self.forget()
            self.ask(request)


DrawnContent = HeadPicture | HeadOfRun | Analysed


@dataclass(frozen=True, eq=False)
class DrawnPanel:
    """What a panel draws.

    `front`: the picture of the panel's head, the head itself for a view that needs no picture, or a result
    that is no matrix; None: it is not there, and `state` says whether it is coming or failed. `sample`: what
    a matrix draws until it is there, of some of the queries. `pictures`: those of several heads that are
    there; `is_whole`: they all are. `missing`: the run has no such head, but so many layers and heads.
    """

    front: DrawnContent | None = None
    pictures: tuple[HeadPicture, ...] = ()
    is_whole: bool = False
    state: Coming | Failed | None = None
    missing: tuple[int, int] | None = None
    sample: HeadPicture | None = None


def drawn_in(panel: Panel, pictures: Pictures, analyses: Analyses) -> DrawnPanel:
    """Return what a panel draws; what is not there yet is requested.

    `pictures` are those of the heads of the panel's run.
    """
    if panel.kind.key == IMAGE and pictures.size is not None and not pictures.has_image:
        return DrawnPanel(state=Failed(lacks_image()))
    if panel.content.analysis:
        return _of_analysis(panel, analyses)
    if not pictures.has(panel.layer, panel.head):
        return DrawnPanel(missing=pictures.size)
    if not panel.kind.needs_picture:
        head = pictures.head_of_run(panel.layer, panel.head)
        if head is not None and not all(trace.has_states for trace in head.traces):
            return DrawnPanel(state=Failed(lacks_states()))
        return DrawnPanel(head, is_whole=head is not None)
    drawn = _of_pictures(panel, [pictures.get(panel.layer, head) for head in panel.shown_heads])
    if drawn.front is not None:
        return drawn
    sample = pictures.sample(panel.layer, panel.head) if panel.kind.key == "matrix" else None
    state = pictures.state(panel.layer, panel.head)
    return DrawnPanel(state=None if isinstance(state, Ready) else state, sample=sample)


def lacks_image() -> SelectionError:
    """Return the error where the tokens are not patches of an image."""
    return SelectionError(
        Message("These tokens are not the patches of an image."),
        Message("Give the image to from_arrays, with patches=(rows, columns)."),
    )


def cancel(panel: Panel, pictures: Pictures, analyses: Analyses) -> None:
    """Stop computing what a panel waits for, at the user's request."""
    if panel.content.analysis:
        analyses.cancel(panel)
    else:
        pictures.cancel(panel.layer, panel.head)


def _of_analysis(panel: Panel, analyses: Analyses) -> DrawnPanel:
    state = analyses.get(panel)
    if not isinstance(state, Ready):
        return DrawnPanel(state=state)
    if not panel.kind.needs_picture:
        return DrawnPanel(state.value, is_whole=True)
    if not (states := analyses.pictures(panel, state.value)):
        return DrawnPanel(missing=analyses.size(state.value))
    drawn = _of_pictures(panel, [one.value if isinstance(one, Ready) else None for one in states])
    if drawn.front is not None:
        return drawn
    return DrawnPanel(state=next((one for one in states if isinstance(one, Failed)), Coming()))


def _of_pictures(panel: Panel, found: Sequence[HeadPicture | None]) -> DrawnPanel:
    there = tuple(picture for picture in found if picture is not None)
    # A matrix of a whole layer is drawn as that of head 0, whichever head the panel is on.
    heads = (panel.head,) if len(found) > 1 else tuple(picture.head for picture in there)
    front = next((picture for picture in there if picture.head in heads), None)
    return DrawnPanel(front, there if len(found) > 1 else (), is_whole=None not in found)


LOGIT_LENS = "logit-lens"


def follow_piece(panels: Panels, run: Run, position: int, piece: str) -> None:
    """Let the open panels of a run that show predictions by layer follow `piece`; `position` is not used.

    The parameters are those of a signal of a piece that is put into the text.
    """
    for panel in panels.panels:
        if panel.content.analysis == LOGIT_LENS and panel.run == run:
            content = panel.shown_content
            others = tuple(one for one in content.parameters if one[0] != "piece")
            followed = replace(content, parameters=(*others, ("piece", piece)))
            if followed != content:
                panels.choose(panel.number, followed)


WORDS = "word-cosines"


def compare_word(panels: Panels, position: int, run: Run) -> None:
    """Show a token of run A or B beside the one that corresponds to it: in the panel that does, or a new one.

    A token of run B takes the place of that one.
    """
    there = next((panel for panel in panels.panels if panel.content.analysis == WORDS), None)
    chosen = {} if there is None else dict(there.content.parameters)
    if run == "A":
        chosen = {name: value for name, value in chosen.items() if name != "beside"}
    content = Content(WORDS, tuple((chosen | {"token" if run == "A" else "beside": position}).items()))
    if there is not None:
        panels.choose(there.number, content)
    elif panels.active is not None and len(panels.panels) < MOST_PANELS:
        panels.insert(replace(panels.active, run="A", heads=(), content=content))
    elif panels.active is not None:
        panels.choose(panels.active.number, content)


DELAY_MS = 500
"""The test begins this long after the last key."""

MOST_TOKENS = 512
"""A longer text is tested only in a panel, on request: that takes seconds and gigabytes."""

_SELF_TEST = "self-test"


class SelfTesting(QObject):
    """Tests run A once the typing has paused and no other analysis is under way, and yields to both.

    `changed` is emitted with every new `state`.
    """

    changed = Signal()

    def __init__(self, analyses: Analyses, results: Results) -> None:
        super().__init__(analyses)
        self._analyses, self._results = analyses, results
        self._key: Hashable = None
        self._timer = OneShot(self, self._start, DELAY_MS)
        self.state = TestState()
        results.changed.connect(self._on_result)
        results.tasks.busy_changed.connect(self._on_busy_changed)

    def show(self, trace: Trace) -> None:
        """From now on run A is `trace`."""
        self.pause()
        if trace.n_tokens > MOST_TOKENS:
            message = Message("A text of more than {0} tokens is tested only in a panel.", MOST_TOKENS)
            self._set(TestState("unavailable", reason=AppError(message)))
        else:
            self._set(TestState("running"))
            self._timer.start()

    @Slot()
    def pause(self) -> None:
        """Stop the test: another text is coming."""
        self._timer.stop()
        self._results.release(_SELF_TEST)
        self._key = None

    @Slot()
    def _start(self) -> None:
        if self._results.tasks.is_any_busy:
            return  # its end starts the timer anew
        if (request := self._analyses.request_of_run("A", Content("self-test"))) is not None:
            self._key = request.key
            self._take(self._results.get(request, _SELF_TEST))

    @Slot(object)
    def _on_result(self, key: Hashable) -> None:
        if self._key is not None and key == self._key:
            self._take(self._results.state(key))

    def _take(self, state: object) -> None:
        if isinstance(state, Ready) and isinstance(state.value, Analysed):
            result = state.value.result
            assert isinstance(result, NamedArrays)
            names, named = result.axes_of["values"][0].labels, result.named
            checks = zip(names, named["values"].tolist(), named["limits"].tolist(), strict=True)
            rows = tuple(CheckRow(*check) for check in checks)
            self._set(TestState("passed" if all(row.is_passed for row in rows) else "failed", rows))
        elif isinstance(state, Failed):
            error = None if isinstance(state.error, Cancelled) else state.error
            self._set(TestState("unavailable", reason=error if isinstance(error, AppError) else None))

    @Slot(str, bool)
    def _on_busy_changed(self, slot: str, is_busy: bool) -> None:
        """Make room for an analysis that the user asked for, and test once it is done."""
        if slot == _SELF_TEST or self.state.outcome != "running":
            return
        if is_busy:
            self.pause()
        else:
            self._timer.start()

    def _set(self, state: TestState) -> None:
        if state != self.state:
            self.state = state
            self.changed.emit()


_ROUNDING_SLOT = "rounding"


class Rounding(QObject):
    """Has the text of run A encoded again in float32, and compares the weights.

    `largest` is the largest difference of a weight, None where it is not known: while it is being measured,
    and where that was given up or failed. `is_here`: whether the checkpoint that it would be measured with is
    on this computer.
    """

    changed = Signal()

    def __init__(self, engine: Engine, tasks: Tasks, failed: Callable[[Exception], None]) -> None:
        super().__init__(tasks)
        self._engine, self._tasks, self._failed = engine, tasks, failed
        self._result: TraceResult | None = None
        self.largest: float | None = None
        self.is_here = True

    @property
    def is_low(self) -> bool:
        """Whether what is shown was made with bfloat16."""
        return self._result is not None and self._result.trace.provenance.dtype == "bfloat16"

    @property
    def is_comparing(self) -> bool:
        """Whether the difference is being measured."""
        return self._tasks.is_busy(_ROUNDING_SLOT)

    @Slot()
    def pause(self) -> None:
        """Stop comparing: another text is coming."""
        if self._tasks.is_busy(_ROUNDING_SLOT):
            self._tasks.cancel(_ROUNDING_SLOT)
            self.changed.emit()

    def show(self, result: TraceResult, *, is_here: bool) -> None:
        """Compare `result` with float32 if it has less, and its checkpoint `is_here`."""
        if self._result is result:
            return
        self._tasks.cancel(_ROUNDING_SLOT)
        was_low = self.is_low
        self._result, self.largest, self.is_here = result, None, is_here
        if self.is_low and is_here:

            def measure(check: Check, progress: FractionDone) -> float:
                return rounding(self._engine, result.request, result.trace, check)

            def measured(largest: float) -> None:
                self.largest = largest
                self.changed.emit()

            def failed(error: Exception) -> None:
                self.changed.emit()
                self._failed(error)

            self._tasks.start(_ROUNDING_SLOT, measure, measured, failed)
        if self.is_low or was_low:
            self.changed.emit()


WHY_WEIGHT = "score-parts"


class WhyWeight(QObject):
    """The panel is one more beside the active one; where there are six, the active one shows it."""

    def __init__(self, panels: Panels, inspected: Inspected, pointer: Pointer) -> None:
        super().__init__(panels)
        self._panels, self._inspected, self._pointer = panels, inspected, pointer
        pointer.changed.connect(self._follow)

    def ask(self) -> None:
        """Explain the weight of the inspected pair, in the panel that explains one or in a new one."""
        pair, active = self._inspected.pair, self._panels.active
        if pair is None or active is None:
            return
        content = _content(pair.layer, pair.head, pair.numbers.query, pair.numbers.key)
        panels = self._panels.panels
        there = [one for one in panels if one.content.analysis == WHY_WEIGHT and one.run == pair.run]
        if there or len(panels) >= MOST_PANELS:
            self._panels.choose((*there, active)[0].number, content)
            return
        explaining = replace(active, layer=pair.layer, head=pair.head, run=pair.run)
        self._panels.insert(replace(explaining, heads=(), content=content))

    @Slot()
    def _follow(self) -> None:
        """Explain the weight of the pair that is pinned now, in the head of each panel that explains one."""
        for panel in self._panels.panels:
            if panel.content.analysis != WHY_WEIGHT or panel.run not in ENCODED_RUNS:
                continue
            pinned = self._pointer.pinned(panel.run)
            if pinned.query is None or pinned.key is None:
                continue
            content = _content(panel.layer, panel.head, pinned.query, pinned.key)
            if content != panel.shown_content:
                self._panels.choose(panel.number, content)


def _content(layer: int, head: int, query: int, key: int) -> Content:
    at: tuple[tuple[str, Value], ...] = (("layer", layer), ("head", head))
    named: tuple[tuple[str, Value], ...] = (("query", query), ("key", key))
    # 0 is the default of both, which is left out.
    return Content(WHY_WEIGHT, (*at, *(one for one in named if one[1])))
