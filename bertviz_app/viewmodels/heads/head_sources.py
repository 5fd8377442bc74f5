"""Where the numbers of a picture come from: a head of one run, or the difference of two runs."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.compare import Alignment
from bertviz_app.analysis.matrices import MOST_CACHED, AttentionMatrix, MatrixDifference
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.viewmodels.heads.token_places import TokenOrder


class Source(Protocol):
    """The exact weights between the places of `token_order`; of a difference nan where a run has no token."""

    trace: Trace
    token_order: TokenOrder
    is_difference: bool

    def rows(self, first: int, last: int) -> Floats:
        """Return the weights [last - first, keys] of some queries."""

    def row(self, query: int) -> Floats:
        """Return the weights [keys] of one query."""

    def column(self, key: int) -> Floats:
        """Return the weights [queries] on one key."""


class HeadSource:
    """One head of one run, between the places that are drawn."""

    is_difference = False

    def __init__(self, trace: Trace, layer: int, head: int, token_order: TokenOrder) -> None:
        self.trace = trace
        self.token_order = token_order
        self.at = layer, head
        self._matrix = AttentionMatrix(trace, layer, head)
        self._cached: Floats | None = None

    def rows(self, first: int, last: int) -> Floats:
        """Return the weights [last - first, keys] of some queries."""
        n_queries, n_keys = self.token_order.counts
        if self.token_order.is_plain or n_queries * n_keys > MOST_CACHED:
            return self.token_order.weights(self._matrix, first, last)
        if self._cached is None:
            self._cached = self.token_order.weights(self._matrix, 0, n_queries)
            self._cached.flags.writeable = False
        return self._cached[first:last]

    def row(self, query: int) -> Floats:
        """Return the weights [keys] of one query."""
        row: Floats = self.rows(query, query + 1)[0]
        return row

    def column(self, key: int) -> Floats:
        """Return the weights [queries] on one key."""
        if self.token_order.is_plain:
            return self._matrix.column(key)
        column: Floats = self.rows(0, len(self.token_order.queries))[:, key]
        return column


class DifferenceSource:
    """One head of run A minus the same head of run B, between the tokens of their alignment.

    `places` int32 [N, 2]: the token of A and the token of B at each aligned place, -1 for a gap; the
    tokens of `token_order` are such places. Where a query or a key is missing in a run the difference is nan.
    """

    is_difference = True

    def __init__(
        self,
        traces: tuple[Trace, Trace],
        places: NDArray[np.int32],
        layer: int,
        head: int,
        token_order: TokenOrder,
    ) -> None:
        self.trace = traces[0]
        self.token_order = token_order
        self._places = places
        self._runs = [AttentionMatrix(trace, layer, head) for trace in traces]
        self._matrix = MatrixDifference(self._runs[0], self._runs[1], Alignment(places))

    def rows(self, first: int, last: int) -> Floats:
        """Return the differences [last - first, keys] of some queries."""
        queries = self.token_order.queries.starts[first:last].astype(np.intp)
        rows: Floats = self._matrix.rows(queries)[:, self.token_order.keys.starts]
        return rows

    def row(self, query: int) -> Floats:
        """Return the differences [keys] of one query."""
        row: Floats = self.rows(query, query + 1)[0]
        return row

    def column(self, key: int) -> Floats:
        """Return the differences [queries] on one key."""
        column: Floats = self.rows(0, len(self.token_order.queries))[:, key]
        return column

    def parts(self, query: int, key: int) -> tuple[float, float]:
        """Return the weight of a pair in A and in B; both runs must have its tokens."""
        row = self._places[self.token_order.queries.starts[query]]
        column = self._places[self.token_order.keys.starts[key]]
        of_a, of_b = (
            float(matrix.rows(slice(row[run], row[run] + 1))[0, column[run]])
            for run, matrix in enumerate(self._runs)
        )
        return of_a, of_b
