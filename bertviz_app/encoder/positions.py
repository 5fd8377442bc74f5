"""Distances in the attention: a learned number per distance between two tokens, added to their score."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from bertviz_app.encoder.config import EncoderConfig

FARTHEST = 128
"""From this distance on all are one bucket."""


class RelativePositions(nn.Module):
    """A bias per head and bucket of distances, the same in every layer.

    Of T5 (Raffel et al. 2020, arXiv:1910.10683, section 2.1), as MPNet uses it (Song et al. 2020,
    arXiv:2004.09297).
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.buckets = nn.Embedding(config.n_distance_buckets, config.n_heads)

    def forward(self, n_tokens: int) -> Tensor:
        """Return [H, 2T - 1], the bias of each distance key - query from 1 - T to T - 1."""
        distances = torch.arange(1 - n_tokens, n_tokens, device=self.buckets.weight.device)  # [2T - 1]
        places = buckets_of(distances, self.buckets.num_embeddings)  # [2T - 1]
        bias: Tensor = self.buckets(places).transpose(0, 1)  # [H, 2T - 1]
        return bias


def buckets_of(distances: Tensor, n_buckets: int) -> Tensor:
    """Return the bucket of each of `distances` (int64): half of the buckets are for keys to the right.

    Of each half the first half is a bucket a distance; the others grow with the logarithm.
    """
    half = n_buckets // 2
    exact = half // 2
    away = distances.abs()
    steps = torch.log(away.clamp(min=1).float() / exact) / math.log(FARTHEST / exact) * (half - exact)
    far = (exact + steps.long()).clamp(max=half - 1)
    return torch.where(away < exact, away, far) + half * (distances > 0)


def bias_of_rows(by_distance: Tensor, first: int, n_rows: int) -> Tensor:
    """Return [H, r, T], what is added to the scores of the queries from `first` on.

    `by_distance` [H, 2T - 1]: the row of query i is its numbers from T - 1 - i on.
    """
    n_tokens = (by_distance.shape[-1] + 1) // 2
    last = n_tokens - 1 - first
    windows = by_distance[:, last - n_rows + 1 : last + n_tokens].unfold(-1, n_tokens, 1)  # [H, r, T]
    return windows.flip(-2)
