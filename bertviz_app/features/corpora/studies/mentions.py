"""Rows of a text in which a mention and its antecedent are marked: by columns, or by brackets in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from bertviz_app.errors import Message
from bertviz_app.text_tables.columns import column_named, shown_columns
from bertviz_app.text_tables.items import FaultError, Item
from bertviz_app.text_tables.table import (
    BY_CONTENT,
    TEXTS,
    TableChoices,
    TableError,
    normal,
    read_table,
)

MENTION, ANTECEDENT, CANDIDATE = "mention", "antecedent", "candidate"
"""The labels of the marks: the word that refers, what it refers to, and what else it might."""
Span = tuple[int, int]
_NAMES = {
    MENTION: ("mention", "pronoun", "anaphor", "대명사", "지시어", "멘션"),
    ANTECEDENT: ("antecedent", "referent", "선행사"),
    CANDIDATE: ("candidates", "candidate", "후보"),
}
_PAIR = re.compile(r"(\d+)\s*[-:,–]\s*(\d+)")
_SPAN = re.compile(rf"\s*[\[(]?\s*{_PAIR.pattern}\s*[\])]?\s*")
_BRACKETS = {"<": (">", MENTION), "[": ("]", ANTECEDENT), "{": ("}", CANDIDATE)}
_TRUE = frozenset({"true", "1", "yes"})
_GAP = ("pronoun", "pronoun-offset", "a", "a-offset", "a-coref", "b", "b-offset", "b-coref")


def read_mentions(path: Path, choices: TableChoices = BY_CONTENT) -> Iterator[Item]:
    """Yield the rows of a table as texts with marks: one MENTION, one ANTECEDENT, any number of CANDIDATEs.

    Columns "mention", "antecedent" and, where there are any, "candidates" have spans of characters, from 0
    and without the last, as "3:7" (of candidates several), or a word whose first character is in a column
    "NAME-offset". The columns of GAP (Webster et al. 2018, arXiv:1810.05201) are read as its authors name
    them. Without such columns the text itself has marks: <mention>, [antecedent], {candidate}. A row that is
    not so is an item with a fault. Raises FileError for a file that is missing or damaged, TableError where
    it is not plain which column has the texts.
    """
    table = read_table(path, choices)
    names = [normal(name) for name in table.columns]
    is_alone = len(table.columns) == 1 and not choices.text_column
    text = 0 if is_alone else column_named(table, choices.text_column, "text_column", TEXTS)
    is_gap = all(name in names for name in _GAP)
    columns = {
        kind: found for kind, known in _NAMES.items() if (found := [n for n in known if n in names][:1])
    }
    if not is_gap and (MENTION in columns) != (ANTECEDENT in columns):
        message = Message(
            "{0} has no column “{1}”.", table.name, ANTECEDENT if MENTION in columns else MENTION
        )
        hint = Message("Name the column so; the columns: {0}", shown_columns(table))
        raise TableError(message, hint, ("text_column",), table.preview)
    for record in table.records:
        if record.fault:
            yield Item(record.line, "", fault=record.fault)
            continue
        row = dict(zip(names, record.cells, strict=True))
        line, cell = f"{record.line:,}", record.cells[text]
        try:
            if is_gap:
                marks = _gap_marks(line, cell, row)
            elif columns:
                marks = _column_marks(line, cell, row, {kind: name for kind, (name,) in columns.items()})
            else:
                cell, marks = _bracketed(line, cell)
            yield Item(record.line, cell, marks=_checked(line, cell, marks))
        except FaultError as fault:
            yield Item(record.line, "", fault=fault.message)


def _gap_marks(line: str, text: str, row: Mapping[str, str]) -> list[tuple[int, int, str]]:
    """Return the marks of a row of GAP, where the pronoun may refer to one of two names, or to neither."""
    mention = _word_at(line, text, row["pronoun"], row["pronoun-offset"])
    is_true = [row[f"{name}-coref"].strip().lower() in _TRUE for name in "ab"]
    if sum(is_true) != 1:
        raise FaultError(Message("Line {0}: not one of A and B is what the pronoun refers to.", line))
    spans = (_word_at(line, text, row[name], row[f"{name}-offset"]) for name in "ab")
    kinds = (ANTECEDENT if one else CANDIDATE for one in is_true)
    return [(*mention, MENTION), *((*span, kind) for span, kind in zip(spans, kinds, strict=True))]


def _column_marks(
    line: str, text: str, row: Mapping[str, str], columns: Mapping[str, str]
) -> list[tuple[int, int, str]]:
    marks = []
    for kind, name in columns.items():
        cell = row[name]
        if kind == CANDIDATE:
            marks += [(int(start), int(end), kind) for start, end in _PAIR.findall(cell)]
            continue
        found = _SPAN.fullmatch(cell)
        offset = next((row[f"{name}{sign}offset"] for sign in "-_ " if f"{name}{sign}offset" in row), None)
        if found is not None:
            marks.append((int(found[1]), int(found[2]), kind))
        elif offset is not None:
            marks.append((*_word_at(line, text, cell, offset), kind))
        else:
            raise FaultError(
                Message("Line {0}: “{1}” in column “{2}” is no span such as 3:7.", line, cell, name)
            )
    return marks


def _word_at(line: str, text: str, word: str, offset: str) -> Span:
    """Return the span of a word that begins at a character. Raises FaultError where it does not."""
    start = int(offset) if offset.strip().isdecimal() else -1
    if start < 0 or not word or not text.startswith(word, start):
        raise FaultError(Message("Line {0}: “{1}” does not begin at character {2}.", line, word, offset))
    return start, start + len(word)


def _bracketed(line: str, text: str) -> tuple[str, list[tuple[int, int, str]]]:
    """Return a text without its brackets, and what they marked."""
    plain: list[str] = []
    marks: list[tuple[int, int, str]] = []
    opened: tuple[int, str, str] | None = None
    for letter in text:
        if opened is None and letter in _BRACKETS:
            opened = (len(plain), *_BRACKETS[letter])
        elif opened is not None and letter == opened[1]:
            marks.append((opened[0], len(plain), opened[2]))
            opened = None
        else:
            plain.append(letter)
    if opened is not None:
        raise FaultError(Message("Line {0}: a bracket is not closed by “{1}”.", line, opened[1]))
    return "".join(plain), marks


def _checked(line: str, text: str, marks: Sequence[tuple[int, int, str]]) -> tuple[tuple[int, int, str], ...]:
    """Return the marks in the text's order. Raises FaultError unless there is one of each that is needed."""
    n_mentions, n_antecedents = (sum(mark[2] == kind for mark in marks) for kind in (MENTION, ANTECEDENT))
    if n_mentions != 1:
        raise FaultError(
            Message(
                "Line {0} has {1} mentions; one is needed, as <she> in the text or in a column.",
                line,
                n_mentions,
            )
        )
    if n_antecedents != 1:
        raise FaultError(
            Message(
                "Line {0} has {1} antecedents; one is needed, as [Mary] in the text or in a column.",
                line,
                n_antecedents,
            )
        )
    ordered = sorted(marks)
    for start, end, _ in ordered:
        if not start < end <= len(text) or not text[start:end].strip():
            raise FaultError(Message("Line {0}: no word of the text is at {1}.", line, f"{start}:{end}"))
    (mention,) = (mark for mark in marks if mark[2] == MENTION)
    (antecedent,) = (mark for mark in marks if mark[2] == ANTECEDENT)
    if mention[0] < antecedent[1] and antecedent[0] < mention[1]:
        raise FaultError(Message("Line {0}: the mention and its antecedent overlap.", line))
    return tuple(ordered)
