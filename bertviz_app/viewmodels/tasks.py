"""`Tasks`: work for another thread, whose end is reported on the interface thread unless superseded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, Signal, Slot

from bertviz_app.inference.jobs import JobOutcome, Jobs
from bertviz_app.types import Check

FractionDone = Callable[[float], None]
"""Tells how much is done, from 0 to 1; may be called on any thread."""


@dataclass(frozen=True)
class _Arrival:
    slot: str
    ticket: int
    outcome: JobOutcome
    done: Callable[[Any], None]
    failed: Callable[[Exception], None]


class Tasks(QObject):
    """Hands work to a `Jobs` and calls back on the thread this object lives in.

    A queued call still runs after `disconnect`, so each start draws a ticket, and what arrives with
    an older ticket than the slot's newest is dropped.
    """

    progressed = Signal(str, float)
    busy_changed = Signal(str, bool)
    _arrived = Signal(object)
    _advanced = Signal(str, int, float)

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self._tickets = 0
        self._newest: dict[str, int] = {}
        # Queued whichever thread emits: slots of view models run on this object's thread alone, and `start`
        # has returned before the end of its work is reported, however soon that comes.
        self._arrived.connect(self._on_arrived, Qt.ConnectionType.QueuedConnection)
        self._advanced.connect(self._on_advanced, Qt.ConnectionType.QueuedConnection)

    def start(
        self,
        slot: str,
        work: Callable[[Check, FractionDone], Any],
        done: Callable[[Any], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Run `work(check, progress)`; then `done(value)` or `failed(error)`, unless a newer one started."""
        was_busy = self.is_busy(slot)
        self._tickets += 1
        ticket = self._newest[slot] = self._tickets

        def arrive(outcome: JobOutcome) -> None:
            self._arrived.emit(_Arrival(slot, ticket, outcome, done, failed))

        def progress(fraction: float) -> None:
            self._advanced.emit(slot, ticket, fraction)

        self._jobs.submit(slot, lambda check: work(check, progress), arrive)
        if not was_busy:
            self.busy_changed.emit(slot, True)

    def cancel(self, slot: str) -> None:
        """Forget what runs in `slot`; neither `done` nor `failed` will be called."""
        if self._newest.pop(slot, None) is not None:
            self._jobs.cancel(slot)
            self.busy_changed.emit(slot, False)

    def close(self) -> None:
        """Report nothing more: what waits for this thread to report it would keep values and listeners alive.

        For when the worker has ended.
        """
        self._newest.clear()
        QCoreApplication.removePostedEvents(self, QEvent.Type.MetaCall.value)

    @property
    def is_any_busy(self) -> bool:
        """Whether anything was started and has not arrived."""
        return bool(self._newest)

    def is_busy(self, slot: str) -> bool:
        """Return whether something was started in `slot` and has not arrived."""
        return slot in self._newest

    @Slot(str, int, float)
    def _on_advanced(self, slot: str, ticket: int, fraction: float) -> None:
        if self._newest.get(slot) == ticket:
            self.progressed.emit(slot, fraction)

    @Slot(object)
    def _on_arrived(self, arrival: _Arrival) -> None:
        if self._newest.get(arrival.slot) != arrival.ticket:
            return
        # Before the calls: `done` may start the next work of this slot, and must not find the slot busy.
        del self._newest[arrival.slot]
        self.busy_changed.emit(arrival.slot, False)
        if arrival.outcome.error is not None:
            arrival.failed(arrival.outcome.error)
        else:
            arrival.done(arrival.outcome.value)
