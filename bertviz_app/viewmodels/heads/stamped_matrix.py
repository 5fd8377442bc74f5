"""`StampedMatrix`: rows and columns of a head's numbers between all tokens, of the kind that is shown."""

from __future__ import annotations

import numpy as np

from bertviz_app.analysis.attention.stamp import AttentionNumbers, Stamp, rescaled
from bertviz_app.analysis.results import Quantity
from bertviz_app.types import Floats

_ROWS = 1024
_TINY = np.finfo(np.float32).tiny


class StampedMatrix:
    """One head of a run. Tokens that `stamp` leaves out have nan; where they are removed, rows add up to 1.

    `included` bool [T]: the tokens that are left. `matrix`: the numbers of all tokens.
    """

    def __init__(self, numbers: AttentionNumbers, stamp: Stamp, layer: int, head: int) -> None:
        self.numbers, self.stamp, self.at = numbers, stamp, (layer, head)
        self.included = stamp.included(numbers.trace.tokens)
        self._is_removed = stamp.special_tokens == "removed"
        self.matrix = numbers.matrix(layer, head)
        self._sums: Floats | None = None

    @property
    def quantity(self) -> Quantity:
        return self.numbers.quantity(is_rescaled=self._is_removed)

    def row(self, query: int) -> Floats:
        """Return the numbers [T] of one query."""
        row = self.matrix.rows(slice(query, query + 1))[0]
        found = np.where(
            self.included, rescaled(row, self.included) if self._is_removed else row, np.float32(np.nan)
        )
        return found if self.included[query] else np.full_like(found, np.nan)

    def column(self, key: int) -> Floats:
        """Return the numbers [T] of one key."""
        column = self.matrix.column(key)
        if self._is_removed:
            column = column / self._remaining_sums()
        found = np.where(self.included, column, np.float32(np.nan))
        return found if self.included[key] else np.full_like(found, np.nan)

    def _remaining_sums(self) -> Floats:
        """Return [T], what remains of each row; computed once, in blocks."""
        if self._sums is None:
            n_tokens = self.numbers.trace.n_tokens
            blocks = [
                self.matrix.rows(slice(first, min(first + _ROWS, n_tokens)))[:, self.included].sum(1)
                for first in range(0, n_tokens, _ROWS)
            ]
            self._sums = np.maximum(np.concatenate(blocks), _TINY)
        return self._sums
