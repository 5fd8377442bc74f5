"""Disentangled attention: scores are sums of products of content and position, each as query and as key."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bertviz_app.encoder.config import Disentangling, EncoderConfig
from bertviz_app.encoder.positions import Distances, bias_of_rows


class DisentangledPositions(nn.Module):
    """A learned vector for each bucket of distances; every layer projects it to queries and keys.

    He et al. 2021, arXiv:2006.03654, section 3.1; with the buckets and the norm of arXiv:2111.09543.
    """

    def __init__(self, config: EncoderConfig, kind: Disentangling) -> None:
        super().__init__()
        self.kind = kind
        self.table = nn.Embedding(2 * kind.span, config.width)
        self.norm = nn.LayerNorm(config.width, eps=config.norm_eps) if kind.has_norm else nn.Identity()

    def forward(self, n_tokens: int) -> Distances:
        """Return the vectors of the buckets that occur in `n_tokens` tokens, and the bucket of each distance.

        In short texts few of the table's rows occur; projecting the others would be wasted work.
        """
        rows = table_rows(n_tokens, self.kind).to(self.table.weight.device)  # [2T - 1]
        used, buckets = torch.unique(rows, return_inverse=True)  # [P], [2T - 1]
        return Distances(table=self.norm(self.table(used))[None], buckets=buckets)


def table_rows(n_tokens: int, kind: Disentangling) -> Tensor:
    """Return [2T - 1], the row of the table for each distance key - query from 1 - T to T - 1.

    The table is ordered by query - key: row S is of a token and itself, and S - 1 of the key after it.
    """
    distances = torch.arange(n_tokens - 1, -n_tokens, -1)  # query - key
    if kind.farthest is not None:
        distances = signed_buckets(distances, kind.span, kind.farthest)
    return (distances + kind.span).clamp(0, 2 * kind.span - 1)


def signed_buckets(distances: Tensor, n_buckets: int, farthest: int) -> Tensor:
    """Return the bucket of each of `distances` (int64), with the sign of the distance.

    Up to half of `n_buckets` each distance is a bucket of its own; the width of the others grows
    logarithmically, up to `farthest`.
    """
    middle = n_buckets // 2
    away = distances.abs().clamp(min=middle).float()
    growth = torch.log(away / middle) / torch.log(torch.tensor((farthest - 1) / middle))
    far = torch.ceil(growth * (middle - 1)).long() + middle
    return torch.where(distances.abs() <= middle, distances, far * distances.sign())


@dataclass(frozen=True, eq=False)
class PositionHeads:
    """Queries and keys of the buckets of distances in one layer; None where the scores have no such part.

    Where all heads share them their axis of heads is 1 long.
    """

    queries: Tensor | None  # [1, H, P, E], multiplied with the keys of the tokens
    keys: Tensor | None  # [1, H, P, E], multiplied with the queries of the tokens
    buckets: Tensor  # [2T - 1], the bucket of each distance key - query

    def products_with(self, keys: Tensor) -> Tensor | None:
        """Return [B, H, P, T], the products of these queries and the tokens' `keys` [B, H, T, E]."""
        return None if self.queries is None else self.queries @ keys.transpose(-1, -2)

    def of_rows(self, queries: Tensor, products: Tensor | None, first: int) -> Tensor:
        """Return [B, H, r, T], what is added to the products of the `queries` [B, H, r, E] from `first` on.

        Content to position + position to content, not scaled yet; `products` are those of `products_with`.
        """
        buckets = bias_of_rows(self.buckets[None], first, queries.shape[-2])  # [1, r, T]
        buckets = buckets.expand(*queries.shape[:2], -1, -1)  # [B, H, r, T]
        parts = [] if self.keys is None else [(queries @ self.keys.transpose(-1, -2)).gather(-1, buckets)]
        parts += [] if products is None else [products.gather(-2, buckets)]
        return sum(parts[1:], parts[0])
