"""`TokenOrder`: which tokens are drawn along the sides of a picture, in which order, and their weights.

A place is a token or, on request, the pieces of one word; places can be left out.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.compare import MatrixSource
from bertviz_app.text import Tokens
from bertviz_app.viewmodels.options import DrawOptions
from bertviz_app.viewmodels.selection import Pair

SINK = "▾"
"""Stands behind the label of a key that is an attention sink in the layer that is drawn."""

_TINY = np.finfo(np.float32).tiny


@dataclass(frozen=True, eq=False)
class TokenPlaces:
    """The places along one side: place p holds the tokens from starts[p] up to, not including, ends[p].

    Of the difference of two runs tokens are those of their alignment, and some are gaps in one of them.
    `labels` are drawn; `names` are for files: the vocabulary's own pieces, and the words of several.
    """

    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    labels: tuple[str, ...]
    names: tuple[str, ...]
    is_special: NDArray[np.bool_]
    is_gap: NDArray[np.bool_] | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def token(self, place: int) -> int:
        """Return the first token of a place."""
        return int(self.starts[place])

    def place(self, token: int) -> int | None:
        """Return the place that holds a token, None if it was left out."""
        place = int(np.searchsorted(self.starts, token, "right")) - 1
        return place if place >= 0 and token < self.ends[place] else None

    @cached_property
    def tokens(self) -> NDArray[np.intp]:
        """All tokens of all places, in order."""
        spans = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        return np.concatenate([np.arange(first, last) for first, last in spans])

    @cached_property
    def offsets(self) -> NDArray[np.intp]:
        """Where each place begins in `tokens`."""
        sizes = self.sizes
        return np.concatenate(([0], np.cumsum(sizes)[:-1])).astype(np.intp)

    @property
    def sizes(self) -> NDArray[np.int32]:
        """The number of tokens at each position."""
        return self.ends - self.starts


@dataclass(frozen=True, eq=False)
class TokenOrder:
    """The queries and keys that are shown of one sequence, and how their weights are put together.

    `keys_are_of_other_run`: the keys are tokens of the run that this one is compared with.
    """

    queries: TokenPlaces
    keys: TokenPlaces
    n_tokens: int
    renormalises: bool = False
    keys_are_of_other_run: bool = False

    @property
    def counts(self) -> tuple[int, int]:
        """The number of positions of queries and of keys."""
        return len(self.queries), len(self.keys)

    @property
    def is_plain(self) -> bool:
        return self.counts == (self.n_tokens, self.n_tokens)

    @property
    def rescales(self) -> bool:
        """Whether rows are divided by their sums: they are where something is left out of them."""
        return self.renormalises and len(self.keys.tokens) < self.n_tokens

    def with_sinks(self, is_sink: NDArray[np.bool_]) -> TokenOrder:
        """Return this with a SINK behind the labels of the keys that are one; `is_sink` [n_tokens]."""
        if not is_sink.any():
            return self
        keys = self.keys
        marked = (
            f"{label} {SINK}" if is_sink[start] else label
            for label, start in zip(keys.labels, keys.starts.tolist(), strict=True)
        )
        return replace(self, keys=replace(keys, labels=tuple(marked)))

    def without_sinks(self) -> TokenOrder:
        """Return this with no SINK behind a label."""
        labels = tuple(label.removesuffix(f" {SINK}") for label in self.keys.labels)
        return self if labels == self.keys.labels else replace(self, keys=replace(self.keys, labels=labels))

    def pair_of(self, tokens: Pair) -> Pair:
        """Return the query and the key that hold these tokens, as far as they are shown."""
        query = None if tokens.query is None else self.queries.place(tokens.query)
        key = tokens.partner if self.keys_are_of_other_run else tokens.key
        return Pair(query, None if key is None else self.keys.place(key))

    def tokens_of(self, pair: Pair) -> Pair:
        """Return the first tokens of a query and a key."""
        query = None if pair.query is None else self.queries.token(pair.query)
        key = None if pair.key is None else self.keys.token(pair.key)
        return Pair(query, partner=key) if self.keys_are_of_other_run else Pair(query, key)

    def weights(self, matrix: MatrixSource, first: int, last: int) -> NDArray[np.float32]:
        """Return the numbers [last - first, keys] of `matrix` [T, T] for the queries at these places.

        Between words: the mean over the query's pieces of the sum over the key's.
        """
        places = slice(first, last)
        if self.is_plain:
            return matrix.rows(places)
        starts, ends = self.queries.starts[places], self.queries.ends[places]
        pieces = np.concatenate([np.arange(a, b) for a, b in zip(starts, ends, strict=True)])
        # Whole rows: those are divided by their sum, parts of rows are not.
        rows = matrix.rows(pieces)[:, self.keys.tokens]
        sums = np.add.reduceat(rows, self.keys.offsets, axis=1)
        offsets = self.queries.offsets[places] - self.queries.offsets[first]
        means = np.add.reduceat(sums, offsets, axis=0) / (ends - starts)[:, None]
        if self.rescales:
            means /= np.maximum(means.sum(1, keepdims=True), _TINY)
        weights: NDArray[np.float32] = means.astype(np.float32)
        return weights


def order_of(tokens: Tokens, options: DrawOptions) -> TokenOrder:
    """Return how `tokens` are drawn with these options; all of them where none would be left."""
    queries, keys = shown_tokens(tokens, options)
    if not queries.any() or not keys.any():
        queries = keys = np.ones(len(tokens), bool)
    joins = None
    if options.joins_words or options.joins_at_spaces:
        joins = tokens.space_words if options.joins_at_spaces else tokens.words
    return TokenOrder(
        _places(tokens, queries, joins), _places(tokens, keys, joins), len(tokens), options.renormalises
    )


def shown_tokens(tokens: Tokens, options: DrawOptions) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which tokens [T] are shown as queries, and which as keys."""
    shown = np.ones(len(tokens), bool)
    if options.hides_special:
        shown &= ~tokens.is_special
    if options.hides_punctuation:
        shown &= ~punctuation(tokens)
    if options.sentences == "all" or tokens.pair is None:
        return shown, shown
    is_b = in_second(tokens)
    sides = {"a": ~is_b, "b": is_b}
    return shown & sides[options.sentences[0]], shown & sides[options.sentences[1]]


