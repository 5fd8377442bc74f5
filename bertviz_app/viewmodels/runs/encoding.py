"""`Encoding`: has texts encoded on a worker once the typing pauses; only the newest one counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QElapsedTimer, QObject, QTimer, Signal, Slot

from bertviz_app.inference.engine import Engine, TraceRequest, TraceResult
from bertviz_app.types import Check
from bertviz_app.viewmodels.runs.shown import DrawnHeads, Shown
from bertviz_app.viewmodels.tasks import FractionDone, Tasks

DEBOUNCE_MS = 70
"""Typing waits this long for the next key before the text is encoded."""
_LONGEST_WAIT = 5
"""So many of these waits at most: who types without a pause, or holds a key down, sees results meanwhile."""
_Made = TypeVar("_Made")
_Done = Callable[[Shown], None]
_Failed = Callable[[Exception], None]


class Encoding(QObject):
    """The work of one run in its `slot` of a worker.

    `due` is emitted when what was scheduled is to be started, `busy_changed` when work begins or ends,
    `progressed` with how much of it is done, from 0 to 1.
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
        tasks.busy_changed.connect(self._on_busy_changed)
        tasks.progressed.connect(self._on_progressed)

    @property
    def is_busy(self) -> bool:
        """Whether something is encoded, or is about to be."""
        return self._timer.isActive() or self._tasks.is_busy(self._slot)

    def schedule(self, *, at_once: bool) -> None:
        """Emit `due` in the next turn of the event loop, or after a pause in typing if one comes soon."""
        if not self._timer.isActive():
            self._waiting.start()
        left = _LONGEST_WAIT * DEBOUNCE_MS - self._waiting.elapsed()
        self._timer.start(0 if at_once else max(0, min(DEBOUNCE_MS, left)))

    def unschedule(self) -> None:
        """Forget what was scheduled; what runs goes on."""
        self._timer.stop()

    def encode(self, request: TraceRequest, done: _Done, failed: _Failed) -> None:
        """Encode the text of `request`; then `done` or `failed`."""
        from bertviz_app.viewmodels.runs.shown_runs import prepared

        self.start(
            lambda check, _, drawn: prepared(self._engine, self._engine.trace(request, check), drawn, check),
            done,
            failed,
        )

    def prepare(self, result: TraceResult, done: _Done, failed: _Failed) -> None:
        """Prepare a result that is there already for the views; then `done` or `failed`."""
        from bertviz_app.viewmodels.runs.shown_runs import prepared

        self.start(
            lambda check, progress, drawn: prepared(self._engine, result, drawn, check, progress),
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
        self._tasks.start(self._slot, lambda check, progress: work(check, progress, drawn), done, failed)

    def cancel(self) -> None:
        """Forget what is scheduled and what runs."""
        self._timer.stop()
        self._tasks.cancel(self._slot)

    @Slot(str, bool)
    def _on_busy_changed(self, slot: str, is_busy: bool) -> None:
        if slot == self._slot:
            self.busy_changed.emit()

    @Slot(str, float)
    def _on_progressed(self, slot: str, fraction: float) -> None:
        if slot == self._slot:
            self.progressed.emit(fraction)
