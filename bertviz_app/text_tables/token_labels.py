"""Files with a label for each word or character (CoNLL, CoNLL-U, KLUE-NER), and the spans these mark."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import zip_longest
from pathlib import Path
from typing import Any, Literal, NamedTuple

from bertviz_app.errors import FileError, Message
from bertviz_app.text_tables.columns import column_named
from bertviz_app.text_tables.packages import NAMES, cell_of
from bertviz_app.text_tables.table import (
    BY_CONTENT,
    LABELS,
    N_NAMED,
    TEXTS,
    Preview,
    Record,
    TableChoices,
    TableError,
    decoded,
    json_or_none,
    last_part,
    normal,
    package_table,
    read_package_table,
    read_table,
    separator_of,
    shortened,
    shown_encoding,
    unpacked,
    wrong_count,
)
from bertviz_app.values import dataclass, replace

Scheme = Literal["IOB1", "IOB2", "BIOES", ""]
"""How the ends of spans are marked; "" for labels that mark no spans, such as parts of speech."""
_BEFORE = re.compile(r"([BIESLUM])[-_](.+)")  # B-PER
_AFTER = re.compile(r"(.+)[-_]([BIESLUM])")  # PER-B
_ALIKE = {"L": "E", "U": "S", "M": "I"}  # of BILOU and BMES
_OPENING, _CLOSING = frozenset("BS"), frozenset("ES")


class Mark(NamedTuple):
    """A label of a scheme: its letter, one of B, I, E, S, O, and the type of the span, "" outside."""

    letter: str
    type: str


class LabelledSpan(NamedTuple):
    """A span of words or characters: the first, the one after the last, and its type."""

    first: int
    last: int
    type: str


def marks_of(labels: Collection[str]) -> dict[str, Mark] | None:
    """Return what each label says of spans; None where they are not labels of spans.

    The letter is before the type in all of them or after the type in all of them.
    """
    outside = {label: Mark("O", "") for label in labels if label in {"O", "-", "_"}}
    others = [label for label in labels if label not in outside]
    if not others:
        return None
    for pattern, letter, kind in ((_BEFORE, 1, 2), (_AFTER, 2, 1)):
        found = {label: match for label in others if (match := pattern.fullmatch(label))}
        if len(found) == len(others):
            marks = {
                label: Mark(_ALIKE.get(match[letter], match[letter]), match[kind])
                for label, match in found.items()
            }
            return outside | marks if {mark.letter for mark in marks.values()} & set("BIS") else None
    return None


def spans_of(marks: Sequence[Mark | None], continues: Sequence[bool] | None = None) -> list[LabelledSpan]:
    """Return the spans that a sentence's marks describe; None is a word without one, and outside.

    A span begins at B and S, and at any mark inside a span that cannot go on from the one before: after
    outside, after another type, after E or S. So IOB1, IOB2 and BIOES are read alike, and labels that a
    model predicts in an impossible order have spans, too. Where `continues` is true, the word belongs to
    the span of the one before.
    """
    spans: list[LabelledSpan] = []
    before = _NOTHING
    for at, mark in enumerate(marks):
        mark = mark or _NOTHING
        if continues is not None and continues[at]:
            mark = before
        elif mark.type and _begins(before, mark):
            spans.append(LabelledSpan(at, at, mark.type))
        if mark.type:
            spans[-1] = spans[-1]._replace(last=at + 1)
        before = mark
    return spans


def scheme_of(sentences: Iterable[Sequence[str]], marks: dict[str, Mark] | None) -> Scheme:
    """Return the scheme of the labels of `sentences`.

    IOB1 has B only where a span follows another of its type; where every span begins with B it is IOB2.
    """
    if marks is None:
        return ""
    if {mark.letter for mark in marks.values()} & _CLOSING:
        return "BIOES"
    starts = Counter(start for labels in sentences for start in _starts([marks[label] for label in labels]))
    return "IOB1" if starts["I"] and not starts["B"] else "IOB2"


def misplaced(sentences: Iterable[Sequence[str]], marks: dict[str, Mark]) -> int:
    """Return how many spans of `sentences` in IOB2 begin with I."""
    starts = Counter(start for labels in sentences for start in _starts([marks[label] for label in labels]))
    return starts["I"]


_NOTHING = Mark("O", "")


def _begins(before: Mark, mark: Mark) -> bool:
    return mark.letter in _OPENING or before.letter in _CLOSING or before.type != mark.type


def _starts(marks: Sequence[Mark]) -> Iterable[str]:
    """Yield the letters of the first labels of spans, except of those that follow another of their type."""
    for before, mark in zip((_NOTHING, *marks[:-1]), marks, strict=True):
        if mark.type and _begins(before, mark) and before.type != mark.type:
            yield mark.letter


Format = Literal["CoNLL", "CoNLL-U", "KLUE-NER", "NAVER NER", "spans", "lists"]
"""NAVER NER here: a line is a sentence, a tab, and as many labels as it has words. "spans" are those of texts
in a table; "lists" has the words of a sentence in a cell, and their labels in another."""
CONLLU = ("ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC")
_LABEL_NAMES = LABELS | {
    *("tag", "tags", "ner", "ner_tag", "ner_tags", "ne", "ne_tag", "pos", "pos_tag", "chunk"),
    *("개체명", "품사"),
}
_UNIT_NAMES = frozenset(
    {
        *("word", "words", "token", "tokens", "form", "text", "char", "character"),
        *("단어", "토큰", "어절", "글자", "음절"),
    }
)
_INDEX_NAMES = frozenset({"id", "idx", "index", "no", "#", "번호"})
_DOCUMENT = "-DOCSTART-"
_COMMENT = re.compile(r"#+ .*")
_SURE_COMMENT = re.compile(r"## |#+ *(\w+ *=|id\b)")
_BLANKS = re.compile(r"[ \t]+")
_INDEX, _ANY_INDEX = re.compile(r"\d+"), re.compile(r"\d+([-.]\d+)?")
_MARKED_LABELS = LABELS | {"entities", "spans", "annotations", "tags", "ner_tags", "pos_tags", "chunk_tags"}
_LISTS_OF_WORDS = frozenset({"tokens", "words"})
_SPAN_KEYS = (("start", "start_offset"), ("end", "end_offset"), ("label", "labels"))
_LEAST_SAME = 0.9  # share of the lines that have as many columns as most
_MOST_LABELS = 200


class LabelledSentence(NamedTuple):
    """The words or characters of a sentence, and the label of each."""

    units: tuple[str, ...]
    labels: tuple[str, ...]


@dataclass(frozen=True)
class TokenForm:
    """How such a file is written; the columns are numbers from 0, `separator` is "" for white space.

    `names` are those of the columns, numbers from 1 where the file has none.
    """

    format: Format
    separator: str
    names: tuple[str, ...]
    unit_column: int
    label_column: int
    are_characters: bool
    has_header: bool = False


@dataclass(frozen=True, eq=False)
class TokenTable:
    """What can be used of the file called `name`; `faults` are sentences on what cannot.

    `lines`: the first line of each of the `sentences`, from 1; none where some were left out since.
    """

    name: str
    encoding: str  # the codec, or the kind of a table that another package reads
    form: TokenForm
    sentences: tuple[LabelledSentence, ...]
    preview: Preview
    faults: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()

    @cached_property
    def labels(self) -> tuple[str, ...]:
        return tuple(sorted({label for sentence in self.sentences for label in sentence.labels}))

    @cached_property
    def marks(self) -> dict[str, Mark] | None:
        """What each label says of spans; None where they are not labels of spans."""
        return marks_of(self.labels)

    @cached_property
    def scheme(self) -> Scheme:
        """How the labels mark spans."""
        return scheme_of((sentence.labels for sentence in self.sentences), self.marks)

    @property
    def about(self) -> Message:
        """What the file was found to be, in a sentence or two."""
        form, count = self.form, f"{len(self.sentences):,}"
        facts = self.name, NAMES.get(self.encoding) or shown_encoding(self.encoding), form.format
        if form.format == "spans":
            spans_in = form.names[form.label_column]
            what = Message("{0} is read as {1}: spans in column {2}, {3} texts.", *facts[:2], spans_in, count)
        elif form.are_characters:
            what = Message(
                "{0} is read as {1}, {2}: a label for each character, {3} sentences.", *facts, count
            )
        else:
            what = Message(
                "{0} is read as {1}, {2}: a label for each word, in column {3} of {4}, {5} sentences.",
                *(*facts, form.names[form.label_column], len(form.names), count),
            )
        if not self.scheme:
            spans = Message("The {0} labels mark no spans.", len(self.labels))
        else:
            types = ", ".join(sorted({mark.type for mark in (self.marks or {}).values() if mark.type}))
            spans = Message("They mark spans by {0}: {1}.", self.scheme, shortened(types))
        return Message.joined([what, spans])

    @property
    def notices(self) -> tuple[str, ...]:
        """Sentences on what cannot be used, and on what is unusual."""
        notices: list[str] = []
        if self.faults:
            numbers = f"{len(self.faults):,}", f"{len(self.faults) + len(self.sentences):,}"
            notices.append(Message("{0}: {1} of {2} sentences cannot be used.", self.name, *numbers))
            notices += self.faults[:N_NAMED]
        if len(self.faults) > N_NAMED:
            more = f"{len(self.faults) - N_NAMED:,}"
            notices.append(Message("Sentences besides these that cannot be used: {0}.", more))
        marks = self.marks if self.scheme == "IOB2" else None
        if marks and (n_misplaced := misplaced((sentence.labels for sentence in self.sentences), marks)):
            count = f"{n_misplaced:,}"
            notices.append(Message("{0}: spans that begin with I, not with B: {1}.", self.name, count))
        return tuple(notices)


class _Line(NamedTuple):
    number: int
    text: str


def read_token_table(path: Path, choices: TableChoices = BY_CONTENT) -> TokenTable:
    """Return the sentences of a file with a label for each word or character, which may be packed.

    Raises FileError for a file that is missing or damaged, TableError for one without any good sentence, and
    where its columns are unclear.
    """
    if (marked := marked_table(path, choices)) is not None:
        read_package_table.cache_clear()
        return marked
    encoding, lines, bad = decoded(path.name, unpacked(path), choices.encoding)
    form = find_token_form(path.name, lines, choices)
    if form is None:
        message = Message("{0} has no label for each word or character.", path.name)
        shown = tuple((shortened(line),) for line in lines[:N_NAMED])
        preview = Preview(path.name, ("1",), False, shown, shown_encoding(encoding), "")
        raise TableError(message, _HINT, ("target",), preview)
    first: list[Sequence[str]] = []
    found: list[tuple[int, LabelledSentence | str | None]] = []
    blocks = _rows(lines) if form.format == "NAVER NER" else _blocks(lines, form.separator, len(form.names))
    for at, block in enumerate(blocks):
        used = block[form.has_header and not at :]
        cells = [(line.number, _cells(line.text, form.separator)) for line in used]
        faults = (_fault(number, row, form, encoding, bad) for number, row in cells)
        first += [row for _, row in cells[: max(0, N_NAMED - len(first))]]
        sentence = next(filter(None, faults), "") or _sentence([row for _, row in cells], form)
        found.append((cells[0][0] if cells else 0, sentence))
    preview = replace(_preview(path.name, form, first), encoding=shown_encoding(encoding))
    table = _table_of(path.name, encoding, form, found, preview)
    if len(table.sentences) == 1 and len(table.sentences[0].units) > 2_000:
        count = f"{len(table.sentences[0].units):,}"
        message = Message("{0} has no blank lines: all {1} words would be one sentence.", path.name, count)
        raise TableError(message, Message("Write a blank line after each sentence."), ("target",), preview)
    return table


def _table_of(
    name: str,
    encoding: str,
    form: TokenForm,
    found: Sequence[tuple[int, LabelledSentence | str | None]],
    preview: Preview,
) -> TokenTable:
    """Return the table of sentences and faults, by their first lines. Raises TableError for no sentence."""
    faults = tuple(one for _, one in found if isinstance(one, str))
    good = [(line, one) for line, one in found if isinstance(one, LabelledSentence)]
    if not good:
        message = Message("{0} has no sentence to learn from. {1}", name, *faults[:1] or [""])
        raise TableError(message, _HINT, ("target",), preview)
    lines, sentences = zip(*good, strict=True)
    return TokenTable(name, encoding, form, sentences, preview, faults, lines)


def marked_table(path: Path, choices: TableChoices = BY_CONTENT) -> TokenTable | None:
    """Return the texts of a table with spans, or with lists of words and their labels; None for another file.

    With spans each character is labelled. Raises FileError for a file that cannot be read, TableError where
    nothing shows which column is which, and for one without any good text.
    """
    table = package_table(path, choices)
    if table is None and unpacked(path).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"{", b"["):
        table = read_table(path, choices)
    if table is None or table.layout.kind not in ("json", "json lines", "parquet", "arrow"):
        return None
    columns = range(len(table.columns))
    lists = {at: found for at in columns if any(found := list(map(_list, table.column(at))))}
    spans = [at for at, found in lists.items() if None not in map(_spans, filter(None, found))]
    words = [at for at in lists if last_part(table.columns[at]) in _LISTS_OF_WORDS]
    if not (spans or words):
        return None
    possible, texts = spans or [at for at in lists if at not in words], TEXTS if spans else _LISTS_OF_WORDS
    label = column_named(table, choices.label_column, "label_column", _MARKED_LABELS, possible)
    text = column_named(table, choices.text_column, "text_column", texts)
    read = _by_characters if spans else _by_words
    rows = [(record.line, record.fault or read(record, text, label)) for record in table.records]
    kind: Format = "spans" if spans else "lists"
    form = TokenForm(kind, "", table.columns, text, label, bool(spans), has_header=True)
    return _table_of(table.name, table.encoding or table.layout.kind, form, rows, table.preview)


def _list(cell: str) -> list[Any] | None:
    found = json_or_none(cell) if cell.startswith(("[", "{")) else None
    found = found.get("entities") if isinstance(found, dict) else found  # as spaCy's training data
    return found if isinstance(found, list) else None


def _spans(values: list[Any]) -> list[tuple[int, int, str]] | None:
    """Return spans as doccano, Prodigy and Label Studio write them; None for another list."""
    found = []
    for value in values:
        if isinstance(value, dict):
            of = [next((value[key] for key in keys if key in value), None) for keys in _SPAN_KEYS]
            value = [*of[:2], of[2][0] if isinstance(of[2], list) and len(of[2]) == 1 else of[2]]
        if not (isinstance(value, list) and list(map(type, value)) == [int, int, str] and value[2].strip()):
            return None
        found.append((value[0], value[1], value[2].strip()))
    return found


def _by_characters(record: Record, text: int, label: int) -> LabelledSentence | str:
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
    return LabelledSentence(tuple(characters), tuple(labels))


def _by_words(record: Record, text: int, label: int) -> LabelledSentence | str:
    units, labels = (tuple(map(cell_of, _list(record.cells[at]) or ())) for at in (text, label))
    if len(units) != len(labels) or not units or "" in (*units, *labels):
        counts = sum(map(bool, units)), sum(map(bool, labels))
        return Message("Line {0} has {1} words and {2} labels.", f"{record.line:,}", *counts)
    return LabelledSentence(units, labels)


def has_token_labels(path: Path, choices: TableChoices = BY_CONTENT) -> bool:
    """Return whether a file is one with a label for each word or character, by its content or as given.

    Raises FileError for one that is missing or damaged, TableError where it is not clear how it is read.
    """
    if choices.target:
        return choices.target == "tokens"
    if marked_table(path, choices) is not None:
        return True
    if package_table(path, choices) is not None:
        return False
    _, lines, _ = decoded(path.name, unpacked(path), choices.encoding)
    separator = separator_of(choices)
    is_of_cells = bool(separator and separator.strip(" \t"))
    return not is_of_cells and find_token_form(path.name, lines, choices, is_sure=False) is not None


def tag_names(table: TokenTable) -> tuple[str, ...]:
    """Return the labels of a file, sorted, the one of words outside spans first.

    Raises FileError if there is but one.
    """
    if len(table.labels) == 1:
        message = Message("All words of {0} have the label “{1}”.", table.name, table.labels[0])
        raise FileError(message, Message("Give a file with two labels or more."))
    marks = table.marks or {}
    return tuple(
        sorted(table.labels, key=lambda label: (label not in marks or bool(marks[label].type), label))
    )


def only_known(table: TokenTable, names: Sequence[str]) -> TokenTable:
    """Return the sentences of a file to evaluate on whose labels are all among `names`; others are faults.

    Raises FileError where none is left.
    """
    known = set(names)
    good = tuple(one for one in table.sentences if known.issuperset(one.labels))
    unknown = sorted(set(table.labels) - known)
    faults = tuple(
        Message("A sentence has the label “{0}”, which is not among those learnt.", label)
        for one in table.sentences
        for label in sorted(set(one.labels) - known)[:1]
    )
    if not good:
        message = Message(
            "{0}: every sentence has a label that is not among those learnt: {1}.",
            table.name,
            ", ".join(unknown[:5]),
        )
        raise FileError(message, Message("Give a file with the labels of the training data."))
    return replace(table, sentences=good, faults=(*table.faults, *faults), lines=())


def find_token_form(
    name: str, lines: Sequence[str], choices: TableChoices = BY_CONTENT, *, is_sure: bool = True
) -> TokenForm | None:
    """Return how the lines of a file with labels of words or characters are written.

    Unless it `is_sure` that they are, None is returned for lines which may be a table of texts. Raises
    TableError where it is not clear which column has the labels.
    """
    sample = lines[:2_000]
    if not separator_of(choices).strip("\t") and _is_by_rows(sample):
        return TokenForm("NAVER NER", "\t", ("1", "2"), 0, 1, are_characters=False)
    filled = [line for line in sample if line.strip() and not line.startswith("#")]
    has_tabs = sum("\t" in line for line in filled) > _LEAST_SAME * len(filled)
    separator = separator_of(choices) or ("\t" if has_tabs else "")
    counts = Counter(
        len(_cells(line, separator)) for line in sample if line.strip() and not _COMMENT.match(line)
    )
    if not counts:
        return None
    ((n_columns, n_same),) = counts.most_common(1)
    # More lines have to be alike where the user does not say that they are labels of words.
    if n_columns < 2 or n_same <= (0.5 if is_sure else _LEAST_SAME) * counts.total():
        return None
    blocks = [
        [_cells(line.text, separator) for line in block] for block in _blocks(sample, separator, n_columns)
    ]
    blocks = [[row for row in block if len(row) == n_columns and row[0] != _DOCUMENT] for block in blocks]
    rows = [row for block in blocks for row in block]
    if not rows or not (is_sure or _is_of_tokens(sample, blocks)):
        return None
    return _form(name, sample, separator, blocks, choices)


_HINT = Message(
    "Give lines of a word, a tab and its label, with a blank line between sentences (CoNLL), KLUE-NER, or "
    "JSON with spans such as {0}.",
    '[0, 3, "PER"]',
)


def _form(
    name: str,
    sample: Sequence[str],
    separator: str,
    blocks: Sequence[Sequence[Sequence[str]]],
    choices: TableChoices,
) -> TokenForm:
    rows = [row for block in blocks for row in block]
    n_columns = len(rows[0])
    numbers = tuple(str(number) for number in range(1, n_columns + 1))
    if n_columns == len(CONLLU) and separator == "\t" and all(_ANY_INDEX.fullmatch(row[0]) for row in rows):
        form = TokenForm("CoNLL-U", separator, CONLLU, 1, 3, are_characters=False)
        if not choices.label_column:
            message = Message("{0} is CoNLL-U: it has several columns of labels.", name)
            hint = Message("Give {0} as one of {1}.", "--label-column", "UPOS, XPOS, DEPREL")
            raise TableError(message, hint, ("label_column",), _preview(name, form, rows))
        return _chosen(name, form, rows, choices)
    has_header = _is_header(rows)
    names = tuple(cell.strip() for cell in rows[0]) if has_header else numbers
    is_klue = any(line.startswith("## klue-ner") for line in sample)
    units = [unicodedata.normalize("NFC", row[0]) for row in rows[has_header:]]
    has_blanks = is_klue or not {" ", "\u00a0"}.isdisjoint(row[0] for row in rows[has_header:])
    are_characters = has_blanks and sum(len(unit) == 1 for unit in units) >= _LEAST_SAME * len(units)
    kind: Format = "KLUE-NER" if are_characters else "CoNLL"
    unit = 1 if n_columns > 2 and _are_numbered(blocks, has_header=has_header) else 0
    form = TokenForm(kind, separator, names, unit, n_columns - 1, are_characters, has_header)
    if has_header:
        known = [normal(one) for one in form.names]
        unit = next((at for at, one in enumerate(known) if one in _UNIT_NAMES), form.unit_column)
        labels = [at for at, one in enumerate(known) if one in _LABEL_NAMES]
        if len(labels) > 1 and not choices.label_column:
            listed = ", ".join(form.names[at] for at in labels)
            message = Message("In {0} several columns may be the label: {1}.", name, listed)
            raise _asked(name, form, rows[1:], message, "label_column")
        form = replace(form, unit_column=unit, label_column=labels[0])
    return _chosen(name, form, rows[has_header:], choices)


def _chosen(name: str, form: TokenForm, rows: Sequence[Sequence[str]], choices: TableChoices) -> TokenForm:
    """Return the form with the columns that the user gives. Raises TableError for one that is not there."""
    unit = _column(name, form, rows, choices.text_column, "text_column", form.unit_column)
    label = _column(name, form, rows, choices.label_column, "label_column", form.label_column)
    if unit == label:
        message = Message("“{0}” is given for two columns of {1}.", form.names[label], name)
        raise _asked(name, form, rows, message, "label_column")
    n_labels = len({row[label] for row in rows})
    if n_labels > _MOST_LABELS and not choices.label_column:
        message = Message(
            "Column {0} of {1} has {2} different values and is no label.",
            form.names[label],
            name,
            f"{n_labels:,}",
        )
        raise _asked(name, form, rows, message, "label_column")
    return replace(form, unit_column=unit, label_column=label)


def _column(
    name: str, form: TokenForm, rows: Sequence[Sequence[str]], given: str, field: str, default: int
) -> int:
    if not given:
        return default
    names = [normal(one) for one in form.names]
    if names.count(normal(given)) == 1:
        return names.index(normal(given))
    if given.strip().isdecimal() and 1 <= int(given) <= len(names):
        return int(given) - 1
    raise _asked(name, form, rows, Message("{0} has no column “{1}”.", name, given), field)


def _asked(name: str, form: TokenForm, rows: Sequence[Sequence[str]], message: str, field: str) -> TableError:
    first = ", ".join(
        f"{column} “{shortened(cell)}”" for column, cell in zip(form.names, rows[0], strict=True)
    )
    hint = Message("Give {0}; the columns: {1}", f"--{field.replace('_', '-')}", first)
    return TableError(message, hint, (field,), _preview(name, form, rows))


def _preview(name: str, form: TokenForm, rows: Sequence[Sequence[str]]) -> Preview:
    shown = tuple(tuple(map(shortened, row)) for row in rows[:N_NAMED])
    return Preview(name, form.names, form.has_header or form.format == "CoNLL-U", shown, "", form.separator)


def _cells(line: str, separator: str) -> list[str]:
    return line.split(separator) if separator else _BLANKS.split(line.strip(" \t"))


def _blocks(lines: Sequence[str], separator: str, n_columns: int) -> Iterator[list[_Line]]:
    """Yield the lines between two blank lines or comments, without these."""
    block: list[_Line] = []
    for number, line in enumerate(lines, 1):
        if not line.strip() or _is_comment(line, separator, n_columns):
            if block:
                yield block
            block = []
        else:
            block.append(_Line(number, line))
    if block:
        yield block


def _rows(lines: Sequence[str]) -> Iterator[list[_Line]]:
    """Yield the words of each line with their labels, as lines of CoNLL."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            words, _, labels = line.partition("\t")
            pairs = list(zip_longest(words.split(), labels.split(), fillvalue=""))
            yield [_Line(number, "\t".join(pair)) for pair in pairs]


