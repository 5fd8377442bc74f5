"""`Details`: what whole layers computed on their way, fetched when a view asks for it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from bertviz_app.errors import AppError
from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.inference.jobs import Check
from bertviz_app.trace import Trace
from bertviz_app.trace.details import LayerDetails
from bertviz_app.viewmodels.tasks import Progress, Tasks

_KEPT_BYTES = 128 << 20


@dataclass(frozen=True, eq=False)
class _Run:
    """A trace that is on screen, and what it was asked for with."""

    request: TraceRequest
    trace: Trace


class Details(QObject):
    """Computes layers again on the encoder's worker, and keeps the latest of them.

    `arrived` tells that one is there, or that it cannot be had: see `problem`.
    """

    arrived = Signal()

    def __init__(self, engine: Engine, tasks: Tasks, failed: Callable[[Exception], None]) -> None:
        super().__init__(tasks)
        self._engine = engine
        self._tasks = tasks
        self._failed = failed
        self._runs: dict[str, _Run] = {}
        self._kept: OrderedDict[tuple[str, int], LayerDetails] = OrderedDict()
        self._problems: dict[tuple[str, int], Exception] = {}

    def show(self, run: str, request: TraceRequest, trace: Trace) -> None:
        """From now on `run` ("A", "B") is `trace`, the answer to `request`; what was kept of it goes."""
        if run in self._runs and self._runs[run].trace is trace:
            return
        self.drop(run)
        self._runs[run] = _Run(request, trace)

    def drop(self, run: str) -> None:
        """There is no such run any more."""
        known = self._runs.pop(run, None)
        if known is None:
            return
        for layer in range(known.trace.n_layers):
            self._tasks.cancel(_slot(run, layer))
            self._kept.pop((run, layer), None)
            self._problems.pop((run, layer), None)

    def get(self, trace: Trace, layer: int) -> LayerDetails | None:
        """Return what `layer` computed if it is there; else have it computed, and tell `arrived`."""
        run = self._run_of(trace)
        if run is None or (run, layer) in self._problems:
            return None
        if (run, layer) in self._kept:
            self._kept.move_to_end((run, layer))
            return self._kept[run, layer]
        if not self._tasks.is_busy(_slot(run, layer)):
            self._fetch(run, layer)
        return None

    def problem(self, trace: Trace, layer: int) -> Exception | None:
        """Return why the layer cannot be had, or None."""
        run = self._run_of(trace)
        return None if run is None else self._problems.get((run, layer))

    def is_coming(self, trace: Trace, layer: int) -> bool:
        """Return whether the layer is being computed."""
        run = self._run_of(trace)
        return run is not None and self._tasks.is_busy(_slot(run, layer))

    def _run_of(self, trace: Trace) -> str | None:
        return next((name for name, run in self._runs.items() if run.trace is trace), None)

    def _fetch(self, run: str, layer: int) -> None:
        known = self._runs[run]

        def work(check: Check, _: Progress) -> LayerDetails:
            return self._engine.details(known.request, known.trace, layer, check)

        def failed(error: Exception) -> None:
            self._problems[run, layer] = error
            if not isinstance(error, AppError):  # these the views say themselves
                self._failed(error)
            self.arrived.emit()

        self._tasks.start(_slot(run, layer), work, lambda details: self._keep(run, details), failed)

    def _keep(self, run: str, details: LayerDetails) -> None:
        self._kept[run, details.layer] = details
        while len(self._kept) > 1 and sum(kept.n_bytes for kept in self._kept.values()) > _KEPT_BYTES:
            self._kept.popitem(last=False)
        self.arrived.emit()


def _slot(run: str, layer: int) -> str:
    return f"details {run} {layer}"
