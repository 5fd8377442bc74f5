"""Norm-based attention: each weight times the length of the vector that it scales."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.axes import Quantity
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.matrices import AttentionMatrix
from bertviz_app.analysis.parameters import NoParameters
from bertviz_app.analysis.probing.decomposition.blocks import (
    array,
    bias_of,
    of_means,
    output_by_head,
    refuse_span_convolutions,
)
from bertviz_app.analysis.probing.identity_error import worst
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import HeadMatrices
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Form, Point
from bertviz_app.types import Doubles

if TYPE_CHECKING:
    from torch import Tensor

    from bertviz_app.analysis.model_access import DenseWeights

N_CHECKED = 32
"""The identity is measured at this number of queries of each layer, evenly spaced."""


def _refuses(form: Form, task_heads: tuple[str, ...]) -> AnalysisError | None:
    """Return why a model with global attention, or with convolutions beside heads, is refused; else None."""
    if not form.has_global_tokens:
        return refuse_span_convolutions(form)
    message = Message("With global attention a token has two value vectors, so that it has no one length.")
    return AnalysisError(message, Message("Open a checkpoint without global attention."))


@analysis(
    key="norm-attention",
    title=Message("Norm-based attention"),
    summary=Message("Each attention weight times the length of the vector that it scales."),
    limits=Message(
        "It covers one layer's attention; residual connection, norm and feed-forward are left out."
    ),
    paper="Kobayashi et al. 2020, arXiv:2004.10102, section 3",
    needs=Needs.MODEL,
    refuses=_refuses,
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
    outputs = _Outputs(trace)
    model.forward([trace.tokens], outputs)
    norms = np.zeros((trace.n_layers, trace.n_heads, trace.n_tokens), np.float32)
    error = 0.0
    for layer in range(trace.n_layers):
        dense = model.weights(layer).output
        by_head = output_by_head(dense, trace)
        summed = _without_heads(dense, trace, layer, outputs.queries)
        if trace.heads:
            summed += of_means(trace, layer, outputs.mixed[layer], by_head)
        for head in range(trace.n_heads):
            reporter.check()
            if (layer, head) not in trace.edits.constant_heads:
                transformed = trace.values[layer, head].astype(np.float64) @ by_head[head]  # [T, D]
                norms[layer, head] = np.linalg.norm(transformed, axis=-1)
                summed += trace.attention(layer, head, rows=outputs.queries) @ transformed
        error = worst(error, float(np.abs(summed - outputs.found[layer]).max()))
        reporter.progress((layer + 1) / trace.n_layers)
    norms.flags.writeable = False
    return HeadMatrices(
        n_layers=trace.n_layers,
        n_heads=trace.n_heads,
        queries=trace.tokens.pieces,
        keys=trace.tokens.pieces,
        quantity=Quantity("norm", 0),
        source=lambda layer, head: AttentionMatrix(trace, layer, head, norms[layer, head]),
        held_bytes=norms.nbytes,
        identity_error=error,
    )


class _Outputs:
    """A tap that keeps the output of each layer's attention at some queries: `found` [q, D] by layer.

    And `mixed` [H, 1, E], that of its heads at the first query.
    """

    def __init__(self, trace: Trace) -> None:
        count = min(N_CHECKED, trace.n_tokens)
        self.queries = np.linspace(0, trace.n_tokens - 1, count).round().astype(np.intp)
        self.found: dict[int, Doubles] = {}
        self.mixed: dict[int, Doubles] = {}

    def wants(self, point: Point, layer: int) -> bool:
        return point in (Point.PROJECTED, Point.MIXED)

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        if point is Point.MIXED:
            self.mixed[layer] = array(tensor[0, :, :1])
            return tensor
        self.found[layer] = array(tensor[0])[self.queries]
        return tensor


def _without_heads(dense: DenseWeights, trace: Trace, layer: int, queries: NDArray[np.intp]) -> Doubles:
    """Return [q, D], the rest of the attention's output: b_O, and the input where W_O reads it, too."""
    summed = np.tile(bias_of(dense, len(dense.weight)), (len(queries), 1))
    if trace.form.adds_before_projection:
        summed += trace.hidden[layer, queries].astype(np.float64) @ array(dense.weight).T
    return summed
