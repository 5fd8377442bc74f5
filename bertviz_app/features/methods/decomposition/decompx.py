"""How much of each input token is in a layer's tokens: rollout, attention flow, GlobEnc, ALTI, DecompX."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import numpy as np

from bertviz_app.analysis.compare import large_matrices, refuse_large, too_large
from bertviz_app.analysis.entry import Inputs, ModelAccess, Needs, Refusal, analysis, first_of
from bertviz_app.analysis.parameters import Index, NoParameters, Range, Reporter, reported
from bertviz_app.analysis.picture import SHARE_OF_ONE, Axis, Picture
from bertviz_app.analysis.probing.blocks import (
    AttentionBlocks,
    Norm,
    array,
    bias_of,
    of_means,
    refuse_whole_layers,
)
from bertviz_app.analysis.probing.passes import worst
from bertviz_app.analysis.results import NamedArrays, TokenMatrices
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.features.methods.decomposition.stream import Writer
from bertviz_app.text.tokens import token_at
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Point
from bertviz_app.types import Doubles
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from bertviz_app.analysis.model_access import DenseWeights, LayerWeights


_PRODUCTS_AT_ONCE = 1 << 27  # multiplications between two checks: about 20 ms


@dataclass(frozen=True)
class RolloutParameters:
    """`residual`: the share of the residual connection in each layer; the paper takes a half."""

    residual: Annotated[float, Range(0, 1), Message("Share of the residual connection")] = 0.5


@analysis(
    key="attention-rollout",
    place=("layers", 3),
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
    trace, n_tokens = inputs.trace, inputs.trace.n_tokens
    at_once = max(1, _PRODUCTS_AT_ONCE // (n_tokens * max(n_tokens, trace.n_heads * trace.head_width)))

    def layers() -> Iterator[Doubles]:
        below: Doubles = np.eye(n_tokens)
        for layer in range(trace.n_layers):
            heads = [
                head for head in trace.heads_of(layer) if (layer, head) not in trace.edits.constant_heads
            ]
            share = parameters.residual if heads else 1.0
            found = np.empty_like(below)
            for first in range(0, n_tokens, at_once):
                reporter.check()
                rows = slice(first, min(n_tokens, first + at_once))
                mixed = np.zeros((rows.stop - first, n_tokens))
                if heads:
                    mixed = (1 - share) * trace.attention(layer, rows=rows)[heads].mean(0, dtype=np.float64)
                mixed[np.arange(len(mixed)), np.arange(first, rows.stop)] += share
                found[rows] = mixed @ below
            below = found
            yield below

    return TokenMatrices.by_layer(trace, layers(), reporter)


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
    place=("layers", 4),
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
    if parameters.query is None and trace.n_tokens > MAX_TOKENS:
        message = Message(
            "The flow of all tokens is computed of up to {0} tokens; this text has {1}.",
            MAX_TOKENS,
            trace.n_tokens,
        )
        raise AnalysisError(message, Message("Give the position of one query."))
    query = parameters.query
    queries = range(trace.n_tokens) if query is None else [token_at(trace.tokens, query)]
    trace.attention(last, None, slice(0, 1), slice(0, 1))  # raises SelectionError
    refuse_large(trace, _BYTES_OF_EDGE * (last + 1) * trace.n_tokens**2)
    if find_spec("scipy") is None:
        message = Message("Attention flow needs SciPy, which is not installed.")
        raise AnalysisError(message, Message("Install it: {0}.", "pip install scipy"))
    from scipy.sparse.csgraph import maximum_flow

    n_tokens = trace.n_tokens
    found = np.empty((len(queries), n_tokens))
    graph = _graph(trace, last, parameters.residual, reporter)
    for row, query in enumerate(reported(queries, reporter)):
        for key in range(n_tokens):
            reporter.check()
            source = (last + 1) * n_tokens + query
            found[row, key] = maximum_flow(graph, source, key, method="dinic").flow_value
    found /= found.sum(-1, keepdims=True)
    pieces = trace.tokens.pieces
    axes = (Axis("query", tuple(pieces[at] for at in queries)), Axis("key", pieces))
    shares = found.astype(np.float32)
    title, places = Message("Share of the flow"), tuple(queries)
    drawn = (Picture("flow", "cells", shares, axes, SHARE_OF_ONE, title, positions=places),)
    return NamedArrays({"values": shares}, {"values": axes}, {"layer": last}, drawn=drawn)


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


Contributions = Callable[[int, slice, Doubles, Doubles], Doubles]
"""Of a layer, some queries, their parts after the norm [q, T, D] and the rest: the contributions [q, T]."""


@analysis(
    key="globenc",
    place=("layers", 5),
    title=Message("GlobEnc"),
    summary=Message(
        "How much of each input token reaches a token of a layer, by the lengths of vectors through both "
        "norms of each layer."
    ),
    limits=Message("Lengths of opposite vectors do not cancel; the feed-forward part is left out."),
    paper="Modarressi et al. 2022, arXiv:2205.03286, section 3",
    needs=Needs.MODEL | Needs.OWN_STATES,
    refuses=first_of(
        Refusal(
            lambda form, task_heads: form.is_pre_norm,
            Message("It is defined for layers whose norms follow the sums; here they precede the parts."),
            Message("ALTI is defined for both."),
            "",
        ),
        refuse_whole_layers,
    ),
    refuses_trace=large_matrices,
)
def globenc(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> TokenMatrices:
    """Return how much of each input token is in the tokens of each layer, by GlobEnc.

    E_ij = ||g2(g1(sum over heads of A_ij f(x_j), and x_i where j = i))|| in each layer: g1 and g2 are the
    linear parts of its two norms; the second one reads the residual connection around the feed-forward part,
    which itself is left out, as are all biases. The matrices are multiplied, the later layer on the left, and
    the rows of each product divided by their sums.

    [L, T, T], shares from 0 to 1; each row sums to 1.
    """
    blocks = AttentionBlocks(inputs, Point.OUTPUT_SUM)

    def lengths(layer: int, rows: slice, normed: Doubles, rest: Doubles) -> Doubles:
        """Return [q, T], the lengths of the parts [q, T, D] after the second norm."""
        second = Norm.of(blocks.model.weights(layer).feed_forward_norm)
        spread = second.spread(blocks.captured(Point.OUTPUT_SUM, layer)[rows])  # [q]
        found: Doubles = np.linalg.norm(second.linear(normed, spread[:, None]), axis=-1)
        return found

    return _chained(blocks, lengths, reporter)


@analysis(
    key="alti",
    place=("layers", 6),
    title=Message("ALTI"),
    summary=Message(
        "How much of each input token reaches a token of a layer, by how far a vector would move without it."
    ),
    limits=Message(
        "Parts that point away from the vector count as nothing; the feed-forward part is left out."
    ),
    paper="Ferrando et al. 2022, arXiv:2203.04212, section 3",
    needs=Needs.MODEL | Needs.OWN_STATES,
    refuses=refuse_whole_layers,
    refuses_trace=large_matrices,
)
def alti(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> TokenMatrices:
    """Return how much of each input token is in the tokens of each layer, by ALTI.

    With y_i the vector of query i after the attention block and t_ij the part of it that came from token j
    (see `norm_residual`), c_ij = max(0, ||y_i||_1 - ||y_i - t_ij||_1), each row divided by its sum. The
    matrices are multiplied, the later layer on the left. A row without any contribution counts as its own
    token alone.

    [L, T, T], shares from 0 to 1; each row sums to 1.
    """

    def contributions(layer: int, rows: slice, normed: Doubles, rest: Doubles) -> Doubles:
        """Return [q, T], the shares of the parts [q, T, D]; `rest` [q, D] is what the biases add."""
        total = normed.sum(1) + rest  # [q, D]
        without = np.abs(total[:, None] - normed).sum(-1)  # [q, T]
        found: Doubles = np.maximum(np.abs(total).sum(-1)[:, None] - without, 0)
        empty = found.sum(-1) == 0
        found[empty, np.arange(rows.start, rows.stop)[empty]] = 1
        found /= found.sum(-1, keepdims=True)
        return found

    return _chained(AttentionBlocks(inputs), contributions, reporter)


def _chained(blocks: AttentionBlocks, contributions: Contributions, reporter: Reporter) -> TokenMatrices:
    """Return the products of the layers' contributions, with rows that sum to 1."""
    trace = blocks.trace

    def layers() -> Iterator[Doubles]:
        below: Doubles = np.eye(trace.n_tokens)
        for layer in range(trace.n_layers):
            product = np.empty_like(below)
            for rows, normed, rest in blocks.normed(layer, reporter):
                product[rows] = contributions(layer, rows, normed, rest) @ below
            below = product / product.sum(-1).mean()  # rows of lengths would grow from layer to layer
            yield below / below.sum(-1, keepdims=True)

    return TokenMatrices.by_layer(trace, layers(), reporter, error=lambda _: blocks.error)


