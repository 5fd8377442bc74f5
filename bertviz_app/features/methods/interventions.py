"""Parts and paths of run B put into run A, and values set to zero: what changes by that."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated

import numpy as np

from bertviz_app.analysis.compare import GAP
from bertviz_app.analysis.entry import Inputs, ModelAccess, Needs, analysis, has_put_states
from bertviz_app.analysis.parameters import Choice, Index, NoParameters, Reporter, reported
from bertviz_app.analysis.picture import Axis, counted
from bertviz_app.analysis.probing.blocks import refuse_whole_layers
from bertviz_app.analysis.probing.passes import Target, TargetParameters, batches, same_heads
from bertviz_app.analysis.results import OutcomeMap, TokenMatrices
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Point, Tap, TapAt
from bertviz_app.types import Doubles, Tensor
from bertviz_app.values import dataclass


@dataclass(frozen=True)
class PatchingParameters(TargetParameters):
    """`part`: "heads" puts in one head's output at all tokens, "hidden" one layer's output at one token."""

    part: Annotated[str, Choice(("heads", "hidden")), Message("Put in from run B")] = "heads"


def aligned_tokens(inputs: Inputs) -> list[tuple[int, int]]:
    """Return the positions in runs A and B of the tokens that both have. Raises AnalysisError for none."""
    positions = [(int(a), int(b)) for a, b in inputs.alignment.positions.tolist() if GAP not in (a, b)]
    if not positions:
        raise AnalysisError(
            Message("The two texts have no token in common."), Message("Change one word only.")
        )
    return positions


def _patched(
    point: Point, layer: int, indices: range, values: Tensor, positions: list[tuple[int, int]]
) -> Tap:
    """Return a tap that puts vectors of run B into input b: of one head at all aligned tokens, or of one.

    `values` are those of run B at `point`, [1, H, T, E] of heads or [1, T, D]; `positions` the aligned ones,
    in this run and in B; `indices`: the head, or the pair of `positions`, that each input is about.
    """

    def with_others(_: Point, __: int, tensor: Tensor) -> Tensor:
        found = tensor.clone()
        for at, index in enumerate(indices):
            if point is Point.MIXED:
                own, others = ([pair[side] for pair in positions] for side in (0, 1))
                found[at, index, own] = values[0, index, others]
            else:
                own_token, other_token = positions[index]
                found[at, own_token] = values[0, other_token]
        return found

    return TapAt({point}, with_others, {layer})


def refuse_put_states(other: Trace) -> None:
    """Raise AnalysisError where run B has a state that its own text does not give."""
    if other.states:
        raise has_put_states()


@analysis(
    key="patching",
    place=("two runs", 6),
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

    Tokens are aligned; those that only one of the runs has are left as they are. States that an intervention
    puts into run A stay in it.

    "values" [L, H] for heads, or [L, N] for the N aligned tokens: the outcome less that of run A, which is
    the fact "outcome"; that of run B is "outcome_b".

    Raises AnalysisError for runs of different checkpoints or muted heads, without any token in common, or
    where run B has a state of another text.
    """
    trace, other, model = inputs.trace, same_heads(inputs.trace, inputs.second), inputs.opened
    refuse_put_states(other)
    target = Target(inputs, parameters)
    positions = aligned_tokens(inputs)
    of_heads = parameters.part == "heads"
    point = Point.MIXED if of_heads else Point.OUTPUT
    capture = Capture({point})
    reporter.check()
    model.without_states().forward([other.tokens], capture)
    whole = target.of([trace.tokens])[0]
    count = trace.n_heads if of_heads else len(positions)
    found = np.zeros((trace.n_layers, count), np.float32)
    for layer in reported(range(trace.n_layers), reporter):
        for indices in batches(count, trace.n_tokens):
            reporter.check()
            tap = _patched(point, layer, indices, capture.tensors[point, layer], positions)
            found[layer, indices.start : indices.stop] = target.of([trace.tokens] * len(indices), tap) - whole
    tokens = Axis("token", tuple(trace.tokens.pieces[own] for own, _ in positions))
    return OutcomeMap(
        {"values": found},
        {"values": (counted("layer", trace.n_layers), counted("head", count) if of_heads else tokens)},
        {"outcome": float(whole), **target.of_second(dict(positions)), "noise": target.noise},
        positions=() if of_heads else tuple(own for own, _ in positions),
        sources=() if of_heads else tuple(other for _, other in positions),
    )


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
        return self.target.of([self._tokens] * len(heads), _received(self._read, above, tap.read))


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


