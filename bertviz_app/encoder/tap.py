"""How the modules of the encoder call a tap, and the taps that the program itself uses."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import torch
from torch import Tensor

from bertviz_app.trace.points import Point, Tap


@dataclass(frozen=True)
class LayerTap:
    """A tap at one layer: called with a point and a tensor, it returns what the pass goes on with."""

    tap: Tap | None = None
    layer: int = 0

    def wants(self, point: Point) -> bool:
        """Return whether the tap is to be called at `point` of this layer."""
        return self.tap is not None and self.tap.wants(point, self.layer)

    def __call__(self, point: Point, tensor: Tensor) -> Tensor:
        """Return `tensor`, or what the tap replaces it with. Raises ValueError for another shape."""
        if self.tap is None or not self.tap.wants(point, self.layer):
            return tensor
        found = self.tap(point, self.layer, tensor)
        if found.shape != tensor.shape:
            message = f"{point} of layer {self.layer} has the shape {list(tensor.shape)}"
            raise ValueError(f"{message}, its replacement {list(found.shape)}")
        return found


UNTAPPED = LayerTap()
"""Of a pass whose tensors nobody reads or replaces."""


class Taps:
    """Several taps as one: each is given what the one before it returned."""

    def __init__(self, *taps: Tap) -> None:
        self._taps = taps

    def wants(self, point: Point, layer: int) -> bool:
        """Return whether any of them wants to be called."""
        return any(tap.wants(point, layer) for tap in self._taps)

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        """Return what the last of those that want `tensor` returned."""
        for tap in self._taps:
            if tap.wants(point, layer):
                tensor = tap(point, layer, tensor)
        return tensor


class Mute:
    """Replaces the output of some heads by zeros (Michel et al. 2019, arXiv:1905.10650, section 2.3).

    A muted head still computes its attention. `heads` are (layer, head).
    """

    def __init__(self, heads: Collection[tuple[int, int]]) -> None:
        self._heads = frozenset(heads)
        self._layers = frozenset(layer for layer, _ in heads)

    def wants(self, point: Point, layer: int) -> bool:
        """Return whether a head of `layer` is muted."""
        return point is Point.MIXED and layer in self._layers

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        """Return `tensor` [B, H, T, E] with zeros for the muted heads."""
        heads = sorted(head for at, head in self._heads if at == layer)
        return tensor.index_fill(1, torch.tensor(heads, device=tensor.device), 0.0)
