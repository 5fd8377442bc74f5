"""Matrices between tokens that are computed where they are read: attention, scaled attention, differences."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.compare import GAP, Alignment
from bertviz_app.analysis.pairs import attention_column
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.trace import Trace
from bertviz_app.types import Floats

Selection = slice | NDArray[np.intp]
"""Some of the queries: a slice, or their positions."""

MAX_BYTES = 2 << 30
"""More numbers than this are not computed where they cannot be made again piece by piece."""

MOST_CACHED = 520**2
"""A matrix of at most this number of cells is computed once and cached: 1 MB."""


class MatrixSource(Protocol):
    """A matrix of numbers between queries and keys; nan where one of two compared runs lacks the token."""

    @property
    def n_queries(self) -> int:
        """How many rows it has."""

    @property
    def n_keys(self) -> int:
        """How many columns it has."""

    def rows(self, queries: Selection) -> Floats:
        """Return the numbers [r, n_keys] of some queries; nan where one of two runs lacks the token."""

    def column(self, key: int) -> Floats:
        """Return the numbers [n_queries] of one key; nan where one of two runs lacks the token."""


class DenseMatrix:
    """Numbers [queries, keys] that are in memory already."""

    def __init__(self, values: Floats) -> None:
        self._values = values
        self.n_queries, self.n_keys = values.shape

    def rows(self, queries: Selection) -> Floats:
        """Return the rows of `queries`, [len(queries), T]."""
        found: Floats = self._values[queries]
        return found

    def column(self, key: int) -> Floats:
        """Return the column of one key, [T]."""
        found: Floats = self._values[:, key]
        return found


class CachedMatrix:
    """Numbers that a subclass computes; those of a small matrix are all computed once and cached.

    A column needs whole rows of attention, so without the cache each column would cost as much as the matrix.
    """

    def __init__(self, n_queries: int, n_keys: int) -> None:
        self.n_queries, self.n_keys = n_queries, n_keys
        self._cached: Floats | None = None

    def computed(self, queries: Selection) -> Floats:
        """Return the numbers [r, keys] of some queries."""
        raise NotImplementedError

    def rows(self, queries: Selection) -> Floats:
        """Return the numbers [r, keys] of some queries."""
        if self._cached is None and self.n_queries * self.n_keys <= MOST_CACHED:
            self._cached = self.computed(slice(None))
            self._cached.flags.writeable = False
        return self.computed(queries) if self._cached is None else self._cached[queries]

    def column(self, key: int) -> Floats:
        """Return the numbers [queries] of one key."""
        column: Floats = self.rows(slice(None))[:, key]
        return column


class AttentionMatrix(CachedMatrix):
    """The attention weights of one head, or these times a number for each key.

    `factors` [T], one for each key; None: the weights themselves.
    """

    def __init__(self, trace: Trace, layer: int, head: int, factors: Floats | None = None) -> None:
        super().__init__(trace.n_tokens, trace.n_tokens)
        self._trace, self._at, self._factors = trace, (layer, head), factors

    def computed(self, queries: Selection) -> Floats:
        """Compute the rows that are not cached, [len(queries), T]."""
        weights = self._trace.attention(*self._at, rows=queries)
        return weights if self._factors is None else weights * self._factors

    def column(self, key: int) -> Floats:
        if self._trace.n_tokens**2 <= MOST_CACHED:
            return super().column(key)
        column = attention_column(self._trace, *self._at, key)
        return column if self._factors is None else column * self._factors[key]


class MatrixDifference(CachedMatrix):
    """A matrix of run A minus that of run B, between the tokens of their alignment; nan at gaps.

    `runs`: the two matrices. `positions` int32 [N, 2]: the aligned positions in A and in B, -1 for a gap.
    """

    def __init__(self, a: MatrixSource, b: MatrixSource, alignment: Alignment) -> None:
        super().__init__(len(alignment), len(alignment))
        self.runs, self.positions = (a, b), alignment.positions

    def computed(self, queries: Selection) -> Floats:
        """Compute the rows that are not cached, [len(queries), N]."""
        rows, columns = self.positions[queries], self.positions  # [r, 2], [N, 2]
        of_a, of_b = (
            matrix.rows(np.maximum(rows[:, run], 0).astype(np.intp))[:, np.maximum(columns[:, run], 0)]
            for run, matrix in enumerate(self.runs)
        )
        difference: Floats = of_a - of_b
        difference[(rows == GAP).any(1)] = np.nan
        difference[:, (columns == GAP).any(1)] = np.nan
        return difference


def refuse_large(trace: Trace, n_bytes: int) -> None:
    """Raise AnalysisError if the arrays of an analysis of `trace` would take more than MAX_BYTES."""
    if (error := too_large(trace, n_bytes)) is not None:
        raise error


def too_large(trace: Trace, n_bytes: int) -> AnalysisError | None:
    """Return the error where arrays of an analysis of `trace` would take more than MAX_BYTES, else None."""
    if n_bytes <= MAX_BYTES:
        return None
    message = Message(
        "This analysis of {0} tokens would take {1} GiB of memory.",
        f"{trace.n_tokens:,}",
        f"{n_bytes / 2**30:.1f}",
    )
    return AnalysisError(message, Message("Write a shorter text."))


def large_matrices(trace: Trace) -> AnalysisError | None:
    """Return the error for a text whose matrices [L, T, T] would take more than MAX_BYTES, else None."""
    return too_large(trace, 4 * trace.n_layers * trace.n_tokens**2)
