"""`value_choices`: what a question about the run on screen can name: its tokens, measures, stops, classes."""

from __future__ import annotations

from typing import get_args

from bertviz_app.features.lessons.course.lesson import Scene, View
from bertviz_app.features.lessons.course.tasks import QuantityInputs
from bertviz_app.features.lessons.state.player import analysed_tokens, predicted_classes
from bertviz_app.features.lessons.state.scenes import name_of
from bertviz_app.features.lessons.views.station_form import Choices
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import PANEL_KINDS, Content
from bertviz_app.viewmodels.stages import stops as stop_words
from bertviz_app.viewmodels.stages.stage import Architecture
from bertviz_app.viewmodels.stages.stops import all_stops
from bertviz_app.viewmodels.wording import content_title, translated
from bertviz_app.views.overview.heads_table import measure_words


def value_choices(app_state: AppState, scene: Scene) -> Choices:
    """Return what the values of a question about `scene` are chosen from; nothing without a result.

    Of the classes of the model the one that it predicts is left out: its task would be done already.
    """
    shown = app_state.workspace.shown
    if shown is None:
        return {}
    trace = shown.result.trace
    run = QuantityInputs(trace)
    names = (name_of(run, position) for position in range(trace.n_tokens))
    stages = dict.fromkeys(stop.stage for stop in all_stops(Architecture.of(trace)))
    measures = measure_words(shown.overview.special_names)
    return {
        "token": {name: name for name in names if name is not None},
        "measure": {key: each.title for key, each in measures.items()},
        "view": {key: translated(PANEL_KINDS[key].title) for key in get_args(View)},
        "stage": {key: stop_words.title(key, trace.tokens.labels[0], trace.form) for key in stages},
        "analysis": {key: content_title(Content(key)) for key in analysed_tokens(app_state, scene)},
        "class": {name: name for name in predicted_classes(app_state)[1:]},
    }
