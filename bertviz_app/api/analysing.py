"""`AnalysingModel`: analyses, details of layers and outcomes of interventions, for an open checkpoint."""

from __future__ import annotations

from abc import ABC, abstractmethod

from bertviz_app.analysis.probing.interventions.outcomes import Outcome
from bertviz_app.analysis.reporter import SILENT, Reporter
from bertviz_app.analysis.results import Result
from bertviz_app.api.arguments import as_key
from bertviz_app.inference.engine import AnalysisRequest, Engine, TraceRequest
from bertviz_app.inference.outcomes import intervention_outcomes
from bertviz_app.trace import Trace
from bertviz_app.trace.argument import as_trace
from bertviz_app.trace.details import LayerDetails
from bertviz_app.trace.indexing import as_number


class AnalysingModel(ABC):
    """The part of `Model` that analyses traces."""

    _engine: Engine

    @abstractmethod
    def _request(self, trace: Trace) -> TraceRequest:
        """Return the request whose result is `trace`."""

    def analyse(
        self,
        key: str,
        /,
        trace: Trace,
        other: Trace | None = None,
        *,
        reporter: Reporter = SILENT,
        **parameters: object,
    ) -> Result:
        """Return the result of an analysis of the catalogue.

        Parameters
        ----------
        key : str
            Which analysis, such as "attention-rollout"; `ANALYSES` has all of them.
        trace : Trace
            A run of this model. An analysis that needs the trace alone takes those of other models, too.
        other : Trace, optional
            The second run, for an analysis that compares two.
        reporter : Reporter, optional
            Receives the progress; its `check` may raise `Cancelled` to end the analysis.
        **parameters
            The analysis' own, as `ANALYSES` describes them; each has a default.

        Returns
        -------
        Result
            One of the kinds in `analysis.results`: `axes`, `arrays()["values"]`, `as_table()`.

        Raises
        ------
        AnalysisError
            For an unknown key or parameter, and for a model that the analysis cannot be applied to.
        CheckpointError
            For a trace of another model, where the model is needed.
        DeviceError
            Where there is not enough memory.

        References
        ----------
        The field `paper` of each entry.
        """
        call = f"model.analyse({as_key(key)!r}, model.trace(text))"
        request = AnalysisRequest.of(self._request(as_trace(trace, call)), key, parameters)
        other = None if other is None else as_trace(other, call)
        return self._engine.analyse(request, trace, reporter, other)

    def details(self, trace: Trace, layer: int) -> LayerDetails:
        """Return what one layer of a `trace` of this model computed between attention and output.

        Parameters
        ----------
        trace : Trace
            A run of this model.
        layer : int
            From 0.

        Returns
        -------
        LayerDetails
            Its tensors, float32, read-only, most of them [T, D]; None where the layer has no such tensor.

        Raises
        ------
        SelectionError
            For a layer that does not exist.
        CheckpointError
            For a trace of another model.
        """
        trace = as_trace(trace, "model.details(model.trace(text), layer)")
        return self._engine.details(self._request(trace), trace, as_number(layer, "layer"))

    def outcomes(self, trace: Trace, other: Trace | None = None) -> tuple[Outcome, ...]:
        """Return what the interventions of a trace change: each number without and with them.

        Parameters
        ----------
        trace : Trace
            A run with interventions.
        other : Trace, optional
            A second run, with whose vector the cosine is measured.

        Returns
        -------
        tuple of Outcome
            By the task heads of the checkpoint: the likeliest pieces of masked tokens, next sentence and
            classes, as probabilities from 0 to 1; and the cosine, from -1 to 1, of the vector that stands
            for the text with the one before. Without interventions both numbers of each are the same.

        Raises
        ------
        ArgumentError
            For what is no trace.
        CheckpointError
            For a trace of another model.
        DeviceError
            Where there is not enough memory.
        """
        call = "model.outcomes(model.trace(text, muted=[(0, 1)]))"
        trace = as_trace(trace, call)
        other = None if other is None else as_trace(other, call)
        return intervention_outcomes(self._engine, self._request(trace), trace, other)
