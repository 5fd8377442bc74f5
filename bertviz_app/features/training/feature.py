"""What the room of training brings: its page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertviz_app.shell.feature import Feature

if TYPE_CHECKING:
    from bertviz_app.features.training.page import TrainingController
    from bertviz_app.shell.window.window import MainWindow
    from bertviz_app.viewmodels.label_trainings import LabelTrainings


def _parts(window: MainWindow) -> list[TrainingController]:
    from bertviz_app.features.training.page import TrainingController

    state, store = window.app_state, window.session.store
    return [TrainingController(window, state, window.look, store, window.files, window.export)]


def _label_trainings() -> LabelTrainings:
    from bertviz_app.features.training.label_trainings import TrainedLabels

    return TrainedLabels()


TRAINING = Feature(_parts, label_trainings=_label_trainings)
