"""`heads.toml`: statements about what heads do on texts, read, and checked of a checkpoint."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bertviz_app.analysis.measures import KEYS, NAME_RULES, UNITS, Head, MeasureKey, NameKey
from bertviz_app.analysis.pure.corpus_summary import SummaryBuilder
from bertviz_app.errors import FileError, Message, SelectionError
from bertviz_app.inference.corpus.measuring import Block, CorpusJob, LineReader, TextReading, measure_block
from bertviz_app.inference.opened_checkpoint import Device, OpenedCheckpoint
from bertviz_app.notebooks import HasTable
from bertviz_app.tables import Table
from bertviz_app.types import Check, Doubles

TABLE = "check"
"""Each statement is a table `[[check]]`."""
_NAMES: tuple[NameKey, ...] = tuple(rule.key for rule in NAME_RULES)
_HEAD = re.compile(r"(\d{1,4}|\*)\.(\d{1,4}|\*)")
_OF_ALL = ("model", "file", "column", "text", "texts")
_OF_ONE = ("head", "measure", "name", "minimum", "maximum", "note", "file", "column", "text", "texts")


@dataclass(frozen=True)
class HeadStatement:
    """One statement: what a head does, on which texts, and within which bounds.

    `layer`, `head`: None for any; then one head that does it is enough. With `measure` the mean over the
    texts is compared, with `name` the share of the texts that give the head this name. `texts` are those of
    the statement itself, else they are in `file`, or in the `column` of it. `line` is where it begins.
    """

    layer: int | None
    head: int | None
    measure: MeasureKey | None
    name: NameKey | None
    minimum: float | None
    maximum: float | None
    file: Path | None = None
    column: str = ""
    texts: tuple[str, ...] = ()
    note: str = ""
    line: int = 1

    @property
    def where(self) -> str:
        """The head as the file writes it: "0.1", "0.*" for any head of layer 0."""
        return ".".join("*" if at is None else str(at) for at in (self.layer, self.head))

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest number that it allows."""
        low, high = self.minimum, self.maximum
        return -np.inf if low is None else low, np.inf if high is None else high


@dataclass(frozen=True)
class StatedHeads:
    """What a file states, and the checkpoint that it names, None where it names none."""

    path: Path
    statements: tuple[HeadStatement, ...]
    model: str | None = None


@dataclass(frozen=True)
class CheckedHead:
    """A statement, and what the checkpoint does: `value` of head `at`, over `n_texts` texts."""

    statement: HeadStatement
    at: Head
    value: float
    n_texts: int
    n_left_out: int

    @property
    def holds(self) -> bool:
        """Whether the number is within the bounds of the statement."""
        low, high = self.statement.bounds
        return low <= self.value <= high

    def __str__(self) -> str:
        said = self.statement
        what = f"mean of “{said.measure}”" if said.name is None else f"share of “{said.name}”"
        bounds = [f"at least {said.minimum:g}"] if said.minimum is not None else []
        bounds += [f"at most {said.maximum:g}"] if said.maximum is not None else []
        head = f"{self.at[0]}.{self.at[1]}"
        head = head if said.where == head else f"{head} of {said.where}"
        texts = "1 text" if self.n_texts == 1 else f"{self.n_texts:,} texts"
        texts += f" of {said.file.name}" if said.file is not None else ""
        texts += f", {self.n_left_out:,} left out" if self.n_left_out else ""
        note = f": {said.note}" if said.note else ""
        verdict = "holds" if self.holds else "FAILS"
        return f"{verdict}  {head}  {what} {self.value:.4g}, {' and '.join(bounds)} ({texts}){note}"


