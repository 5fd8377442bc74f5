"""Texts with labels, of a table in any format that `text_tables` reads. Loads no torch."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from bertviz_app.errors import FileError, Message
from bertviz_app.text_tables.columns import LabelledColumns, labelled_columns
from bertviz_app.text_tables.table import (
    BY_CONTENT,
    Preview,
    Record,
    TableChoices,
    TextTable,
    column_value,
    is_number,
    layout_words,
    read_table,
    shown_encoding,
)
from bertviz_app.training.settings import TrainingError

N_NAMED = 5
"""The number of bad rows, and of classes, that are named in full; the others are counted."""
MANY_CLASSES = 50
"""With more classes than these, the column may be another one than that of the labels."""
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_HINT = Message("Give a file of rows with a label and a text each.")


@dataclass(frozen=True)
class Row:
    """One text, or pair of texts, and its label."""

    label: str
    text: str
    pair: str | None = None


@dataclass(frozen=True)
class Rows:
    """What can be used of a file; `notices` are sentences on how it is read, and on rows that cannot be."""

    name: str  # of the file
    rows: tuple[Row, ...]
    notices: tuple[str, ...] = ()
    label_column: str = "label"  # its name, or its number from 1
    columns: tuple[str, str, str] = ("label", "text", "")
    """How `TableChoices` give the columns of labels, texts and second texts, "" for no pairs."""
    preview: Preview | None = None
    target: str = ""  # "classes" or "scores", where the user said so

    @property
    def has_pairs(self) -> bool:
        """Whether any row has two texts."""
        return any(row.pair is not None for row in self.rows)

    @property
    def has_scores(self) -> bool:
        """Whether the labels are real numbers, to be predicted as such, and not the names of classes."""
        if self.target:
            return self.target == "scores"
        numbers = [_score(label) for label in {row.label for row in self.rows}]
        return None not in numbers and any(
            number is not None and not number.is_integer() for number in numbers
        )


def read_rows(path: Path, choices: TableChoices = BY_CONTENT, known: Collection[str] = ()) -> Rows:
    """Return the rows of a file, whose columns are found by their names or given by `choices`.

    A row that lacks a cell, a label or a text, or has a label beyond those `known`, if any are, is left out,
    and counted in the notices. Raises FileError for a file that is missing, damaged, or without any good row,
    TableError where nothing shows which column is which.
    """
    table = read_table(path, choices)
    columns = labelled_columns(table, choices)
    faults = [_fault(record, table, columns, known) for record in table.records]
    bad = [fault for fault in faults if fault]
    good = zip(table.records, faults, strict=True)
    rows = tuple(_row(record, columns) for record, fault in good if not fault)
    if not rows:
        if not bad:
            raise FileError(Message("{0} has no row to learn from.", path.name), _HINT)
        raise FileError(Message("{0} has no row to learn from. {1}", path.name, bad[0]), _HINT)
    notices = (*_reading(table, columns), *_left_out(path.name, bad, len(faults)))
    indices = (columns.label, columns.text, columns.pair)
    given = tuple("" if at is None else column_value(table.preview, at) for at in indices)
    return Rows(
        path.name,
        rows,
        notices,
        table.columns[columns.label],
        (given[0], given[1], given[2]),
        table.preview,
        choices.target,
    )


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


def label_notices(rows: Rows) -> tuple[str, ...]:
    """Return what people should know about the labels before a training: scores, many or rare classes."""
    if rows.has_scores:
        scores = sorted({float(row.label) for row in rows.rows})
        return (
            Message(
                "{0}: the labels of column {1} are numbers from {2} to {3}: they are predicted as numbers "
                "(regression).",
                *(rows.name, rows.label_column, f"{scores[0]:g}", f"{scores[-1]:g}"),
            ),
        )
    counts = Counter(row.label for row in rows.rows)
    notices: list[str] = []
    if len(counts) > MANY_CLASSES:
        notices.append(
            Message(
                "{0}: column {1} has {2} different labels: is it the column of the labels?",
                *(rows.name, rows.label_column, f"{len(counts):,}"),
            )
        )
    single = sorted(label for label, count in counts.items() if count == 1)
    if single:
        named = ", ".join(f"“{label}”" for label in single[:N_NAMED])
        more = ", …" if len(single) > N_NAMED else ""
        notices.append(
            Message(
                "{0}: labels that one row only has, so that none of them can be held out: {1} ({2}{3}).",
                *(rows.name, f"{len(single):,}", named, more),
            )
        )
    return tuple(notices)


def scores_of(rows: Rows) -> list[float]:
    """Return the labels as numbers. Raises TrainingError where one is none, or all are the same."""
    scores = []
    for row in rows.rows:
        score = _score(row.label)
        if score is None:
            message = Message("The label “{0}” of {1} is no number.", row.label, rows.name)
            raise TrainingError(message, Message("Give rows whose labels are numbers."))
        scores.append(score)
    if len(set(scores)) == 1:
        message = Message("All rows of {0} have the label “{1}”.", rows.name, rows.rows[0].label)
        raise TrainingError(message, Message("Give rows with different numbers."))
    return scores


def _score(label: str) -> float | None:
    number = float(label) if is_number(label) else math.nan
    return number if math.isfinite(number) else None


def _row(record: Record, columns: LabelledColumns) -> Row:
    label, text = _text(record.cells[columns.label]), _text(record.cells[columns.text])
    return Row(label, text, None if columns.pair is None else _text(record.cells[columns.pair]))


def _fault(record: Record, table: TextTable, columns: LabelledColumns, known: Collection[str]) -> str:
    """Return a sentence on why a row cannot be used, "" if it can."""
    if record.fault:
        return record.fault
    number = f"{record.line:,}"
    if table.has_header and record.cells == table.columns:
        return Message("Line {0} repeats the names of the columns.", number)
    row = _row(record, columns)
    if not row.label:
        return Message("Line {0} has no label.", number)
    if not row.text or row.pair == "":
        return Message("Line {0} has no text.", number)
    if known and row.label not in known:
        return Message("Line {0} has the label “{1}”, which is not among those learnt.", number, row.label)
    return ""


def _text(cell: str) -> str:
    return unicodedata.normalize("NFC", cell.strip())


def _reading(table: TextTable, columns: LabelledColumns) -> tuple[str, ...]:
    """Return how a file is read: encoding, format, and which column is which."""
    name, encoding = table.name, shown_encoding(table.encoding)
    label, text = table.columns[columns.label], table.columns[columns.text]
    facts = (name, encoding, layout_words(table.layout), label, text)
    if columns.pair is None:
        notice = Message("{0} is read as {1}, {2}: label in column {3}, text in column {4}.", *facts)
    else:
        notice = Message(
            "{0} is read as {1}, {2}: label in column {3}, texts in columns {4} and {5}.",
            *(*facts, table.columns[columns.pair]),
        )
    if not columns.is_by_place:
        return (notice,)
    n_labels = len(set(table.column(columns.label)))
    place = Message(
        "{0} does not name its columns: column {1} has {2} different values and is taken for the labels.",
        *(name, label, f"{n_labels:,}"),
    )
    return notice, place


def _left_out(name: str, bad: Sequence[str], n_rows: int) -> tuple[str, ...]:
    if not bad:
        return ()
    notices: list[str] = [
        Message("{0}: {1} of {2} rows cannot be used.", name, f"{len(bad):,}", f"{n_rows:,}")
    ]
    notices.extend(bad[:N_NAMED])
    if len(bad) > N_NAMED:
        notices.append(Message("Rows besides these that cannot be used: {0}.", f"{len(bad) - N_NAMED:,}"))
    return tuple(notices)
