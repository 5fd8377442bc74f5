"""What a checkpoint makes of each text of a file: its loss, whether it is right, or another outcome."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Protocol

import numpy as np

from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.parameters import Choice
from bertviz_app.analysis.probing.passes import Target, TargetParameters
from bertviz_app.errors import AnalysisError, Message
from bertviz_app.features.corpora.studies.study import Measured, Unit
from bertviz_app.text import Tokens
from bertviz_app.text_tables.columns import ClassLabels, Stated, apart, refuse_several
from bertviz_app.trace.form import Tap
from bertviz_app.trace.provenance import MANY_LABELS, ONE_LABEL, REGRESSION
from bertviz_app.types import Doubles, Indices
from bertviz_app.values import dataclass, replace

if TYPE_CHECKING:
    from torch import Tensor

    from bertviz_app.analysis.model_access import ModelAccess, ModelOutput

OUTCOMES = ("loss", "sentence", "pooled", "class", "next-sentence")
MASKED_SHARE = 0.15
"""Which share of the tokens of a text without a label is masked; Devlin et al. 2019, section 3.1."""


@dataclass(frozen=True)
class FileOutcome:
    """`outcome`: what is looked at of each text.

    "loss" is that of the row's label; of a file without labels that of predicting masked tokens: 15 % of each
    text, which are always the same. "sentence", "pooled", "class" and "next-sentence" are those of analyses
    of one text. `labels`: which label is which class, as "pos=1, neg=0"; None: as `ClassLabels` says.
    """

    outcome: Annotated[str, Choice(OUTCOMES), Message("Outcome")] = "loss"
    labels: Stated = None


class Values(Protocol):
    """Returns numbers [B] or [B, N] of a pass of B inputs; `grad`: with what gradients need."""

    def __call__(self, output: ModelOutput, *, grad: bool) -> Tensor: ...


@dataclass(frozen=True, eq=False)
class UnitOutcome:
    """The outcome of one unit: `tokens` are what is read, with masks where tokens are to be predicted.

    `values` returns the outcome [B] of B variants of these tokens, `scores` the share of right answers [B],
    None where nothing is right or wrong. `label` is that of a class, "" for another outcome.
    """

    model: ModelAccess
    tokens: Tokens
    values: Values
    scores: Callable[[ModelOutput], Tensor] | None = None
    label: str = ""

    def of(self, inputs: Sequence[Tokens], tap: Tap | None = None) -> Doubles:
        """Return the outcomes and scores [2, B] of inputs, or [1, B] without scores, in one forward pass."""
        output = self.model.forward(inputs, tap)
        found = [self.values(output, grad=False)]
        found += [] if self.scores is None else [self.scores(output)]
        numbers: Doubles = np.stack([one.detach().cpu().double().numpy() for one in found])
        return numbers


def outcomes_of(measured: Measured, parameters: FileOutcome) -> list[UnitOutcome | None]:
    """Return the outcome of each unit; None for one whose label the checkpoint does not know.

    Raises AnalysisError where the checkpoint has no such outcome, or a label may be one of several classes.
    """
    return [_of_unit(measured, unit, parameters) for unit in measured.units]


def _of_unit(measured: Measured, unit: Unit, parameters: FileOutcome) -> UnitOutcome | None:
    model = measured.model
    if parameters.outcome != "loss":
        inputs = Inputs(measured.record(unit.tokens), model)
        return UnitOutcome(model, unit.tokens, Target(inputs, TargetParameters(parameters.outcome)).values)
    if unit.item.label:
        return _of_label(model, unit, parameters.labels)
    if "masked" in model.task_heads and model.mask_id is not None:
        return _of_masks(model, unit.tokens)
    if "classes" in model.task_heads:
        message = Message("The loss of this checkpoint is that of a label, and this file has none.")
        raise AnalysisError(message, Message("Name the column of the labels, or choose another outcome."))
    message = Message("This checkpoint predicts neither classes nor masked tokens: it has no loss.")
    hint = Message(
        "Choose another outcome, such as “{0}”, or open a checkpoint with a task head.", "sentence"
    )
    raise AnalysisError(message, hint, "task head")


def _of_label(model: ModelAccess, unit: Unit, stated: str | None) -> UnitOutcome | None:
    """Return the loss of a label: cross-entropy of a class, that of several, or the error of a number."""
    from torch.nn.functional import cross_entropy

    label = unit.item.label
    if "classes" not in model.task_heads:
        message = Message("This checkpoint has no classes, and the file has labels.")
        raise AnalysisError(message, Message("Open a checkpoint with a classifier of texts."), "task head")
    classes = model.class_names

    def logits(output: ModelOutput, *, grad: bool) -> Tensor:
        found = model.task_logits(output.hidden, output.seen, (), grad=grad).classes
        assert found is not None
        return found

    problem, known = model.meaning.problem, ClassLabels(classes, stated)
    if problem == MANY_LABELS or (problem == ONE_LABEL and len(classes) == 1):  # one output: a sigmoid
        held = known.held(label)
        return None if held is None else _of_several(model, unit, logits, held)
    refuse_several([label])
    if problem == REGRESSION or (problem is None and len(classes) == 1):
        return _of_number(model, unit, logits)
    answer = known.of(label)
    if answer is None:
        return None

    def values(output: ModelOutput, *, grad: bool) -> Tensor:
        found = logits(output, grad=grad)
        return cross_entropy(found, found.new_full((len(found),), answer).long(), reduction="none")

    def scores(output: ModelOutput) -> Tensor:
        return (logits(output, grad=False).argmax(-1) == answer).double()

    return UnitOutcome(model, unit.tokens, values, scores, label)


def _of_several(model: ModelAccess, unit: Unit, logits: Values, held: Sequence[float]) -> UnitOutcome:
    """Return the mean binary cross-entropy of all C labels, and the share that is right from 0.5 on."""
    from torch.nn.functional import binary_cross_entropy_with_logits

    def values(output: ModelOutput, *, grad: bool) -> Tensor:
        found = logits(output, grad=grad)
        true = found.new_tensor(held).expand_as(found)
        return binary_cross_entropy_with_logits(found, true, reduction="none").mean(-1)

    def scores(output: ModelOutput) -> Tensor:
        found = logits(output, grad=False)
        return ((found >= 0) == found.new_tensor(held).bool()).double().mean(-1)

    number = next((one for one in apart(unit.item.label) if one.isdecimal() and len(held) > 1), "")
    return UnitOutcome(model, unit.tokens, values, scores, number)


def _of_number(model: ModelAccess, unit: Unit, logits: Values) -> UnitOutcome | None:
    try:
        number = float(unit.item.label)
    except ValueError:
        return None

    def values(output: ModelOutput, *, grad: bool) -> Tensor:
        return (logits(output, grad=grad)[:, 0] - number) ** 2

    return UnitOutcome(model, unit.tokens, values)


def _of_masks(model: ModelAccess, tokens: Tokens) -> UnitOutcome | None:
    """Return the loss of predicting masked tokens: the mean cross-entropy of the pieces that were written."""
    import torch

    positions = masked_positions(tokens)
    if not len(positions):
        return None
    assert model.mask_id is not None
    ids = tokens.ids.copy()
    ids[positions] = model.mask_id
    written = torch.from_numpy(tokens.ids[positions].astype(np.int64))

    def logits(output: ModelOutput, *, grad: bool) -> Tensor:
        found = model.task_logits(output.hidden, output.seen, positions.tolist(), grad=grad).masked
        assert found is not None
        return found  # [B, masked, V]

    def values(output: ModelOutput, *, grad: bool) -> Tensor:
        found = logits(output, grad=grad)
        answers = written.to(found.device).expand(len(found), -1)
        return -log_softmax(found).gather(-1, answers[..., None])[..., 0].mean(-1)

    def scores(output: ModelOutput) -> Tensor:
        found = logits(output, grad=False)
        return (found.argmax(-1) == written.to(found.device)).double().mean(-1)

    return UnitOutcome(model, replace(tokens, ids=ids), values, scores)


def log_softmax(logits: Tensor) -> Tensor:
    """Return the log-softmax over the last axis of logits [..., V], in float32, for a V of any size.

    torch's own adds up the exponentials of a whole vocabulary in few float32 sums: beside the 1 of a
    confident prediction each of them is too small to count, and a part of the loss is lost. Here the sum is
    float64; its logarithm alone is rounded to float32, to the same relative precision however small it is.
    """
    import torch

    shifted = logits - logits.detach().amax(-1, keepdim=True)
    return shifted - shifted.exp().sum(-1, keepdim=True, dtype=torch.float64).log().float()


def masked_positions(tokens: Tokens) -> Indices:
    """Return which tokens of a text are masked: 15 % of those that are not special, one at least.

    They are drawn with the text itself as the seed, so that they are the same in every run.
    """
    candidates = np.flatnonzero(~tokens.is_special)
    count = min(len(candidates), max(1, round(MASKED_SHARE * len(candidates))))
    source = np.random.default_rng(zlib.crc32(np.ascontiguousarray(tokens.ids, np.int64).tobytes()))
    found: Indices = np.sort(source.choice(candidates, count, replace=False)) if count else candidates
    return found
