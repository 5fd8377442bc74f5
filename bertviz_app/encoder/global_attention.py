"""Global attention: some tokens attend to all others, by projections of their own (arXiv:2004.05150)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import pad

from bertviz_app.encoder.config import EncoderConfig, GlobalTokens
from bertviz_app.encoder.dense import Dense


class GlobalProjections(nn.Module):
    """The projections for the queries of global tokens, and for the keys and values that they attend to."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        width, wide, has_bias = config.width, config.heads_width, config.form.has_biases
        self.query = Dense(width, wide, bias=has_bias)
        self.key = Dense(width, wide, bias=has_bias)
        self.value = Dense(width, wide, bias=has_bias)


@dataclass(frozen=True, eq=False)
class GlobalHeads:
    """The keys and values of their own that the queries of global tokens attend to."""

    is_global: Tensor  # bool [B, T]
    keys: Tensor  # [B, H, T, E]
    values: Tensor  # [B, H, T, E]

    def rows(self, first: int, n_rows: int) -> Tensor:
        """Return which of the `n_rows` queries from `first` on are global, bool [B, 1, r, 1]."""
        return self.is_global[:, None, first : first + n_rows, None]

    def products(self, products: Tensor, queries: Tensor, first: int) -> Tensor:
        """Return `products` [B, H, r, T] of the `queries` from `first` on, those of global ones replaced."""
        rows = self.rows(first, queries.shape[-2])
        return torch.where(rows, queries @ self.keys.transpose(-1, -2), products)

    def without_window(self, bias: Tensor, first: int) -> Tensor:
        """Return `bias` [H, r, T] as [B, H, r, T], 0 wherever the query or the key is global."""
        rows = self.rows(first, bias.shape[-2])
        return torch.where(rows | self.is_global[:, None, None, :], 0.0, bias)

    def weighted_sum(self, weights: Tensor, values: Tensor, first: int) -> Tensor:
        """Return weights . V [B, H, r, E]: V is `values`, and for global queries their own."""
        rows = self.rows(first, weights.shape[-2])
        return torch.where(rows, weights @ self.values, weights @ values)


def global_tokens(kind: GlobalTokens, ids: Tensor) -> Tensor:
    """Return which of the tokens `ids` [B, T] are global, bool [B, T]."""
    if kind.until is None:
        mask = torch.zeros_like(ids, dtype=torch.bool)
        mask[:, 0] = True
        return mask
    found = (ids == kind.until).cumsum(-1) > 0  # [B, T], from the first token of that id on
    return pad(found[:, :-2], (2, 0)) if kind.is_rest else ~found
