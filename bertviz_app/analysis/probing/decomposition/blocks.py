"""The attention block of a layer as a sum over tokens: what each key adds to each query's vector."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.probing.identity_error import worst
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Form, Point
from bertviz_app.types import Doubles

if TYPE_CHECKING:
    from torch import Tensor

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
        """Return what the norm of `vectors` [..., D] divides by, [...]."""
        if self.by_deviation:
            deviation: Doubles = vectors.std(-1, ddof=1) + self.eps
            return deviation
        square = np.square(vectors).mean(-1) if self.by_rms else vectors.var(-1)
        root: Doubles = np.sqrt(square + self.eps)
        return root

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
            weights = self.trace.attention(self.layer, rows=rows).astype(np.float64)  # [H, q, T]
            parts = (weights.transpose(2, 1, 0) @ by_key).transpose(1, 0, 2)  # [q, T, D]
            own = np.arange(rows.start, rows.stop)
            parts[np.arange(len(own)), own] += self.residual[own]
            yield rows, parts

    def total(self, parts: Doubles) -> Doubles:
        """Return the vectors [q, D] that `parts` [q, T, D] and the bias add up to, before any norm."""
        found: Doubles = parts.sum(1) + self.output_bias
        return found

    def normed(self, parts: Doubles) -> tuple[Doubles, Doubles]:
        """Return the parts [q, T, D] as they are after the norm, and what else is in the vectors [q, D].

        The rest is that of the biases: g(b_O) and the norm's own. Without a norm the parts are returned as
        they are.
        """
        if self.norm is None:
            return parts, np.broadcast_to(self.output_bias, (len(parts), self.trace.width))
        spread = self.norm.spread(self.total(parts))  # [q]
        rest: Doubles = self.norm.linear(self.output_bias[None], spread) + self.norm.bias
        return self.norm.linear(parts, spread[:, None]), rest


def of_means(trace: Trace, layer: int, mixed: Doubles, by_head: Doubles) -> Doubles:
    """Return what heads that are replaced by a mean add to every vector [D], as a bias does.

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
            self.compare(layer, rows, normed.sum(1) + rest)
            yield rows, normed, rest

    def scale(self, layer: int) -> float:
        """Return the largest number of the vectors that `compare` compares, 1 or more."""
        return max(1.0, float(np.abs(self.captured(self._after, layer)).max()))

    def compare(self, layer: int, rows: slice, vectors: Doubles) -> None:
        """Raise `error` to how far `vectors` [q, D] are from the model's own after the block of `layer`."""
        apart = np.abs(vectors - self.captured(self._after, layer)[rows]).max()
        self.error = worst(self.error, float(apart))


def array(tensor: Tensor) -> Doubles:
    """Return a tensor as an array of float64 of the same shape."""
    found: Doubles = tensor.detach().cpu().double().numpy()
    return found


def bias_of(dense: DenseWeights, width: int) -> Doubles:
    """Return the bias [width] of a dense layer with `width` outputs, zeros where it has none."""
    return np.zeros(width) if dense.bias is None else array(dense.bias)


def output_by_head(dense: DenseWeights, trace: Trace) -> Doubles:
    """Return [H, E, D], the part of W_O that reads each head of a trace."""
    return array(dense.weight).T.reshape(trace.n_heads, trace.head_width, -1)


def refuse_span_convolutions(form: Form) -> AnalysisError | None:
    """Return the error for a model whose W_O reads convolutions beside the heads; None for others."""
    if not form.has_span_convolution:
        return None
    message = Message(
        "The heads of this model have convolutions beside them, which this analysis does not follow."
    )
    return AnalysisError(message, _AS_BERT)


def refuse_values(form: Form, task_heads: tuple[str, ...]) -> AnalysisError | None:
    """Return the error for a model whose tokens have no one value vector each; None for others."""
    if form.has_global_tokens:
        message = Message(
            "With global attention a token has two value vectors, which this analysis does not follow."
        )
        return AnalysisError(message, Message("Open a checkpoint without global attention."))
    if (refused := refuse_span_convolutions(form)) is not None:
        return refused
    if form.has_bottleneck:
        message = Message("The layers of this model have bottlenecks, which this analysis does not follow.")
        return AnalysisError(message, _AS_BERT)
    return None


def refuse_blocks(form: Form, task_heads: tuple[str, ...]) -> AnalysisError | None:
    """Return the error for a model whose attention block is no plain sum over tokens; None for others."""
    if (refused := refuse_values(form, task_heads)) is not None:
        return refused
    if form.has_scaling_norms or form.n_feed_forwards > 1:
        message = Message(
            "The norms of this model only scale and shift, or its layers have several feed-forward parts, "
            "which this analysis does not follow."
        )
        return AnalysisError(message, _AS_BERT)
    return None
