"""The curves of a training, and of one that was recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np
from PySide6.QtCore import QCoreApplication, Slot
from PySide6.QtWidgets import QLabel, QWidget

from bertviz_app.features.training.finetuning.settings import (
    MultiLabelEvaluation,
    ScoreEvaluation,
    TagEvaluation,
)
from bertviz_app.features.training.state import LiveRun, Training, column
from bertviz_app.features.training.views.runs import sizes_of
from bertviz_app.learning.words import recorded_run
from bertviz_app.tables import Cell, RowSource, Table
from bertviz_app.viewmodels.export import Numbers, Runs
from bertviz_app.views.kit.card import Card
from bertviz_app.views.kit.look import Look, in_column, in_row
from bertviz_app.views.kit.subject import ExportSubject, PictureSheet
from bertviz_app.views.kit.terms import explain_with
from bertviz_app.views.plots.charts import Curve, CurvePlot, smoothed

_GAP = 8


class CurveCard(Card):
    """Curves of the run of `training`; `name` is that of their files."""

    has_python = False

    def __init__(self, name: str, plot: CurvePlot, training: Training) -> None:
        super().__init__("", plot)
        self._name = name
        self._plot = plot
        self._training = training

    @property
    def is_exported(self) -> bool:
        return True

    def subject(self, runs: Runs | None) -> ExportSubject | None:
        """Return the curves, which are of a training and not of `runs`; None before there is one."""
        run = self._training.run
        if run is None:
            return None
        step = QCoreApplication.translate("WatchView", "Step {0}").format(
            f"{run.last.step if run.last else 0:,}"
        )
        title = f"{self.title.text()} · {self.qualifier.text()}"
        sheet = PictureSheet(title, (f"{sizes_of(run.job)} · {step}",))
        numbers = partial(_numbers, self._plot.curves, str(run.job.out))
        return ExportSubject(self._plot, self._name, sheet, numbers, python="")


def _numbers(curves: tuple[Curve, ...], folder: str) -> Numbers:
    arrays = {}
    for curve in curves:
        arrays[f"{curve.name}, step"], arrays[curve.name] = curve.steps, curve.values
        if curve.raw is not None:
            arrays[f"{curve.name}, unsmoothed"] = curve.raw
    columns = "curve", "step", "value", "unsmoothed"

    def rows() -> Iterator[tuple[Cell, ...]]:
        for curve in curves:
            raw = curve.values if curve.raw is None else curve.raw
            for step, value, unsmoothed in zip(curve.steps, curve.values, raw, strict=True):
                yield curve.name, int(step), float(value), float(unsmoothed)

    return Numbers({"run": folder}, arrays, table=lambda: Table(columns, RowSource(rows)))


class CurvesView(QWidget):
    """Follows the run of `training`; the titles tell held-out text from held-out rows."""

    def __init__(self, look: Look, training: Training) -> None:
        super().__init__()
        self._training = training
        self.losses, self.accuracies = CurvePlot(look), CurvePlot(look, "%")
        self.losses_card = CurveCard("losses", self.losses, training)
        self.accuracies_card = CurveCard("accuracies", self.accuracies, training)
        explain_with(self.losses_card.title, "loss")
        explain_with(self.losses_card.qualifier, "nats")
        explain_with(self.accuracies_card.title, "held_out")
        explain_with(self.accuracies_card.qualifier, "accuracy")
        in_column((self.losses_card, 1), (self.accuracies_card, 1), of=self, margins=0, spacing=_GAP)
        training.changed.connect(self._name_accuracies)
        training.advanced.connect(self._on_advanced)
        self.losses_card.title.setText(self.tr("Losses"))
        self.losses.setAccessibleName(self.tr("Losses over the steps"))
        self._name_accuracies()
        self._on_advanced()

    @property
    def cards(self) -> tuple[CurveCard, CurveCard]:
        return self.losses_card, self.accuracies_card

    @Slot()
    def _name_accuracies(self) -> None:
        run = self._training.run
        is_tuning = run is not None and run.job.is_tuning
        found = None if run is None else run.verdict
        has_scores = isinstance(found, ScoreEvaluation)
        self.accuracies.unit = "" if has_scores else "%"
        qualifier = self.tr("accuracy")
        if has_scores:
            qualifier = self.tr("correlation of predicted and correct numbers")
        elif isinstance(found, MultiLabelEvaluation):
            qualifier = self.tr("F1 of the labels")
        elif isinstance(found, TagEvaluation) and found.spans is not None:
            qualifier = self.tr("accuracy of the labels, F1 of the spans")
        self.accuracies_card.qualifier.setText(qualifier)
        self.losses_card.qualifier.setText(
            self.tr("mean squared error; lower is better")
            if has_scores
            else self.tr("cross-entropy in nats: the model’s surprise; lower is better")
        )
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
        self._name_accuracies()  # the first evaluation shows what is predicted
        words = self.tr("step")
        self.losses.show_curves(loss_curves(run), words)
        self.accuracies.show_curves(accuracy_curves(run), words)


def loss_curves(run: LiveRun) -> list[Curve]:
    """Return the losses in nats of every step, smoothed."""
    translate = QCoreApplication.translate
    if run.job.is_tuning:
        rows = translate("TrainingPage", "Training data"), "accent", "loss"
        held_out = translate("TrainingPage", "Held-out data"), "sentence_b", "loss"
        return [_smooth(run, *rows), _evaluated(run, *held_out)]
    hidden = translate("TrainingPage", "Masked tokens"), "accent", "masked_loss"
    following = translate("TrainingPage", "Next sentence"), "sentence_b", "next_loss"
    return [_smooth(run, *hidden), _smooth(run, *following)]


def accuracy_curves(run: LiveRun) -> list[Curve]:
    """Return the accuracies on held-out data, and the baseline to compare them with."""
    translate, found = QCoreApplication.translate, run.verdict
    if isinstance(found, ScoreEvaluation):
        return [
            _evaluated(run, translate("TrainingPage", "Pearson"), "accent", "pearson"),
            _evaluated(run, translate("TrainingPage", "Spearman"), "sentence_b", "spearman"),
        ]
    if run.job.is_tuning:
        curves = [_level(run, translate("TrainingPage", "Baseline: most frequent label"))]
        name, key = translate("TrainingPage", "Held-out data"), "accuracy"
        if isinstance(found, MultiLabelEvaluation):
            name, key = translate("TrainingPage", "Micro F1"), "micro_f1"
            curves.insert(0, _evaluated(run, translate("TrainingPage", "Macro F1"), "sentence_b", "macro_f1"))
        elif isinstance(found, TagEvaluation):
            words = translate("TrainingPage", "Accuracy of words")
            name = words if found.unit == "words" else translate("TrainingPage", "Accuracy of characters")
            if found.spans is not None:
                spans = translate("TrainingPage", "F1 of the spans")
                curves.insert(0, _evaluated(run, spans, "sentence_b", "f1"))
        return [_evaluated(run, name, "accent", key), *curves]
    hidden = translate("TrainingPage", "Masked tokens"), "accent", "masked_accuracy"
    following = translate("TrainingPage", "Next sentence"), "sentence_b", "next_accuracy"
    commonest = translate("TrainingPage", "Baseline: most frequent token")
    chance = _level(run, translate("TrainingPage", "Next sentence by chance"))
    return [
        _evaluated(run, *hidden),
        _evaluated(run, *following),
        _level(run, commonest),
        # Half of the pairs follow each other.
        replace(chance, colour="sentence_b", values=np.full(len(chance.steps), 0.5)),
    ]


def _smooth(run: LiveRun, name: str, colour: str, key: str) -> Curve:
    raw = column(run.steps, key)
    return Curve(name, colour, column(run.steps, "step"), smoothed(raw), raw)


def _evaluated(run: LiveRun, name: str, colour: str, key: str) -> Curve:
    return Curve(name, colour, column(run.held_out, "step"), column(run.held_out, key), is_marked=True)


def _level(run: LiveRun, name: str) -> Curve:
    """Return the baseline, from the first step to the last."""
    level = column(run.held_out[-1:], "baseline")
    last = max([run.last.step if run.last else 0, *column(run.held_out, "step").tolist()])
    across = np.array([0.0, last]) if len(level) else level
    return Curve(name, "secondary", across, np.resize(level, len(across)), is_level=True)


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
