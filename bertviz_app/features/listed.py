"""All rooms, in the order in which their commands are listed. Nothing else names one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bertviz_app.features.corpora.feature import CORPORA
from bertviz_app.features.lessons.feature import LESSONS
from bertviz_app.features.own_checkpoints.feature import OWN_CHECKPOINTS
from bertviz_app.features.parameters.feature import PARAMETERS
from bertviz_app.features.steps.feature import STEPS
from bertviz_app.features.training.feature import TRAINING
from bertviz_app.features.vectors.feature import VECTORS

if TYPE_CHECKING:
    from bertviz_app.shell.feature import Feature

FEATURES = (VECTORS, STEPS, PARAMETERS, TRAINING, CORPORA, LESSONS, OWN_CHECKPOINTS)
"""The rooms that have something in a window."""


def all_features() -> tuple[Feature, ...]:
    """Return these and the rooms that bring something to layers below alone."""
    from bertviz_app.features.methods.feature import METHODS
    from bertviz_app.features.rendering.feature import RENDERING
    from bertviz_app.features.tokenizers.feature import TOKENIZERS

    return (*FEATURES, METHODS, RENDERING, TOKENIZERS)
