"""Reading the texts of files in blocks, as they are needed: local, compressed, or behind a URL.

A text is a line, or a cell of one column of a table; the encoding and the table's format are found by the
content of the beginning of a file.
"""

from __future__ import annotations

import codecs
import io
import lzma
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import IO

from bertviz_app.errors import FileError, Message
from bertviz_app.text_tables.columns import is_like_table, text_column, unclear_column
from bertviz_app.text_tables.table import (
    UTF_8,
    WIDE,
    Layout,
    LayoutError,
    TableChoices,
    damaged,
    decoded,
    layout_words,
    objects_of,
    packing_of,
    rows_of,
    table_of,
)

LONGEST_LINE = 1 << 20
"""Bytes of the longest line that is read; longer lines are counted and left out."""
UNDECODABLE = b"\xff"
"""Stands for a text that is not in the encoding of its file: these bytes are no UTF-8."""
_HEAD = 1 << 20  # bytes
_LONGEST_ROW = 1 << 24  # characters
_HINT = Message("Give a file of text, a sentence a line.")
_BY_THEIR_BYTES = frozenset({"gzip", "xz", "bz2"})
_DAMAGE = (OSError, EOFError, ValueError, ImportError, zlib.error, lzma.LZMAError)
"""What a file that cannot be read raises; ImportError: a package that opens such a URL is not installed."""


@dataclass(frozen=True)
class TextReading:
    """How the texts of a file are read; "" for what is found by its content.

    `column`: the texts are the cells of that column, by its name or its number from 1. `is_prose`: each line
    is a text, whatever it looks like.
    """

    column: str = ""
    separator: str = ""
    encoding: str = ""
    is_prose: bool = False


PROSE = TextReading()
"""A text a line, in the encoding that is found; a file that looks like a table is an error."""


@dataclass(frozen=True)
class FileForm:
    """What was found about a file: its codec, and for a table its layout and the column that is read."""

    codec: str
    layout: Layout | None = None
    column: str = ""
    index: int = 0
    has_header: bool = False


@dataclass(frozen=True)
class Block:
    """Lines that follow each other; `first` is the number of the first, counted over all files from 1.

    A line with more than LONGEST_LINE bytes is None; the others are UTF-8, whatever the file is. `n_bytes` is
    the number of bytes up to the block's end.
    """

    number: int
    first: int
    lines: tuple[bytes | None, ...]
    n_bytes: int


@dataclass
class LineReader:
    """Reads `files` one after the other; where a column is read, a line is a row, without that of the names.

    `firsts` has the number of each file's first line, `n_lines` and `n_bytes` count what was read so far.
    """

    files: tuple[str, ...]
    reading: TextReading = PROSE
    firsts: list[int] = field(default_factory=list)
    n_lines: int = 0
    n_bytes: int = 0
    _forms: dict[str, FileForm] = field(default_factory=dict)

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

    def form(self, name: str) -> FileForm:
        """Return what the beginning of a file shows. Raises FileError, TableError where it must be asked."""
        if name not in self._forms:
            with _named(name):
                self._forms[name] = _found(name, self.reading)
        return self._forms[name]

    def _block(self, number: int, lines: list[bytes | None]) -> Block:
        return Block(number, self.n_lines - len(lines) + 1, tuple(lines), self.n_bytes)

    def _lines(self) -> Iterator[bytes | None]:
        for name in self.files:
            form = self.form(name)
            self.firsts.append(self.n_lines + 1)
            with _named(name), open_bytes(name) as stream:
                for line in _texts(stream, form):
                    self.n_lines += 1
                    self.n_bytes += LONGEST_LINE if line is None else len(line) + 1
                    yield line


@contextmanager
def _named(name: str) -> Iterator[None]:
    """Raise FileError with the name of a file, in place of what a damaged one raises."""
    try:
        yield
    except LayoutError as error:
        raise damaged(name, error) from error
    except _DAMAGE as error:
        message = Message("The file {0} cannot be read: {1}.", name, str(error))
        raise FileError(message, _HINT) from error


