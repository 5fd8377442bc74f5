"""`RelativeBias`: what some encoders add to a scaled score for the distance between query and key.

A window, beyond which no query looks, is such a bias too: -inf is added there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class RelativeBias:
    """A number per distance instead of a [T, T] square per head.

    `by_distance` [L, H, 2T - 1], or [L, 1, 2T - 1] where all heads of a layer share it: of the distance
    key - query, from 1 - T (the last query, the first key) to T - 1. Float32, read-only; a
    number or -inf, and a number at distance 0.
    """

    by_distance: Floats

    def __post_init__(self) -> None:
        if self.by_distance.ndim != 3 or self.by_distance.dtype != np.float32:
            raise ValueError("by_distance must be float32 [L, H, 2T - 1]")
        if not (self.by_distance < np.inf).all() or not np.isfinite(self._middle).all():
            raise ValueError("by_distance must be numbers or -inf")
        self.by_distance.flags.writeable = False

    @property
    def _middle(self) -> Floats:
        """The numbers at distance 0."""
        middle: Floats = self.by_distance[..., self.by_distance.shape[-1] // 2]
        return middle

    @property
    def n_bytes(self) -> int:
        """The memory of its array, in bytes."""
        return self.by_distance.nbytes

    def fits(self, n_layers: int, n_heads: int, n_tokens: int) -> bool:
        """Return whether it is of a trace of this size."""
        layers, heads, distances = self.by_distance.shape
        return layers == n_layers and heads in (1, n_heads) and distances == 2 * n_tokens - 1

    def rectangle(
        self,
        layer: int | None,
        head: int | None,
        rows: slice | NDArray[np.intp],
        columns: slice | NDArray[np.intp],
    ) -> Floats:
        """Return what is added to the scores of queries `rows` and keys `columns`.

        [r, c] of one head; [H, r, c] or [1, r, c] of a layer and [L, ...] of all, to be broadcast.
        """
        n_tokens = (self.by_distance.shape[-1] + 1) // 2
        places = np.arange(n_tokens)
        numbers = self.by_distance if layer is None else self.by_distance[layer]
        if head is not None:
            numbers = numbers[min(head, len(numbers) - 1)]
        distances = places[columns] - places[rows][:, None] + (n_tokens - 1)
        rectangle: Floats = numbers[..., distances]
        return rectangle
