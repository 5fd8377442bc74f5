"""The catalogue of measures of heads, all computed in one pass; names for heads, and the table of both."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from itertools import islice
from math import isnan
from pathlib import Path
from typing import Literal

import numpy as np

from bertviz_app.analysis.attention.stamp import WEIGHTS, BlockPositions, RowBlock, Stamp, sinks_of
from bertviz_app.errors import Message
from bertviz_app.notebooks import HasTable
from bertviz_app.tables import Cell, Table, cell_text, table_as_csv, text_writer, write_file
from bertviz_app.text.tokens import BERT_NAMES, SpecialNames, word_numbers
from bertviz_app.trace import Trace
from bertviz_app.trace.archive import as_trace
from bertviz_app.trace.arrays import WeightsTrace
from bertviz_app.trace.indexing import area_maximum, pooled_size
from bertviz_app.trace.interventions import changes_weights
from bertviz_app.trace.provenance import Dtype
from bertviz_app.types import Bools, Doubles, Floats, Ints
from bertviz_app.values import dataclass, field

Sums = Floats | Doubles

MeasureKey = Literal[
    "entropy", "distance", "first", "separator", "previous", "same", "word", "next", "largest"
]
"""The stable name of a measure in files, sessions and scripts."""


@dataclass(frozen=True)
class MeasureWords:
    """What people read of a measure: `title` stands in menus and alone, `column` above a narrow column.

    `meaning` is one sentence.
    """

    title: Message
    column: Message
    meaning: Message


@dataclass(frozen=True)
class Measure:
    """One number for each head: the mean over its queries, so that texts of any length can be compared.

    Attributes
    ----------
    key : MeasureKey
        Its stable name in files, sessions and scripts.
    unit : str
        "bits", "tokens" or "weight", a share of 1.
    paper : str
        Where it comes from.
    total : callable
        `total(block)` returns [H], the sum of the measure over the rows of a `RowBlock`.
    words : callable
        `words(names)` returns what people read of it where the special tokens have these names.
    n_queries : callable
        `n_queries(words, included)` returns how many of the included queries have such a number: the others
        are left out of the mean. `words` int32 [T] as in `RowBlock`, `included` bool [T].
    is_of_one_text : bool
        Whether it needs queries and keys to be tokens of the same text: cross-attention has no such number.
    """

    key: MeasureKey
    unit: str
    paper: str
    total: Callable[[RowBlock], Sums]
    words: Callable[[SpecialNames], MeasureWords]
    n_queries: Callable[[Ints, Bools], int] = lambda words, included: int(included.sum())
    is_of_one_text: bool = True


def _entropy(block: RowBlock) -> Sums:
    # Each row's own sum in float32 is exact enough, and three times as fast as all in float64.
    rows: Floats = np.einsum("hij,hij->hi", block.weights, block.logarithms)
    bits: Sums = -rows.sum(-1, dtype=np.float64) / np.log(2)
    return bits


def _distance(block: RowBlock) -> Sums:
    rows: Floats = np.einsum("hij,ij->hi", block.weights, block.positions.distances)
    tokens: Sums = rows.sum(-1, dtype=np.float64)
    return tokens


def _first(block: RowBlock) -> Sums:
    columns = np.flatnonzero([block.positions.keys.start == 0])  # of a window elsewhere the first key is none
    return _summed(block.weights[:, :, columns])


def _at(offset: int) -> Callable[[RowBlock], Sums]:
    """Return the function that sums the weights on the token at this distance from the query."""
    return lambda block: _summed(block.weights[:, *block.positions.at(offset)])


def _word(block: RowBlock) -> Sums:
    if (found := block.positions.same_words) is not None:
        return _summed(block.weights[:, *found])
    rows: Floats = np.einsum("hij,ij->hi", block.weights, block.positions.same_word_shares)
    weights: Sums = rows.sum(-1, dtype=np.float64)
    return weights


def _summed(weights: Floats) -> Sums:
    """Return [H], the sums of `weights` [H, ...]."""
    sums: Sums = weights.sum(tuple(range(1, weights.ndim)))
    return sums


def _n_neighbours(words: Ints, included: Bools) -> int:
    """Return how many of the tokens `included` [T] are followed by an included one."""
    return int((included[1:] & included[:-1]).sum())


def _n_with_same_word(words: Ints, included: Bools) -> int:
    """Return how many of the tokens `included` [T] share their word, in `words` [T], with another of them."""
    _, counts = np.unique(words[included], return_counts=True)
    return int(counts[counts > 1].sum())


# Where the measures come from.
CLARK = "Clark et al. 2019, arXiv:1906.04341, section 3"
VIG = "Vig & Belinkov 2019, arXiv:1906.04284, section 4, to both sides as an encoder looks"
VOITA = "after Voita et al. 2019, arXiv:1905.09418, section 5, who leave out the end token"

MEASURES = (
    Measure(
        "entropy",
        "bits",
        CLARK,
        _entropy,
        lambda names: MeasureWords(
            Message("Entropy"),
            Message("entropy"),
            Message("How spread a query's weights are: 0 if it looks at one token only."),
        ),
        is_of_one_text=False,
    ),
    Measure(
        "distance",
        "tokens",
        VIG,
        _distance,
        lambda names: MeasureWords(
            Message("Distance"),
            Message("dist."),
            Message("How far a query looks: the distance |i − j| weighted by attention."),
        ),
    ),
    Measure(
        "first",
        "weight",
        CLARK,
        _first,
        lambda names: MeasureWords(
            Message("Weight on {0}", names.first),
            Message("{0}", names.first),
            Message("The weight on the first token, {0}.", names.first),
        ),
    ),
    Measure(
        "separator",
        "weight",
        CLARK,
        lambda block: _summed(block.weights[:, :, block.positions.separators]),
        lambda names: MeasureWords(
            Message("Weight on {0}", names.separator),
            Message("{0}", names.separator),
            Message("The weight on the other special tokens, {0}.", names.separator),
        ),
    ),
    Measure(
        "previous",
        "weight",
        CLARK,
        _at(-1),
        lambda names: MeasureWords(
            Message("Previous token"),
            Message("prev"),
            Message("The weight on the token before the query; the first query has none and is left out."),
        ),
        n_queries=_n_neighbours,
    ),
    Measure(
        "same",
        "weight",
        CLARK,
        _at(0),
        lambda names: MeasureWords(
            Message("Same token"), Message("same"), Message("The weight on the query's own token.")
        ),
    ),
    Measure(
        "word",
        "weight",
        "ours",
        _word,
        lambda names: MeasureWords(
            Message("Same word"),
            Message("word"),
            Message(
                "The weight on the other tokens of the query's word: its other pieces, and the same word "
                "elsewhere; queries without any are left out."
            ),
        ),
        n_queries=_n_with_same_word,
    ),
    Measure(
        "next",
        "weight",
        CLARK,
        _at(1),
        lambda names: MeasureWords(
            Message("Next token"),
            Message("next"),
            Message("The weight on the token after the query; the last query has none and is left out."),
        ),
        n_queries=_n_neighbours,
    ),
    Measure(
        "largest",
        "weight",
        VOITA,
        lambda block: _summed(block.weights.max(-1)),
        lambda names: MeasureWords(
            Message("Largest weight"),
            Message("max"),
            Message("The largest weight of a row, the head's confidence."),
        ),
        is_of_one_text=False,
    ),
)
"""The measures in the order shown. Those whose mean is over no query at all are 0."""

NEEDS_ONE_TEXT = Message("Measures of positions are left out: these weights go from one text to another.")
"""Why the other measures of cross-attention are nan."""

KEYS: tuple[MeasureKey, ...] = tuple(measure.key for measure in MEASURES)
UNITS: Mapping[MeasureKey, str] = {measure.key: measure.unit for measure in MEASURES}

LOWEST = np.finfo(np.float32).min / 2
"""Stands for the logarithm of a weight of 0, since 0 times -inf would be nan."""

_CELLS_AT_ONCE = 1 << 18  # 1 MB of float32, which is read again before it leaves the cache


@dataclass(frozen=True, eq=False)
class Sample:
    """The layers, bool [L], whose pictures are of `n_queries` queries only, evenly spaced.

    They are being computed: their measures are nan, and none of their tokens is a sink yet.
    """

    n_queries: int
    layers: Bools


@dataclass(frozen=True, eq=False)
class HeadOverview:
    """All heads at a glance.

    `pictures` [L, H, c, c]: the largest weight of each block of tokens, c <= the `cell` of `head_overview`;
    of cross-attention [L, H, r, c].
    `measures`: key -> [L, H], see MEASURES. `row_error`: the largest |1 - sum of a row| over all rows,
    before rounding was divided out: a large one means that queries, keys and lse do not belong together.
    `n_queries`: key -> over how many queries each measure is the mean. `stamp`: of which numbers, and of
    which tokens, pictures and measures are. `sinks` bool [L, T], see `analysis.attention.sinks`. `sample`:
    what of a long text is not computed yet; None: every number is of all queries. `dtype`: in which numbers
    the layers multiplied that made the trace. `n_cross_keys`: how many tokens the queries look at, where
    those are of another text; None: they are the queries themselves.
    """

    pictures: Floats
    measures: dict[str, Floats]
    row_error: float
    special_names: SpecialNames = BERT_NAMES  # of the tokens that two measures are of
    n_queries: Mapping[MeasureKey, int] = field(default_factory=dict)
    n_tokens: int = 1
    stamp: Stamp = WEIGHTS
    sinks: Bools | None = None
    sample: Sample | None = None
    dtype: Dtype = "float32"
    n_cross_keys: int | None = None

    @property
    def n_keys(self) -> int:
        """How many tokens a query can look at."""
        return self.n_tokens if self.n_cross_keys is None else self.n_cross_keys

    def n_sampled(self, layer: int) -> int | None:
        """Return how many queries the pictures of a layer show, None where they show all."""
        sample = self.sample
        return sample.n_queries if sample is not None and sample.layers[layer] else None


def head_overview(
    trace: Trace, cell: int = 64, check: Callable[[], None] | None = None, n_threads: int = 1
) -> HeadOverview:
    """Return thumbnails and measures of every head, in the units named in MEASURES.

    `cell`: the most pixels that a side of a thumbnail has. `check` is called between blocks of rows, on any
    thread; it may raise Cancelled. `n_threads` layers are computed at a time; the numbers are the same for
    any.
    """
    (n_rows, tall), (n_columns, wide) = (pooled_size(n, cell) for n in (trace.n_tokens, trace.n_keys))
    shape = trace.n_layers, trace.n_heads
    words, every = word_numbers(trace.tokens), np.ones(trace.n_tokens, bool)
    at_once = max(1, _CELLS_AT_ONCE // (trace.n_keys * tall)) * tall
    of_rows = (slice(first, first + at_once) for first in range(0, trace.n_tokens, at_once))
    blocks = [BlockPositions.of(trace.tokens, words, rows) for rows in of_rows]
    n_queries = n_queries_of(trace, words, every)
    # Each layer adds to a part of its own of each array.
    pictures = np.zeros((*shape, n_rows, n_columns), np.float32)
    sums: dict[MeasureKey, Doubles] = {key: np.zeros(shape, np.float64) for key in KEYS}
    received = np.zeros((trace.n_layers, trace.n_keys), np.float32)
    row_errors = np.zeros(trace.n_layers, np.float32)

    def add(layer: int) -> None:
        """Add all queries of a layer, some heads and a block of rows at a time."""
        for heads in _groups(trace, layer):
            for positions in blocks:
                if check is not None:
                    check()
                rows = slice(positions.queries.start, positions.queries.stop)
                weights, logarithms, total = _weights(trace, layer, heads, rows)
                cells = slice(rows.start // tall, -(-rows.stop // tall))
                pictures[layer, heads, cells] = area_maximum(weights, (tall, wide))
                add_totals(sums, (layer, heads), RowBlock(weights, logarithms, positions), n_queries)
                row_errors[layer] = np.maximum(row_errors[layer], np.abs(total - 1).max())
                received[layer] += weights.reshape(-1, trace.n_keys).sum(0)

    if n_threads == 1:
        for layer in range(trace.n_layers):
            add(layer)
    else:
        with ThreadPoolExecutor(n_threads) as pool:
            # `map` raises what a thread raised; the others raise it too, at their next check.
            deque(pool.map(add, range(trace.n_layers)), maxlen=0)
    return HeadOverview(
        pictures,
        means_of(sums, n_queries, trace),
        float(row_errors.max()),  # nan if one of them is
        trace.tokens.special_names,
        n_queries,
        trace.n_tokens,
        sinks=sinks_of(trace, received) if trace.has_states else None,
        dtype=trace.provenance.dtype,
        n_cross_keys=trace.n_keys if trace.is_cross else None,
    )


def add_totals(
    sums: Mapping[MeasureKey, Doubles],
    at: tuple[int, slice] | slice | list[int],
    block: RowBlock,
    n_queries: Mapping[MeasureKey, int],
) -> None:
    """Add the totals of a block to the sums `at` a layer and its heads, of the measures that have queries."""
    for measure in MEASURES:
        if n_queries[measure.key]:
            sums[measure.key][at] += measure.total(block)


def n_queries_of(trace: Trace, words: Ints, included: Bools) -> dict[MeasureKey, int]:
    """Return over how many of the queries `included` [T] each measure is the mean; `words` as in `RowBlock`.

    0 of those that a run of two texts does not have.
    """
    return {
        measure.key: 0 if trace.is_cross and measure.is_of_one_text else measure.n_queries(words, included)
        for measure in MEASURES
    }


def _groups(trace: Trace, layer: int) -> list[slice]:
    """Return the heads computed together: one product of many queries is faster than many of few."""
    most, heads = _CELLS_AT_ONCE // (trace.n_tokens * trace.n_keys), trace.heads_of(layer)
    if trace.bias is not None or (
        trace.edits and changes_weights(trace, layer)
    ):  # which a trace knows of all heads, or of one
        most = most if most >= trace.n_heads == len(heads) else 1
    groups: list[slice] = []
    for head in heads:
        last = groups[-1] if groups else slice(0, 0)
        if groups and last.stop == head and head - last.start < most:
            groups[-1] = slice(last.start, head + 1)
        else:
            groups.append(slice(head, head + 1))
    return groups


def _weights(trace: Trace, layer: int, heads: slice, rows: slice) -> tuple[Floats, Floats, Floats]:
    """Return the weights [H, r, T] of heads and rows, their logarithms, and the sums of rows [H, r, 1].

    The sums, 1 but for rounding, are divided out of the weights, as `Trace.attention` does it, too. Weights
    alone are as they were given, and their sums count as 1.
    """
    if isinstance(trace, WeightsTrace):
        weights = trace.rows_of(layer, heads, rows)
        logarithms = np.maximum(weights, np.finfo(np.float32).tiny)
        return weights, np.log(logarithms, out=logarithms), np.ones((1, 1, 1), np.float32)
    return rescaled_weights(
        trace, layer, _scores_less_lse(trace, layer, heads, rows), _head_of(trace, heads), rows
    )


def rescaled_weights(
    trace: Trace,
    layer: int,
    logarithms: Floats,
    head: int | None,
    rows: slice,
    keys: slice = slice(None),
) -> tuple[Floats, Floats, Floats]:
    """Return the weights [H, r, K] of a head, or of all, their logarithms, and the sums of rows [H, r, 1].

    `logarithms` [H, r, K], given as scores less lse, are overwritten; so the entropy needs no logarithm of a
    weight that may be 0.
    """
    weights = np.exp(logarithms)
    if trace.bias is not None:  # 0 * -inf is nan, but a weight of 0 adds 0 to the entropy
        np.maximum(logarithms, LOWEST, out=logarithms)
    total = (weights @ np.ones(weights.shape[-1], np.float32))[..., None]
    weights /= total
    logarithms -= np.log(total)
    if trace.edits and changes_weights(trace, layer):
        weights = trace.attention(layer, head, rows, keys).reshape(weights.shape)
        logarithms = np.log(np.maximum(weights, np.finfo(np.float32).tiny))
    return weights, logarithms, total


def _scores_less_lse(trace: Trace, layer: int, heads: slice, rows: slice) -> Floats:
    """Return the scores [H, r, T] less the logarithm of the sum of the exponentials of each row."""
    lse = trace.lse[layer, heads, rows, None]
    if trace.bias is not None:
        of_heads = trace.scores(layer, _head_of(trace, heads), rows).reshape(*lse.shape[:-1], -1)
        of_heads -= lse
        return of_heads
    # One column more, and the product has scaled and subtracted already: a pass over all scores for each.
    queries = np.concatenate((trace.queries[layer, heads, rows] * np.float32(trace.scale), -lse), axis=-1)
    keys = trace.keys[layer, heads]
    ones = np.ones((*keys.shape[:-1], 1), np.float32)
    scores: Floats = queries @ np.concatenate((keys, ones), axis=-1).swapaxes(-1, -2)
    return scores


def _head_of(trace: Trace, heads: slice) -> int | None:
    """Return the one head of `heads`, None where they are all of a layer."""
    return None if heads.stop - heads.start == trace.n_heads else heads.start


def means_of(
    sums: Mapping[MeasureKey, Doubles],
    n_queries: Mapping[MeasureKey, int],
    trace: Trace,
    missing: Bools | slice = slice(0),
) -> dict[str, Floats]:
    """Return the mean of each measure, float32 [L, H], from its sum and the number of queries.

    nan in the layers that are `missing`, for heads that a layer lacks, and measures of one text in
    cross-attention.
    """
    means: dict[str, Floats] = {}
    for measure in MEASURES:
        key = measure.key
        # Rounding may make a weight a little more than 1, and an entropy a little less than 0.
        values = means[key] = np.maximum(sums[key] / max(1, n_queries[key]), 0).astype(np.float32)
        values[missing] = np.nan
        if trace.is_cross and measure.is_of_one_text:
            values[:] = np.nan
        if values.shape[1] == trace.n_heads:  # else a layer has one matrix for all heads
            values[~trace.present] = np.nan
    return means


def head_measures(trace: Trace, check: Callable[[], None] | None = None) -> dict[str, Floats]:
    """Return the measures of every head, in the order of MEASURES.

    Parameters
    ----------
    trace : Trace
        The run whose attention is measured.
    check : callable, optional
        Called between blocks of rows; may raise to end the work.

    Returns
    -------
    dict of str to float32 [L, H]
        By the keys of MEASURES, in the units named there. Of cross-attention entropy and largest weight; the
        others, which are of where tokens stand in one text, are nan.
    """
    trace = as_trace(trace, "head_measures(model.trace(text))")
    return head_overview(trace, check=check).measures


Head = tuple[int, int]

LEAST_SHARE = 0.5
"""The least mean weight on its tokens that gives a head a name: half of its attention."""
BROAD_SHARE = 0.75
"""A head is broad from the entropy that equal weights on this share of all tokens have."""
LEAST_QUERIES = 4
"""Over how many queries that mean must be at least: fewer are no evidence."""


@dataclass(frozen=True, repr=False)
class NameRule:
    """A name, the measure whose value decides, and what people read: `title` of the special tokens' names."""

    key: Literal["previous", "next", "first", "separator", "same", "word", "broad"]  # in files and scripts
    measure: MeasureKey
    title: Callable[[SpecialNames], Message]

    def __repr__(self) -> str:
        return f"<{self.key}>"


