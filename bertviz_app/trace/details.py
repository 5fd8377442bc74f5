"""`LayerDetails`: what one layer computes between its attention and its output, as plain arrays.

A `Trace` leaves it out: it is several times the size of what attention is made of, and one layer of it is
computed again from the layer's input within milliseconds.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from bertviz_app.types import Floats


@dataclass(frozen=True, eq=False)
class LayerDetails:
    """The stations of one layer in their order, float32, read-only. F is the feed-forward width.

    In a layer whose norms stand before its parts (pre-norm) `input_norm` is what the attention read, and
    the second sum adds `attention_sum` again. `gate` and `gated` are None without a gate.
    `output` is what the trace keeps as `hidden[layer + 1]`. `pooler_dense` is the pooled vector before its
    tanh, for the last layer of a model with a pooler; None otherwise.
    """

    layer: int
    activation: str  # as configurations name it: "gelu"
    mixed: Floats  # [H, T, E], Z: what each head gathers; zero of a muted head
    concat: Floats  # [T, H * E], the heads side by side
    projected: Floats  # [T, D], concat . W_O + b
    attention_sum: Floats  # [T, D], the layer's input added
    attention_norm: Floats  # [T, D], what the feed-forward part reads
    expanded: Floats  # [T, F]
    active: Floats  # [T, F], after the activation
    contracted: Floats  # [T, D]
    output_sum: Floats  # [T, D], attention_norm added; attention_sum in a pre-norm layer
    output: Floats  # [T, D]
    pooler_dense: Floats | None = None  # [D]
    input_norm: Floats | None = None  # [T, D]
    gate: Floats | None = None  # [T, F], what is active is multiplied by it
    gated: Floats | None = None  # [T, F], the product

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
