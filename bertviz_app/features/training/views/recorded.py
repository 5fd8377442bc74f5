"""A training that was recorded, as curves: what one's own will look like."""

from __future__ import annotations

import numpy as np
from PySide6.QtWidgets import QLabel, QWidget

from bertviz_app.learning.words import recorded_run
from bertviz_app.views.kit.look import Look, in_column, in_row
from bertviz_app.views.plots.charts import Curve, CurvePlot, smoothed


class RecordedRunView(QWidget):
    """The loss at the left, the accuracy at the right, and below them what came of it."""

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.losses, self.accuracies = CurvePlot(look), CurvePlot(look, "%")
        run = recorded_run()
        words = self.tr(
            "The bundled model learnt from {0} film reviews, {1} times each, whether they praise. On reviews "
            "that it had not seen it was right on {2}; always the same answer would be right on {3}."
        )
        shares = [f"{100 * share:.0f} %" for share in (run.held_out, run.baseline)]
        self.note = QLabel(words.format(run.n_rows, run.epochs, *shares), wordWrap=True)
        titles = self.tr("Loss"), self.tr("Accuracy on the reviews of the step")
        shown = zip((self.losses, self.accuracies), titles, (run.losses, run.accuracies), strict=True)
        for plot, title, values in shown:
            raw = np.array(values, np.float64)
            steps = np.arange(1, len(raw) + 1, dtype=np.float64)
            plot.show_curves([Curve(title, "accent", steps, smoothed(raw), raw)], self.tr("step"))
            plot.setAccessibleName(title)
        row = in_row((self.losses, 1), (self.accuracies, 1), margins=0, spacing=20)
        in_column(self.note, (row, 1), of=self, margins=(16, 12, 16, 14), spacing=10)
