"""`Places`: makes the place that a stop is in a trace, from what is known of its layer."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from bertviz_app.analysis.steps import HeadSteps, head_steps
from bertviz_app.errors import AppError
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.runs.layer_details import Details
from bertviz_app.viewmodels.steps.stops import EMBEDDINGS, Stop
from bertviz_app.viewmodels.steps.tensors import Place
from bertviz_app.viewmodels.wording.error_words import as_said

_WITHOUT_DETAILS = frozenset({*EMBEDDINGS, "first"})


class Places:
    """Keeps the steps of the query that was asked for last."""

    def __init__(self, details: Details) -> None:
        self._details = details
        self._steps: HeadSteps | None = None
        self._trace: Trace | None = None

    def at(self, trace: Trace, stop: Stop, head: int, query: int) -> Place:
        """Return the place of a stop; its details may still be on their way."""
        layer = min(max(0, stop.section), trace.n_layers - 1)
        details = None if stop.stage in _WITHOUT_DETAILS else self._details.get(trace, layer)
        return Place(trace, stop, layer, head, query, details, self._steps_of(trace, layer, head, query))

    def _steps_of(self, trace: Trace, layer: int, head: int, query: int) -> HeadSteps:
        known, at = self._steps, (layer, head, query)
        if known is None or self._trace is not trace or (known.layer, known.head, known.query) != at:
            known = self._steps = head_steps(trace, layer, head, query)
            self._trace = trace
        return known

    def is_coming(self, place: Place) -> bool:
        """Return whether the details of a place are being computed."""
        return place.details is None and self._details.is_coming(place.trace, place.layer)

    def try_again(self, trace: Trace, layer: int) -> None:
        """Have the details of a layer computed once more if that failed."""
        self._details.get(trace, layer, again=True)

    def message(self, place: Place) -> str:
        """Return what to say while the numbers of a place are not there."""
        translate = QCoreApplication.translate
        problem = self._details.problem(place.trace, place.layer)
        if isinstance(problem, AppError):
            return as_said(problem)
        if self.is_coming(place):
            return translate("Steps", "Computing layer {0} …").format(place.layer)
        return translate(
            "Steps", "These numbers are not in the trace, and the checkpoint to compute them is not open."
        )
