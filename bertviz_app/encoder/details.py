"""`layer_details`: one layer computed again, with everything it computes on the way."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from bertviz_app.encoder.attention import attend
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.layers import FeedForward, Layer
from bertviz_app.encoder.positions import Positions
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
        stations = _stations(block, x, muted, encoder.positions(len(hidden))[layer])
        stations["output"] = encoder.finished(layer, stations["output"])
        arrays = {name: _array(tensor) for name, tensor in stations.items()}
        dense = None
        if encoder.pooler is not None and layer == encoder.config.n_layers - 1:
            dense = _array(encoder.pooler.dense(stations["output"][:, 0]))  # [D]
    return LayerDetails(layer=layer, activation=encoder.config.activation, **arrays, pooler_dense=dense)


def _stations(block: Layer, x: Tensor, muted: Sequence[int], positions: Positions) -> dict[str, Tensor]:
    """Return the tensors of `LayerDetails` by name, each [1, ...]."""
    attention, is_pre_norm = block.attention, block.is_pre_norm
    normed = block.attention_norm(x) if is_pre_norm else x
    projected, heads = attention(normed, muted, positions)  # [1, T, D]
    given = heads.queries, heads.keys, heads.values, attention.scale, positions, heads.by_position
    mixed, _ = attend(*given)  # [1, H, T, E]
    if muted:
        mixed = mixed.index_fill(1, torch.tensor(muted, device=mixed.device), 0.0)
    concat, adds_first = mixed.transpose(1, 2).flatten(2), attention.adds_before_projection
    attention_sum = normed + concat if adds_first else x + projected
    norm = block.feed_forward_norm if is_pre_norm else block.attention_norm
    attention_norm = norm(projected if adds_first else attention_sum)
    thoughts = _thoughts(block.feed_forward, attention_norm)
    output_sum = (attention_sum if is_pre_norm else attention_norm) + thoughts["contracted"]
    return {
        **({} if normed is x else {"input_norm": normed}),
        "mixed": mixed,
        "concat": concat,
        "projected": projected,
        "attention_sum": attention_sum,
        "attention_norm": attention_norm,
        **thoughts,
        "output_sum": output_sum,
        "output": output_sum if is_pre_norm else block.feed_forward_norm(output_sum),
    }


def _thoughts(feed_forward: FeedForward, x: Tensor) -> dict[str, Tensor]:
    """Return the tensors of the feed-forward part by name."""
    expanded = feed_forward.expand(x)  # [1, T, F]
    active = feed_forward.activation(expanded)
    if feed_forward.gate is None:
        contracted = feed_forward.contract(active)  # [1, T, D]
        return {"expanded": expanded, "active": active, "contracted": contracted}
    gate = feed_forward.gate(x)  # [1, T, F]
    gated = active * gate
    contracted = feed_forward.contract(gated)  # [1, T, D]
    return {"expanded": expanded, "active": active, "gate": gate, "gated": gated, "contracted": contracted}


def _array(tensor: Tensor) -> NDArray[np.float32]:
    """Return `tensor` [1, ...] as an array [...] of its own."""
    array: NDArray[np.float32] = tensor[0].detach().to("cpu", torch.float32).numpy().copy()
    return array
