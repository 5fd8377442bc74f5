"""The self-test of one run: identities that its numbers must keep, each with how far it is off."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from bertviz_app.analysis.axes import Axis
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.matrices import refuse_large
from bertviz_app.analysis.parameters import NoParameters
from bertviz_app.analysis.probing.decomposition.blocks import AttentionBlocks, refuse_blocks
from bertviz_app.analysis.probing.identity_error import worst
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Point
from bertviz_app.types import Doubles, Floats

if TYPE_CHECKING:
    from torch import Tensor

ROWS, AGAIN, WEIGHTS, PARTS, EXACT = "rows", "again", "weights", "parts", "exact"
"""The names of the checks."""


@dataclass(frozen=True)
class Check:
    """One check: its name, and the largest difference that rounding explains."""

    name: str
    limit: float


CHECKS = (Check(ROWS, 1e-6), Check(AGAIN, 1e-4), Check(WEIGHTS, 1e-5), Check(PARTS, 1e-4), Check(EXACT, 1e-3))
"""All checks in order. "parts" is left out where a token has two value vectors."""


@analysis(
    key="self-test",
    title=Message("Self-test"),
    summary=Message(
        "Whether the numbers of this run keep the identities that they must keep, and how far each is off."
    ),
    limits=Message("It tests the program's arithmetic, not whether the checkpoint is a good model."),
    paper="Vaswani et al. 2017, arXiv:1706.03762, section 3.2",
    needs=Needs.MODEL,
)
def self_test(inputs: Inputs, parameters: NoParameters, reporter: Reporter) -> NamedArrays:
    """Return how far the numbers of a run are from what they must be.

    Differences of hidden states and of parts are divided by the largest number of the state, and of the
    vectors that the attention block returns, since rounding grows with it.

    "values" [N], the differences, and "limits" [N], what is explained by rounding: "rows": each row of
    attention sums to 1; "again": a second pass with attention written out gives the same hidden states;
    "weights": and the same weights as the trace, which computes them from queries and keys; "parts": in each
    layer the parts of all tokens add up to what the attention block returns; "exact": a pass in float64 gives
    the same hidden states.

    Raises AnalysisError for a run in bfloat16, and for a text whose attention in one layer would take more
    than 2 GiB.

    The limits are ours.
    """
    trace, model = inputs.trace, inputs.opened
    if trace.provenance.dtype != "float32":
        message = Message("The self-test is of numbers in float32; this text was encoded in bfloat16.")
        raise AnalysisError(message, Message("Encode it in float32."))
    refuse_large(trace, 2 * 4 * trace.n_heads * trace.n_tokens**2)
    second = _SecondPass(trace, reporter)
    model.forward([trace.tokens], second)
    found = {ROWS: _rows(trace, reporter), AGAIN: second.of_states, WEIGHTS: second.of_weights}
    if refuse_blocks(trace.form, model.task_heads) is None:
        found[PARTS] = _parts(inputs, reporter)
    exact = model.exact_hidden(trace.tokens)
    found[EXACT] = worst(*(_difference(*states) for states in zip(exact, trace.hidden, strict=True)))
    reporter.progress(1)
    return _checked(found)


class _SecondPass:
    """A tap that compares the weights and the output of each layer with those of `trace`, as the pass runs.

    `of_weights` and `of_states` are the largest differences. The weights of one layer at a time are in
    memory: those of all layers of a long text would fill it.
    """

    def __init__(self, trace: Trace, reporter: Reporter) -> None:
        self._trace, self._reporter = trace, reporter
        self.of_weights = self.of_states = 0.0

    def wants(self, point: Point, layer: int) -> bool:
        return point in (Point.WEIGHTS, Point.OUTPUT)

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        found = tensor[0].float().cpu().numpy()
        if point is Point.WEIGHTS:
            apart = np.abs(found - self._trace.attention(layer)).max()
            self.of_weights = worst(self.of_weights, float(apart))
        else:
            self.of_states = worst(self.of_states, _difference(found, self._trace.hidden[layer + 1]))
            self._reporter.progress((layer + 1) / (2 * self._trace.n_layers))
        return tensor


def _checked(found: dict[str, float]) -> NamedArrays:
    """Return the differences that were `found`, by the names of their checks, beside the limits of these."""
    checks = [check for check in CHECKS if check.name in found]
    axis = (Axis("check", tuple(check.name for check in checks)),)
    values = np.array([found[check.name] for check in checks], np.float32)
    limits = np.array([check.limit for check in checks], np.float32)
    passed = int((values <= limits).sum())
    return NamedArrays(
        {"values": values, "limits": limits},
        {"values": axis, "limits": axis},
        {"passed": passed, "checks": len(checks)},
        identity_error=float(values.max()),
    )


def _rows(trace: Trace, reporter: Reporter) -> float:
    largest = 0.0
    for layer in range(trace.n_layers):
        for head in range(trace.n_heads):
            reporter.check()
            sums = trace.attention(layer, head).sum(-1, dtype=np.float64)
            largest = worst(largest, float(np.abs(sums - 1).max()))
    return largest


def _parts(inputs: Inputs, reporter: Reporter) -> float:
    largest, blocks = 0.0, AttentionBlocks(inputs)
    for layer in range(inputs.trace.n_layers):
        blocks.error = 0.0
        deque(blocks.normed(layer, reporter), maxlen=0)
        largest = worst(largest, blocks.error / blocks.scale(layer))
    return largest


def _difference(a: Doubles | Floats, b: Floats) -> float:
    """Return the largest difference of two arrays, as a share of the largest number if that is above 1."""
    return float(np.abs(a - b).max()) / max(1.0, float(np.abs(b).max()))
