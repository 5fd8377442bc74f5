"""Runs in words, runs and models that are saved, and their steps played."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QLabel, QPushButton, QScrollArea, QSlider, QWidget

from bertviz_app.features.training.pretraining.settings import PretrainingSettings
from bertviz_app.features.training.process.job import TrainingJob, step_of
from bertviz_app.features.training.state import LiveRun, Training
from bertviz_app.features.training.watched_sentence import WatchedSentence
from bertviz_app.views.kit.card import Elided
from bertviz_app.views.kit.look import Gap, Look, in_column, in_row, named
from bertviz_app.views.kit.widgets import NumberedSteps, empty


def words_of(run: LiveRun) -> str:
    """Return the state of a run in a few words."""
    translate = QCoreApplication.translate
    stages = {
        "vocabulary": translate("Training", "Making the vocabulary …"),
        "opening": translate("Training", "Opening the checkpoint …"),
        "rows": translate("Training", "Reading the rows …"),
        "tokens": translate("Training", "Reading the texts …"),
        "training": translate("Training", "Training"),
    }
    words = {
        "starting": translate("Training", "Starting …"),
        "running": stages.get(run.stage, translate("Training", "Starting …")),
        "pausing": translate("Training", "Pausing after this step …"),
        "paused": translate("Training", "Paused"),
        "stopping": translate("Training", "Stopping; the run is being saved …"),
        "stopped": translate("Training", "Stopped; it can be resumed"),
        "failed": (
            translate("Training", "Could not start")
            if run.never_began
            else translate("Training", "Interrupted")
        ),
        "done": translate("Training", "Done"),
    }
    return words[run.state]


def sizes_of(job: TrainingJob) -> str:
    """Return what is trained: the sizes of a new model, or the checkpoint that is trained further."""
    translate = QCoreApplication.translate
    if job.has_base:
        name = job.base_name or translate("Training", "the default checkpoint")
        tuned, continued = (
            translate("Training", "fine-tunes {0}"),
            translate("Training", "trains {0} further"),
        )
        return (tuned if job.is_tuning else continued).format(name)
    assert isinstance(job.settings, PretrainingSettings)
    sizes = job.settings.n_layers, job.settings.n_heads, job.settings.width
    return translate("Training", "{0} layers × {1} heads, width {2}").format(*sizes)


def duration(seconds: float) -> str:
    """Return a time as minutes and seconds, with hours where there are any: "1:05", "2:00:09"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


_WIDEST = 720
"""At the normal text size: longer lines are hard to read, and a row's button would be far from its name."""


class TrainingRunsView(QScrollArea):
    """Says what will be seen, and lists the runs of `training`, the newest first."""

    def __init__(self, look: Look, training: Training) -> None:
        super().__init__(widgetResizable=True, alignment=Qt.AlignmentFlag.AlignHCenter)
        self._look = look
        self._training = training
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._inner = named(QWidget(), "clear")
        intro = NumberedSteps(
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
        self._title = named(QLabel(), "title")
        self._rows = in_column(margins=0, spacing=4)
        parts = intro, Gap(8), self._title, self._rows, 1
        in_column(*parts, of=self._inner, margins=(16, 40, 16, 14), spacing=10)
        self.setWidget(self._inner)
        look.changed.connect(self._on_look_changed)
        self._on_look_changed()
        training.saved_runs.changed.connect(self._on_runs_changed)
        self._on_runs_changed()

    @Slot()
    def _on_look_changed(self) -> None:
        self._inner.setMaximumWidth(self._look.pixels(_WIDEST))

    @Slot()
    def _on_runs_changed(self) -> None:
        empty(self._rows)
        runs = self._training.saved_runs.runs
        self._title.setText(self.tr("Trainings on this computer") if runs else "")
        for run in runs:
            line, button = QWidget(), named(QPushButton(), "small")
            name = run.job.out.name
            state = self.tr("done") if run.is_done else self.tr("not started")
            if run.last is not None and not run.is_done:
                state = self.tr("step {0}, {1}").format(f"{run.last.step:,}", f"{run.last.share:.0%}")
            label = Elided(f"{name}   {sizes_of(run.job)}   {state}")
            label.setToolTip(str(run.job.out))
            button.setText(self.tr("View") if run.is_done else self.tr("Resume"))
            button.setAccessibleName(f"{button.text()}: {name}")
            button.clicked.connect(
                lambda _=False, run=run: self._training.open_run(run.job.out, goes_on=not run.is_done)
            )
            in_row((label, 1), button, of=line, margins=0)
            self._rows.addWidget(line)


class SavedModels(QWidget):
    """Shows a line for each folder, named after its step; `open_requested` is of the one that was clicked."""

    open_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._folders: tuple[Path, ...] = ()
        self._title = named(QLabel(self.tr("Saved during training; click to open")), "secondary")
        self._links = in_column(margins=0, spacing=0)
        in_column(self._title, self._links, of=self, margins=0, spacing=8)

    def show_folders(self, folders: tuple[Path, ...]) -> None:
        """Show these; links are made again only if others are to be shown."""
        self.setVisible(bool(folders))
        if folders == self._folders:
            return
        self._folders = folders
        empty(self._links)
        for folder in folders:
            button = named(QPushButton(self.tr("Step {0}").format(f"{step_of(folder):,}")), "link")
            button.clicked.connect(lambda _=False, folder=folder: self.open_requested.emit(str(folder)))
            self._links.addWidget(button)


class StepPlayer(QWidget):
    """Chooses which step `watched` shows; while it plays, the next one follows once the last one is read."""

    def __init__(self, watched: WatchedSentence) -> None:
        super().__init__()
        self._watched = watched
        self.slider = named(QSlider(Qt.Orientation.Horizontal), title=self.tr("Step that is shown"))
        self.play = named(QPushButton("▶"), "corner", self.tr("Play from the first step to the last"))
        self.step = named(QLabel(), "value")
        self._timer = QTimer(self, interval=200)
        in_row(self.play, (self.slider, 1), self.step, of=self, margins=0, spacing=8)
        self.slider.valueChanged.connect(self._on_slid)
        self.play.clicked.connect(self._on_play)
        self._timer.timeout.connect(self._on_tick)
        watched.changed.connect(self._on_changed)
        self._on_changed()

    @Slot()
    def _on_changed(self) -> None:
        shown = self._watched.shown
        self.step.setText("" if shown is None else self.tr("Step {0}").format(f"{shown.step:,}"))
        if shown is None:
            self._timer.stop()
            self._show_playing()
            return
        with QSignalBlocker(self.slider):
            self.slider.setRange(0, len(shown.steps) - 1)
            self.slider.setValue(shown.steps.index(shown.step))

    @Slot(int)
    def _on_slid(self, position: int) -> None:
        shown = self._watched.shown
        if shown is not None:
            self._watched.choose(shown.steps[min(position, len(shown.steps) - 1)])

    @Slot()
    def _on_play(self) -> None:
        if self._timer.isActive():
            self._timer.stop()
        else:
            if self.slider.value() == self.slider.maximum():
                self.slider.setValue(0)
            self._timer.start()
        self._show_playing()

    @Slot()
    def _on_tick(self) -> None:
        if self.slider.value() >= self.slider.maximum():
            self._timer.stop()
            self._show_playing()
        elif not self._watched.is_busy:
            self.slider.setValue(self.slider.value() + 1)

    def _show_playing(self) -> None:
        self.play.setText("■" if self._timer.isActive() else "▶")
