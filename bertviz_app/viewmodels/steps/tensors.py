"""`StopTensors`: a stop in a trace with its numbers, and the scale that their colours have."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

import numpy as np

from bertviz_app.analysis.pairs import HeadSteps
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.types import Floats
from bertviz_app.viewmodels.steps.stage import Architecture, StageInputs
from bertviz_app.viewmodels.steps.stages import STAGES, absent_stages
from bertviz_app.viewmodels.steps.stops import Stop

_SAMPLED = 1 << 14


@dataclass(frozen=True, eq=False)
class StopTensors(StageInputs):
    """A stop in a trace: the tensor of its stage, and those of the stages it is made of."""

    stop: Stop
    what_if: Floats | None = None
    """[T], the weights of the row with another divisor that is tried out."""

    def row(self, name: str) -> Floats | None:
        """Return the vector of the query token at a stage of this section; None if it is not there."""
        values = self.tensor(name)
        if values is None:
            return None
        row: Floats = values[0 if len(values) == 1 else self.query]
        return row

    def tensor(self, name: str | None = None) -> Floats | None:
        """Return a stage's tensor [T, C], [1, C] where there is one row; None if it is not there.

        Of a head's scores and weights the row of the query is given.
        """
        return STAGES[name or self.stop.stage].tensor(self)


def stop_layer(stop: Stop, n_layers: int) -> int:
    """Return the layer that a stop's numbers are of: in the embeddings the first, on top the last."""
    return min(max(0, stop.section), n_layers - 1)


def stop_tensors(
    trace: Trace,
    stop: Stop,
    head: int,
    query: int,
    details: LayerDetails | None,
    steps: HeadSteps | None,
) -> StopTensors:
    """Return the tensors of `stop`; `details` are of its layer, `steps` of its layer, head and query."""
    layer = stop_layer(stop, trace.n_layers)
    absent = absent_stages(Architecture.of(trace), layer)
    return StopTensors(trace, layer, head, query, details, steps, absent, stop)


def bound_of(values: Floats) -> float:
    """Return the size from which on a colour is full: 99 of 100 numbers are smaller.

    A few dimensions of BERT are many times as large as the others (Kovaleva et al. 2021,
    arXiv:2105.06990): on a scale up to these nothing else would be seen. Of large tensors a sample counts,
    in which every dimension is: its stride has no divisor in common with the width.
    """
    flat, width = values.reshape(-1), values.shape[-1]
    stride = max(1, flat.size // _SAMPLED)
    while gcd(stride, width) > 1:
        stride += 1
    sample = np.abs(flat[::stride])
    bound = float(np.partition(sample, int(0.99 * (sample.size - 1)))[int(0.99 * (sample.size - 1))])
    return bound if bound > 0 else float(sample.max()) or 1.0