def in_second(tokens: Tokens) -> NDArray[np.bool_]:
    """Return [T], true for the second sentence and the special tokens after it."""
    of_b = np.flatnonzero(tokens.sentences == 1)
    if not len(of_b):
        return np.zeros(len(tokens), bool)
    is_b: NDArray[np.bool_] = np.arange(len(tokens)) >= of_b[0]
    return is_b


def punctuation(tokens: Tokens) -> NDArray[np.bool_]:
    """Return [T], true for the tokens that are nothing but punctuation in the text."""
    texts = (tokens.text, tokens.pair or "")
    marks = np.zeros(len(tokens), bool)
    for token in np.flatnonzero(~tokens.is_special).tolist():
        first, last = tokens.spans[token].tolist()
        characters = texts[int(tokens.sentences[token])][first:last].strip()
        marks[token] = bool(characters) and all(unicodedata.category(c)[0] == "P" for c in characters)
    return marks


def _places(tokens: Tokens, shown: NDArray[np.bool_], words: NDArray[np.int32] | None) -> TokenPlaces:
    """Return the places of the tokens that are `shown`; those of one of `words` [T] share a place."""
    left = np.flatnonzero(shown)
    starts_new = np.ones(len(left), bool)
    if words is not None and len(left) > 1:
        before, now = left[:-1], left[1:]
        starts_new[1:] = (
            (now != before + 1)
            | tokens.is_special[now]
            | (words[now] != words[before])
            | (tokens.sentences[now] != tokens.sentences[before])
        )
    firsts = np.flatnonzero(starts_new)
    lasts = np.append(firsts[1:], len(left)) - 1
    starts, ends = left[firsts].astype(np.int32), (left[lasts] + 1).astype(np.int32)
    labels, names = (
        tuple(_name(tokens, texts, a, b) for a, b in zip(starts.tolist(), ends.tolist(), strict=True))
        for texts in (tokens.labels, tokens.pieces)
    )
    return TokenPlaces(starts, ends, labels, names, tokens.is_special[starts])


def _name(tokens: Tokens, texts: tuple[str, ...], first: int, last: int) -> str:
    """Return a token's text of `texts`, or the word that several pieces are in the text."""
    if last - first == 1:
        return texts[first]
    text = (tokens.text, tokens.pair or "")[int(tokens.sentences[first])]
    return text[int(tokens.spans[first, 0]) : int(tokens.spans[last - 1, 1])].strip() or texts[first]
