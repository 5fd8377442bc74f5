"""Files of labels as people have them, spoilt: each is read, or refused by a sentence with a way out."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import pickle
import tarfile
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from openpyxl import Workbook
from pyarrow import parquet

from bertviz_app.errors import AppError
from bertviz_app.features.training.finetuning.settings import label_names, read_rows
from bertviz_app.text_tables.table import BY_CONTENT, TableChoices, TableError
from bertviz_app.text_tables.token_labels import has_token_labels, read_token_table, tag_names

ROWS = [("ab"[at % 2], f"text number {at}") for at in range(12)]


def _separated(separator: str, names: str = "label,text", rows: Sequence[Sequence[str]] = ROWS) -> str:
    return "".join(f"{separator.join(cells)}\n" for cells in (names.split(","), *rows))


def _lines(*rows: object) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _texts(*labels: object, key: str = "label") -> str:
    return _lines(*({"text": f"Ann met {at}", key: label} for at, label in enumerate(labels)))


def _parquet(**columns: object) -> bytes:
    content = io.BytesIO()
    parquet.write_table(pa.table(columns), content)
    return content.getvalue()


def _sheet(*rows: Sequence[object]) -> bytes:
    book, content = Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(content)
    return content.getvalue()


def _tar(text: str) -> bytes:
    content, entry = io.BytesIO(), tarfile.TarInfo("train.tsv")
    entry.size = len(text)
    with tarfile.open(fileobj=content, mode="w") as archive:
        archive.addfile(entry, io.BytesIO(text.encode()))
    return content.getvalue()


def _read(path: Path, choices: TableChoices = BY_CONTENT) -> tuple[str, int]:
    """Return what the labels of a file are, and how many rows or sentences can be used. Raises AppError."""
    if has_token_labels(path, choices):
        table = read_token_table(path, choices)
        tag_names(table)
        return table.form.format, len(table.sentences)
    rows = read_rows(path, choices)
    return rows.kind, len(rows.rows) if rows.has_scores else len(label_names(rows)) and len(rows.rows)


TAB = _separated("\t")
COLUMNS = {"text": ["a", "b", "c"], "label": ["x", "y", "x"]}
READ: dict[str, tuple[str | bytes, tuple[str, int]]] = {
    "a byte order mark": ("\ufeff" + TAB, ("classes", 12)),
    "UTF-16 without a mark": (TAB.encode("utf-16-le"), ("classes", 12)),
    "UTF-32": (TAB.encode("utf-32"), ("classes", 12)),
    "line ends of old Macintoshes": (TAB.replace("\n", "\r"), ("classes", 12)),
    "two kinds of line ends": (TAB.replace("\n", "\r\n", 5), ("classes", 12)),
    "NUL within texts": (TAB.replace("number", "num\0ber"), ("classes", 12)),
    "rows of other lengths": (TAB + "a\tb\tc\td\nx\n", ("classes", 12)),
    "tabs within quotes": ('label\ttext\na\t"one\ttwo"\nb\tthree\n', ("classes", 2)),
    "Excel's line on the separator": ("sep=;\n" + _separated(";"), ("classes", 12)),
    "an index of pandas": (
        _separated(",", ",label,text", [(str(at), *row) for at, row in enumerate(ROWS)]),
        ("classes", 12),
    ),
    "a cell of 300,000 letters": (_separated("\t", rows=[("a", "x" * 300_000), ("b", "y")]), ("classes", 2)),
    "bz2 by another name": (bz2.compress(TAB.encode()), ("classes", 12)),
    "JSON with a list for each column": (json.dumps(COLUMNS), ("classes", 3)),
    "JSON of pandas by columns": (
        json.dumps({name: dict(enumerate(cells)) for name, cells in COLUMNS.items()}),
        ("classes", 3),
    ),
    "no label in one row": (_texts(None, "x", "y"), ("classes", 2)),
    "null among labels": (_texts([None], ["x"], ["x", "y"]), ("multi_label", 2)),
    "a span in bytes": (
        _lines({"text": "앤이", "label": [[0, 9, "P"]]}, {"text": "앤이", "label": [[0, 1, "P"]]}),
        ("spans", 1),
    ),
    "a span back to front": (_texts([[3, 0, "P"]], [[0, 3, "P"]]), ("spans", 1)),
    "labels of fastText behind": ("a text __label__x\nmore __label__y\n", ("classes", 2)),
    "fastText, a line without label": ("__label__x a\n__label__y b\nc\n", ("classes", 2)),
    "CoNLL in no known scheme": ("EU I-ORG\nso O\n\nA E-MISC\ncall O\n", ("CoNLL", 2)),
    "Parquet without some texts": (_parquet(text=["a", None, "c"], label=[1, 1, 0]), ("classes", 2)),
    "dates for labels": (_parquet(text=["a", "b"], label=pa.array([1, 2], pa.date32())), ("classes", 2)),
    "a formula without its value": (
        _sheet(("label", "text"), ("x", "=A1"), ("y", "b"), ("x", "c")),
        ("classes", 2),
    ),
    "half a character": (
        _texts("x") + '{"text": "\\ud83d", "label": "y"}\n' + _texts("y"),
        ("classes", 2),
    ),
}

BY_TOKENS = TableChoices(target="tokens")
REFUSED: dict[str, tuple[str | bytes, str, TableChoices | None]] = {
    "a web page": ("<!DOCTYPE html><html>404</html>\n", "a web page or a pointer of Git LFS", None),
    "a pointer": ("version https://git-lfs.github.com/spec/v1\noid x\n", "a pointer of Git LFS", None),
    "a cut gzip": (gzip.compress(TAB.encode())[:-15], "ended before the end-of-stream marker", None),
    "gzip in gzip": (gzip.compress(gzip.compress(TAB.encode())), "bytes that no text has", None),
    "a tar": (_tar(TAB), "is no text, but binary: tar", None),
    "a pickle": (pickle.dumps(list(range(300))), "bytes that no text has", None),
    "nothing": (" \n", "is empty", None),
    "names alone": ("label\ttext\n", "has no row to learn from", None),
    "one label": ("label\ttext\na\tb\na\tc\n", "have the label “a”", None),
    "lists without labels": (_texts([], []), "No row of file has a label", None),
    "a quote that is not closed": (
        _separated(",", rows=[("a", '"b, c"')] * 9) + 'a,"never\n',
        "from line 11 on: unexpected end of data",
        None,
    ),
    "bars": (_separated("|"), "no separator is found", TableChoices(separator="|")),
    "names that occur twice": (
        _separated("\t", "text,text,label", [("a b", "c d", "xy"[at % 2]) for at in range(9)]),
        "several columns may be the text: text, text",
        TableChoices("label", "2"),
    ),
    "a cut JSON array": (
        json.dumps([{"text": "a", "label": "x"}] * 5)[:-9],
        "from line 1 on: Unterminated",
        None,
    ),
    "a cut JSON line": (_texts("x", "y") + '{"text": "c', "from line 3 on: Unterminated string", None),
    "a line that is no JSON": (_texts("x") + "oops\n" + _texts("y"), "from line 2 on: Expecting value", None),
    "Python for JSON": ("{'text': 'a', 'label': 'x'}\n", "from line 1 on: Expecting property name", None),
    "rows deep within JSON": (
        json.dumps({"data": {"rows": [{"a": 1}, {"a": 2}]}}),
        "one column only: data.rows",
        None,
    ),
    "lists within lists": (_texts([["x"]], [["y"]]), "lists or objects that are no labels of texts", None),
    "spans and classes": (_texts([[0, 3, "P"]], ["x"]), r"no labels of texts: \[\[0, 3, ", None),
    "spans without a type": (_texts([[0, 3]], [[0, 3]]), r"no labels of texts: \[\[0, 3\]\]", None),
    "an object of flags": (
        _texts({"x": 1, "y": 0}, {"x": 0, "y": 1}),
        "does not show which column has the labels",
        TableChoices("label.x,label.y"),
    ),
    "True and False": (
        "comment,toxic,threat\na,True,False\nb,False,False\n",
        "does not show which column has the labels",
        TableChoices("toxic,threat"),
    ),
    "labels in one cell": (
        "text\tlabel\na b\t2,14\nc d\t3\n",
        "labels such as “2,14”: one label, or several",
        TableChoices(target="multi_label"),
    ),
    "a comma for a point": (
        _separated(";", "text,label", [("a", "3,5"), ("b", "1,0")]),
        "labels such as “1,0”: one label, or several",
        TableChoices(target="classes"),
    ),
    "whole scores": (
        _separated("\t", "sentence1,sentence2,score", [("a", "b", str(at)) for at in range(6)]),
        "6 whole numbers: classes, or scores",
        TableChoices(target="scores"),
    ),
    "training data of spaCy": (
        json.dumps([["Ann met", {"entities": [[0, 3, "PER"]]}], ["Bo met", {"entities": []}]]),
        "does not show which column has the labels",
        TableChoices("2", "1"),
    ),
    "CoNLL with a row too short": (
        "EU B-ORG\nso\n\nA B-PER\nB O\n\nC O\n",
        "no separator is found",
        BY_TOKENS,
    ),
    "CoNLL without blank lines": ("a\tO\nb\tB-X\n" * 1_500, "has no blank lines: all 3,000 words", None),
    "lists of other lengths": (
        _lines({"tokens": ["a", "b"], "ner_tags": ["O"]}),
        "has 2 words and 1 labels",
        None,
    ),
    "a cut Parquet file": (_parquet(**COLUMNS)[:-20], "cannot be read as Parquet: ", None),
    "Parquet of bytes": (
        _parquet(text=[b"\xff"], label=["x"]),
        "cannot be read as Parquet: 'utf-8' codec",
        None,
    ),
    "Parquet without texts": (
        _parquet(essay=["a b", "c"], label=["x", "y"]),
        "does not show which column has the texts",
        TableChoices(text_column="essay"),
    ),
    "a title above the names": (
        _sheet(("My data", None), ("label", "text"), ("x", "a b"), ("y", "c")),
        "Row 1 of file is not as others: some of its cells are empty",
        None,
    ),
    "an empty sheet": (_sheet(), "is empty", None),
}


@pytest.mark.parametrize("name", READ)
def test_it_is_read(name: str, tmp_path: Path) -> None:
    content, expected = READ[name]
    path = tmp_path / "file"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    assert _read(path) == expected


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused_with_a_way_out(name: str, tmp_path: Path) -> None:
    content, words, way_out = REFUSED[name]
    path = tmp_path / "file"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(AppError, match=words) as raised:
        _read(path)
    assert raised.value.hint
    assert (way_out is not None) <= isinstance(raised.value, TableError)
    if way_out is not None:
        assert _read(path, way_out)[1] > 1