NAME_RULES = (
    NameRule("previous", "previous", lambda names: Message("previous token")),
    NameRule("next", "next", lambda names: Message("next token")),
    NameRule("first", "first", lambda names: Message("on {0}", names.first)),
    NameRule("separator", "separator", lambda names: Message("on {0}", names.separator)),
    NameRule("same", "same", lambda names: Message("itself")),
    NameRule("word", "word", lambda names: Message("same word")),
    NameRule("broad", "entropy", lambda names: Message("broad")),
)
"""All names. "broad": the mean entropy of a row is at least log2(BROAD_SHARE * T) bits, T being the number of
tokens. Each other one: at least LEAST_SHARE of the attention goes to these tokens."""


@dataclass(frozen=True, repr=False)
class HeadName:
    """What a head does on one text: its rule, and the value of the rule's measure."""

    rule: NameRule
    value: float

    def __repr__(self) -> str:
        return f"<{self.rule.key} {self.value:.4g}>"


def names_of(
    measures: Mapping[str, Floats], n_queries: Mapping[MeasureKey, int], n_cross_keys: int | None = None
) -> dict[Head, HeadName]:
    """Return the names of the heads that get one, in order; of several the one with the largest weight.

    `measures`: see `head_measures`; `n_queries`: over how many queries each of them is the mean, and
    `n_cross_keys`: see `HeadOverview`.
    """
    if n_queries.get("entropy", 0) < LEAST_QUERIES:
        return {}
    *by_weight, broad = (rule for rule in NAME_RULES if n_queries[rule.measure] >= LEAST_QUERIES)
    entropy = measures[broad.measure]
    weights = np.stack([np.zeros_like(entropy), *(measures[rule.measure] for rule in by_weight)])[1:]
    best = weights.argmax(0) if len(weights) else np.zeros(entropy.shape, np.intp)
    has_name = weights.max(0, initial=0.0) >= LEAST_SHARE
    n_keys = n_queries[broad.measure] if n_cross_keys is None else n_cross_keys
    is_broad = ~has_name & (entropy >= np.log2(BROAD_SHARE * n_keys))
    names: dict[Head, HeadName] = {}
    for layer, head in np.argwhere(has_name | is_broad).tolist():
        at = layer, head
        rule = broad if is_broad[at] else by_weight[int(best[at])]
        names[at] = HeadName(rule, float(measures[rule.measure][at]))
    return names


