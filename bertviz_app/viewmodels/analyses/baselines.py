"""`Baselines`: the null baselines of the head measures, computed while the heads table shows them."""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.results import HeadScalars
from bertviz_app.errors import AppError, Cancelled
from bertviz_app.options import Run
from bertviz_app.viewmodels.analyses.analyses import Analyses
from bertviz_app.viewmodels.overview_options import OverviewOptions
from bertviz_app.viewmodels.panel_choices import Content
from bertviz_app.viewmodels.results import Failed, Ready, Results

_SLOT, _CONTENT = "baselines", Content("head-baselines")


class Baselines(QObject):
    """Follows the run that the table shows, and the option that shows baselines.

    `changed` is emitted when `found` or `problem` changes: the newest result, None while there is none; and
    why there is none.
    """

    changed = Signal()

    def __init__(self, analyses: Analyses, results: Results, options: OverviewOptions) -> None:
        super().__init__(analyses)
        self._analyses, self._results, self._options = analyses, results, options
        self._run: Run = "A"
        self._key: Hashable = None
        self.found: HeadScalars | None = None
        self.problem: AppError | None = None
        results.changed.connect(self._on_result)
        options.changed.connect(self.refresh)

    def show(self, run: Run) -> None:
        """From now on the table shows run "A" or "B", or another result of it."""
        self._run = run
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Request what is shown; nothing while no baselines are shown."""
        request = self._analyses.request_of_run(self._run, _CONTENT)
        if not self._options.value.shows_baselines or request is None:
            self._results.release(_SLOT)
            self._key = None
            self._set(None, None)
        elif request.key != self._key:
            self._key = request.key
            self._set(None, None)
            self._take(self._results.get(request, _SLOT))

    @Slot(object)
    def _on_result(self, key: Hashable) -> None:
        if self._key is not None and key == self._key:
            self._take(self._results.state(key))

    def _take(self, state: object) -> None:
        if isinstance(state, Ready) and isinstance(state.value.result, HeadScalars):
            self._set(state.value.result, None)
        elif isinstance(state, Failed) and not isinstance(state.error, Cancelled):
            self._set(None, state.error if isinstance(state.error, AppError) else None)

    def _set(self, found: HeadScalars | None, problem: AppError | None) -> None:
        if (found, problem) != (self.found, self.problem):
            self.found, self.problem = found, problem
            self.changed.emit()
