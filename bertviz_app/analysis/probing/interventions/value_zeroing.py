"""Value zeroing: how far each token's vector turns when the values of one other token are set to zero."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import NoParameters
from bertviz_app.analysis.probing.passes import batches
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import TokenMatrices
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Point
from bertviz_app.types import Doubles

if TYPE_CHECKING:
    from torch import Tensor

_SMALLEST = 1e-12

MAX_TOKENS = 1024
"""For a longer text it takes hours: each layer is run once for each token."""


class _Zeroed:
    """A tap that sets the values of token `first` + b to zero in input b, in all heads."""

    def __init__(self, first: int) -> None:
        self._first = first

    def wants(self, point: Point, layer: int) -> bool:
        return point in (Point.VALUES, Point.GLOBAL_VALUES)

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        """Return the values [B, H, T, E] without those of one token in each input."""
        found = tensor.clone()
        for at in range(len(found)):
            found[at, :, self._first + at] = 0
        return found


def _refuse_long(trace: Trace) -> AnalysisError | None:
    if trace.n_tokens <= MAX_TOKENS:
        return None
    message = Message(
        "Value zeroing is computed of up to {0} tokens; this text has {1}.", MAX_TOKENS, trace.n_tokens
    )
    return AnalysisError(message, Message("Write a shorter text."))


@analysis(
    key="value-zeroing",
    title=Message("Value zeroing"),
    summary=Message(
        "How much of each input token reaches a token of a layer, by how far vectors turn when a token "
        "passes on nothing."
    ),
    limits=Message("A vector that turns need not change what the model predicts."),
    paper="Mohebbi et al. 2023, arXiv:2301.12971, section 3",
    needs=Needs.MODEL,
    refuses_trace=_refuse_long,
)
def value_zeroing(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> TokenMatrices:
    """Return how much of each input token reaches each layer, by value zeroing.

    C_ij = 1 - cos(x_i, x_i without j), with x_i the output of the layer for token i, and without j the same
    with the values of token j set to zero in all heads of this layer alone; its weights stay. Rows are
    divided by their sums, and the matrices multiplied, the later layer on the left. A row that nothing
    changes counts as its own token alone.

    [L, T, T], shares from 0 to 1; each row sums to 1.
    """
    trace = inputs.trace

    def layers() -> Iterator[Doubles]:
        below: Doubles = np.eye(trace.n_tokens)
        for layer in range(trace.n_layers):
            below = _turned(inputs, layer, reporter) @ below
            yield below

    return TokenMatrices.by_layer(trace, layers(), reporter)


def _turned(inputs: Inputs, layer: int, reporter: Reporter) -> Doubles:
    """Return how far each vector turns [query, key], with rows that sum to 1."""
    import torch

    trace, model = inputs.trace, inputs.opened
    given = torch.from_numpy(trace.hidden[layer].copy()).to(model.token_embeddings.device)
    whole = model.layer_output(trace, layer, given[None])[0].cpu().double().numpy()  # [T, D]
    turned = np.empty((trace.n_tokens, trace.n_tokens))
    for zeroed in batches(trace.n_tokens, trace.n_tokens):
        reporter.check()
        variants = given.expand(len(zeroed), -1, -1)
        without = (
            model.layer_output(trace, layer, variants, _Zeroed(zeroed.start)).cpu().double().numpy()
        )  # [n, T, D]
        lengths = np.linalg.norm(without, axis=-1) * np.linalg.norm(whole, axis=-1)  # [n, T]
        cosines = (without * whole).sum(-1) / np.maximum(lengths, _SMALLEST)
        turned[:, zeroed.start : zeroed.stop] = np.maximum(1 - cosines, 0).T
    sums = turned.sum(-1, keepdims=True)
    shares: Doubles = np.divide(turned, sums, out=np.eye(trace.n_tokens), where=sums > _SMALLEST)
    return shares
