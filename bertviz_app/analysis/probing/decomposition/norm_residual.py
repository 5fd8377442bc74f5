"""Norm-based attention with residual connection and norm, and the share that comes from other tokens."""

from __future__ import annotations

import numpy as np

from bertviz_app.analysis.axes import Quantity
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import NoParameters
from bertviz_app.analysis.probing.decomposition.blocks import (
    AttentionBlocks,
    refuse_blocks,
)
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import TokenMatrices, TokenScalars
from bertviz_app.errors import Message

PAPER = "Kobayashi et al. 2021, arXiv:2109.07152"


@analysis(
    key="norm-attention-residual",
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
    key="mixing-ratio",
    title=Message("Mixing ratio"),
    summary=Message(
        "Which share of a token's vector comes from other tokens, after the attention block of each layer."
    ),
    limits=Message("It compares lengths of vectors; biases and the feed-forward part are left out."),
    paper=f"{PAPER}, section 4",
    needs=Needs.MODEL,
    refuses=refuse_blocks,
)
def mixing_ratio(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> TokenScalars:
    """Return how much of each token's vector comes from the others, in the attention block of each layer.

    r_i = ||sum over j != i of t_ij|| / (||sum over j != i of t_ij|| + ||t_ii||), with t_ij as `norm_residual`
    has it: the biases are left out.

    [L, T], shares from 0 to 1; 0 where nothing comes from either.
    """
    trace, blocks = inputs.trace, AttentionBlocks(inputs)
    found = np.zeros((trace.n_layers, trace.n_tokens), np.float32)
    for layer in range(trace.n_layers):
        for rows, normed, _ in blocks.normed(layer, reporter):
            total = normed.sum(1)
            own = normed[np.arange(len(normed)), np.arange(rows.start, rows.stop)]
            others = np.linalg.norm(total - own, axis=-1)
            both = others + np.linalg.norm(own, axis=-1)
            np.divide(others, both, out=others, where=both > 0)
            found[layer, rows] = others
        reporter.progress((layer + 1) / trace.n_layers)
    return TokenScalars(
        trace.tokens.pieces, found, Quantity("weight", 0, 1), "layer", identity_error=blocks.error
    )
