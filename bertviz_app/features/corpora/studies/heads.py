"""Analyses of every head of one text, over all texts of a file: measures, patterns, crossings, distances."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import numpy as np

from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.measures import CLARK, LEAST_QUERIES, MEASURES, NAME_RULES, head_overview, names_of
from bertviz_app.analysis.parameters import Choice, NoParameters, Reporter, reported
from bertviz_app.analysis.picture import SHARE_OF_ONE, Quantity
from bertviz_app.analysis.pure.heads import (
    PATTERNS,
    distances_of,
    head_distance,
    head_map,
    head_patterns,
    inter_sentence,
    measures_of_heads,
)
from bertviz_app.analysis.results import HeadMap, Scalar
from bertviz_app.errors import Message
from bertviz_app.features.corpora.studies.statistics import HeadStatistics, condensed, statistics_of
from bertviz_app.features.corpora.studies.study import Measured, Part, study
from bertviz_app.text import Tokens
from bertviz_app.text.tokens import written_at
from bertviz_app.trace import Trace
from bertviz_app.types import Bools, Floats, Indices, Longs
from bertviz_app.values import dataclass, replace

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import ModelAccess


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
    found = statistics_of(part, [Scalar(key, SHARE_OF_ONE) for key in _CROSSINGS])
    return replace(found, beside=_CROSSINGS)


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
