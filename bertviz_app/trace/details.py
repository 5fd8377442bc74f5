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
    """The tensors of one layer in their order, float32, read-only. F is the feed-forward width.

    In a pre-norm layer `input_norm` is the input of the attention, and the second sum adds `attention_sum`.
    `gate` and `gated` are None without a gate, `output_norm`, `convolved`, `convolution_sum` and
    `convolution_activation` without a convolution. `output` equals `hidden[layer + 1]` of the trace.
    `pooler_dense` is the pooled vector before its tanh, in the last layer of a model with a pooler.
    """

    layer: int
    activation: str  # as configurations name it: "gelu"
    mixed: Floats  # [H, T, E], Z: weights @ values of each head; zero for a muted head
    concat: Floats  # [T, H * E], the heads side by side
    projected: Floats  # [T, D], concat . W_O + b
    attention_sum: Floats  # [T, D], the layer's input added
    attention_norm: Floats  # [T, D], the input of the feed-forward part
    expanded: Floats  # [T, F]
    active: Floats  # [T, F], after the activation
    contracted: Floats  # [T, D]
    output_sum: Floats  # [T, D], attention_norm added; attention_sum in a pre-norm layer
    output: Floats  # [T, D]
    pooler_dense: Floats | None = None  # [D]
    input_norm: Floats | None = None  # [T, D]
    gate: Floats | None = None  # [T, F], the factor of `active`
    gated: Floats | None = None  # [T, F], the product
    output_norm: Floats | None = None  # [T, D], the layer's own norm where another sum or norm follows it
    convolved: Floats | None = None  # [T, D], a convolution of the layer's input after its activation
    convolution_sum: Floats | None = None  # [T, D], both of these; its norm is the output
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
