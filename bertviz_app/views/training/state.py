"""How far a training is, in words and numbers, and what can be done with it."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget

from bertviz_app.viewmodels.training.training import LiveRun, Training
from bertviz_app.viewmodels.wording import error_text, translated
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.progress_line import ProgressLine
from bertviz_app.views.kit.style import named
from bertviz_app.views.training.run_buttons import RunButtons
from bertviz_app.views.training.run_numbers import RunNumbers
from bertviz_app.views.training.saved_models import SavedModels
from bertviz_app.views.training.words import sizes_of, words_of


class TrainingStateView(QWidget):
    """Shows the run of `training`. `open_requested` is of a checkpoint, `compare_requested` of two.

    The first of the two is "" for the default checkpoint.
    """

    open_requested = Signal(str)
    compare_requested = Signal(str, str)

    def __init__(self, look: Look, training: Training, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        named(self, "clear")
        self._training = training
        self.state = named(QLabel(wordWrap=True), "title")
        self.detail = named(QLabel(wordWrap=True), "secondary")
        self.problem = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "problem")
        self.progress = ProgressLine(look)
        self.notices = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "secondary")
        self.buttons = RunButtons(training)
        self.numbers = RunNumbers()
        self.saved = SavedModels()
        self._lay_out()
        self.buttons.open_requested.connect(self.open_requested)
        self.buttons.compare_requested.connect(self.compare_requested)
        self.saved.open_requested.connect(self.open_requested)
        training.changed.connect(self._on_changed)
        training.advanced.connect(self._on_advanced)
        self.retranslate()

    def _lay_out(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(8)
        for widget in (self.state, self.detail, self.progress, self.problem, self.notices, self.buttons):
            column.addWidget(widget)
        column.addSpacing(4)
        column.addWidget(self.numbers)
        column.addSpacing(4)
        column.addWidget(self.saved)
        column.addStretch(1)

    def retranslate(self) -> None:
        self.buttons.retranslate()
        self.numbers.retranslate()
        self.saved.retranslate()
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
        wrong = run.problem or run.remark
        self.problem.setText("" if wrong is None else error_text(wrong))
        self.problem.setVisible(wrong is not None)
        self.buttons.show_run(run)
        self.numbers.show_kind(run)
        self.numbers.setVisible(not run.never_began)
        self.saved.show_folders(run.snapshots)
        self._on_advanced()

    @Slot()
    def _on_advanced(self) -> None:
        run = self._training.run
        if run is not None:
            self.numbers.show_run(run)
            self._show_progress(run)

    def _show_progress(self, run: LiveRun) -> None:
        share = None if run.last is None else run.last.share
        is_moving = run.is_alive and run.state != "paused"
        self.progress.set_progress(run.is_alive, share if share is not None or is_moving else 0.0)
