"""How the modules of the encoder call a tap, and the tap that makes interventions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from bertviz_app.text import Edits
from bertviz_app.trace.form import Point, Tap
from bertviz_app.trace.indexing import SetRow, set_rows
from bertviz_app.types import Check

Means = Mapping[str, Tensor]
"""Of each reference text, the mean output of every head over its tokens [L, H, E]."""
NO_MEANS: Means = {}


@dataclass(frozen=True)
class LayerTap:
    """A tap at one layer: called with a point and a tensor, it returns the tensor to continue with.

    `check` is called at every point, and between the parts of what takes long; it may raise
    `errors.Cancelled`, which ends the pass in the middle of a layer.
    """

    tap: Tap | None = None
    layer: int = 0
    check: Check = lambda: None

    def wants(self, point: Point) -> bool:
        """Return whether the tap is to be called at `point` of this layer."""
        return self.tap is not None and self.tap.wants(point, self.layer)

    def wants_any(self, points: Iterable[Point]) -> bool:
        """Return whether the tap is to be called at one of `points` of this layer."""
        return any(map(self.wants, points))

    def __call__(self, point: Point, tensor: Tensor) -> Tensor:
        """Return `tensor`, or what the tap replaces it with. Raises ValueError for another shape."""
        self.check()
        if self.tap is None or not self.tap.wants(point, self.layer):
            return tensor
        found = self.tap(point, self.layer, tensor)
        if found.shape != tensor.shape:
            message = f"{point} of layer {self.layer} has the shape {list(tensor.shape)}"
            raise ValueError(f"{message}, its replacement {list(found.shape)}")
        return found


UNTAPPED = LayerTap()
"""Of a pass whose tensors nobody reads or replaces."""


class Intervene:
    """Makes the interventions of `edits` on heads and on single weights; those on tokens are in the input.

    A head whose output is replaced by zeros or by a mean still computes its attention. `means` has those of
    the reference texts that `edits` name. A weight of a query or a key that an input does not have, or of two
    tokens that do not reach each other, stays as it is.
    """

    def __init__(self, edits: Edits, means: Means = NO_MEANS) -> None:
        self._means = means
        self._muted = edits.muted
        self._outputs = [one for one in edits.heads if one.kind == "mean"]
        self._uniform = [(one.layer, one.head) for one in edits.heads if one.kind == "uniform"]
        self._rows = set_rows(edits)
        self._of_output = {layer for layer, _ in edits.muted} | {one.layer for one in self._outputs}
        self._of_weights = {layer for layer, _ in self._uniform} | {row.layer for row in self._rows}
        self._first = 0
        self._reachable: Tensor | None = None

    def wants(self, point: Point, layer: int) -> bool:
        """Return whether there is something to replace in `layer`."""
        if point is Point.MIXED:
            return layer in self._of_output
        return point in (Point.SCORE_ROWS, Point.WEIGHT_ROWS) and layer in self._of_weights

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        """Return `tensor` with the interventions made."""
        if point is Point.MIXED:
            return self._replaced(layer, tensor)
        if point is Point.SCORE_ROWS:
            self._reachable = tensor > torch.finfo(tensor.dtype).min / 2  # padding has the lowest number
            return tensor
        assert self._reachable is not None
        first, n_rows, n_tokens = self._first, *tensor.shape[-2:]
        self._first = 0 if first + n_rows == n_tokens else first + n_rows
        weights = self._equal(layer, tensor, self._reachable)
        for row in self._rows:
            is_here = first <= row.query < first + n_rows and max(row.keys) < n_tokens
            if row.layer == layer and is_here:
                weights = _with_set(weights, self._reachable, row, row.query - first)
        return weights

    def _replaced(self, layer: int, mixed: Tensor) -> Tensor:
        """Return the outputs [B, H, T, E] with zeros or means for some heads."""
        muted = [head for at, head in self._muted if at == layer]
        if muted:
            mixed = mixed.index_fill(1, torch.tensor(muted, device=mixed.device), 0.0)
        for one in self._outputs:
            if one.layer == layer:
                mean = self._means[one.reference][layer, one.head].to(mixed)  # [E]
                is_it = torch.arange(mixed.shape[1], device=mixed.device) == one.head
                mixed = torch.where(is_it[:, None, None], mean, mixed)
        return mixed

    def _equal(self, layer: int, weights: Tensor, reachable: Tensor) -> Tensor:
        """Return the weights [B, H, r, T] with equal ones in uniform heads."""
        heads = [head for at, head in self._uniform if at == layer]
        if not heads:
            return weights
        is_uniform = torch.zeros(weights.shape[1], dtype=torch.bool, device=weights.device)
        is_uniform[heads] = True
        equal = reachable.to(weights.dtype)
        equal = equal / equal.sum(-1, keepdim=True).clamp(min=1)
        return torch.where(is_uniform[:, None, None], equal, weights)


def _with_set(weights: Tensor, reachable: Tensor, row: SetRow, at: int) -> Tensor:
    """Return the weights [B, H, r, T] with some weights of row `at` of this block set to given values.

    The others of the row keep their proportions. A row in which one of them cannot be set stays as it is.
    """
    old, can = weights[:, row.head, at], reachable[:, row.head, at]  # [B, T]
    given = torch.zeros_like(old[0])
    given[list(row.keys)] = torch.tensor(row.weights, dtype=old.dtype, device=old.device)
    is_set = torch.zeros_like(can[0])
    is_set[list(row.keys)] = True
    others = (can & ~is_set).to(old.dtype)
    rest = torch.where(is_set, 0.0, old)
    rest = torch.where(rest.sum(-1, keepdim=True) > 0, rest, others)
    rest = rest / rest.sum(-1, keepdim=True).clamp(min=torch.finfo(old.dtype).tiny)
    changes = can[:, list(row.keys)].all(-1, keepdim=True) & (others.sum(-1, keepdim=True) > 0)
    found = weights.clone()
    found[:, row.head, at] = torch.where(changes, rest * row.rest + given, old)
    return found
