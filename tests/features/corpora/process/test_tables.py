"""Corpora that are tables or in other encodings: a column is measured as its texts in a plain file are."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import bertviz_app
from bertviz_app.errors import Cancelled, FileError
from bertviz_app.features.corpora.process.measuring import (
    CorpusSettings,
    LineReader,
    Remark,
    TextReading,
)
from bertviz_app.features.corpora.process.reading import About, CorpusTable, about_table, sentences_between
from bertviz_app.features.corpora.process.run import CorpusListener, CorpusProgress
from bertviz_app.text_tables.items import Item
from bertviz_app.text_tables.table import TableError
from tests.features.corpora.process.conftest import WORDS
from tests.support.published_tables import TABLES

TEXTS = ("the cat ate", "고양이 fish, it was", "a cat", "because it was hungry")
COLUMN = TextReading("text")
TABLE_FILES = {
    "csv": "id,text\n" + "".join(f'{n},"{text}"\n' for n, text in enumerate(TEXTS)),
    "tsv": "id\ttext\n" + "".join(f"{n}\t{text}\n" for n, text in enumerate(TEXTS)),
    "jsonl": "".join(json.dumps({"id": n, "text": text}) + "\n" for n, text in enumerate(TEXTS)),
    "json": json.dumps({"data": [{"text": text} for text in TEXTS]}, indent=1),
}


def _read(path: Path, reading: TextReading) -> list[str]:
    (block,) = LineReader((str(path),), reading).blocks(1000)
    return [item.text for item in block.items if isinstance(item, Item)]


@pytest.mark.parametrize("kind", TABLE_FILES)
@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp949", "utf-16"])
def test_a_column_has_the_texts_of_any_format(tmp_path: Path, kind: str, encoding: str) -> None:
    path = tmp_path / "corpus"
    path.write_bytes(gzip.compress(TABLE_FILES[kind].encode(encoding)))
    assert _read(path, COLUMN) == list(TEXTS)
    with pytest.raises(TableError) as caught:
        _read(path, TextReading())
    assert caught.value.unclear == ("column",)
    assert "--column NAME" in caught.value.hint
    assert "--prose" in caught.value.hint
    assert "text" in caught.value.preview.columns
    with pytest.raises(TableError, match="no column “document”"):
        _read(path, TextReading("document"))


def test_a_line_with_bytes_that_an_encoding_lacks_spoils_no_other(tmp_path: Path) -> None:
    path = tmp_path / "corpus"
    path.write_bytes("고양이\n".encode("cp949") + b"\xff\xff\n" + "생선\n".encode("cp949"))
    (block,) = LineReader((str(path),), TextReading(encoding="cp949")).blocks(10)
    bad = Remark(2, "undecodable", "not in the encoding")
    assert block.items == (Item(1, "고양이"), bad, Item(3, "생선"))


def test_a_row_of_millions_of_characters_is_named(tmp_path: Path) -> None:
    path = tmp_path / "corpus"
    path.write_text(f"id\ttext\n1\tthe cat\n2\t{'x' * ((1 << 24) + 9)}\n", encoding="utf-8")
    with pytest.raises(FileError, match=r"line 3.*16 million"):
        _read(path, COLUMN)


def test_lines_of_a_table_are_texts_where_the_user_says_so(tmp_path: Path) -> None:
    path = tmp_path / "corpus"
    for content in (*TABLE_FILES.values(), '1,"The cat, sat."\n2,"The cat ran."\n'):
        path.write_text(content, encoding="utf-8")
        with pytest.raises(FileError):
            _read(path, TextReading())
        assert _read(path, TextReading(is_prose=True)) == content.splitlines()


@pytest.mark.parametrize(
    "prose",
    [
        "Well, yes.\nNo, never.\nOh, maybe.\n",
        'He said "no".\n"Yes", she said.\nThey left.\n',
        "[1] A note.\n[2] Another.\n",
        "one line",
        "the label of a text; it says what it is\nthe text; it has no label\n",
    ],
)
def test_prose_is_read_as_it_stands(tmp_path: Path, prose: str) -> None:
    path = tmp_path / "corpus"
    path.write_text(prose, encoding="utf-8")
    assert _read(path, TextReading()) == prose.splitlines()


def test_published_tables_need_a_column(tmp_path: Path) -> None:
    path = tmp_path / "corpus"
    for name, column in (("nsmc", "document"), ("klue_sts", "sentence2"), ("cola", "4")):
        path.write_text(TABLES[name], encoding="utf-8")
        with pytest.raises(TableError):
            _read(path, TextReading())
        assert len(_read(path, TextReading(column))) == 60


def test_rows_that_lack_the_column_are_empty_texts(tmp_path: Path) -> None:
    path = tmp_path / "corpus"
    path.write_text("id\ttext\n1\ta\n2\n3\tb\n", encoding="utf-8")
    assert _read(path, COLUMN) == ["a", "", "b"]


def test_a_long_table_is_read_to_its_end(tmp_path: Path) -> None:
    rows = "".join(f'{n},"the cat {n}\nate"\n' for n in range(60_000))
    path = tmp_path / "corpus"
    path.write_text("id,text\n" + rows, encoding="utf-8")
    assert path.stat().st_size > 1 << 20
    assert _read_all(path, COLUMN) == [f"the cat {n}\nate" for n in range(60_000)]
    path.write_text(
        json.dumps([{"text": f"the cat {n} ate a fish"} for n in range(40_000)]), encoding="utf-8"
    )
    assert path.stat().st_size > 1 << 20
    assert len(_read_all(path, COLUMN)) == 40_000


def _read_all(path: Path, reading: TextReading) -> list[str]:
    blocks = LineReader((str(path),), reading).blocks(1 << 20)
    return [item.text for block in blocks for item in block.items if isinstance(item, Item)]


class _Listens(CorpusListener):
    def __init__(self, *, stops: bool = False) -> None:
        self.notices: list[str] = []
        self._stops = stops
        self._n_lines = 0

    def on_notice(self, notice: str) -> None:
        self.notices.append(notice)

    def on_progress(self, done: CorpusProgress) -> None:
        self._n_lines = done.n_lines

    def check(self) -> None:
        if self._stops and self._n_lines > 8:
            raise Cancelled


def _measured(model: bertviz_app.Model, path: Path, out: Path, reading: TextReading) -> list[str]:
    listener = _Listens()
    model.measure_corpus(path, out, CorpusSettings(block_lines=7, reading=reading), progress=listener)
    return listener.notices


def test_a_column_has_the_numbers_of_its_texts(model: bertviz_app.Model, tmp_path: Path) -> None:
    plain, table = tmp_path / "plain.txt", tmp_path / "table"
    plain.write_text("\n".join(TEXTS), encoding="utf-8")
    table.write_text(TABLE_FILES["csv"], encoding="cp949")
    assert _measured(model, plain, tmp_path / "plain.npz", TextReading()) == []
    (notice,) = _measured(model, table, tmp_path / "table.npz", COLUMN)
    assert notice == "table is read as CP949, separated by comma, with cells in quotes: column text."
    with np.load(tmp_path / "plain.npz") as expected, np.load(tmp_path / "table.npz") as found:
        for name in expected.files:
            if name != "about":
                np.testing.assert_array_equal(found[name], expected[name])
    about = about_table(tmp_path / "table.npz")
    assert (about.reading, about.encodings) == (COLUMN, ("CP949",))
    found = sentences_between(
        CorpusTable(tmp_path / "table.npz"), (0, 0, 0), (-np.inf, np.inf), 10, lambda: None
    )
    assert [one.text for one in found] == list(TEXTS)


def test_another_encoding_is_named(model: bertviz_app.Model, tmp_path: Path) -> None:
    path = tmp_path / "plain.txt"
    path.write_text("\n".join(TEXTS), encoding="cp949")
    (notice,) = _measured(model, path, tmp_path / "heads.npz", TextReading())
    assert notice == "plain.txt is not UTF-8 and is read as CP949; --encoding changes that."
    assert _measured(model, path, tmp_path / "heads.npz", TextReading(encoding="uhc")) == [notice]


def test_blocks_of_another_column_are_not_taken_for_these(
    model: bertviz_app.Model, tmp_path: Path, rows: Callable[[], Path]
) -> None:
    path, out = rows(), tmp_path / "heads.npz"
    settings = CorpusSettings(block_lines=7, reading=TextReading("other"))
    with pytest.raises(Cancelled):
        model.measure_corpus(path, out, settings, progress=_Listens(stops=True))
    _measured(model, path, out, COLUMN)
    found = out.read_bytes()
    _measured(model, path, out, COLUMN)
    assert out.read_bytes() == found


@pytest.fixture
def rows(tmp_path: Path) -> Callable[[], Path]:
    def write() -> Path:
        path = tmp_path / "rows.tsv"
        lines = [f"{' '.join(WORDS[: 1 + n % 8])}\tthe fish" for n in range(40)]
        path.write_text("\n".join(["text\tother", *lines]), encoding="utf-8")
        return path

    return write


def test_where_nothing_can_be_measured_that_is_an_error(model: bertviz_app.Model, tmp_path: Path) -> None:
    path, out = tmp_path / "texts.txt", tmp_path / "heads.npz"
    for content, words in ((b"", "There is no text in"), (b" \n\n", "None of the 2 texts of texts.txt")):
        path.write_bytes(content)
        with pytest.raises(FileError, match=words) as caught:
            model.measure_corpus(path, out)
        assert ("All are named in" in caught.value.hint) == bool(content)
        assert "--encoding" not in caught.value.hint
        assert not out.exists()
    path.write_bytes("고양이\n배\n".encode("cp949"))
    with pytest.raises(FileError, match="is not in the encoding UTF-8"):
        model.measure_corpus(path, out, CorpusSettings(reading=TextReading(encoding="utf-8")))


def test_an_encoding_that_does_not_fit_is_named(tmp_path: Path) -> None:
    path = tmp_path / "texts.txt"
    path.write_bytes("the cat\n".encode("utf-16-le") + b"\x00\xd8\n\x00")
    with pytest.raises(FileError, match="is not in the encoding"):
        _read(path, TextReading(encoding="utf-16-le"))


def test_an_older_table_does_not_say_how_it_was_read_and_a_damaged_one_says_nothing(tmp_path: Path) -> None:
    facts = {"checkpoint": "tiny", "fingerprint": "f", "files": ["a.txt"], "ref": "r", "remarks": {"cut": 2}}
    beside = tmp_path / "table.npz.about.json"
    beside.write_text(json.dumps(facts))
    about = about_table(tmp_path / "table.npz")
    assert (about.checkpoint, about.files, about.counts) == ("tiny", ("a.txt",), {"cut": 2})
    assert (about.reading, about.encodings) == (TextReading(is_prose=True), ())
    for damaged in ("{", "[]", json.dumps(facts | {"remarks": {"cut": "2"}})):
        beside.write_text(damaged)
        assert about_table(tmp_path / "table.npz") == About()
