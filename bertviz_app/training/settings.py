"""What every training has in common: the settings of its loop, and the error that ends it. Loads no torch."""

from __future__ import annotations

import math
from typing import Protocol

from bertviz_app.errors import AppError, Message


class TrainingError(AppError):
    """A training cannot be started, resumed or continued."""


class LoopSettings(Protocol):
    """The settings that every training has: its loop reads them, its card lists them."""

    @property
    def seed(self) -> int:
        """The seed of everything random."""

    @property
    def warm_up(self) -> float:
        """The share of the run over which the rate rises."""

    @property
    def rate(self) -> float:
        """The highest learning rate."""

    @property
    def decay(self) -> float:
        """AdamW's weight decay."""

    @property
    def clip(self) -> float:
        """The largest norm of a gradient."""

    @property
    def precision(self) -> str:
        """Of the steps: "float32", "bfloat16", or "auto"."""

    @property
    def stores(self) -> str:
        """How the weights are written: "float32" or "float16"."""

    @property
    def evaluate_every(self) -> int:
        """Steps between two evaluations."""

    @property
    def save_every(self) -> float:
        """Seconds between two saves."""

    @property
    def snapshot_every(self) -> int | None:
        """Steps between two snapshots; None for no snapshots."""


def check_optimiser(decay: float, clip: float) -> None:
    """Raise TrainingError for a weight decay or a clipping norm that no optimiser step can use."""
    if not (math.isfinite(decay) and decay >= 0):
        raise TrainingError(
            Message("The weight decay is {0}.", decay), Message("Give a number from 0, such as 0.01.")
        )
    if not clip > 0:
        message = Message("Gradients cannot be clipped to a norm of {0}.", clip)
        raise TrainingError(message, Message("Give a number above 0, such as 1."))
