"""The initial parameters of a network, and the position ids of a batch."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def fill(network: nn.Module, seed: int, std: float = 0.02) -> None:
    """Initialise the parameters as BERT does: weights normal with `std`, norms 1, biases 0."""
    generator = torch.Generator().manual_seed(seed)
    for module in network.modules():
        if isinstance(module, nn.Linear | nn.Embedding):
            nn.init.normal_(module.weight, std=std, generator=generator)
        if isinstance(module, nn.LayerNorm):
            nn.init.ones_(module.weight)
        bias = getattr(module, "bias", None)
        if isinstance(bias, Tensor):
            nn.init.zeros_(bias)


def position_ids_of(ids: Tensor) -> Tensor:
    """Return the position ids of `ids` [B, T]: 0 to T - 1 in each row."""
    return torch.arange(ids.shape[1], device=ids.device).expand_as(ids)
