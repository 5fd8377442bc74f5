"""What one head does to the outcome along a chosen path alone, by run B."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import numpy as np

from bertviz_app.analysis.entry import Inputs, Needs, analysis
from bertviz_app.analysis.parameters import Choice, Index, Reporter
from bertviz_app.analysis.picture import counted
from bertviz_app.analysis.probing.passes import batches
from bertviz_app.analysis.probing.targets import Target, TargetParameters, same_heads
from bertviz_app.analysis.results import OutcomeMap
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.features.methods.decomposition.decompx import refuse_whole_layers
from bertviz_app.features.methods.interventions import aligned_tokens, refuse_put_states
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Point
from bertviz_app.types import Doubles
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from torch import Tensor

    from bertviz_app.analysis.model_access import ModelAccess

Head = tuple[int, int]

_POINTS: Mapping[str, tuple[Point, ...]] = {
    "queries": (Point.QUERIES,),
    "keys": (Point.KEYS,),
    "values": (Point.VALUES,),
    "inputs": (Point.QUERIES, Point.KEYS, Point.VALUES),
}


@dataclass(frozen=True)
class PathParameters(TargetParameters):
    """`end`: where the path ends: at the outcome, or at what receiver heads read, one of the three or all.

    `receivers`: layer and head of each receiver, one after the other.

    `feed_forward`: whether the feed-forward parts on the way belong to the path ("computed", as in Wang et
    al.), or have the outputs of run A ("frozen").
    """

    end: Annotated[str, Choice(("outcome", *_POINTS)), Message("The path ends at")] = "outcome"
    receivers: Annotated[tuple[int, ...], Index("head", in_pairs=True), Message("Receivers, as 4.2,5.0")] = ()
    feed_forward: Annotated[str, Choice(("computed", "frozen")), Message("Feed-forward parts on the way")] = (
        "computed"
    )


@analysis(
    key="path-patching",
    place=("circuits", 4),
    title=Message("Path patching"),
    summary=Message(
        "How the chosen outcome changes when one head of run B acts on run A along one path alone: directly, "
        "or through what other heads read."
    ),
    limits=Message(
        "Norms on the way are computed anew, so that paths do not add up exactly; a path that matters says "
        "nothing of those that were not tried."
    ),
    paper="Wang et al. 2022, arXiv:2211.00593, section 3.1; Goldowsky-Dill et al. 2023, arXiv:2304.05969",
    needs=Needs.MODEL | Needs.SECOND_RUN,
    refuses=refuse_whole_layers,
)
def path_patching(inputs: Inputs, parameters: PathParameters, reporter: Reporter) -> OutcomeMap:
    """Return the outcome of run A with one head's output of run B on one path, less that of run A.

    The sender has its output of run B at the aligned tokens. All other heads, of all layers, have their
    outputs of run A ("frozen"), and so have the feed-forward parts where these are frozen; sums, norms, the
    pooler and the task head are computed, and feed-forward parts where they are "computed". With `end`
    "outcome" the outcome is read there: the sender's direct path. Else the queries, keys or values that the
    `receivers` compute in that pass, or all three ("inputs"), are put into a second pass of run A, in which
    everything else is computed: the path from the sender to the receivers directly, and from there by all
    ways.

    "values" [L, H]: one sender after the other; nan for one that is in no earlier layer than any receiver.
    The fact "outcome" is that of run A, "outcome_b" that of run B. `identity_error`: how far the outcome is
    off with all heads frozen and no sender, which is that of run A.

    Raises AnalysisError for runs of different checkpoints or interventions, without a token in common, or for
    receivers that are no pairs or missing, and SelectionError for a head that there is not.

    Of the senders of the last layer, feed-forward parts computed, it is activation patching.
    """
    other = same_heads(inputs.trace, inputs.second)
    refuse_put_states(other)
    receivers = _receivers(inputs.trace, parameters)
    paths = _Paths(inputs, parameters, other, receivers)
    trace = inputs.trace
    whole = paths.target.of([trace.tokens])[0]
    reporter.check()
    error = abs(float(paths.direct(0, range(0))[0] - whole))
    found = np.full((trace.n_layers, trace.n_heads), np.nan, np.float32)
    for layer in range(trace.n_layers if not receivers else max(at for at, _ in receivers)):
        for heads in batches(trace.n_heads, trace.n_tokens):
            reporter.check()
            outcomes = paths.through(layer, heads) if receivers else paths.direct(layer, heads)
            found[layer, heads.start : heads.stop] = outcomes - whole
        reporter.progress((layer + 1) / trace.n_layers)
    reporter.progress(1)
    return OutcomeMap(
        {"values": found},
        {"values": (counted("layer", trace.n_layers), counted("head", trace.n_heads))},
        {
            "outcome": float(whole),
            **paths.target.of_second(dict(aligned_tokens(inputs))),
            "noise": paths.target.noise,
        },
        identity_error=error,
    )


def _receivers(trace: Trace, parameters: PathParameters) -> tuple[Head, ...]:
    """Return the receivers of a path, none where it ends at the outcome. Raises AnalysisError."""
    if parameters.end == "outcome":
        return ()
    numbers = parameters.receivers
    if not numbers or len(numbers) % 2:
        raise AnalysisError(
            Message("A path to what heads read needs receivers: a layer and a head for each."),
            Message("Give them as “4.2,5.0”: head 2 of layer 4 and head 0 of layer 5."),
        )
    found = tuple(zip(numbers[::2], numbers[1::2], strict=True))
    for layer, head in found:
        trace.scores(layer, head, slice(0, 1), slice(0, 1))  # raises SelectionError
    return found


class _Paths:
    """Runs A and B, and the passes along one path."""

    def __init__(
        self, inputs: Inputs, parameters: PathParameters, other: Trace, receivers: Sequence[Head]
    ) -> None:
        self.target = Target(inputs, parameters)
        self._model: ModelAccess = inputs.opened
        self._tokens: Tokens = inputs.trace.tokens
        self._positions = aligned_tokens(inputs)
        self._receivers, self._read = tuple(receivers), _POINTS.get(parameters.end, ())
        points = {Point.MIXED, Point.CONTRACTED} if parameters.feed_forward == "frozen" else {Point.MIXED}
        own, others = Capture(points), Capture({Point.MIXED})
        self._model.forward([self._tokens], own)
        self._model.without_states().forward([other.tokens], others)
        self._own, self._others = own.tensors, others.tensors

    def direct(self, layer: int, heads: range) -> Doubles:
        """Return the outcomes [B] of the direct paths of some heads; of no head that of run A, [1]."""
        tap = _Frozen(self._own, self._others, layer, heads, self._positions)
        return self.target.of([self._tokens] * max(1, len(heads)), tap)

    def through(self, layer: int, heads: range) -> Doubles:
        """Return the outcomes [B] of the paths of some heads through what the receivers read."""
        tap = _Frozen(self._own, self._others, layer, heads, self._positions, self._read)
        self._model.forward([self._tokens] * len(heads), tap)
        above = [one for one in self._receivers if one[0] > layer]
        return self.target.of([self._tokens] * len(heads), _Received(self._read, above, tap.read))


class _Frozen:
    """A tap that gives every head its output of run A, and in input b head `heads`[b] of a layer that of B.

    `own` are the tensors of run A by point and layer, all of which are put in; `others` those of run B.
    `positions`: the aligned ones, in this run and in B. The tensors at `points` are kept in `read`.
    """

    def __init__(
        self,
        own: dict[tuple[Point, int], Tensor],
        others: dict[tuple[Point, int], Tensor],
        layer: int,
        heads: range,
        positions: list[tuple[int, int]],
        points: tuple[Point, ...] = (),
    ) -> None:
        self._own, self._others, self._layer, self._heads = own, others, layer, heads
        self._to, self._from = ([pair[side] for pair in positions] for side in (0, 1))
        self._points = points
        self.read: dict[tuple[Point, int], Tensor] = {}

    def wants(self, point: Point, layer: int) -> bool:
        return point in self._points or (point, layer) in self._own

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        if point in self._points:
            self.read[point, layer] = tensor
            return tensor
        found = self._own[point, layer].expand_as(tensor)
        if point is Point.MIXED and layer == self._layer:
            found = found.clone()
            for at, head in enumerate(self._heads):
                found[at, head, self._to] = self._others[point, layer][0, head, self._from]
        return found


class _Received:
    """A tap that gives some heads queries, keys or values [B, H, T, E] that were computed in another pass."""

    def __init__(
        self, points: tuple[Point, ...], heads: list[Head], values: dict[tuple[Point, int], Tensor]
    ) -> None:
        self._points, self._heads, self._values = points, heads, values

    def wants(self, point: Point, layer: int) -> bool:
        return point in self._points and any(at == layer for at, _ in self._heads)

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        found = tensor.clone()
        for at, head in self._heads:
            if at == layer:
                found[:, head] = self._values[point, layer][:, head]
        return found
