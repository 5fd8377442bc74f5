"""What goes on with a training, in words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from bertviz_app.viewmodels.training_run import LiveRun


def words_of(run: LiveRun) -> str:
    """Return in a few words what goes on with a run."""
    translate = QCoreApplication.translate
    stages = {
        "vocabulary": translate("Training", "Making the vocabulary …"),
        "tokens": translate("Training", "Reading the texts …"),
        "training": translate("Training", "Learning"),
    }
    words = {
        "starting": translate("Training", "Starting …"),
        "running": stages.get(run.stage, translate("Training", "Starting …")),
        "pausing": translate("Training", "Pausing after this step …"),
        "paused": translate("Training", "Paused"),
        "stopping": translate("Training", "Stopping; the run is being kept …"),
        "stopped": translate("Training", "Stopped; it can be gone on with"),
        "failed": translate("Training", "It was broken off"),
        "done": translate("Training", "Done"),
    }
    return words[run.state]


def duration(seconds: float) -> str:
    """Return a time as minutes and seconds, with hours where there are any: "1:05", "2:00:09"."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
