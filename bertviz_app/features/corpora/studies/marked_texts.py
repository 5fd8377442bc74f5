"""Texts whose words are marked: parses (CoNLL-U), labelled words, a mention and its antecedent."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from bertviz_app.errors import FileError, Message
from bertviz_app.text_tables.columns import column_named, shown_columns
from bertviz_app.text_tables.items import ROOT, FaultError, Item
from bertviz_app.text_tables.table import (
    BY_CONTENT,
    TEXTS,
    TableChoices,
    TableError,
    decoded,
    normal,
    read_table,
    shown_encoding,
    unpacked,
    wrong_count,
)
from bertviz_app.text_tables.token_labels import CONLLU, find_token_form, marked_table, read_token_table

_ID, _FORM, _HEAD, _RELATION, _MISC = (
    CONLLU.index(name) for name in ("ID", "FORM", "HEAD", "DEPREL", "MISC")
)
_RANGE, _EMPTY_NODE = re.compile(r"(\d+)-(\d+)"), re.compile(r"\d+\.\d+")
_TEXT = re.compile(r"#\s*text\s*=\s?(.*)")


class _Row(NamedTuple):
    """One line with columns."""

    number: int
    cells: list[str]


class _Piece(NamedTuple):
    """What is written as one: a word, or a range of words; `first` and `last` are numbers of words from 1."""

    number: int
    form: str
    first: int
    last: int
    has_space: bool


def read_parses(path: Path, choices: TableChoices = BY_CONTENT) -> Iterator[Item]:
    """Yield the sentences of a CoNLL-U file, which may be packed.

    Each word is a mark with its relation (subtypes as "nsubj:pass"), its head in `heads`. A sentence that is
    not as the format has it is an item with a fault. Empty nodes (1.1) are left out. Words that are written
    as one (1-2, "don't") have their own spans where their forms together are what is written, and else share
    one. Raises FileError for a file that is missing, damaged, or no CoNLL-U.
    """
    yield from _sentences(path, choices, _RELATION)


def read_labelled_words(path: Path, choices: TableChoices = BY_CONTENT) -> Iterator[Item]:
    """Yield the sentences of a file with a label for each word: CoNLL-U, or columns of words and labels.

    Each word is a mark with its label. Raises FileError for a file that is missing or damaged, or has labels
    of characters, TableError where it is not plain which column has the labels.
    """
    if marked_table(path, choices) is None:
        _, lines, _ = decoded(path.name, unpacked(path), choices.encoding)
        form = find_token_form(path.name, lines, choices)
        if form is not None and form.format == "CoNLL-U":
            yield from _sentences(path, choices, form.label_column)
            return
    table = read_token_table(path, choices)
    if table.form.are_characters:
        message = Message("{0} has labels of characters; labels of words are needed.", path.name)
        raise FileError(message, Message("Write a word and its label in each line (CoNLL)."))
    for fault in table.faults:
        yield Item(0, "", fault=fault)
    for line, sentence in zip(table.lines, table.sentences, strict=True):
        marks, at = [], 0
        for word, label in zip(sentence.units, sentence.labels, strict=True):
            marks.append((at, at + len(word), label))
            at += len(word) + 1
        yield Item(line, " ".join(sentence.units), marks=tuple(marks))


def main_relation(relation: str) -> str:
    """Return a relation without its subtype: "nsubj" of "nsubj:pass"."""
    return relation.partition(":")[0]


def _sentences(path: Path, choices: TableChoices, column: int) -> Iterator[Item]:
    encoding, lines, bad = decoded(path.name, unpacked(path), choices.encoding)
    if not any(line.count("\t") == len(CONLLU) - 1 for line in lines[:200]):
        message = Message("{0} is no CoNLL-U file: no line has ten columns with tabs between.", path.name)
        raise FileError(message, Message("Give a file of Universal Dependencies, or one written like it."))
    first = 1
    for number, line in enumerate([*lines, ""], 1):
        if line.strip():
            continue
        block = lines[first - 1 : number - 1]
        if block:
            try:
                if damaged := next((at for at in range(first, number) if at in bad), 0):
                    raise FaultError(
                        Message("Line {0} is not {1}.", f"{damaged:,}", shown_encoding(encoding))
                    )
                item = _item(first, block, column)
            except FaultError as fault:
                item = Item(first, "", fault=fault.message)
            if item is not None:
                yield item
        first = number + 1


def _item(first: int, block: Sequence[str], column: int) -> Item | None:
    """Return the sentence of some lines; None for comments alone. Raises FaultError."""
    text, text_line, rows = None, first, []
    for number, line in enumerate(block, first):
        if line.startswith("#"):
            if found := _TEXT.fullmatch(line):
                text, text_line = unicodedata.normalize("NFC", found[1]), number
        else:
            cells = line.split("\t")
            if len(cells) != len(CONLLU):
                raise FaultError(wrong_count(number, len(cells), len(CONLLU)))
            rows.append(_Row(number, cells))
    if not rows:
        return None
    words, pieces = _words_and_pieces(rows)
    if text is None:
        text = "".join(f"{piece.form} " if piece.has_space else piece.form for piece in pieces).rstrip()
    spans = _spans(text, text_line, words, pieces)
    labels = [_label(word, column) for word in words]
    heads = _heads(words) if column == _RELATION else ()
    marks = tuple((*span, label) for span, label in zip(spans, labels, strict=True))
    return Item(first, text, marks=marks, heads=heads)


def _words_and_pieces(rows: Sequence[_Row]) -> tuple[list[_Row], list[_Piece]]:
    """Return the words, which count from 1, and what is written as one. Raises FaultError."""
    words: list[_Row] = []
    pieces: list[_Piece] = []
    covered = 0  # words up to this one are within a range
    for row in rows:
        name, line = row.cells[_ID], f"{row.number:,}"
        if _EMPTY_NODE.fullmatch(name):
            continue
        form = unicodedata.normalize("NFC", row.cells[_FORM].strip())
        if not form:
            raise FaultError(Message("Line {0} has no word.", line))
        has_space = "SpaceAfter=No" not in row.cells[_MISC].split("|")
        if found := _RANGE.fullmatch(name):
            start, end = int(found[1]), int(found[2])
            if start != len(words) + 1 or end <= start or start <= covered:
                raise FaultError(Message("Line {0}: the range {1} is not of the words after it.", line, name))
            covered = end
            pieces.append(_Piece(row.number, form, start, end, has_space))
            continue
        if name != str(len(words) + 1):
            raise FaultError(
                Message("Line {0} has the number {1} instead of {2}.", line, name, len(words) + 1)
            )
        words.append(row)
        if len(words) > covered:
            pieces.append(_Piece(row.number, form, len(words), len(words), has_space))
    if not words or covered > len(words):
        line = f"{rows[-1].number:,}"
        raise FaultError(Message("Line {0} ends the sentence before all its words are there.", line))
    return words, pieces


def _spans(
    text: str, text_line: int, words: Sequence[_Row], pieces: Sequence[_Piece]
) -> list[tuple[int, int]]:
    """Return where each word stands in the text. Raises FaultError where it has another word."""
    spans: list[tuple[int, int]] = []
    at = 0
    for piece in pieces:
        while at < len(text) and text[at].isspace():
            at += 1
        if not text.startswith(piece.form, at):
            facts = f"{piece.number:,}", piece.form, text[at : at + len(piece.form)]
            raise FaultError(Message("Line {0} has “{1}” where the text of the sentence has “{2}”.", *facts))
        forms = [
            unicodedata.normalize("NFC", word.cells[_FORM].strip())
            for word in words[piece.first - 1 : piece.last]
        ]
        if "".join(forms) == piece.form:
            start = at
            for form in forms:
                spans.append((start, start + len(form)))
                start += len(form)
        else:  # "du" of "de" and "le"
            spans += [(at, at + len(piece.form))] * len(forms)
        at += len(piece.form)
    if text[at:].strip():
        rest = text[at:].strip()
        raise FaultError(Message("Line {0}: no word of the sentence is “{1}”.", f"{text_line:,}", rest))
    return spans


def _label(word: _Row, column: int) -> str:
    label, line = word.cells[column].strip(), f"{word.number:,}"
    if not label or label == "_":
        no_relation, no_label = (
            Message("Line {0} has no relation.", line),
            Message("Line {0} has no label.", line),
        )
        raise FaultError(no_relation if column == _RELATION else no_label)
    return label


def _heads(words: Sequence[_Row]) -> tuple[int, ...]:
    """Return the heads, from 0; a sentence has one root, to which all words lead. Raises FaultError."""
    heads: list[int] = []
    for number, word in enumerate(words, 1):
        head, line = word.cells[_HEAD].strip(), f"{word.number:,}"
        if not head.isdecimal() or int(head) > len(words) or int(head) == number:
            raise FaultError(Message("Line {0}: its head cannot be “{1}”.", line, head))
        heads.append(int(head) - 1)
    roots = [at for at, head in enumerate(heads) if head == ROOT]
    if len(roots) != 1:
        line = f"{words[roots[1] if roots else 0].number:,}"
        none, second = (
            Message("Line {0}: the sentence has no root.", line),
            Message("Line {0}: a second root.", line),
        )
        raise FaultError(second if roots else none)
    for start in range(len(heads)):
        at, n_steps = start, 0
        while at != ROOT and n_steps <= len(heads):
            at, n_steps = heads[at], n_steps + 1
        if at != ROOT:
            message = Message(
                "Line {0}: its heads lead in a circle, not to the root.", f"{words[start].number:,}"
            )
            raise FaultError(message)
    return tuple(heads)


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
