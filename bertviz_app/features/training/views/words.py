"""The state of a training in words."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from bertviz_app.features.training.pretraining.settings import PretrainingSettings
from bertviz_app.features.training.process.job import TrainingJob
from bertviz_app.features.training.state import LiveRun


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
