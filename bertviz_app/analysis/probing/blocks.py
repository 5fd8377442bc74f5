"""Attention blocks as sums of what each token and head adds, and the norms of what they add."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from bertviz_app.analysis.compare import AttentionMatrix, DenseMatrix, MatrixSource
from bertviz_app.analysis.entry import Inputs, Needs, Refusal, analysis, first_of
from bertviz_app.analysis.parameters import NoParameters, Reporter, reported
from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.probing.passes import worst
from bertviz_app.analysis.results import HeadMatrices, TokenMatrices
from bertviz_app.errors import Message
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Point, TapAt
from bertviz_app.types import Doubles, Indices, Tensor
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from bertviz_app.analysis.model_access import DenseWeights, NormWeights

_NUMBERS_AT_ONCE = 1 << 19
"""Of the numbers [q, T, D] so many are in memory at a time, and between two checks."""
_AS_BERT = Message("Open a checkpoint whose layers are built as those of BERT.")


@dataclass(frozen=True, eq=False)
class Norm:
    """A layer norm in float64, and its linear part for one vector."""

    weight: Doubles  # [D]
    bias: Doubles  # [D]
    eps: float
    by_deviation: bool
    by_rms: bool = False  # divides by the root mean square, and subtracts no mean

    @staticmethod
    def of(weights: NormWeights) -> Norm:
        """Return the norm with these weights, without a bias one of zeros.

        A model whose norms only scale is refused before.
        """
        weight = array(weights.weight)
        bias = np.zeros_like(weight) if weights.bias is None else array(weights.bias)
        return Norm(weight, bias, weights.eps, weights.by_deviation, weights.by_rms)

    def spread(self, vectors: Doubles) -> Doubles:
        """Return the divisor [...] of the norm of `vectors` [..., D]."""
        if self.by_deviation:
            found: Doubles = vectors.std(-1, ddof=1) + self.eps
        else:
            found = np.sqrt((np.square(vectors).mean(-1) if self.by_rms else vectors.var(-1)) + self.eps)
        return found

    def linear(self, parts: Doubles, spread: Doubles) -> Doubles:
        """Return g(v) = weight * (v - mean(v)) / spread for parts v [..., D] of a vector with that spread.

        The norm of a vector is the sum of g over its parts, plus the bias. `spread` is broadcast. A norm by
        the root mean square subtracts no mean.
        """
        centred = parts if self.by_rms else parts - parts.mean(-1, keepdims=True)
        found: Doubles = centred / spread[..., None]
        found *= self.weight
        return found


@dataclass(frozen=True, eq=False)
class AttentionBlock:
    """The attention of one layer with its residual connection, as parts that add up, in float64.

    The vector of query i after the block is the sum over keys j of parts[i, j], plus `output_bias`; where a
    norm follows it, g of each of these plus the norm's bias.
    """

    trace: Trace
    layer: int
    transformed: Doubles  # [H, T, D]: f_h(x_j), what head h adds for a weight of 1 on token j
    residual: Doubles  # [T, D]: the layer's input as it is added
    output_bias: Doubles  # [D]: b_O
    norm: Norm | None  # after the sum; None where none follows

    def blocks(self, reporter: Reporter) -> Iterator[tuple[slice, Doubles]]:
        """Yield rows of queries, and their parts [q, T, D]: sum over heads of A_ij f(x_j), and x_i at j = i.

        Checks the reporter before each block of rows.
        """
        n_tokens = self.trace.n_tokens
        at_once = max(1, _NUMBERS_AT_ONCE // (n_tokens * self.trace.width))
        by_key = self.transformed.transpose(1, 0, 2)  # [T, H, D]
        for first in range(0, n_tokens, at_once):
            reporter.check()
            rows = slice(first, min(n_tokens, first + at_once))
            weights = np.nan_to_num(
                self.trace.attention(self.layer, rows=rows).astype(np.float64)
            )  # [H, q, T]
            parts = (weights.transpose(2, 1, 0) @ by_key).transpose(1, 0, 2)  # [q, T, D]
            own = np.arange(rows.start, rows.stop)
            parts[np.arange(len(own)), own] += self.residual[own]
            yield rows, parts

    def normed(self, parts: Doubles) -> tuple[Doubles, Doubles]:
        """Return the parts [q, T, D] after the norm, and the rest of the vectors [q, D].

        The rest is that of the biases: g(b_O) and the norm's own. Without a norm the parts are returned as
        they are.
        """
        if self.norm is None:
            return parts, np.broadcast_to(self.output_bias, (len(parts), self.trace.width))
        spread = self.norm.spread(parts.sum(1) + self.output_bias)  # [q]
        rest: Doubles = self.norm.linear(self.output_bias[None], spread) + self.norm.bias
        return self.norm.linear(parts, spread[:, None]), rest


def of_means(trace: Trace, layer: int, mixed: Doubles, by_head: Doubles) -> Doubles:
    """Return the sum [D] that heads replaced by a mean add to every vector, as a bias does.

    `mixed` [H, T, E] are the outputs of the heads of `layer`, `by_head` [H, E, D] the part of W_O that reads
    each of them.
    """
    heads = [one.head for one in trace.heads if one.layer == layer and one.kind == "mean"]
    found: Doubles = np.einsum("he,hed->d", mixed[heads, 0], by_head[heads])
    return found


class AttentionBlocks:
    """The attention blocks of a trace, and how far their sums are from what the model computes.

    Runs the model once. `error` is the largest difference of the blocks that were compared so far.
    """

    def __init__(self, inputs: Inputs, *points: Point) -> None:
        self.trace, self.model = inputs.trace, inputs.opened
        self._after = Point.ATTENTION_SUM if self.trace.form.is_pre_norm else Point.ATTENTION_NORM
        self._capture = Capture({self._after, Point.MIXED, *points})
        self.model.forward([self.trace.tokens], self._capture)
        self.error = 0.0

    def captured(self, point: Point, layer: int) -> Doubles:
        """Return the tensor [T, ...] that the model computes at a point named when this was made."""
        return array(self._capture.tensors[point, layer][0])

    def at(self, layer: int) -> AttentionBlock:
        """Return the block of `layer`."""
        trace, weights = self.trace, self.model.weights(layer)
        by_head = output_by_head(weights.output, trace)
        transformed = trace.values[layer].astype(np.float64) @ by_head  # [H, T, D]
        transformed[[head for at, head in trace.edits.constant_heads if at == layer]] = 0
        mixed = self.captured(Point.MIXED, layer)
        given = trace.hidden[layer].astype(np.float64)
        norm = None if trace.form.is_pre_norm else weights.attention_norm
        return AttentionBlock(
            trace=trace,
            layer=layer,
            transformed=transformed,
            residual=given @ array(weights.output.weight).T if trace.form.adds_before_projection else given,
            output_bias=bias_of(weights.output, trace.width) + of_means(trace, layer, mixed, by_head),
            norm=None if norm is None else Norm.of(norm),
        )

    def normed(self, layer: int, reporter: Reporter) -> Iterator[tuple[slice, Doubles, Doubles]]:
        """Yield rows of queries of `layer`, their parts [q, T, D] after the norm, and the rest [q, D].

        What they add up to is compared with the model's own. See `AttentionBlock.normed`.
        """
        block = self.at(layer)
        for rows, parts in block.blocks(reporter):
            normed, rest = block.normed(parts)
            apart = np.abs(normed.sum(1) + rest - self.captured(self._after, layer)[rows]).max()
            self.error = worst(self.error, float(apart))
            yield rows, normed, rest

    def scale(self, layer: int) -> float:
        """Return the largest number of the vectors that `normed` is compared with, 1 or more."""
        return max(1.0, float(np.abs(self.captured(self._after, layer)).max()))


def array(tensor: Tensor) -> Doubles:
    """Return a tensor as an array of float64 of the same shape."""
    return tensor.detach().cpu().double().numpy()


def bias_of(dense: DenseWeights, width: int) -> Doubles:
    """Return the bias [width] of a dense layer with `width` outputs, zeros where it has none."""
    return np.zeros(width) if dense.bias is None else array(dense.bias)


def output_by_head(dense: DenseWeights, trace: Trace) -> Doubles:
    """Return [H, E, D], the part of W_O that reads each head of a trace."""
    return array(dense.weight).T.reshape(trace.n_heads, trace.head_width, -1)


refuse_span_convolutions = Refusal(
    lambda form, task_heads: form.has_span_convolution,  # which W_O reads, too
    Message("The heads of this model have convolutions beside them, which this analysis does not follow."),
    _AS_BERT,
)
_WITHOUT_GLOBAL = Message("Open a checkpoint without global attention.")

# Models whose tokens have no one value vector each.
refuse_values = first_of(
    Refusal(
        lambda form, task_heads: form.has_global_tokens,
        Message("With global attention a token has two value vectors, which this analysis does not follow."),
        _WITHOUT_GLOBAL,
    ),
    refuse_span_convolutions,
    Refusal(
        lambda form, task_heads: form.has_bottleneck,
        Message("The layers of this model have bottlenecks, which this analysis does not follow."),
        _AS_BERT,
    ),
)

# Models whose attention block is no plain sum over tokens.
refuse_blocks = first_of(
    refuse_values,
    Refusal(
        lambda form, task_heads: form.has_scaling_norms or form.n_feed_forwards > 1,
        Message(
            "The norms of this model only scale and shift, or its layers have several feed-forward parts, "
            "which this analysis does not follow."
        ),
        _AS_BERT,
    ),
)

# Models whose layers do not fit a method that follows them from end to end.
refuse_whole_layers = first_of(
    Refusal(
        lambda form, task_heads: form.has_convolution,
        Message("The first layer adds a convolution, which this analysis does not follow."),
        Message("Open a checkpoint without a convolution."),
    ),
    Refusal(
        lambda form, task_heads: form.has_adapter,
        Message("The layers end in adapters of a language, which this analysis does not follow."),
        Message("Open a checkpoint without adapters."),
    ),
    refuse_blocks,
)


PAPER = "Kobayashi et al. 2021, arXiv:2109.07152"


@analysis(
    key="norm-attention-residual",
    place=("layers", 1),
    title=Message("Norm-based attention with residual connection and norm"),
    summary=Message(
        "How long the part of a token's vector is that came from each token, after the attention of a layer."
    ),
    limits=Message(
        "Lengths do not say whether parts point the same way or cancel; the feed-forward part is left out."
    ),
    paper=f"{PAPER}, section 3",
    needs=Needs.MODEL,
    refuses=refuse_blocks,
)
def norm_residual(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> TokenMatrices:
    """Return ||t_ij|| of every layer: how long the part of query i's vector is that came from token j.

    t_ij = g(sum over heads of A_ij f(x_j), and x_i where j = i), with f(x_j) what a head adds for a weight of
    1, and g the linear part of the norm that follows; without a norm after the sum g is left out. The parts,
    the biases' part and the norm's bias add up to the vector after the attention block; the largest
    difference of the sum is the `identity_error`.

    [L, T, T], lengths of vectors of the model's width, 0 or more.
    """
    trace, blocks = inputs.trace, AttentionBlocks(inputs)
    layers = (
        np.concatenate([np.linalg.norm(normed, axis=-1) for _, normed, _ in blocks.normed(layer, reporter)])
        for layer in range(trace.n_layers)
    )
    return TokenMatrices.by_layer(trace, layers, reporter, Quantity("norm", 0), lambda _: blocks.error)


@analysis(
    key="norm-attention",
    place=("heads", 7),
    title=Message("Norm-based attention"),
    summary=Message("Each attention weight times the length of the vector that it scales."),
    limits=Message(
        "It covers one layer's attention; residual connection, norm and feed-forward are left out."
    ),
    paper="Kobayashi et al. 2020, arXiv:2004.10102, section 3",
    needs=Needs.MODEL,
    refuses=first_of(
        Refusal(
            lambda form, task_heads: form.has_global_tokens,
            Message("With global attention a token has two value vectors, so that it has no one length."),
            _WITHOUT_GLOBAL,
        ),
        refuse_span_convolutions,
    ),
)
def norm_attention(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> HeadMatrices:
    """Return ||A_ij f(x_j)|| of every head, query i and key j.

    f(x_j) = (x_j W_V + b_V) W_O, with the part of W_O that belongs to the head, is what the head adds to the
    attention's output if it attends to token j alone: its value vector as the next part of the layer gets it.
    Sum over heads and keys of A_ij f(x_j), and b_O, is the output of the attention; the largest difference of
    the two at some queries of each layer is the `identity_error`. A muted head, and one that is replaced by a
    mean, adds nothing.

    [L, H, T, T], lengths of vectors of the model's width, 0 or more; b_O is left out, as in the paper.
    """
    trace, model = inputs.trace, inputs.opened
    # The identity is measured at so many queries of each layer, evenly spaced.
    queries = np.linspace(0, trace.n_tokens - 1, min(32, trace.n_tokens)).round().astype(np.intp)
    outputs: dict[int, Doubles] = {}  # of each layer's attention at these queries [q, D]
    mixed: dict[int, Doubles] = {}  # and of its heads at the first query [H, 1, E]

    def hold(point: Point, layer: int, tensor: Tensor) -> Tensor:
        if point is Point.MIXED:
            mixed[layer] = array(tensor[0, :, :1])
        else:
            outputs[layer] = array(tensor[0])[queries]
        return tensor

    model.forward([trace.tokens], TapAt({Point.PROJECTED, Point.MIXED}, hold))
    norms = np.zeros((trace.n_layers, trace.n_heads, trace.n_tokens), np.float32)
    error = 0.0
    for layer in reported(range(trace.n_layers), reporter):
        dense = model.weights(layer).output
        by_head = output_by_head(dense, trace)
        summed = _without_heads(dense, trace, layer, queries)
        if trace.heads:
            summed += of_means(trace, layer, mixed[layer], by_head)
        for head in trace.heads_of(layer):
            reporter.check()
            if (layer, head) not in trace.edits.constant_heads:
                transformed = trace.values[layer, head].astype(np.float64) @ by_head[head]  # [T, D]
                norms[layer, head] = np.linalg.norm(transformed, axis=-1)
                summed += trace.attention(layer, head, rows=queries) @ transformed
        error = worst(error, float(np.abs(summed - outputs[layer]).max()))
    norms.flags.writeable = False

    def source(layer: int, head: int) -> MatrixSource:
        if head in trace.heads_of(layer):
            return AttentionMatrix(trace, layer, head, norms[layer, head])
        return DenseMatrix(np.full((trace.n_tokens, trace.n_tokens), np.nan, np.float32))

    return HeadMatrices(
        n_layers=trace.n_layers,
        n_heads=trace.n_heads,
        queries=trace.tokens.pieces,
        keys=trace.tokens.pieces,
        quantity=Quantity("norm", 0),
        source=source,
        held_bytes=norms.nbytes,
        identity_error=error,
    )


def _without_heads(dense: DenseWeights, trace: Trace, layer: int, queries: Indices) -> Doubles:
    """Return [q, D], the rest of the attention's output: b_O, and the input where W_O reads it, too."""
    summed = np.tile(bias_of(dense, len(dense.weight)), (len(queries), 1))
    if trace.form.adds_before_projection:
        summed += trace.hidden[layer, queries].astype(np.float64) @ array(dense.weight).T
    return summed
