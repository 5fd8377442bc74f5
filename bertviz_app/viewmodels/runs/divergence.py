"""`Divergence`: how far apart the heads of two runs attend, measured on a worker."""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.compare import divergence
from bertviz_app.viewmodels.results import Ready, Request, Results
from bertviz_app.viewmodels.runs.requests import Difference

_SLOT = "divergence"


class Divergence(QObject):
    """Measures the difference that is shown; `measured(table)` is emitted with [L, H] in bits."""

    measured = Signal(object)

    def __init__(self, results: Results) -> None:
        super().__init__(results)
        self._results = results
        self._key: Hashable = None
        results.changed.connect(self._on_result)

    def measure(self, difference: Difference) -> None:
        """Measure these two runs, and no longer those before."""
        traces, alignment = difference.traces, difference.alignment
        request = Request(
            (_SLOT, traces),
            traces,
            lambda check, _: divergence(*traces, alignment, check),
            shows_error=False,
        )
        self._key = request.key
        self._results.hold(_SLOT, traces)
        if isinstance(self._results.get(request, _SLOT, again=True), Ready):
            self._on_result(request.key)  # as once before, between the same two runs

    def end(self) -> None:
        """Measure no longer."""
        self._key = None
        self._results.release(_SLOT)
        self._results.hold(_SLOT, ())

    @Slot(object)
    def _on_result(self, key: Hashable) -> None:
        state = self._results.state(key) if key == self._key else None
        if isinstance(state, Ready):
            self.measured.emit(state.value)
