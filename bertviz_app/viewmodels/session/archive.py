"""Sessions as files: one zip archive of `session.json`, the state of the window, and the arrays of a trace.

numpy reads it as it reads an `.npz`. Version 1 was two files: `name.bva`, the JSON, and `name.bva.npz`.
"""

from __future__ import annotations

import json
import lzma
import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile, is_zipfile

import bertviz_app.trace as traces
from bertviz_app.archives import refuse_swelling
from bertviz_app.errors import FileError, InterventionError, Message
from bertviz_app.inference.fetching import NOT_KNOWN, SavedCheckpoint
from bertviz_app.json_store import decode, encode
from bertviz_app.paths import replacing
from bertviz_app.text.edits import Edits
from bertviz_app.trace import Trace
from bertviz_app.version import __version__
from bertviz_app.viewmodels.session.snapshot import Snapshot, snapshot_from_plain, snapshot_to_plain

ENDING = ".bva"
VERSION = 3
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

    snapshot: Snapshot
    trace: Trace | None = None
    checkpoint: SavedCheckpoint = NOT_KNOWN
    other: SavedCheckpoint | None = None
    remark: str = ""


def save_session(path: Path, session: Session) -> None:
    """Write a session as a whole, or leave the file as it was. Raises FileError."""
    snapshot, other = session.snapshot, session.snapshot.other
    if other is not None and session.other is not None:
        other = replace(other, ref=session.other.ref or other.ref)
    snapshot = replace(snapshot, ref=session.checkpoint.ref or snapshot.ref, other=other)
    content = {
        "kind": _KIND,
        "version": VERSION if _has_interventions(snapshot) else _WITHOUT_INTERVENTIONS,
        "program": __version__,
        "has_arrays": session.trace is not None,
        "checkpoint": encode(session.checkpoint),
        "other": None if session.other is None else encode(session.other),
        "snapshot": snapshot_to_plain(snapshot),
    }
    with replacing(path) as beside:
        if session.trace is not None:
            traces.write_arrays(session.trace, beside)
        with ZipFile(beside, "a" if session.trace is not None else "w") as archive:
            archive.writestr(MEMBER, json.dumps(content, indent=1, ensure_ascii=False))


def _has_interventions(snapshot: Snapshot) -> bool:
    """Return whether there are any that programs which read version 2 at most would leave out."""
    runs = [snapshot.edits, *([] if snapshot.other is None else [snapshot.other.edits])]
    saved = snapshot.interventions
    return bool(saved.sets or saved.off) or any(edits.heads or edits.tokens or edits.cells for edits in runs)


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
        return _with_trace(session, traces.load_trace(arrays), arrays)
    except FileError:
        remark = Message("The arrays of this session, {0}, cannot be read.", arrays.name)
        return replace(session, remark=remark)


def load_without_arrays(path: Path) -> Session:
    """Return a session without its arrays. Raises FileError."""
    return _session(path, _content(path))


def _with_trace(session: Session, trace: Trace, arrays: Path) -> Session:
    """Return `session` with its trace; files of version 1 have the replaced tokens in the snapshot alone."""
    snapshot = session.snapshot
    if (trace.tokens.text, trace.tokens.pair) != (snapshot.text, snapshot.pair):
        return replace(session, remark=Message("{0} holds the arrays of another session.", arrays.name))
    if not trace.provenance.program:
        fits = all(position < trace.n_tokens for position, _ in snapshot.edits.replaced)
        replaced = snapshot.edits.replaced if fits else ()
        trace = replace(trace, provenance=replace(trace.provenance, replaced=replaced))
    checkpoint = session.checkpoint
    if not checkpoint.name:
        checkpoint = SavedCheckpoint.of_trace(trace, snapshot.ref or "")
    return replace(session, trace=trace, checkpoint=checkpoint)


def _content(path: Path) -> dict[str, Any]:
    try:
        refuse_swelling(path)
        content = json.loads(_text(path))
        if not isinstance(content, dict) or content.get("kind") != _KIND:
            raise ValueError("no session")
    except FileNotFoundError as error:
        raise FileError(Message("There is no file {0}.", path), Message("Check the name.")) from error
    except OSError as error:
        raise FileError(Message("{0} could not be read: {1}.", path, error.strerror or error)) from error
    except _DAMAGED as error:
        raise _damaged(path) from error
    version = content.get("version")
    if isinstance(version, int) and version > VERSION:
        message = Message(
            "{0} was saved by a newer BertViz App ({1}).", path.name, str(content.get("program"))[:20]
        )
        raise FileError(message, Message("Install the newer version to open it."))
    return content


def _text(path: Path) -> str:
    """Return the JSON of a session, in version 1 the whole file. Raises ValueError if it is too long."""
    with path.open("rb") as file:
        if not is_zipfile(file):
            file.seek(0)
            content = file.read(_LARGEST + 1)
        else:
            with ZipFile(file) as archive, archive.open(MEMBER) as member:
                content = member.read(min(archive.getinfo(MEMBER).file_size, _LARGEST) + 1)
    if len(content) > _LARGEST:
        raise ValueError("far too large")
    return content.decode()


def _session(path: Path, content: dict[str, Any]) -> Session:
    try:
        if content.get("version") not in range(1, VERSION + 1) or isinstance(content["version"], bool):
            raise ValueError("no version")
        snapshot = snapshot_from_plain(content.get("snapshot"))
        _refuse_contradictions(snapshot)
        if content["version"] == 1:
            ref, other_ref = snapshot.ref or "", snapshot.other and snapshot.other.ref
            other = SavedCheckpoint(other_ref, other_ref) if other_ref else None
            return Session(snapshot, None, SavedCheckpoint(ref=ref), other)
        other = content.get("other")
        return Session(
            snapshot,
            checkpoint=decode(SavedCheckpoint, content.get("checkpoint"), largest=_LARGEST_SIZE),
            other=None if other is None else decode(SavedCheckpoint, other, largest=_LARGEST_SIZE),
        )
    except InterventionError as error:
        raise FileError(error.message, _WAY_OUT) from error
    except (ValueError, RecursionError) as error:
        raise _damaged(path) from error


def _refuse_contradictions(snapshot: Snapshot) -> None:
    """Raise InterventionError where a run changes the same head, token or weight twice."""
    for edits in (snapshot.edits, *([] if snapshot.other is None else [snapshot.other.edits])):
        Edits.of(edits.interventions)


def _damaged(path: Path) -> FileError:
    return FileError(Message("{0} is no session that can be opened.", path), _WAY_OUT)
