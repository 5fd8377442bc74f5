"""`AttentionNumbers`: the numbers that views show of attention: weights, or lengths of weighted vectors."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.attention.stamp import NumbersKind, Stamp
from bertviz_app.analysis.axes import Quantity
from bertviz_app.analysis.matrices import AttentionMatrix, MatrixSource, Selection
from bertviz_app.analysis.results import HeadMatrices, TokenMatrices
from bertviz_app.trace import Trace
from bertviz_app.types import Floats

WEIGHT, SHARE = Quantity("weight", 0, 1), Quantity("share", 0, 1)
"""The quantities of attention weights, and of norms whose rows were divided by their sums."""

_TINY = np.finfo(np.float32).tiny


@dataclass(frozen=True, eq=False)
class AttentionNumbers:
    """The numbers of one kind between the tokens of a run.

    `result`: of the analysis that ANALYSES has for the kind; None for weights. `sinks` bool [L, T], see
    `sinks_of`; None: not computed.
    """

    trace: Trace
    kind: NumbersKind = "weight"
    result: HeadMatrices | TokenMatrices | None = None
    sinks: NDArray[np.bool_] | None = None

    @property
    def has_heads(self) -> bool:
        """Whether each head has a matrix; numbers with the residual connection have one for each layer."""
        return not isinstance(self.result, TokenMatrices)

    @property
    def n_heads(self) -> int:
        """How many matrices a layer has."""
        return self.trace.n_heads if self.has_heads else 1

    def quantity(self, *, is_rescaled: bool = False) -> Quantity:
        """Return the unit and range of the numbers; `is_rescaled`: each row was divided by its sum."""
        if self.result is None:
            return WEIGHT
        return SHARE if is_rescaled else self.result.quantity

    def matrix(self, layer: int, head: int) -> MatrixSource:
        """Return the matrix of a head, or of the whole layer where heads have none of their own."""
        if isinstance(self.result, HeadMatrices):
            return self.result.source(layer, head)
        if isinstance(self.result, TokenMatrices):
            return self.result.source(layer)
        return AttentionMatrix(self.trace, layer, head)

    def rows(self, layer: int, queries: Selection) -> Floats:
        """Return the numbers [H, r, T] of some queries, H being `n_heads`."""
        if self.result is None:
            return self.trace.attention(layer, None, rows=queries)
        return np.stack([self.matrix(layer, head).rows(queries) for head in range(self.n_heads)])

    def of_pair(self, query: int, key: int, stamp: Stamp) -> Floats:
        """Return the number of one pair in every head, [L, H]; nan where `stamp` leaves a token out."""
        included = stamp.included(self.trace.tokens)
        if not (included[query] and included[key]):
            return np.full((self.trace.n_layers, self.n_heads), np.nan, np.float32)
        found = []
        for layer in range(self.trace.n_layers):
            row = self.rows(layer, slice(query, query + 1))[:, 0]
            found.append(
                rescaled(row, included)[:, key] if stamp.special_tokens == "removed" else row[:, key]
            )
        return np.stack(found)


def rescaled(rows: Floats, included: NDArray[np.bool_]) -> Floats:
    """Return `rows` [..., T] with 0 where a key is left out, and the rest divided by its sum."""
    left: Floats = np.where(included, rows, np.float32(0))
    sums: Floats = np.maximum(left.sum(-1, keepdims=True), _TINY)
    found: Floats = left / sums
    return found
