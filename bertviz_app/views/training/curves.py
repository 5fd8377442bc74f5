"""Which curves are drawn of a run: of a pre-training, and of a fine-tuning."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from PySide6.QtCore import QCoreApplication

from bertviz_app.viewmodels.training.live_run import LiveRun, column, smoothed
from bertviz_app.views.training.curve_plot import Curve

_CHANCE = 0.5  # half of the pairs follow each other


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
    translate = QCoreApplication.translate
    if run.job.is_tuning:
        rows = translate("TrainingPage", "Held-out data"), "accent", "accuracy"
        return [
            _evaluated(run, *rows),
            _level(run, translate("TrainingPage", "Baseline: most frequent label")),
        ]
    hidden = translate("TrainingPage", "Masked tokens"), "accent", "masked_accuracy"
    following = translate("TrainingPage", "Next sentence"), "sentence_b", "next_accuracy"
    commonest = translate("TrainingPage", "Baseline: most frequent token")
    chance = _level(run, translate("TrainingPage", "Next sentence by chance"))
    return [
        _evaluated(run, *hidden),
        _evaluated(run, *following),
        _level(run, commonest),
        replace(chance, colour="sentence_b", values=np.full(len(chance.steps), _CHANCE)),
    ]


def _smooth(run: LiveRun, name: str, colour: str, key: str) -> Curve:
    raw = column(run.steps, key)
    return Curve(name, colour, column(run.steps, "step"), smoothed(raw), raw)


def _evaluated(run: LiveRun, name: str, colour: str, key: str) -> Curve:
    return Curve(name, colour, column(run.held_out, "step"), column(run.held_out, key), is_marked=True)


def _level(run: LiveRun, name: str) -> Curve:
    """Return the baseline, from the first step to the last."""
    level = column(run.held_out[-1:], "baseline")
    steps = column(run.held_out, "step")
    last = max([run.last.step if run.last else 0, *steps.tolist()], default=0)
    across = np.array([0.0, last]) if len(level) else level
    return Curve(name, "secondary", across, np.resize(level, len(across)), is_level=True)
