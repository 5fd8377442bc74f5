"""`MainViews`: the views of a result and the cards around them, each built at its first use."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from PySide6.QtCore import QCoreApplication

from bertviz_app.options import ENCODED_RUNS
from bertviz_app.shell.window.docks import INTERVENTIONS, Dock, DockArea, left_column, right_column
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panels import RUNS
from bertviz_app.views.inspector.pair_heads import PairHeadsView
from bertviz_app.views.inspector.predictions_section import PredictionsSection
from bertviz_app.views.inspector.view import InspectorPage, InspectorView
from bertviz_app.views.interventions.view import InterventionsView
from bertviz_app.views.kit.card import HEADER, Card
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.panel_view import PanelTools
from bertviz_app.views.kit.words import language
from bertviz_app.views.overview.card import OverviewCard
from bertviz_app.views.overview.divergence import DivergenceView
from bertviz_app.views.overview.heads_table import HeadsTable
from bertviz_app.views.overview.runs_overview import RunOverview
from bertviz_app.views.panels.area import PanelArea
from bertviz_app.views.tokens.other_strip import OtherStrip
from bertviz_app.views.tokens.strip import TokenStrip
from bertviz_app.views.vectors.pooled_plot import VectorPlot

_TERMS = ("overview", "head", "inspector", "pooler", "interventions")
_PLOT_CARD = 166  # the height in which the plot of a vector has its whole scale


class Cards(NamedTuple):
    """The cards around the panels."""

    overview: OverviewCard
    heads: Card
    inspector: Card
    pooled: Card
    interventions: Card


class MainViews:
    """Builds the views of a result when they are first used, or one after the other while there is time.

    At once they would hold up a typed key for a tenth of a second. `language`: that of their first words.
    """

    def __init__(self, app_state: AppState, look: Look) -> None:
        self._app_state, self._look = app_state, look
        self.language = language()

    def build(self) -> Iterator[None]:
        """Build one view after the other; yields after each."""
        for name, attribute in vars(type(self)).items():
            if isinstance(attribute, cached_property):
                getattr(self, name)
                yield

    @cached_property
    def strip(self) -> TokenStrip:
        """The tokens of run A."""
        return TokenStrip(self._look, self._app_state.selection)

    @cached_property
    def other_strip(self) -> OtherStrip:
        """The tokens of run B."""
        state = self._app_state
        of_b = state.shown_runs.states["B"].selection
        return OtherStrip(self._look, of_b, state.comparison, state.workspace)

    @cached_property
    def overview(self) -> OverviewCard:
        """All heads of a run, small."""
        return OverviewCard(self._look, self._app_state.panels, self._app_state.overview)

    @cached_property
    def heads(self) -> HeadsTable:
        """The measures of all heads."""
        return HeadsTable(self._look, self._app_state.panels, self._app_state.overview)

    @cached_property
    def divergence(self) -> DivergenceView:
        """How far the heads of two runs are apart."""
        return DivergenceView(self._look, self._app_state.panels, self._app_state.overview)

    @cached_property
    def runs(self) -> RunOverview:
        """The choice of what the overview is of."""
        return RunOverview(self._app_state.comparison, self.overview, self.divergence)

    @cached_property
    def area(self) -> PanelArea:
        """The panels in the middle."""
        return PanelArea(self._app_state.panels, panel_tools(self._app_state, self._look))

    @cached_property
    def inspector_page(self) -> InspectorPage:
        """The numbers of what is pointed at, and the predictions."""
        state = self._app_state
        selections = {run: state.shown_runs.states[run].selection for run in ENCODED_RUNS}
        return InspectorPage(
            InspectorView(self._look, state.shown_runs.inspected),
            PairHeadsView(self._look),
            PredictionsSection(self._look, state.shown_runs.predictions, state.editing, selections),
        )

    @cached_property
    def cards(self) -> Cards:
        """The cards around the panels, each with the term that it is about."""
        state, translate = self._app_state, QCoreApplication.translate
        cards = Cards(
            self.overview,
            Card(translate("MainArea", "Heads"), self.heads),
            Card(translate("MainArea", "Inspector"), self.inspector_page),
            Card("", VectorPlot(self._look)),
            Card(
                translate("MainArea", "Interventions"),
                InterventionsView(state.run_interventions, state.interventions, state.outcomes),
            ),
        )
        for card, term in zip(cards, _TERMS, strict=True):
            card.explain_with(term)
        return cards

    @cached_property
    def overview_dock(self) -> Dock:
        """What the card of the overview can be moved by."""
        return Dock("overview", self.cards.overview)

    @cached_property
    def heads_dock(self) -> Dock:
        """What the card of the heads can be moved by."""
        return Dock("heads", self.cards.heads)

    @cached_property
    def inspector_dock(self) -> Dock:
        """What the card of the inspector can be moved by."""
        return Dock("inspector", self.cards.inspector)

    @cached_property
    def vector_dock(self) -> Dock:
        """What the card of the vector can be moved by."""
        return Dock("vector", self.cards.pooled)

    @cached_property
    def interventions_dock(self) -> Dock:
        """What the card of the interventions can be moved by."""
        return Dock(INTERVENTIONS, self.cards.interventions)

    @cached_property
    def docks(self) -> DockArea:
        """The panels, with the cards beside them."""
        left, right = (self.overview_dock, self.heads_dock), (self.inspector_dock, self.vector_dock)
        columns = (
            left_column(self._look, left, self._overview_height),
            right_column(self._look, right, self._inspector_height),
        )
        return DockArea(self._look, self.area, columns, self.interventions_dock)

    def _overview_height(self, width: int, height: int) -> int:
        height_needed = self._look.pixels(HEADER) + self.runs.height_for(width - 2) + 6
        share = 0.6 if self.runs.row.isHidden() else 0.63  # a comparison has sentences below the cells
        return min(height_needed, round(height * share))

    def _inspector_height(self, width: int, height: int) -> int:
        frame = self._look.pixels(HEADER) + 5
        desired = frame + round(self.inspector_page.height_for(height * 0.75 - frame))
        least = frame + self.inspector_page.least_height
        return min(desired, max(least, height - self._look.pixels(_PLOT_CARD)))


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
