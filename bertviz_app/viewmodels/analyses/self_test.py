"""The self-test of a run, and how far its numbers are rounded."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.results import NamedArrays
from bertviz_app.errors import AppError, Cancelled, Check, Message
from bertviz_app.inference.engine import Engine, TraceResult, rounding
from bertviz_app.options import ENCODED_RUNS
from bertviz_app.timers import OneShot
from bertviz_app.trace import Trace
from bertviz_app.values import replace
from bertviz_app.viewmodels.analyses.analyses import Analysed, Analyses
from bertviz_app.viewmodels.inspected import Inspected
from bertviz_app.viewmodels.panel import MOST, Content, Value
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.pointer import Pointer
from bertviz_app.viewmodels.results import CheckRow, Failed, FractionDone, Ready, Results, Tasks, TestState

DELAY_MS = 500
"""The test begins this long after the last key."""

MOST_TOKENS = 512
"""A longer text is tested only in a panel, on request: that takes seconds and gigabytes."""

_SLOT = "self-test"


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
        self._results.release(_SLOT)
        self._key = None

    @Slot()
    def _start(self) -> None:
        if self._results.tasks.is_any_busy:
            return  # its end starts the timer anew
        if (request := self._analyses.request_of_run("A", Content("self-test"))) is not None:
            self._key = request.key
            self._take(self._results.get(request, _SLOT))

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
        if slot == _SLOT or self.state.outcome != "running":
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


KEY = "score-parts"


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
        there = [one for one in panels if one.content.analysis == KEY and one.run == pair.run]
        if there or len(panels) >= MOST:
            self._panels.choose((*there, active)[0].number, content)
            return
        explaining = replace(active, layer=pair.layer, head=pair.head, run=pair.run)
        self._panels.insert(replace(explaining, heads=(), content=content))

    @Slot()
    def _follow(self) -> None:
        """Explain the weight of the pair that is pinned now, in the head of each panel that explains one."""
        for panel in self._panels.panels:
            if panel.content.analysis != KEY or panel.run not in ENCODED_RUNS:
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
    return Content(KEY, (*at, *(one for one in named if one[1])))  # 0 is their default, which is left out
