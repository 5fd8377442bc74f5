"""A long text some tokens at a time, wherever each token is computed by itself.

What is made on the way for all tokens of a long text is new memory, which the system fills with zeros first
and no cache holds. Where gradients are recorded that memory is needed later, and a GPU is fastest with many
tokens: there all are computed at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

ROWS_IN_CACHE = 1024
"""So many tokens at a time."""


def is_parted(x: Tensor, n_tokens: int) -> bool:
    """Return whether what follows from `x`, of `n_tokens`, is computed some tokens at a time."""
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
