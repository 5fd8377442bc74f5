"""`RowBlock`: rows of attention that measures are computed from; `BlockPositions`: their queries and keys."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from bertviz_app.text import Tokens
from bertviz_app.types import Floats

_MANY = 64
"""If more than one cell in this many is chosen, multiplying all by 0 or 1 is faster than picking them."""


@dataclass(frozen=True, eq=False)
class BlockPositions:
    """Which queries and keys a block of rows is of, the same for all heads: r queries, K keys.

    `words` int32 [T]: the same number for tokens of the same word.
    """

    tokens: Tokens
    words: NDArray[np.int32]
    queries: range
    keys: range

    @classmethod
    def of(cls, tokens: Tokens, words: NDArray[np.int32], rows: slice) -> BlockPositions:
        """Return the positions of whole rows."""
        every = range(len(tokens))
        return cls(tokens, words, every[rows], every)

    @cached_property
    def distances(self) -> Floats:
        """[r, K], |key - query|: a view, each row of which begins one number before the row above."""
        first, last = self.keys.start - self.queries[-1], self.keys[-1] - self.queries.start
        numbers = np.abs(np.arange(first, last + 1)).astype(np.float32)
        found: Floats = sliding_window_view(numbers, len(self.keys))[::-1]
        return found

    @cached_property
    def is_same_word(self) -> NDArray[np.bool_]:
        """[r, K], whether the key is another token of the query's word."""
        of_queries, of_keys = (self.words[one.start : one.stop] for one in (self.queries, self.keys))
        is_same: NDArray[np.bool_] = of_queries[:, None] == of_keys
        rows, keys = self.at(0)
        is_same[rows, keys] = False
        return is_same

    @cached_property
    def same_words(self) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
        """The rows [n] and the columns [n] of the block where `is_same_word`; None where those are many."""
        if np.count_nonzero(self.is_same_word) * _MANY > self.is_same_word.size:
            return None
        rows, keys = np.nonzero(self.is_same_word)
        return rows, keys

    @cached_property
    def same_word_shares(self) -> Floats:
        """[r, K], `is_same_word` as 0 and 1."""
        return self.is_same_word.astype(np.float32)

    @cached_property
    def separators(self) -> NDArray[np.intp]:
        """[n], the columns of the block whose key is a special token other than the first."""
        special = np.flatnonzero(self.tokens.is_special)
        inside = (special != 0) & (special >= self.keys.start) & (special < self.keys.stop)
        columns: NDArray[np.intp] = special[inside] - self.keys.start
        return columns

    def at(self, step: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the rows [n] and columns [n] of the block where the key is `step` tokens after the query."""
        rows = np.arange(len(self.queries))
        columns = rows + (self.queries.start + step - self.keys.start)
        inside = (columns >= 0) & (columns < len(self.keys))
        return rows[inside], columns[inside]


@dataclass(frozen=True, eq=False)
class RowBlock:
    """Some rows of the attention of heads of one layer; keys that no query reaches may be left out."""

    weights: Floats  # [H, r, K], each row sums to 1
    logarithms: Floats  # [H, r, K], the natural logarithms of the weights; finite where a weight is 0
    positions: BlockPositions
