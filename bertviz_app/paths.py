"""The program's folders on this computer, and writing files so that a reader never sees half of one."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from zipfile import ZipFile, is_zipfile

from bertviz_app.errors import FileError, Message

_PACKAGE = Path(__file__).resolve().parent
_NAME = "bertviz-app"
SNAPSHOTS = "snapshots"
"""Within the folder of a trained model: the models that were saved on the way, a folder for each."""


def resources() -> Path:
    """Return the folder of icons, themes, translations and documents that ship with the program."""
    return _shipped("resources")


def bundled_models() -> Path:
    """Return the folder of the checkpoints that ship with the program."""
    return _shipped("models")


def settings() -> Path:
    """Return the folder of the user's settings; it may not exist yet."""
    return _of_user(("APPDATA", "AppData/Roaming"), ("XDG_CONFIG_HOME", ".config"))


def trained_models() -> Path:
    """Return the folder of the checkpoints that were trained here; it may not exist yet."""
    return _data() / "models"


def own_lessons() -> Path:
    """Return the folder of the user's own lessons, unless another was chosen; it may not exist yet."""
    return _data() / "lessons"


def lenses() -> Path:
    """Return the folder of the lenses that were trained here; it may not exist yet."""
    return _data() / "lenses"


def corpora() -> Path:
    """Return the folder of the example corpora and of their tables; it may not exist yet."""
    return _data() / "corpora"


def dossiers() -> Path:
    """Return the folder of the user's notes about heads; it may not exist yet."""
    return _data() / "dossiers"


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a path beside `path` for the block to write; it replaces `path` if the block ends without error.

    A reader never sees half a file: after an error, a full disk or a kill, `path` is what it was.
    Raises FileError when the file cannot be written.
    """
    # 40 characters of 4 bytes each, and what is added, stay within the 255 bytes that a name may have.
    beside = path.with_name(f".{path.stem[:40]}.{os.urandom(4).hex()}{path.suffix}")
    try:
        yield beside
        beside.replace(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise FileError(Message("{0} could not be written: {1}.", path, reason), _way_out(path)) from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def check_folder(path: Path) -> None:
    """Raise FileError where the folder of a file is not there: before anything is computed for it."""
    try:
        has_folder = path.expanduser().absolute().parent.is_dir()
    except (OSError, RuntimeError):  # it may not be read: writing says why
        return
    if not has_folder:
        raise FileError(Message("There is no folder {0}.", path.parent), _way_out(path))


@contextmanager
def examining(path: Path, hint: str) -> Iterator[None]:
    """Raise FileError, with this hint, where the block cannot find out what is at `path`.

    Such are a folder that may not be read, and a name that is too long for the disk.
    """
    try:
        yield
    except OSError as error:
        raise FileError(
            Message("{0} could not be read: {1}.", path, error.strerror or error), hint
        ) from error


def exists(path: Path) -> bool:
    """Return whether there is something at `path`; False, too, where that cannot be found out.

    `Path.exists` raises for what lies in a folder that may not be read or on a disk that does not answer.
    """
    try:
        return path.exists()
    except OSError:
        return False


def _data() -> Path:
    """Return the folder for files that the user makes with the program."""
    return _of_user(("LOCALAPPDATA", "AppData/Local"), ("XDG_DATA_HOME", ".local/share"))


def _of_user(on_windows: tuple[str, str], on_linux: tuple[str, str]) -> Path:
    """Return a folder of the user, by a variable of the environment or else in the home folder."""
    if sys.platform == "darwin":
        return Path.home() / "Library/Application Support" / _NAME
    variable, otherwise = on_windows if sys.platform == "win32" else on_linux
    return Path(os.environ.get(variable) or Path.home() / otherwise) / _NAME


def _way_out(path: Path) -> str:
    try:
        has_folder = path.parent.is_dir()
    except OSError:  # the folder that it is in may not be read
        has_folder = True
    if not has_folder:
        return Message("Make the folder {0} first, or choose another.", path.parent)
    return Message("Free some space or choose another folder; nothing that was there before has changed.")


def _shipped(folder: str) -> Path:
    """Return the folder inside the installed package, else the one of the source checkout."""
    inside = _PACKAGE / folder
    return inside if inside.is_dir() else _PACKAGE.parent / folder


_MOST_TIMES = 20
"""An archive may unfold to so many times its own size ..."""
_SLACK = 64 << 20
"""... and so many bytes, so that small ones are never refused."""


def refuse_swelling(path: Path) -> None:
    """Raise FileError if the archive at `path` declares far more bytes than it has.

    A few kilobytes can be packed to unfold into all memory; the numbers that this program saves are not
    packed, and the reader of each part stops at its declared length. Other files are left to their readers.
    Raises BadZipFile or OSError for a damaged one.
    """
    if not is_zipfile(path):
        return
    with ZipFile(path) as archive:
        declared = sum(entry.file_size for entry in archive.infolist())
    size = path.stat().st_size
    if declared > _MOST_TIMES * size + _SLACK:
        message = Message(
            "{0} has {1} MB and would unfold to {2} MB: it was not opened.",
            path.name,
            f"{size / 1e6:,.1f}",
            f"{declared / 1e6:,.0f}",
        )
        raise FileError(message, Message("Save it again without packing it so tightly."))
