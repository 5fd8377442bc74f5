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
from bertviz_app.views.vectors.bars import VectorPlot

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
    def overview_dock(self) -> Dock:
        """The overview, with what it can be moved by."""
        return _dock("overview", self.overview, "overview")

    @cached_property
    def heads_dock(self) -> Dock:
        """The card of the heads, with what it can be moved by."""
        return _dock("heads", Card(QCoreApplication.translate("MainArea", "Heads"), self.heads), "head")

    @cached_property
    def inspector_dock(self) -> Dock:
        """The card of the inspector, with what it can be moved by."""
        card = Card(QCoreApplication.translate("MainArea", "Inspector"), self.inspector_page)
        return _dock("inspector", card, "inspector")

    @cached_property
    def vector_dock(self) -> Dock:
        """The card of the vector that stands for the text, whose name is its title."""
        return _dock("vector", Card("", VectorPlot(self._look)), "pooler")

    @cached_property
    def interventions_dock(self) -> Dock:
        """The card of the interventions, with what it can be moved by."""
        state = self._app_state
        view = InterventionsView(state.run_interventions, state.interventions, state.outcomes)
        card = Card(QCoreApplication.translate("MainArea", "Interventions"), view)
        return _dock(INTERVENTIONS, card, "interventions")

    @cached_property
    def cards(self) -> Cards:
        """The cards around the panels."""
        return Cards(
            self.overview,
            self.heads_dock.card,
            self.inspector_dock.card,
            self.vector_dock.card,
            self.interventions_dock.card,
        )

    @cached_property
    def docks(self) -> DockArea:
        """The panels, and the docks that are to be placed beside them."""
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


def _dock(name: str, card: Card, term: str) -> Dock:
    """Return the dock of a card, whose header explains a term of the glossary."""
    card.explain_with(term)
    return Dock(name, card)


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
