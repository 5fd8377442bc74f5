"""Where tokens stand, as far as the attention itself knows: biases by distance, rotations, windows."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from bertviz_app.encoder.config import EncoderConfig

FARTHEST = 128
"""From this distance on all are one bucket."""


@dataclass(frozen=True)
class Positions:
    """What one layer's attention knows of T places; each None in an encoder without it."""

    by_distance: Tensor | None = None  # [H, 2T - 1], added to the scores: see RelativePositions
    rotation: Tensor | None = None  # [2, T, E], cosine and sine: see `rotated`
    table: Tensor | None = None  # [1, P, D], a vector for each bucket of distances: see `disentangled`
    buckets: Tensor | None = None  # [2T - 1], which of these is that of each distance key - query
    reach: int | None = None  # how far to each side a query looks; no family has it beside a bias

    def is_masked(self, n_tokens: int) -> bool:
        """Return whether the window leaves out any key."""
        return self.reach is not None and n_tokens - 1 > self.reach

    def bias(self, n_tokens: int, device: torch.device) -> Tensor | None:
        """Return all that is added to the scores by distance, -inf beyond the window.

        [H, 2T - 1], or [1, 2T - 1] where all heads have the same; None where nothing is added.
        """
        if self.reach is None or not self.is_masked(n_tokens):
            return self.by_distance
        distances = torch.arange(1 - n_tokens, n_tokens, device=device)
        bias = torch.zeros(1, 2 * n_tokens - 1, device=device)
        return bias.masked_fill(distances.abs() > self.reach, -math.inf)

    def near(self, first: int, n_rows: int) -> slice:
        """Return the keys that the `n_rows` queries from `first` on may look at."""
        if self.reach is None:
            return slice(None)
        return slice(max(0, first - self.reach), first + n_rows + self.reach)


NOWHERE = Positions()
"""Of an encoder whose attention does not know where tokens stand: their embeddings say it."""


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
    """Return [H, r, T], what is added to the scores of the `n_rows` queries from `first` on.

    `by_distance` [H, 2T - 1]: the row of query i is its numbers from T - 1 - i on.
    """
    n_tokens = (by_distance.shape[-1] + 1) // 2
    last = n_tokens - 1 - first
    windows = by_distance[:, last - n_rows + 1 : last + n_tokens].unfold(-1, n_tokens, 1)  # [H, r, T]
    return windows.flip(-2)


def rotation(n_tokens: int, head_width: int, base: float, device: torch.device) -> Tensor:
    """Return [2, T, E], the cosine and sine of each place's angles (Su et al. 2021, arXiv:2104.09864).

    The angle of place p in dimensions i and i + E / 2 is p / base^(2i / E).
    """
    exponents = torch.arange(0, head_width, 2, dtype=torch.float32, device=device) / head_width  # [E / 2]
    places = torch.arange(n_tokens, dtype=torch.float32, device=device)
    angles = places[:, None] * (1.0 / torch.pow(base, exponents))  # [T, E / 2]
    both = torch.cat((angles, angles), dim=-1)  # [T, E]
    return torch.stack((both.cos(), both.sin()))


def rotated(x: Tensor, turn: Tensor) -> Tensor:
    """Return `x` [B, H, T, E] with each pair of dimensions i and i + E / 2 turned by its place's angle."""
    cosine, sine = turn[0], turn[1]  # [T, E]
    first, second = x.chunk(2, dim=-1)
    return x * cosine + torch.cat((-second, first), dim=-1) * sine
