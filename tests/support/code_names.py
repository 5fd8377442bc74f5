"""What the names in the code of Steps stand for: modules with an encoder's own weights, and its inputs."""

from __future__ import annotations

import math
from types import SimpleNamespace

import numpy as np
import torch
from torch import Tensor, nn

from bertviz_app.encoder.encoder import BottleneckLayer, EarlierPart, Encoder, FeedForward
from bertviz_app.encoder.positions import Distances, Offsets, Rotary
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import LayerDetails

Names = dict[str, object]


def tensor(array: object) -> Tensor:
    """Return a copy with an axis of inputs before the others."""
    return torch.from_numpy(np.array(array))[None]


def names_of(encoder: Encoder, trace: Trace, layer: int, details: LayerDetails) -> Names:
    """Return everything that the lines of a layer, the embeddings and the top may read, but for `self`."""
    tokens = trace.tokens
    inputs = {
        "input_ids": tensor(tokens.ids.astype(np.int64)),
        "token_type_ids": tensor(tokens.segment_ids.astype(np.int64)),
        "position_ids": tensor(tokens.position_ids.astype(np.int64)),
        "mask_token_id": encoder.config.zeroed_id,
    }
    hidden = tensor(trace.hidden[layer])
    found: Names = {"torch": torch, "nn": nn, "math": math, "x": hidden, "hidden_states": hidden, **inputs}
    if details.span_convolved is not None:
        found["conv"] = tensor(details.span_convolved)
    found["context"] = tensor(details.mixed)
    return found | _positions(encoder, trace, layer)


def _positions(encoder: Encoder, trace: Trace, layer: int) -> Names:
    """Return what a layer is given of the positions, and the mask."""
    n_tokens = trace.n_tokens
    with torch.inference_mode():
        positions = encoder.positions(n_tokens, tensor(trace.tokens.ids.astype(np.int64)))[layer]
        distances = torch.arange(n_tokens) - torch.arange(n_tokens)[:, None] + n_tokens - 1  # key - query
        bias = positions.bias(n_tokens, torch.device("cpu"))
        blocked = positions.of_rows(0, n_tokens, n_tokens)
        added = torch.zeros(1, 1, n_tokens, n_tokens) if blocked is None else blocked
        added = added if bias is None else bias[:, distances][None]
        found: Names = {"attention_mask": added, "position_bias": added}
        if isinstance(positions, Rotary):
            found |= {"cos": positions.rotation[0], "sin": positions.rotation[1]}
            found["apply_rotary_pos_emb"] = _turn_pairs if positions.is_interleaved else _turn_halves
        if isinstance(positions, (Distances, Offsets)):
            at = positions.buckets[distances][None, None]
            found["relative_pos"] = at.expand(1, trace.n_heads, -1, -1)
            found |= _of_distances(encoder, positions, layer)
    return found


def _turn_halves(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    return x * cos + torch.cat((-second, first), dim=-1) * sin


def _turn_pairs(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    return x * cos + torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2) * sin


def _of_distances(encoder: Encoder, positions: Distances | Offsets, layer: int) -> Names:
    attention = encoder.layer(layer).attention
    if isinstance(positions, Offsets):
        assert attention.distance is not None
        vectors = attention.distance(positions.rows)[None, None]
        return {"pos_key": vectors, "pos_query": vectors}
    query, key = attention.position_query or attention.query, attention.position_key or attention.key
    shape = (1, -1, attention.n_heads, encoder.config.head_width)
    vectors = {"pos_query": query(positions.table), "pos_key": key(positions.table)}
    return {name: made.view(shape).transpose(1, 2) for name, made in vectors.items()}


def modules_of(encoder: Encoder, layer: int, block: str) -> SimpleNamespace:
    """Return the `self` of a block: plain modules of torch with the weights of the encoder."""
    makers = {"embeddings": _embeddings, "attention": _attention, "feed-forward": _feed_forward}
    found: Names = makers[block](encoder, layer) if block in makers else {}
    if encoder.pooler is not None and block == "pooler":
        found = {"pooler": encoder.pooler.dense}
    return SimpleNamespace(**found)


def _norms(encoder: Encoder, **modules: nn.Module | None) -> Names:
    """Return each norm under the name that it has in this encoder's code."""
    form = encoder.config.form
    kind = "NoNorm" if form.has_scaling_norms else "RMSNorm" if form.has_rms_norms else "LayerNorm"
    made = {name.replace("norm", kind): _norm(module) for name, module in modules.items()}
    return {name: module for name, module in made.items() if module is not None}


def _norm(module: nn.Module | None) -> nn.Module | None:
    """Return a norm of torch with the weights of `module`, one of the encoder."""
    if not isinstance(module, nn.LayerNorm):
        return None
    is_rms = type(module).__name__ == "RmsNorm"
    width = module.normalized_shape
    has_bias = module.bias is not None
    made = nn.RMSNorm(width, eps=module.eps) if is_rms else nn.LayerNorm(width, eps=module.eps, bias=has_bias)
    made.load_state_dict(module.state_dict())
    return made


def _embeddings(encoder: Encoder, _layer: int) -> Names:
    own = encoder.embeddings
    projection = own.token_projection
    return {
        "word_embeddings": own.token,
        "token_type_embeddings": own.segment,
        "position_embeddings": own.position,
        "task_type_embeddings": own.task,
        "embedding_transformation": None if projection is None else projection.dense,
        "embeddings_project": own.projection,
        **_norms(encoder, norm=own.norm),
    }


def _attention(encoder: Encoder, layer: int) -> Names:
    module = encoder.layer(layer)
    attention = module.attention
    found: Names = {name: getattr(attention, name) for name in ("query", "key", "value")}
    found |= {"dense": attention.output, **_norms(encoder, norm=module.attention_norm)}
    if isinstance(module, BottleneckLayer):
        narrowings = {"bottleneck_": module.narrow, "attention_bottleneck_": module.narrow_for_attention}
        for name, part in narrowings.items():
            if part is not None:
                found |= {f"{name}dense": part.dense, **_norms(encoder, **{f"{name}norm": part.norm})}
    return found


def _feed_forward(encoder: Encoder, layer: int) -> Names:
    module = encoder.layer(layer)
    norms: dict[str, nn.Module | None] = {"norm": module.feed_forward_norm, "final_norm": encoder.final_norm}
    found: Names = _dense_layers(module.feed_forward)
    found["ffn"] = [
        SimpleNamespace(**_dense_layers(part.feed_forward), **_norms(encoder, norm=part.norm))
        for part in module.earlier
        if isinstance(part, EarlierPart)
    ]
    if isinstance(module, BottleneckLayer):
        norms["output_norm"] = module.output_norm
        found["widen"] = module.widen
    if encoder.convolution is not None:
        norms["conv_norm"] = encoder.convolution.norm
        found["conv"] = encoder.convolution.convolution
    if module.adapter is not None:
        norms["adapter_norm"] = module.adapter.norm or module.feed_forward_norm
        found |= {"adapter_down": module.adapter.down, "adapter_up": module.adapter.up}
    return found | _norms(encoder, **norms)


def _dense_layers(part: FeedForward) -> Names:
    return {"intermediate": part.expand, "gate": part.gate, "output": part.contract}
