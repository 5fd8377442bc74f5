"""Two trainings as curves that grow from a guess, and at their end the four accuracies beside each other."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
from PySide6.QtCore import QCoreApplication

from bertviz_app.features.lessons.course.lesson import Scene
from bertviz_app.features.lessons.state.pictures import LessonPictures
from bertviz_app.features.lessons.views.pictures.bars import Bars, Level, ShownBar
from bertviz_app.features.lessons.views.pictures.lesson_picture import (
    AROUND,
    LargerLook,
    LessonPicture,
    title_label,
)
from bertviz_app.learning.label_training import LABELS, NAMES, LabelProgress, LabelResult, Labels
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.wording import translated
from bertviz_app.views.kit.layouts import in_column, in_row
from bertviz_app.views.kit.look import Look
from bertviz_app.views.plots.curves import Curve, CurvePlot, smoothed

_GUESS = 0.5
"""So often is right who guesses one of two labels; the loss is minus its logarithm."""
COLOURS: Mapping[Labels, str] = {"real": "accent", "random": "sentence_b"}


class TrainingPicture(LessonPicture):
    """At the left how well each model does on the rows that it learns from, at the right on new rows."""

    def __init__(self, look: Look, pictures: LessonPictures) -> None:
        super().__init__(look, pictures)
        larger = LargerLook(look, self)
        self.accuracies, self.losses, self.bars = CurvePlot(larger, "%"), CurvePlot(larger), Bars(look)
        titles = self.title, title_label(), title_label()
        left = in_column(titles[0], (self.accuracies, 1), titles[1], (self.losses, 1))
        right = in_column(titles[2], self.note, (self.bars, 1))
        in_row((left, 1), (right, 1), of=self, margins=AROUND, spacing=28)
        titles[0].setText(self.tr("While learning: right on the rows seen"))
        titles[1].setText(self.tr("While learning: loss"))
        titles[2].setText(self.tr("Afterwards: how much is right"))
        self.accuracies.setAccessibleName(self.tr("Accuracy of both trainings over the steps"))
        self.losses.setAccessibleName(self.tr("Loss of both trainings over the steps"))
        self.bars.setAccessibleName(self.tr("The four accuracies"))
        pictures.trainings.changed.connect(self.refresh)

    def show_scene(self, scene: Scene) -> None:
        progress, results = self.pictures.trainings.progress, self.pictures.trainings.results
        words = self.tr("step")
        self.accuracies.show_curves(curves(progress, is_loss=False), words)
        self.losses.show_curves(curves(progress, is_loss=True), words)
        level = next((result.baseline for result in results.values()), None)
        if level is None:
            shown = Level(_GUESS, self.tr("guessing: 50 %"))
        else:
            shown = Level(level, self.tr("always the same answer: {0}").format(percent(level)))
        self.bars.show_bars(bars_of(results), 1.0, shown)
        if len(results) == len(LABELS):
            real, random = (percent(results[labels].held_out_accuracy) for labels in LABELS)
            words = self.tr("On rows that they have not seen, one is right on {0}, the other on {1}.")
            self.note.setText(words.format(real, random))
        elif self.pictures.trainings.is_running:
            self.note.setText(self.tr("Both are learning. Their test on new rows comes at the end."))
        else:
            self.note.setText(
                self.tr("Nothing is trained yet: both would guess. Press the button in the lesson.")
            )


def percent(share: float) -> str:
    """Return a share as a percentage with one decimal."""
    return f"{100 * share:.1f} %"


def curves(progress: Mapping[Labels, LabelProgress], *, is_loss: bool) -> list[Curve]:
    """Return where guessing is, and a curve for each training: smoothed, with the numbers of the steps."""
    longest = max((len(each.losses) for each in progress.values()), default=0)
    across, guess = np.array([0.0, max(longest, 10)]), -math.log(_GUESS) if is_loss else _GUESS
    name = QCoreApplication.translate("TrainingPicture", "guessing")
    found = [Curve(name, "secondary", across, np.full(2, guess), is_level=True)]
    for labels in LABELS:
        each = progress.get(labels, LabelProgress())
        raw: Doubles = np.array(each.losses if is_loss else each.accuracies, np.float64)
        steps = np.arange(1, len(raw) + 1, dtype=np.float64)
        found.append(Curve(translated(NAMES[labels]), COLOURS[labels], steps, smoothed(raw), raw))
    return found


def bars_of(results: Mapping[Labels, LabelResult]) -> list[ShownBar]:
    """Return two bars for each training: on the rows that it saw, and on new ones; empty until it is done."""
    translate = QCoreApplication.translate
    seen = translate("TrainingPicture", "{0}: seen")
    new = translate("TrainingPicture", "{0}: new")
    bars = []
    for labels in LABELS:
        name, result = translated(NAMES[labels]), results.get(labels)
        shares = (None, None) if result is None else (result.training_accuracy, result.held_out_accuracy)
        for words, share in zip((seen, new), shares, strict=True):
            text = "?" if share is None else percent(share)
            is_strong = share is not None and words is new
            bars.append(ShownBar(words.format(name), share or 0.0, text, COLOURS[labels], is_strong))
    return bars
