"""`SelfTesting`: whether the numbers of the sentence on screen passed the self-test."""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from bertviz_app.analysis.results import NamedArrays
from bertviz_app.errors import AppError, Cancelled, Message
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.analyses.analyses import Analysed, Analyses
from bertviz_app.viewmodels.analyses.self_test import CheckRow, TestState
from bertviz_app.viewmodels.panel_choices import Content
from bertviz_app.viewmodels.results import Failed, Ready, Results

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
        self._analyses = analyses
        self._results = results
        self._key: Hashable = None
        self._timer = QTimer(self, singleShot=True, interval=DELAY_MS)
        self._timer.timeout.connect(self._start)
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
        request = self._analyses.request_of_run("A", Content("self-test"))
        if request is not None:
            self._key = request.key
            self._take(self._results.get(request, _SLOT))

    @Slot(object)
    def _on_result(self, key: Hashable) -> None:
        if self._key is not None and key == self._key:
            self._take(self._results.state(key))

    def _take(self, state: object) -> None:
        if isinstance(state, Ready) and isinstance(state.value, Analysed):
            self._set(_of_result(state.value.result))
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


def _of_result(result: object) -> TestState:
    assert isinstance(result, NamedArrays)
    names = result.axes_of["values"][0].labels
    numbers = zip(names, result.named["values"].tolist(), result.named["limits"].tolist(), strict=True)
    rows = tuple(CheckRow(*one) for one in numbers)
    return TestState("passed" if all(row.is_passed for row in rows) else "failed", rows)