class HeadNames(HasTable, dict[Head, HeadName]):
    """What heads do, by their (layer, head): those whose attention is plain on a text."""

    def __repr__(self) -> str:
        first = ", ".join(f"{layer}·{head} {name!r}" for (layer, head), name in islice(self.items(), 3))
        return f"<HeadNames of {len(self)} heads{': ' if self else ''}{first}{' …' if len(self) > 3 else ''}>"

    def _repr_html_(self) -> str:
        return self.as_table()._repr_html_()

    def as_table(self) -> Table:
        """Return a row for each head that has a name: layer, head, name, and the value of its measure."""
        rows = [(*at, name.rule.key, name.value) for at, name in self.items()]
        return Table(("layer", "head", NAME, "value"), rows)


def head_names(trace: Trace) -> HeadNames:
    """Return what the heads of a run do on its text, where that is plain.

    A description of one text, not of the head: try others. The rules are ours, see NAME_RULES.

    Parameters
    ----------
    trace : Trace
        The run, such as `model.trace(text)`.

    Returns
    -------
    HeadNames, a dict of (layer, head) to HeadName
        `name.rule.key` is one of "previous", "next", "first", "separator", "same", "word" and "broad",
        `name.value` the mean weight on these tokens, of "broad" the mean entropy of a row in bits.

    Raises
    ------
    ArgumentError
        For anything but a trace.
    """
    overview = head_overview(as_trace(trace, "head_names(model.trace(text))"))
    return HeadNames(names_of(overview.measures, overview.n_queries, overview.n_cross_keys))


