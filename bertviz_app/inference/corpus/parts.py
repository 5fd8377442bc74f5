"""`PartStore`: the files of the measured blocks, from which an interrupted run is resumed.

The name of a file has the number of its block and a hash of the checkpoint, the settings and the lines, so a
file with the name is of this run. It is written under another name and then renamed, so it is complete.
"""

from __future__ import annotations

import io
import json
import re
import secrets
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from bertviz_app.errors import FileError, Message
from bertviz_app.inference.corpus.job import Remark, block_digest
from bertviz_app.inference.corpus.lines import Block
from bertviz_app.inference.corpus.measuring import MeasuredPart
from bertviz_app.inference.corpus.parquet import ParquetFormat

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

_COMPLETE = re.compile(r"part-\d{9}-[0-9a-f]{16}\.(npz|parquet)")
_INCOMPLETE = re.compile(rf"\.[0-9a-f]{{8}}-{_COMPLETE.pattern}")


class PartStore:
    """The files of one run in a folder: `.npz`, or `.parquet` where `as_parquet` writes them.

    `folder` is a path or a URL that fsspec opens. It can be pickled: workers on other machines save there.
    """

    def __init__(self, folder: str, digest: str, as_parquet: ParquetFormat | None = None) -> None:
        self.folder = folder
        self._digest = digest
        self._as_parquet = as_parquet
        self._ending = ".npz" if as_parquet is None else ".parquet"

    def open(self) -> None:
        """Create the folder, and remove files that a killed run left incomplete. Raises FileError."""
        system, folder = self._system()
        try:
            system.makedirs(folder, exist_ok=True)
            for name in self._listed(_INCOMPLETE):
                system.rm(f"{folder}/{name}")
        except OSError as error:
            raise self._not_written(error) from error

    def name_of(self, block: Block) -> str:
        """Return the name of the block's file."""
        found = block_digest(self._digest, block.first, block.lines)
        return f"part-{block.number:09d}-{found}{self._ending}"

    def names(self) -> set[str]:
        """Return the names of all files in the folder."""
        return self._listed(_COMPLETE)

    def save(self, name: str, part: MeasuredPart) -> None:
        """Write a block's file. Raises FileError."""
        system, folder = self._system()
        content = _as_npz(part) if self._as_parquet is None else self._as_parquet.file_of(part)
        beside = f"{folder}/.{secrets.token_hex(4)}-{name}"
        try:
            system.pipe_file(beside, content)
            system.mv(beside, f"{folder}/{name}")
        except OSError as error:
            raise self._not_written(error) from error

    def load(self, name: str) -> MeasuredPart:
        """Return the part of the block's `.npz` file."""
        return _from_npz(self._content(name))

    def remarks(self, name: str) -> tuple[int, tuple[Remark, ...]]:
        """Return how many lines were measured in the block of that file, and the remarks on its lines."""
        if self._as_parquet is None:
            part = self.load(name)
            return len(part.lines), part.remarks
        system, folder = self._system()
        with system.open(f"{folder}/{name}", "rb") as file:
            n_lines, remarks = self._as_parquet.remarks_of(file)
        return n_lines, _remarks(remarks)

    def remove(self) -> None:
        """Remove the files, and the folder if nothing else is in it. The table is complete."""
        self.remove_others(set())
        system, folder = self._system()
        with suppress(OSError):
            system.rmdir(folder)

    def remove_others(self, names: set[str]) -> None:
        """Remove all files but those of `names`: they are of other runs."""
        system, folder = self._system()
        for name in self.names() - names:
            system.rm(f"{folder}/{name}")

    def _listed(self, pattern: re.Pattern[str]) -> set[str]:
        system, folder = self._system()
        system.invalidate_cache(folder)
        names = (path.rpartition("/")[2] for path in system.ls(folder, detail=False))
        return {name for name in names if pattern.fullmatch(name)}

    def _content(self, name: str) -> bytes:
        system, folder = self._system()
        content: bytes = system.cat_file(f"{folder}/{name}")
        return content

    def _system(self) -> tuple[AbstractFileSystem, str]:
        from fsspec.core import url_to_fs

        system, folder = url_to_fs(self.folder)
        return system, folder.rstrip("/")

    def _not_written(self, error: OSError) -> FileError:
        reason = error.strerror or str(error)
        message = Message("{0} could not be written: {1}.", self.folder, reason)
        return FileError(message, Message("Choose another folder, or make room on the disk."))


def parts_in_order(store: PartStore, names: set[str]) -> Iterator[MeasuredPart]:
    """Yield the parts of the blocks in their order."""
    for name in sorted(names):
        yield store.load(name)


def _as_npz(part: MeasuredPart) -> bytes:
    content = io.BytesIO()
    remarks = json.dumps([[remark.line, remark.kind, remark.detail] for remark in part.remarks])
    np.savez(
        content,
        lines=part.lines,
        n_tokens=part.n_tokens,
        n_word=part.n_word,
        values=part.values,
        remarks=np.frombuffer(remarks.encode(), np.uint8),
    )
    return content.getvalue()


def _from_npz(content: bytes) -> MeasuredPart:
    with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
        remarks = json.loads(arrays["remarks"].tobytes().decode())
        lines, n_tokens, n_word = (arrays[name] for name in ("lines", "n_tokens", "n_word"))
        return MeasuredPart(lines, n_tokens, n_word, arrays["values"], _remarks(remarks))


def _remarks(rows: list[list[Any]]) -> tuple[Remark, ...]:
    return tuple(Remark(line, kind, detail) for line, kind, detail in rows)
