"""How far a run is, and how well it does, as a table of numbers."""

from __future__ import annotations

from types import MappingProxyType

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from bertviz_app.training.finetuning.settings import (
    ScoreEvaluation,
    TagEvaluation,
    TuningEvaluation,
    TuningStep,
)
from bertviz_app.training.pretraining.settings import Evaluation
from bertviz_app.viewmodels.training.training import LiveRun
from bertviz_app.views.kit.style import named
from bertviz_app.views.kit.terms import explain_with
from bertviz_app.views.training.words import duration

_NUMBERS = ("step", "epoch", "time", "left", "speed", "tokens")
_PRETRAINING, _CLASSES = ("masked", "next", "baseline"), ("right", "commonest")
_TAGS = ("right", "spans", "commonest")
_SCORES = ("pearson", "spearman", "error", "mean")
_ALL = (*_NUMBERS, *_PRETRAINING, *_TAGS, *_SCORES)
_TERMS = MappingProxyType(
    {
        "step": "step",
        "epoch": "epoch",
        "tokens": "token",
        "masked": "accuracy",
        "next": "accuracy",
        "right": "accuracy",
        "baseline": "baseline",
        "commonest": "baseline",
    }
)
"""The entries of the glossary for the names of the numbers."""


class RunNumbers(QWidget):
    """Shows those numbers that a run of its kind has; what is not known yet is a dash."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._labels = {name: named(QLabel(), "secondary") for name in _ALL}
        self.values = {name: named(QLabel(), "value") for name in _ALL}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(4)
        for row, name in enumerate(_ALL):
            grid.addWidget(self._labels[name], row, 0)
            explain_with(self._labels[name], _TERMS.get(name, ""))
            self.values[name].setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(self.values[name], row, 1)

    def retranslate(self) -> None:
        words = {
            "step": self.tr("Steps"),
            "time": self.tr("Training time"),
            "left": self.tr("Time left"),
            "speed": self.tr("Tokens a second"),
            "tokens": self.tr("Tokens read"),
            "masked": self.tr("Masked-token accuracy"),
            "next": self.tr("Next-sentence accuracy"),
            "baseline": self.tr("Baseline: most frequent token"),
            "epoch": self.tr("Epoch"),
            "right": self.tr("Accuracy on held-out data"),
            "spans": self.tr("F1 of the spans in held-out data"),
            "commonest": self.tr("Baseline: most frequent label"),
            "pearson": self.tr("Pearson correlation on held-out data"),
            "spearman": self.tr("Spearman correlation on held-out data"),
            "error": self.tr("Mean squared error on held-out data"),
            "mean": self.tr("Baseline: always the mean"),
        }
        for name, label in self._labels.items():
            label.setText(words[name])
        self._labels["masked"].setToolTip(
            self.tr("Share of the masked tokens of held-out text that are predicted correctly")
        )
        self._labels["right"].setToolTip(
            self.tr("The share of the held-out data whose label is predicted correctly")
        )
        self._labels["spans"].setToolTip(
            self.tr(
                "The harmonic mean of precision and recall; a span is found where its beginning, "
                "its end and its type are right"
            )
        )
        self._labels["next"].setToolTip(
            self.tr("Share of held-out pairs that are judged correctly; guessing gives one half")
        )

    def show_kind(self, run: LiveRun) -> None:
        """Show the numbers of a pre-training, or those of a fine-tuning."""
        shown = _PRETRAINING
        if run.job.is_tuning:
            of_labels = _TAGS if run.has_spans else _CLASSES
            shown = ("epoch", *(_SCORES if run.has_scores else of_labels))
        for name in ("epoch", *_PRETRAINING, *_TAGS, *_SCORES):
            self._labels[name].setVisible(name in shown)
            self.values[name].setVisible(name in shown)

    def show_run(self, run: LiveRun) -> None:
        """Show the numbers of the last step and of the last evaluation."""
        self.show_kind(run)  # the first evaluation shows whether scores are predicted
        last = run.last
        left = run.seconds_left if run.is_alive else None
        texts = {
            "step": "–" if last is None else f"{last.step:,} · {last.share:.0%}",
            "time": "–" if last is None else duration(last.seconds),
            "left": "–" if left is None else duration(left),
            "speed": "–" if last is None or not run.is_alive else f"{last.tokens_per_second:,.0f}",
            "tokens": "–" if last is None else f"{last.n_tokens:,}",
            **_evaluated(run),
        }
        for name, text in texts.items():
            self.values[name].setText(text)


def _evaluated(run: LiveRun) -> dict[str, str]:
    """Return how well it does, as written; what is not known yet is a dash."""
    last, found = run.last, run.held_out[-1] if run.held_out else None
    texts = dict.fromkeys(("epoch", *_PRETRAINING, *_TAGS, *_SCORES), "–")
    if isinstance(last, TuningStep):
        texts["epoch"] = f"{last.epoch:,}"
    if isinstance(found, TuningEvaluation):
        right = _share_of(found.accuracy, found.n_rows)
        return {**texts, "right": right, "commonest": f"{found.baseline:.1%}"}
    if isinstance(found, ScoreEvaluation):
        errors = {"error": f"{found.loss:.3f}", "mean": f"{found.baseline:.3f}"}
        correlations = {"pearson": _written(found.pearson), "spearman": _written(found.spearman)}
        return texts | errors | correlations
    if isinstance(found, TagEvaluation):
        right = _share_of(found.accuracy, found.n_units)
        texts |= {"right": right, "commonest": f"{found.baseline:.1%}"}
        if found.all_spans is not None:
            texts["spans"] = _share_of(found.f1, found.all_spans.n_true)
    elif isinstance(found, Evaluation):
        texts["masked"] = _share_of(found.masked_accuracy, found.n_masked)
        texts["next"] = _share_of(found.next_accuracy, found.n_pairs)
        texts["baseline"] = f"{found.baseline:.1%}"
    return texts


def _written(correlation: float | None) -> str:
    return "–" if correlation is None else f"{correlation:.3f}"


def _share_of(share: float, count: int) -> str:
    """Return a share with the number of examples that it is of: of twenty pairs, 40 % says little."""
    if not count:
        return f"{share:.1%}"
    return QCoreApplication.translate("RunNumbers", "{0} of {1}").format(f"{share:.1%}", f"{count:,}")
