"""Tables with spans of their texts (doccano), or with lists of words and of their labels (`datasets`)."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from bertviz_app.errors import Message
from bertviz_app.text_tables.columns import asked, column_given
from bertviz_app.text_tables.packages import cell_of
from bertviz_app.text_tables.table import (
    LABELS,
    TEXTS,
    Record,
    TableChoices,
    TextTable,
    last_part,
    package_table,
    read_table,
    unpacked,
)

Labelled = tuple[tuple[str, ...], tuple[str, ...]]
"""The words or characters of a text, and the label of each."""
_OF_LABELS = LABELS | {"entities", "spans", "annotations", "tags", "ner_tags", "pos_tags", "chunk_tags"}
_OF_WORDS = frozenset({"tokens", "words"})
_KEYS = (("start", "start_offset"), ("end", "end_offset"), ("label", "labels"))


class Marked(NamedTuple):
    """The texts of a table, by characters where `are_spans`, else by words, or why one cannot be used.

    `text` and `label` are the numbers of the columns from 0.
    """

    table: TextTable
    text: int
    label: int
    are_spans: bool
    rows: tuple[tuple[int, Labelled | str], ...]  # with their lines


def read_marked(path: Path, choices: TableChoices) -> Marked | None:
    """Return the texts of a table whose spans, or whose words, are labelled; None for another file.

    Raises FileError for a file that cannot be read, TableError where nothing shows which column is which.
    """
    table = package_table(path, choices)
    if table is None and unpacked(path).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        table = read_table(path, choices)
    if table is None or table.layout.kind not in ("json", "json lines", "parquet", "arrow"):
        return None
    columns = range(len(table.columns))
    lists = {at: found for at in columns if any(found := list(map(_list, table.column(at))))}
    spans = [at for at, found in lists.items() if None not in map(_spans, filter(None, found))]
    words = [at for at in lists if last_part(table.columns[at]) in _OF_WORDS]
    if not (spans or words):
        return None
    labels = spans or [at for at in lists if at not in words]
    label = _column(table, choices.label_column, "label_column", labels, _OF_LABELS)
    text = _column(table, choices.text_column, "text_column", columns, TEXTS if spans else _OF_WORDS)
    read = _by_characters if spans else _by_words
    rows = tuple((record.line, record.fault or read(record, text, label)) for record in table.records)
    return Marked(table, text, label, bool(spans), rows)


def _column(
    table: TextTable, given: str, field: str, possible: Collection[int], names: Collection[str]
) -> int:
    """Return the column that is given, or the only one with one of these `names`. Raises TableError."""
    if given:
        return column_given(table, given, field)
    named = [at for at in possible if last_part(table.columns[at]) in names]
    if len(named) == 1:
        return named[0]
    message = Message("{0} does not show which column has the texts.", table.name)
    if field == "label_column":
        listed = ", ".join(table.columns[at] for at in named or possible)
        message = Message("In {0} several columns may be the label: {1}.", table.name, listed)
    raise asked(table, message, (field,))


def _list(cell: str) -> list[Any] | None:
    try:
        found = json.loads(cell) if cell.startswith("[") else None
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, list) else None


def _spans(values: list[Any]) -> list[tuple[int, int, str]] | None:
    """Return spans as doccano, Prodigy and Label Studio write them; None for another list."""
    found = []
    for value in values:
        if isinstance(value, dict):
            of = [next((value[key] for key in keys if key in value), None) for keys in _KEYS]
            value = [*of[:2], of[2][0] if isinstance(of[2], list) and len(of[2]) == 1 else of[2]]
        if not (isinstance(value, list) and list(map(type, value)) == [int, int, str] and value[2].strip()):
            return None
        found.append((value[0], value[1], value[2].strip()))
    return found


def _by_characters(record: Record, text: int, label: int) -> Labelled | str:
    """Return a label for each character, by its span: B-X at its first one, I-X within, O outside."""
    line, characters = f"{record.line:,}", record.cells[text]
    if not characters.strip():
        return Message("Line {0} has no text.", line)
    labels = ["O"] * len(characters)
    for start, end, name in _spans(_list(record.cells[label]) or []) or ():
        if not 0 <= start < end <= len(characters) or not characters[start:end].strip():
            return Message("Line {0}: no word of the text is at {1}.", line, f"{start}:{end}")
        while characters[start].isspace():  # a blank before a word has no token, and is none of the span
            start += 1
        if any(one != "O" for one in labels[start:end]):
            facts = line, f"{start}:{end}"
            return Message("Line {0}: the span {1} overlaps another; a token has one label.", *facts)
        labels[start:end] = [f"B-{name}", *[f"I-{name}"] * (end - start - 1)]
    return tuple(characters), tuple(labels)


def _by_words(record: Record, text: int, label: int) -> Labelled | str:
    units, labels = (tuple(map(cell_of, _list(record.cells[at]) or ())) for at in (text, label))
    if len(units) != len(labels) or not units or "" in (*units, *labels):
        counts = sum(map(bool, units)), sum(map(bool, labels))
        return Message("Line {0} has {1} words and {2} labels.", f"{record.line:,}", *counts)
    return units, labels
