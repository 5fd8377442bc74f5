"""`Encoding`: has texts encoded on a worker once the typing pauses; only the newest one counts."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot

from bertviz_app.inference.engine import Engine, TraceRequest, TraceResult
from bertviz_app.types import Check, Progress
from bertviz_app.viewmodels.runs.shown import DrawnHeads, Shown
from bertviz_app.viewmodels.runs.shown_runs import prepared
from bertviz_app.viewmodels.tasks import FractionDone, Tasks

DEBOUNCE_MS = 70
"""Typing waits this long for the next key before the text is encoded."""
PATIENCE = 1.0
"""After so many seconds it is shown how much of a text is encoded."""

_OF_PASS = 0.9
"""The share of the layers in that; the rest is the first overview."""

_LONGEST_WAIT = 5
"""So many of these waits at most: who types without a pause, or holds a key down, sees results meanwhile."""
_Made = TypeVar("_Made")
_Done = Callable[[Shown], None]
_Failed = Callable[[Exception], None]


class Encoding(QObject):
    """The work of one run in its `slot` of a worker.

    `due` is emitted when what was scheduled is to be started, `busy_changed` when work begins or ends,
    `progressed` with how much of it is done, from 0 to 1. `progress` is the newest such number, None until
    there is one: for a text after PATIENCE. `is_given_up`: the user cancelled what was requested last.
    """

    due = Signal()
    busy_changed = Signal()
    progressed = Signal(float)

    def __init__(
        self, engine: Engine, tasks: Tasks, slot: str, drawn: Callable[[], DrawnHeads] = DrawnHeads
    ) -> None:
        """`drawn` returns what panels draw just now."""
        super().__init__(tasks)
        self._engine = engine
        self._tasks = tasks
        self._slot = slot
        self.drawn = drawn
        self._timer = QTimer(self, singleShot=True, interval=DEBOUNCE_MS)
        self._timer.timeout.connect(self.due)
        self._waiting = QElapsedTimer()
        self._late = QTimer(self, singleShot=True)
        self._late.timeout.connect(self._on_late)
        self.progress: float | None = None
        self.is_given_up = False
        tasks.busy_changed.connect(self._on_busy_changed)
        tasks.progressed.connect(self._on_progressed)

    @property
    def is_busy(self) -> bool:
        """Whether something is encoded, or is about to be."""
        return self._timer.isActive() or self.is_running

    @property
    def is_running(self) -> bool:
        """Whether something is encoded; `busy_changed` is emitted whenever this changes."""
        return self._tasks.is_busy(self._slot)

    def schedule(self, *, at_once: bool) -> None:
        """Emit `due` in the next turn of the event loop, or after a pause in typing if one comes soon."""
        self.progress = None
        if not self._timer.isActive():
            self._waiting.start()
        left = _LONGEST_WAIT * DEBOUNCE_MS - self._waiting.elapsed()
        self._timer.start(0 if at_once else max(0, min(DEBOUNCE_MS, left)))

    def unschedule(self) -> None:
        """Forget what was scheduled; what runs goes on."""
        self._timer.stop()

    def encode(self, request: TraceRequest, done: _Done, failed: _Failed) -> None:
        """Encode the text of `request`; then `done` or `failed`."""

        def work(check: Check, progress: FractionDone, drawn: DrawnHeads) -> Shown:
            result = self._engine.trace(request, check, _after(PATIENCE, progress))
            return prepared(self._engine, result, drawn, check)

        self.start(work, done, failed)
        self._late.start(round(1000 * PATIENCE))

    def prepare(self, result: TraceResult, done: _Done, failed: _Failed) -> None:
        """Prepare a result that is there already for the views; then `done` or `failed`."""
        self.start(
            lambda check, _, drawn: prepared(self._engine, result, drawn, check),
            done,
            failed,
        )

    def start(
        self,
        work: Callable[[Check, FractionDone, DrawnHeads], _Made],
        done: Callable[[_Made], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Run `work(check, progress, drawn)` on the worker; then `done(value)` or `failed(error)`."""
        drawn = self.drawn()  # read here: panels and options change on this thread while the worker works
        self._timer.stop()
        self._late.stop()
        self.progress, self.is_given_up = None, False
        self._tasks.start(self._slot, lambda check, progress: work(check, progress, drawn), done, failed)

    def cancel(self) -> None:
        """Forget what is scheduled and what runs."""
        self._timer.stop()
        self.is_given_up = False
        self._tasks.cancel(self._slot)

    @Slot()
    def give_up(self) -> None:
        """Cancel what runs, at the user's request."""
        if self.is_busy:
            self.cancel()
            self.is_given_up = True
            self.busy_changed.emit()

    @Slot(str, bool)
    def _on_busy_changed(self, slot: str, is_busy: bool) -> None:
        if slot == self._slot:
            self._late.stop()
            self.busy_changed.emit()

    @Slot()
    def _on_late(self) -> None:
        """Report that nothing is done yet: the first layer of a long text takes long, too."""
        if self.progress is None:
            self.progress = 0.0
            self.progressed.emit(0.0)

    @Slot(str, float)
    def _on_progressed(self, slot: str, fraction: float) -> None:
        if slot == self._slot:
            self.progress = fraction
            self.progressed.emit(fraction)


def _after(seconds: float, progress: FractionDone) -> Progress:
    """Return a function that reports what is done to `progress`, once the work has taken `seconds`."""
    started = time.monotonic()

    def report(done: int, total: int) -> None:
        if time.monotonic() - started >= seconds:
            progress(_OF_PASS * done / total)

    return report
