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


PRECISIONS = ("auto", "float32", "bfloat16")
STORES = ("float32", "float16")


def check_loop(settings: LoopSettings) -> None:
    """Raise TrainingError for settings with which no loop can run, or would run otherwise than they say."""
    check_optimiser(settings.decay, settings.clip)
    if settings.evaluate_every < 1:
        message = Message("The number for {0} is {1}.", "evaluate_every", settings.evaluate_every)
        raise TrainingError(message, Message("Give a whole number from 1."))
    for name, value, choices in (
        ("precision", settings.precision, PRECISIONS),
        ("stores", settings.stores, STORES),
    ):
        if value not in choices:
            allowed = ", ".join(choices)
            message = Message("{0} in {1} must be {2}.", name, type(settings).__name__, allowed)
            raise TrainingError(message, Message("Give one of: {0}.", allowed))


def check_share(name: str, share: float) -> None:
    """Raise TrainingError for a share that is none."""
    if not 0 <= share <= 1:
        raise TrainingError(
            Message("The share of {0} is {1}.", name, share), Message("Give a number from 0 to 1.")
        )


def check_optimiser(decay: float, clip: float) -> None:
    """Raise TrainingError for a weight decay or a clipping norm that no optimiser step can use."""
    if not (math.isfinite(decay) and decay >= 0):
        raise TrainingError(
            Message("The weight decay is {0}.", decay), Message("Give a number from 0, such as 0.01.")
        )
    if not clip > 0:
        message = Message("Gradients cannot be clipped to a norm of {0}.", clip)
        raise TrainingError(message, Message("Give a number above 0, such as 1."))
