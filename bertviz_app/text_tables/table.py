"""`read_table`: a whole file of rows, with what was found about it: encoding, separator, names of columns.

`TableChoices` is what the user says about a file; the rest is found by its content.
"""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from bertviz_app.errors import FileError, Message
from bertviz_app.text_tables.encodings import encoding_named, find_encoding, shown_encoding, unpacked
from bertviz_app.text_tables.layout import (
    Layout,
    LayoutError,
    find_layout,
    objects_of,
    rows_of,
)
from bertviz_app.text_tables.names import is_header

N_PREVIEW = 5
_HEADER_SAMPLE = 200  # rows
_LONGEST_SHOWN = 60  # characters of a cell
WIDE = re.compile(r"utf-(16|32).*")
"""Codecs of which a byte alone is no character."""
_NAMES_OF_SEPARATORS = {"tab": "\t", "comma": ",", "semicolon": ";", "\\t": "\t"}


TARGETS = ("classes", "scores", "tokens")
"""What can be learnt of the labels of a table."""


@dataclass(frozen=True)
class TableChoices:
    """What the user says about a table; "" for what is to be found by its content.

    A column is given by its name, or by its number from 1. `separator` may be "tab", "comma" or "semicolon".
    `target` is what is learnt, one of TARGETS: classes or scores of texts, or labels of their tokens.
    """

    label_column: str = ""
    text_column: str = ""
    pair_column: str = ""
    separator: str = ""
    encoding: str = ""
    target: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that are given."""
        return tuple(name for name in (self.label_column, self.text_column, self.pair_column) if name)


class TableArguments(TypedDict, total=False):
    """The same as arguments of a function: `finetune(…, label_column="hate", encoding="cp949")`."""

    label_column: str
    text_column: str
    pair_column: str
    separator: str
    encoding: str
    target: str


BY_CONTENT = TableChoices()
"""Nothing is given: all is found."""


@dataclass(frozen=True)
class Record:
    """One row: its cells, the number of its (last) line, and a sentence on why it cannot be read, or ""."""

    line: int
    cells: tuple[str, ...]
    fault: str = ""


@dataclass(frozen=True)
class Preview:
    """What people see of a table: the names of its columns (or numbers, from 1), and its first rows."""

    name: str
    columns: tuple[str, ...]
    has_header: bool
    rows: tuple[tuple[str, ...], ...]
    encoding: str
    separator: str


@dataclass(frozen=True, eq=False)
class TextTable:
    """The rows of the file called `name`; `columns` are their names, numbers from 1 where it has none."""

    name: str
    encoding: str  # the codec
    layout: Layout
    columns: tuple[str, ...]
    has_header: bool
    records: tuple[Record, ...]

    @property
    def preview(self) -> Preview:
        """What people see of it."""
        rows = tuple(
            tuple(shortened(cell) for cell in record.cells)
            for record in self.records[:N_PREVIEW]
            if not record.fault
        )
        encoding = shown_encoding(self.encoding)
        return Preview(self.name, self.columns, self.has_header, rows, encoding, self.layout.separator)

    def column(self, index: int) -> list[str]:
        """Return the cells of a column, without those of rows that cannot be read."""
        return [record.cells[index] for record in self.records if not record.fault]


class TableError(FileError):
    """A table cannot be read as it is, but by an answer: `unclear` names the fields of `TableChoices`.

    `preview` has its columns and first rows.
    """

    def __init__(self, message: str, hint: str, unclear: tuple[str, ...], preview: Preview) -> None:
        super().__init__(message, hint)
        self.unclear = unclear
        self.preview = preview


def read_table(path: Path, choices: TableChoices = BY_CONTENT) -> TextTable:
    """Return the rows of a file: separated columns, JSON lines or a JSON array; packed by gzip, xz, bz2.

    Raises FileError for a file that is missing, damaged or empty, TableError where nothing shows how it is to
    be read.
    """
    return table_of(path.name, unpacked(path), choices)


def table_of(name: str, content: bytes, choices: TableChoices, *, is_whole: bool = True) -> TextTable:
    """Return the rows of `content` as `read_table` does.

    Without `is_whole` it is the beginning of a file, and no JSON array; its last line is left out.
    """
    encoding, lines, bad = decoded(name, content, choices.encoding, is_whole=is_whole)
    layout = find_layout(lines, separator_of(choices), is_whole=is_whole)
    try:
        if layout.kind in ("json", "json lines"):
            return _of_objects(name, encoding, layout, lines)
        rows = list(rows_of(lines, layout, is_cut=not is_whole))
    except LayoutError as error:
        raise damaged(name, error) from error
    if not rows:
        raise FileError(Message("{0} is empty.", name), Message("Give a file of rows with texts."))
    return _of_rows(name, encoding, layout, rows, bad, choices)


def separator_of(choices: TableChoices) -> str:
    """Return the separator that the user gave, "" for none."""
    return _NAMES_OF_SEPARATORS.get(choices.separator.casefold(), choices.separator)


def shown_separator(separator: str) -> str:
    """Return how a separator is called in a sentence, as "tab"."""
    words = {"\t": Message("tab"), ",": Message("comma"), ";": Message("semicolon")}
    return words.get(separator, separator)


def layout_words(layout: Layout) -> str:
    """Return how rows are written in words, as "separated by tab"."""
    if layout.kind == "json":
        return Message("a JSON array")
    if layout.kind == "json lines":
        return Message("JSON lines")
    separator = shown_separator(layout.separator)
    if layout.is_quoted:
        return Message("separated by {0}, with cells in quotes", separator)
    return Message("separated by {0}", separator)


def damaged(name: str, error: LayoutError) -> FileError:
    """Return the error for a file that is not written as its beginning is."""
    message = Message("{0} cannot be read from line {1} on: {2}.", name, f"{error.line:,}", str(error))
    return FileError(message, Message("Correct the file, or write it again from where it came."))


def decoded(
    name: str, content: bytes, encoding: str, *, is_whole: bool = True
) -> tuple[str, list[str], frozenset[int]]:
    """Return the codec, the lines, and the numbers of those that the codec does not read.

    Without `is_whole` the last line, which may be cut, is left out. Raises TableError
    where nothing shows the encoding, FileError for one that does not read the file.
    """
    codec = encoding_named(encoding) if encoding else find_encoding(content, is_whole=is_whole)
    if codec is None:
        raise _unclear_encoding(name, content)
    if not is_whole:
        content = _whole_lines(content, codec)
    if WIDE.fullmatch(codec):
        try:
            text = content.decode(codec)
        except UnicodeDecodeError as error:
            raise _other_encoding(name, codec) from error
        return codec, _lines_of(text), frozenset()
    try:
        return codec, _lines_of(content.decode(codec)), frozenset()
    except UnicodeDecodeError:
        lines = content.split(b"\n")
    bad = frozenset(number for number, line in enumerate(lines, 1) if not _is_read(line, codec))
    if len(bad) == len([line for line in lines if line.strip()]):
        raise _other_encoding(name, codec) if encoding else _unclear_encoding(name, content)
    return codec, _lines_of(content.decode(codec, "replace")), bad


def _whole_lines(content: bytes, codec: str) -> bytes:
    """Return the lines of a beginning that are whole; all of it where it has one line only."""
    if not WIDE.fullmatch(codec):
        return content[: content.rfind(b"\n") + 1] or content
    text = codecs.getincrementaldecoder(codec)("replace").decode(content)
    return (text[: text.rfind("\n") + 1] or text).encode(codec)


def _is_read(line: bytes, codec: str) -> bool:
    try:
        line.decode(codec)
    except UnicodeDecodeError:
        return False
    return True


def _lines_of(text: str) -> list[str]:
    text = text.removeprefix("\ufeff")
    if "\n" not in text:
        text = text.replace("\r", "\n")  # as old Macintoshes wrote lines
    return [line.removesuffix("\r") for line in text.split("\n")]


def _other_encoding(name: str, codec: str) -> FileError:
    message = Message("{0} is not in the encoding {1}.", name, shown_encoding(codec))
    return FileError(message, Message("Give another one as {0}, or save the file as UTF-8.", "--encoding"))


def _unclear_encoding(name: str, content: bytes) -> TableError:
    lines = content[:4096].decode("latin-1").split("\n")[:N_PREVIEW]
    preview = Preview(name, ("1",), False, tuple((shortened(line),) for line in lines), "", "")
    message = Message("Nothing shows the encoding of {0}.", name)
    hint = Message("Give it as {0}: {1}.", "--encoding", "UTF-8, CP949, UTF-16, GB18030, …")
    return TableError(message, hint, ("encoding",), preview)


def _of_rows(
    name: str,
    encoding: str,
    layout: Layout,
    rows: Sequence[tuple[int, tuple[str, ...]]],
    bad: frozenset[int],
    choices: TableChoices,
) -> TextTable:
    first, others = rows[0][1], [cells for _, cells in rows[1:_HEADER_SAMPLE]]
    has_header = layout.kind == "rows" and is_header(first, others, choices.columns)
    if has_header:
        columns = tuple(cell.strip() for cell in first)
    else:
        ((n_columns, _),) = Counter(len(cells) for _, cells in rows).most_common(1)
        columns = tuple(str(number) for number in range(1, n_columns + 1))
    records = tuple(_records(rows[has_header:], len(columns), bad, encoding, rows[0][0] * has_header))
    return TextTable(name, encoding, layout, columns, has_header, records)


def _records(
    rows: Iterable[tuple[int, tuple[str, ...]]],
    n_columns: int,
    bad: frozenset[int],
    encoding: str,
    before: int,
) -> Iterator[Record]:
    for line, cells in rows:
        fault = ""
        if bad and not bad.isdisjoint(range(before + 1, line + 1)):
            fault = Message("Line {0} is not {1}.", f"{line:,}", shown_encoding(encoding))
        elif len(cells) != n_columns:
            n_cells = f"{len(cells):,}"
            fault = (
                Message("Line {0} has 1 column instead of {1}.", f"{line:,}", n_columns)
                if len(cells) == 1
                else Message("Line {0} has {1} columns instead of {2}.", f"{line:,}", n_cells, n_columns)
            )
        before = line
        yield Record(line, cells, fault)


def _of_objects(name: str, encoding: str, layout: Layout, lines: Sequence[str]) -> TextTable:
    found = list(objects_of(lines, layout))
    columns = tuple(dict.fromkeys(key for _, row in found for key in row))
    if not columns:
        raise FileError(Message("{0} is empty.", name), Message("Give a file of rows with texts."))
    records = tuple(_object_record(line, tuple(row.get(key, "") for key in columns)) for line, row in found)
    has_header = columns != tuple(str(number) for number in range(1, len(columns) + 1))
    return TextTable(name, encoding, layout, columns, has_header, records)


def _object_record(line: int, cells: tuple[str, ...]) -> Record:
    try:
        "".join(cells).encode("utf-8")
    except UnicodeEncodeError:
        return Record(line, cells, Message("Line {0} has half a character (a lone surrogate).", f"{line:,}"))
    return Record(line, cells)


def column_value(preview: Preview, at: int) -> str:
    """Return how a column is given: by its name, or by its number from 1 where the name is not its alone."""
    name = preview.columns[at]
    is_clear = bool(name) and preview.columns.count(name) == 1 and not name.isdecimal()
    return name if preview.has_header and is_clear else str(at + 1)


def shortened(cell: str) -> str:
    """Return a cell as a preview shows it: one line, its beginning."""
    text = " ".join(cell.split())
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"
