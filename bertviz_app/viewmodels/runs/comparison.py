"""`Comparison`: run B, requested as its differences from run A, and how far apart the two are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal, Slot

from bertviz_app.analysis.measures import head_overview
from bertviz_app.errors import AppError
from bertviz_app.inference.engine import Engine, TraceRequest
from bertviz_app.text import Edits
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.types import Check
from bertviz_app.viewmodels.heads.pictures import head_pictures
from bertviz_app.viewmodels.results import Results
from bertviz_app.viewmodels.runs.divergence import Divergence
from bertviz_app.viewmodels.runs.requests import Difference, OtherRun, as_other, beside
from bertviz_app.viewmodels.runs.workspace import DEBOUNCE_MS, Problem, Shown, Workspace, field_of
from bertviz_app.viewmodels.tasks import FractionDone, Tasks

__all__ = ["Comparison", "Difference", "OtherRun"]

_ENCODE = "encode B"


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
        self._encoder = encoder
        self._divergence = Divergence(results)
        self._timer = QTimer(self, singleShot=True, interval=DEBOUNCE_MS)
        self._timer.timeout.connect(self._encode)
        self._a: Shown | None = None
        self.other: OtherRun | None = None
        self.shown: Shown | None = None
        self.difference: Difference | None = None
        self.problem: Problem | None = None
        self.progress: float | None = None
        workspace.shown_changed.connect(self._on_run_a_changed)
        workspace.problem_changed.connect(self._encode)
        encoder.busy_changed.connect(self._on_busy_changed)
        encoder.progressed.connect(self._on_progressed)
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
        return self._timer.isActive() or self._encoder.is_busy(_ENCODE)

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

    def begin(self) -> None:
        """Compare with a run B that, to begin with, is edited as A is."""
        if self.other is None:
            self.set_other(OtherRun(edits=self._workspace.edits))

    def end(self) -> None:
        """Compare no longer."""
        if self.other is None:
            return
        self._timer.stop()
        self._encoder.cancel(_ENCODE)
        self._divergence.end()
        self.other = self.shown = self.difference = None
        self._set_problem(None)
        self.changed.emit()
        self.shown_changed.emit()

    def set_other(self, other: OtherRun, *, at_once: bool = True) -> None:
        """Change what is other in run B; with `at_once` false after a pause in typing."""
        if other != self.other:
            self.other = other
            self._timer.start(0 if at_once else DEBOUNCE_MS)
            self.changed.emit()

    def set_texts(self, text: str, pair: str | None = None) -> None:
        """Compare with other texts; an empty one is that of A."""
        other = self.other or OtherRun(edits=self._workspace.edits)
        if (text or None, pair or None) != (other.text, other.pair):
            edits = other.edits.without_tokens()
            changed = replace(other, text=text or None, pair=pair or None, edits=edits)
            self.set_other(changed, at_once=False)

    def set_ref(self, ref: str | None) -> None:
        """Compare with another checkpoint (None: the one of A), unedited: its heads are others."""
        other = self.other or OtherRun()
        if ref != other.ref:
            self.set_other(replace(other, ref=ref, edits=NO_EDITS))

    def set_edits(self, edits: Edits) -> None:
        """Compare with a run that is edited this way."""
        self.set_other(replace(self.other or OtherRun(), edits=edits))

    def compare_token(self, position: int, piece: str) -> None:
        """Compare with a run of the same text in which this token too is replaced."""
        other = self.other
        if other is None or other.ref is not None or other.text is not None:
            other = OtherRun(edits=self._workspace.edits)
        self.set_other(replace(other, edits=other.edits.with_token(position, piece)))

    def compare_head(self, layer: int, head: int) -> None:
        """Compare with a run in which this head too is muted or, where A mutes it, heard."""
        other, a = self.other, self._workspace.edits
        if other is None or other.ref is not None:
            other = OtherRun(edits=a)
        if ((layer, head) in a.muted) == ((layer, head) in other.edits.muted):
            other = replace(other, edits=other.edits.with_head_toggled(layer, head))
        self.set_other(other)

    def swap(self) -> None:
        """Make run A what B is, and B what A is."""
        a, b = self._workspace.shown, self.request
        if a is None or b is None:
            return
        before = a.result.request
        if b.ref != before.ref:
            self._workspace.open_model(b.ref, b.edits)
        self._workspace.set_texts(b.text, b.pair, at_once=True)
        self._workspace.set_edits(b.edits)
        self.set_other(as_other(before, b, a.result.facts.name))

    @Slot()
    def _on_run_a_changed(self) -> None:
        before, now = self._a, self._workspace.shown
        self._a = now
        if before is not None and now is not None and self.other is not None:
            requests = before.result.request, now.result.request
            tokens = before.result.trace.tokens, now.result.trace.tokens
            followed = self.other.following(*requests, tokens)
            if followed != self.other:
                self.other = followed
                self.changed.emit()
        self._encode()

    def take_back_ref(self) -> None:
        """Compare with the checkpoint that is shown, after another one was not opened."""
        a, b = self._workspace.shown, self.shown
        is_as_a = a is None or b is None or b.result.request.ref == a.result.request.ref
        self.set_ref(None if is_as_a or b is None else b.result.request.ref)

    def encode_again(self) -> None:
        """Try once more what went wrong."""
        self._encode()

    @Slot()
    def _encode(self) -> None:
        request, a = self.request, self._workspace.shown
        if request is None or a is None:
            return
        self._timer.stop()
        if self.is_current:
            self._keep_shown()
            return
        if self._workspace.is_busy and not self._workspace.is_current:
            return  # another A is coming, and this is called again when it is there
        drawn = self._workspace.drawn()
        self.progress = None

        def work(check: Check, progress: FractionDone) -> tuple[Shown, Difference]:
            if request.ref != a.result.request.ref:
                self._engine.load(request.ref, lambda done, total: progress(done / max(total, 1)), check)
            if request == a.result.request:
                return a, beside(a.result.trace, a.result.trace)
            result = self._engine.trace(request, check)
            pictures = head_pictures(result.trace, drawn.heads, check, drawn.options)
            shown = Shown(result, head_overview(result.trace, check=check), pictures)
            return shown, beside(a.result.trace, result.trace)

        self._encoder.start(_ENCODE, work, self._on_encoded, self._on_failed)

    def _keep_shown(self) -> None:
        """Cancel what was requested in between: what is requested now is shown already."""
        self._encoder.cancel(_ENCODE)
        self._set_problem(None)
        self.changed.emit()

    def _on_encoded(self, found: tuple[Shown, Difference]) -> None:
        self.shown, self.difference = found
        self._set_problem(None)
        self.shown_changed.emit()
        self.changed.emit()
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

    @Slot(str, bool)
    def _on_busy_changed(self, slot: str, is_busy: bool) -> None:
        if slot == _ENCODE:
            self.changed.emit()

    @Slot(str, float)
    def _on_progressed(self, slot: str, fraction: float) -> None:
        if slot == _ENCODE and self.is_opening:
            self.progress = fraction
            self.changed.emit()
