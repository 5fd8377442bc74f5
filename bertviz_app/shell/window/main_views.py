"""`MainViews`: the views of a result and the cards around them."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from bertviz_app.options import ENCODED_RUNS
from bertviz_app.shell.window.docks import INTERVENTIONS, NAMES, Dock, DockArea, left_column, right_column
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panels import RUNS
from bertviz_app.views.inspector.view import InspectorPage, InspectorView, PairHeadsView, PredictionsSection
from bertviz_app.views.interventions import InterventionsView
from bertviz_app.views.kit.card import HEADER, Card
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelTools
from bertviz_app.views.overview.card import OverviewCard
from bertviz_app.views.overview.divergence import DivergenceView, RunOverview
from bertviz_app.views.overview.heads_table import HeadsTable
from bertviz_app.views.panels.area import PanelArea
from bertviz_app.views.tokens.strip import OtherStrip, TokenStrip
from bertviz_app.views.vectors.heat import VectorPlot

_PLOT_CARD = 166  # the height in which the plot of a vector has its whole scale


class Cards(NamedTuple):
    """The cards around the panels."""

    overview: OverviewCard
    heads: Card
    inspector: Card
    pooled: Card
    interventions: Card


class MainViews:
    """Builds the views of a result and their cards. `docks`: the panels, with the cards around them."""

    def __init__(self, app_state: AppState, look: Look) -> None:
        self._look = look
        panels, options, of_runs = app_state.panels, app_state.overview, app_state.shown_runs.states
        self.strip = TokenStrip(look, app_state.selection)
        self.other_strip = OtherStrip(look, of_runs["B"].selection, app_state.comparison, app_state.workspace)
        self.overview = OverviewCard(look, panels, options)
        self.heads = HeadsTable(look, panels, options)
        self.divergence = DivergenceView(look, panels, options)
        self.runs = RunOverview(app_state.comparison, self.overview, self.divergence)
        self.area = PanelArea(panels, panel_tools(app_state, look))
        self.inspector_page = _inspector_page(app_state, look)
        self.cards = self._build_cards(app_state)
        self.docks = self._place_cards()

    def _build_cards(self, app_state: AppState) -> Cards:
        translate = QCoreApplication.translate
        of_interventions = InterventionsView(
            app_state.run_interventions, app_state.interventions, app_state.outcomes
        )
        cards = Cards(
            self.overview,
            Card(translate("MainArea", "Heads"), self.heads),
            Card(translate("MainArea", "Inspector"), self.inspector_page),
            Card("", VectorPlot(self._look)),  # its title is the name of the vector
            Card(translate("MainArea", "Interventions"), of_interventions),
        )
        for card, term in zip(
            cards, ("overview", "head", "inspector", "pooler", "interventions"), strict=True
        ):
            card.explain_with(term)
        return cards

    def _place_cards(self) -> DockArea:
        names = (*NAMES, INTERVENTIONS)
        overview, heads, inspector, vector, interventions = map(Dock, names, self.cards)
        columns = (
            left_column(self._look, (overview, heads), self._overview_height),
            right_column(self._look, (inspector, vector), self._inspector_height),
        )
        return DockArea(self._look, self.area, columns, interventions)

    def _overview_height(self, width: int, height: int) -> int:
        height_needed = self._look.pixels(HEADER) + self.runs.height_for(width - 2) + 6
        share = 0.6 if self.runs.row.isHidden() else 0.63  # a comparison has sentences below the cells
        return min(height_needed, round(height * share))

    def _inspector_height(self, width: int, height: int) -> int:
        frame = self._look.pixels(HEADER) + 5
        desired = frame + round(self.inspector_page.height_for(height * 0.75 - frame))
        least = frame + self.inspector_page.least_height
        return min(desired, max(least, height - self._look.pixels(_PLOT_CARD)))


def _inspector_page(app_state: AppState, look: Look) -> InspectorPage:
    """Return the numbers of what is pointed at, and the predictions."""
    runs = app_state.shown_runs
    selections = {run: runs.states[run].selection for run in ENCODED_RUNS}
    return InspectorPage(
        InspectorView(look, runs.inspected),
        PairHeadsView(look),
        PredictionsSection(look, runs.predictions, app_state.editing, selections),
    )


def panel_tools(app_state: AppState, look: Look) -> dict[str, PanelTools]:
    """Return what the panels of each run are drawn with."""
    runs = app_state.shown_runs
    run_states = {run: runs.states[run] for run in RUNS}
    return {
        run: PanelTools(
            look=look,
            selection=state.selection,
            viewport=state.viewport,
            options=app_state.options,
            pictures=state.pictures,
            details=runs.details,
            vectors=app_state.vectors,
            shelf=app_state.kept_vectors,
            comparison=app_state.comparison,
            analyses=runs.analyses,
            matrices=runs.matrices,
        )
        for run, state in run_states.items()
    }