class FollowedToken:
    """What `decompositions` gives input token `token`, of every vector [T, D], by writer.

    A head writes what it moves of the token's parts, a feed-forward part what it makes of them, biases their
    share by the rule of `decompositions`. Norms are taken as given, so that the writers always add up to the
    token's parts; what a later part makes of what a writer wrote counts for the later part.
    """

    def __init__(self, token: int, n_layers: int, n_heads: int) -> None:
        self.token = token
        self.writers = [
            Writer("embeddings"),
            *(Writer("head", layer, head) for layer in range(n_layers) for head in range(n_heads)),
            *(Writer("feed-forward", layer) for layer in range(n_layers)),
            *(Writer("biases", layer) for layer in range(n_layers)),
        ]
        self._index_of = {writer: index for index, writer in enumerate(self.writers)}
        self.parts: Doubles = np.zeros((0, 0, 0))  # [W, T, D]

    def begin(self, parts: Doubles) -> None:
        """Begin with the embeddings, as parts [T, T, D]."""
        self.parts = np.zeros((len(self.writers), *parts[:, self.token].shape))
        self.parts[0] = parts[:, self.token]

    def attend(self, layer: int, of_heads: Doubles, output: Doubles, through: Doubles | None) -> None:
        """Add what heads [T, H, E] move, by W_O [H * E, D]; `through`: what went before goes through it."""
        if through is not None:
            self.parts = self.parts @ through
        _, n_heads, wide = of_heads.shape
        first = self._index_of[Writer("head", layer, 0)]
        self.parts[first : first + n_heads] += of_heads.transpose(1, 0, 2) @ output.reshape(n_heads, wide, -1)

    def feed_forward(self, layer: int, parts: Doubles) -> None:
        """Add what the feed-forward part made [T, T, D]."""
        self.parts[self._index_of[Writer("feed-forward", layer)]] += parts[:, self.token]

    def add_bias(self, layer: int, rows: slice, share: Doubles) -> None:
        """Add the share of a bias, [q, D] of the rows."""
        self.parts[self._index_of[Writer("biases", layer)], rows] += share

    def norm(self, norm: Norm, rows: slice, spread: Doubles) -> None:
        """Send q rows through the linear part of a norm, before its bias; it divides by `spread` [q]."""
        self.parts[:, rows] = norm.linear(self.parts[:, rows], spread)


