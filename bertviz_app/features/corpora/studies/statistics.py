"""Numbers of every head over all texts of a file, exact or by a sketch, and the studies that compute them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bertviz_app.analysis.entry import Inputs, ModelAccess
from bertviz_app.analysis.measures import CLARK, LEAST_QUERIES, MEASURES, NAME_RULES, head_overview, names_of
from bertviz_app.analysis.parameters import Choice, NoParameters, Reporter, reported
from bertviz_app.analysis.picture import SHARE_OF_ONE, Axis, Index, Picture, Quantity, counted
from bertviz_app.analysis.pure.heads import (
    PATTERNS,
    distances_of,
    head_distance,
    head_map,
    head_patterns,
    inter_sentence,
    measures_of_heads,
)
from bertviz_app.analysis.results import HeadMap, Result, Scalar
from bertviz_app.errors import Message
from bertviz_app.features.corpora.studies.study import Measured, Part, study
from bertviz_app.tables import Cell, RowSource, Table, column_name
from bertviz_app.text import Tokens
from bertviz_app.text.tokens import written_at
from bertviz_app.trace import Trace
from bertviz_app.types import Bools, Doubles, Floats, Indices, Longs
from bertviz_app.typeset import fixed
from bertviz_app.values import dataclass, field, replace

_Z = 1.959963984540054  # the normal distribution has 95% within so many deviations


def wilson(hits: ArrayLike, counts: ArrayLike) -> tuple[Doubles, Doubles]:
    """Return the ends of the interval of shares `hits / counts`; nan where nothing was counted.

    Wilson 1927, JASA 22(158), 209-212. It takes the cases as independent: those of one sentence may not be.
    """
    hits, counts = np.asarray(hits, np.float64), np.asarray(counts, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = hits / counts
        middle = (share + _Z**2 / (2 * counts)) / (1 + _Z**2 / counts)
        half = _Z * np.sqrt(share * (1 - share) / counts + _Z**2 / (4 * counts**2)) / (1 + _Z**2 / counts)
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


DECILES = tuple(range(10, 100, 10))  # percent
STATISTICS = ("mean", "sd", *(f"{percent} %" for percent in DECILES))
"""What is told of a number of a head over texts: mean, sample standard deviation, and deciles."""
_COLUMNS = ("mean", "sd", *(f"p{percent}" for percent in DECILES))
_BRIEF = {"mean": "mean", "sd": "sd", "p50": "median"}
_KEPT_BITS = 18  # of a float32: its sign, its exponent, and 9 bits of its fraction
_STATISTICS = {"mean": Message("Mean"), "sd": Message("Standard deviation"), "50 %": Message("Median")} | {
    f"{percent} %": Message("Below it: {0} of the texts", f"{percent} %")
    for percent in DECILES
    if percent != 50
}
_NAMES = {
    "heterogeneous": Message("heterogeneous"),
    "vertical": Message("vertical"),
    "diagonal": Message("diagonal"),
    "vertical and diagonal": Message("vertical and diagonal"),
    "block": Message("block"),
    "previous": Message("previous token"),
    "next": Message("next token"),
    "first": Message("first token"),
    "separator": Message("separators"),
    "same": Message("itself"),
    "word": Message("same word"),
    "broad": Message("broad"),
}
"""Patterns, and what heads do, in words."""
SKETCH_ERROR = 2.0**-10
"""By which share of its value a decile is off at most that was found by the sketch."""


def labels_found(facts: Mapping[str, str | int | float]) -> tuple[str, ...]:
    """Return which class each label of a file was taken for; nothing where it was so by its name."""
    return (Message("labels: {0}", facts["labels"]),) if "labels" in facts else ()


@dataclass(frozen=True, eq=False)
class HeadStatistics(Result):
    """Numbers of each head over N texts: `values` [S, C, L, H], S being STATISTICS and C the `scalars`.

    `counts` [C, L, H] is of how many texts a head has the number: those that lack it have no part in it.
    `shares` [R, L, H] is in which share of the `n_named` texts a head has each of R `names`, nan where no
    text may give any; a text may give it none. `is_exact`: deciles are those of all texts, else they are
    off by SKETCH_ERROR of their value at most. `head_names` are the labels of what is not heads, such as
    the means of a layer. `beside`: the keys of scalars of one quantity that are drawn side by side.
    """

    scalars: tuple[Scalar, ...]
    values: Floats
    counts: Longs
    names: tuple[str, ...] = ()
    shares: Floats | None = None
    n_named: int = 0
    is_exact: bool = True
    facts: Mapping[str, str | int | float] = field(default_factory=dict)
    head_names: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.values.shape[:2] != (len(STATISTICS), len(self.scalars)):
            raise ValueError(f"values of {len(self.scalars)} scalars are {self.values.shape}")
        for array in self.arrays().values():
            array.flags.writeable = False

    def of(self, key: str, statistic: str = "mean") -> Floats:
        """Return a statistic [L, H] of the scalar with this key. Raises KeyError if there is none."""
        keys = [scalar.key for scalar in self.scalars]
        if key not in keys or statistic not in STATISTICS:
            raise KeyError(key, statistic)
        found: Floats = self.values[STATISTICS.index(statistic), keys.index(key)]
        return found

    @property
    def axes(self) -> tuple[Axis, ...]:
        *_, n_layers, n_heads = self.values.shape
        keys = Axis("scalar", tuple(scalar.key for scalar in self.scalars))
        heads = Axis("head", self.head_names) if self.head_names else counted("head", n_heads)
        return Axis("statistic", STATISTICS), keys, counted("layer", n_layers), heads

    @property
    def other_axes(self) -> dict[str, tuple[Axis, ...]]:
        """The axes of "counts" and "shares"."""
        _, keys, layers, heads = self.axes
        of_shares = {} if self.shares is None else {"shares": (Axis("name", self.names), layers, heads)}
        return {"counts": (keys, layers, heads), **of_shares}

    def arrays(self) -> dict[str, NDArray[Any]]:
        of_shares = {} if self.shares is None else {"shares": self.shares}
        return {"values": self.values, "counts": self.counts, **of_shares}

    def pictures(self) -> tuple[Picture, ...]:
        """Return the share of the texts in which heads have each name, then a picture of each number."""
        statistics, _, *heads = self.axes
        shares = () if self.shares is None or not self.n_named else self.shares
        found = [
            Picture(
                f"share of {name}",
                "cells",
                share,
                tuple(heads),
                SHARE_OF_ONE,
                Message("Share of texts: {0}", _NAMES.get(name, name)),
                details=self._name_at,
            )
            for name, share in zip(self.names, shares, strict=False)
        ]
        if self.beside:
            keys = [scalar.key for scalar in self.scalars]
            where = [keys.index(key) for key in self.beside]
            found.append(
                Picture(
                    self.beside[0],
                    "cells",
                    self.values[:, where],
                    (statistics, Axis("scalar", self.beside), *heads),
                    self.scalars[where[0]].quantity,
                    Message("Share of the attention"),
                    _STATISTICS,
                    beside="scalar",
                    details=lambda index: self._spread_at(where[index["scalar"]], index),
                )
            )
        for at, scalar in enumerate(self.scalars):
            if scalar.key in self.beside:
                continue
            picture = Picture(
                scalar.key,
                "cells",
                self.values[:, at],
                (statistics, *heads),
                scalar.quantity,
                Message("Change of the outcome") if scalar.key == "change" else None,
                _STATISTICS,
                details=partial(self._spread_at, at),
            )
            found.append(picture)
        return tuple(found)

    def findings(self) -> tuple[str, ...]:
        found: list[str] = []
        if self.names and not self.n_named:
            found.append(Message("heads have no names: every text is too short"))
        if not self.is_exact:
            found.append(Message("deciles are within 0.1 % of their value"))
        if "outcome" in self.facts:
            found.append(Message("all heads: outcome {0}", fixed(float(self.facts["outcome"]))))
        if "score" in self.facts:
            found.append(Message("score {0}", f"{float(self.facts['score']):.1%}"))
        return (*found, *labels_found(self.facts))

    def _name_at(self, index: Index) -> Sequence[str]:
        name, share = self.name_of(index["layer"], index["head"])
        return [Message("{0} in {1} of the texts", _NAMES.get(name, name), f"{share:.0%}")] if name else []

    def _spread_at(self, scalar: int, index: Index) -> Sequence[str]:
        layer, head = index["layer"], index["head"]
        key = self.scalars[scalar].key
        numbers = (float(self.of(key, one)[layer, head]) for one in ("mean", "sd", "10 %", "90 %"))
        return [
            *self._name_at(index),
            Message(
                "mean {0}, standard deviation {1}, from {2} to {3} in 8 of 10 texts", *map(fixed, numbers)
            ),
        ]

    def name_of(self, layer: int, head: int) -> tuple[str, float]:
        """Return the name that a head has in most texts, and in which share of them.

        "" and 0 for none; "" and nan where no text may give any.
        """
        if self.shares is None or not self.names:
            return "", 0.0
        best = int(self.shares[:, layer, head].argmax())
        share = float(self.shares[best, layer, head])
        return (self.names[best] if share > 0 else "", share)

    def divided_by_layer(self) -> HeadStatistics:
        """Return these numbers divided, in each layer, by the root of the sum of squares of its means."""
        norms = np.sqrt((self.values[0].astype(np.float64) ** 2).sum(-1, keepdims=True))  # [C, L, 1]
        with np.errstate(invalid="ignore", divide="ignore"):
            values = np.where(norms > 0, self.values / norms, 0).astype(np.float32)
        return replace(self, values=values)

    def brief_table(self) -> Table:
        """Return a row for each head: its name, the share of texts with it, and its means."""
        of_names = ("name", "share") if self.names else ()
        columns = ("layer", "head", *of_names, *(column_name(scalar.key) for scalar in self.scalars))
        return Table(columns, RowSource(lambda: self._rows([0], None)))

    def as_table(self, *, deciles: bool = False) -> Table:
        """Return a row for each head: its name, the share of texts with it, the statistics of each number.

        Those are mean, standard deviation and median, or, with `deciles`, all STATISTICS. Then the share of
        each name.
        """
        chosen = {name: name for name in _COLUMNS} if deciles else _BRIEF
        at = [_COLUMNS.index(name) for name in chosen]
        of_names = ("name", "share") if self.names else ()
        keys = [column_name(scalar.key) for scalar in self.scalars]
        columns = [f"{key}_{name}" for key in keys for name in chosen.values()]
        shares = [f"share_{column_name(name)}" for name in self.names]
        rows = RowSource(lambda: self._rows(at, self.shares))
        return Table(("layer", "head", *of_names, *columns, *shares), rows)

    def _rows(self, statistics: Sequence[int], shares: Floats | None) -> Iterator[tuple[Cell, ...]]:
        for layer, head in np.ndindex(self.values.shape[2:]):
            label = self.head_names[head] if self.head_names else head
            named = self.name_of(layer, head) if self.names else ()
            numbers = self.values[statistics, :, layer, head].T.reshape(-1)
            yield (layer, label, *named, *numbers, *(() if shares is None else shares[:, layer, head]))


def statistics_of(
    part: Part,
    scalars: Sequence[Scalar],
    names: Sequence[str] = (),
    facts: Mapping[str, str | int | float] | None = None,
) -> HeadStatistics:
    """Return the statistics of "values" among a part's rows, [N, C, L, H], nan where a text lacks a number.

    With `names`, the sums "votes" [R, L, H] are of how many texts give each of them, "n_named" of how many
    may give one.
    """
    rows, bins = part.rows.get("values"), part.rows.get(_BINS)
    if bins is None:
        assert rows is not None
        values, counts = _exact(rows)
    else:
        values, counts = _sketched(condensed(part))
    shares, n_named = None, 0
    if names:
        n_named = int(part.sums.get("n_named", 0))
        votes = part.sums.get("votes", np.full((len(names), *values.shape[2:]), np.nan))
        shares = (votes / max(1, n_named)).astype(np.float32)
    return HeadStatistics(
        tuple(scalars),
        values.astype(np.float32),
        counts,
        tuple(names),
        shares,
        n_named,
        bins is None,
        {} if facts is None else facts,
    )


def _exact(rows: Floats) -> tuple[Doubles, Longs]:
    counts = (~np.isnan(rows)).sum(0, dtype=np.int64)
    found = np.full((len(STATISTICS), *rows.shape[1:]), np.nan)
    for at in np.ndindex(rows.shape[1:]):
        column = rows[:, *at].astype(np.float64)
        column = column[~np.isnan(column)]
        if len(column):
            deviation = column.std(ddof=1) if len(column) > 1 else np.nan
            found[:, *at] = column.mean(), deviation, *np.percentile(column, DECILES)
    return found, counts


_BINS = "bins"


def condensed(part: Part) -> Part:
    """Return a part with a sketch in place of the rows "values", which grows with their variety alone.

    Counts, sums and sums of squares are exact; of each value 18 bits are counted.
    """
    rows = part.rows.get("values")
    sums, others = dict(part.sums), {name: rows for name, rows in part.rows.items() if name != "values"}
    bins = [others.pop(_BINS)] if _BINS in others else []
    if rows is not None:
        exact = rows.astype(np.float64)
        known = ~np.isnan(exact)
        filled = np.where(known, exact, 0)
        new = {"n": known.sum(0, dtype=np.int64), "sum": filled.sum(0), "squares": (filled**2).sum(0)}
        sums |= {name: sums[name] + array if name in sums else array for name, array in new.items()}
        columns = np.broadcast_to(np.arange(rows[0].size).reshape(rows.shape[1:]), rows.shape)[known]
        bins.append(np.stack([columns, _bin_of(rows[known]), np.ones(len(columns), np.int64)], axis=-1))
    found = np.concatenate(bins)
    keys, inverse = np.unique(found[:, :2], axis=0, return_inverse=True)
    counts = np.zeros(len(keys), np.int64)
    np.add.at(counts, inverse.reshape(-1), found[:, 2])
    return Part(sums, others | {_BINS: np.column_stack([keys, counts])}, part.kept)


def _bin_of(values: Floats) -> Longs:
    """Return the first bits of each number, which count in the order of the numbers."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32)
    ordered = np.where(bits >> 31, ~bits, bits | np.uint32(1 << 31))
    return (ordered >> (32 - _KEPT_BITS)).astype(np.int64)


