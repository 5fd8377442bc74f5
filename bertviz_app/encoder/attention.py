"""Self-attention: every token looks at every token, in H heads at once (Vaswani et al. 2017, section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.dense import LONG, Dense
from bertviz_app.encoder.disentangled import PositionHeads
from bertviz_app.encoder.positions import NOWHERE, Positions, bias_of_rows, rotated

ROWS_AT_ONCE = 128
"""Queries per block where no fused kernel serves: the scores in memory are [H, 128, T], never [H, T, T]."""


class Heads(NamedTuple):
    """What makes every head's attention: exp(queries . keys * scale + bias - lse) is any cell of it."""

    queries: Tensor  # [B, H, T, E]
    keys: Tensor  # [B, H, T, E]
    values: Tensor  # [B, H, T, E]
    lse: Tensor  # [B, H, T], log-sum-exp of each row of scaled scores, their bias added
    by_position: PositionHeads | None = None  # of the distances, in disentangled attention


class SelfAttention(nn.Module):
    """Multi-head attention of a sequence to itself: MultiHead(Q, K, V) = concat(head_1 .. head_H) . W_O.

    In some encoders the sequence itself is added before W_O instead of after it; in some the scores are of
    positions too, see `disentangled`.
    """

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.n_heads = config.n_heads
        self.scale = config.scale
        self.adds_before_projection = config.form.adds_before_projection
        width, wide, has_bias = config.width, config.heads_width, config.form.has_biases
        self.query = Dense(width, wide, bias=has_bias)
        self.key = Dense(width, wide, bias=has_bias)
        self.value = Dense(width, wide, bias=has_bias)
        self.output = Dense(wide, width, bias=has_bias)
        kind = self.disentangling = config.disentangling
        own = None if kind is None or kind.shares_projections else kind
        self.position_query = Dense(width, wide) if own is not None and own.to_content else None
        self.position_key = Dense(width, wide) if own is not None and own.to_position else None

    def forward(
        self, hidden: Tensor, muted: Sequence[int] = (), positions: Positions = NOWHERE
    ) -> tuple[Tensor, Heads]:
        """Return what each token gathered [B, T, D] and the heads that did it.

        The heads in `muted` look as ever, but hand over nothing: their gate is 0 (Michel et al. 2019,
        arXiv:1905.10650, section 2.3). `positions`: what the scores have to do with where the tokens stand.
        """
        queries = self._split(self.query(hidden))  # [B, H, T, E]   Q: what a token looks for
        keys = self._split(self.key(hidden))  # [B, H, T, E]        K: what it offers
        values = self._split(self.value(hidden))  # [B, H, T, E]    V: what it hands over
        if positions.rotation is not None:
            queries, keys = (rotated(x, positions.rotation) for x in (queries, keys))
        by_position = self._by_position(positions)
        # [B, H, T, E], [B, H, T]
        mixed, lse = attend(queries, keys, values, self.scale, positions, by_position)
        if muted:
            mixed = mixed.index_fill(1, torch.tensor(muted, device=mixed.device), 0.0)
        concat = mixed.transpose(1, 2).flatten(2)  # [B, T, H * E]  the heads side by side
        if self.adds_before_projection:
            concat = concat + hidden  # [B, T, D]
        output = self.output(concat)  # [B, T, D]                   W_O
        return output, Heads(queries, keys, values, lse, by_position)

    def _by_position(self, positions: Positions) -> PositionHeads | None:
        """Return the queries and keys of the distances, None where the scores are of tokens alone."""
        kind = self.disentangling
        if kind is None or positions.table is None or positions.buckets is None:
            return None
        query = self.query if self.position_query is None else self.position_query
        key = self.key if self.position_key is None else self.position_key
        return PositionHeads(
            queries=self._split(query(positions.table)) if kind.to_content else None,  # [1, H, P, E]
            keys=self._split(key(positions.table)) if kind.to_position else None,  # [1, H, P, E]
            buckets=positions.buckets,
        )

    def _split(self, x: Tensor) -> Tensor:
        """Cut the width into heads: [B, T, H * E] -> [B, H, T, E]."""
        n_inputs, n_tokens, _ = x.shape
        return x.view(n_inputs, n_tokens, self.n_heads, -1).transpose(1, 2)


