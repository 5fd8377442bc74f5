"""The units of files by their kind: which function reads labelled rows, pairs, parsed sentences."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from bertviz_app.errors import Message
from bertviz_app.features.corpora.studies.mentions import read_mentions
from bertviz_app.features.corpora.studies.parses import read_labelled_words, read_parses
from bertviz_app.text_tables.columns import labelled_columns, paired_columns
from bertviz_app.text_tables.items import FileKind, Item
from bertviz_app.text_tables.label_cells import flags_of, single
from bertviz_app.text_tables.table import BY_CONTENT, Record, TableChoices, read_table


def read_labelled(path: Path, choices: TableChoices = BY_CONTENT) -> Iterator[Item]:
    """Yield the rows of a table of texts, or of pairs of texts, with their labels.

    Raises FileError for a file that cannot be read, TableError where nothing shows which column is which.
    """
    table = read_table(path, choices)
    columns = labelled_columns(table, choices)
    for record in table.records:
        item = _item(record, columns.text, columns.pair)
        if item.fault:
            yield item
            continue
        label = single(record.cells[columns.label])
        fault = "" if label else Message("Line {0} has no label.", f"{record.line:,}")
        if columns.flags:
            flags = flags_of(record, table.columns, columns.flags)
            fault = flags if isinstance(flags, str) else ""
            label = "" if fault else json.dumps(flags, ensure_ascii=False)
        yield Item(item.line, item.text, item.pair, label, fault=fault)


def read_pairs(path: Path, choices: TableChoices = BY_CONTENT) -> Iterator[Item]:
    """Yield the rows of a table of two texts that are compared with each other. Raises as `read_labelled`."""
    table = read_table(path, choices)
    text, pair = paired_columns(table, choices)
    for record in table.records:
        yield _item(record, text, pair)


def _item(record: Record, text: int, pair: int | None) -> Item:
    if record.fault:
        return Item(record.line, "", fault=record.fault)
    return Item(record.line, record.cells[text], None if pair is None else record.cells[pair])


Reader = Callable[[Path, TableChoices], Iterator[Item]]
"""Yields the units of a file in their order; one that cannot be read has a `fault`."""
READERS: Mapping[FileKind, Reader] = MappingProxyType(
    {
        "labelled": read_labelled,
        "pairs": read_pairs,
        "parsed": read_parses,
        "words": read_labelled_words,
        "mentions": read_mentions,
    }
)
"""Those of all kinds of files but "texts", which are read a block at a time, from URLs and packed, too."""
