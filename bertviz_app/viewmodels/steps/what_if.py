"""`WhatIf`: the weights of a row, had its products been divided by another number than √d."""

from __future__ import annotations

import math

from PySide6.QtCore import QObject, Signal

from bertviz_app.analysis.pairs import HeadSteps
from bertviz_app.types import Floats
from bertviz_app.viewmodels.steps.stops import Stop

STAGE = "softmax"
RANGE = 10.0
"""How many times smaller or larger than the model's own the divisor may be."""


class WhatIf(QObject):
    """A divisor that the user tries out at the softmax. Only the row shown depends on it.

    `tried` is emitted when the user chooses a divisor, `changed` whenever the divisor changes, `offered`
    when trying becomes possible or impossible, or the model's own divisor changes.
    """

    tried = Signal()
    changed = Signal()
    offered = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.radicand = 1
        self.divisor: float | None = None
        """None: the model's own."""
        self._stop: Stop | None = None

    @property
    def is_offered(self) -> bool:
        """Whether the stop is a softmax."""
        return self._stop is not None and self._stop.stage == STAGE

    @property
    def own(self) -> float:
        """The number that the model divides by."""
        return math.sqrt(self.radicand)

    def show_stop(self, stop: Stop, radicand: int) -> None:
        """Offer it at this stop of a model, if it is a softmax."""
        if (stop, radicand) != (self._stop, self.radicand):
            self._stop, self.radicand = stop, radicand
            self.offered.emit()

    def forget(self) -> None:
        """Begin anew at another stop, which is about to be shown."""
        self.divisor = None

    def set_divisor(self, divisor: float | None) -> None:
        """Divide by this number, None for the model's own."""
        if divisor != self.divisor:
            self.divisor = divisor
            self.changed.emit()

    def try_factor(self, factor: float) -> None:
        """Divide by a multiple of the model's own number; 1 is the model again."""
        factor = min(max(factor, 1 / RANGE), RANGE)
        divisor = None if math.isclose(factor, 1.0) else factor * self.own
        if divisor != self.divisor:
            self.set_divisor(divisor)
            self.tried.emit()

    def weights(self, steps: HeadSteps | None) -> Floats | None:
        """Return the weights [T] of a row with the divisor that is tried; None with the model's own."""
        if self.divisor is None or steps is None or not self.is_offered:
            return None
        weights: Floats = steps.weights_divided_by(self.divisor).astype("float32")
        return weights
