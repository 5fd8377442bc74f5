"""How analyses run the model again: variants, gradients, a whole layer; and the outcome they explain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Annotated, Literal, cast, get_args

import numpy as np

from bertviz_app.analysis.class_labels import ClassLabels
from bertviz_app.analysis.entry import Inputs, ModelAccess, ModelOutput, Needs, Refusal, analysis
from bertviz_app.analysis.parameters import Choice, Index, Reporter
from bertviz_app.analysis.picture import Axis, counted
from bertviz_app.analysis.predictions import class_names
from bertviz_app.analysis.results import NamedArrays
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.text import Tokens
from bertviz_app.text.tokens import token_at
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Point, Tap
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.types import Doubles, Floats, Indices, Tensor
from bertviz_app.values import dataclass, fields

TOKENS_AT_ONCE = 1024
"""So many tokens are in one forward pass, those of several variants together."""


def batches(n_variants: int, n_tokens: int, at_once: int = TOKENS_AT_ONCE) -> Iterator[range]:
    """Yield the ranges of `n_variants` texts, of `n_tokens` each, that are encoded in one pass."""
    size = max(1, at_once // n_tokens)
    for first in range(0, n_variants, size):
        yield range(first, min(n_variants, first + size))


class Leaf:
    """A tap that makes the tensor at a point a leaf, with respect to which gradients can be computed.

    `values` take the place of the tensor, if they are given.
    """

    leaf: Tensor
    """The leaf, after a pass; at a point that each layer has, that of the last layer.

    Its shape is that of the point, see `trace.form.Point`.
    """

    def __init__(self, point: Point, values: Tensor | None = None) -> None:
        self._point, self._values = point, values

    def wants(self, point: Point, layer: int) -> bool:
        """Return whether it is the point."""
        return point is self._point

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        given = tensor if self._values is None else self._values.to(tensor)
        self.leaf = given.detach().clone().requires_grad_()
        return self.leaf


def worst(*differences: float) -> float:
    """Return the largest of some differences, for an `identity_error`; nan if one of them is nan.

    Python's `max` passes over a nan that is not its first argument.
    """
    return float(np.max(differences))


refuse_without_masked_head = Refusal(
    lambda form, task_heads: "masked" not in task_heads,
    Message("This checkpoint does not predict masked tokens."),
    Message("Open one with a head for masked tokens."),
    "task head",
)


def predicted_token(inputs: Inputs, position: int | None) -> int | None:
    """Return a position that is given, else that of the first masked token; None where no token is masked.

    Raises SelectionError for a token that the text does not have.
    """
    if position is not None:
        return token_at(inputs.trace.tokens, position)
    masked = np.flatnonzero(inputs.trace.tokens.ids == inputs.opened.mask_id)
    return int(masked[0]) if len(masked) else None


def predicted_tokens(inputs: Inputs, positions: Sequence[int] | None) -> list[int]:
    """Return the positions that are given, else that of the first masked token, if any, as a list.

    Raises SelectionError for a token that the text does not have.
    """
    if positions is None:
        first = predicted_token(inputs, None)
        return [] if first is None else [first]
    return [token_at(inputs.trace.tokens, position) for position in dict.fromkeys(positions)]


@dataclass(frozen=True)
class LayerParameters:
    """`layer`: which one, from 0."""

    layer: Annotated[int, Index("layer"), Message("Layer")] = 0


@analysis(
    key="layer-details",
    place=("layers", 9),
    title=Message("Stages of one layer"),
    summary=Message("Every array that a layer computes on its way from its input to its output."),
    limits=Message("It shows what is computed, not what it contributes to a prediction."),
    paper="Vaswani et al. 2017, arXiv:1706.03762, section 3; Devlin et al. 2019, arXiv:1810.04805, section 3",
    needs=Needs.MODEL,
)
def layer_stages(inputs: Inputs, parameters: LayerParameters, reporter: Reporter) -> NamedArrays:
    """Return the arrays of `trace.details.LayerDetails` by their names, such as "output" [T, D].

    `identity_error` is how far its output is from the next hidden state of the trace.
    """
    trace, layer = inputs.trace, parameters.layer
    details = inputs.opened.layer_details(trace, layer)
    reporter.progress(1)
    values = ((field.name, getattr(details, field.name)) for field in fields(LayerDetails))
    named = {name: value for name, value in values if isinstance(value, np.ndarray)}
    return NamedArrays(
        named,
        {name: _axes(name, array.shape, trace) for name, array in named.items()},
        {"layer": layer, "activation": details.activation},
        float(np.abs(details.output - trace.hidden[layer + 1]).max()),
        main="output",
    )


def _axes(name: str, shape: tuple[int, ...], trace: Trace) -> tuple[Axis, ...]:
    """Return the axes of an array: [H, T, E] of heads, [parts, T, N], [T, ...], or [D] of the pooler."""
    tokens, numbers = Axis("token", trace.tokens.pieces), counted("dimension", shape[-1])
    if len(shape) == 3:
        return counted("head" if name == "mixed" else "part", shape[0]), tokens, numbers
    return (numbers,) if len(shape) == 1 else (tokens, numbers)


Kind = Literal["sentence", "pooled", "cosine", "masked", "class", "next-sentence"]
"""The outcomes that may be explained; every model has the first one."""

Pooling = Literal["declared", "all", "content", "first"]
"""How the tokens' vectors become one: as the checkpoint declares it (the mean, where it declares nothing),
the mean over all tokens, the mean without special tokens, the first token's."""

