"""The settings of a fine-tuning, and the numbers it reports. Loads no torch."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Literal, Protocol

from bertviz_app.errors import Message
from bertviz_app.training.finetuning.entities import SpanCounts, in_all, mean_f1
from bertviz_app.training.listener import Listener
from bertviz_app.training.settings import TrainingError, check_loop, check_share

if TYPE_CHECKING:
    from bertviz_app.training.finetuning.classifier import ClassifierNetwork  # noqa: F401 - named in a string below


@dataclass(frozen=True)
class TuningSettings:
    """How a classifier of texts or of words, or a model that predicts scores, is fine-tuned."""

    epochs: int = 3  # times that all rows are read
    batch: int = 32  # rows
    length: int = 128  # tokens of a row at most, special ones included
    rate: float = 5e-5  # the highest
    warm_up: float = 0.1  # share of the run
    decay: float = 0.01
    clip: float = 1.0
    dropout: float = 0.1  # of the vectors that the classifier reads
    freezes_encoder: bool = False  # only the pooler and the classifier are trained
    held_out: float = 0.1  # share of the rows to evaluate on, where no file of such rows is given
    seed: int = 0
    precision: str = "auto"  # "float32", "bfloat16", or bfloat16 where the device has it
    stores: str = "float32"  # or "float16": how the model is written
    evaluate_every: int = 200  # steps
    save_every: float = 120.0  # seconds
    snapshot_every: int | None = None  # steps

    def validate(self) -> None:
        """Raise TrainingError for settings that no run can have."""
        counts = ((Message("epochs"), self.epochs), (Message("rows of a batch"), self.batch))
        for name, count in counts:
            if count < 1:
                raise TrainingError(
                    Message("The number for {0} is {1}.", name, count), Message("Give a whole number from 1.")
                )
        if self.length < 8:
            message = Message("Texts cannot be read by {0} tokens.", self.length)
            raise TrainingError(message, Message("Give a length of 8 tokens or more."))
        if not (math.isfinite(self.rate) and self.rate > 0):
            raise TrainingError(
                Message("The rate cannot be {0}.", self.rate),
                Message("Give a small number above 0, as 5e-5."),
            )
        check_share("dropout", self.dropout)
        check_share("held_out", self.held_out)
        check_loop(self)

    def resumable_settings(self) -> dict[str, object]:
        """Return the settings that a resumed run must have in common with its first part."""
        free = {"epochs", "precision", "stores", "evaluate_every", "save_every", "snapshot_every"}
        return {name: value for name, value in asdict(self).items() if name not in free}


@dataclass(frozen=True)
class TuningStep:
    """The numbers of one step."""

    step: int  # from 1
    epoch: int  # from 1
    share: float  # of the run that is done, 0 to 1
    seconds: float  # of training so far, over all parts of the run
    n_tokens: int  # trained on so far, without padding
    tokens_per_second: float  # recently
    loss: float  # nats, or the mean squared error of scores
    accuracy: float | None  # 0 to 1, of the labels of this step; None of scores
    rate: float


@dataclass(frozen=True)
class TuningEvaluation:
    """How well a classifier does on rows that it is not trained on."""

    step: int
    n_rows: int
    loss: float  # nats
    accuracy: float  # 0 to 1
    baseline: float  # accuracy of always answering the most frequent label of the training rows
    labels: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]  # rows of each label, by the label that was predicted


@dataclass(frozen=True)
class ScoreEvaluation:
    """How well scores, which are real numbers, are predicted of rows that are not trained on."""

    step: int
    n_rows: int
    loss: float  # mean squared error
    baseline: float  # that of always answering the mean of the training rows
    pearson: float | None  # -1 to 1; None where all predictions, or all scores, are the same
    spearman: float | None


Unit = Literal["words", "characters"]
"""What has a label of its own, where not each text has one."""


@dataclass(frozen=True)
class TagEvaluation:
    """How well the labels of words or characters are predicted in sentences that are not trained on.

    The accuracy is of those with a piece that predicts them; a span is found where its beginning, its end and
    its type are right, as in the CoNLL 2000 evaluation.
    """

    step: int
    n_rows: int  # sentences
    n_units: int  # words or characters
    unit: Unit
    loss: float  # nats, of the pieces that are counted
    accuracy: float  # 0 to 1
    baseline: float  # accuracy of always answering the most frequent label of the training sentences
    labels: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]  # words or characters of each label, by the predicted label
    spans: tuple[SpanCounts, ...] | None  # of each type; None where the labels mark no spans

    @property
    def all_spans(self) -> SpanCounts | None:
        """The counts of all types together, with their precision, recall and F1."""
        return None if self.spans is None else in_all(self.spans)

    @property
    def f1(self) -> float:
        """The F1 of all spans, or the mean F1 of the labels where these mark no spans."""
        whole = self.all_spans
        return self.label_f1 if whole is None else whole.f1

    @property
    def macro_f1(self) -> float | None:
        """The mean of the F1 of each type of span."""
        return None if self.spans is None else mean_f1(self.spans)

    @property
    def label_f1(self) -> float:
        """The mean of the F1 of each label that is there or predicted."""
        n_predicted = [sum(row[number] for row in self.confusion) for number in range(len(self.labels))]
        totals = [sum(row) + n_predicted[number] for number, row in enumerate(self.confusion)]
        found = [2 * self.confusion[at][at] / total for at, total in enumerate(totals) if total]
        return sum(found) / len(found) if found else 0.0


TuningVerdict = TuningEvaluation | ScoreEvaluation | TagEvaluation


class TuningListener(Listener[TuningStep, TuningVerdict, "ClassifierNetwork"], Protocol):
    """Follows a fine-tuning."""
