"""Attention rollout: how much of each input token reaches a token of each layer, by attention weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from bertviz_app.analysis.axes import Quantity
from bertviz_app.analysis.entry import Analysis, Inputs, Needs
from bertviz_app.analysis.matrices import large_matrices, refuse_large
from bertviz_app.analysis.parameters import Range
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import TokenMatrices
from bertviz_app.errors import Message
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles

_PRODUCTS_AT_ONCE = 1 << 27  # multiplications between two checks: about 20 ms


@dataclass(frozen=True)
class RolloutParameters:
    """`residual`: the share of the residual connection in each layer; the paper takes a half."""

    residual: Annotated[float, Range(0, 1), Message("Share of the residual connection")] = 0.5


def rollout(inputs: Inputs, parameters: RolloutParameters, reporter: Reporter) -> TokenMatrices:
    """Return the rollout R of every layer l, a matrix between its tokens and those of the input.

    R_l = Â_l R_{l-1} with R_{-1} the identity and Â_l = (1 - r) mean_h A_lh + r I: the later layer stands
    on the left. The mean is over the heads whose output depends on their attention: not those that are muted
    or replaced by a mean; where all are, Â_l is the identity.

    Parameters
    ----------
    inputs : Inputs
        Its trace has L layers and T tokens.
    parameters : RolloutParameters
        r, the share of the residual connection.
    reporter : Reporter
        Called between blocks of rows; it raises Cancelled to stop.

    Returns
    -------
    TokenMatrices
        [L, T, T], shares from 0 to 1; each row sums to 1.

    Raises
    ------
    AnalysisError
        For a text whose matrices would take more than 2 GiB.

    References
    ----------
    Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers", arXiv:2005.00928, section 3.
    """
    trace = inputs.trace
    refuse_large(trace, 4 * trace.n_layers * trace.n_tokens**2)
    found = np.empty((trace.n_layers, trace.n_tokens, trace.n_tokens), np.float32)
    below: Doubles = np.eye(trace.n_tokens)
    for layer in range(trace.n_layers):
        below = _layer(trace, layer, below, parameters.residual, reporter)
        found[layer] = below
        reporter.progress((layer + 1) / trace.n_layers)
    tokens = trace.tokens.pieces
    return TokenMatrices.dense(
        found,
        tokens,
        tokens,
        Quantity("weight", 0, 1),
        float(np.abs(found.sum(-1, dtype=np.float64) - 1).max()),
    )


def _layer(trace: Trace, layer: int, below: Doubles, residual: float, reporter: Reporter) -> Doubles:
    """Return R of `layer` [T, T] from R of the layer below it."""
    n_tokens = trace.n_tokens
    heads = [head for head in range(trace.n_heads) if (layer, head) not in trace.edits.constant_heads]
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


ATTENTION_ROLLOUT = Analysis(
    key="attention-rollout",
    paper="Abnar & Zuidema 2020, arXiv:2005.00928, section 3",
    needs=Needs.TRACE,
    parameters=RolloutParameters,
    result=TokenMatrices,
    title=Message("Attention rollout"),
    summary=Message(
        "How much of each input token reaches a token of a layer, if attention and residual connections are "
        "followed down to the input."
    ),
    limits=Message("It takes attention weights for flow: values, feed-forward parts and norms are left out."),
    run=rollout,
    refuses_trace=large_matrices,
)
