"""How analyses run the model again: several variants in one pass, and what a gradient is taken by."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bertviz_app.trace.points import Point, Tap

if TYPE_CHECKING:
    from torch import Tensor

TOKENS_AT_ONCE = 1024
"""So many tokens are in one forward pass, those of several variants together."""


def batches(n_variants: int, n_tokens: int, at_once: int = TOKENS_AT_ONCE) -> Iterator[range]:
    """Yield which of `n_variants` texts of so many tokens go through the model in one pass."""
    size = max(1, at_once // n_tokens)
    for first in range(0, n_variants, size):
        yield range(first, min(n_variants, first + size))


class Leaf:
    """A tap that makes the tensor at a point what is differentiated by; `values` may take its place."""

    def __init__(self, point: Point, values: Tensor | None = None) -> None:
        self._point, self._values = point, values
        self._leaf: Tensor | None = None

    @property
    def leaf(self) -> Tensor:
        """The tensor that a gradient can be taken by, after a pass; at a point of each layer the last one.

        Its shape is that of the point, see `trace.points.Point`.
        """
        assert self._leaf is not None
        return self._leaf

    def wants(self, point: Point, layer: int) -> bool:
        """Return whether it is the point."""
        return point is self._point

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        """Return the leaf."""
        given = tensor if self._values is None else self._values.to(tensor)
        self._leaf = given.detach().clone().requires_grad_()
        return self._leaf


class Both:
    """Two taps as one: the second is given what the first returned."""

    def __init__(self, first: Tap, second: Tap) -> None:
        self._taps = (first, second)

    def wants(self, point: Point, layer: int) -> bool:
        """Return whether either wants to be called."""
        return any(tap.wants(point, layer) for tap in self._taps)

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        """Return what the last of those that want `tensor` returned."""
        for tap in self._taps:
            if tap.wants(point, layer):
                tensor = tap(point, layer, tensor)
        return tensor
