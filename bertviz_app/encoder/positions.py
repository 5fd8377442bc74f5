"""Positions that enter the scores: relative biases, rotations, windows; and long texts in rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor, nn

from bertviz_app.encoder.config import FARTHEST, Blocks, EncoderConfig
from bertviz_app.values import dataclass, field

ROWS_IN_CACHE = 1024
"""So many tokens at a time."""


def is_parted(x: Tensor, n_tokens: int) -> bool:
    """Return whether the results for `x`, of `n_tokens`, are computed in blocks of tokens."""
    return n_tokens > ROWS_IN_CACHE and x.device.type == "cpu" and not torch.is_grad_enabled()


def parts(n_tokens: int) -> Iterator[slice]:
    """Yield the tokens that are computed together."""
    return (slice(first, first + ROWS_IN_CACHE) for first in range(0, n_tokens, ROWS_IN_CACHE))


def by_rows(compute: Callable[[Tensor, Tensor], Tensor], kept: Tensor, given_up: Tensor) -> Tensor:
    """Return `compute(kept, given_up)` [B, T, D], which computes each token by itself.

    Of a long text the result takes the place of `given_up` [B, T, D].
    """
    n_tokens = kept.shape[1]
    if not is_parted(kept, n_tokens):
        return compute(kept, given_up)
    for rows in parts(n_tokens):
        given_up[:, rows] = compute(kept[:, rows], given_up[:, rows])
    return given_up


@dataclass(frozen=True, eq=False)
class Positions:
    """The position information of one layer's attention: none, as in BERT, whose embeddings hold it."""

    def bias(self, n_tokens: int, device: torch.device) -> Tensor | None:
        """Return what is added to the scores by distance key - query, None where nothing is added.

        [H, 2T - 1], or [1, 2T - 1] where all heads have the same; -inf beyond a window.
        """
        return None

    def near(self, first: int, n_rows: int) -> slice:
        """Return the keys that the `n_rows` queries from `first` on may attend to."""
        return slice(None)

    def of_rows(self, first: int, n_rows: int, n_tokens: int) -> Tensor | None:
        """Return [B, 1, r, T], what is added to the scores of these queries besides `bias`; None for nothing.

        -inf for a key that a query does not attend to.
        """
        return None


NO_POSITIONS = Positions()


@dataclass(frozen=True, eq=False)
class DistanceBias(Positions):
    """A number for each head and distance, added to the scores; see `RelativePositions`."""

    by_distance: Tensor  # [H, 2T - 1]

    def bias(self, n_tokens: int, device: torch.device) -> Tensor:
        return self.by_distance


@dataclass(frozen=True, eq=False)
class AttentionWindow(Positions):
    """A query attends to a window of tokens around it; the products with all others are not computed."""

    reach: int | None = None  # how many tokens to each side a query attends to; None: all
    is_global: Tensor | None = (
        None  # bool [B, T], those that attend, and are attended to, beyond it; see `global_attention`
    )

    def bias(self, n_tokens: int, device: torch.device) -> Tensor | None:
        """Return [1, 2T - 1], -inf beyond the window; None where the window holds all tokens."""
        if self.reach is None or n_tokens - 1 <= self.reach:
            return None
        distances = torch.arange(1 - n_tokens, n_tokens, device=device)[None]
        return torch.where(distances.abs() > self.reach, -math.inf, 0.0)

    def near(self, first: int, n_rows: int) -> slice:
        """Return the keys in the windows of the queries."""
        if self.reach is None:
            return slice(None)
        return slice(max(0, first - self.reach), first + n_rows + self.reach)


@dataclass(frozen=True, eq=False)
class Causal(Positions):
    """A query attends to its own token and to those before it (Vaswani et al. 2017, section 3.2.3)."""

    def bias(self, n_tokens: int, device: torch.device) -> Tensor | None:
        """Return [1, 2T - 1], -inf for every later key; None of a single token."""
        if n_tokens == 1:
            return None
        distances = torch.arange(1 - n_tokens, n_tokens, device=device)[None]
        return torch.where(distances > 0, -math.inf, 0.0)

    def near(self, first: int, n_rows: int) -> slice:
        """Return the keys up to the last of the queries."""
        return slice(0, first + n_rows)


