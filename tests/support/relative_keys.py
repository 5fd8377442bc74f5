"""Models of `transformers` with relative keys, which it computed up to version 4: their formula put in."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from tests.support.families import write_family

if TYPE_CHECKING:
    from transformers import PreTrainedModel


def write_relative(folder: Path, family: str, kind: str, made_by: str = "AutoModel") -> PreTrainedModel:
    """Write a random checkpoint with this position_embedding_type to `folder`; return its model.

    The file has the table of position embeddings that `transformers` made and did not use.
    """
    model = write_family(folder, family, made_by)
    generator = torch.Generator().manual_seed(7)
    n_positions = model.config.max_position_embeddings
    for module in _attentions(model):
        width = module.attention_head_size
        module.distance_embedding = nn.Embedding(2 * n_positions - 1, width)
        with torch.no_grad():
            module.distance_embedding.weight.copy_(
                torch.randn(2 * n_positions - 1, width, generator=generator) * 0.4
            )
    model.save_pretrained(folder)
    path = folder / "config.json"
    path.write_text(
        json.dumps(json.loads(path.read_text("utf-8")) | {"position_embedding_type": kind}), "utf-8"
    )
    with torch.no_grad():
        model.base_model.embeddings.position_embeddings.weight.zero_()  # what it is to be without them
    for module in _attentions(model):
        module.forward = _forward(module, kind)
    return model


def _attentions(model: PreTrainedModel) -> list[Any]:
    return [module for name, module in model.named_modules() if name.endswith(".attention.self")]


def _forward(module: Any, kind: str) -> Callable[..., tuple[Tensor, Tensor]]:
    """Return the attention of one layer with its distances, in eager mode (Shaw et al. 2018, equation 5)."""

    def forward(hidden: Tensor, *_: object, **__: object) -> tuple[Tensor, Tensor]:
        n_tokens, width = hidden.shape[1], module.attention_head_size
        queries, keys, values = (
            layer(hidden).view(1, n_tokens, -1, width).transpose(1, 2)
            for layer in (module.query, module.key, module.value)
        )
        positions = torch.arange(n_tokens)
        middle = (module.distance_embedding.num_embeddings - 1) // 2
        vectors = module.distance_embedding(positions[:, None] - positions[None] + middle)  # [T, T, E]
        scores = queries @ keys.transpose(-1, -2) + torch.einsum("bhld,lrd->bhlr", queries, vectors)
        if kind == "relative_key_query":
            scores = scores + torch.einsum("bhrd,lrd->bhlr", keys, vectors)
        weights = (scores / width**0.5).softmax(-1)
        return (weights @ values).transpose(1, 2).flatten(2), weights

    return forward
