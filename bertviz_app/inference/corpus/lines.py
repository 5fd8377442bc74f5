"""Reading the lines of text files in blocks, as they are needed: local, compressed, or behind a URL."""

from __future__ import annotations

import codecs
import lzma
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import IO

from bertviz_app.errors import FileError, Message

LONGEST_LINE = 1 << 20
"""Bytes of the longest line that is read; longer lines are counted and left out."""


@dataclass(frozen=True)
class Block:
    """Lines that follow each other; `first` is the number of the first, counted over all files from 1.

    A line with more than LONGEST_LINE bytes is None. `n_bytes` is the number of bytes up to the block's end.
    """

    number: int
    first: int
    lines: tuple[bytes | None, ...]
    n_bytes: int


@dataclass
class LineReader:
    """Reads `files` one after the other.

    `firsts` has the number of each file's first line, `n_lines` and `n_bytes` count what was read so far.
    """

    files: tuple[str, ...]
    firsts: list[int] = field(default_factory=list)
    n_lines: int = 0
    n_bytes: int = 0

    def blocks(self, n_lines: int) -> Iterator[Block]:
        """Yield the lines, `n_lines` at a time. Raises FileError for a file that cannot be read."""
        number, lines = 0, list[bytes | None]()
        for line in self._lines():
            lines.append(line)
            if len(lines) == n_lines:
                yield self._block(number, lines)
                number, lines = number + 1, []
        if lines:
            yield self._block(number, lines)

    def _block(self, number: int, lines: list[bytes | None]) -> Block:
        return Block(number, self.n_lines - len(lines) + 1, tuple(lines), self.n_bytes)

    def _lines(self) -> Iterator[bytes | None]:
        for name in self.files:
            self.firsts.append(self.n_lines + 1)
            try:
                with open_bytes(name) as stream:
                    for line in _lines_of(stream):
                        self.n_lines += 1
                        self.n_bytes += LONGEST_LINE if line is None else len(line) + 1
                        yield line
            # ImportError: a package that opens such a URL is not installed.
            except (OSError, EOFError, ValueError, ImportError, zlib.error, lzma.LZMAError) as error:
                message = Message("The file {0} cannot be read: {1}.", name, str(error))
                raise FileError(message, Message("Give a file of UTF-8 text, a sentence a line.")) from error


def open_bytes(name: str) -> IO[bytes]:
    """Return a file, or what a URL names, opened for reading; decompressed if its ending names a format."""
    import fsspec

    opened: IO[bytes] = fsspec.open(name, "rb", compression="infer").open()
    return opened


def total_bytes(files: tuple[str, ...]) -> int | None:
    """Return the bytes of all files, None if one is compressed. Raises FileError for a missing file."""
    import fsspec
    from fsspec.utils import infer_compression

    sizes = []
    for name in files:
        try:
            system, path = fsspec.core.url_to_fs(name)
            size = system.size(path)
        except (OSError, ValueError, ImportError) as error:
            message = Message("The file {0} cannot be read: {1}.", name, str(error))
            raise FileError(message, Message("Give a file of UTF-8 text, a sentence a line.")) from error
        sizes.append(None if infer_compression(name) else size)
    return None if None in sizes else sum(size for size in sizes if size is not None)


def _lines_of(stream: IO[bytes]) -> Iterator[bytes | None]:
    """Yield the lines without their line breaks, the first one without a byte order mark."""
    is_first = True
    while line := stream.readline(LONGEST_LINE + 2):
        if len(line) > LONGEST_LINE and not line.endswith(b"\n"):
            while (rest := stream.readline(LONGEST_LINE)) and not rest.endswith(b"\n"):
                pass
            yield None
        else:
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            yield line.removeprefix(codecs.BOM_UTF8) if is_first else line
        is_first = False