POOLINGS: tuple[Pooling, ...] = get_args(Pooling)

Layers = Literal["last", "last four"]
"""Which layers' vectors are pooled: those of the last one, or the sums of those of the last four (of all,
where a model has fewer), as in Devlin et al. 2019, section 5.3."""

N_LAST = 4
_UNITS = 32


@dataclass(frozen=True)
class TargetParameters:
    """`target`: which outcome is explained; the others say more of it.

    "sentence" and "pooled": the length of the sentence vector, or the pooled vector, along the direction that
    it has in the run; "cosine": the cosine of the sentence vectors of runs A and B; "masked": the logit of a
    piece at a position, "class": the logit of a class; "next-sentence": the logit for "follows" less the
    other.

    `position`: of "masked", one or several, whose logits are added; None: the first masked token. `answer` is
    a piece, or a class by name or number, see `ClassLabels`; None: the likeliest one. `against`: another
    piece or class, whose logit is taken off: the outcome is then the difference of the two, and what raises
    both alike does not count (Yin & Neubig 2022, arXiv:2202.10419). `pooling` and `layers`: what "sentence"
    and "cosine" are made of.
    """

    target: Annotated[str, Choice(get_args(Kind)), Message("Outcome to explain")] = "sentence"
    position: Annotated[tuple[int, ...] | None, Index("token"), Message("Positions of predicted tokens")] = (
        None
    )
    answer: Annotated[str | None, Message("Piece or class; empty: the likeliest")] = None
    against: Annotated[str | None, Message("Less that of this piece or class; empty: none")] = None
    pooling: Annotated[str, Choice(POOLINGS), Message("Sentence vector made of")] = "declared"
    layers: Annotated[str, Choice(get_args(Layers)), Message("Layers of the sentence vector")] = "last"


def compares_runs(parameters: TargetParameters) -> bool:
    """Return whether the outcome is one of two runs."""
    return parameters.target == "cosine"