class CheckedHeads(HasTable, tuple[CheckedHead, ...]):
    """What was checked, in the order of the file; `holds` whether all of it is so."""

    @property
    def holds(self) -> bool:
        """Whether every statement holds."""
        return all(one.holds for one in self)

    def __repr__(self) -> str:
        n_failed = sum(not one.holds for one in self)
        return f"<CheckedHeads: {len(self)} statements, {n_failed or 'none'} of them wrong>"

    def __str__(self) -> str:
        return "\n".join(map(str, self))

    def as_table(self) -> Table:
        """Return a row for each statement: line, head, what is compared, bounds, number, texts, verdict."""
        columns = ("line", "layer", "head", "what", "minimum", "maximum", "value", "texts", "holds")
        rows = [
            (
                one.statement.line,
                *one.at,
                one.statement.measure or one.statement.name or "",
                *(
                    np.nan if bound is None else bound
                    for bound in (one.statement.minimum, one.statement.maximum)
                ),
                one.value,
                one.n_texts,
                "yes" if one.holds else "no",
            )
            for one in self
        ]
        return Table(columns, rows)


def read_statements(path: Path) -> StatedHeads:
    """Return what a TOML file states about heads. Raises FileError, which names the line and the key."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        message = Message("{0} could not be read: {1}.", path, error.strerror or str(error))
        raise FileError(message, Message("Name a TOML file with statements about heads.")) from error
    except UnicodeDecodeError as error:
        message = Message("{0} is not UTF-8.", path.name)
        raise FileError(message, Message("Save it as UTF-8: TOML is written in nothing else.")) from error
    try:
        content = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        message = Message("{0} is no TOML: {1}.", path.name, str(error))
        raise FileError(
            message, Message("Correct it; a statement begins with the line {0}.", _HEADER)
        ) from error
    return _Reader(path, text).read(content)


_HEADER = f"[[{TABLE}]]"


@dataclass(frozen=True)
class _Reader:
    """Makes statements of the content of one file, whose `text` shows on which line a key stands."""

    path: Path
    text: str

    def read(self, content: Mapping[str, Any]) -> StatedHeads:
        for key in content:
            if key not in (*_OF_ALL, TABLE):
                raise self._wrong(None, key, Message("It may have: {0}.", ", ".join((*_OF_ALL, _HEADER))))
        tables = content.get(TABLE, [])
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            raise self._wrong(None, TABLE, Message("Begin each statement with the line {0}.", _HEADER))
        if not tables:
            message = Message("{0} states nothing.", self.path.name)
            raise FileError(message, Message("A statement begins with the line {0}.", _HEADER))
        self._require(None, content, "model", str, Message("It is the folder or the name of a checkpoint."))
        model = content.get("model")
        statements = tuple(self._statement(number, table, content) for number, table in enumerate(tables))
        if isinstance(model, str) and (self.path.parent / model).exists():
            model = str(self.path.parent / model)
        return StatedHeads(self.path, statements, model)

    def _statement(self, number: int, table: Mapping[str, Any], of_all: Mapping[str, Any]) -> HeadStatement:
        for key in table:
            if key not in _OF_ONE:
                raise self._wrong(number, key, Message("It may have: {0}.", ", ".join(_OF_ONE)))
        self._require(number, table, "note", str, Message("It is a text."))
        layer, head = self._head(number, table)
        measure, name = self._what(number, table)
        low, high = self._bounds(number, table, measure)
        file, column, texts = self._texts(number, table, of_all)
        line = self._line(number, "")
        return HeadStatement(
            layer, head, measure, name, low, high, file, column, texts, table.get("note", ""), line
        )

    def _head(self, number: int, table: Mapping[str, Any]) -> tuple[int | None, int | None]:
        hint = Message(
            'Write layer and head, from 0, as "0.1"; "0.*" is any head of layer 0, "*.*" any at all.'
        )
        found = table.get("head")
        matched = _HEAD.fullmatch(found) if isinstance(found, str) else None
        if matched is None:
            raise self._wrong(number, "head", hint)
        layer, head = (None if part == "*" else int(part) for part in matched.groups())
        return layer, head

    def _what(self, number: int, table: Mapping[str, Any]) -> tuple[MeasureKey | None, NameKey | None]:
        if ("measure" in table) == ("name" in table):
            hint = Message("Give one of the two: {0}.", "measure, name")
            raise self._wrong(number, "name" if "name" in table else "measure", hint)
        for key, known in (("measure", KEYS), ("name", _NAMES)):
            if key in table and table[key] not in known:
                raise self._wrong(number, key, Message("It is one of: {0}.", ", ".join(known)))
        return table.get("measure"), table.get("name")

    def _bounds(
        self, number: int, table: Mapping[str, Any], measure: MeasureKey | None
    ) -> tuple[float | None, float | None]:
        is_share = measure is None or UNITS[measure] == "weight"
        found: dict[str, float] = {}
        for key in ("minimum", "maximum"):
            if key not in table:
                continue
            value = table[key]
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not is_number or not np.isfinite(value) or value < 0:
                raise self._wrong(number, key, Message("It is a number from 0."))
            if is_share and value > 1:
                raise self._wrong(number, key, Message("It is a number from {0} to {1}.", 0, 1))
            found[key] = float(value)
        low, high = found.get("minimum"), found.get("maximum")
        if low is None and high is None:
            raise self._wrong(number, "minimum", Message("Give one of the two: {0}.", "minimum, maximum"))
        if low is not None and high is not None and low > high:
            raise self._wrong(number, "minimum", Message("It is not above {0}.", "maximum"))
        return low, high

    def _texts(
        self, number: int, table: Mapping[str, Any], of_all: Mapping[str, Any]
    ) -> tuple[Path | None, str, tuple[str, ...]]:
        """Return the file and its column, or the texts: those of the statement, else those of all."""
        sources = ("file", "text", "texts")
        own = any(key in table for key in sources)
        at, given = (number, table) if own else (None, of_all)
        named = [key for key in sources if key in given]
        if len(named) != 1:
            key = named[1] if named else "file"
            raise self._wrong(at if named else number, key, Message("Give one of: {0}.", ", ".join(sources)))
        self._require(at, given, "file", str, Message("It is the path of a file, from this one."))
        self._require(at, given, "text", str, Message("It is a text."))
        column = table.get("column", of_all.get("column", ""))
        if isinstance(column, bool) or not isinstance(column, str | int):
            at = number if "column" in table else None
            raise self._wrong(at, "column", Message("It is the name of a column, or its number from 1."))
        if "file" in given:
            return self._file(at, given["file"]), str(column), ()
        texts = [given["text"]] if "text" in given else given["texts"]
        is_list = isinstance(texts, list) and bool(texts)
        if not is_list or not all(isinstance(text, str) and text.strip() for text in texts):
            raise self._wrong(at, named[0], Message("It is a text, or a list of texts, none of them empty."))
        return None, "", tuple(texts)

    def _file(self, at: int | None, name: str) -> Path:
        path = self.path.parent / Path(name).expanduser()
        try:
            is_there = path.is_file()
        except (OSError, ValueError):  # too long a name, NUL
            is_there = False
        if not is_there:
            raise self._wrong(at, "file", Message("There is no file {0}.", os.path.normpath(path)))
        return path

    def _require(self, number: int | None, table: Mapping[str, Any], key: str, kind: type, hint: str) -> None:
        if key in table and not (isinstance(table[key], kind) and table[key]):
            raise self._wrong(number, key, hint)

    def _wrong(self, number: int | None, key: str, hint: str) -> FileError:
        line = self._line(number, key)
        return FileError(Message("{0}, line {1}: “{2}” is wrong.", self.path.name, line, key), hint)

    def _line(self, number: int | None, key: str) -> int:
        """Return the line of a key of a statement (None: before all of them), else where that begins."""
        lines = self.text.splitlines()
        headers = [at for at, line in enumerate(lines) if re.match(rf"\s*\[\[\s*{TABLE}\s*\]\]", line)]
        begins = 0 if number is None or number >= len(headers) else headers[number]
        later = [at for at in headers if at > begins or number is None]
        written = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*[=.]|\s*\[+\s*["']?{re.escape(key)}\b""")
        within = range(begins, later[0] if later else len(lines))
        elsewhere = range(len(lines)) if number is None or not headers else ()
        found = (at for at in (*within, *elsewhere) if key and written.match(lines[at]))
        return next(found, begins) + 1


