"""`value_choices`: what a question about the run on screen can name: its tokens, measures, stops, classes."""

from __future__ import annotations

from typing import get_args

from bertviz_app.learning.lessons.lesson import Scene, View
from bertviz_app.learning.lessons.tasks import QuantityInputs
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.learning.player import analysed_tokens, predicted_classes
from bertviz_app.viewmodels.learning.scenes import name_of
from bertviz_app.viewmodels.panel import PANEL_KINDS, Content
from bertviz_app.viewmodels.steps import stops as words
from bertviz_app.viewmodels.steps.stage import Architecture
from bertviz_app.viewmodels.steps.stops import all_stops
from bertviz_app.viewmodels.wording import content_title, translated
from bertviz_app.views.lessons.station_form import ValueChoices
from bertviz_app.views.overview.heads_table import measure_words


def value_choices(app_state: AppState, scene: Scene) -> ValueChoices:
    """Return what the values of a question about `scene` are chosen from; nothing without a result.

    Of the classes of the model the one that it predicts is left out: its task would be done already.
    """
    shown = app_state.workspace.shown
    if shown is None:
        return ValueChoices()
    trace = shown.result.trace
    run = QuantityInputs(trace)
    names = (name_of(run, position) for position in range(trace.n_tokens))
    stages = dict.fromkeys(stop.stage for stop in all_stops(Architecture.of(trace)))
    return ValueChoices(
        tokens=[name for name in names if name is not None],
        measures={key: each.title for key, each in measure_words(shown.overview.special_names).items()},
        views={key: translated(PANEL_KINDS[key].title) for key in get_args(View)},
        stages={key: words.title(key, trace.tokens.labels[0], trace.form) for key in stages},
        analyses={key: content_title(Content(key)) for key in analysed_tokens(app_state, scene)},
        classes={name: name for name in predicted_classes(app_state)[1:]},
    )
