"""How analyses run the model again: several variants in one pass, and the tensor of a gradient."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bertviz_app.trace.form import Point

if TYPE_CHECKING:
    from torch import Tensor

TOKENS_AT_ONCE = 1024
"""So many tokens are in one forward pass, those of several variants together."""


def batches(n_variants: int, n_tokens: int, at_once: int = TOKENS_AT_ONCE) -> Iterator[range]:
    """Yield which of `n_variants` texts, of `n_tokens` each, go through the model in one pass."""
    size = max(1, at_once // n_tokens)
    for first in range(0, n_variants, size):
        yield range(first, min(n_variants, first + size))


class Leaf:
    """A tap that makes the tensor at a point a leaf, with respect to which gradients can be computed.

    `values` take the place of the tensor, if they are given.
    """

    def __init__(self, point: Point, values: Tensor | None = None) -> None:
        self._point, self._values = point, values
        self._leaf: Tensor | None = None

    @property
    def leaf(self) -> Tensor:
        """The leaf, after a pass; at a point that each layer has, that of the last layer.

        Its shape is that of the point, see `trace.points.Point`.
        """
        assert self._leaf is not None
        return self._leaf

    def wants(self, point: Point, layer: int) -> bool:
        """Return whether it is the point."""
        return point is self._point

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        given = tensor if self._values is None else self._values.to(tensor)
        self._leaf = given.detach().clone().requires_grad_()
        return self._leaf
