"""The trainings on this computer, which can be shown again or resumed."""

from __future__ import annotations

from PySide6.QtCore import Qt, Slot
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QScrollArea, QVBoxLayout, QWidget

from bertviz_app.inference.training.job import RunInList
from bertviz_app.viewmodels.training.training import Training
from bertviz_app.views.kit.card import Elided
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.widgets import NumberedSteps
from bertviz_app.views.training.words import sizes_of

_WIDEST = 720
"""At the normal text size: longer lines are hard to read, and a row's button would be far from its name."""


class TrainingRunsView(QScrollArea):
    """Says what will be seen, and lists the runs of `training`, the newest first."""

    def __init__(self, look: Look, training: Training, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._look = look
        self._training = training
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._inner = named(QWidget(), "clear")
        self._intro = NumberedSteps(4)
        self._title = named(QLabel(), "title")
        self._rows = QVBoxLayout()
        self._rows.setSpacing(4)
        column = QVBoxLayout(self._inner)
        column.setContentsMargins(16, 40, 16, 14)
        column.setSpacing(10)
        column.addWidget(self._intro)
        column.addSpacing(8)
        column.addWidget(self._title)
        column.addLayout(self._rows)
        column.addStretch(1)
        self.setWidget(self._inner)
        self.setAlignment(Qt.AlignmentFlag.AlignHCenter)
        look.changed.connect(self._on_look_changed)
        self._on_look_changed()
        training.saved_runs.changed.connect(self._on_runs_changed)
        self.retranslate()

    def retranslate(self) -> None:
        self._intro.write(
            (
                self.tr(
                    "Add texts and start the training. The model learns to predict masked tokens, and "
                    "whether one sentence follows another, as BERT did."
                ),
                self.tr(
                    "During training you see its losses fall and, on a sentence of yours, its heads take "
                    "form. You can use the rest of the window meanwhile."
                ),
                self.tr("The model is saved as it learns: a training can be stopped and resumed."),
                self.tr(
                    "Fine-tuning teaches a model to predict the labels of texts; how its heads change is "
                    "seen beside the checkpoint that it started from."
                ),
            )
        )
        self._on_runs_changed()

    @Slot()
    def _on_look_changed(self) -> None:
        self._inner.setMaximumWidth(self._look.pixels(_WIDEST))

    @Slot()
    def _on_runs_changed(self) -> None:
        while (item := self._rows.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        runs = self._training.saved_runs.runs
        self._title.setText(self.tr("Trainings on this computer") if runs else "")
        for run in runs:
            self._rows.addWidget(self._row(run))

    def _row(self, run: RunInList) -> QWidget:
        line, button = QWidget(), named(QPushButton(), "small")
        name = run.job.out.name
        label = Elided(f"{name}   {sizes_of(run.job)}   {self._state_of(run)}")
        label.setToolTip(str(run.job.out))
        button.setText(self.tr("View") if run.is_done else self.tr("Resume"))
        button.setAccessibleName(f"{button.text()}: {name}")
        button.clicked.connect(lambda: self._open(run))
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(label, 1)
        row.addWidget(button)
        return line

    def _state_of(self, run: RunInList) -> str:
        if run.is_done:
            return self.tr("done")
        if run.last is None:
            return self.tr("not started")
        return self.tr("step {0}, {1}").format(f"{run.last.step:,}", f"{run.last.share:.0%}")

    def _open(self, run: RunInList) -> None:
        self._training.open_run(run.job.out, goes_on=not run.is_done)