def _is_by_rows(lines: Sequence[str]) -> bool:
    """Return whether most lines have a sentence, a tab, and as many labels of spans as words."""
    rows = [line.split("\t") for line in lines if line.strip()]
    fitting = [cells for cells in rows if len(cells) == 2 and len(cells[0].split()) == len(cells[1].split())]
    if len(fitting) <= _LEAST_SAME * len(rows) or not any(" " in cells[1].strip() for cells in fitting):
        return False
    return marks_of({label for cells in fitting for label in cells[1].split()}) is not None


def _is_comment(line: str, separator: str, n_columns: int) -> bool:
    """Return whether a line is a comment, and not the word "#" with its label."""
    cells = _cells(line, separator)
    is_unlike = len(cells) != n_columns or (bool(separator) and cells[0].strip() != "#")
    return bool(_SURE_COMMENT.match(line) or (is_unlike and _COMMENT.match(line)))


def _is_of_tokens(lines: Sequence[str], blocks: Sequence[Sequence[Sequence[str]]]) -> bool:
    """Return whether a file with so many columns in each line is surely none of texts with their labels."""
    if any(line.startswith((_DOCUMENT, "## klue-ner")) for line in lines):
        return True
    rows = [row for block in blocks for row in block]
    labels = {row[-1].strip() for row in rows}
    units = [row[0] for row in rows]
    if len(rows) < 2 or any(" " in unit.strip() for unit in units) or any(" " in label for label in labels):
        return False
    is_conllu = len(rows[0]) == len(CONLLU) and all(_ANY_INDEX.fullmatch(unit) for unit in units)
    if is_conllu or marks_of(labels - {rows[0][-1].strip()} if _is_header(rows) else labels) is not None:
        return True
    # Rows of texts with blank lines between them have one line in each "sentence".
    is_in_sentences = len(blocks) > 1 and len(rows) >= 3 * len(blocks)
    return is_in_sentences and len(labels) <= min(_MOST_LABELS, len(rows) // 2)


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether the first row names the columns: that of the words, and one of labels."""
    first = [normal(cell) for cell in rows[0]]
    return first[0] in _UNIT_NAMES | _INDEX_NAMES and any(one in _LABEL_NAMES for one in first[1:])


def _are_numbered(blocks: Sequence[Sequence[Sequence[str]]], *, has_header: bool) -> bool:
    """Return whether the first column counts the words of each sentence."""
    for block in blocks:
        numbers = [row[0] for row in block[has_header:]]
        has_header = False
        if not all(_INDEX.fullmatch(number) for number in numbers):
            return False
        found = [int(number) for number in numbers]
        if found and found != list(range(found[0], found[0] + len(found))):
            return False
    return bool(blocks)


def _fault(number: int, cells: Sequence[str], form: TokenForm, encoding: str, bad: frozenset[int]) -> str:
    """Return a sentence on why a line cannot be used, "" if it can."""
    line, n_columns = f"{number:,}", len(form.names)
    if number in bad:
        return Message("Line {0} is not {1}.", line, shown_encoding(encoding))
    if cells[0] == _DOCUMENT or (form.format == "CoNLL-U" and not _INDEX.fullmatch(cells[0])):
        return ""
    if len(cells) != n_columns:
        return wrong_count(number, len(cells), n_columns)
    if not cells[form.label_column].strip():
        return Message("Line {0} has no label.", line)
    unit = cells[form.unit_column]
    if not (unit if form.are_characters else unit.strip()):
        return Message("Line {0} has no word.", line)
    return ""


def _sentence(rows: Sequence[Sequence[str]], form: TokenForm) -> LabelledSentence | None:
    """Return the sentence of some lines without a fault; None for lines that have no word."""
    used = [row for row in rows if row[0] != _DOCUMENT]
    if form.format == "CoNLL-U":  # 1-2 is written as one word and analysed as two; 1.1 is not written at all
        used = [row for row in used if _INDEX.fullmatch(row[0])]
    units = [unicodedata.normalize("NFC", row[form.unit_column]) for row in used]
    units = units if form.are_characters else [unit.strip() for unit in units]
    if not any(unit.strip() for unit in units):
        return None
    return LabelledSentence(tuple(units), tuple(row[form.label_column].strip() for row in used))
