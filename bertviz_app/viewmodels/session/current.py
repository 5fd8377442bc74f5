"""`current_session`: what the window shows now, as a session that can be saved."""

from __future__ import annotations

from bertviz_app.inference.fetching import SavedCheckpoint
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.session.archive import Session
from bertviz_app.viewmodels.session.snapshot import Snapshot


def current_session(
    snapshot: Snapshot, workspace: Workspace, comparison: Comparison, *, has_arrays: bool
) -> Session:
    """Return `snapshot` with the checkpoints of both runs, and with the trace of run A if `has_arrays`."""
    shown, trace = workspace.shown, None
    if has_arrays and shown is not None and workspace.is_current:
        trace = shown.result.trace
    return Session(snapshot, trace, _of_run_a(snapshot, workspace), _of_run_b(snapshot, comparison))


def _of_run_a(snapshot: Snapshot, workspace: Workspace) -> SavedCheckpoint:
    if workspace.saved is not None:
        return SavedCheckpoint.of(workspace.saved.facts)
    if workspace.opening.pending is None and workspace.facts is not None:
        return SavedCheckpoint.of(workspace.facts)
    return SavedCheckpoint(ref=snapshot.ref or "")


def _of_run_b(snapshot: Snapshot, comparison: Comparison) -> SavedCheckpoint | None:
    """Return the checkpoint of run B, None where there is no run B or it has that of run A."""
    ref, shown = None if snapshot.other is None else snapshot.other.ref, comparison.shown
    if ref is None:
        return None
    if shown is not None and shown.result.request.ref == ref:
        return SavedCheckpoint.of(shown.result.facts)
    return SavedCheckpoint(ref, ref)
