"""Analyses of the weights alone: measures, patterns and distances of heads, and two runs compared."""

from __future__ import annotations

import numpy as np

from bertviz_app.analysis.compare import divergence, refuse_large
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.measures import CLARK, MEASURES, VIG, VOITA, head_measures
from bertviz_app.analysis.parameters import NoParameters, Reporter, reported
from bertviz_app.analysis.picture import Axis, Quantity
from bertviz_app.analysis.results import HeadMap, HeadScalars, Scalar
from bertviz_app.errors import Message
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.types import Bools, Doubles, Floats

VERTICAL, DIAGONAL, WITHIN, SPREAD = 0.6, 0.35, 0.9, 0.6
"""The shares from which the rule decides: of the two strongest columns; of the strongest of three diagonals;
of weights within a sentence; and of the entropy of equal weights on half the tokens."""

PATTERNS = ("heterogeneous", "vertical", "diagonal", "vertical and diagonal", "block")
"""The patterns by their numbers in the result."""
PATTERN_NAMES = (
    (Message("het."), Message("heterogeneous")),
    (Message("vert."), Message("vertical")),
    (Message("diag."), Message("diagonal")),
    (Message("v + d"), Message("vertical and diagonal")),
    (Message("block"), Message("block")),
)
"""The short and the full name of each pattern."""


