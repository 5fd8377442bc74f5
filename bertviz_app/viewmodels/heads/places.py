"""Which tokens of a picture stand where, alone or beside those of another run."""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import TypeVar

import numpy as np

from bertviz_app.analysis.attention.stamp import AttentionNumbers, NumbersKind
from bertviz_app.analysis.compare import (
    MOST_CACHED,
    Alignment,
    MatrixDifference,
    MatrixSource,
    keys_of,
)
from bertviz_app.analysis.picture import Quantity
from bertviz_app.errors import Check
from bertviz_app.inference.jobs import n_processors
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.trace.bias import reach_of
from bertviz_app.types import Bools, Bytes, Doubles, Floats, Indices, Ints
from bertviz_app.values import dataclass, replace
from bertviz_app.viewmodels.state import DrawOptions, Pair
from bertviz_app.viewmodels.viewport import SINK


@dataclass(frozen=True, eq=False)
class TokenPlaces:
    """The places along one side: place p holds the tokens from starts[p] up to, not including, ends[p].

    Of the difference of two runs tokens are those of their alignment, and some are gaps in one of them.
    `labels` are drawn; `names` are for files: the vocabulary's own pieces, and the words of several.
    """

    starts: Ints
    ends: Ints
    labels: tuple[str, ...]
    names: tuple[str, ...]
    is_special: Bools
    is_gap: Bools | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def token(self, place: int) -> int:
        return int(self.starts[place])

    def place(self, token: int) -> int | None:
        """Return the place that holds a token, None if it was left out."""
        place = int(np.searchsorted(self.starts, token, "right")) - 1
        return place if place >= 0 and token < self.ends[place] else None

    @cached_property
    def tokens(self) -> Indices:
        spans = zip(self.starts.tolist(), self.ends.tolist(), strict=True)
        return np.concatenate([np.arange(first, last) for first, last in spans])

    @cached_property
    def offsets(self) -> Indices:
        """Where each place begins in `tokens`."""
        return np.concatenate(([0], np.cumsum(self.sizes)[:-1])).astype(np.intp)

    @property
    def sizes(self) -> Ints:
        """The number of tokens at each position."""
        return self.ends - self.starts


