"""The numbers of attention that views show, and the tokens that they show them of; attention sinks."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Literal, get_args

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from bertviz_app.analysis.compare import AttentionMatrix, MatrixSource, Selection
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.results import HeadMatrices, TokenMatrices
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.types import Bools, Floats, Indices, Ints
from bertviz_app.values import dataclass

NumbersKind = Literal["weight", "norm", "residual"]
"""Attention weights; the norm of what each head adds; that of the layer with residual and layer norm."""
NUMBERS_KINDS: tuple[NumbersKind, ...] = get_args(NumbersKind)

SpecialTokens = Literal["shown", "hidden", "removed"]
"""Special tokens are shown; left out; or left out, and what remains of each row is divided by its sum."""
SPECIAL_TOKENS: tuple[SpecialTokens, ...] = get_args(SpecialTokens)

ANALYSES: Mapping[NumbersKind, str] = {"norm": "norm-attention", "residual": "norm-attention-residual"}
"""The analyses of the catalogue whose results are shown instead of weights."""


@dataclass(frozen=True)
class Stamp:
    """The kind of numbers and the tokens that a view or a file shows, as it states them."""

    numbers: NumbersKind = "weight"
    special_tokens: SpecialTokens = "shown"

    @property
    def is_share(self) -> bool:
        """Whether each row adds up to 1, or to less where tokens are hidden."""
        return self.numbers == "weight" or self.special_tokens == "removed"

    @property
    def facts(self) -> dict[str, str]:
        """The lines that files have: the kind, its analysis unless it is weights, and the special tokens."""
        analysis = ANALYSES.get(self.numbers)
        facts: dict[str, str] = {"numbers": self.numbers, "special_tokens": self.special_tokens}
        return facts if analysis is None else facts | {"numbers_analysis": analysis}

    @property
    def text(self) -> str:
        """The same in one cell of a table: "norm, special tokens removed"."""
        return f"{self.numbers}, special tokens {self.special_tokens}"

    def included(self, tokens: Tokens) -> Bools:
        """Return a mask [T] of the tokens that are shown; all of them where none would be left."""
        if self.special_tokens == "shown" or tokens.is_special.all():
            return np.ones(len(tokens), bool)
        return ~tokens.is_special


WEIGHTS = Stamp()
"""Attention weights of all tokens."""


WEIGHT, SHARE = Quantity("weight", 0, 1), Quantity("share", 0, 1)
"""The quantities of attention weights, and of norms whose rows were divided by their sums."""


@dataclass(frozen=True, eq=False)
class AttentionNumbers:
    """The numbers of one kind between the tokens of a run.

    `result`: of the analysis that ANALYSES has for the kind; None for weights. `sinks` bool [L, T], see
    `sinks_of`; None: not computed.
    """

    trace: Trace
    kind: NumbersKind = "weight"
    result: HeadMatrices | TokenMatrices | None = None
    sinks: Bools | None = None

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
        included = stamp.included(self.trace.key_tokens)
        found = np.full((self.trace.n_layers, self.n_heads), np.nan, np.float32)
        if not (stamp.included(self.trace.tokens)[query] and included[key]):
            return found
        for layer in range(self.trace.n_layers):
            row = self.rows(layer, slice(query, query + 1))[:, 0]
            row = rescaled(row, included) if stamp.special_tokens == "removed" else row
            found[layer, : len(row)] = row[:, key]
        return found


def rescaled(rows: Floats, included: Bools) -> Floats:
    """Return `rows` [..., T] with 0 where a key is left out, and the rest divided by its sum."""
    left: Floats = np.where(included, rows, np.float32(0))
    sums: Floats = np.maximum(left.sum(-1, keepdims=True), np.finfo(np.float32).tiny)
    return left / sums


_MANY = 64
"""If more than one cell in this many is chosen, multiplying all by 0 or 1 is faster than picking them."""


@dataclass(frozen=True, eq=False)
class BlockPositions:
    """The queries and keys of a block of rows, the same for all heads: r queries, K keys.

    `words` int32 [T]: the same number for tokens of the same word.
    """

    tokens: Tokens
    words: Ints
    queries: range
    keys: range

    @classmethod
    def of(cls, tokens: Tokens, words: Ints, rows: slice) -> BlockPositions:
        """Return the positions of whole rows."""
        every = range(len(tokens))
        return cls(tokens, words, every[rows], every)

    @cached_property
    def distances(self) -> Floats:
        """[r, K], |key - query|: a view, each row of which begins one number before the row above."""
        first, last = self.keys.start - self.queries[-1], self.keys[-1] - self.queries.start
        numbers = np.abs(np.arange(first, last + 1)).astype(np.float32)
        return sliding_window_view(numbers, len(self.keys))[::-1]

    @cached_property
    def is_same_word(self) -> Bools:
        """[r, K], whether the key is another token of the query's word."""
        of_queries, of_keys = (self.words[one.start : one.stop] for one in (self.queries, self.keys))
        is_same: Bools = of_queries[:, None] == of_keys
        rows, keys = self.at(0)
        is_same[rows, keys] = False
        return is_same

    @cached_property
    def same_words(self) -> tuple[Indices, Indices] | None:
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
    def separators(self) -> Indices:
        """[n], the columns of the block whose key is a special token other than the first."""
        special = np.flatnonzero(self.tokens.is_special)
        inside = (special != 0) & (special >= self.keys.start) & (special < self.keys.stop)
        columns: Indices = special[inside] - self.keys.start
        return columns

    def at(self, step: int) -> tuple[Indices, Indices]:
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


MUCH = 2.5
"""A sink receives at least this multiple of the mean attention that tokens of its layer receive."""

SHORT = 0.7
"""The value vectors of a sink are at most this share of the mean length of those of the other tokens."""


def sinks_of(trace: Trace, received: Floats) -> Bools:
    """Return bool [L, T], in which layers each token is a sink.

    The rule is ours, and treats special tokens as all others: over all heads of the layer the token receives
    at least MUCH times the mean attention, and its value vectors are on average at most SHORT times as long
    as those of the other tokens. So most of the attention that it receives changes little (Kobayashi et al.
    2020, arXiv:2004.10102, section 4.1). `received` [L, T]: the attention that each token receives, the sum
    over heads and queries.
    """
    # A layer at a time: the squares of all values of a long text would fill the memory.
    return np.stack([sinks_in_layer(*of_layer) for of_layer in zip(trace.values, received, strict=True)])


def sinks_in_layer(values: Floats, received: Floats) -> Bools:
    """Return bool [T], which tokens are a sink in a layer, see `sinks_of`.

    `values` [H, T, E] are the value vectors of the layer, `received` [T] is the attention to each token.
    """
    n_tokens = len(received)
    if n_tokens == 1:
        return np.zeros(received.shape, bool)
    lengths = np.linalg.norm(values, axis=-1).mean(0)  # [T]
    others = (lengths.sum() - lengths) / (n_tokens - 1)
    found: Bools = (received >= MUCH * received.mean()) & (received > 0) & (lengths <= SHORT * others)
    return found


def sink_layers(sinks: Bools | None) -> dict[int, tuple[int, ...]]:
    """Return the positions of the tokens that are a sink in any layer, with these layers; `sinks` [L, T]."""
    if sinks is None:
        return {}
    return {int(at): tuple(np.flatnonzero(sinks[:, at]).tolist()) for at in np.flatnonzero(sinks.any(0))}
