"""Texts with labels: tables of columns separated by tabs, read row by row. Loads no torch."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bertviz_app.errors import FileError, Message
from bertviz_app.training.corpus import unpacked
from bertviz_app.training.settings import TrainingError

LABEL, TEXT, TEXT_B = "label", "text", "text_b"
N_NAMED = 5
"""The number of bad rows that are named in full; the others are counted."""
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_SHAPE = Message("Give rows of a label, a tab and a text; of a pair a tab and the second text, too.")


@dataclass(frozen=True)
class Row:
    """One text, or pair of texts, and its label."""

    label: str
    text: str
    pair: str | None = None


@dataclass(frozen=True)
class Rows:
    """What can be used of a file; `notices` are sentences on what cannot."""

    name: str  # of the file
    rows: tuple[Row, ...]
    notices: tuple[str, ...] = ()

    @property
    def has_pairs(self) -> bool:
        """Whether any row has two texts."""
        return any(row.pair is not None for row in self.rows)


@dataclass(frozen=True)
class _Columns:
    """Which column holds what, by number."""

    indices: Mapping[str, int]
    n_columns: int
    has_header: bool


def read_rows(path: Path, known: Collection[str] = ()) -> Rows:
    """Return the rows of a UTF-8 file, which may be packed (.xz, .gz).

    The columns are label, text and, of pairs, text_b, in this order or in that of a first line which names
    them. A row that lacks one, is no UTF-8, or has a label beyond those `known`, if any are, is left out, and
    counted in the notices. Raises FileError for a file that is missing, damaged, or without any good row.
    """
    lines = unpacked(path).removeprefix(b"\xef\xbb\xbf").split(b"\n")
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not numbered:
        raise FileError(Message("{0} is empty.", path.name), _SHAPE)
    columns = _columns(path, [line for _, line in numbered])
    lines_of_rows = numbered[columns.has_header :]
    faults = [_fault(number, line, columns, known) for number, line in lines_of_rows]
    bad = [fault for fault in faults if fault]
    good = zip(lines_of_rows, faults, strict=True)
    rows = tuple(_row(line, columns) for (_, line), fault in good if not fault)
    if not rows:
        if not bad:
            raise FileError(Message("{0} has no row to learn from.", path.name), _SHAPE)
        raise FileError(Message("{0} has no row to learn from. {1}", path.name, bad[0]), _SHAPE)
    return Rows(path.name, rows, _notices(path.name, bad, len(faults)))


def label_names(rows: Rows) -> tuple[str, ...]:
    """Return the labels of `rows`, sorted: numbers by size. Raises TrainingError if there is but one."""
    names = {row.label for row in rows.rows}
    if len(names) == 1:
        message = Message("All rows of {0} have the label “{1}”.", rows.name, rows.rows[0].label)
        raise TrainingError(
            message, Message("Give rows of two labels or more: there is nothing to tell apart.")
        )
    if all(_NUMBER.fullmatch(name) for name in names):
        return tuple(sorted(names, key=lambda name: (float(name), name)))
    return tuple(sorted(names))


def _columns(path: Path, lines: Sequence[bytes]) -> _Columns:
    names = [_text(cell).casefold() for cell in lines[0].decode("utf-8", "replace").split("\t")]
    if LABEL in names and TEXT in names:
        there = {name: names.index(name) for name in (LABEL, TEXT, TEXT_B) if name in names}
        return _Columns(there, len(names), has_header=True)
    ((n_tabs, _),) = Counter(line.count(b"\t") for line in lines).most_common(1)
    if n_tabs not in (1, 2):
        columns = Message("1 column") if not n_tabs else Message("{0} columns", f"{n_tabs + 1:,}")
        message = Message(
            "Most lines of {0} have {1}, and the first line does not name them.", path.name, columns
        )
        raise FileError(message, _SHAPE)
    indices = {name: index for index, name in enumerate((LABEL, TEXT, TEXT_B)[: n_tabs + 1])}
    return _Columns(indices, n_tabs + 1, has_header=False)


def _row(line: bytes, columns: _Columns) -> Row:
    there = _cells(line, columns)
    return Row(there[LABEL], there[TEXT], there.get(TEXT_B))


def _fault(number: int, line: bytes, columns: _Columns, known: Collection[str]) -> str:
    """Return a sentence on why the line of this number cannot be used, "" if it can."""
    try:
        n_columns = len(line.decode("utf-8").split("\t"))
    except UnicodeDecodeError:
        return Message("Line {0} is not UTF-8.", f"{number:,}")
    if n_columns == 1:
        return Message("Line {0} has 1 column instead of {1}.", f"{number:,}", columns.n_columns)
    if n_columns != columns.n_columns:
        return Message(
            "Line {0} has {1} columns instead of {2}.", f"{number:,}", f"{n_columns:,}", columns.n_columns
        )
    there = _cells(line, columns)
    if not there[LABEL]:
        return Message("Line {0} has no label.", f"{number:,}")
    if not all(there.values()):
        return Message("Line {0} has no text.", f"{number:,}")
    if known and there[LABEL] not in known:
        return Message(
            "Line {0} has the label “{1}”, which is not among those learnt.", f"{number:,}", there[LABEL]
        )
    return ""


def _cells(line: bytes, columns: _Columns) -> dict[str, str]:
    """Return what a line with all its columns has in those that are read."""
    cells = line.decode("utf-8").split("\t")
    return {name: _text(cells[index]) for name, index in columns.indices.items()}


def _text(cell: str) -> str:
    return unicodedata.normalize("NFC", cell.strip())


def _notices(name: str, bad: Sequence[str], n_rows: int) -> tuple[str, ...]:
    if not bad:
        return ()
    notices: list[str] = [
        Message("{0}: {1} of {2} rows cannot be used.", name, f"{len(bad):,}", f"{n_rows:,}")
    ]
    notices.extend(bad[:N_NAMED])
    if len(bad) > N_NAMED:
        notices.append(Message("Rows besides these that cannot be used: {0}.", f"{len(bad) - N_NAMED:,}"))
    return tuple(notices)