@dataclass
class _Texts:
    """What was measured of the texts of one or several statements."""

    builder: SummaryBuilder
    n_texts: int = 0
    n_left_out: int = 0


def check_statements(
    stated: StatedHeads, opened: OpenedCheckpoint, device: Device, check: Check = lambda: None
) -> CheckedHeads:
    """Return whether a checkpoint does what is stated; texts of several statements are measured once.

    `check` is called between layers and may raise. Raises SelectionError for a head that the checkpoint does
    not have, FileError for a file that cannot be read or has no text that can be measured.
    """
    config = opened.checkpoint.encoder.config
    shape = config.n_layers, config.n_heads
    for one in stated.statements:
        _refuse_missing(one, shape, stated.path)
    measured: dict[object, _Texts] = {}
    found = []
    for one in stated.statements:
        source = one.file, one.column, one.texts
        if source not in measured:
            measured[source] = _measured(one, opened, device, shape, check)
        found.append(_checked(one, measured[source], shape))
    return CheckedHeads(found)


def _refuse_missing(one: HeadStatement, shape: tuple[int, int], path: Path) -> None:
    for at, count in ((one.layer, shape[0]), (one.head, shape[1])):
        if at is not None and at >= count:
            message = Message("{0}, line {1}: there is no head {2}.", path.name, one.line, one.where)
            hint = Message("The checkpoint has {0} layers of {1} heads, which count from 0.", *shape)
            raise SelectionError(message, hint)


