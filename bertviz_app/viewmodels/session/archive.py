"""Sessions as files: what is written, read, checked against the checkpoint, and of the window now."""

from __future__ import annotations

import json
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Literal
from zipfile import BadZipFile, ZipFile, is_zipfile

from PySide6.QtCore import QObject, Signal

import bertviz_app.trace as traces
from bertviz_app import paths
from bertviz_app.checkpoint.folder import CONFIG, INDEX_ENDING, WEIGHT_ENDINGS, is_other_format, kind_of
from bertviz_app.checkpoint.questions import ModelFacts
from bertviz_app.checkpoint.sources.source import Source, default_source, find
from bertviz_app.errors import AppError, Check, CheckpointError, FileError, InterventionError, Message
from bertviz_app.inference.fetching import (
    NOT_KNOWN,
    SavedCheckpoint,
    contradiction,
    find_saved,
    is_saved_at,
    source_of,
)
from bertviz_app.json_store import decode, encode
from bertviz_app.paths import refuse_swelling, replacing
from bertviz_app.text.edits import NO_EDITS, Edits
from bertviz_app.text.tokens import MAX_CHARACTERS
from bertviz_app.trace import Trace
from bertviz_app.values import dataclass, replace
from bertviz_app.version import __version__
from bertviz_app.viewmodels.results import FractionDone, Tasks
from bertviz_app.viewmodels.runs.comparison import Comparison
from bertviz_app.viewmodels.runs.run import saved_result
from bertviz_app.viewmodels.runs.workspace import Workspace
from bertviz_app.viewmodels.state import WindowState, state_from_plain, state_to_plain

ENDING = ".bva"
VERSION = 4
_WITHOUT_STATES = 3
_WITHOUT_INTERVENTIONS = 2
_KIND = "bertviz-app session"
MEMBER = "session.json"
_LARGEST = 1 << 25  # bytes; the longest text is far below
_WAY_OUT = Message("Open a .bva file that this program saved.")
_LARGEST_SIZE = 2**31 - 1
_DAMAGED = (
    *(ValueError, RecursionError, KeyError),
    # What `zipfile` and the libraries that unpack for it raise.
    *(BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error, lzma.LZMAError),
)


@dataclass(frozen=True, eq=False)
class Session:
    """What a file holds. `trace` is None where no arrays belong to it; `remark` says what is amiss.

    `checkpoint` is that of run A, `other` that of run B where it is another one. Files of version 1 name only
    the folder.
    """

    state: WindowState
    trace: Trace | None = None
    checkpoint: SavedCheckpoint = NOT_KNOWN
    other: SavedCheckpoint | None = None
    remark: str = ""


def save_session(path: Path, session: Session) -> None:
    """Write a session as a whole, or leave the file as it was. Raises FileError."""
    state, other = session.state, session.state.other
    if other is not None and session.other is not None:
        other = replace(other, ref=session.other.ref or other.ref)
    state = replace(state, ref=session.checkpoint.ref or state.ref, other=other)
    # The oldest version of the format that has what is saved: older programs can read it.
    saved, version = state.interventions, _WITHOUT_INTERVENTIONS
    runs = [state.edits] if state.other is None else [state.edits, state.other.edits]
    if any(one.states for one in (*runs, saved.off, saved.off_in_b, *(each.edits for each in saved.sets))):
        version = VERSION
    elif saved.sets or saved.off or any(one.heads or one.tokens or one.cells for one in runs):
        version = _WITHOUT_STATES
    content = {
        "kind": _KIND,
        "version": version,
        "program": __version__,
        "has_arrays": session.trace is not None,
        "checkpoint": encode(session.checkpoint),
        "other": None if session.other is None else encode(session.other),
        "snapshot": state_to_plain(state),
    }
    with replacing(path) as beside:
        if session.trace is not None:
            traces.write_arrays(session.trace, beside)
        with ZipFile(beside, "a" if session.trace is not None else "w") as archive:
            archive.writestr(MEMBER, json.dumps(content, indent=1, ensure_ascii=False))


