"""Where the numbers of a picture come from: a matrix of one run, or the difference of two runs."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.attention.stamp import AttentionNumbers, NumbersKind
from bertviz_app.analysis.compare import MOST_CACHED, Alignment, MatrixDifference, MatrixSource
from bertviz_app.analysis.results import Quantity
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import reach_of
from bertviz_app.types import Floats
from bertviz_app.viewmodels.heads.token_places import TokenOrder


class PictureSource(Protocol):
    """The exact numbers between the places of `token_order`; of a difference nan where a run has no token.

    `quantity`: what the numbers are. `kind`: which numbers of attention they are. `identity_error`: how far
    the identity of their analysis is off; None: there is none.
    """

    kind: NumbersKind
    trace: Trace
    token_order: TokenOrder
    quantity: Quantity
    is_difference: bool
    identity_error: float | None

    def rows(self, first: int, last: int) -> Floats:
        """Return the numbers [last - first, keys] of some queries."""

    def scattered_rows(self, queries: NDArray[np.intp]) -> Floats:
        """Return the numbers [len(queries), keys] of queries that need not be neighbours."""

    def near(self, first: int, last: int) -> slice:
        """Return the keys, from and to, that some of these queries may attend to: all others are 0."""

    def row(self, query: int) -> Floats:
        """Return the numbers [keys] of one query."""

    def column(self, key: int) -> Floats:
        """Return the numbers [queries] of one key."""


class RunSource:
    """A matrix between the tokens of one run, between the places that are drawn."""

    is_difference = False
    kind: NumbersKind = "weight"

    def __init__(
        self,
        trace: Trace,
        matrix: MatrixSource,
        token_order: TokenOrder,
        quantity: Quantity,
        identity_error: float | None = None,
    ) -> None:
        self.trace = trace
        self.token_order = token_order
        self.quantity = quantity
        self.identity_error = identity_error
        self._matrix = matrix
        self._cached: Floats | None = None

    def rows(self, first: int, last: int) -> Floats:
        """Return the numbers [last - first, keys] of some queries."""
        n_queries, n_keys = self.token_order.counts
        if self.token_order.is_plain or n_queries * n_keys > MOST_CACHED:
            return self.token_order.weights(self._matrix, first, last)
        if self._cached is None:
            self._cached = self.token_order.weights(self._matrix, 0, n_queries)
            self._cached.flags.writeable = False
        return self._cached[first:last]

    def scattered_rows(self, queries: NDArray[np.intp]) -> Floats:
        """Return the numbers [len(queries), keys] of queries that need not be neighbours."""
        if self.token_order.is_plain:
            return self._matrix.rows(queries)  # the keys are read once for all of them
        return np.stack([self.row(query) for query in queries.tolist()])

    def near(self, first: int, last: int) -> slice:
        """Return all keys."""
        return slice(0, len(self.token_order.keys))

    def row(self, query: int) -> Floats:
        """Return the numbers [keys] of one query."""
        row: Floats = self.rows(query, query + 1)[0]
        return row

    def column(self, key: int) -> Floats:
        """Return the numbers [queries] of one key."""
        if self.token_order.is_plain:
            return self._matrix.column(key)
        column: Floats = self.rows(0, len(self.token_order.queries))[:, key]
        return column


class HeadSource(RunSource):
    """The attention weights of one head of one run, or other numbers of its attention.

    Sinks of the layer are marked among the keys.
    """

    def __init__(
        self,
        trace: Trace,
        layer: int,
        head: int,
        token_order: TokenOrder,
        numbers: AttentionNumbers | None = None,
    ) -> None:
        shown = numbers or AttentionNumbers(trace)
        quantity = shown.quantity(is_rescaled=token_order.rescales)
        if shown.sinks is not None:
            token_order = token_order.with_sinks(shown.sinks[layer])
        error = None if shown.result is None else shown.result.identity_error
        super().__init__(trace, shown.matrix(layer, head), token_order, quantity, error)
        self.at, self.kind = (layer, head), shown.kind
        is_of_tokens = shown.kind == "weight" and token_order.is_plain
        self._reach = reach_of(trace.bias, layer) if is_of_tokens else None

    def near(self, first: int, last: int) -> slice:
        """Return the keys within the window of the layer, if it has one."""
        if self._reach is None:
            return super().near(first, last)
        return slice(max(0, first - self._reach), min(self.trace.n_tokens, last + self._reach))


class RunsDifference:
    """A matrix of run A minus that of run B, between the aligned tokens that are drawn.

    The tokens of `token_order` are rows of the alignment of `matrix`. Where a query or a key is missing in
    a run the difference is nan. `trace` is that of run A, `quantity` what the differences are.
    """

    is_difference = True
    identity_error: float | None = None
    kind: NumbersKind = "weight"

    def __init__(
        self, trace: Trace, matrix: MatrixDifference, token_order: TokenOrder, quantity: Quantity
    ) -> None:
        self.trace = trace
        self.token_order = token_order
        self.quantity = quantity
        self._matrix = matrix

    def rows(self, first: int, last: int) -> Floats:
        """Return the differences [last - first, keys] of some queries."""
        return self.scattered_rows(np.arange(first, last))

    def scattered_rows(self, queries: NDArray[np.intp]) -> Floats:
        """Return the differences [len(queries), keys] of queries that need not be neighbours."""
        starts = self.token_order.queries.starts[queries].astype(np.intp)
        rows: Floats = self._matrix.rows(starts)[:, self.token_order.keys.starts]
        return rows

    def near(self, first: int, last: int) -> slice:
        """Return all keys."""
        return slice(0, len(self.token_order.keys))

    def row(self, query: int) -> Floats:
        """Return the differences [keys] of one query."""
        row: Floats = self.rows(query, query + 1)[0]
        return row

    def column(self, key: int) -> Floats:
        """Return the differences [queries] of one key."""
        column: Floats = self.rows(0, len(self.token_order.queries))[:, key]
        return column

    def parts(self, query: int, key: int) -> tuple[float, float]:
        """Return the number of a pair in A and in B; both runs must have its tokens."""
        row = self._matrix.positions[self.token_order.queries.starts[query]]
        column = self._matrix.positions[self.token_order.keys.starts[key]]
        of_a, of_b = (
            float(matrix.rows(slice(row[run], row[run] + 1))[0, column[run]])
            for run, matrix in enumerate(self._matrix.runs)
        )
        return of_a, of_b


class DifferenceSource(RunsDifference):
    """The numbers of one head of run A minus those of the same head of run B, which are of the same kind."""

    def __init__(
        self,
        numbers: tuple[AttentionNumbers, AttentionNumbers],
        positions: NDArray[np.int32],
        layer: int,
        head: int,
        token_order: TokenOrder,
    ) -> None:
        of_a, of_b = (one.matrix(layer, head) for one in numbers)
        matrix = MatrixDifference(of_a, of_b, Alignment(positions))
        super().__init__(numbers[0].trace, matrix, token_order, numbers[0].quantity().minus())
        self.kind = numbers[0].kind
