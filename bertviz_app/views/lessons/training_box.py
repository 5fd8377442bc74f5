"""`TrainingBox`: starts the trainings of a station, and shows how far they are and what came of them."""

from __future__ import annotations

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QFrame, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from bertviz_app.inference.training.labels import LABELS, Labels
from bertviz_app.viewmodels.learning.player import LabelProgress, LabelTrainings
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.style import named


class TrainingBox(QFrame):
    """A button, and two bars with numbers beside them: real labels and random ones."""

    start_requested = Signal()
    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.is_running = False
        self.is_done = False
        self.button = QPushButton(self.tr("Train both"))
        self._names = {labels: QLabel() for labels in LABELS}
        self._bars = {labels: QProgressBar(textVisible=False, maximum=100) for labels in LABELS}
        self._numbers = {labels: named(QLabel(wordWrap=True), "secondary") for labels in LABELS}
        self._problem = named(QLabel(wordWrap=True), "remark")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 4)
        column.setSpacing(3)
        column.addWidget(self.button)
        for labels in LABELS:
            for widget in (self._names[labels], self._bars[labels], self._numbers[labels]):
                column.addWidget(widget)
            self._bars[labels].setFixedHeight(6)
        column.addWidget(self._problem)
        self.button.clicked.connect(self._on_clicked)

    def show_trainings(self, trainings: LabelTrainings) -> None:
        """Show how far both are."""
        self.is_running = trainings.is_running
        self.is_done = len(trainings.results) == len(LABELS)
        if self.is_running:
            self.button.setText(self.tr("Stop"))
        else:
            self.button.setText(self.tr("Train again") if self.is_done else self.tr("Train both"))
        names = {"real": self.tr("Real labels"), "random": self.tr("Random labels")}
        for labels in LABELS:
            self._names[labels].setText(names[labels])
            self._bars[labels].setAccessibleName(names[labels])
            self._show(labels, trainings.progress.get(labels))
        self._problem.setText(translated(trainings.problem))
        self._problem.setVisible(bool(trainings.problem))

    def _show(self, labels: Labels, progress: LabelProgress | None) -> None:
        self._bars[labels].setValue(0 if progress is None else round(100 * progress.share))
        if progress is None:
            text = self.tr("not trained yet")
        elif progress.result is not None:
            words = self.tr("training rows {0:.1f} % · held-out rows {1:.1f} % · baseline {2:.1f} %")
            result = progress.result
            shares = (result.training_accuracy, result.held_out_accuracy, result.baseline)
            text = words.format(*(100 * share for share in shares))
        elif progress.accuracy is None:
            text = self.tr("starting …")
        else:
            text = self.tr("right in this step: {0:.0f} %").format(100 * progress.accuracy)
        self._numbers[labels].setText(text)

    @Slot()
    def _on_clicked(self) -> None:
        (self.cancel_requested if self.is_running else self.start_requested).emit()