class Target:
    """One outcome of forward passes of the same text, with some of its tokens or vectors changed.

    `model` is what those passes must run: it returns what the outcome is computed from.
    """

    def __init__(self, inputs: Inputs, parameters: TargetParameters) -> None:
        self._inputs, self.trace = inputs, inputs.trace
        self._kind, self._pooling = cast("Kind", parameters.target), parameters.pooling
        self._sums_layers = self._kind in ("sentence", "cosine") and parameters.layers == "last four"
        self.model = inputs.opened.returning_states(N_LAST) if self._sums_layers else inputs.opened
        self._shares: Doubles | None = None
        self._direction: Doubles | None = None
        self._positions: list[int] = []
        self._answers: list[int] = []  # of each position, or of the class
        self._against: int | None = None
        self._size = 1.0
        if self._kind in ("sentence", "pooled", "cosine"):
            self._choose_vector(parameters)
        else:
            self._choose_logit(parameters)

    @property
    def noise(self) -> float:
        """The size below which a difference of two outcomes may be rounding alone.

        That is 32 times the spacing of float32, of the numbers that the outcome is computed from: about
        twice what passes of different sizes were seen to differ by.
        """
        return _UNITS * float(np.finfo(np.float32).eps) * self._size

    def values(self, output: ModelOutput, *, grad: bool = False) -> Tensor:
        """Return the outcome [B] of each of B inputs of the trace's length."""
        import torch

        if self._direction is not None:
            vectors = self._vectors(output)
            direction = torch.from_numpy(self._direction).to(vectors)
            if self._kind == "cosine":
                return torch.nn.functional.cosine_similarity(vectors, direction[None], dim=-1, eps=1e-12)
            return vectors @ direction
        logits = self.model.task_logits(output.hidden, output.seen, self._positions, grad=grad)
        if self._kind == "next-sentence":
            assert logits.next_sentence is not None
            return logits.next_sentence[:, 0] - logits.next_sentence[:, 1]
        found = logits.masked if self._kind == "masked" else logits.classes
        assert found is not None
        rows = found if self._kind == "masked" else found[:, None]  # [B, N, answers]
        values = rows[:, range(len(self._answers)), self._answers]
        if self._against is not None:
            values = values - rows[:, :, self._against]
        return values.sum(-1)

    def of(self, inputs: Sequence[Tokens], tap: Tap | None = None) -> Doubles:
        """Return the outcome [B] of inputs of the trace's length, in one forward pass without gradients."""
        return self.values(self.model.forward(inputs, tap)).detach().cpu().double().numpy()

    def of_second(self, positions: Mapping[int, int]) -> dict[str, float]:
        """Return the outcome of run B as the fact "outcome_b", nothing where B lacks a predicted token.

        `positions`: of the aligned tokens of run A in run B. A vector of B is measured along the direction of
        A's, a piece or a class is the one that is chosen for A.
        """
        if not {*self._positions} <= {*positions}:
            return {}
        second, trace = copy(self), same_model(self.trace, self._inputs.second)
        second.model = self.model.without_states()
        second._positions = [positions[each] for each in self._positions]  # noqa: SLF001 - a Target, too
        if self._shares is not None:
            second._shares = _shares(self.model, trace, self._pooling)  # noqa: SLF001
        return {"outcome_b": float(second.of([trace.tokens])[0])}

    def rows(self, reporter: Reporter) -> Indices:
        """Return the tokens [N] whose last vectors the outcome depends on; all where it depends on none."""
        import torch

        last = Leaf(Point.OUTPUT)
        reporter.check()
        output = self.model.forward([self.trace.tokens], last, grad=True)
        (gradient,) = torch.autograd.grad(self.values(output, grad=True).sum(), last.leaf)
        depends = gradient[0].abs().sum(-1).cpu().numpy() > 0
        return np.flatnonzero(depends) if depends.any() else np.arange(self.trace.n_tokens)

    def _vectors(self, output: ModelOutput) -> Tensor:
        """Return the vectors [B, D] that stand for the texts."""
        import torch

        if self._kind == "pooled":
            assert output.pooled is not None
            return output.pooled
        hidden = output.hidden
        if self._sums_layers:
            if not output.states:
                raise ValueError("the outcome is of several layers: run `Target.model`")
            hidden = sum(output.states[-N_LAST:-1], hidden)
        return torch.einsum("t,btd->bd", torch.from_numpy(self._shares).to(hidden), hidden)

    def _choose_vector(self, parameters: TargetParameters) -> None:
        """Choose the direction in which the vector is measured, and the tokens that it is made of."""
        vector: Doubles
        if self._kind == "pooled":
            if self.trace.pooled is None:
                raise _missing(Message("This checkpoint has no pooler."))
            vector = self.trace.pooled.astype(np.float64)
        else:
            self._shares = _shares(self.model, self.trace, parameters.pooling)
            inputs = self._inputs
            run = self.trace if self._kind == "sentence" else same_model(inputs.trace, inputs.second)
            first = run.n_layers if parameters.layers == "last" else max(1, run.n_layers + 1 - N_LAST)
            states: Doubles = run.hidden[first:].sum(0, dtype=np.float64)  # [T, D]
            vector = _shares(self.model, run, parameters.pooling) @ states
        length = max(float(np.linalg.norm(vector)), 1e-12)
        self._direction, self._size = vector / length, 1.0 if self._kind == "cosine" else length

    def _choose_logit(self, parameters: TargetParameters) -> None:
        logits = self.model.logits(self.trace, ())
        if self._kind == "next-sentence":
            if logits.next_sentence is None:
                raise _missing(Message("This checkpoint does not predict the next sentence."))
            self._size = _size_of(logits.next_sentence, 2)
            return
        if self._kind == "class":
            if logits.classes is None:
                raise _missing(Message("This checkpoint has no classes."))
            labels = self.model.meaning.labels
            self._answers = [class_number(parameters.answer, logits.classes, labels)]
            self._size = _size_of(logits.classes, 1 + (parameters.against is not None))
            if parameters.against is not None:
                self._against = class_number(parameters.against, logits.classes, labels)
            return
        if "masked" not in self.model.task_heads:
            raise _missing(Message("This checkpoint does not predict masked tokens."))
        self._positions = predicted_tokens(self._inputs, parameters.position)
        if not self._positions:
            message = Message("No token of this text is masked.")
            raise AnalysisError(message, Message("Mask one, or give the position of a token."))
        likeliest = self.model.logits(self.trace, self._positions).masked
        assert likeliest is not None
        chosen, n_logits = parameters.answer, 1 + (parameters.against is not None)
        self._size = _size_of(likeliest, n_logits * len(self._positions))
        self._answers = (
            likeliest.argmax(-1).tolist()
            if chosen is None
            else [self.model.piece_id(chosen)] * len(self._positions)
        )
        if parameters.against is not None:
            self._against = self.model.piece_id(parameters.against)