@analysis(
    key="head-patterns",
    place=("heads", 4),
    title=Message("Patterns of heads (this program's rule)"),
    summary=Message(
        "0 heterogeneous, 1 vertical, 2 diagonal, 3 both, 4 block; and the shares by which the rule decides."
    ),
    limits=Message(
        "The rule is this program's own, not the classifier that Kovaleva et al. trained: numbers cannot be "
        "compared with theirs. A longer text has fewer vertical heads: compare texts of one length."
    ),
    paper="the rule is ours, for patterns that Kovaleva et al. 2019, arXiv:1908.08593, section 4.1, describe",
)
def head_patterns(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> HeadScalars:
    """Return the pattern of each head, and the shares that decide it.

    The patterns are those that Kovaleva et al. describe; they trained a classifier of pictures and give no
    rule, so this one is ours: vertical if the two strongest columns hold at least 0.6 of the attention;
    diagonal if one of the offsets -1, 0, +1 holds at least 0.35; both; block, of pairs, if at least 0.9 stays
    within its sentence and the mean entropy is at least 0.6 ln(T / 2); else heterogeneous.

    [4, L, H]: "pattern", the number of one of PATTERNS; "vertical", "diagonal", "within": the shares.
    """
    trace = inputs.trace
    same = same_sentence(trace.tokens)
    found = np.full((4, trace.n_layers, trace.n_heads), np.nan, np.float32)
    for layer in reported(range(trace.n_layers), reporter):
        for head in trace.heads_of(layer):
            reporter.check()
            found[:, layer, head] = _of_head(trace.attention(layer, head).astype(np.float64), same)
    share = Quantity("weight", 0, 1)
    kinds = Scalar("pattern", Quantity("", 0, len(PATTERNS) - 1), PATTERN_NAMES)
    return HeadScalars((kinds, *(Scalar(key, share) for key in ("vertical", "diagonal", "within"))), found)


def same_sentence(tokens: Tokens) -> Bools | None:
    """Return [T, T], whether two tokens are of one sentence, separators with the one before; None of one."""
    if tokens.pair is None:
        return None
    of_second = np.flatnonzero(tokens.sentences == 1)
    if not len(of_second):
        return None
    side = np.arange(len(tokens)) >= of_second[0]
    found: Bools = side[:, None] == side
    return found


def _of_head(weights: Doubles, same: Bools | None) -> tuple[float, float, float, float]:
    """Return the number of the pattern of one head's weights [T, T], and the three shares that decide it.

    `same` is what `same_sentence` returns.
    """
    n_tokens = len(weights)
    vertical = float(np.sort(weights.sum(0))[-2:].sum()) / n_tokens
    diagonal = max(float(np.trace(weights, offset)) for offset in (-1, 0, 1)) / n_tokens
    within = 1.0 if same is None else float(weights[same].sum()) / n_tokens
    logarithms = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    entropy = -float((weights * logarithms).sum()) / n_tokens
    is_block = same is not None and within >= WITHIN and entropy >= SPREAD * np.log(n_tokens / 2)
    kind = (vertical >= VERTICAL) + 2 * (diagonal >= DIAGONAL)
    return float(4 if not kind and is_block else kind), vertical, diagonal, within


@analysis(
    key="inter-sentence",
    place=("heads", 5),
    title=Message("From one sentence to the other"),
    summary=Message(
        "How much of each head's attention stays in its sentence, crosses to the other, or goes to special "
        "tokens."
    ),
    limits=Message("Means over the queries of a sentence: one word may do all of the crossing."),
    paper="the sums are ours; Kovaleva et al. 2019, arXiv:1908.08593, describe heads of one sentence, blocks",
)
def inter_sentence(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> HeadScalars:
    """Return how much of each head's attention goes from each sentence to each, and to special tokens.

    [6, L, H], "1 → 1", "1 → 2", "1 → special" and the same of sentence 2: means over the queries of a
    sentence, shares of 1; the three of a sentence add up to 1. Of a lone sentence the two that there are. The
    `identity_error` is how far the sums are off.
    """
    trace, tokens = inputs.trace, inputs.trace.tokens
    sides = [np.flatnonzero((tokens.sentences == at) & ~tokens.is_special) for at in (0, 1)]
    named = {name: side for name, side in zip(("1", "2"), sides, strict=True) if len(side)}
    groups = named | {"special": np.flatnonzero(tokens.is_special)}
    keys = tuple(f"{a} → {b}" for a in named for b in groups)
    found: Floats = np.full((len(keys), trace.n_layers, trace.n_heads), np.nan, np.float32)
    for layer in reported(range(trace.n_layers), reporter):
        for head in trace.heads_of(layer):
            reporter.check()
            found[:, layer, head] = [
                weights[:, columns].sum(-1, dtype=np.float64).mean()
                for weights in (trace.attention(layer, head, rows=rows) for rows in named.values())
                for columns in groups.values()
            ]
    sums = found.reshape(len(named), len(groups), *found.shape[1:]).sum(1, dtype=np.float64)
    scalars = tuple(Scalar(key, Quantity("weight", 0, 1)) for key in keys)
    error = float(np.nanmax(np.abs(sums - 1), initial=0))
    return HeadScalars(
        scalars, found, identity_error=error, beside=((Message("Share of the attention"), keys),)
    )


_NUMBERS_AT_ONCE = 1 << 20
"""So many logarithms are between two checks: some 10 ms."""


@analysis(
    key="head-distance",
    place=("heads", 6),
    title=Message("Distances between heads"),
    summary=Message("How different the attention of each two heads is on this text, and a map of the heads."),
    limits=Message("It depends on the text: heads that differ elsewhere may look alike here."),
    paper="Clark et al. 2019, arXiv:1906.04341, section 6",
    takes_two_texts=True,
)
def head_distance(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> HeadMap:
    """Return how far the attention of each head is from that of each other, and points for them on a map.

    The distance of two heads is the sum over queries of the Jensen-Shannon divergence of their rows, which
    are smoothed: 0.999 of the row and 0.001 of equal weights. On the map, made by classical scaling,
    distances are as near to these as two dimensions allow.

    "values" [L * H, L * H] in nats, from 0 to T ln 2; "map" [L * H, 2].

    The map is that of Torgerson 1952, doi:10.1007/BF02288916.
    """
    return head_map(*distances_of(inputs.trace, reporter))


def head_map(names: tuple[str, ...], distances: Doubles) -> HeadMap:
    """Return the distances [N, N] of heads of these names, and their map."""
    heads = Axis("head", names)
    return HeadMap(
        {"values": distances.astype(np.float32), "map": map_of(distances)},
        {"values": (heads, Axis("other head", names)), "map": (heads, Axis("dimension", ("x", "y")))},
    )


def distances_of(trace: Trace, reporter: Reporter) -> tuple[tuple[str, ...], Doubles]:
    """Return the names of all heads, and their distances [N, N] on a text, see `head_distance`."""
    heads_of = [(layer, head) for layer in range(trace.n_layers) for head in trace.heads_of(layer)]
    n_heads, n_keys = len(heads_of), trace.n_keys
    refuse_large(trace, 8 * n_heads * trace.n_tokens * n_keys)
    rows = np.empty((n_heads, trace.n_tokens, n_keys))
    for layer in range(trace.n_layers):
        reporter.check()
        heads = trace.heads_of(layer)
        first = sum(at < layer for at, _ in heads_of)
        rows[first : first + len(heads)] = trace.attention(layer)[list(heads)]
    rows *= 0.999
    rows += 0.001 / n_keys
    entropies = np.empty(n_heads)
    for at, row in enumerate(rows):
        reporter.check()
        entropies[at] = -(row * np.log(row)).sum()
    found = np.zeros((n_heads, n_heads))
    at_once = max(1, _NUMBERS_AT_ONCE // rows[0].size)
    for a in reported(range(n_heads), reporter):
        for first in range(a + 1, n_heads, at_once):
            reporter.check()
            some = slice(first, first + at_once)
            middle = (rows[a] + rows[some]) / 2
            of_middle = -(middle * np.log(middle)).sum((-1, -2))
            found[a, some] = np.maximum(of_middle - (entropies[a] + entropies[some]) / 2, 0)
    return tuple(f"{layer}.{head}" for layer, head in heads_of), found + found.T


def map_of(distances: Doubles) -> Floats:
    """Return a point [N, 2] for each of N things whose distances [N, N] are given, by classical scaling.

    The signs are chosen so that the largest coordinate of each axis is above 0.
    """
    squared = distances**2
    centred = squared - squared.mean(0) - squared.mean(1)[:, None] + squared.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    coordinates = np.zeros((len(distances), 2))
    for axis in range(min(2, len(distances))):
        column = vectors[:, -1 - axis] * np.sqrt(max(values[-1 - axis], 0))
        coordinates[:, axis] = column * np.sign(column[np.abs(column).argmax()] or 1)
    return coordinates.astype(np.float32)


@analysis(
    key="divergence",
    place=("two runs", 2),
    title=Message("Difference of two runs"),
    summary=Message("How differently each head attends in two runs: the Jensen-Shannon divergence in bits."),
    limits=Message(
        "It compares where heads attend, not what they do there; what one run lacks counts as one token."
    ),
    paper="Lin 1991, IEEE Trans. Inf. Theory 37:145, the Jensen-Shannon divergence, of the rows of attention",
    needs=Needs.SECOND_RUN,
    takes_two_texts=True,
)
def divergence_of_runs(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> HeadScalars:
    """Return "divergence" [1, L, H] in bits, of layers and heads that both have: see `compare.divergence`."""
    found = divergence(inputs.trace, inputs.second, inputs.alignment, reporter.check)
    return HeadScalars((Scalar("divergence", Quantity("bits", 0, 1)),), found[None])


@analysis(
    key="head-measures",
    place=("heads", 1),
    title=Message("Measures of every head"),
    summary=Message("How widely, how far and to which tokens each head attends: a number for each measure."),
    limits=Message(
        "Means over the queries that have the number, special tokens among them: one unusual query may hide "
        "in them."
    ),
    paper=f"{CLARK}; {VIG}; {VOITA}",
    takes_two_texts=True,
)
def measures_of_heads(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> HeadScalars:
    """Return [K, L, H]: every measure of MEASURES of each head, in its unit.

    Of cross-attention those that are not of the positions of tokens in one text: entropy and largest weight.
    """
    found = head_measures(inputs.trace, reporter.check)
    known = [one for one in MEASURES if not (inputs.trace.is_cross and one.is_of_one_text)]
    scalars = tuple(
        Scalar(measure.key, Quantity(measure.unit, 0, 1 if measure.unit == "weight" else None))
        for measure in known
    )
    return HeadScalars(scalars, np.stack([found[measure.key] for measure in known]))
