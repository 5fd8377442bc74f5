"""The outcome that an attribution explains: one number of a forward pass, chosen by the user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Literal, cast, get_args

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.parameters import Choice, Index
from bertviz_app.analysis.probing.masked_tokens import predicted_token
from bertviz_app.analysis.probing.passes import Leaf
from bertviz_app.analysis.reporter import Reporter
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Point, Tap
from bertviz_app.types import Doubles, Floats

if TYPE_CHECKING:
    from torch import Tensor

    from bertviz_app.analysis.model_access import ModelAccess, ModelOutput

Kind = Literal["sentence", "pooled", "cosine", "masked", "class", "next-sentence"]
"""The outcomes that may be explained; every model has the first one."""

TARGET_KINDS: tuple[Kind, ...] = get_args(Kind)


@dataclass(frozen=True)
class TargetParameters:
    """`target`: which outcome is explained; `position` and `answer` say more of "masked" and "class".

    "sentence" and "pooled": the length of the sentence vector, or the pooled vector, along the direction that
    it has in the run; "cosine": the cosine of the sentence vectors of runs A and B; "masked": the logit of a
    piece at a position; "class": the logit of a class; "next-sentence": the logit for "follows" less the
    other. `position` None: the first masked token. `answer` is a piece, or the name or number of a class;
    empty: the likeliest one.
    """

    target: Annotated[str, Choice(TARGET_KINDS), Message("Outcome to explain")] = "sentence"
    position: Annotated[int | None, Index("token"), Message("Position of the predicted token")] = None
    answer: Annotated[str | None, Message("Piece or class; empty: the likeliest")] = None


def compares_runs(parameters: TargetParameters) -> bool:
    """Return whether the outcome is one of two runs."""
    return parameters.target == "cosine"


class Target:
    """One outcome of forward passes of the same text, with some of its tokens or vectors changed."""

    def __init__(self, inputs: Inputs, parameters: TargetParameters) -> None:
        self._inputs, self.trace, self.model = inputs, inputs.trace, inputs.opened
        self._kind = cast("Kind", parameters.target)
        self._shares: Doubles | None = None
        self._direction: Doubles | None = None
        self._position, self._answer = 0, 0
        if self._kind in ("sentence", "pooled", "cosine"):
            self._choose_vector(inputs)
        else:
            self._choose_logit(parameters)

    def values(self, output: ModelOutput, *, grad: bool = False) -> Tensor:
        """Return the outcome [B] of each of B inputs of the trace's length."""
        import torch

        if self._direction is not None:
            vectors = self._vectors(output)
            direction = torch.from_numpy(self._direction).to(vectors)
            if self._kind == "cosine":
                return torch.nn.functional.cosine_similarity(vectors, direction[None], dim=-1, eps=1e-12)
            return vectors @ direction
        positions = [self._position] if self._kind == "masked" else []
        logits = self.model.task_logits(output.hidden, output.seen, positions, grad=grad)
        if self._kind == "next-sentence":
            assert logits.next_sentence is not None
            return logits.next_sentence[:, 0] - logits.next_sentence[:, 1]
        found = logits.masked[:, 0] if logits.masked is not None and positions else logits.classes
        assert found is not None
        return found[:, self._answer]

    def of(self, inputs: Sequence[Tokens], tap: Tap | None = None) -> Doubles:
        """Return the outcome [B] of inputs of the trace's length, in one forward pass without gradients."""
        values: Doubles = self.values(self.model.forward(inputs, tap)).detach().cpu().double().numpy()
        return values

    def rows(self, reporter: Reporter) -> NDArray[np.intp]:
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
        shares = torch.from_numpy(self._shares).to(output.hidden)
        return torch.einsum("t,btd->bd", shares, output.hidden)

    def _choose_vector(self, inputs: Inputs) -> None:
        """Choose the direction in which the vector is measured, and the tokens that it is made of."""
        vector: Doubles
        if self._kind == "pooled":
            if self.trace.pooled is None:
                raise _missing(Message("This checkpoint has no pooler."))
            vector = self.trace.pooled.astype(np.float64)
        else:
            self._shares = self.model.pooling_shares(self.trace)
            is_own = self._kind == "sentence"
            vector = vector_of(self.model, self.trace if is_own else same_model(inputs.trace, inputs.second))
        self._direction = vector / max(float(np.linalg.norm(vector)), 1e-12)

    def _choose_logit(self, parameters: TargetParameters) -> None:
        logits = self.model.logits(self.trace, ())
        if self._kind == "next-sentence":
            if logits.next_sentence is None:
                raise _missing(Message("This checkpoint does not predict the next sentence."))
            return
        if self._kind == "class":
            if logits.classes is None:
                raise _missing(Message("This checkpoint has no classes."))
            self._answer = _class(parameters.answer, logits.classes, self.model.meaning.labels)
            return
        if "masked" not in self.model.task_heads:
            raise _missing(Message("This checkpoint does not predict masked tokens."))
        position = predicted_token(self._inputs, parameters.position)
        if position is None:
            message = Message("No token of this text is masked.")
            raise AnalysisError(message, Message("Mask one, or give the position of a token."))
        self._position = position
        likeliest = self.model.logits(self.trace, [self._position]).masked
        assert likeliest is not None
        chosen = parameters.answer
        self._answer = int(likeliest[0].argmax()) if chosen is None else self.model.piece_id(chosen)


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


def _class(answer: str | None, logits: Floats, labels: tuple[str, ...]) -> int:
    """Return the number of a class that is given by its name or number; None: the largest of `logits` [N]."""
    if answer is None:
        return int(logits.argmax())
    names = {label.casefold(): number for number, label in enumerate(labels)}
    if answer.casefold() in names:
        return names[answer.casefold()]
    if answer.isdecimal() and int(answer) < len(logits):
        return int(answer)
    message = Message("The checkpoint has no class “{0}”.", answer)
    listed = ", ".join(labels or map(str, range(len(logits))))
    raise AnalysisError(message, Message("There are: {0}.", listed))


def _missing(message: Message) -> AnalysisError:
    return AnalysisError(message, Message("Choose another outcome."))
