"""Attention rollout: how much of each input token reaches a token of each layer, by attention weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from bertviz_app.analysis.entry import Inputs, analysis
from bertviz_app.analysis.matrices import large_matrices
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