def load_session(path: Path) -> Session:
    """Return the session in `path`, without its arrays if they are damaged or missing. Raises FileError."""
    content = _content(path)
    session = _session(path, content)
    if content.get("has_arrays") is not True:
        return session
    arrays = path if content["version"] > 1 else path.with_name(f"{path.name}.npz")
    if not arrays.is_file():
        remark = Message("The arrays of this session, {0}, are not beside it.", arrays.name)
        return replace(session, remark=remark)
    try:
        trace = traces.load_trace(arrays)
    except FileError:
        remark = Message("The arrays of this session, {0}, cannot be read.", arrays.name)
        return replace(session, remark=remark)
    state, checkpoint = session.state, session.checkpoint
    if (trace.tokens.text, trace.tokens.pair) != (state.text, state.pair):
        return replace(session, remark=Message("{0} holds the arrays of another session.", arrays.name))
    if trace.has_states and not trace.provenance.program:
        # Files of version 1 have the replaced tokens in the state alone.
        fits = all(position < trace.n_tokens for position, _ in state.edits.replaced)
        replaced = state.edits.replaced if fits else ()
        trace = replace(trace, provenance=replace(trace.provenance, replaced=replaced))
    if not checkpoint.name:
        checkpoint = SavedCheckpoint.of_trace(trace, state.ref or "")
    return replace(session, trace=trace, checkpoint=checkpoint)


def load_without_arrays(path: Path) -> Session:
    """Return a session without its arrays. Raises FileError."""
    return _session(path, _content(path))


