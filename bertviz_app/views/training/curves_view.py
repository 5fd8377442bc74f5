"""`CurvesView`: the losses and the accuracies of a training over its steps, each in a card."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QVBoxLayout, QWidget

from bertviz_app.viewmodels.training.live_run import LiveRun
from bertviz_app.viewmodels.training.training import Training
from bertviz_app.views.kit.card import Card
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.terms import explain_with
from bertviz_app.views.training.curve_plot import CurvePlot
from bertviz_app.views.training.curves import accuracy_curves, loss_curves

_GAP = 8


class CurvesView(QWidget):
    """Follows the run of `training`; the titles tell held-out text from held-out rows."""

    def __init__(self, look: Look, training: Training) -> None:
        super().__init__()
        self._training = training
        self.losses, self.accuracies = CurvePlot(look), CurvePlot(look, "%")
        self.losses_card, self.accuracies_card = Card("", self.losses), Card("", self.accuracies)
        explain_with(self.losses_card.title, "loss")
        explain_with(self.losses_card.qualifier, "nats")
        explain_with(self.accuracies_card.title, "held_out")
        explain_with(self.accuracies_card.qualifier, "accuracy")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(_GAP)
        column.addWidget(self.losses_card, 1)
        column.addWidget(self.accuracies_card, 1)
        training.changed.connect(self._name_accuracies)
        training.advanced.connect(self._on_advanced)

    @property
    def run(self) -> LiveRun | None:
        """The run whose curves are shown."""
        return self._training.run

    def retranslate(self) -> None:
        """Write the words in the language in force."""
        self.losses_card.title.setText(self.tr("Losses"))
        self.losses_card.qualifier.setText(
            self.tr("cross-entropy in nats: the model’s surprise; lower is better")
        )
        self.accuracies_card.qualifier.setText(self.tr("accuracy"))
        self.losses.setAccessibleName(self.tr("Losses over the steps"))
        self._name_accuracies()
        self._on_advanced()

    @Slot()
    def _name_accuracies(self) -> None:
        run = self._training.run
        is_tuning = run is not None and run.job.is_tuning
        self.accuracies_card.title.setText(
            self.tr("On held-out data") if is_tuning else self.tr("On held-out text")
        )
        self.accuracies.setAccessibleName(
            self.tr("Accuracy on held-out data over the steps")
            if is_tuning
            else self.tr("Accuracy on held-out text over the steps")
        )

    @Slot()
    def _on_advanced(self) -> None:
        run = self._training.run
        if run is None:
            return
        words = self.tr("step")
        self.losses.show_curves(loss_curves(run), words)
        self.accuracies.show_curves(accuracy_curves(run), words)
