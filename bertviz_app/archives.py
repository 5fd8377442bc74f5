"""Zip archives from elsewhere: refused by what their directory declares, before they are unpacked."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile, is_zipfile

from bertviz_app.errors import FileError, Message

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