def open_bytes(name: str) -> IO[bytes]:
    """Return a file, or what a URL names, opened for reading; decompressed if its first bytes say so."""
    import fsspec

    opened: IO[bytes] = fsspec.open(name, "rb", compression=_packing(name)).open()
    return opened


def total_bytes(files: tuple[str, ...]) -> int | None:
    """Return the bytes of all files, None if one is compressed. Raises FileError for a missing file."""
    import fsspec

    sizes = []
    for name in files:
        with _named(name):
            system, path = fsspec.core.url_to_fs(name)
            sizes.append(None if _packing(name) else system.size(path))
    return None if None in sizes else sum(size for size in sizes if size is not None)


def _packing(name: str) -> str | None:
    """Return fsspec's name of how a file is packed; None if it is not."""
    import fsspec
    from fsspec.utils import infer_compression

    by_name: str | None = infer_compression(name)
    if by_name is not None and by_name not in _BY_THEIR_BYTES:
        return by_name
    with fsspec.open(name, "rb", compression=None).open() as stream:
        return packing_of(stream.read(8)) or None


def _found(name: str, reading: TextReading) -> FileForm:
    with open_bytes(name) as stream:
        head = stream.read(_HEAD)
        is_whole = len(head) < _HEAD
        if not head.strip():
            return FileForm(UTF_8)
        short = name.rpartition("/")[2]
        if reading.is_prose:
            return FileForm(decoded(short, head, reading.encoding, is_whole=is_whole)[0])
        choices = TableChoices(
            text_column=reading.column, separator=reading.separator, encoding=reading.encoding
        )
        try:
            table = table_of(short, head, choices, is_whole=is_whole)
        except FileError:
            if is_whole:
                raise
            table = table_of(short, head + stream.read(), choices)  # an array of JSON has no lines
    if not reading.column:
        if is_like_table(table):
            raise unclear_column(table, layout_words(table.layout))
        return FileForm(table.encoding)
    index = text_column(table, reading.column)
    return FileForm(table.encoding, table.layout, table.columns[index], index, table.has_header)


def _texts(stream: IO[bytes], form: FileForm) -> Iterator[bytes | None]:
    """Yield the texts of a file as UTF-8."""
    if form.layout is None and form.codec == UTF_8:
        yield from _lines_of(stream)
        return
    errors = "strict" if WIDE.fullmatch(form.codec) else "surrogateescape"
    with io.TextIOWrapper(stream, form.codec, errors=errors, newline="\n") as text:
        if form.layout is None:
            for line in _lines_of_text(text, LONGEST_LINE):
                yield None if line is None else _as_utf_8(line)
            return
        for cell in _cells(text, form, form.layout):
            found = _as_utf_8(cell)
            yield found if len(found) <= LONGEST_LINE else None


def _as_utf_8(text: str) -> bytes:
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:  # bytes that are not in the encoding, as half characters
        return UNDECODABLE


def _cells(text: IO[str], form: FileForm, layout: Layout) -> Iterator[str]:
    """Yield the cells of the column; a row that lacks it has none."""
    lines = (_whole(line, number) for number, line in enumerate(_lines_of_text(text, _LONGEST_ROW), 1))
    if layout.kind in ("json", "json lines"):
        for _, row in objects_of(lines, layout):
            yield row.get(form.column, "")
        return
    for number, (_, cells) in enumerate(rows_of(lines, layout)):
        if number or not form.has_header:
            yield cells[form.index] if form.index < len(cells) else ""


def _whole(line: str | None, number: int) -> str:
    if line is None:
        raise LayoutError("a line of more than 16 million characters", number)
    return line


def _lines_of_text(text: IO[str], longest: int) -> Iterator[str | None]:
    """Yield the lines of decoded text as `_lines_of` does those of bytes."""
    is_first = True
    while line := text.readline(longest + 2):
        if len(line) > longest and not line.endswith("\n"):
            while (rest := text.readline(longest)) and not rest.endswith("\n"):
                pass
            yield None
        else:
            line = line.removesuffix("\n").removesuffix("\r")
            yield line.removeprefix("\ufeff") if is_first else line
        is_first = False


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
