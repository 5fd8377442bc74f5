"""`layer_details`: one layer computed again, with everything it computes on the way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertviz_app.encoder.attention import attend
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.layers import Layer
from bertviz_app.trace.details import LayerDetails


def layer_details(
    encoder: Encoder, hidden: NDArray[np.float32], layer: int, muted: Sequence[int] = ()
) -> LayerDetails:
    """Return all that `layer` computes from its input `hidden` [T, D], on the device of its weights.

    The same modules in the same order as `Layer.forward`: for the same input the same numbers. The heads
    `muted` hand over nothing.
    """
    block = encoder.layer(layer)
    device = next(encoder.parameters()).device
    with torch.inference_mode():
        x = torch.from_numpy(hidden[None].copy()).to(device)  # [1, T, D]
        stations = _stations(block, x, muted, encoder.bias(len(hidden)))
        arrays = {name: _array(tensor) for name, tensor in stations.items()}
        dense = None
        if encoder.pooler is not None and layer == encoder.config.n_layers - 1:
            dense = _array(encoder.pooler.dense(stations["output"][:, 0]))  # [D]
    return LayerDetails(layer=layer, activation=encoder.config.activation, **arrays, pooler_dense=dense)


def _stations(block: Layer, x: Tensor, muted: Sequence[int], by_distance: Tensor | None) -> dict[str, Tensor]:
    """Return the tensors of `LayerDetails` by name, each [1, ...]."""
    attention, feed_forward = block.attention, block.feed_forward
    projected, heads = attention(x, muted, by_distance)  # [1, T, D]
    mixed, _ = attend(heads.queries, heads.keys, heads.values, attention.scale, by_distance)  # [1, H, T, E]
    if muted:
        mixed = mixed.index_fill(1, torch.tensor(muted, device=mixed.device), 0.0)
    attention_sum = x + projected
    attention_norm = block.attention_norm(attention_sum)
    expanded = feed_forward.expand(attention_norm)  # [1, T, F]
    active = feed_forward.activation(expanded)
    contracted = feed_forward.contract(active)  # [1, T, D]
    output_sum = attention_norm + contracted
    return {
        "mixed": mixed,
        "concat": mixed.transpose(1, 2).flatten(2),
        "projected": projected,
        "attention_sum": attention_sum,
        "attention_norm": attention_norm,
        "expanded": expanded,
        "active": active,
        "contracted": contracted,
        "output_sum": output_sum,
        "output": block.feed_forward_norm(output_sum),
    }


def _array(tensor: Tensor) -> NDArray[np.float32]:
    """Return `tensor` [1, ...] as an array [...] of its own."""
    array: NDArray[np.float32] = tensor[0].detach().to("cpu", torch.float32).numpy().copy()
    return array
