"""Words of a file and the tokens of a tokenizer, which need not end at the same characters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bertviz_app.text import Tokens
from bertviz_app.types import Doubles, Floats, Indices
from bertviz_app.values import dataclass

NO_UNIT = -1
"""The unit of a word without any token, and of a token that belongs to no word."""


@dataclass(frozen=True, eq=False)
class WordUnits:
    """U units: the words of a text, of which those that share a token are one unit.

    `of_word` [N] and `of_token` [T] are the units, NO_UNIT where there is none: special tokens belong to no
    word, and a word has no token that was cut from the end of the text, or that the tokenizer drops.
    """

    of_word: Indices
    of_token: Indices

    @property
    def count(self) -> int:
        """U, the number of units."""
        return int(self.of_token.max(initial=NO_UNIT)) + 1

    def tokens_of(self, word: int) -> Indices:
        """Return the positions of the tokens of a word, none where it has no unit."""
        unit = self.of_word[word]
        return np.flatnonzero(self.of_token == unit) if unit != NO_UNIT else np.zeros(0, np.intp)

    def between(self, weights: Floats) -> Doubles:
        """Return the attention [..., U, U] between units by that between tokens [..., T, T].

        To a unit it is the sum over its tokens, from a unit the mean over its tokens (Clark et al. 2019,
        arXiv:1906.04341, section 4.1). Weights on special tokens are left out, so rows add up to 1 or less.
        """
        keys = (self.of_token[:, None] == np.arange(self.count)).astype(np.float64)
        found: Doubles = (keys / keys.sum(0)).T @ (weights.astype(np.float64) @ keys)
        return found


def word_units(tokens: Tokens, words: Sequence[tuple[int, int]]) -> WordUnits:
    """Return the units of words, which are spans of the first text of `tokens`."""
    starts, ends = np.array(words, np.intp).reshape(-1, 2).T
    first_of = np.full(len(tokens), NO_UNIT, np.intp)  # the first word of each token
    joined_to = np.arange(len(words))  # the first word of the unit of each word
    has_token = np.zeros(len(words), bool)
    for token in np.flatnonzero(tokens.sentences == 0):
        start, end = tokens.spans[token].tolist()
        # Without the white space at its ends, which a vocabulary may count to its pieces.
        inner = tokens.text[start:end].lstrip()
        start, end = end - len(inner), end - len(inner) + len(inner.rstrip())
        met = np.flatnonzero((starts < end) & (ends > start))
        if not len(met):
            continue
        has_token[met] = True
        roots = np.unique(joined_to[met])
        joined_to[np.isin(joined_to, roots)] = roots[0]
        first_of[token] = met[0]
    firsts = np.unique(joined_to[has_token])
    number = np.full(len(words), NO_UNIT, np.intp)
    number[firsts] = np.arange(len(firsts))
    of_word = np.where(has_token, number[joined_to], NO_UNIT).astype(np.intp)
    of_token = np.where(first_of == NO_UNIT, NO_UNIT, of_word[first_of]).astype(np.intp)
    return WordUnits(of_word, of_token)