def _content(path: Path) -> dict[str, Any]:
    try:
        with _reading(path):
            refuse_swelling(path)
            with path.open("rb") as file:
                if not is_zipfile(file):  # in version 1 the whole file is the JSON
                    file.seek(0)
                    read = file.read(_LARGEST + 1)
                else:
                    with ZipFile(file) as archive, archive.open(MEMBER) as member:
                        read = member.read(min(archive.getinfo(MEMBER).file_size, _LARGEST) + 1)
            if len(read) > _LARGEST:
                raise ValueError("far too large")
            content = json.loads(read.decode())
        if not isinstance(content, dict) or content.get("kind") != _KIND:
            raise ValueError("no session")
    except _DAMAGED as error:
        raise _damaged(path) from error
    if isinstance(content.get("version"), int) and content["version"] > VERSION:
        program = str(content.get("program"))[:20]
        message = Message("{0} was saved by a newer BertViz App ({1}).", path.name, program)
        raise FileError(message, Message("Install the newer version to open it."))
    return content


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Raise FileError for a file that is not there or cannot be read."""
    try:
        yield
    except FileNotFoundError as error:
        raise FileError(Message("There is no file {0}.", path), Message("Check the name.")) from error
    except OSError as error:
        raise FileError(Message("{0} could not be read: {1}.", path, error.strerror or error)) from error


def _session(path: Path, content: dict[str, Any]) -> Session:
    try:
        if content.get("version") not in range(1, VERSION + 1) or isinstance(content["version"], bool):
            raise ValueError("no version")
        state = state_from_plain(content.get("snapshot"))
        for edits in (state.edits, *([] if state.other is None else [state.other.edits])):
            Edits.of(edits.interventions)  # raises where the same head, token or weight is changed twice
        if content["version"] == 1:
            ref, other_ref = state.ref or "", state.other and state.other.ref
            other = SavedCheckpoint(other_ref, other_ref) if other_ref else None
            return Session(state, None, SavedCheckpoint(ref=ref), other)
        other = content.get("other")
        return Session(
            state,
            checkpoint=decode(SavedCheckpoint, content.get("checkpoint"), largest=_LARGEST_SIZE),
            other=None if other is None else decode(SavedCheckpoint, other, largest=_LARGEST_SIZE),
        )
    except InterventionError as error:
        raise FileError(error.message, _WAY_OUT) from error
    except (ValueError, RecursionError) as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> FileError:
    return FileError(Message("{0} is no session that can be opened.", path), _WAY_OUT)


TRACE_ENDING = ".npz"
TEXT_ENDINGS = (".txt", ".text", ".md")
_TRACE_MEMBER = "facts.npy"


def is_checkpoint(path: Path) -> bool:
    """Return whether `path` is a folder, or a file of the kind by which a checkpoint is opened or refused."""
    name = path.name
    is_named = name.endswith((*WEIGHT_ENDINGS, INDEX_ENDING)) or name == CONFIG or is_other_format(name)
    if is_named or path.is_dir():
        return True
    return path.suffix.lower() not in (ENDING, TRACE_ENDING, *TEXT_ENDINGS) and kind_of(path) is not None


def read_file(path: Path) -> Session | Trace | str:
    """Return the session, the trace or the text in a file. Raises FileError."""
    members, ending = frozenset[str](), path.suffix.lower()
    with suppress(OSError, BadZipFile, ValueError, NotImplementedError), ZipFile(path) as archive:
        members = frozenset(archive.namelist())
    if MEMBER in members or (ending == ENDING and _TRACE_MEMBER not in members):
        return load_session(path)
    if _TRACE_MEMBER in members or ending == TRACE_ENDING:
        return traces.load_trace(path)
    if ending in (*TEXT_ENDINGS, "") and not members:
        return read_text(path)
    raise FileError(
        Message("“{0}” is not a file of a kind that can be opened here.", path.name),
        Message(
            "Give a checkpoint folder or its weights ({0}), a .bva, a .npz or a .txt file.",
            ", ".join(WEIGHT_ENDINGS),
        ),
    )


def read_text(path: Path) -> str:
    """Return the text in a file, its lines joined by spaces. Raises FileError."""
    try:
        with _reading(path), path.open("rb") as file:
            content = file.read(4 * MAX_CHARACTERS + 1)
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(
            Message("{0} is no text in UTF-8.", path.name), Message("Save it as UTF-8 and try again.")
        ) from error
    if not (text := " ".join(text.split())):
        raise FileError(Message("{0} holds no text.", path.name))
    if len(text) > MAX_CHARACTERS:
        raise FileError(
            Message(
                "{0} is longer than the {1} characters that can be read.", path.name, f"{MAX_CHARACTERS:,}"
            )
        )
    return text


_ANOTHER = Message("Choose another folder, or encode the text again.")


def can_be_checked(session: Session) -> bool:
    """Return whether the file holds what recognises the checkpoint of run A: a fingerprint or numbers."""
    return bool(session.checkpoint.identity.fingerprint) or session.trace is not None


def of_another(source: Source, saved: SavedCheckpoint) -> CheckpointError:
    message = Message(
        "{0} is another checkpoint than the saved {1}: weights, configuration or tokenizer differ.",
        source.name,
        saved.name,
    )
    return CheckpointError(message, _ANOTHER)


def refuse_contradicted(source: Source, session: Session, check: Check) -> None:
    """Raise CheckpointError if the session says something that is not so of the checkpoint at `source`.

    Raises what opening the checkpoint raises, too.
    """
    state = session.state
    why = contradiction(source, session.checkpoint, (state.text, state.pair), state.edits, check)
    if why is not None:
        raise CheckpointError(
            Message("{0} is not the checkpoint that this session was saved with: {1}.", source.name, why),
            _ANOTHER,
        )


def remarks_about(session: Session, facts: ModelFacts) -> tuple[str, ...]:
    """Return what to know where a session's text is encoded with the checkpoint of `facts`.

    A session whose numbers or fingerprint were compared needs no remark.
    """
    saved, other, found = session.checkpoint, session.other, []
    if saved.identity.fingerprint and not facts.identity.is_same(saved.identity):
        found.append(
            Message(
                "{0} has changed since this session was saved: weights, configuration or tokenizer differ.",
                facts.name,
            )
        )
    elif not can_be_checked(session):
        found.append(
            Message(
                "This session holds neither numbers nor a fingerprint: whether it was saved with {0}, which "
                "is used now, cannot be checked.",
                facts.name,
            )
        )
    if other is not None and not other.identity.fingerprint:
        found.append(
            Message(
                "This session holds no fingerprint of the checkpoint of run B: whether that was {0}, which "
                "is used now, cannot be checked.",
                other.name or other.ref,
            )
        )
    return tuple(found)


def current_session(
    state: WindowState, workspace: Workspace, comparison: Comparison, *, has_arrays: bool
) -> Session:
    """Return `state` with the checkpoints of both runs, and with the trace of run A if `has_arrays`."""
    shown, trace = workspace.shown, None
    if has_arrays and shown is not None and workspace.is_current:
        trace = shown.result.trace
    facts = None if workspace.opening.pending is not None else workspace.facts
    if workspace.saved is not None:
        facts = workspace.saved.facts
    of_a = SavedCheckpoint(ref=state.ref or "") if facts is None else SavedCheckpoint.of(facts)
    of_b, beside = None, comparison.shown  # None: there is no run B, or it has the checkpoint of run A
    if state.other is not None and (ref := state.other.ref) is not None:
        is_shown = beside is not None and beside.result.request.ref == ref
        of_b = SavedCheckpoint.of(beside.result.facts) if beside and is_shown else SavedCheckpoint(ref, ref)
    return Session(state, trace, of_a, of_b)


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

    def __init__(self, workspace: Workspace, tasks: Tasks) -> None:
        super().__init__(workspace)
        self._workspace, self._tasks = workspace, tasks
        self._session: Session | None = None
        self._is_trace = False
        self.found = _NOWHERE
        self._shown: tuple[Session, str | None] | None = None
        self._opens_default = False
        self.problem: AppError | None = None
        workspace.facts_changed.connect(self._on_facts_changed)
        workspace.store.watch(("text", "pair"), self._on_texts_changed)

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
        (session, ref), state = self._shown, self._shown[0].state
        is_shown = workspace.ref == ref and workspace.texts == state.texts and not workspace.is_blank
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

    def open_trace(self, trace: Trace, file: str = "") -> None:
        """Show the numbers of a trace; its checkpoint is not needed but for what they do not hold.

        Weights alone belong to no checkpoint: in its place is the file that they are from.
        """
        tokens, edits = trace.tokens, trace.edits
        state = WindowState(tokens.text, tokens.pair, edits=edits)
        checkpoint = SavedCheckpoint.of_trace(trace, "" if trace.has_states else file)
        self._begin(Session(state, trace, checkpoint), is_trace=True)

    def start_with(self, session: Session) -> tuple[bool, str | None]:
        """Show the last session when the program starts; return whether to open a checkpoint, and which.

        None is the default one. A checkpoint that is not where it was is looked for instead.
        """
        ref = session.checkpoint.ref or session.state.ref
        refs = (ref, None if session.other is None else session.other.ref)
        if not all(one is None or paths.exists(Path(one)) for one in refs):
            self.open_session(session)
            return False, None
        with suppress(AppError):
            ref = None if ref == default_source().ref else ref
        self._shown = session, ref
        self._workspace.expect_model(ref)  # the program opens it
        self._workspace.store.restore(replace(session.state, ref=ref))
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
        self._workspace.cancel_opening()
        self._session, self._is_trace, self.found, self.problem = session, is_trace, _NOWHERE, None
        self._shown, self._opens_default = None, False
        facts = self._workspace.facts
        if not is_trace and facts is not None and facts.identity.is_same(session.checkpoint.identity):
            if session.other is None:
                self._show(session, FoundCheckpoints(facts.ref))
                return
        elif session.trace is not None:
            saved = saved_result(session.trace, session.checkpoint)
            self._workspace.show_saved(saved, None if is_trace else session.state)
        if session.trace is None or session.trace.has_states:
            self._search(session)
        self.changed.emit()

    def _search(self, session: Session) -> None:
        available = self._workspace.available
        opened, recent = dict(available.in_memory), available.recent

        def locate(saved: SavedCheckpoint, trace: Trace | None, check: Check) -> str | None:
            if saved.identity.fingerprint or trace is not None:
                return find_saved(saved, opened, recent, check, trace)
            with suppress(AppError):  # a file of an older version without arrays
                return find(saved.ref).ref if saved.ref else None
            return None

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
            with self._workspace.store.amending():
                self._workspace.show_saved(saved_result(session.trace, session.checkpoint, found.ref))
        elif found.is_confirmed:
            self._show(session, found)
        self.changed.emit()

    def _show(self, session: Session, found: FoundCheckpoints) -> None:
        """Have everything encoded with the checkpoints that were `found`."""
        workspace, state, left_out = self._workspace, session.state, ""
        ref, other = found.ref, found.other
        if state.other is not None and state.other.ref is not None:
            left_out = "" if other else (session.other or NOT_KNOWN).name or state.other.ref
            state = replace(state, other=None if other is None else replace(state.other, ref=other))
        is_in_use = workspace.facts is not None and workspace.facts.ref == ref
        was_saved = workspace.saved is not None
        used = workspace.ref if is_in_use else ref
        self._end()  # which forgets `_shown`, too
        self._shown = replace(session, other=session.other if other else None), used
        workspace.store.restore(replace(state, ref=used))
        workspace.open_requested()  # the numbers that were shown may be of the same checkpoint
        if is_in_use and was_saved:  # the text is the one that was shown: nothing above has it encoded
            workspace.leave_saved(state.edits)
        if left_out:
            words = Message("Run B is left out: its checkpoint {0} is not on this computer.", left_out)
            self.remarked.emit(words)

    def _leave_missing(self, session: Session) -> None:
        """Keep the saved numbers; without any show the text with the checkpoint in use.

        The session's own can still be named, until another text is typed or another checkpoint opened.
        """
        if session.trace is not None:
            return
        workspace, state = self._workspace, session.state
        if (run_b := state.other) is not None:
            run_b = replace(run_b, ref=None, edits=NO_EDITS)
        if not (session.checkpoint.name or session.checkpoint.ref):
            self._end()
            words = Message(
                "This session does not say which checkpoint it was saved with: its text is encoded with the "
                "checkpoint in use."
            )
            if state.edits or (state.other is not None and state.other.edits):
                words = Message(
                    "This session does not say which checkpoint it was saved with: its text is encoded with "
                    "the checkpoint in use, without the session's interventions."
                )
            self.remarked.emit(words)
        workspace.store.restore(replace(state, ref=workspace.ref, edits=NO_EDITS, other=run_b))
        if workspace.facts is None:
            self._opens_default = True
            workspace.open_model(None)

    def _end(self) -> None:
        self._tasks.cancel(_SLOT)
        self._session = self._shown = self.problem = None
        self.found, self._opens_default = _NOWHERE, False
        self.changed.emit()

    def _on_texts_changed(self) -> None:
        """Another text is no longer the saved one: neither numbers nor a checkpoint found later replace it.

        The text of a session without numbers is shown only once its checkpoint was looked for.
        """
        session, workspace = self._session, self._workspace
        is_shown = session is not None and (session.trace is not None or self.whereabouts != "looking")
        if session is None or not is_shown:
            return
        if workspace.texts != session.state.texts:
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
            self._workspace.failed.emit(error)
        self.changed.emit()