@dataclass(frozen=True, eq=False)
class TokenOrder:
    """The queries and keys that are shown of one sequence, and how their weights are put together.

    `n_queries`, `n_keys`: how many there are with those that are left out; of cross-attention the keys are
    tokens of another text. `keys_are_of_other_run`: they are those of the run that this one is compared with.
    """

    queries: TokenPlaces
    keys: TokenPlaces
    n_queries: int
    n_keys: int
    renormalises: bool = False
    keys_are_of_other_run: bool = False

    @property
    def counts(self) -> tuple[int, int]:
        """The number of positions of queries and of keys."""
        return len(self.queries), len(self.keys)

    @property
    def is_plain(self) -> bool:
        return self.counts == (self.n_queries, self.n_keys)

    @property
    def rescales(self) -> bool:
        """Whether rows are divided by their sums: they are where something is left out of them."""
        return self.renormalises and len(self.keys.tokens) < self.n_keys

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

    def weights(self, matrix: MatrixSource, first: int, last: int) -> Floats:
        """Return the numbers [last - first, keys] of `matrix` [T, K] for the queries at these places.

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
            means /= np.maximum(means.sum(1, keepdims=True), np.finfo(np.float32).tiny)
        return np.asarray(means, np.float32)


def order_of(tokens: Tokens, options: DrawOptions, key_tokens: Tokens | None = None) -> TokenOrder:
    """Return how `tokens` are drawn with these options; all of them where none would be left.

    `key_tokens`: what they look at, where that is another text.
    """
    sides = tokens, tokens if key_tokens is None else key_tokens
    queries, keys = shown_sides(*sides, options)
    if not queries.any() or not keys.any():
        queries, keys = (np.ones(len(side), bool) for side in sides)
    places = []
    for side, shown in zip(sides, (queries, keys), strict=True):
        joined = side.words if options.joins_words else None
        places.append(_places(side, shown, side.space_words if options.joins_at_spaces else joined))
    return TokenOrder(places[0], places[1], len(tokens), len(sides[1]), options.renormalises)


def shown_sides(tokens: Tokens, key_tokens: Tokens, options: DrawOptions) -> tuple[Bools, Bools]:
    """Return which tokens [T] are shown as queries, and which of `key_tokens` [K] as keys.

    Which sentence looks at which is chosen within one text alone.
    """
    if key_tokens is tokens:
        return shown_tokens(tokens, options)
    both = replace(options, sentences="all")
    return shown_tokens(tokens, both)[0], shown_tokens(key_tokens, both)[1]


def shown_tokens(tokens: Tokens, options: DrawOptions) -> tuple[Bools, Bools]:
    """Return which tokens [T] are shown as queries, and which as keys."""
    shown = np.ones(len(tokens), bool)
    if options.hides_special:
        shown &= ~tokens.is_special
    if options.hides_punctuation:
        shown &= ~punctuation(tokens)
    if options.sentences == "all" or tokens.pair is None:
        return shown, shown
    # The second sentence, with the special tokens after it.
    of_b = np.flatnonzero(tokens.sentences == 1)
    is_b = np.arange(len(tokens)) >= (of_b[0] if len(of_b) else len(tokens))
    sides = {"a": ~is_b, "b": is_b}
    return shown & sides[options.sentences[0]], shown & sides[options.sentences[1]]


def punctuation(tokens: Tokens) -> Bools:
    """Return [T], true for the tokens that are nothing but punctuation in the text."""
    texts = (tokens.text, tokens.pair or "")
    marks = np.zeros(len(tokens), bool)
    for token in np.flatnonzero(~tokens.is_special).tolist():
        first, last = tokens.spans[token].tolist()
        characters = texts[int(tokens.sentences[token])][first:last].strip()
        marks[token] = bool(characters) and all(unicodedata.category(c)[0] == "P" for c in characters)
    return marks


def _places(tokens: Tokens, shown: Bools, words: Ints | None) -> TokenPlaces:
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
    labels, names = ([texts[at] for at in starts.tolist()] for texts in (tokens.labels, tokens.pieces))
    for place in np.flatnonzero(ends - starts > 1).tolist():
        # Several pieces: the word that they are in the text.
        first, last = starts[place], ends[place] - 1
        text = (tokens.text, tokens.pair or "")[int(tokens.sentences[first])]
        word = text[int(tokens.spans[first, 0]) : int(tokens.spans[last, 1])].strip()
        labels[place], names[place] = word or labels[place], word or names[place]
    return TokenPlaces(starts, ends, tuple(labels), tuple(names), tokens.is_special[starts])


def difference_order(traces: tuple[Trace, Trace], positions: Ints, options: DrawOptions) -> TokenOrder:
    """Return which aligned places are shown: as `options` say of A's token, of B's where A has a gap.

    Words are not joined: their pieces may be aligned differently.
    """
    key_positions = keys_of(traces[0], Alignment(positions)).positions
    shown = [shown_sides(trace.tokens, trace.key_tokens, options) for trace in traces]
    places = []
    for side, at in enumerate((positions, key_positions)):
        of_a, of_b = (of_run[side][np.maximum(at[:, run], 0)] for run, of_run in enumerate(shown))
        is_shown = np.where(at[:, 0] >= 0, of_a, of_b)
        is_shown = is_shown if is_shown.any() else np.ones(len(at), bool)
        of_runs = [trace.key_tokens if side else trace.tokens for trace in traces]
        starts = np.flatnonzero(is_shown).astype(np.int32)
        pairs = at[starts].tolist()
        labels = _both([tokens.labels for tokens in of_runs], pairs)
        names = _both([tokens.pieces for tokens in of_runs], pairs)
        special_a, special_b = (tokens.is_special for tokens in of_runs)
        is_special = np.array([special_a[a] if a >= 0 else special_b[b] for a, b in pairs], bool)
        is_gap = np.array([a < 0 or b < 0 for a, b in pairs], bool)
        places.append(TokenPlaces(starts, starts + 1, labels, names, is_special, is_gap))
    return TokenOrder(places[0], places[1], len(positions), len(key_positions))


def _both(texts: list[tuple[str, ...]], pairs: list[list[int]]) -> tuple[str, ...]:
    """Return the text of each pair of aligned tokens, both texts where they are not the same."""
    both = []
    for a, b in pairs:
        of_a, of_b = texts[0][a] if a >= 0 else "", texts[1][b] if b >= 0 else ""
        both.append(of_a if of_a == of_b else f"{of_a or '–'} | {of_b or '–'}")
    return tuple(both)


class PictureSource:
    """The exact numbers between the places of `token_order`; of a difference nan where a run has no token.

    `quantity`: what the numbers are. `kind`: which numbers of attention they are. `identity_error`: how far
    the identity of their analysis is off; None: there is none.
    """

    is_difference = False
    kind: NumbersKind = "weight"
    identity_error: float | None = None

    trace: Trace
    token_order: TokenOrder
    quantity: Quantity

    def rows(self, first: int, last: int) -> Floats:
        """Return the numbers [last - first, keys] of some queries."""
        raise NotImplementedError

    def scattered_rows(self, queries: Indices) -> Floats:
        """Return the numbers [len(queries), keys] of queries that need not be neighbours."""
        raise NotImplementedError

    def near(self, first: int, last: int) -> slice:
        """Return the keys, from and to, that some of these queries may attend to: all others are 0."""
        return slice(0, len(self.token_order.keys))

    def row(self, query: int) -> Floats:
        """Return the numbers [keys] of one query."""
        row: Floats = self.rows(query, query + 1)[0]
        return row

    def column(self, key: int) -> Floats:
        """Return the numbers [queries] of one key."""
        column: Floats = self.rows(0, len(self.token_order.queries))[:, key]
        return column

    def masked(self, queries: range, keys: range) -> Bools | None:
        """Return [queries, keys], true where no head can attend; None where there are none such."""
        raise NotImplementedError


class RunSource(PictureSource):
    """A matrix between the tokens of one run, between the places that are drawn.

    `reach`: how far away the tokens are that a token may attend to; None: all may be looked at.
    """

    reach: int | None = None

    def __init__(
        self,
        trace: Trace,
        matrix: MatrixSource,
        token_order: TokenOrder,
        quantity: Quantity,
        identity_error: float | None = None,
    ) -> None:
        self.trace, self.token_order, self.quantity = trace, token_order, quantity
        self.identity_error, self._matrix = identity_error, matrix
        self._cached: Floats | None = None

    def rows(self, first: int, last: int) -> Floats:
        n_queries, n_keys = self.token_order.counts
        if self.token_order.is_plain or n_queries * n_keys > MOST_CACHED:
            return self.token_order.weights(self._matrix, first, last)
        if self._cached is None:
            self._cached = self.token_order.weights(self._matrix, 0, n_queries)
            self._cached.flags.writeable = False
        return self._cached[first:last]

    def scattered_rows(self, queries: Indices) -> Floats:
        if self.token_order.is_plain:
            return self._matrix.rows(queries)  # the keys are read once for all of them
        return np.stack([self.row(query) for query in queries.tolist()])

    def near(self, first: int, last: int) -> slice:
        if self.reach is None:
            return slice(0, len(self.token_order.keys))
        return slice(max(0, first - self.reach), min(self.trace.n_tokens, last + self.reach))

    def column(self, key: int) -> Floats:
        return self._matrix.column(key) if self.token_order.is_plain else super().column(key)

    def masked(self, queries: range, keys: range) -> Bools | None:
        mask, order = self.trace.mask, self.token_order
        if mask is None or order.keys_are_of_other_run:
            return None
        rows = order.queries.ends[queries.start : queries.stop] - 1
        found: Bools = mask[np.ix_(rows, order.keys.starts[keys.start : keys.stop])]
        return found


def head_source(
    trace: Trace,
    layer: int,
    head: int,
    token_order: TokenOrder,
    numbers: AttentionNumbers | None = None,
) -> RunSource:
    """Return the attention weights of one head of one run, or other numbers of its attention.

    Sinks of the layer are marked among the keys.
    """
    shown = numbers or AttentionNumbers(trace)
    quantity = shown.quantity(is_rescaled=token_order.rescales)
    keys, is_sink = token_order.keys, None if shown.sinks is None else shown.sinks[layer]
    if is_sink is not None and is_sink.any():
        starts = zip(keys.labels, keys.starts.tolist(), strict=True)
        marked = (f"{label} {SINK}" if is_sink[start] else label for label, start in starts)
        token_order = replace(token_order, keys=replace(keys, labels=tuple(marked)))
    error = None if shown.result is None else shown.result.identity_error
    source = RunSource(trace, shown.matrix(layer, head), token_order, quantity, error)
    source.kind = shown.kind
    if trace.bias is not None and shown.kind == "weight" and token_order.is_plain:
        source.reach = reach_of(trace.bias, layer)
    return source


class RunsDifference(PictureSource):
    """A matrix of run A minus that of run B, between the aligned tokens that are drawn.

    The tokens of `token_order` are rows of the alignment of `matrix`. Where a query or a key is missing in
    a run the difference is nan. `traces` are those of runs A and B, `quantity` what the differences are.
    """

    is_difference = True

    def __init__(
        self,
        traces: tuple[Trace, Trace],
        matrix: MatrixDifference,
        token_order: TokenOrder,
        quantity: Quantity,
    ) -> None:
        self.trace, self.token_order, self.quantity = traces[0], token_order, quantity
        self.traces, self._matrix = traces, matrix

    def rows(self, first: int, last: int) -> Floats:
        return self.scattered_rows(np.arange(first, last))

    def scattered_rows(self, queries: Indices) -> Floats:
        starts = self.token_order.queries.starts[queries].astype(np.intp)
        rows: Floats = self._matrix.rows(starts)[:, self.token_order.keys.starts]
        return rows

    def masked(self, queries: range, keys: range) -> Bools | None:
        masks = [trace.mask for trace in self.traces]
        if any(mask is None for mask in masks):
            return None
        rows = self._matrix.positions[self.token_order.queries.starts[queries.start : queries.stop]]
        columns = self._matrix.key_positions[self.token_order.keys.starts[keys.start : keys.stop]]
        found: Bools = np.logical_and.outer(rows.min(1) >= 0, columns.min(1) >= 0)
        for run, mask in enumerate(masks):
            assert mask is not None
            found &= mask[np.ix_(rows[:, run], columns[:, run])]
        return found

    def parts(self, query: int, key: int) -> tuple[float, float]:
        """Return the number of a pair in A and in B; both runs must have its tokens."""
        row = self._matrix.positions[self.token_order.queries.starts[query]]
        column = self._matrix.key_positions[self.token_order.keys.starts[key]]
        of_a, of_b = (
            float(matrix.rows(slice(row[run], row[run] + 1))[0, column[run]])
            for run, matrix in enumerate(self._matrix.runs)
        )
        return of_a, of_b


def difference_source(
    numbers: tuple[AttentionNumbers, AttentionNumbers],
    positions: Ints,
    layer: int,
    head: int,
    token_order: TokenOrder,
) -> RunsDifference:
    """Return the numbers of one head of run A minus those of the same head of run B, of the same kind."""
    of_a, of_b = (one.matrix(layer, head) for one in numbers)
    traces, aligned = (numbers[0].trace, numbers[1].trace), Alignment(positions)
    matrix = MatrixDifference(of_a, of_b, aligned, keys_of(traces[0], aligned))
    source = RunsDifference(traces, matrix, token_order, numbers[0].quantity().minus())
    source.kind = numbers[0].kind
    return source


MOST_LINES = 60_000

N_SAMPLED = 256
"""At most so many queries are in a sample of a matrix."""

_SAMPLED_AT_ONCE = 16  # queries
_CELLS_AT_ONCE = 1 << 22  # 16 MB of float32: a matrix that is not larger is computed once
_CELLS_OF_BLOCK = 1 << 18  # 1 MB: of a larger one a block is found in the processor's own cache

Lines = tuple[Ints, Ints, Floats]
"""Queries, keys and weights of lines, of equal length."""

_Made = TypeVar("_Made")


@dataclass(frozen=True, eq=False)
class MatrixSums:
    """The largest number, and where it is; the strongest key of each row, the sums of rows and of columns.

    They are nan at gaps, where nothing was added up.
    """

    largest: float
    strongest: tuple[int, int]
    maxima: Ints  # [queries], -1 for a row of zeros, which has none
    row_sums: Floats  # [queries]
    column_sums: Floats  # [keys]


class MatrixReading:
    """Reads what `source` holds a block of rows at a time; `check` is called for each block.

    Keys that no query of a block may attend to are left out: they are 0.
    """

    def __init__(self, source: PictureSource, check: Check) -> None:
        self._source, self._check = source, check
        self.n_queries, self.n_keys = source.token_order.counts
        is_small = self.n_queries * self.n_keys <= _CELLS_AT_ONCE
        self._only = source.rows(0, self.n_queries) if is_small else None
        at_once = self.n_queries if is_small else max(1, min(_CELLS_OF_BLOCK, _CELLS_AT_ONCE) // self.n_keys)
        ends = (*range(0, self.n_queries, max(1, at_once)), self.n_queries)
        self._blocks = list(itertools.pairwise(ends))

    def sample(self) -> tuple[int, Floats]:
        """Return one row of each block of 2^n rows [r, keys], and n: at most N_SAMPLED of either side."""
        number = ((max(self.n_queries, self.n_keys) - 1) // N_SAMPLED).bit_length()
        block = 1 << number
        middles = np.arange(block // 2, self.n_queries + block // 2, block)
        queries = np.minimum(middles, self.n_queries - 1)  # the last block may be partly filled

        def read(first: int, last: int) -> Floats:
            return self._source.scattered_rows(queries[first:last])

        ends = (*range(0, len(queries), _SAMPLED_AT_ONCE), len(queries))
        return number, np.concatenate(list(self._each(read, list(itertools.pairwise(ends)))))

    def sums(self) -> MatrixSums:
        """Return the sums and the largest numbers, without their signs."""
        maxima, row_sums = np.empty(self.n_queries, np.int32), np.empty(self.n_queries, np.float32)
        column_sums = np.zeros(self.n_keys, np.float64)
        tops: list[tuple[float, int, int]] = []
        is_signed = self._source.quantity.is_signed

        def count(first: int, last: int) -> tuple[slice, Doubles]:
            weights, keys = self._block(first, last)
            sizes = np.abs(np.nan_to_num(weights)) if is_signed else weights
            at = sizes.argmax(1)
            largest = sizes[np.arange(len(at)), at]
            maxima[first:last] = np.where(largest > 0, at + keys.start, -1)
            row_sums[first:last] = np.nansum(weights, 1) if is_signed else weights.sum(1)
            row = int(largest.argmax())
            tops.append((float(largest[row]), -(first + row), int(at[row]) + keys.start))
            return keys, (np.nansum if is_signed else np.sum)(weights, 0, dtype=np.float64)

        for keys, sums in self._each(count, self._blocks):
            column_sums[keys] += sums
        order, of_keys = self._source.token_order, column_sums.astype(np.float32)
        for side, added in ((order.queries, row_sums), (order.keys, of_keys)):
            if side.is_gap is not None:
                added[side.is_gap] = np.nan
        largest, at, key = max(tops)  # of equal ones the first, whichever thread was faster
        return MatrixSums(largest, (-at, key), maxima, row_sums, of_keys)

    def levels(self, quantised: Callable[[Floats], Bytes], least: float) -> tuple[Bytes, Lines]:
        """Return all numbers as `quantised` makes them levels, 0 staying 0, and the lines from `least` on.

        At most the MOST_LINES strongest of these, weakest first.
        """
        is_dense = all(self._source.near(*block) == slice(0, self.n_keys) for block in self._blocks)
        # Pages of zeros that are never written take no memory.
        level = (np.empty if is_dense else np.zeros)((self.n_queries, self.n_keys), np.uint8)

        def draw(first: int, last: int) -> Lines:
            weights, keys = self._block(first, last)
            level[first:last, keys] = quantised(weights)
            rows, columns = np.divmod(np.flatnonzero(np.abs(weights) >= least), weights.shape[1])
            drawn = weights[rows, columns]
            return (rows + first).astype(np.int32), (columns + keys.start).astype(np.int32), drawn

        lines: list[Lines] = []
        n_lines = 0
        for found in self._each(draw, self._blocks):
            lines.append(found)
            n_lines += len(found[0])
            if n_lines > 4 * MOST_LINES:  # otherwise those of a long text would fill the memory
                lines = [_strongest(lines)]
                n_lines = len(lines[0][0])
        return level, _strongest(lines)

    def _block(self, first: int, last: int) -> tuple[Floats, slice]:
        """Return the numbers of some queries, and the keys that these are of."""
        keys = self._source.near(first, last)
        rows = self._source.rows(first, last) if self._only is None else self._only
        return rows[:, keys], keys

    def _each(self, work: Callable[[int, int], _Made], blocks: Sequence[tuple[int, int]]) -> Iterator[_Made]:
        """Return what `work` makes of each block, in their order; an error ends the work on all of them."""
        if len(blocks) == 1:
            self._check()
            yield work(*blocks[0])
            return
        pool = ThreadPoolExecutor(n_processors())
        try:
            results = pool.map(work, *zip(*blocks, strict=True))
            for _ in blocks:
                self._check()
                yield next(results)
        finally:
            pool.shutdown(cancel_futures=True)


def _strongest(lines: list[Lines]) -> Lines:
    queries, keys, weights = (np.concatenate(arrays) for arrays in zip(*lines, strict=True))
    order = np.argsort(np.abs(weights), kind="stable")[-MOST_LINES:]
    return queries[order], keys[order], weights[order]