def attend(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    scale: float,
    positions: Positions = NOWHERE,
    by_position: PositionHeads | None = None,
) -> tuple[Tensor, Tensor]:
    """Return softmax(Q . K^T * scale + bias) . V  [B, H, T, E], and the log-sum-exp of each row [B, H, T].

    The bias is that of `positions`, whose window leaves keys out; products with `by_position` are added to
    Q . K^T. Without any of these a fused kernel does it for
    LONG texts where torch has one that hands out the log-sum-exp: the same numbers as `attend_by_rows`,
    read for what happens, but for rounding. With padding told apart, in training, the log-sum-exp is empty.
    """
    if positions.seen is not None:
        return _attend_to_seen(queries, keys, values, scale, positions.seen), queries.new_empty(0)
    n_tokens = queries.shape[-2]
    if n_tokens < LONG or positions.by_distance is not None or positions.is_masked(n_tokens) or by_position:
        return attend_by_rows(queries, keys, values, scale, positions, by_position)
    if queries.device.type == "cpu" and _has("_scaled_dot_product_flash_attention_for_cpu"):
        fused = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
        mixed, lse = fused(queries, keys, values, scale=scale)
        return mixed, lse
    if queries.device.type == "cuda" and _has("_scaled_dot_product_efficient_attention"):
        fused = torch.ops.aten._scaled_dot_product_efficient_attention
        mixed, lse, *_ = fused(queries, keys, values, None, True, scale=scale)
        return mixed, lse[..., :n_tokens]  # the kernel pads the rows to a multiple of 32
    return attend_by_rows(queries, keys, values, scale)


def _attend_to_seen(queries: Tensor, keys: Tensor, values: Tensor, scale: float, seen: Tensor) -> Tensor:
    """Return softmax(Q . K^T * scale) . V [B, H, T, E] over the keys `seen` [B, T], with gradients.

    By a fused kernel, but for bfloat16 on a CPU: there its backward pass takes four times as long at 128
    tokens as that of the plain operations.
    """
    mask = seen[:, None, None, :]  # [B, 1, 1, T]
    if queries.device.type != "cpu" or queries.dtype != torch.bfloat16:
        return scaled_dot_product_attention(queries, keys, values, attn_mask=mask, scale=scale)
    scores = (queries * scale) @ keys.transpose(-1, -2)  # [B, H, T, T]
    bias = torch.zeros_like(mask, dtype=scores.dtype).masked_fill(~mask, -torch.inf)
    return (scores + bias).softmax(-1).to(values.dtype) @ values  # autocast computes the softmax in float32


def attend_by_rows(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    scale: float,
    positions: Positions = NOWHERE,
    by_position: PositionHeads | None = None,
) -> tuple[Tensor, Tensor]:
    """Return what `attend` returns, with public operations, a block of queries at a time.

    In a window K keys, those that the block reaches, else all of them.
    """
    mixed, lse = [], []
    met = None if by_position is None else by_position.met_by(keys)  # [B, H, P, T]
    bias = positions.bias(queries.shape[-2], queries.device)  # [H, 2T - 1]
    for first in range(0, queries.shape[-2], ROWS_AT_ONCE):
        block = queries[..., first : first + ROWS_AT_ONCE, :]  # [B, H, r, E]
        near = positions.near(first, block.shape[-2])
        scores = block @ keys[..., near, :].transpose(-1, -2)  # [B, H, r, K]  Q . K^T
        if by_position is not None:
            scores = scores + by_position.of_rows(block, met, first)  # content and position
        scores = scores * scale  # [B, H, r, K]                 divided by sqrt(d_k)
        if bias is not None:
            scores = scores + bias_of_rows(bias, first, block.shape[-2])[..., near]
        weights = scores.softmax(-1)  # [B, H, r, K]            each row sums to 1
        mixed.append(weights @ values[..., near, :])  # [B, H, r, E]    the weighted sum of V
        # A weight is exp(score - lse): the largest of the row is the one rounding hurts least.
        lse.append(scores.amax(-1) - weights.amax(-1).log())  # [B, H, r]
    return torch.cat(mixed, dim=-2), torch.cat(lse, dim=-1)


def _has(operation: str) -> bool:
    """Return whether this torch has `operation`: it is not public and may go."""
    return hasattr(torch.ops.aten, operation)
