"""GlobEnc and ALTI: how much of each input token reaches a layer, from parts of vectors layer by layer."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.matrices import large_matrices
from bertviz_app.analysis.parameters import NoParameters
from bertviz_app.analysis.probing.decomposition.blocks import (
    AttentionBlocks,
    Norm,
    refuse_blocks,
)
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import TokenMatrices
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.trace.form import Form, Point
from bertviz_app.types import Doubles

Contributions = Callable[[int, slice, Doubles, Doubles], Doubles]
"""Of a layer, some queries, their parts after the norm [q, T, D] and the rest: the contributions [q, T]."""


def refuse_whole_layers(form: Form, task_heads: tuple[str, ...]) -> AnalysisError | None:
    """Return why the layers of a model do not fit a method that follows them from end to end, or None."""
    if form.has_convolution:
        message = Message("The first layer adds a convolution, which this analysis does not follow.")
        return AnalysisError(message, Message("Open a checkpoint without a convolution."))
    if form.has_adapter:
        message = Message("The layers end in adapters of a language, which this analysis does not follow.")
        return AnalysisError(message, Message("Open a checkpoint without adapters."))
    return refuse_blocks(form, task_heads)


def _refuse_pre_norm(form: Form, task_heads: tuple[str, ...]) -> AnalysisError | None:
    if form.is_pre_norm:
        message = Message(
            "It is defined for layers whose norms follow the sums; here they precede the parts."
        )
        return AnalysisError(message, Message("ALTI is defined for both."))
    return refuse_whole_layers(form, task_heads)


@analysis(
    key="globenc",
    title=Message("GlobEnc"),
    summary=Message(
        "How much of each input token reaches a token of a layer, by the lengths of vectors through both "
        "norms of each layer."
    ),
    limits=Message("Lengths of opposite vectors do not cancel; the feed-forward part is left out."),
    paper="Modarressi et al. 2022, arXiv:2205.03286, section 3",
    needs=Needs.MODEL,
    refuses=_refuse_pre_norm,
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
    title=Message("ALTI"),
    summary=Message(
        "How much of each input token reaches a token of a layer, by how far a vector would move without it."
    ),
    limits=Message(
        "Parts that point away from the vector count as nothing; the feed-forward part is left out."
    ),
    paper="Ferrando et al. 2022, arXiv:2203.04212, section 3",
    needs=Needs.MODEL,
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
