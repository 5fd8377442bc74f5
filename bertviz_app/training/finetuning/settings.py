"""What a fine-tuning is told, and what it tells as it goes. Loads no torch."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from bertviz_app.training.pretraining.settings import TrainingError

if TYPE_CHECKING:
    from bertviz_app.training.finetuning.classifier import ClassifierNetwork


@dataclass(frozen=True)
class TuningSettings:
    """The course of a fine-tuning."""

    epochs: int = 3  # times that all rows are read
    batch: int = 32  # rows
    length: int = 128  # tokens of a row at most, special ones included
    rate: float = 5e-5  # the highest
    warm_up: float = 0.1  # share of the run
    decay: float = 0.01
    clip: float = 1.0
    dropout: float = 0.1  # of the pooled vector
    freezes_encoder: bool = False  # the pooler and the classifier learn, embeddings and layers do not
    held_out: float = 0.1  # of the rows, kept for judging where no file of their own is given
    seed: int = 0
    precision: str = "auto"  # "float32", "bfloat16", or bfloat16 where the device has it
    stores: str = "float32"  # or "float16": how the model is written
    evaluate_every: int = 200  # steps
    save_every: float = 120.0  # seconds
    snapshot_every: int | None = None  # steps

    def judge(self) -> None:
        """Raise TrainingError for settings that no run can have."""
        for name, count in {"epochs": self.epochs, "rows of a batch": self.batch}.items():
            if count < 1:
                raise TrainingError(f"The number for {name} is {count}.", "Give a whole number from 1.")
        if self.length < 8:
            message = f"Texts cannot be read by {self.length} tokens."
            raise TrainingError(message, "Give a length of 8 tokens or more.")
        if not (math.isfinite(self.rate) and self.rate > 0):
            raise TrainingError(f"The rate cannot be {self.rate}.", "Give a small number above 0, as 5e-5.")

    def course(self) -> dict[str, object]:
        """Return what a run that is gone on with must have in common with its beginning."""
        free = {"epochs", "precision", "stores", "evaluate_every", "save_every", "snapshot_every"}
        return {name: value for name, value in asdict(self).items() if name not in free}


@dataclass(frozen=True)
class TuningStep:
    """How one step went."""

    step: int  # from 1
    epoch: int  # from 1
    share: float  # of the run that is done, 0 to 1
    seconds: float  # of training so far, over all parts of the run
    n_tokens: int  # learnt from so far, without padding
    tokens_per_second: float  # lately
    loss: float  # nats
    accuracy: float  # 0 to 1, of the rows of this step
    rate: float


@dataclass(frozen=True)
class Judged:
    """How well a classifier does on rows it has not learnt from."""

    step: int
    n_rows: int
    loss: float  # nats
    accuracy: float  # 0 to 1
    baseline: float  # accuracy of always giving the label that is commonest in what was learnt from
    labels: tuple[str, ...]
    confusion: tuple[tuple[int, ...], ...]  # rows of each label, by the label that was given


class TuningListener(Protocol):
    """Who follows a fine-tuning. Any method may raise Cancelled: the run is kept then, to be gone on with."""

    def on_stage(self, stage: str) -> None:
        """Something begins that takes a while: "rows", "tokens", "training"."""

    def on_notice(self, notice: str) -> None:
        """Something was found that the user should read."""

    def check(self) -> None:
        """Called before every step, and often in what takes long."""

    def on_step(self, report: TuningStep, network: ClassifierNetwork) -> None:
        """A step is done."""

    def on_judged(self, result: Judged) -> None:
        """The rows kept for judging were read, a part of them or, at the end, all."""

    def on_snapshot(self, folder: Path) -> None:
        """The model as it is now was kept in `folder`."""
