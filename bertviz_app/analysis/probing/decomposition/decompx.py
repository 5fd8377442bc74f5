"""DecompX: every vector of every layer as the sum of one part for each input token."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.matrices import refuse_large, too_large
from bertviz_app.analysis.parameters import NoParameters
from bertviz_app.analysis.probing.decomposition.blocks import Norm, array, bias_of, of_means
from bertviz_app.analysis.probing.decomposition.chained import refuse_whole_layers
from bertviz_app.analysis.probing.decomposition.followed_token import FollowedToken
from bertviz_app.analysis.probing.identity_error import worst
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import TokenMatrices
from bertviz_app.errors import Message
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Point
from bertviz_app.types import Doubles

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import DenseWeights, LayerWeights, ModelAccess

_PRODUCTS_AT_ONCE = 1 << 27
"""Multiplications between two checks: some 10 ms."""

_PASSES = 256
"""What reading and writing a number several times costs, in multiplications of a product."""


@analysis(
    key="decompx",
    title=Message("DecompX"),
    summary=Message(
        "How much of a token's vector came from each input token, through all parts of the layers."
    ),
    limits=Message(
        "The parts add up exactly, but how biases and activations are divided among them is a choice."
    ),
    paper="Modarressi et al. 2023, arXiv:2306.02873, section 3",
    needs=Needs.MODEL,
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
            errors.append(error_of(parts, trace, layer))
            yield lengths / lengths.sum(-1, keepdims=True)

    return TokenMatrices.by_layer(trace, layers(), reporter, error=lambda _: worst(*errors))


def error_of(parts: Doubles, trace: Trace, layer: int) -> float:
    """Return how far the parts [T, T, D] of a layer's output are from adding up to it."""
    return float(np.abs(parts.sum(1) - trace.hidden[layer + 1]).max())


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
        factors = _factors(array(capture.tensors[Point.EXPANDED, layer][0]), array(active[0]))
        reporter.check()
        mixed = array(capture.tensors[Point.MIXED, layer][0])
        step = _Layer(trace, layer, weights, factors, mixed, reporter, followed)
        parts = step.norms_first(parts) if form.is_pre_norm else step.norms_last(parts)
        top = model.top_norm
        if layer == trace.n_layers - 1 and top is not None:
            parts = step.norm(parts, Norm.of(top), followed)
        yield parts


def _n_bytes(trace: Trace) -> int:
    """Return how much memory the parts take: those before a step, after it, and of what it adds."""
    return 8 * 3 * trace.n_tokens**2 * trace.width


def _factors(before: Doubles, after: Doubles) -> Doubles:
    """Return [T, F], what an activation, and a gate, multiplied each unit by; 0 where nothing went in."""
    return np.divide(after, before, out=np.zeros_like(before), where=before != 0)


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
        """Return what attention makes of the parts [T, T, D], with W_O, and with what is added before W_O."""
        trace, weights = self.trace, self.weights
        n_tokens, n_heads, width, wide = trace.n_tokens, trace.n_heads, trace.width, trace.head_width
        value = array(weights.value.weight).T  # [D, H * E]
        output = array(weights.output.weight).T  # [H * E, D]
        value_bias = bias_of(weights.value, n_heads * wide).reshape(n_heads, wide).copy()
        attention = trace.attention(self.layer).astype(np.float64)  # [H, T, T]
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
                of_token = heads[:, followed.token - columns.start]
                followed.attend(self.layer, of_token, output, through)
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
        """Return what the feed-forward part makes of the parts [T, T, D]."""
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
    found: Doubles = (rows @ torch.from_numpy(matrix)).numpy().reshape(*parts.shape[:2], -1)
    return found


def add_bias(parts: Doubles, bias: Doubles) -> Doubles:
    """Add a bias [N] to the parts [q, T, N] in place, divided among them by |<bias, part>|; return them."""
    if bias.any():
        shares: Doubles = np.abs(parts @ bias)  # [q, T]
        total = shares.sum(-1, keepdims=True)
        equal = np.full_like(shares, 1 / shares.shape[-1])
        shares = np.divide(shares, total, out=equal, where=total > 0)
        parts += shares[..., None] * bias
    return parts
