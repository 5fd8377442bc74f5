"""How far a training is, in words and numbers, and what can be done with it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from bertviz_app.inference.training.job import step_of
from bertviz_app.training.finetuning.settings import TuningEvaluation, TuningStep
from bertviz_app.viewmodels.training.live_run import LiveRun
from bertviz_app.viewmodels.training.training import Training
from bertviz_app.viewmodels.wording.error_words import error_text, translated
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.progress_line import ProgressLine
from bertviz_app.views.kit.style import named
from bertviz_app.views.training.words import duration, sizes_of, words_of

_NUMBERS = ("step", "epoch", "time", "left", "speed", "tokens")
_PRETRAINING, _TUNING = ("masked", "next", "baseline"), ("epoch", "right", "commonest")
_ALL = (*_NUMBERS, "masked", "next", "baseline", "right", "commonest")


class TrainingStateView(QWidget):
    """Shows the run of `training`. `open_asked` is of a checkpoint, `compare_asked` of two.

    The first of the two is "" for the default checkpoint.
    """

    open_asked = Signal(str)
    compare_asked = Signal(str, str)

    def __init__(self, look: Look, training: Training, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "clear")
        self._training = training
        self.state = named(QLabel(wordWrap=True), "title")
        self.detail = named(QLabel(wordWrap=True), "secondary")
        self.problem = named(QLabel(wordWrap=True), "problem")
        self.progress = ProgressLine(look)
        self.pause, self.stop, self.go_on = QPushButton(), QPushButton(), named(QPushButton(), "primary")
        self.open_model, self.compare, self.another = (
            named(QPushButton(), "primary"),
            QPushButton(),
            QPushButton(),
        )
        self.notices = named(QLabel(wordWrap=True), "secondary")
        self._labels = {name: named(QLabel(), "secondary") for name in _ALL}
        self.values = {name: named(QLabel(), "value") for name in _ALL}
        self._kept_title = named(QLabel(), "secondary")
        self._kept = QVBoxLayout()
        self._kept_shown: tuple[Path, ...] = ()
        self._place()
        self._connect()
        self.retranslate()

    def _place(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(8)
        for widget in (self.state, self.detail, self.progress, self.problem, self.notices):
            column.addWidget(widget)
        for buttons in (
            (self.pause, self.go_on, self.stop),
            (self.open_model, self.compare),
            (self.another,),
        ):
            row = QHBoxLayout()
            row.setSpacing(8)
            for button in buttons:
                row.addWidget(button, 1)
            column.addLayout(row)
        grid = QGridLayout()
        grid.setVerticalSpacing(4)
        for place, name in enumerate(_ALL):
            grid.addWidget(self._labels[name], place, 0)
            self.values[name].setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(self.values[name], place, 1)
        column.addSpacing(4)
        column.addLayout(grid)
        column.addSpacing(4)
        column.addWidget(self._kept_title)
        self._kept.setSpacing(0)
        column.addLayout(self._kept)
        column.addStretch(1)

    def _connect(self) -> None:
        training = self._training
        self.pause.clicked.connect(training.pause)
        self.go_on.clicked.connect(training.go_on)
        self.stop.clicked.connect(training.stop)
        self.another.clicked.connect(training.leave)
        self.open_model.clicked.connect(self._on_open)
        self.compare.clicked.connect(self._on_compare)
        training.changed.connect(self._on_changed)
        training.advanced.connect(self._on_advanced)

    def retranslate(self) -> None:
        """Write the words in the language in force."""
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
            "commonest": self.tr("Baseline: most frequent label"),
        }
        for name, label in self._labels.items():
            label.setText(words[name])
        self._labels["masked"].setToolTip(
            self.tr("Share of the masked tokens of held-out text that are predicted correctly")
        )
        self._labels["right"].setToolTip(
            self.tr("The share of the held-out data whose label is predicted correctly")
        )
        self._labels["next"].setToolTip(
            self.tr("Share of held-out pairs that are judged correctly; guessing gives one half")
        )
        self.pause.setText(self.tr("Pause"))
        self.go_on.setText(self.tr("Resume"))
        self.stop.setText(self.tr("Stop and save"))
        self.open_model.setText(self.tr("Open the model"))
        self._kept_title.setText(self.tr("Saved during training; click to open"))
        self._kept_shown = ()
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        run = self._training.run
        if run is None:
            return
        self.state.setText(words_of(run))
        self.detail.setText(f"{run.job.out.name} · {sizes_of(run.job)}")
        self.detail.setToolTip(str(run.job.out))
        self.notices.setText("\n".join(translated(notice) for notice in run.notices))
        self.notices.setVisible(bool(run.notices))
        self._say_kind(run)
        wrong = run.problem or run.remark
        self.problem.setText("" if wrong is None else error_text(wrong))
        self.problem.setVisible(wrong is not None)
        self._offer(run)
        self._show_kept(run)
        self._on_advanced()

    def _say_kind(self, run: LiveRun) -> None:
        """Show the numbers of such a run, and what is compared at its end."""
        hidden = _PRETRAINING if run.job.is_tuning else _TUNING
        for name in (*_PRETRAINING, *_TUNING):
            self._labels[name].setVisible(name not in hidden)
            self.values[name].setVisible(name not in hidden)
        if run.job.is_tuning:
            self.compare.setText(self.tr("Compare with the base model"))
            self.compare.setToolTip(
                self.tr("Run A: the checkpoint it started from; run B: the fine-tuned one")
            )
        else:
            self.compare.setText(self.tr("Compare first and last"))
            self.compare.setToolTip(self.tr("Run A: the untrained model; run B: the trained one"))

    def _offer(self, run: LiveRun) -> None:
        goes_on = run.state in ("pausing", "paused") or run.can_go_on
        hidden, shown = (self.pause, self.go_on) if goes_on else (self.go_on, self.pause)
        if (
            self.window().focusWidget() is hidden and run.state != "done"
        ):  # else the focus would go to what stops it
            shown.show()
            shown.setEnabled(True)
            shown.setFocus()
        self.pause.setVisible(run.state in ("starting", "running", "stopping"))
        self.pause.setEnabled(run.state != "stopping")
        self.go_on.setVisible(goes_on)
        self.stop.setVisible(run.is_alive)
        self.stop.setEnabled(run.state != "stopping")
        is_kept = not run.is_alive and bool(run.steps)
        self.open_model.setVisible(is_kept)
        self.compare.setVisible(is_kept and (run.job.is_tuning or bool(run.snapshots)))
        self.another.setVisible(not run.is_alive)
        is_hopeless = run.state == "failed" and not run.steps
        self.another.setText(self.tr("Back to the form") if is_hopeless else self.tr("Another training"))

    def _show_kept(self, run: LiveRun) -> None:
        self._kept_title.setVisible(bool(run.snapshots))
        if run.snapshots == self._kept_shown:
            return
        self._kept_shown = run.snapshots
        while (item := self._kept.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for folder in run.snapshots:
            button = named(QPushButton(self.tr("Step {0}").format(f"{step_of(folder):,}")), "link")
            button.clicked.connect(lambda _=False, folder=folder: self.open_asked.emit(str(folder)))
            self._kept.addWidget(button)

    @Slot()
    def _on_advanced(self) -> None:
        run = self._training.run
        if run is None:
            return
        last = run.last
        left = run.seconds_left if run.is_alive else None
        texts = {
            "step": "–" if last is None else f"{last.step:,} · {last.share:.0%}",
            "time": "–" if last is None else duration(last.seconds),
            "left": "–" if left is None else duration(left),
            "speed": "–" if last is None or not run.is_alive else f"{last.tokens_per_second:,.0f}",
            "tokens": "–" if last is None else f"{last.n_tokens:,}",
            **_judged(run),
        }
        for name, text in texts.items():
            self.values[name].setText(text)
        self._show_progress(run)

    def _show_progress(self, run: LiveRun) -> None:
        share = None if run.last is None else run.last.share
        is_moving = run.is_alive and run.state != "paused"
        self.progress.set_progress(run.is_alive, share if share is not None or is_moving else 0.0)

    @Slot()
    def _on_open(self) -> None:
        if self._training.run is not None:
            self.open_asked.emit(str(self._training.run.job.out))

    @Slot()
    def _on_compare(self) -> None:
        run = self._training.run
        if run is not None and run.job.is_tuning:
            self.compare_asked.emit(run.job.base or "", str(run.job.out))
        elif run is not None and run.snapshots:
            self.compare_asked.emit(str(run.snapshots[0]), str(run.job.out))


def _judged(run: LiveRun) -> dict[str, str]:
    """Return how well it does, as written; what is not known yet is a dash."""
    last, found = run.last, run.held_out[-1] if run.held_out else None
    texts = dict.fromkeys((*_PRETRAINING, *_TUNING), "–")
    if isinstance(last, TuningStep):
        texts["epoch"] = f"{last.epoch:,}"
    if isinstance(found, TuningEvaluation):
        return {**texts, "right": f"{found.accuracy:.1%}", "commonest": f"{found.baseline:.1%}"}
    if found is not None:
        shares = {"masked": found.masked_accuracy, "next": found.next_accuracy, "baseline": found.baseline}
        texts |= {name: f"{share:.1%}" for name, share in shares.items()}
    return texts
