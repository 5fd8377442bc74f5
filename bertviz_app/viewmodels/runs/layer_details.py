"""`Details`: what whole layers compute on their way, for the runs on screen."""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.options import Run
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.viewmodels.results import Coming, Failed, Ready, Request, Results


class Details(QObject):
    """Has layers computed again on the analyses' worker when a view requests them.

    `arrived` is emitted when the details of a layer are there, or cannot be had: see `problem`.
    """

    arrived = Signal()

    def __init__(self, engine: Engine, results: Results) -> None:
        super().__init__(results)
        self._engine = engine
        self._results = results
        self._runs: dict[str, tuple[TraceRequest, Trace]] = {}
        results.changed.connect(self._on_result)

    def show(self, run: Run, request: TraceRequest, trace: Trace) -> None:
        """From now on `run` ("A", "B") is `trace`, the answer to `request`."""
        before = self._runs.get(run)
        self._runs[run] = request, trace
        if before is not None and before[1] is trace:
            return
        self._results.hold(f"details {run}", (trace,))

    def drop(self, run: Run) -> None:
        if self._runs.pop(run, None) is not None:
            self._results.hold(f"details {run}", ())

    def get(self, trace: Trace, layer: int, *, again: bool = False) -> LayerDetails | None:
        """Return the details of a layer if they are there; else have them computed, and emit `arrived`.

        What failed is tried once more with `again`. None for a trace that is not on screen.
        """
        run = self._run_of(trace)
        if run is None:
            return None
        request, engine = self._runs[run][0], self._engine
        state = self._results.get(
            Request(
                _key(trace, layer), (trace,), lambda check, _: engine.details(request, trace, layer, check)
            ),
            f"details {run} {layer}",
            again=again,
        )
        return state.value if isinstance(state, Ready) else None

    def problem(self, trace: Trace, layer: int) -> Exception | None:
        """Return why the layer cannot be had, or None."""
        state = self._results.state(_key(trace, layer))
        return state.error if isinstance(state, Failed) else None

    def is_coming(self, trace: Trace, layer: int) -> bool:
        return isinstance(self._results.state(_key(trace, layer)), Coming)

    def _run_of(self, trace: Trace) -> str | None:
        return next((name for name, (_, shown) in self._runs.items() if shown is trace), None)

    @Slot(object)
    def _on_result(self, key: Hashable) -> None:
        is_details = isinstance(key, tuple) and key[0] == _KIND
        if is_details and not isinstance(self._results.state(key), Coming):
            self.arrived.emit()


_KIND = "layer details"


def _key(trace: Trace, layer: int) -> Hashable:
    return _KIND, trace, layer
