"""Where the numbers of a picture come from: a head of one run, or the difference of two runs."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.pairs import attention_column
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from bertviz_app.viewmodels.heads.token_places import Reading

MOST_KEPT = 520**2
"""So many weights of a head are kept once they were computed: 1 MB."""


class Source(Protocol):
    """The exact weights between the places of `reading`; of a difference nan where a run has no token."""

    trace: Trace
    reading: Reading
    is_difference: bool

    def rows(self, first: int, last: int) -> Floats:
        """Return the weights [last - first, keys] of some queries."""

    def row(self, query: int) -> Floats:
        """Return the weights [keys] of one query."""

    def column(self, key: int) -> Floats:
        """Return the weights [queries] on one key."""


class _Kept:
    """What both sources share: up to MOST_KEPT weights are computed once and kept.

    So that hovering over twelve heads of 512 tokens, whose columns need whole rows, stays fluid.
    """

    reading: Reading

    def __init__(self) -> None:
        self._whole: Floats | None = None

    def computed(self, first: int, last: int) -> Floats:
        """Return the weights [last - first, keys] of some queries."""
        raise NotImplementedError

    def rows(self, first: int, last: int) -> Floats:
        n_queries, n_keys = self.reading.counts
        if self._whole is None and n_queries * n_keys <= MOST_KEPT:
            self._whole = self.computed(0, n_queries)
            self._whole.flags.writeable = False
        return self.computed(first, last) if self._whole is None else self._whole[first:last]

    def row(self, query: int) -> Floats:
        row: Floats = self.rows(query, query + 1)[0]
        return row

    def column(self, key: int) -> Floats:
        column: Floats = self.rows(0, len(self.reading.queries))[:, key]
        return column


class HeadSource(_Kept):
    """One head of one run."""

    is_difference = False

    def __init__(self, trace: Trace, layer: int, head: int, reading: Reading) -> None:
        super().__init__()
        self.trace = trace
        self.reading = reading
        self.at = layer, head

    def computed(self, first: int, last: int) -> Floats:
        return self.reading.weights(self.trace, *self.at, first, last)

    def column(self, key: int) -> Floats:
        n_queries, n_keys = self.reading.counts
        if self.reading.is_plain and n_queries * n_keys > MOST_KEPT:
            return attention_column(self.trace, *self.at, key)
        return super().column(key)


class DifferenceSource(_Kept):
    """One head of run A minus the same head of run B, between the tokens of their alignment.

    `places` int32 [N, 2]: the token of A and the token of B at each aligned place, -1 for a gap; the
    reading's tokens are such places. Where a query or a key is missing in a run the difference is nan.
    """

    is_difference = True

    def __init__(
        self,
        traces: tuple[Trace, Trace],
        places: NDArray[np.int32],
        layer: int,
        head: int,
        reading: Reading,
    ) -> None:
        super().__init__()
        self.trace = traces[0]
        self.reading = reading
        self._traces = traces
        self._places = places
        self._at = layer, head

    def computed(self, first: int, last: int) -> Floats:
        rows = self._places[self.reading.queries.starts[first:last]]  # [r, 2]
        columns = self._places[self.reading.keys.starts]  # [K, 2]
        weights = [
            trace.attention(*self._at, rows=np.maximum(rows[:, run], 0).astype(np.intp))[
                :, np.maximum(columns[:, run], 0)
            ]
            for run, trace in enumerate(self._traces)
        ]
        difference: Floats = weights[0] - weights[1]
        difference[(rows < 0).any(1)] = np.nan
        difference[:, (columns < 0).any(1)] = np.nan
        return difference

    def parts(self, query: int, key: int) -> tuple[float, float]:
        """Return the weight of a pair in A and in B; both runs must have its tokens."""
        row = self._places[self.reading.queries.starts[query]]
        column = self._places[self.reading.keys.starts[key]]
        weights = (
            float(trace.attention(*self._at, rows=slice(row[run], row[run] + 1))[0, column[run]])
            for run, trace in enumerate(self._traces)
        )
        of_a, of_b = weights
        return of_a, of_b
