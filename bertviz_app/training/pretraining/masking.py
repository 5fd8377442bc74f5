"""Which tokens a model has to predict, and what it reads in their place.

Devlin et al. 2019 (arXiv:1810.04805), section 3.1, task 1: of the 15 % of tokens that are chosen 80 % are
read as [MASK], 10 % as another piece, and 10 % as they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SHARE, SHARE_MASKED, SHARE_RANDOM = 0.15, 0.8, 0.1
Integers = NDArray[np.int64]


class Masked(NamedTuple):
    """A batch as the model reads it, and the correct answers."""

    ids: Integers  # [B, T]
    positions: Integers  # [M], positions of the chosen tokens in the flattened batch, rising
    answers: Integers  # [M], their ids


def mask(
    ids: Integers, is_special: NDArray[np.bool_], mask_id: int, ordinary: Integers, seed: list[int]
) -> Masked:
    """Return `ids` [B, T] with the tokens to predict replaced.

    Of every row 15 % of the tokens are chosen, rounded, but at least one; never those that are `is_special`
    [B, T], padding among them. Random pieces are drawn from the ids `ordinary`, which has no special ones.
    The same `seed` gives the same choice.
    """
    rng = np.random.default_rng(seed)
    draws = np.where(is_special, 2.0, rng.random(ids.shape))  # [B, T]
    ranks = draws.argsort(axis=1).argsort(axis=1)  # [B, T], 0 for the smallest draw
    n_free = (~is_special).sum(axis=1)  # [B]
    n_chosen = np.minimum(np.maximum(1, np.round(SHARE * n_free)), n_free)  # [B]
    is_chosen = ranks < n_chosen[:, None]  # [B, T]
    fate = rng.random(ids.shape)
    others = ordinary[rng.integers(0, len(ordinary), ids.shape)]
    seen = np.where(is_chosen & (fate < SHARE_MASKED), mask_id, ids)
    is_random = is_chosen & (fate >= SHARE_MASKED) & (fate < SHARE_MASKED + SHARE_RANDOM)
    seen = np.where(is_random, others, seen)
    positions = np.flatnonzero(is_chosen)
    return Masked(seen, positions, ids.reshape(-1)[positions])
