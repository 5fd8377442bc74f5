"""Parts of run B put into run A, and values set to zero: how an outcome or a layer's output changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import numpy as np

from bertviz_app.analysis.compare import GAP
from bertviz_app.analysis.entry import Inputs, Needs, analysis, has_put_states
from bertviz_app.analysis.parameters import Choice, NoParameters, Reporter, reported
from bertviz_app.analysis.picture import Axis, counted
from bertviz_app.analysis.probing.passes import batches
from bertviz_app.analysis.probing.targets import Target, TargetParameters, same_heads
from bertviz_app.analysis.results import OutcomeMap, TokenMatrices
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Point
from bertviz_app.types import Doubles
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from torch import Tensor


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
            tap = _Patched(point, layer, indices, capture.tensors[point, layer], positions)
            found[layer, indices.start : indices.stop] = target.of([trace.tokens] * len(indices), tap) - whole
    tokens = Axis("token", tuple(trace.tokens.pieces[own] for own, _ in positions))
    columns = counted("head", count) if of_heads else tokens
    return OutcomeMap(
        {"values": found},
        {"values": (counted("layer", trace.n_layers), columns)},
        {"outcome": float(whole), **target.of_second(dict(positions)), "noise": target.noise},
        positions=() if of_heads else tuple(own for own, _ in positions),
        sources=() if of_heads else tuple(other for _, other in positions),
    )


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
                variants, tap = given.expand(len(zeroed), -1, -1), _Zeroed(zeroed.start)
                without = model.layer_output(trace, layer, variants, tap).cpu().double().numpy()  # [n, T, D]
                lengths = np.linalg.norm(without, axis=-1) * np.linalg.norm(whole, axis=-1)  # [n, T]
                cosines = (without * whole).sum(-1) / np.maximum(lengths, _SMALLEST)
                turned[:, zeroed.start : zeroed.stop] = np.maximum(1 - cosines, 0).T
            sums = turned.sum(-1, keepdims=True)
            below = np.divide(turned, sums, out=np.eye(n_tokens), where=sums > _SMALLEST) @ below
            yield below

    return TokenMatrices.by_layer(trace, layers(), reporter)