def _measured(
    one: HeadStatement, opened: OpenedCheckpoint, device: Device, shape: tuple[int, int], check: Check
) -> _Texts:
    found = _Texts(SummaryBuilder(KEYS, shape))
    job = CorpusJob((), "")
    for block in _blocks(one, job.settings.block_lines):
        part = measure_block(opened, block, job, device, check)
        found.builder.add(part.n_tokens, part.values, part.n_word)
        found.n_texts += len(part.lines)
        found.n_left_out += len(block.lines) - len(part.lines)
    if not found.n_texts:
        name = "the text" if one.file is None else one.file.name
        message = Message("Nothing of {0} can be measured.", name)
        raise FileError(message, Message("Give a file of text, a sentence a line."))
    return found


def _blocks(one: HeadStatement, n_lines: int) -> Iterator[Block]:
    if one.file is not None:
        reading = TextReading(column=one.column)
        yield from LineReader((str(one.file),), reading).blocks(n_lines)
    elif one.texts:
        yield Block(0, 1, tuple(text.encode() for text in one.texts), 0)


def _checked(one: HeadStatement, texts: _Texts, shape: tuple[int, int]) -> CheckedHead:
    """Return the verdict on a statement: that of the head that keeps its bounds best."""
    values, n_texts = _values(one, texts)
    low, high = one.bounds
    within = np.minimum(values - low, high - values)
    layers = range(shape[0]) if one.layer is None else (one.layer,)
    heads = range(shape[1]) if one.head is None else (one.head,)
    at = max(((layer, head) for layer in layers for head in heads), key=lambda head: within[head])
    return CheckedHead(one, at, float(values[at]), n_texts, texts.n_left_out + texts.n_texts - n_texts)


def _values(one: HeadStatement, texts: _Texts) -> tuple[Doubles, int]:
    """Return the number [L, H] that a statement is about, and over how many texts it is."""
    if one.measure is not None:
        means: Doubles = texts.builder.summary().means[KEYS.index(one.measure)]
        return means, texts.n_texts
    assert one.name is not None
    return texts.builder.name_shares()[_NAMES.index(one.name)], texts.builder.n_named
