"""The classes that have more methods or attributes than a class may: a list that only gets shorter."""

from __future__ import annotations

from types import MappingProxyType

LARGE_CLASSES = MappingProxyType(
    {
        "bertviz_app.views.tokens.strip.TokenStrip": (34, 9),
        "bertviz_app.views.training.page.TrainingPage": (9, 14),
        "bertviz_app.views.training.pretraining_form.TrainingFormView": (9, 22),
        "bertviz_app.views.training.state.TrainingStateView": (12, 17),
        "bertviz_app.views.training.watch.WatchView": (19, 17),
    }
)
"""Module and class, the number of its methods, the number of its attributes."""
