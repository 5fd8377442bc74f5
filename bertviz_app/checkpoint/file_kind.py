"""What kind of file holds weights, by its bytes, whatever its ending is. Loads no torch."""

from __future__ import annotations

import struct
import zipfile
from pathlib import Path
from typing import Literal

FileKind = Literal[
    "safetensors",
    "torch",
    "older torch",
    "torchscript",
    "exported program",
    "hdf5",
    "keras",
    "msgpack",
    "gguf",
    "onnx",
    "tflite",
]
WEIGHTS_KINDS: tuple[FileKind, ...] = ("safetensors", "torch", "older torch")
"""The kinds that are read."""
_HEADER = 64
_OLDER_TORCH = b"\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19."
"""The number that torch's older format begins with, as a pickle of protocol 2."""
_BEGINNINGS: tuple[tuple[int, bytes, FileKind], ...] = (
    (0, _OLDER_TORCH, "older torch"),
    (0, b"\x89HDF\r\n\x1a\n", "hdf5"),
    (0, b"GGUF", "gguf"),
    (4, b"TFL3", "tflite"),
)
"""Where in a file which bytes tell its kind."""
_ENTRIES: tuple[tuple[str, FileKind], ...] = (
    ("constants.pkl", "torchscript"),
    ("archive_format", "exported program"),
    ("data.pkl", "torch"),
    ("model.weights.h5", "keras"),
)
"""The last parts of the names of entries that tell the kind of an archive; the first that is there does."""


def kind_of(path: Path) -> FileKind | None:
    """Return the kind of the file at `path`; None for another one, or one that cannot be read.

    No number of it is read: its first bytes decide, and the list of contents of an archive.
    """
    try:
        with path.open("rb") as file:
            start = file.read(_HEADER)
        if start.startswith(b"PK\x03\x04"):
            return _kind_of_archive(path)
        n_bytes = path.stat().st_size
    except (OSError, ValueError):
        return None
    if found := next((kind for at, mark, kind in _BEGINNINGS if start[at:].startswith(mark)), None):
        return found
    if _is_safetensors(start, n_bytes):
        return "safetensors"
    if _is_msgpack(start):
        return "msgpack"
    return "onnx" if _is_onnx(start) else None


def _kind_of_archive(path: Path) -> FileKind | None:
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    # A damaged directory of contents can raise anything in the library.
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, struct.error, MemoryError):
        return None
    last = {name.rpartition("/")[2] for name in names}
    return next((kind for name, kind in _ENTRIES if name in last), None)


def _is_safetensors(start: bytes, n_bytes: int) -> bool:
    """Return whether a file begins with the length of a JSON object that follows, and has that length."""
    return start[8:9] == b"{" and int.from_bytes(start[:8], "little") <= n_bytes - 8


def _is_msgpack(start: bytes) -> bool:
    """Return whether a file begins with a map of a few entries, whose first key is a short printable name."""
    if len(start) < 3 or not 0x81 <= start[0] <= 0x8F or not 0xA1 <= start[1] <= 0xBF:
        return False
    name = start[2 : 2 + (start[1] & 0x1F)]
    return name.isascii() and name.decode("ascii").isprintable()


def _is_onnx(start: bytes) -> bool:
    """Return whether a file begins as ONNX' message: its version, then the name of the program that wrote."""
    if len(start) < 4 or start[0] != 0x08 or not 1 <= start[1] <= 0x20 or start[2] != 0x12:
        return False
    name = start[4 : 4 + start[3]]
    return bool(name) and name.isascii() and name.decode("ascii").isprintable()
