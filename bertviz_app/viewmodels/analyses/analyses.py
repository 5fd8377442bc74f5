"""`Analyses`: the results of analyses for the panels on screen, and the pictures of their matrices."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.attention.stamp import ANALYSES, AttentionNumbers, NumbersKind
from bertviz_app.analysis.compare import Alignment
from bertviz_app.analysis.reporter import Callbacks
from bertviz_app.analysis.results import HeadMatrices, Result, RunMatrix, TokenMatrices
from bertviz_app.inference.engine import AnalysisRequest, Engine, TraceRequest
from bertviz_app.options import Run
from bertviz_app.tables import Table
from bertviz_app.text.edits import edits_text, edits_texts
from bertviz_app.trace import Trace
from bertviz_app.types import Check
from bertviz_app.viewmodels.analyses.result_pictures import pictures_of_result
from bertviz_app.viewmodels.analyses.result_tables import shown_table
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.options import Options
from bertviz_app.viewmodels.panel_choices import Content
from bertviz_app.viewmodels.panel_contents import reads_second_run
from bertviz_app.viewmodels.panels import Panel, Panels
from bertviz_app.viewmodels.results import Coming, Failed, Ready, Request, Results
from bertviz_app.viewmodels.tasks import FractionDone


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
        self, engine: Engine, results: Results, pictures: Results, options: Options, panels: Panels
    ) -> None:
        """`results` computes the analyses, `pictures` the pictures of their matrices."""
        super().__init__(results)
        self._engine = engine
        self._results = results
        self._pictures = pictures
        self._options = options
        self._panels = panels
        self._runs: dict[str, tuple[TraceRequest, Trace]] = {}
        self._compared: tuple[tuple[Trace, Trace], Alignment] | None = None
        self._slots: dict[int, tuple[str, ...]] = {}
        results.changed.connect(self._on_result)
        pictures.changed.connect(self._on_result)
        panels.content_chosen.connect(self._release)
        panels.changed.connect(self._on_panels_changed)

    def show(self, run: Run, request: TraceRequest, trace: Trace) -> None:
        """From now on `run` ("A", "B") is `trace`, the answer to `request`."""
        if run not in self._runs or self._runs[run][1] is not trace:
            self._runs[run] = request, trace
            self._hold(run, (trace,))

    def provide(self, run: Run, numbers: AttentionNumbers) -> None:
        """Cache the result of an analysis that was computed with a run, for panels that show it."""
        if numbers.result is None:
            return
        content = Content(ANALYSES[numbers.kind])
        request = self.request_of_run(run, content)
        if request is not None:
            analysed = Analysed(content, (numbers.trace,), numbers.result, shown_table(numbers.result))
            self._results.put(request, analysed)

    def known(self, kind: NumbersKind) -> tuple[AttentionNumbers, ...]:
        """Return the numbers of a kind that are there for the runs that are shown."""
        if kind not in ANALYSES:
            return ()
        found = []
        for _, trace in self._runs.values():
            state = self._results.state(("analysis", Content(ANALYSES[kind]), (trace,)))
            if isinstance(state, Ready) and isinstance(state.value.result, HeadMatrices | TokenMatrices):
                found.append(AttentionNumbers(trace, kind, state.value.result))
        return tuple(found)

    def compare(self, traces: tuple[Trace, Trace], alignment: Alignment) -> None:
        """From now on A-B is the difference of these runs, A's first."""
        self._compared = traces, alignment

    def drop(self, run: Run) -> None:
        self._compared = None
        if self._runs.pop(run, None) is not None:
            self._hold(run, ())

    def get(self, panel: Panel) -> Ready[Analysed] | Coming | Failed | None:
        """Return the result that a panel shows, or have it computed; None while there is no such run."""
        request = self._request(panel)
        if request is None:
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
        if run not in self._runs:
            return None
        request, trace = self._runs[run]
        work = partial(self._analyse, content, request, (trace,))
        return Request(("analysis", content, (trace,)), (trace,), work)

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
        options = self._options.value
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
        runs = ("B", "A") if panel.run == "B" else ("A", "B")
        if runs[0] not in self._runs or (panel.run == "A-B" and self._compared is None):
            return None
        traces = tuple(self._runs[run][1] for run in runs[: 2 if compares else 1] if run in self._runs)
        work = partial(self._analyse, content, self._runs[runs[0]][0], traces)
        return Request(("analysis", content, traces), traces, work)

    def _request_of_difference(self, content: Content) -> Request[Analysed] | None:
        if self._compared is None or self._runs.keys() != {"A", "B"}:
            return None
        traces, alignment = self._compared
        requests = self._runs["A"][0], self._runs["B"][0]
        known = [self._results.state(("analysis", content, (trace,))) for trace in traces]

        def work(check: Check, progress: FractionDone) -> Analysed:
            found = [
                state.value
                if isinstance(state, Ready)
                else self._analyse(content, requests[at], (traces[at],), check, _half(progress, at))
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
        request = AnalysisRequest.of(run, content.analysis, dict(content.parameters))
        other = traces[1] if len(traces) > 1 else None
        result = self._engine.analyse(request, traces[0], Callbacks(check, progress), other)
        return Analysed(content, traces[:1], result, shown_table(result), other)

    def _hold(self, run: Run, traces: tuple[Trace, ...]) -> None:
        for results in (self._results, self._pictures):
            results.hold(f"analyses {run}", traces)

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
        if self._slots and isinstance(key, tuple) and key[0] in _KINDS:
            self.changed.emit()


_KINDS = ("analysis", "difference of analyses", "head picture")


def _slot(panel: Panel) -> str:
    return f"panel {panel.number}"


def _half(progress: FractionDone, at: int) -> FractionDone:
    """Return a function that reports progress within the first (`at` 0) or the second (1) of two halves."""
    return lambda done: progress((at + done) / 2)
