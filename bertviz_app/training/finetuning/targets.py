"""What a fine-tuning predicts: classes of texts, scores of texts, or labels of words or characters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from bertviz_app.encoder.config import TaskHeadsConfig
from bertviz_app.training.finetuning.evaluation import HeldOut, evaluate_classes, evaluate_scores
from bertviz_app.training.finetuning.settings import (
    ScoreEvaluation,
    TagEvaluation,
    TuningEvaluation,
    TuningVerdict,
    Unit,
)
from bertviz_app.training.finetuning.tag_evaluation import evaluate_tags
from bertviz_app.training.finetuning.tagged import Tagged


class FinetuningTarget(Protocol):
    """The outputs of a fine-tuned model, and how well they are predicted.

    The loss goes by the kind of numbers that the labels are: see `loss_of`.
    """

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the outputs."""

    @property
    def heads(self) -> TaskHeadsConfig:
        """The head that predicts them."""

    def evaluate(self, held_out: HeldOut, step: int) -> TuningVerdict:
        """Return how well they are predicted."""


@dataclass(frozen=True)
class ClassTarget:
    """One of several labels for each text; `commonest` is the number of the most frequent one."""

    labels: tuple[str, ...]
    commonest: int

    @property
    def heads(self) -> TaskHeadsConfig:
        """A classifier that reads the pooled vector."""
        return TaskHeadsConfig(n_classes=len(self.labels))

    def evaluate(self, held_out: HeldOut, step: int) -> TuningEvaluation:
        """Return the accuracy and the confusion of labels."""
        return evaluate_classes(held_out, self.labels, step, self.commonest)


@dataclass(frozen=True)
class ScoreTarget:
    """A real number for each text, called `column`; `mean` is that of the training rows."""

    column: str
    mean: float

    @property
    def labels(self) -> tuple[str, ...]:
        """The name of the only output."""
        return (self.column,)

    @property
    def heads(self) -> TaskHeadsConfig:
        """A classifier with one output that reads the pooled vector."""
        return TaskHeadsConfig(n_classes=1)

    def evaluate(self, held_out: HeldOut, step: int) -> ScoreEvaluation:
        """Return the mean squared error and the correlations."""
        return evaluate_scores(held_out, step, self.mean)


@dataclass(frozen=True)
class Tags:
    """One of several labels for each word or character of a text."""

    labels: tuple[str, ...]
    commonest: int
    unit: Unit

    @property
    def heads(self) -> TaskHeadsConfig:
        """A classifier that reads the vector of each token."""
        return TaskHeadsConfig(n_token_labels=len(self.labels))

    def evaluate(self, held_out: HeldOut, step: int) -> TagEvaluation:
        """Return the accuracy, the confusion of labels, and how many spans are found."""
        examples = held_out.examples
        assert isinstance(examples, Tagged)
        return evaluate_tags(held_out, examples, self.labels, step, self.commonest, self.unit)