def _size_of(logits: Floats, n_logits: int) -> float:
    """Return the size of the numbers that `n_logits` logits are sums of: of small ones, too, 1 or more."""
    return n_logits * max(1.0, float(np.abs(logits).max()))


def _shares(model: ModelAccess, trace: Trace, pooling: str) -> Doubles:
    """Return the shares [T] with which the vector of a text adds up those of its tokens."""
    if pooling == "declared":
        return model.pooling_shares(trace)
    chosen = np.ones(trace.n_tokens)
    if pooling == "first":
        chosen[1:] = 0
    elif pooling == "content":
        chosen[trace.tokens.is_special] = 0
    if not chosen.any():
        message = Message("This text has special tokens only.")
        raise AnalysisError(message, Message("Write a word, or choose the mean over all tokens."))
    found: Doubles = chosen / chosen.sum()
    return found


def vector_of(model: ModelAccess, trace: Trace) -> Doubles:
    """Return the sentence vector [D] of a trace before it is divided by its length."""
    found: Doubles = model.pooling_shares(trace) @ trace.hidden[-1].astype(np.float64)
    return found


def same_model(trace: Trace, other: Trace) -> Trace:
    """Return `other`. Raises AnalysisError if another checkpoint made it than made `trace`."""
    if trace.fingerprint != other.fingerprint or trace.hidden.shape[::2] != other.hidden.shape[::2]:
        message = Message("Runs A and B are of different checkpoints, whose vectors cannot be compared.")
        raise AnalysisError(message, Message("Open the same checkpoint in both."))
    return other


def same_heads(trace: Trace, other: Trace) -> Trace:
    """Return `other`, whose text is to go through the model of `trace`, with its interventions on heads.

    Raises AnalysisError where it has others, since the numbers would not be those of run B.
    """
    same_model(trace, other)
    if (trace.muted, trace.heads, trace.cells) != (other.muted, other.heads, other.cells):
        message = Message("Runs A and B have different interventions on heads.")
        raise AnalysisError(message, Message("Make the same in both."))
    return other


def class_number(answer: str | None, logits: Floats, labels: tuple[str, ...]) -> int:
    """Return the number of a class that is given as `ClassLabels` says; None: the largest of `logits` [N]."""
    if answer is None:
        return int(logits.argmax())
    if (number := ClassLabels(class_names(labels, len(logits))).known.get(answer.casefold())) is not None:
        return number
    message = Message("The checkpoint has no class “{0}”.", answer)
    listed = ", ".join(labels or map(str, range(len(logits))))
    raise AnalysisError(message, Message("There are: {0}.", listed))


def _missing(message: Message) -> AnalysisError:
    return AnalysisError(message, Message("Choose another outcome."))