def _value_of(bins: Longs) -> Doubles:
    """Return the number in the middle of each bin."""
    dropped = 32 - _KEPT_BITS
    ordered = ((bins << dropped) | (1 << (dropped - 1))).astype(np.uint32)
    bits = np.where(ordered >> 31, ordered & np.uint32((1 << 31) - 1), ~ordered)
    return bits.astype(np.uint32).view(np.float32).astype(np.float64)


def _sketched(part: Part) -> tuple[Doubles, Longs]:
    counts, total, squares = (part.sums[name] for name in ("n", "sum", "squares"))
    found = np.full((len(STATISTICS), counts.size), np.nan)
    n = counts.reshape(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found[0] = total.reshape(-1) / n
        found[1] = np.sqrt(np.maximum(squares.reshape(-1) - n * found[0] ** 2, 0) / (n - 1))
    found[1, n < 2] = np.nan
    bins = part.rows[_BINS]
    for column in np.unique(bins[:, 0]):
        own = bins[bins[:, 0] == column]  # in the order of the numbers
        below = np.cumsum(own[:, 2])
        ranks = np.ceil(np.array(DECILES) / 100 * below[-1])
        found[2:, column] = _value_of(own[np.searchsorted(below, ranks), 1])
    return found.reshape(len(STATISTICS), *counts.shape), counts


def of_each(
    measured: Measured,
    reporter: Reporter,
    values_of: Callable[[Trace, Reporter], tuple[Floats, Longs | None]],
) -> Part:
    """Return the rows "values" of the numbers [C, L, H] of each text, and the sum of its votes [R, L, H]."""
    rows, votes = [], []
    checks = Reporter(reporter.check)
    for unit in reported(measured.units, reporter):
        values, of_names = values_of(measured.record(unit.tokens), checks)
        rows.append(values)
        votes += [] if of_names is None else [of_names]
    sums = {"votes": np.sum(votes, axis=0), "n_named": np.array(len(votes), np.int64)} if votes else {}
    return Part(sums, {"values": np.array(rows, np.float32)})


def votes_of(kinds: Indices, n_names: int) -> Longs:
    """Return [R, L, H], 1 where a head [L, H] has the name of that number; below 0 it has none."""
    found: Longs = (np.arange(n_names)[:, None, None] == kinds).astype(np.int64)
    return found


_RULES = tuple(rule.key for rule in NAME_RULES)


def _finish_measures(
    model: ModelAccess, part: Part, parameters: NoParameters, reporter: Reporter
) -> HeadStatistics:
    scalars = [
        Scalar(one.key, Quantity(one.unit, 0, 1 if one.unit == "weight" else None)) for one in MEASURES
    ]
    return statistics_of(part, scalars, _RULES, {"n_named": int(part.sums.get("n_named", 0))})


@study(
    key="head-measures",
    title=Message("Measures of every head"),
    summary=Message("How widely, how far and to which tokens each head attends over all texts of a file."),
    limits=Message(
        "Each text counts once, whatever its length; a name says what most of its attention does."
    ),
    paper=measures_of_heads.paper,
    reads="texts",
    finish=_finish_measures,
    condense=condensed,
)
def measures_over_file(measured: Measured, parameters: NoParameters, reporter: Reporter) -> Part:
    """Return the measures of each text [9, L, H], and which names heads get in it."""

    def of(trace: Trace, checks: Reporter) -> tuple[Floats, Longs | None]:
        overview = head_overview(trace, check=checks.check)
        values = np.stack([overview.measures[one.key] for one in MEASURES])
        if trace.n_tokens <= LEAST_QUERIES:  # as a summary of the table of measures has it
            return values, None
        kinds = np.full(values.shape[1:], -1)
        for at, name in names_of(overview.measures, overview.n_queries).items():
            kinds[at] = _RULES.index(name.rule.key)
        return values, votes_of(kinds, len(_RULES))

    return of_each(measured, reporter, of)


_SHARES = ("vertical", "diagonal", "within")


def _finish_patterns(
    model: ModelAccess, part: Part, parameters: NoParameters, reporter: Reporter
) -> HeadStatistics:
    overall = part.sums["votes"].sum((1, 2)) / max(1, part.sums["votes"].sum())
    facts = {"n_texts": int(part.sums["n_named"])} | {
        f"share of {name}": float(share) for name, share in zip(PATTERNS, overall, strict=True)
    }
    return statistics_of(part, [Scalar(key, SHARE_OF_ONE) for key in _SHARES], PATTERNS, facts)


@study(
    key="head-patterns",
    title=head_patterns.title,
    summary=Message(
        "In which share of the texts each head is heterogeneous, vertical, diagonal, both, or of blocks; and "
        "the shares of attention by which the rule decides."
    ),
    limits=head_patterns.limits,
    paper=head_patterns.paper,
    reads="texts",
    finish=_finish_patterns,
    condense=condensed,
)
def patterns_over_file(measured: Measured, parameters: NoParameters, reporter: Reporter) -> Part:
    """Return the shares of each text [3, L, H], and which pattern each head has in it."""

    def of(trace: Trace, checks: Reporter) -> tuple[Floats, Longs | None]:
        found = head_patterns(Inputs(trace), NoParameters(), checks)
        kinds = np.nan_to_num(found.of("pattern"), nan=-1).astype(np.intp)
        return found.values[1:], votes_of(kinds, len(PATTERNS))

    return of_each(measured, reporter, of)


_CROSSINGS = tuple(f"{a} → {b}" for a in ("1", "2") for b in ("1", "2", "special"))


def _finish_crossings(
    model: ModelAccess, part: Part, parameters: NoParameters, reporter: Reporter
) -> HeadStatistics:
    return replace(statistics_of(part, [Scalar(key, SHARE_OF_ONE) for key in _CROSSINGS]), beside=_CROSSINGS)


@study(
    key="inter-sentence",
    title=inter_sentence.title,
    summary=inter_sentence.summary,
    limits=Message(
        "Means over the queries of a sentence, then over texts; a text without a second sentence has no part "
        "in the numbers of two."
    ),
    paper=inter_sentence.paper,
    reads="texts",
    finish=_finish_crossings,
    condense=condensed,
)
def crossings_over_file(measured: Measured, parameters: NoParameters, reporter: Reporter) -> Part:
    """Return how much of the attention of each text goes from each sentence to each, [6, L, H]."""

    def of(trace: Trace, checks: Reporter) -> tuple[Floats, Longs | None]:
        found = inter_sentence(Inputs(trace), NoParameters(), checks)
        keys = [scalar.key for scalar in found.scalars]
        values = np.full((len(_CROSSINGS), *found.values.shape[1:]), np.nan, np.float32)
        values[[_CROSSINGS.index(key) for key in keys]] = found.values
        return values, None

    return of_each(measured, reporter, of)


def _finish_distances(
    model: ModelAccess, part: Part, parameters: NoParameters, reporter: Reporter
) -> HeadMap:
    n_queries = int(part.sums["n_queries"])
    names = tuple(str(name) for name in part.rows["names"][0])
    return replace(head_map(names, part.sums["distances"] / n_queries), facts={"n_queries": n_queries})


@study(
    key="head-distance",
    title=Message("Distances between heads"),
    summary=Message(
        "How different the attention of each two heads is, the mean over all tokens of a file, and a map of "
        "the heads."
    ),
    limits=Message(
        "Means over queries: a long text has a larger part than a short one. The map is by classical "
        "scaling, not Kruskal's."
    ),
    paper=head_distance.paper,
    reads="texts",
    finish=_finish_distances,
)
def distances_over_file(measured: Measured, parameters: NoParameters, reporter: Reporter) -> Part:
    """Return the sum over the texts of the distances between heads [N, N], and the number of queries."""
    names: tuple[str, ...] = ()
    total, n_queries = None, 0
    checks = Reporter(reporter.check)
    for unit in reported(measured.units, reporter):
        names, found = distances_of(measured.record(unit.tokens), checks)
        total = found if total is None else total + found
        n_queries += len(unit.tokens)
    assert total is not None
    sums = {"distances": total, "n_queries": np.array(n_queries, np.int64)}
    return Part(sums, {"names": np.array([names])})


PER = ("head", "layer")
_TARGETS = ("previous", "next", "same", "first", "separator")


@dataclass(frozen=True)
class TargetsParameters:
    """`per`: the numbers of each head, or the means over the heads of a layer."""

    per: Annotated[str, Choice(PER), Message("Numbers of each")] = "head"


def _finish_targets(
    model: ModelAccess, part: Part, parameters: TargetsParameters, reporter: Reporter
) -> HeadStatistics:
    shares = [Scalar(key, SHARE_OF_ONE) for key in (*_TARGETS, "punctuation")]
    bits = [Scalar(key, Quantity("bits", 0)) for key in ("entropy", "entropy of the first")]
    found = statistics_of(part, [*shares, *bits])
    return found if parameters.per == "head" else replace(found, head_names=("all",))


@study(
    key="attention-targets",
    title=Message("What heads look at"),
    summary=Message(
        "How much of each head's attention goes to the previous and the next token, itself, the first token, "
        "separators and punctuation; how widely it spreads, and how widely from the first token alone."
    ),
    limits=Message(
        "Means over the queries of a text, then over texts. Punctuation is what Unicode calls so, in tokens "
        "of nothing else."
    ),
    paper=f"{CLARK}, figures 2 and 4",
    reads="texts",
    finish=_finish_targets,
    condense=condensed,
)
def targets_over_file(measured: Measured, parameters: TargetsParameters, reporter: Reporter) -> Part:
    """Return the shares and entropies of each text [8, L, H], or [8, L, 1] of layers."""

    def of(trace: Trace, checks: Reporter) -> tuple[Floats, Longs | None]:
        measures = head_overview(trace, check=checks.check).measures
        punctuation = np.flatnonzero(is_punctuation(trace.tokens))
        # The mean weight of the queries on punctuation, and the entropy in bits of the first token's weights.
        on_punctuation, of_first = np.full((2, trace.n_layers, trace.n_heads), np.nan, np.float32)
        for layer in range(trace.n_layers):
            weights = trace.attention(layer, columns=punctuation).sum(-1, dtype=np.float64)  # [H, T]
            on_punctuation[layer, : len(weights)] = weights.mean(-1)
            row = trace.attention(layer, rows=slice(0, 1))[:, 0].astype(np.float64)  # [H, T]
            logarithms = np.log2(row, out=np.zeros_like(row), where=row > 0)
            of_first[layer, : len(row)] = -(row * logarithms).sum(-1)
        targets = [measures[key] for key in _TARGETS]
        values = np.stack([*targets, on_punctuation, measures["entropy"], of_first])
        return values if parameters.per == "head" else np.nanmean(values, -1, keepdims=True), None

    return of_each(measured, reporter, of)


def is_punctuation(tokens: Tokens) -> Bools:
    """Return which tokens [T] are punctuation: those of a text all of whose characters are."""
    texts = ["" if is_special else written_at(tokens, at) for at, is_special in enumerate(tokens.is_special)]
    return np.array(
        [text != "" and all(unicodedata.category(one).startswith("P") for one in text) for text in texts],
        bool,
    )
