"""Two trainings as curves that grow, and at their end the four accuracies beside each other."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import QCoreApplication, Slot
from PySide6.QtWidgets import QLabel, QVBoxLayout

from bertviz_app.inference.training.labels import LABELS, LabelResult, Labels
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.learning.pictures import LessonPictures
from bertviz_app.viewmodels.learning.player import LabelProgress, LabelTrainings
from bertviz_app.viewmodels.training.training import smoothed
from bertviz_app.views.kit.layouts import in_row
from bertviz_app.views.kit.look import Look, named
from bertviz_app.views.lessons.pictures.bars import Bars, Level, ShownBar
from bertviz_app.views.lessons.pictures.lesson_picture import LessonPicture
from bertviz_app.views.plots.curves import Curve, CurvePlot

COLOURS: Mapping[Labels, str] = {"real": "accent", "random": "sentence_b"}


class TrainingPicture(LessonPicture):
    """At the left how well each model does on the rows that it learns from, at the right on new rows."""

    def __init__(self, look: Look, pictures: LessonPictures, trainings: LabelTrainings) -> None:
        super().__init__(pictures)
        self._trainings = trainings
        self.accuracies, self.losses, self.bars = CurvePlot(look, "%"), CurvePlot(look), Bars(look)
        self.titles = [named(QLabel(wordWrap=True), "pictureTitle") for _ in range(3)]
        self.note = named(QLabel(wordWrap=True), "pictureNote")
        left, right = QVBoxLayout(), QVBoxLayout()
        for layout, title, plot in (
            (left, self.titles[0], self.accuracies),
            (left, self.titles[1], self.losses),
            (right, self.titles[2], self.bars),
        ):
            layout.addWidget(title)
            if plot is self.bars:
                layout.addWidget(self.note)
            layout.addWidget(plot, 1)
        in_row((left, 1), (right, 1), of=self, margins=(24, 16, 24, 16), spacing=28)
        self.titles[0].setText(self.tr("While learning: right on the rows that it is trained on"))
        self.titles[1].setText(self.tr("While learning: loss"))
        self.titles[2].setText(self.tr("Afterwards: right on …"))
        self.accuracies.setAccessibleName(self.tr("Accuracy of both trainings over the steps"))
        self.losses.setAccessibleName(self.tr("Loss of both trainings over the steps"))
        self.bars.setAccessibleName(self.tr("The four accuracies"))
        trainings.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show how far both are."""
        progress = self._trainings.progress
        words = self.tr("step")
        self.accuracies.show_curves(curves(progress, is_loss=False), words)
        self.losses.show_curves(curves(progress, is_loss=True), words)
        results = self._trainings.results
        level = next((result.baseline for result in results.values()), None)
        chance = self.tr("always the same answer: {0}").format(percent(level)) if level is not None else ""
        self.bars.show_bars(bars_of(results), 1.0, None if level is None else Level(level, chance))
        self.note.setText(self._words(results))

    def _words(self, results: Mapping[Labels, LabelResult]) -> str:
        if len(results) < len(LABELS):
            if self._trainings.is_running:
                return self.tr("Both are learning. Their test on new rows comes at the end.")
            return self.tr("Nothing is trained yet: press the button in the lesson.")
        real, random = (results[labels].held_out_accuracy for labels in LABELS)
        words = self.tr("On rows that they have not seen, one is right on {0}, the other on {1}.")
        return words.format(percent(real), percent(random))


def percent(share: float) -> str:
    """Return a share as a percentage with one decimal."""
    return f"{100 * share:.1f} %"


def names() -> dict[Labels, str]:
    """Return what the two trainings are called."""
    translate = QCoreApplication.translate
    return {
        "real": translate("TrainingBox", "Real labels"),
        "random": translate("TrainingBox", "Random labels"),
    }


def curves(progress: Mapping[Labels, LabelProgress], *, is_loss: bool) -> list[Curve]:
    """Return a curve for each training: smoothed, with the numbers of the steps behind it."""
    found = []
    for labels in LABELS:
        each = progress.get(labels, LabelProgress())
        raw: Doubles = np.array(each.losses if is_loss else each.accuracies, np.float64)
        steps = np.arange(1, len(raw) + 1, dtype=np.float64)
        found.append(Curve(names()[labels], COLOURS[labels], steps, smoothed(raw), raw))
    return found


def bars_of(results: Mapping[Labels, LabelResult]) -> list[ShownBar]:
    """Return two bars for each training that is done: on the rows that it saw, and on new ones."""
    translate = QCoreApplication.translate
    seen = translate("TrainingPicture", "{0}: seen")
    new = translate("TrainingPicture", "{0}: new")
    return [
        ShownBar(words.format(names()[labels]), share, percent(share), COLOURS[labels], is_highlighted)
        for labels in LABELS
        if labels in results
        for words, share, is_highlighted in (
            (seen, results[labels].training_accuracy, False),
            (new, results[labels].held_out_accuracy, True),
        )
    ]
