"""`Comparison`: run B, requested as its differences from run A, and how far apart the two are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal, Slot

from bertviz_app.analysis.attention.stamp import Stamp
from bertviz_app.errors import AppError
from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.types import Check
from bertviz_app.viewmodels.results import Results
from bertviz_app.viewmodels.runs.divergence import Divergence
from bertviz_app.viewmodels.runs.encoding import Encoding
from bertviz_app.viewmodels.runs.other_run_editor import OtherRunEditor
from bertviz_app.viewmodels.runs.problem import Problem, field_of
from bertviz_app.viewmodels.runs.requests import Difference, OtherRun, beside
from bertviz_app.viewmodels.runs.shown import DrawnHeads, Shown
from bertviz_app.viewmodels.runs.shown_runs import prepared
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.tasks import FractionDone, Tasks

__all__ = ["Comparison", "Difference", "OtherRun"]


class Comparison(QObject):
    """Encodes run B whenever A or what is other in B changes, and keeps the last good answer.

    `changed` is emitted when the request changed, `shown_changed` when another B, or none, is there,
    with its alignment, and `measured` when the divergences are.
    """

    changed = Signal()
    shown_changed = Signal()
    measured = Signal()
    problem_changed = Signal()

    def __init__(self, engine: Engine, workspace: Workspace, encoder: Tasks, results: Results) -> None:
        """`results` computes the divergence, on another worker than the `encoder`'s."""
        super().__init__(encoder)
        self._engine = engine
        self._workspace = workspace
        self._encoding = Encoding(engine, encoder, "encode B", workspace.encoding.drawn)
        self._divergence = Divergence(results)
        self._a: Shown | None = None
        self.other: OtherRun | None = None
        self.shown: Shown | None = None
        self.difference: Difference | None = None
        self.problem: Problem | None = None
        self.progress: float | None = None
        self.editor = OtherRunEditor(self, workspace)
        workspace.shown_changed.connect(self._on_run_a_changed)
        # Where A's text is refused the A before stays on screen: B, which waited, is encoded beside that.
        workspace.problem_changed.connect(self._encode)
        self._encoding.due.connect(self._encode)
        self._encoding.busy_changed.connect(self.changed)
        self._encoding.progressed.connect(self._on_progressed)
        self._divergence.measured.connect(self._on_measured)

    @property
    def is_on(self) -> bool:
        """Whether there is a run B."""
        return self.other is not None

    @property
    def is_other(self) -> bool:
        """Whether the request of run B differs from that of run A in anything."""
        shown = self._workspace.shown
        return shown is not None and self.request not in (None, shown.result.request)

    @property
    def is_current(self) -> bool:
        """Whether what is shown is the requested B, beside the A that is shown."""
        if self.shown is None or self.difference is None or self._workspace.shown is None:
            return self.other is None
        is_beside_a = self.difference.traces[0] is self._workspace.shown.result.trace
        return is_beside_a and self.shown.result.request == self.request

    @property
    def is_busy(self) -> bool:
        """Whether run B is being encoded or measured."""
        return self._encoding.is_busy

    @property
    def is_opening(self) -> bool:
        """Whether run B waits for a checkpoint that neither run was encoded with before."""
        a, request = self._workspace.shown, self.request
        if not self.is_busy or a is None or request is None:
            return False
        return request.ref not in {run.result.request.ref for run in (a, self.shown) if run is not None}

    @property
    def request(self) -> TraceRequest | None:
        """Run B as it is to be encoded, None while there is none."""
        a = self._workspace.shown
        return None if a is None or self.other is None else self.other.request(a.result.request)

    def end(self) -> None:
        """Compare no longer."""
        if self.other is None:
            return
        self._encoding.cancel()
        self._divergence.end()
        self.other = self.shown = self.difference = None
        self._set_problem(None)
        self.changed.emit()
        self.shown_changed.emit()

    def set_other(self, other: OtherRun, *, at_once: bool = True) -> None:
        """Change what is other in run B; with `at_once` false after a pause in typing."""
        if other != self.other:
            self.other = other
            self._encoding.schedule(at_once=at_once)
            self.changed.emit()

    @Slot()
    def _on_run_a_changed(self) -> None:
        before, now = self._a, self._workspace.shown  # the workspace has the new A already
        self._a = now
        if before is not None and now is not None and self.other is not None:
            requests = before.result.request, now.result.request
            tokens = before.result.trace.tokens, now.result.trace.tokens
            followed = self.other.following(*requests, tokens)
            if followed != self.other:
                self.other = followed
                self.changed.emit()
        self._encode()

    def prepare_as(self, stamp: Stamp) -> bool:
        """Return whether these numbers are shown; else have them prepared, unless a text comes first."""
        shown, a, difference = self.shown, self._workspace.shown, self.difference
        is_so = shown is None or shown.stamp == stamp
        if shown is None or a is None or difference is None or not self.is_current:
            return is_so
        is_a = shown.result.request == a.result.request

        def work(check: Check, progress: FractionDone, drawn: DrawnHeads) -> tuple[Shown, Difference]:
            again = a if is_a else prepared(self._engine, shown.result, drawn, check, progress)
            return again, difference

        self._encoding.cancel()
        if not is_so:
            self._encoding.start(work, self._on_encoded, self._on_failed)
        return is_so

    def encode_again(self) -> None:
        """Try once more what went wrong."""
        self._encode()

    @Slot()
    def _encode(self) -> None:
        request, a = self.request, self._workspace.shown
        if request is None or a is None:
            return
        self._encoding.unschedule()
        if self.is_current:
            self._keep_shown()
            return
        if self._workspace.is_busy and not self._workspace.is_current:
            return  # another A is coming, and this is called again when it is there
        self.progress = None

        def work(check: Check, progress: FractionDone, drawn: DrawnHeads) -> tuple[Shown, Difference]:
            if request.ref != a.result.request.ref:
                self._engine.load(request.ref, lambda done, total: progress(done / max(total, 1)), check)
            if request == a.result.request:
                return a, beside(a.result.trace, a.result.trace)
            shown = prepared(self._engine, self._engine.trace(request, check), drawn, check)
            return shown, beside(a.result.trace, shown.result.trace)

        self._encoding.start(work, self._on_encoded, self._on_failed)

    def _keep_shown(self) -> None:
        """Cancel what was requested in between: what is requested now is shown already."""
        self._encoding.cancel()
        self._set_problem(None)
        self.changed.emit()

    def _on_encoded(self, found: tuple[Shown, Difference]) -> None:
        self.shown, self.difference = found
        self._set_problem(None)
        self.shown_changed.emit()
        self.changed.emit()
        # Last, and on another worker: the panels are drawn without the divergences, which take longer.
        self._divergence.measure(self.difference)

    @Slot(object)
    def _on_measured(self, table: NDArray[np.float32]) -> None:
        if self.difference is not None:
            self.difference = replace(self.difference, divergence=table)
            self.measured.emit()

    def _on_failed(self, error: Exception) -> None:
        if isinstance(error, AppError):
            self._set_problem(Problem(field_of(error), error))
        else:
            self._workspace.failed.emit(error)

    def _set_problem(self, problem: Problem | None) -> None:
        if problem != self.problem:
            self.problem = problem
            self.problem_changed.emit()

    @Slot(float)
    def _on_progressed(self, fraction: float) -> None:
        if self.is_opening:
            self.progress = fraction
            self.changed.emit()
