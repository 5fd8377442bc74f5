"""`RunOutcomes`: what the interventions of a run change, computed on a worker while it is watched."""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.probing.outcomes import Outcome
from bertviz_app.errors import AppError
from bertviz_app.inference.engine import Engine, intervention_outcomes
from bertviz_app.options import Run
from bertviz_app.viewmodels.results import Failed, Ready, Request, Results
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.workspace import Workspace


class RunOutcomes(QObject):
    """Nothing is computed while no view watches, while nothing is changed, and of a saved run.

    Those of run A have the cosine with run B, too.
    """

    changed = Signal()

    def __init__(
        self, engine: Engine, results: Results, workspace: Workspace, comparison: Comparison, run: Run
    ) -> None:
        super().__init__(results)
        self._run = run
        self._slot = f"intervention outcomes of {run}"
        self._engine, self._results = engine, results
        self._workspace, self._comparison = workspace, comparison
        self._is_watched = False
        self._key: Hashable = None
        self.found: tuple[Outcome, ...] = ()
        self.problem: AppError | None = None
        workspace.shown_changed.connect(self._request)
        comparison.shown_changed.connect(self._request)
        results.changed.connect(self._on_result)

    @property
    def is_coming(self) -> bool:
        """Whether newer outcomes are being computed."""
        return self._results.is_coming(self._slot)

    def watch(self, is_watched: bool) -> None:
        """Keep the outcomes up to date from now on, or no longer."""
        self._is_watched = is_watched
        self._request()

    @Slot()
    def _request(self) -> None:
        shown, beside = self._workspace.shown, self._comparison.shown
        if self._run == "B":
            shown, beside = beside, None
        if shown is None or self._workspace.saved is not None or not shown.result.trace.edits:
            self._results.release(self._slot)
            self._results.hold(self._slot, ())
            self._key = None
            self._show((), None)
            return
        if not self._is_watched:
            return
        result, other = shown.result, None if beside is None else beside.result.trace
        traces = (result.trace,) if other is None else (result.trace, other)
        engine = self._engine
        request = Request(
            (self._slot, *traces),
            traces,
            lambda check, _: intervention_outcomes(engine, result.request, result.trace, other, check),
        )
        self._key = request.key
        self._results.hold(self._slot, traces)
        self._take(self._results.get(request, self._slot, again=True))

    @Slot(object)
    def _on_result(self, key: Hashable) -> None:
        if key == self._key:
            self._take(self._results.state(key))

    def _take(self, state: object) -> None:
        if isinstance(state, Ready):
            self._show(state.value, None)
        elif isinstance(state, Failed):
            self._show((), state.error if isinstance(state.error, AppError) else None)

    def _show(self, found: tuple[Outcome, ...], problem: AppError | None) -> None:
        if (found, problem) != (self.found, self.problem):
            self.found, self.problem = found, problem
            self.changed.emit()
