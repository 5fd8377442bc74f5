"""The stops of Steps in the palette, by the name of the stage and by those of its term."""

from __future__ import annotations

from functools import partial

from bertviz_app.features.steps.reasons import term_of_stage
from bertviz_app.learning.glossary import glossary
from bertviz_app.values import replace
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.stages.stage import Architecture
from bertviz_app.viewmodels.stages.stops import BELOW, STAGES, Stop, all_stops, choice_of, section_name, title
from bertviz_app.views.dialogs.palette import PaletteEntry
from bertviz_app.views.kit.words import translate


def stop_entries(app_state: AppState) -> list[PaletteEntry]:
    """Return the lines of the palette: the embeddings, the layer of the active panel, and what is on top."""
    shown, active = app_state.workspace.shown, app_state.panels.active
    if shown is None or active is None or app_state.workspace.is_blank:
        return []
    trace = shown.result.trace
    sections = (BELOW, min(active.layer, trace.n_layers - 1), trace.n_layers)
    words, first = translate("Commands", "Steps: {0} · {1}"), trace.tokens.labels[0]
    group = translate("Commands", "Steps")
    return [
        PaletteEntry(
            words.format(title(stop.stage, first, trace.form), section_name(stop.section, trace.n_layers)),
            "",
            partial(_go, app_state.panels, stop, trace.n_layers),
            # The English name, as it is listed, and those of its term in both languages.
            " ".join(
                ("Steps:", STAGES[stop.stage].title.format(first), term.name.en, term.name.ko, *term.also)
            ),
            group,
            f"stop {stop.section} {stop.stage}",
            order=1,
        )
        for stop in all_stops(Architecture.of(trace))
        if stop.section in sections
        for term in [glossary()[term_of_stage(stop.stage)]]
    ]


def _go(panels: Panels, stop: Stop, n_layers: int) -> None:
    """Show a stop in the active panel if that shows Steps, else in the first that does; else turn it."""
    active = panels.active
    if active is None:
        return
    panel = next((each for each in (active, *panels.panels) if each.kind.key == "steps"), active)
    panels.choose(panel.number, replace(choice_of(stop, n_layers, "walk"), shows_why=panel.steps.shows_why))
    panels.draw_as(panel.number, "steps")
    panels.activate(panel.number)