Measures = dict[str, Floats]
COLUMNS = ("layer", "head", *KEYS)
NAME = "name"
"""The column of the heads' names."""


@dataclass(frozen=True, eq=False)
class PairColumn:
    """A column with the weight that each head gives one pair of tokens, and one of what it is compared with.

    `weights` [L, H]: see `pair_weights`. `query` and `key` are the positions of the tokens, `labels` their
    names. `others` [L, H]: see `pair_others`; None of other numbers than weights.
    """

    query: int
    key: int
    labels: tuple[str, str]
    weights: Floats
    others: Floats | None = None

    @property
    def title(self) -> str:
        """What the column is called in a file."""
        return f"weight_{self.query}_{self.key}"


@dataclass(frozen=True, eq=False)
class Extras:
    """The columns of a table of heads besides the measures; each is left out at its default.

    `names`: the names of heads. `pair`: the weights of a pair of tokens, and those of the others.
    `stamp`: which numbers of attention the measures are computed from, None: the weights. `dtype`: the type
    of numbers in which the layers multiplied. `interventions`: those in the run, see `edits_text`.
    """

    names: Mapping[Head, HeadName] | None = None
    pair: PairColumn | None = None
    stamp: Stamp | None = None
    dtype: Dtype = "float32"
    interventions: str = ""

    @property
    def facts(self) -> dict[str, str]:
        """The last columns, which are the same in each row, by title."""
        facts = {} if self.stamp is None else self.stamp.facts
        facts = facts if self.dtype == "float32" else facts | {"dtype": self.dtype}
        return facts | {"interventions": self.interventions} if self.interventions else facts

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of its columns."""
        pair = () if self.pair is None else (self.pair.title,)
        if self.pair is not None and self.pair.others is not None:
            pair = (*pair, f"others_{self.pair.query}_{self.pair.key}")
        return (*pair, *(() if self.names is None else (NAME,)), *self.facts)

    def cells(self, at: Head) -> tuple[Cell, ...]:
        """Return the cells of these columns for a head; "" is the name of a head that has none."""
        pair: tuple[Cell, ...] = () if self.pair is None else (self.pair.weights[at],)
        if self.pair is not None and self.pair.others is not None:
            pair = (*pair, self.pair.others[at])
        facts = self.facts.values()
        if self.names is None:
            return (*pair, *facts)
        name = self.names.get(at)
        return (*pair, "" if name is None else name.rule.key, *facts)


NO_EXTRAS = Extras()


def heads_by(measures: Measures, key: MeasureKey | None = None) -> list[tuple[int, int]]:
    """Return all heads by a measure, the largest first, ties by layer and head; None: by these alone."""
    n_layers, n_heads = measures[KEYS[0]].shape
    heads = [(layer, head) for layer in range(n_layers) for head in range(n_heads)]
    if key is None:
        return heads
    values = measures[key]
    return sorted(heads, key=lambda at: (isnan(values[at]), -float(values[at])))  # nan last


def as_csv(measures: Measures, heads: list[Head], separator: str = ",", extras: Extras = NO_EXTRAS) -> str:
    """Return the rows of `heads` under COLUMNS and the titles of `extras`."""
    rows = [(*at, *(measures[key][at] for key in KEYS), *extras.cells(at)) for at in heads]
    return table_as_csv(Table((*COLUMNS, *extras.titles), rows), separator)


def as_json(measures: Measures, heads: list[Head], extras: Extras = NO_EXTRAS) -> str:
    """Return an object: `measures` (the meaning, unit and paper of each) and `heads` (COLUMNS of each).

    With names it has `names` too (the title and measure of each), with a pair `pair` (its tokens). A number
    that is not known is null.
    """
    described = [(measure, measure.words(BERT_NAMES)) for measure in MEASURES]
    found: dict[str, object] = {
        "measures": [
            {
                "key": measure.key,
                "name": words.title,
                "meaning": words.meaning,
                "unit": measure.unit,
                "paper": measure.paper,
            }
            for measure, words in described
        ]
    }
    if extras.names is not None:
        found["names"] = [
            {"key": rule.key, "name": rule.title(BERT_NAMES), "measure": rule.measure} for rule in NAME_RULES
        ]
    if extras.pair is not None:
        query, key = extras.pair.labels
        tokens = {"query": extras.pair.query, "key": extras.pair.key, "query_token": query, "key_token": key}
        found["pair"] = tokens | {"column": extras.pair.title}
    found["heads"] = [
        {"layer": at[0], "head": at[1]}
        | {key: _json_value(measures[key][at]) for key in KEYS}
        | {title: _json_value(cell) for title, cell in zip(extras.titles, extras.cells(at), strict=True)}
        for at in heads
    ]
    return json.dumps(found, ensure_ascii=False, indent=1) + "\n"


def _json_value(cell: Cell) -> str | float | None:
    """Return a cell as JSON has it: a number with the fewest digits that give it again, None for nan."""
    if isinstance(cell, str):
        return cell
    text = cell_text(cell)
    return float(text) if text else None


def save_measures(
    measures: Measures,
    path: str | Path,
    heads: list[Head] | None = None,
    extras: Extras = NO_EXTRAS,
) -> None:
    """Write the table of measures, see `head_measures`, to a file that ends in .csv or .json.

    It has a row for each of `heads`, by default all. Raises FileError for another ending, or a file that
    cannot be written.
    """
    rows = heads_by(measures) if heads is None else heads
    writers = {
        ".csv": text_writer(lambda: as_csv(measures, rows, extras=extras)),
        ".json": text_writer(lambda: as_json(measures, rows, extras)),
    }
    write_file(path, writers)
