"""Activation patching: parts of run B are put into run A, one at a time, and the outcome is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, get_args

import numpy as np

from bertviz_app.analysis.axes import Axis, counted
from bertviz_app.analysis.compare import GAP
from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Choice
from bertviz_app.analysis.probing.attribution.targets import Target, TargetParameters, same_heads
from bertviz_app.analysis.probing.passes import batches
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.analysis.results import OutcomeMap
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.trace.form import Capture, Point

if TYPE_CHECKING:
    from torch import Tensor

Part = Literal["heads", "hidden"]
"""What is put in: the output of one head at all tokens, or the output of one layer at one token."""

PARTS: tuple[Part, ...] = get_args(Part)


@dataclass(frozen=True)
class PatchingParameters(TargetParameters):
    """`part`: "heads" puts in one head's output at all tokens, "hidden" one layer's output at one token."""

    part: Annotated[str, Choice(PARTS), Message("Put in from run B")] = "heads"


class _Patched:
    """A tap that puts vectors of run B into input b: of one head at all aligned tokens, or of one token.

    `values` are those of run B at `point`, [1, H, T, E] of heads or [1, T, D]; `positions` the aligned ones,
    in this run and in B; `indices`: the head, or the pair of `positions`, that each input is about.
    """

    def __init__(
        self, point: Point, layer: int, indices: range, values: Tensor, positions: list[tuple[int, int]]
    ) -> None:
        self._point, self._layer, self._indices = point, layer, indices
        self._values, self._positions = values, positions

    def wants(self, point: Point, layer: int) -> bool:
        return point is self._point and layer == self._layer

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        found = tensor.clone()
        for at, index in enumerate(self._indices):
            if point is Point.MIXED:
                own, others = ([pair[side] for pair in self._positions] for side in (0, 1))
                found[at, index, own] = self._values[0, index, others]
            else:
                own_token, other_token = self._positions[index]
                found[at, own_token] = self._values[0, other_token]
        return found


@analysis(
    key="patching",
    title=Message("Activation patching"),
    summary=Message(
        "How the chosen outcome changes when a part of run B is put into run A, one part at a time."
    ),
    limits=Message("What is put in meets a text that it was not computed from; parts can act together only."),
    paper="Vig et al. 2020, arXiv:2004.12265; Meng et al. 2022, arXiv:2202.05262",
    needs=Needs.MODEL | Needs.SECOND_RUN,
)
def patching(inputs: Inputs, parameters: PatchingParameters, reporter: Reporter) -> OutcomeMap:
    """Return the outcome of run A with one part of it replaced by that of run B, for each part.

    Tokens are aligned; those that only one of the runs has are left as they are.

    "values" [L, H] for heads, or [L, N] for the N aligned tokens: the outcome less that of run A, which is
    the fact "outcome".

    Raises AnalysisError for runs of different checkpoints or muted heads, or without any token in common.
    """
    trace, other, model = inputs.trace, same_heads(inputs.trace, inputs.second), inputs.opened
    target = Target(inputs, parameters)
    positions = [(int(a), int(b)) for a, b in inputs.alignment.positions.tolist() if GAP not in (a, b)]
    if not positions:
        raise AnalysisError(
            Message("The two texts have no token in common."), Message("Change one word only.")
        )
    of_heads = parameters.part == "heads"
    point = Point.MIXED if of_heads else Point.OUTPUT
    capture = Capture({point})
    reporter.check()
    model.forward([other.tokens], capture)
    whole = target.of([trace.tokens])[0]
    count = trace.n_heads if of_heads else len(positions)
    found = np.zeros((trace.n_layers, count), np.float32)
    for layer in range(trace.n_layers):
        for indices in batches(count, trace.n_tokens):
            reporter.check()
            tap = _Patched(point, layer, indices, capture.tensors[point, layer], positions)
            outcomes = target.of([trace.tokens] * len(indices), tap)
            found[layer, indices.start : indices.stop] = outcomes - whole
        reporter.progress((layer + 1) / trace.n_layers)
    tokens = Axis("token", tuple(trace.tokens.pieces[own] for own, _ in positions))
    columns = counted("head", count) if of_heads else tokens
    return OutcomeMap(
        {"values": found},
        {"values": (counted("layer", trace.n_layers), columns)},
        {"outcome": float(whole)},
        positions=() if of_heads else tuple(own for own, _ in positions),
    )
