"""`layer_details`: one layer computed again, with all its intermediate tensors."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.tap import NO_MEANS, Intervene, Means
from bertviz_app.text import Edits
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.trace.form import Capture, Point, Taps
from bertviz_app.trace.provenance import LayerDetails

_NAMES = {field.name for field in fields(LayerDetails)}
_POINTS = frozenset(point for point in Point if point.value in _NAMES)


def layer_details(
    encoder: Encoder,
    hidden: NDArray[np.float32],
    layer: int,
    edits: Edits = NO_EDITS,
    ids: NDArray[np.int32] | None = None,
    means: Means = NO_MEANS,
) -> LayerDetails:
    """Return all that `layer` computes from its input `hidden` [T, D], on the device of its weights.

    The forward pass itself, read by a tap: for the same input the same numbers, with `edits` on its heads and
    weights; `means` as in `Intervene`. The `ids` [T] are needed where it depends on these which tokens are
    global.
    """
    capture, parts = Capture(_POINTS), _EarlierParts()
    tap = Taps(Intervene(edits, means), capture, parts)
    device = next(encoder.parameters()).device
    with torch.inference_mode():
        x = torch.from_numpy(hidden[None].copy()).to(device)  # [1, T, D]
        known = None if ids is None else torch.from_numpy(ids[None].astype(np.int64)).to(device)  # [1, T]
        output = encoder.layer_output(layer, x, encoder.positions(len(hidden), known)[layer], tap=tap)
        if layer == encoder.config.n_layers - 1:
            encoder.pooled(output, tap)
        arrays = {point.value: _array(tensor) for (point, _), tensor in capture.tensors.items()}
        arrays |= {"earlier_parts": np.stack(parts.arrays)} if parts.arrays else {}
    concat = np.concatenate(arrays["mixed"], axis=-1)  # [T, H * E], the heads side by side
    if "span_convolved" in arrays:
        concat = np.concatenate((concat, arrays["span_convolved"]), axis=-1)  # [T, 2 * H * E]
    kind = encoder.config.convolution
    folds = kind.activation if kind is not None and layer == 0 else None
    return LayerDetails(
        layer=layer,
        activation=encoder.config.activation,
        concat=concat,
        convolution_activation=folds,
        **arrays,
    )


class _EarlierParts:
    """A tap that copies the output [T, N] of each feed-forward part before the last, in their order."""

    def __init__(self) -> None:
        self.arrays: list[NDArray[np.float32]] = []

    def wants(self, point: Point, layer: int) -> bool:
        return point is Point.EARLIER_PART

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        self.arrays.append(_array(tensor))
        return tensor


def _array(tensor: Tensor) -> NDArray[np.float32]:
    """Return a copy of `tensor` [1, ...] as an array [...]."""
    array: NDArray[np.float32] = tensor[0].detach().to("cpu", torch.float32).numpy().copy()
    return array
