"""`PairViews`: the pinned pair of tokens in the overview, the table of heads and the inspector."""

from __future__ import annotations

from PySide6.QtCore import QObject, Slot

from bertviz_app.options import Run
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.inspected import PairInHeads
from bertviz_app.views.inspector.view import InspectorPage
from bertviz_app.views.overview.card import OverviewCard
from bertviz_app.views.overview.heads_table import HeadsTable
from bertviz_app.views.overview.runs_overview import RunOverview


class PairViews(QObject):
    """Hands each view the pair of the run that it shows; beside a difference of two it is that of A."""

    def __init__(
        self,
        app_state: AppState,
        overview: OverviewCard,
        heads: HeadsTable,
        runs: RunOverview,
        inspector_page: InspectorPage,
    ) -> None:
        super().__init__(overview)
        self._app_state = app_state
        self._overview = overview
        self._heads = heads
        self._runs = runs
        self._inspector_page = inspector_page
        shown = app_state.shown_runs
        shown.pinned_pair.changed.connect(self._show)
        shown.inspected.changed.connect(self._show_in_inspector)
        runs.run_changed.connect(self._show)
        inspector_page.pair_heads.head_chosen.connect(app_state.panels.show)
        inspector_page.pair_heads.why_requested.connect(shown.why_weight.ask)
        self._show()

    def _of(self, run: Run) -> PairInHeads | None:
        return self._app_state.shown_runs.pinned_pair.of(run)

    @Slot()
    def _show(self) -> None:
        run = self._runs.run
        pair = self._of("B" if run == "B" else "A")
        self._overview.show_pair(pair)
        self._heads.show_pair(pair)
        self._runs.show_pair(pair, self._app_state.shown_runs.pinned_pair.difference())
        self._show_in_inspector()

    @Slot()
    def _show_in_inspector(self) -> None:
        pair = self._of(self._app_state.shown_runs.inspected.run)
        self._inspector_page.pair_heads.show_pair(pair)
