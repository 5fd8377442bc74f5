"""`read_file`: what is in a file, by its content: a session, a trace or a text."""

from __future__ import annotations

from pathlib import Path
from zipfile import BadZipFile, ZipFile

import bertviz_app.trace as traces
from bertviz_app.checkpoint.folder import CONFIG, INDEX_ENDING, WEIGHT_ENDINGS, is_other_format, kind_of
from bertviz_app.errors import FileError, Message
from bertviz_app.text.tokens import MAX_CHARACTERS
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.session.archive import ENDING, MEMBER, Session, load_session

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
    members, ending = _members(path), path.suffix.lower()
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
        with path.open("rb") as file:
            content = file.read(4 * MAX_CHARACTERS + 1)
        text = content.decode("utf-8-sig")
    except FileNotFoundError as error:
        raise FileError(Message("There is no file {0}.", path), Message("Check the name.")) from error
    except OSError as error:
        raise FileError(Message("{0} could not be read: {1}.", path, error.strerror or error)) from error
    except UnicodeDecodeError as error:
        raise FileError(
            Message("{0} is no text in UTF-8.", path.name), Message("Save it as UTF-8 and try again.")
        ) from error
    text = " ".join(text.split())
    if not text:
        raise FileError(Message("{0} holds no text.", path.name))
    if len(text) > MAX_CHARACTERS:
        raise FileError(
            Message(
                "{0} is longer than the {1} characters that can be read.", path.name, f"{MAX_CHARACTERS:,}"
            )
        )
    return text


def _members(path: Path) -> frozenset[str]:
    """Return the names of what is in a zip archive; nothing for other files, and for what cannot be read."""
    try:
        with ZipFile(path) as archive:
            return frozenset(archive.namelist())
    except (OSError, BadZipFile, ValueError, NotImplementedError):
        return frozenset()