@dataclass(frozen=True, eq=False)
class Blocked(Positions):
    """In long texts a query attends to some blocks of tokens; see `Blocks`."""

    kind: Blocks
    n_tokens: Tensor  # int64 [B], of each input, without padding

    def of_rows(self, first: int, n_rows: int, n_tokens: int) -> Tensor | None:
        """Return [B, 1, r, T]: 0, -inf for other blocks, and the logarithm of how often the first counts."""
        is_long = self.n_tokens > self.kind.longest_full  # [B]
        if not is_long.any():
            return None
        size, device = self.kind.size, self.n_tokens.device
        queries = torch.arange(first, first + n_rows, device=device)[:, None] // size  # [r, 1], their blocks
        keys = torch.arange(n_tokens, device=device) // size  # [T]
        last = ((self.n_tokens - 1) // size)[:, None, None]  # [B, 1, 1]
        is_seen = (keys == 0) | (keys == last) | ((keys - queries).abs() <= 1)  # [B, r, T]
        times = torch.where(keys == 0, math.log(1 + self.kind.n_random), 0.0)  # [T]
        bias = torch.where(is_seen, times, -math.inf)  # [B, r, T]
        is_free = (queries == 0) | (queries == last) | ~is_long[:, None, None]  # [B, r, 1]
        return torch.where(is_free, 0.0, bias)[:, None]


@dataclass(frozen=True, eq=False)
class Rotary(AttentionWindow):
    """Queries and keys are rotated by their position; in some layers a query attends to a window only."""

    rotation: Tensor = field(kw_only=True)  # [2, T, E], cosine and sine; see `rotated`
    is_interleaved: bool = False


@dataclass(frozen=True, eq=False)
class Distances(Positions):
    """A vector for each bucket of distances, of which disentangled attention makes queries and keys."""

    table: Tensor  # [1, P, D]
    buckets: Tensor  # [2T - 1], the bucket of each distance key - query


@dataclass(frozen=True, eq=False)
class Offsets(Positions):
    """The rows of the tables of distances that the layers with relative keys have; see `RelativeKeys`."""

    rows: Tensor  # [2T - 1], of each distance key - query from 1 - T to T - 1
    buckets: Tensor  # [2T - 1], 0 to 2T - 2: each distance is a bucket of its own

    @classmethod
    def of(cls, n_tokens: int, n_positions: int, device: torch.device) -> Offsets:
        """Return those of `n_tokens` tokens in tables for distances below `n_positions`.

        The tables are ordered by query - key, from 1 - n_positions on.
        """
        rows = torch.arange(n_positions + n_tokens - 2, n_positions - n_tokens - 1, -1, device=device)
        return cls(rows, torch.arange(2 * n_tokens - 1, device=device))


class RelativePositions(nn.Module):
    """A learned bias for each head and bucket of distances, shared by all layers.

    Of T5 (Raffel et al. 2020, arXiv:1910.10683, section 2.1), also of MPNet (Song et al. 2020,
    arXiv:2004.09297).
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.buckets = nn.Embedding(config.n_distance_buckets, config.n_heads)
        self.n_used, self.farthest = config.n_used_buckets, config.farthest

    def forward(self, n_tokens: int) -> DistanceBias:
        """Return the bias of each distance key - query from 1 - T to T - 1."""
        distances = torch.arange(1 - n_tokens, n_tokens, device=self.buckets.weight.device)  # [2T - 1]
        n_buckets = min(self.n_used, self.buckets.num_embeddings)
        buckets = buckets_of(distances, n_buckets, self.farthest)  # [2T - 1]
        return DistanceBias(self.buckets(buckets).transpose(0, 1))  # [H, 2T - 1]


def buckets_of(distances: Tensor, n_buckets: int, farthest: int = FARTHEST) -> Tensor:
    """Return the bucket of each of `distances` (int64): half of the buckets are for keys to the right.

    In each half, the first half of the buckets holds one distance each; the width of the others grows
    logarithmically.
    """
    half = n_buckets // 2
    exact = half // 2
    away = distances.abs()
    steps = torch.log(away.clamp(min=1).float() / exact) / math.log(farthest / exact) * (half - exact)
    far = (exact + steps.long()).clamp(max=half - 1)
    return torch.where(away < exact, away, far) + half * (distances > 0)


def linear_biases(n_heads: int, n_tokens: int, device: torch.device) -> Tensor:
    """Return what is added to scores by distance from 1 - T to T - 1, [H, 2T - 1]: -slope * |distance|.

    ALiBi (Press et al. 2022, arXiv:2108.12409, section 3), to both sides.
    """
    away = torch.arange(1 - n_tokens, n_tokens, device=device).abs()  # [2T - 1]
    return -torch.tensor(slopes(n_heads), device=device)[:, None] * away


def slopes(n_heads: int) -> list[float]:
    """Return the slope of each head: 2^(-8/H), 2^(-16/H) ... for a power of two H.

    For other H those of the next lower power of two, then every second one of the next higher.
    """
    power = 1 << (n_heads.bit_length() - 1)
    own = [2.0 ** (-8 * (head + 1) / power) for head in range(power)]
    return own if power == n_heads else own + slopes(2 * power)[::2][: n_heads - power]


def bias_of_rows(by_distance: Tensor, first: int, n_rows: int, near: slice = slice(None)) -> Tensor:
    """Return [H, r, K], what is added to the scores of `n_rows` queries from `first` on with the keys `near`.

    `by_distance` [H, 2T - 1]: the row of query i is its numbers from T - 1 - i on.
    """
    n_tokens = (by_distance.shape[-1] + 1) // 2
    last = n_tokens - 1 - first
    windows = by_distance[:, last - n_rows + 1 : last + n_tokens].unfold(-1, n_tokens, 1)  # [H, r, T]
    return windows[..., near].flip(-2)


class RotaryFrequencies(nn.Module):
    """The frequencies of rotary embeddings as a file has them: those of ESM-2 are rounded to float16."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.frequencies = nn.Parameter(torch.ones(config.head_width // 2))

    def forward(self, n_tokens: int) -> Tensor:
        """Return [2, T, E], as `rotation`."""
        return rotation(n_tokens, self.frequencies)


def frequencies(
    head_width: int, base: float, device: torch.device, dtype: torch.dtype = torch.float32
) -> Tensor:
    """Return 1 / base^(2i / E) [E / 2] (Su et al. 2021, arXiv:2104.09864)."""
    exponents = torch.arange(0, head_width, 2, dtype=dtype, device=device) / head_width  # [E / 2]
    return 1.0 / torch.pow(base, exponents)


def rotation(n_tokens: int, frequencies: Tensor, *, is_interleaved: bool = False) -> Tensor:
    """Return [2, T, E], the cosine and sine of each position's angles, float32.

    The angle of position p in dimensions i and i + E / 2 is p times `frequencies[i]` [E / 2]; with
    `is_interleaved` in dimensions 2i and 2i + 1.
    """
    positions = torch.arange(n_tokens, dtype=frequencies.dtype, device=frequencies.device)
    angles = positions[:, None] * frequencies  # [T, E / 2]
    both = angles.repeat_interleave(2, dim=-1) if is_interleaved else torch.cat((angles, angles), dim=-1)
    return torch.stack((both.cos(), both.sin())).float()  # [2, T, E]


def rotated(x: Tensor, rotation: Tensor, *, is_interleaved: bool = False) -> Tensor:
    """Return `x` [B, H, T, E], each pair of dimensions rotated by its position's angle.

    Pairs are the dimensions i and i + E / 2; with `is_interleaved` 2i and 2i + 1. Of a long text the result
    takes the place of `x`, see `rows`.
    """
    n_tokens = x.shape[-2]
    if x.dtype != rotation.dtype or not is_parted(x, n_tokens):
        return _rotated(x, rotation, is_interleaved=is_interleaved)
    for rows in parts(n_tokens):
        x[..., rows, :] = _rotated(x[..., rows, :], rotation[:, rows], is_interleaved=is_interleaved)
    return x


def _rotated(x: Tensor, rotation: Tensor, *, is_interleaved: bool) -> Tensor:
    cosine, sine = rotation[0], rotation[1]  # [T, E]
    if is_interleaved:
        turned = torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)  # [B, H, T, E]
    else:
        first, second = x.chunk(2, dim=-1)
        turned = torch.cat((-second, first), dim=-1)  # [B, H, T, E]
    return x * cosine + turned * sine
