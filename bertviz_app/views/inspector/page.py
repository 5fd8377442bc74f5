"""`InspectorPage`: the body of the inspector's card: the numbers of a pair, below them the predictions."""

from __future__ import annotations

from PySide6.QtWidgets import QVBoxLayout, QWidget

from bertviz_app.views.inspector.predictions_section import PredictionsSection
from bertviz_app.views.inspector.view import InspectorView

_LEAST = 84
"""Pixels in which the numbers still say the weight and its rank."""


class InspectorPage(QWidget):
    """The numbers have what the predictions leave them."""

    def __init__(self, numbers: InspectorView, predictions: PredictionsSection) -> None:
        super().__init__()
        self.numbers = numbers
        self.predictions = predictions
        numbers.setMinimumHeight(_LEAST)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(numbers, 1)
        column.addWidget(predictions)

    def height_for(self, room: float) -> float:
        """Return the height for as much as `room` allows: the predictions first, then the lists."""
        predictions = self.predictions.desired_height
        return predictions + self.numbers.height_for(room - predictions)
