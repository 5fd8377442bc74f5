"""`LabelTrainings`: two models that a station of a lesson trains, on real labels and on random ones."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from bertviz_app.errors import Message
from bertviz_app.learning.label_training import LabelProgress, LabelResult, Labels, LabelTraining


class LabelTrainings(QObject):
    """Trains nothing, and says so where it is asked to: the room of training has a subclass that trains.

    `changed`: there is something new; `finished`: both came to their end. `problem`: why they did not.
    """

    changed = Signal()
    finished = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.progress: dict[Labels, LabelProgress] = {}
        self.problem = ""

    @property
    def is_running(self) -> bool:
        """Whether one of them still trains."""
        return False

    @property
    def results(self) -> Mapping[Labels, LabelResult]:
        """What came of those that are done."""
        return {labels: each.result for labels, each in self.progress.items() if each.result is not None}

    def start(self, training: LabelTraining) -> None:
        """Train both at the same time; nothing happens while they do."""
        self.problem = Message("What trains models was left out of the program.")
        self.changed.emit()

    def cancel(self) -> None:
        """Stop both and forget how far they were; what is done already stays."""

    def forget(self) -> None:
        """Stop both, and forget what is done, too."""

    def close(self) -> None:
        """Stop both at the end of the program, and remove what they wrote."""
