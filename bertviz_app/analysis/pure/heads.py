"""Analyses of the weights alone: patterns and distances of heads, rollout, flow, and cosines of texts."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.compare import divergence, large_matrices, refuse_large
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.measures import CLARK, MEASURES, VIG, VOITA, head_measures
from bertviz_app.analysis.parameters import Index, NoParameters, Range, Reporter
from bertviz_app.analysis.picture import SHARE_OF_ONE, Axis, Picture, Quantity
from bertviz_app.analysis.results import HeadMap, HeadScalars, NamedArrays, Scalar, TokenMatrices
from bertviz_app.analysis.vectors import text_cosines
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.text import Tokens
from bertviz_app.text.tokens import token_at
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from scipy.sparse import csr_array

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
    for layer in range(trace.n_layers):
        for head in trace.heads_of(layer):
            reporter.check()
            found[:, layer, head] = _of_head(trace.attention(layer, head).astype(np.float64), same)
        reporter.progress((layer + 1) / trace.n_layers)
    share = Quantity("weight", 0, 1)
    kinds = Scalar("pattern", Quantity("", 0, len(PATTERNS) - 1), PATTERN_NAMES)
    return HeadScalars((kinds, *(Scalar(key, share) for key in ("vertical", "diagonal", "within"))), found)


def same_sentence(tokens: Tokens) -> NDArray[np.bool_] | None:
    """Return [T, T], whether two tokens are of one sentence, separators with the one before; None of one."""
    if tokens.pair is None:
        return None
    of_second = np.flatnonzero(tokens.sentences == 1)
    if not len(of_second):
        return None
    side = np.arange(len(tokens)) >= of_second[0]
    found: NDArray[np.bool_] = side[:, None] == side
    return found


def _of_head(weights: Doubles, same: NDArray[np.bool_] | None) -> tuple[float, float, float, float]:
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


_CROSSING = Message("Share of the attention")


@analysis(
    key="inter-sentence",
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
    for layer in range(trace.n_layers):
        for head in trace.heads_of(layer):
            reporter.check()
            shares = [
                weights[:, columns].sum(-1, dtype=np.float64).mean()
                for weights in (trace.attention(layer, head, rows=rows) for rows in named.values())
                for columns in groups.values()
            ]
            found[:, layer, head] = shares
        reporter.progress((layer + 1) / trace.n_layers)
    sums = found.reshape(len(named), len(groups), *found.shape[1:]).sum(1, dtype=np.float64)
    scalars = tuple(Scalar(key, Quantity("weight", 0, 1)) for key in keys)
    error = float(np.nanmax(np.abs(sums - 1), initial=0))
    return HeadScalars(scalars, found, identity_error=error, beside=((_CROSSING, keys),))


_NUMBERS_AT_ONCE = 1 << 20
"""So many logarithms are between two checks: some 10 ms."""


@analysis(
    key="head-distance",
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
    names, found = distances_of(inputs.trace, reporter)
    return head_map(names, found)


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
    n_heads = len(rows)
    entropies = np.empty(n_heads)
    for at, row in enumerate(rows):
        reporter.check()
        entropies[at] = -(row * np.log(row)).sum()
    found = np.zeros((n_heads, n_heads))
    at_once = max(1, _NUMBERS_AT_ONCE // rows[0].size)
    for a in range(n_heads):
        for first in range(a + 1, n_heads, at_once):
            reporter.check()
            some = slice(first, first + at_once)
            middle = (rows[a] + rows[some]) / 2
            of_middle = -(middle * np.log(middle)).sum((-1, -2))
            found[a, some] = np.maximum(of_middle - (entropies[a] + entropies[some]) / 2, 0)
        reporter.progress((a + 1) / n_heads)
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
    key="text-cosines",
    title=Message("Similarity of two texts"),
    summary=Message("The cosine between two texts by each vector that may stand for a text."),
    limits=Message(
        "Only a vector that a checkpoint was trained to compare tells how alike two texts are in meaning: "
        "mostly the sentence vector of sentence-transformers."
    ),
    paper="Reimers and Gurevych 2019, arXiv:1908.10084, section 3",
    needs=Needs.SECOND_RUN | Needs.STATES,
)
def similarity_of_texts(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> NamedArrays:
    """Return "cosine" [N], from -1 to 1, by each of N vectors that both texts have: see `text_cosines`.

    Of a ColBERT also "mean MaxSim": the mean over the tokens of the first text of the largest cosine with a
    token of the second, by their `token_vectors`. Khattab & Zaharia 2020, arXiv:2004.12832, section 3.3, take
    the sum.
    """
    reporter.check()
    found, tokens = text_cosines(inputs.trace, inputs.second), inputs.trace.token_vectors
    reporter.check()
    others = inputs.second.token_vectors
    if tokens is not None and others is not None and tokens.shape[1] == others.shape[1]:
        found["mean MaxSim"] = float((tokens @ others.T).max(1).mean())
    cosines = np.array(list(found.values()), np.float32)
    axes = (Axis("vector", tuple(found)),)
    words = {
        "pooled": Message("pooled vector"),
        "mean": Message("mean of all tokens"),
        "sentence": Message("sentence vector"),
        "cls": Message("vector of [CLS]"),
    }
    unit, title = Quantity("", -1, 1), Message("Cosine")
    drawn = (Picture("cosine", "bars", cosines, axes, unit, title, words, top=1.0),)
    return NamedArrays({"cosine": cosines}, {"cosine": axes}, main="cosine", drawn=drawn)


@analysis(
    key="head-measures",
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


_PRODUCTS_AT_ONCE = 1 << 27  # multiplications between two checks: about 20 ms


@dataclass(frozen=True)
class RolloutParameters:
    """`residual`: the share of the residual connection in each layer; the paper takes a half."""

    residual: Annotated[float, Range(0, 1), Message("Share of the residual connection")] = 0.5


@analysis(
    key="attention-rollout",
    title=Message("Attention rollout"),
    summary=Message(
        "How much of each input token reaches a token of a layer, if attention and residual connections are "
        "followed down to the input."
    ),
    limits=Message("It takes attention weights for flow: values, feed-forward parts and norms are left out."),
    paper="Abnar & Zuidema 2020, arXiv:2005.00928, section 3",
    refuses_trace=large_matrices,
    needs=Needs.OWN_STATES,
)
def rollout(inputs: Inputs, parameters: RolloutParameters, reporter: Reporter) -> TokenMatrices:
    """Return the rollout R of every layer l, a matrix between its tokens and those of the input.

    R_l = Â_l R_{l-1} with R_{-1} the identity and Â_l = (1 - r) mean_h A_lh + r I: the later layer stands on
    the left. The mean is over the heads whose output depends on their attention: not those that are muted or
    replaced by a mean; where all are, Â_l is the identity.

    [L, T, T], shares from 0 to 1; each row sums to 1.
    """
    trace = inputs.trace

    def layers() -> Iterator[Doubles]:
        below: Doubles = np.eye(trace.n_tokens)
        for layer in range(trace.n_layers):
            below = _layer(trace, layer, below, parameters.residual, reporter)
            yield below

    return TokenMatrices.by_layer(trace, layers(), reporter)


def _layer(trace: Trace, layer: int, below: Doubles, residual: float, reporter: Reporter) -> Doubles:
    """Return R of `layer` [T, T] from R of the layer below it."""
    n_tokens = trace.n_tokens
    heads = [head for head in trace.heads_of(layer) if (layer, head) not in trace.edits.constant_heads]
    share = residual if heads else 1.0
    found = np.empty_like(below)
    at_once = max(1, _PRODUCTS_AT_ONCE // (n_tokens * max(n_tokens, trace.n_heads * trace.head_width)))
    for first in range(0, n_tokens, at_once):
        reporter.check()
        rows = slice(first, min(n_tokens, first + at_once))
        mixed = np.zeros((rows.stop - first, n_tokens))
        if heads:
            mixed = (1 - share) * trace.attention(layer, rows=rows)[heads].mean(0, dtype=np.float64)
        mixed[np.arange(len(mixed)), np.arange(first, rows.stop)] += share
        found[rows] = mixed @ below
    return found


MAX_TOKENS = 48
"""For the rows of all tokens of a longer text it takes too long: each pair of tokens needs a maximum flow."""

_BYTES_OF_EDGE = 40
"""Its two nodes and its capacity, in lists by layer and as one array, while the graph is made."""

_UNITS = 1 << 24
"""Capacities are counted in units of 1 / 2 ** 24; int32 holds a flow, which is about 2 ** 24 at most."""


@dataclass(frozen=True)
class FlowParameters:
    """`query`: the token whose row is computed, None for all of up to 48 tokens; `layer` None: the last."""

    query: Annotated[int | None, Index("token"), Message("Position of the query; empty: all")] = None
    layer: Annotated[int | None, Index("layer"), Message("Layer; empty: the last")] = None
    residual: Annotated[float, Range(0, 1), Message("Share of the residual connection")] = 0.5


@analysis(
    key="attention-flow",
    title=Message("Attention flow"),
    summary=Message(
        "How much could flow from each input token to a token of a layer, if attention weights were the "
        "widths of pipes."
    ),
    limits=Message(
        "In deep models nearly every token gets the same; values, feed-forward parts and norms are left out."
    ),
    paper="Abnar & Zuidema 2020, arXiv:2005.00928, section 3",
    extra="flow",
    needs=Needs.OWN_STATES,
)
def attention_flow(inputs: Inputs, parameters: FlowParameters, reporter: Reporter) -> NamedArrays:
    """Return the maximum flow from each token of a layer down to each token of the input.

    The edge from token i of layer l to token j of the layer below has the capacity (1 - r) mean_h A_lh[i, j],
    and r more where i = j. Rows are divided by their sums.

    "values" [N, T] for N queries, shares from 0 to 1; each row sums to 1.

    Raises AnalysisError for more than 48 tokens without a query, for a text whose graph would take more than
    2 GiB, and where SciPy is not installed, and SelectionError for a token or a layer that the trace does not
    have.
    """
    trace = inputs.trace
    last = trace.n_layers - 1 if parameters.layer is None else parameters.layer
    queries = _queries(trace, parameters.query)
    trace.attention(last, None, slice(0, 1), slice(0, 1))  # raises SelectionError
    refuse_large(trace, _BYTES_OF_EDGE * (last + 1) * trace.n_tokens**2)
    if find_spec("scipy") is None:
        message = Message("Attention flow needs SciPy, which is not installed.")
        raise AnalysisError(message, Message("Install it: {0}.", "pip install scipy"))
    from scipy.sparse.csgraph import maximum_flow

    n_tokens = trace.n_tokens
    found = np.empty((len(queries), n_tokens))
    graph = _graph(trace, last, parameters.residual, reporter)
    for row, query in enumerate(queries):
        for key in range(n_tokens):
            reporter.check()
            source = (last + 1) * n_tokens + query
            found[row, key] = maximum_flow(graph, source, key, method="dinic").flow_value
        reporter.progress((row + 1) / len(queries))
    found /= found.sum(-1, keepdims=True)
    pieces = trace.tokens.pieces
    axes = (Axis("query", tuple(pieces[at] for at in queries)), Axis("key", pieces))
    shares = found.astype(np.float32)
    title, places = Message("Share of the flow"), tuple(queries)
    drawn = (Picture("flow", "cells", shares, axes, SHARE_OF_ONE, title, positions=places),)
    return NamedArrays({"values": shares}, {"values": axes}, {"layer": last}, drawn=drawn)


def _queries(trace: Trace, query: int | None) -> list[int]:
    if query is None and trace.n_tokens > MAX_TOKENS:
        message = Message(
            "The flow of all tokens is computed of up to {0} tokens; this text has {1}.",
            MAX_TOKENS,
            trace.n_tokens,
        )
        raise AnalysisError(message, Message("Give the position of one query."))
    return list(range(trace.n_tokens)) if query is None else [token_at(trace.tokens, query)]


def _graph(trace: Trace, last: int, residual: float, reporter: Reporter) -> csr_array:
    """Return the capacities between all nodes: token t of state s, 0 being the input, is node s * T + t."""
    from scipy.sparse import csr_array

    n_tokens = trace.n_tokens
    starts, ends, units = [], [], []
    for layer in range(last + 1):
        reporter.check()
        heads = [head for head in trace.heads_of(layer) if (layer, head) not in trace.edits.constant_heads]
        shares: Doubles = np.eye(n_tokens)  # from the layer to the one below it
        if heads:
            mean: Doubles = trace.attention(layer)[heads].mean(0, dtype=np.float64)
            shares = (1 - residual) * mean + residual * shares
        capacities = np.rint(shares * _UNITS).astype(np.int32)
        above, below = np.nonzero(capacities)
        starts.append((layer + 1) * n_tokens + above)
        ends.append(layer * n_tokens + below)
        units.append(capacities[above, below])
    n_nodes = (last + 2) * n_tokens
    edges = (np.concatenate(starts), np.concatenate(ends))
    return csr_array((np.concatenate(units), edges), shape=(n_nodes, n_nodes), dtype=np.int32)