_PASSES = 256  # what reading and writing a number several times costs, in multiplications of a product


@analysis(
    key="decompx",
    place=("layers", 7),
    title=Message("DecompX"),
    summary=Message(
        "How much of a token's vector came from each input token, through all parts of the layers."
    ),
    limits=Message(
        "The parts add up exactly, but how biases and activations are divided among them is a choice."
    ),
    paper="Modarressi et al. 2023, arXiv:2306.02873, section 3",
    needs=Needs.MODEL | Needs.OWN_STATES,
    refuses=refuse_whole_layers,
    refuses_trace=lambda trace: too_large(trace, _n_bytes(trace)),
)
def decompx(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> TokenMatrices:
    """Return how long the part of each vector is that came from each input token, as shares of a row.

    See `decompositions`. The largest difference between the sum of the parts and the model's own vector is
    the `identity_error`.

    [L, T, T], the lengths of the parts of the layer's output, each row divided by its sum.
    """
    trace, errors = inputs.trace, [0.0]

    def layers() -> Iterator[Doubles]:
        for layer, parts in enumerate(decompositions(trace, inputs.opened, reporter)):
            reporter.check()
            lengths: Doubles = np.linalg.norm(parts, axis=-1)
            reporter.check()
            errors.append(float(np.abs(parts.sum(1) - trace.hidden[layer + 1]).max()))
            yield lengths / lengths.sum(-1, keepdims=True)

    return TokenMatrices.by_layer(trace, layers(), reporter, error=lambda _: worst(*errors))


def decompositions(
    trace: Trace, model: ModelAccess, reporter: Reporter, followed: FollowedToken | None = None
) -> Iterator[Doubles]:
    """Yield the output of each layer as parts [T, T, D], of token i due to input token k.

    The parts begin as the embeddings, each token's its own. Attention weights, spreads of norms and gates are
    taken as given; an activation multiplies the parts of a unit by what it multiplied their sum by. A bias is
    divided among the parts by how much each points along it; those of values and W_O are joined into one
    first. So the parts of a token always add up to its vector. `followed` is given what each writer put into
    the parts of one input token.

    Raises AnalysisError for a text whose parts would take more than 2 GiB.
    """
    refuse_large(trace, _n_bytes(trace))
    form = trace.form
    capture = Capture({Point.EXPANDED, Point.ACTIVE, Point.GATED, Point.MIXED})
    model.forward([trace.tokens], capture)
    reporter.check()
    parts = np.zeros((trace.n_tokens, trace.n_tokens, trace.width))
    own = np.arange(trace.n_tokens)
    parts[own, own] = trace.hidden[0]
    if followed is not None:
        followed.begin(parts)
    for layer in range(trace.n_layers):
        reporter.check()
        weights = model.weights(layer)
        active = capture.tensors.get((Point.GATED, layer), capture.tensors[Point.ACTIVE, layer])
        before = array(capture.tensors[Point.EXPANDED, layer][0])
        # What the activation, and a gate, multiplied each unit by [T, F]; 0 where nothing went in.
        factors = np.divide(array(active[0]), before, out=np.zeros_like(before), where=before != 0)
        reporter.check()
        mixed = array(capture.tensors[Point.MIXED, layer][0])
        step = _Layer(trace, layer, weights, factors, mixed, reporter, followed)
        parts = step.norms_first(parts) if form.is_pre_norm else step.norms_last(parts)
        top = model.top_norm
        if layer == trace.n_layers - 1 and top is not None:
            parts = step.norm(parts, Norm.of(top), followed)
        yield parts


def _n_bytes(trace: Trace) -> int:
    """Return the bytes that the parts take: those before a step, after it, and those that it adds."""
    return 8 * 3 * trace.n_tokens**2 * trace.width


@dataclass(frozen=True, eq=False)
class _Layer:
    """One layer applied to parts [T, T, D], piece by piece of the queries or of the input tokens."""

    trace: Trace
    layer: int
    weights: LayerWeights
    factors: Doubles  # [T, F]
    mixed: Doubles  # [H, T, E]
    reporter: Reporter
    followed: FollowedToken | None = None

    def norms_last(self, parts: Doubles) -> Doubles:
        """Return the layer's output [T, T, D] as BERT's: attend, add and norm; feed forward, add and norm."""
        attended = self._attended(parts)
        first, second = self.weights.attention_norm, Norm.of(self.weights.feed_forward_norm)
        if not self.trace.form.adds_before_projection:
            self._add(attended, parts)
        if first is not None:
            attended = self.norm(attended, Norm.of(first), self.followed)
        fed = self._fed_forward(attended)
        self._add(fed, attended)
        return self.norm(fed, second, self.followed)

    def norms_first(self, parts: Doubles) -> Doubles:
        """Return the layer's output [T, T, D] where the norms precede attention and feed-forward part."""
        first, second = self.weights.attention_norm, Norm.of(self.weights.feed_forward_norm)
        given = parts if first is None else self.norm(parts, Norm.of(first))
        total = self._attended(given)
        self._add(total, parts)
        fed = self._fed_forward(self.norm(total, second))
        self._add(fed, total)
        return fed

    def _add(self, parts: Doubles, others: Doubles) -> None:
        """Add other parts to `parts`, both [T, T, D], in place."""
        for rows in self._pieces(parts.shape[1] * parts.shape[2] * _PASSES):
            parts[rows] += others[rows]

    def norm(self, parts: Doubles, norm: Norm, followed: FollowedToken | None = None) -> Doubles:
        """Return the parts [T, T, D] after a norm, through which `followed` goes as well."""
        found = np.empty_like(parts)
        for rows in self._pieces(parts.shape[1] * parts.shape[2] * _PASSES):
            some = parts[rows]
            spread = norm.spread(some.sum(1))
            found[rows] = norm.linear(some, spread[:, None])
            if followed is not None:
                followed.norm(norm, rows, spread)
            self._add_bias(found, rows, norm.bias, followed)
        return found

    def _add_bias(self, parts: Doubles, rows: slice, bias: Doubles, followed: FollowedToken | None) -> None:
        """Add a bias [D] to some rows of the parts [T, T, D] in place, see `add_bias`."""
        if followed is None:
            add_bias(parts[rows], bias)
            return
        before = parts[rows, followed.token].copy()
        add_bias(parts[rows], bias)
        followed.add_bias(self.layer, rows, parts[rows, followed.token] - before)

    def _attended(self, parts: Doubles) -> Doubles:
        """Return the parts [T, T, D] after attention and W_O, with those that are added before W_O."""
        trace, weights = self.trace, self.weights
        n_tokens, n_heads, width, wide = trace.n_tokens, trace.n_heads, trace.width, trace.head_width
        value = array(weights.value.weight).T  # [D, H * E]
        output = array(weights.output.weight).T  # [H * E, D]
        value_bias = bias_of(weights.value, n_heads * wide).reshape(n_heads, wide).copy()
        attention = np.nan_to_num(trace.attention(self.layer).astype(np.float64))  # [H, T, T]
        constant = [head for layer, head in trace.edits.constant_heads if layer == self.layer]
        attention[constant], value_bias[constant] = 0, 0
        through = output if trace.form.adds_before_projection else None
        followed, found = self.followed, np.empty_like(parts)
        for columns in self._pieces(n_heads * n_tokens * wide * (2 * width + n_tokens)):
            values = product(parts[:, columns], value).reshape(n_tokens, -1, n_heads, wide)  # [j, k, H, E]
            mixed = attention @ values.transpose(2, 0, 1, 3).reshape(n_heads, n_tokens, -1)  # [H, i, k * E]
            heads = mixed.reshape(n_heads, n_tokens, -1, wide).transpose(1, 2, 0, 3)  # [i, k, H, E]
            found[:, columns] = product(heads.reshape(n_tokens, -1, n_heads * wide), output)
            if followed is not None and columns.start <= followed.token < columns.stop:
                followed.attend(self.layer, heads[:, followed.token - columns.start], output, through)
        by_head = output.reshape(n_heads, wide, -1)
        bias = bias_of(weights.output, width) + value_bias.reshape(-1) @ output
        bias = bias + of_means(trace, self.layer, self.mixed, by_head)
        for rows in self._pieces(n_tokens * width * _PASSES):
            self._add_bias(found, rows, bias, followed)
        if through is not None:
            for rows in self._pieces(n_tokens * width * width):
                found[rows] += product(parts[rows], through)
        return found

    def _fed_forward(self, parts: Doubles) -> Doubles:
        """Return the parts [T, T, D] after the feed-forward part."""
        expand, contract = _dense(self.weights.expand), _dense(self.weights.contract)
        found = np.empty_like(parts)
        width, inner = expand[0].shape
        for rows in self._pieces(2 * parts.shape[1] * width * inner):
            wide = add_bias(product(parts[rows], expand[0]), expand[1])  # [i, k, F]
            wide *= self.factors[rows][:, None]
            found[rows] = add_bias(product(wide, contract[0]), contract[1])
        if self.followed is not None:
            self.followed.feed_forward(self.layer, found)
        return found

    def _pieces(self, n_products: int) -> Iterator[slice]:
        """Yield slices of tokens, one token costing so many multiplications; check before each."""
        at_once = max(1, _PRODUCTS_AT_ONCE // n_products)
        for first in range(0, self.trace.n_tokens, at_once):
            self.reporter.check()
            yield slice(first, min(self.trace.n_tokens, first + at_once))
        self.reporter.check()


def _dense(dense: DenseWeights) -> tuple[Doubles, Doubles]:
    """Return a dense layer as a matrix [in, out] and a bias [out]."""
    weight = array(dense.weight).T
    return weight, bias_of(dense, weight.shape[1])


def product(parts: Doubles, matrix: Doubles) -> Doubles:
    """Return parts [q, k, N] @ matrix [N, M], as one product: NumPy would make one of each q.

    By torch, on all processors: the program lets NumPy use one.
    """
    import torch

    rows = torch.from_numpy(parts.reshape(-1, len(matrix)))
    return (rows @ torch.from_numpy(matrix)).numpy().reshape(*parts.shape[:2], -1)


def add_bias(parts: Doubles, bias: Doubles) -> Doubles:
    """Add a bias [N] to the parts [q, T, N] in place, divided among them by |<bias, part>|; return them."""
    if bias.any():
        shares: Doubles = np.abs(parts @ bias)  # [q, T]
        total = shares.sum(-1, keepdims=True)
        equal = np.full_like(shares, 1 / shares.shape[-1])
        shares = np.divide(shares, total, out=equal, where=total > 0)
        parts += shares[..., None] * bias
    return parts
