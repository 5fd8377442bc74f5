"""Sessions as files: `name.bva` says in JSON what is looked at, `name.bva.npz` beside it has the arrays."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from bertviz_app import __version__
from bertviz_app.errors import FileError, Message
from bertviz_app.paths import replacing
from bertviz_app.trace import Trace, load_trace, save_arrays
from bertviz_app.viewmodels.session.snapshot import Snapshot, snapshot_from_plain, snapshot_to_plain

ENDING = ".bva"
VERSION = 1
_KIND = "bertviz-app session"
_LARGEST = 1 << 25  # bytes; the longest text is far below


@dataclass(frozen=True, eq=False)
class Session:
    """What a file holds. `trace` is None where no arrays belong to it; `remark` says what is amiss."""

    snapshot: Snapshot
    trace: Trace | None = None
    remark: str = ""


def arrays_beside(path: Path) -> Path:
    """Return where the arrays of the session `path` are."""
    return path.with_name(f"{path.name}.npz")


def save_session(path: Path, snapshot: Snapshot, trace: Trace | None) -> None:
    """Write a session, the arrays first: a JSON that is there has its arrays. Raises FileError."""
    if trace is not None:
        save_arrays(trace, arrays_beside(path))
    write_snapshot(path, snapshot, has_arrays=trace is not None)


def load_session(path: Path) -> Session:
    """Return the session in `path`, without its arrays if they are missing. Raises FileError."""
    content = _content(path)
    snapshot = _snapshot(path, content)
    if content.get("has_arrays") is not True:
        return Session(snapshot)
    beside = arrays_beside(path)
    if not beside.is_file():
        return Session(
            snapshot, remark=Message("The arrays of this session, {0}, are not beside it.", beside.name)
        )
    try:
        trace = load_trace(beside)
    except FileError:
        return Session(
            snapshot, remark=Message("The arrays of this session, {0}, cannot be read.", beside.name)
        )
    if (trace.tokens.text, trace.tokens.pair) != (snapshot.text, snapshot.pair):
        return Session(snapshot, remark=Message("{0} holds the arrays of another session.", beside.name))
    return Session(snapshot, trace)


def write_snapshot(path: Path, snapshot: Snapshot, **facts: bool) -> None:
    """Write the JSON of a session alone. Raises FileError."""
    head = {"kind": _KIND, "version": VERSION, "program": __version__, **facts}
    content = head | {"snapshot": snapshot_to_plain(snapshot)}
    with replacing(path) as beside:
        beside.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")


def read_snapshot(path: Path) -> Snapshot:
    """Return what is looked at in a session, without its arrays. Raises FileError."""
    return _snapshot(path, _content(path))


def _content(path: Path) -> dict[str, object]:
    try:
        if path.stat().st_size > _LARGEST:
            raise ValueError("far too large")
        content = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(content, dict) or content.get("kind") != _KIND:
            raise ValueError("no session")
    except FileNotFoundError as error:
        raise FileError(Message("There is no file {0}.", path), Message("Check the name.")) from error
    except OSError as error:
        raise FileError(Message("{0} could not be read: {1}.", path, error.strerror)) from error
    except (ValueError, RecursionError) as error:
        raise _damaged(path) from error
    version = content.get("version")
    if isinstance(version, int) and version > VERSION:
        message = Message(
            "{0} was saved by a newer BertViz App ({1}).", path.name, str(content.get("program"))[:20]
        )
        raise FileError(message, Message("Install the newer version to open it."))
    return content


def _snapshot(path: Path, content: dict[str, object]) -> Snapshot:
    try:
        if content.get("version") != VERSION:
            raise ValueError("no version")
        return snapshot_from_plain(content.get("snapshot"))
    except (ValueError, RecursionError) as error:
        raise _damaged(path) from error


def _damaged(path: Path) -> FileError:
    return FileError(
        Message("{0} is no session that can be opened.", path),
        Message("Open a .bva file that this program saved."),
    )
