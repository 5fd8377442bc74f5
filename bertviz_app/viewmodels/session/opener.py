"""`SessionOpener`: shows what was saved at once, and finds the checkpoint that computed it on a worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from PySide6.QtCore import QObject, Signal

from bertviz_app import paths
from bertviz_app.checkpoint.sources.source import Source, default_source, find
from bertviz_app.errors import AppError, Message
from bertviz_app.inference.fetching import NOT_KNOWN, SavedCheckpoint, find_saved, is_saved_at, source_of
from bertviz_app.text.edits import NO_EDITS
from bertviz_app.trace import Trace
from bertviz_app.types import Check
from bertviz_app.viewmodels.runs.saved_trace import saved_result
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.session.archive import Session
from bertviz_app.viewmodels.session.evidence import (
    can_be_checked,
    of_another,
    refuse_contradicted,
    remarks_about,
)
from bertviz_app.viewmodels.session.snapshot import Snapshot, SnapshotTaker
from bertviz_app.viewmodels.tasks import FractionDone, Tasks

_SLOT = "look for a checkpoint"
Whereabouts = Literal["looking", "missing", "unchecked", "here"]


@dataclass(frozen=True)
class FoundCheckpoints:
    """Where the checkpoints of both runs are; None where they are not on this computer.

    `is_confirmed`: that of run A is the saved one, or the one that the file names.
    """

    ref: str | None
    other: str | None = None
    is_confirmed: bool = True


_NOWHERE = FoundCheckpoints(None)


class SessionOpener(QObject):
    """The session or trace that was opened last, as long as its checkpoint is not in use.

    `changed` is emitted when there is another one, or when more is known of where its checkpoint is;
    `remarked` with what the user should know.
    Nothing is downloaded unless `download` is called.
    """

    changed = Signal()
    remarked = Signal(str)
    failed = Signal(object)

    def __init__(self, workspace: Workspace, snapshot_taker: SnapshotTaker, tasks: Tasks) -> None:
        super().__init__(snapshot_taker)
        self._workspace = workspace
        self._snapshot_taker = snapshot_taker
        self._tasks = tasks
        self._session: Session | None = None
        self._is_trace = False
        self.found = _NOWHERE
        self._shown: tuple[Session, str | None] | None = None
        self._opens_default = False
        self.problem: AppError | None = None
        workspace.facts_changed.connect(self._on_facts_changed)
        workspace.texts_changed.connect(self._on_texts_changed)

    @property
    def checkpoint(self) -> SavedCheckpoint | None:
        """The checkpoint that is looked for, or was not found; None if there is no such session."""
        return None if self._session is None else self._session.checkpoint

    @property
    def remarks(self) -> tuple[str, ...]:
        """What to know of the checkpoint that encodes a session's text, as long as it does."""
        workspace = self._workspace
        if self._shown is None or workspace.facts is None or workspace.opening.pending is not None:
            return ()
        (session, ref), snapshot = self._shown, self._shown[0].snapshot
        texts = workspace.text, workspace.pair
        is_shown = workspace.ref == ref and texts == (snapshot.text, snapshot.pair) and not workspace.is_blank
        return remarks_about(session, workspace.facts) if is_shown else ()

    @property
    def whereabouts(self) -> Whereabouts:
        """Whether that checkpoint is being looked for, is not on this computer, or was found.

        "unchecked": the user chose one, of which the file does not say whether it is the saved one.
        """
        if self.found.ref is not None:
            return "here" if self.found.is_confirmed else "unchecked"
        return "looking" if self._tasks.is_busy(_SLOT) else "missing"

    def open_session(self, session: Session) -> None:
        """Show the saved numbers of a session, and encode its text again if its checkpoint is found."""
        self._begin(session, is_trace=False)
        if session.remark:
            self.remarked.emit(session.remark)

    def open_trace(self, trace: Trace) -> None:
        """Show the numbers of a trace; its checkpoint is not needed but for what they do not hold."""
        tokens, edits = trace.tokens, trace.edits
        snapshot = Snapshot(tokens.text, tokens.pair, edits=edits)
        session = Session(snapshot, trace, SavedCheckpoint.of_trace(trace))
        self._begin(session, is_trace=True)

    def start_with(self, session: Session) -> tuple[bool, str | None]:
        """Show the last session when the program starts; return whether to open a checkpoint, and which.

        None is the default one. A checkpoint that is not where it was is looked for instead.
        """
        ref = session.checkpoint.ref or session.snapshot.ref
        refs = (ref, None if session.other is None else session.other.ref)
        if not all(one is None or paths.exists(Path(one)) for one in refs):
            self.open_session(session)
            return False, None
        ref = None if ref == _default_ref() else ref
        self._shown = session, ref
        self._snapshot_taker.show(replace(session.snapshot, ref=ref), opens=False)
        return True, ref

    def try_checkpoint(self, ref: str) -> None:
        """Use the checkpoint at `ref` if it is the one that was saved; else `problem` says that it is not.

        Where that cannot be checked, it is used once `encode` is called.
        """
        self._check(lambda check, progress: find(ref))

    def download(self) -> None:
        """Fetch the checkpoint from the hub, if it is from there, and use it."""
        hub_ref = "" if self.checkpoint is None else self.checkpoint.hub_ref

        def fetch(check: Check, progress: FractionDone) -> Source:
            return source_of(hub_ref, lambda done, total: progress(done / max(total, 1)), check)

        if hub_ref:
            self._check(fetch)

    def encode(self) -> None:
        """Encode the saved text: with its own checkpoint if that was found, else with the one in use."""
        session, found = self._session, self.found
        if session is None:
            return
        if found.ref is not None:
            self._show(session, found)
            self.changed.emit()  # nothing else does where that text and that checkpoint are shown already
            return
        self._end()
        if self._workspace.facts is None:
            self._workspace.open_model(None)
        else:
            self._workspace.leave_saved()

    def _begin(self, session: Session, *, is_trace: bool) -> None:
        self._tasks.cancel(_SLOT)
        # A checkpoint that is being opened would have the text encoded, and replace the saved numbers.
        self._workspace.opening.cancel()
        self._session, self._is_trace, self.found, self.problem = session, is_trace, _NOWHERE, None
        self._shown, self._opens_default = None, False
        facts = self._workspace.facts
        if not is_trace and facts is not None and facts.identity.is_same(session.checkpoint.identity):
            if session.other is None:
                self._show(session, FoundCheckpoints(facts.ref))
                return
        elif session.trace is not None:
            self._workspace.show_saved(saved_result(session.trace, session.checkpoint))
            if not is_trace:
                self._snapshot_taker.expect_saved(session.snapshot)
        self._search()
        self.changed.emit()

    def _search(self) -> None:
        session, available = self._session, self._workspace.available
        assert session is not None
        opened, recent = dict(available.in_memory), available.recent

        def locate(saved: SavedCheckpoint, trace: Trace | None, check: Check) -> str | None:
            if saved.identity.fingerprint or trace is not None:
                return find_saved(saved, opened, recent, check, trace)
            return _ref_here(saved)  # a file of an older version without arrays

        def work(check: Check, progress: FractionDone) -> FoundCheckpoints:
            of_a = locate(session.checkpoint, session.trace, check)
            if session.other is None or of_a is None:
                return FoundCheckpoints(of_a)
            return FoundCheckpoints(of_a, locate(session.other, None, check))

        self._tasks.start(_SLOT, work, self._on_searched, self._on_failed)

    def _check(self, source_at: Callable[[Check, FractionDone], Source]) -> None:
        session = self._session
        if session is None:
            return

        def work(check: Check, progress: FractionDone) -> FoundCheckpoints:
            source = source_at(check, progress)
            if not can_be_checked(session):
                refuse_contradicted(source, session, check)
                return FoundCheckpoints(source.ref, is_confirmed=False)
            if not is_saved_at(source, session.checkpoint, check, session.trace):
                raise of_another(source, session.checkpoint)
            return FoundCheckpoints(source.ref)

        self.problem = None
        self._tasks.start(_SLOT, work, self._on_searched, self._on_failed)
        self.changed.emit()

    def _on_searched(self, found: FoundCheckpoints) -> None:
        session, self.found = self._session, found
        assert session is not None
        if found.ref is None:
            self._leave_missing(session)
        elif self._is_trace and session.trace is not None:
            self._workspace.show_saved(saved_result(session.trace, session.checkpoint, found.ref))
        elif found.is_confirmed:
            self._show(session, found)
        self.changed.emit()

    def _show(self, session: Session, found: FoundCheckpoints) -> None:
        """Have everything encoded with the checkpoints that were `found`."""
        workspace, snapshot, left_out = self._workspace, session.snapshot, ""
        ref, other = found.ref, found.other
        if snapshot.other is not None and snapshot.other.ref is not None:
            left_out = "" if other else (session.other or NOT_KNOWN).name or snapshot.other.ref
            run_b = None if other is None else replace(snapshot.other, ref=other)
            snapshot = replace(snapshot, other=run_b)
        is_in_use = workspace.facts is not None and workspace.facts.ref == ref
        was_saved, workspace.saved = workspace.saved is not None, None
        used = workspace.ref if is_in_use else ref
        self._end()  # which forgets `_shown`, too
        self._shown = replace(session, other=session.other if other else None), used
        self._snapshot_taker.show(replace(snapshot, ref=used))
        if is_in_use and was_saved:  # the text is the one that was shown: nothing above has it encoded
            workspace.leave_saved(snapshot.edits)
        if left_out:
            words = Message("Run B is left out: its checkpoint {0} is not on this computer.", left_out)
            self.remarked.emit(words)

    def _leave_missing(self, session: Session) -> None:
        """Keep the saved numbers; without any show the text with the checkpoint in use.

        The session's own can still be named, until another text is typed or another checkpoint opened.
        """
        if session.trace is not None:
            return
        workspace, snapshot = self._workspace, session.snapshot
        run_b = snapshot.other
        if run_b is not None:
            run_b = replace(run_b, ref=None, edits=NO_EDITS)
        if not (session.checkpoint.name or session.checkpoint.ref):
            self._end()
            self.remarked.emit(_encoded_otherwise(snapshot))
        self._snapshot_taker.show(replace(snapshot, ref=workspace.ref, edits=NO_EDITS, other=run_b))
        if workspace.facts is None:
            self._opens_default = True
            workspace.open_model(None)

    def _end(self) -> None:
        self._tasks.cancel(_SLOT)
        self._session = self._shown = self.problem = None
        self.found, self._opens_default = _NOWHERE, False
        self.changed.emit()

    def _on_texts_changed(self) -> None:
        """Another text was typed into a session without arrays: it is no longer the saved one."""
        session, workspace = self._session, self._workspace
        if session is None or session.trace is not None or self.whereabouts not in ("missing", "unchecked"):
            return
        if (workspace.text, workspace.pair) != (session.snapshot.text, session.snapshot.pair):
            self._end()

    def _on_facts_changed(self) -> None:
        """Another checkpoint was opened: the text is encoded with it from now on."""
        if self._opens_default:  # there was none before, and the text of a session needs one
            self._opens_default = False
        elif self._session is not None:
            self._end()

    def _on_failed(self, error: Exception) -> None:
        if isinstance(error, AppError):
            self.problem = error
        else:
            self.failed.emit(error)
        self.changed.emit()


def _encoded_otherwise(snapshot: Snapshot) -> Message:
    """Return what to say where a session's text is encoded with a checkpoint that may not be its own."""
    if snapshot.edits or (snapshot.other is not None and snapshot.other.edits):
        return Message(
            "This session does not say which checkpoint it was saved with: its text is encoded with the "
            "checkpoint in use, without the session's interventions."
        )
    return Message(
        "This session does not say which checkpoint it was saved with: its text is encoded with the "
        "checkpoint in use."
    )


def _default_ref() -> str | None:
    try:
        return default_source().ref
    except AppError:
        return None


def _ref_here(saved: SavedCheckpoint) -> str | None:
    """Return where the checkpoint of that path or name is on this computer, None if it is not here."""
    try:
        return find(saved.ref).ref if saved.ref else None
    except AppError:
        return None
