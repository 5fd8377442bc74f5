"""`StopReader`: reads the numbers of a stop from a trace, and from what is known of its layer."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from bertviz_app.analysis.pairs import HeadSteps, head_steps
from bertviz_app.errors import AppError
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.runs.layer_details import Details
from bertviz_app.viewmodels.steps.stages import STAGES
from bertviz_app.viewmodels.steps.stops import Stop
from bertviz_app.viewmodels.steps.tensors import StopTensors, stop_layer, stop_tensors
from bertviz_app.viewmodels.wording.error_words import error_text


class StopReader:
    """Caches the arithmetic of the last query, since each redraw reads it."""

    def __init__(self, details: Details) -> None:
        self._details = details
        self._steps: HeadSteps | None = None
        self._trace: Trace | None = None

    def at(self, trace: Trace, stop: Stop, head: int, query: int) -> StopTensors:
        """Return the numbers of a stop; its layer's details may still be computed."""
        layer = stop_layer(stop, trace.n_layers)
        details = self._details.get(trace, layer) if STAGES[stop.stage].needs_details else None
        steps = self._steps_of(trace, layer, head, query)
        return stop_tensors(trace, stop, head, query, details, steps)

    def _steps_of(self, trace: Trace, layer: int, head: int, query: int) -> HeadSteps:
        known, at = self._steps, (layer, head, query)
        if known is None or self._trace is not trace or (known.layer, known.head, known.query) != at:
            known = self._steps = head_steps(trace, layer, head, query)
            self._trace = trace
        return known

    def is_coming(self, tensors: StopTensors) -> bool:
        """Return whether the layer details of a stop are being computed."""
        return tensors.details is None and self._details.is_coming(tensors.trace, tensors.layer)

    def try_again(self, trace: Trace, layer: int) -> None:
        """Have the details of a layer computed once more if that failed."""
        self._details.get(trace, layer, again=True)

    def message(self, tensors: StopTensors) -> str:
        """Return what to say while the numbers of a stop are not there."""
        translate = QCoreApplication.translate
        problem = self._details.problem(tensors.trace, tensors.layer)
        if isinstance(problem, AppError):
            return error_text(problem)
        if self.is_coming(tensors):
            return translate("Steps", "Computing layer {0} …").format(tensors.layer)
        return translate(
            "Steps", "These numbers are not in the trace, and the checkpoint to compute them is not open."
        )