def _received(points: tuple[Point, ...], heads: list[Head], values: dict[tuple[Point, int], Tensor]) -> Tap:
    """Return a tap that gives some heads queries, keys or values [B, H, T, E] of another pass."""

    def with_received(point: Point, layer: int, tensor: Tensor) -> Tensor:
        found = tensor.clone()
        for at, head in heads:
            if at == layer:
                found[:, head] = values[point, layer][:, head]
        return found

    return TapAt(points, with_received, {at for at, _ in heads})


_SMALLEST = 1e-12


MAX_TOKENS = 1024
"""For a longer text it takes hours: each layer is run once for each token."""


def _zeroed(first: int) -> Tap:
    """Return a tap that sets the values of token `first` + b to zero in input b, in all heads."""

    def without_token(point: Point, layer: int, tensor: Tensor) -> Tensor:
        found = tensor.clone()  # [B, H, T, E]
        for at in range(len(found)):
            found[at, :, first + at] = 0
        return found

    return TapAt({Point.VALUES, Point.GLOBAL_VALUES}, without_token)


def _refuse_long(trace: Trace) -> AnalysisError | None:
    if trace.n_tokens <= MAX_TOKENS:
        return None
    message = Message(
        "Value zeroing is computed of up to {0} tokens; this text has {1}.", MAX_TOKENS, trace.n_tokens
    )
    return AnalysisError(message, Message("Write a shorter text."))


@analysis(
    key="value-zeroing",
    place=("layers", 8),
    title=Message("Value zeroing"),
    summary=Message(
        "How much of each input token reaches a token of a layer, by how far vectors turn when a token "
        "passes on nothing."
    ),
    limits=Message("A vector that turns need not change what the model predicts."),
    paper="Mohebbi et al. 2023, arXiv:2301.12971, section 3",
    needs=Needs.MODEL | Needs.OWN_STATES,
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
    import torch

    trace, model, n_tokens = inputs.trace, inputs.opened, inputs.trace.n_tokens

    def layers() -> Iterator[Doubles]:
        below: Doubles = np.eye(n_tokens)
        for layer in range(trace.n_layers):
            given = torch.from_numpy(trace.hidden[layer].copy()).to(model.token_embeddings.device)
            whole = model.layer_output(trace, layer, given[None])[0].cpu().double().numpy()  # [T, D]
            turned = np.empty((n_tokens, n_tokens))
            for zeroed in batches(n_tokens, n_tokens):
                reporter.check()
                variants, tap = given.expand(len(zeroed), -1, -1), _zeroed(zeroed.start)
                without = model.layer_output(trace, layer, variants, tap).cpu().double().numpy()  # [n, T, D]
                lengths = np.linalg.norm(without, axis=-1) * np.linalg.norm(whole, axis=-1)  # [n, T]
                cosines = (without * whole).sum(-1) / np.maximum(lengths, _SMALLEST)
                turned[:, zeroed.start : zeroed.stop] = np.maximum(1 - cosines, 0).T
            sums = turned.sum(-1, keepdims=True)
            below = np.divide(turned, sums, out=np.eye(n_tokens), where=sums > _SMALLEST) @ below
            yield below

    return TokenMatrices.by_layer(trace, layers(), reporter)
