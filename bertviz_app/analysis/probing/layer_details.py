"""What one layer computes between its attention and its output, computed again from the layer's input."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

import numpy as np

from bertviz_app.analysis.axes import Axis, counted
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Index
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.errors import Message
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import LayerDetails


@dataclass(frozen=True)
class LayerParameters:
    """`layer`: which one, from 0."""

    layer: Annotated[int, Index("layer"), Message("Layer")] = 0


@analysis(
    key="layer-details",
    title=Message("Stages of one layer"),
    summary=Message("Every array that a layer computes on its way from its input to its output."),
    limits=Message("It shows what is computed, not what it contributes to a prediction."),
    paper="Vaswani et al. 2017, arXiv:1706.03762, section 3; Devlin et al. 2019, arXiv:1810.04805, section 3",
    needs=Needs.MODEL,
)
def layer_stages(inputs: Inputs, parameters: LayerParameters, reporter: Reporter) -> NamedArrays:
    """Return the arrays of `trace.details.LayerDetails` by their names, such as "output" [T, D].

    `identity_error` is how far its output is from the next hidden state of the trace.
    """
    trace, layer = inputs.trace, parameters.layer
    details = inputs.opened.layer_details(trace, layer)
    reporter.progress(1)
    values = ((field.name, getattr(details, field.name)) for field in fields(LayerDetails))
    named = {name: value for name, value in values if isinstance(value, np.ndarray)}
    return NamedArrays(
        named,
        {name: _axes(name, array.shape, trace) for name, array in named.items()},
        {"layer": layer, "activation": details.activation},
        float(np.abs(details.output - trace.hidden[layer + 1]).max()),
        main="output",
    )


def _axes(name: str, shape: tuple[int, ...], trace: Trace) -> tuple[Axis, ...]:
    """Return the axes of an array: [H, T, E] of heads, [parts, T, N], [T, ...], or [D] of the pooler."""
    tokens, numbers = Axis("token", trace.tokens.pieces), counted("dimension", shape[-1])
    if len(shape) == 3:
        return counted("head" if name == "mixed" else "part", shape[0]), tokens, numbers
    return (numbers,) if len(shape) == 1 else (tokens, numbers)
