"""`LayerDetails`: the tensors of one layer between its attention and its output, as NumPy arrays.

They are not part of a `Trace`: they are several times its size, and those of one layer are computed again
from the layer's input within milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from bertviz_app.types import Floats


@dataclass(frozen=True, eq=False)
class LayerDetails:
    """The tensors of one layer in their order, float32, read-only.

    F is the feed-forward width, N the width within the layer, D without a bottleneck.

    In a pre-norm layer `input_norm` is the input of the attention, and the second sum adds `attention_sum`.
    `gate` and `gated` are None without a gate, `output_norm`, `convolved`, `convolution_sum` and
    `convolution_activation` without a convolution. `output` equals `hidden[layer + 1]` of the trace.
    `narrowed`, `narrowed_for_attention`, `widened` and `widened_sum` are None without a bottleneck. Of
    several feed-forward parts `earlier_parts` has the outputs of all but the last, whose tensors are the
    others here; it is None where there is one.
    `pooler_dense` is the pooled vector before its tanh, in the last layer of a model with a pooler.
    """

    layer: int
    activation: str  # as configurations name it: "gelu"
    mixed: Floats  # [H, T, E], Z: weights @ values of each head; zero for a muted head
    concat: Floats  # [T, H * E], the heads side by side, and then the convolutions beside them
    projected: Floats  # [T, N], concat . W_O + b
    attention_sum: Floats  # [T, N], the layer's input added
    attention_norm: Floats  # [T, N], the input of the feed-forward part
    expanded: Floats  # [T, F]
    active: Floats  # [T, F], after the activation
    contracted: Floats  # [T, N]
    output_sum: Floats  # [T, N], the part's input added; attention_sum in a pre-norm layer
    output: Floats  # [T, D]
    pooler_dense: Floats | None = None  # [D]
    input_norm: Floats | None = None  # [T, D]
    gate: Floats | None = None  # [T, F], the factor of `active`
    gated: Floats | None = None  # [T, F], the product
    narrowed: Floats | None = None  # [T, N], the layer's input at that width
    narrowed_for_attention: Floats | None = None  # [T, N], the input of queries and keys
    earlier_parts: Floats | None = None  # [M - 1, T, N], of M feed-forward parts
    widened: Floats | None = None  # [T, D], output_norm at the width of the layer's input
    widened_sum: Floats | None = None  # [T, D], that input added
    output_norm: Floats | None = None  # [T, N], the layer's own norm where another sum or norm follows it
    convolved: Floats | None = None  # [T, D], a convolution of the layer's input after its activation
    convolution_sum: Floats | None = None  # [T, D], both of these; its norm is the output
    adapter_norm: Floats | None = None  # [T, D], a norm of output_sum that an adapter reads
    adapted: Floats | None = None  # [T, D], of the adapter of a language
    adapter_sum: Floats | None = None  # [T, D], what is added to that
    span_convolved: Floats | None = None  # [T, H * E], of the convolutions beside the heads; in `concat`, too
    convolution_activation: str | None = None  # as configurations name it

    def __post_init__(self) -> None:
        for array in self._arrays():
            array.flags.writeable = False

    @property
    def n_bytes(self) -> int:
        """The memory of all its arrays, in bytes."""
        return sum(array.nbytes for array in self._arrays())

    def _arrays(self) -> list[Floats]:
        values = (getattr(self, field.name) for field in fields(self))
        return [value for value in values if isinstance(value, np.ndarray)]
