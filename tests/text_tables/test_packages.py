"""Tables that only other packages read: as label files, and as corpora; and files that are no text."""

from __future__ import annotations

import gzip
import io
import json
import sys
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pytest
from openpyxl import Workbook
from pyarrow import parquet

from bertviz_app.errors import FileError
from bertviz_app.features.corpora.process.measuring import LineReader, TextReading
from bertviz_app.features.corpora.process.studies import read_labelled
from bertviz_app.features.training.finetuning.settings import read_rows
from bertviz_app.features.training.settings import read_documents
from bertviz_app.features.training.state import look_at
from bertviz_app.text_tables import packages
from bertviz_app.text_tables.items import Item
from bertviz_app.text_tables.table import BY_CONTENT, TableChoices, TableError, read_package_table, read_table
from bertviz_app.text_tables.token_labels import has_token_labels

COLUMNS: dict[str, list[object]] = {"text": ["a good film", "bad", "좋은 영화", None], "label": [1, 0, 1, 0]}
NAMES = {"text": {"_type": "Value"}, "label": {"names": ["neg", "pos"], "_type": "ClassLabel"}}
FOUND = [("1", "a good film"), ("0", "bad"), ("1", "좋은 영화")]


def _named(found: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    return [("pos" if label == "1" else "neg", text) for label, text in found]


def _table(columns: dict[str, list[object]] | None = None, *, has_classes: bool = False) -> pa.Table:
    table = pa.table(columns or COLUMNS)
    return (
        table.replace_schema_metadata({"huggingface": json.dumps({"info": {"features": NAMES}})})
        if has_classes
        else table
    )


def _write_parquet(path: Path, table: pa.Table | None = None) -> Path:
    parquet.write_table(table or _table(), path)
    return path


def _write_dataset(folder: Path, *tables: pa.Table) -> Path:
    """Write a folder as `save_to_disk` of `datasets` 5.2 does: a stream for each part."""
    folder.mkdir(parents=True)
    names = [f"data-{at:05}-of-{len(tables):05}.arrow" for at in range(len(tables))]
    for name, table in zip(names, tables, strict=True):
        with pa.ipc.new_stream(str(folder / name), table.schema) as stream:
            stream.write_table(table)
    (folder / "state.json").write_text(json.dumps({"_data_files": [{"filename": name} for name in names]}))
    (folder / "dataset_info.json").write_text("{}")
    return folder


def _write_sheet(path: Path, rows: Sequence[Sequence[object]], others: Sequence[str] = ()) -> Path:
    book = Workbook()
    sheets = [book.active, *(book.create_sheet(name) for name in others)]
    for sheet in sheets:
        for row in rows:
            sheet.append(row)
    book.save(path)
    return path


def _rows(path: Path, choices: TableChoices = BY_CONTENT) -> list[tuple[str, str]]:
    return [(row.label, row.text) for row in read_rows(path, choices).rows]


def test_parquet_is_read_by_the_names_of_its_columns(tmp_path: Path) -> None:
    path = _write_parquet(tmp_path / "rows.parquet")
    found = read_rows(path)
    assert [(row.label, row.text) for row in found.rows] == FOUND
    assert found.notices[0] == (
        "rows.parquet is read as Parquet: label in column label, text in column text."
    )
    assert found.notices[1:] == ("rows.parquet: 1 of 4 rows cannot be used.", "Line 4 has no text.")


def test_a_folder_of_datasets_has_the_names_of_its_classes(tmp_path: Path) -> None:
    table = _table(has_classes=True)
    folder = _write_dataset(tmp_path / "train", table.slice(0, 2), table.slice(2))
    assert _rows(folder) == _rows(folder / "state.json") == _named(FOUND)
    assert _rows(_write_parquet(tmp_path / "hf.parquet", table)) == _named(FOUND)


def test_the_parts_of_a_folder_are_asked_for(tmp_path: Path) -> None:
    whole = tmp_path / "whole"
    for name in ("train", "test"):
        _write_dataset(whole / name, _table())
    (whole / "dataset_dict.json").write_text('{"splits": ["train", "test"]}')
    with pytest.raises(FileError, match=r"whole has several parts: train, test\.") as raised:
        read_rows(whole)
    way_out = Path(raised.value.hint.removeprefix("Give the folder of one: ").removesuffix("."))
    assert _rows(way_out) == FOUND
    (whole / "dataset_dict.json").write_text('{"splits": ["train"]}')
    assert _rows(whole) == FOUND
    (whole / "train" / "data-00000-of-00001.arrow").unlink()
    with pytest.raises(FileError, match=r"lacks data-00000-of-00001\.arrow"):
        read_rows(whole)
    with pytest.raises(FileError, match="none that “save_to_disk” of datasets wrote"):
        read_rows(tmp_path)


def test_excel_is_read_with_its_first_row_as_names(tmp_path: Path) -> None:
    rows = [
        ("document", "label"),
        ("좋은 영화", 1),
        (None, None),
        ("bad, really", 0),
        ("so", 1.5),
        ("?", None),
    ]
    path = _write_sheet(tmp_path / "rows.xlsx", rows)
    assert _rows(path) == [("1", "좋은 영화"), ("0", "bad, really"), ("1.5", "so")]
    assert [item.line for item in read_labelled(path) if item.fault] == [6]
    indexed = [
        ("", "document", "label"),
        *((at, f"text {at}", at % 2) for at in range(9)),
    ]
    assert _rows(_write_sheet(tmp_path / "indexed.xlsx", indexed))[:2] == [("0", "text 0"), ("1", "text 1")]
    with pytest.raises(FileError, match=r"several sheets with rows: Sheet, more\."):
        read_rows(_write_sheet(tmp_path / "two.xlsx", rows, ("more",)))


def test_columns_without_known_names_are_asked_for(tmp_path: Path) -> None:
    path = _write_parquet(tmp_path / "rows.parquet", _table({"c1": ["a", "b"], "c2": ["x y", "z"]}))
    with pytest.raises(TableError, match="does not show which column has the texts") as raised:
        read_rows(path)
    assert raised.value.unclear == ("label_column", "text_column")
    assert raised.value.preview.rows == (("a", "x y"), ("b", "z"))
    assert not raised.value.preview.is_text
    assert _rows(path, TableChoices("c1", "c2")) == [("a", "x y"), ("b", "z")]
    with pytest.raises(FileError, match="has one column only: c1"):
        read_rows(_write_parquet(tmp_path / "one.parquet", _table({"c1": ["a"]})))


def test_values_within_others_have_names_with_dots(tmp_path: Path) -> None:
    nested: dict[str, list[object]] = {
        "text": ["a", "b"],
        "gold": [{"label": "x", "by": "me"}, {"label": "y", "by": "me"}],
    }
    path = _write_parquet(tmp_path / "rows.parquet", _table(nested))
    assert read_table(path).columns == ("text", "gold.label", "gold.by")
    assert _rows(path) == [("x", "a"), ("y", "b")]
    reader = LineReader((str(path),), TextReading("gold.label"))
    assert [block.items for block in reader.blocks(8)] == [(Item(1, "x"), Item(2, "y"))]


KINDS = ("parquet", "arrow", "xlsx")


def _write(kind: str, folder: Path, columns: dict[str, list[object]]) -> Path:
    table = _table(columns)
    if kind == "parquet":
        return _write_parquet(folder / "a.parquet", table)
    if kind == "arrow":
        return _write_dataset(folder / "a", table.slice(0, 3), table.slice(3))
    return _write_sheet(folder / "a.xlsx", [tuple(columns), *zip(*columns.values(), strict=True)])


@pytest.mark.parametrize("kind", KINDS)
def test_a_corpus_is_a_column_of_them(kind: str, tmp_path: Path) -> None:
    path = _write(kind, tmp_path, COLUMNS)
    with pytest.raises(TableError, match="is a table") as raised:
        LineReader((str(path),), TextReading(is_prose=True)).form(str(path))
    assert raised.value.hint == "Give --column NAME to measure the texts of one column."
    reader = LineReader((str(path),), TextReading("text"))
    texts = [item.text for block in reader.blocks(2) for item in block.items if isinstance(item, Item)]
    assert texts == ["a good film", "bad", "좋은 영화", ""]
    name = {"parquet": "Parquet", "arrow": "Arrow", "xlsx": "Excel"}[kind]
    assert list(reader.notices()) == [f"{path.name} is read as {name}: column text."]
    assert reader.form(str(path)).encoding == name
    assert kind != "arrow" or reader.total_bytes() is None


@pytest.mark.parametrize("kind", KINDS)
def test_documents_to_pretrain_on_are_a_column_of_them(kind: str, tmp_path: Path) -> None:
    wiki: dict[str, list[object]] = {
        "title": ["Cats", "Dogs", "개", "No"],
        "text": ["They purr.\r\nA lot.", "They bark.", "\u1112\u1161\u11ab 개.", None],
    }
    path = _write(kind, tmp_path, wiki)
    with pytest.raises(TableError, match="several columns may be the text: title, text") as raised:
        read_documents(path)
    assert raised.value.hint == "Give --column; the columns: title, text"
    notices: list[str] = []
    assert read_documents(path, "text", notices.append) == ["They purr.\nA lot.", "They bark.", "한 개."]
    name = {"parquet": "Parquet", "arrow": "Arrow", "xlsx": "Excel"}[kind]
    assert notices == [f"{path.name} is read as {name}: column text."]
    assert read_documents(path, "1") == ["Cats", "Dogs", "개", "No"]
    with pytest.raises(TableError, match=r"has no column “body”\."):
        read_documents(path, "body")


@pytest.mark.parametrize("kind", KINDS)
def test_a_column_to_pretrain_on_is_found_where_it_is_the_only_one(kind: str, tmp_path: Path) -> None:
    cells: list[object] = ["One.", "Two.", "Three.", "Four."]
    tables: tuple[dict[str, list[object]], ...] = {"id": cells, "text": cells}, {"notes": cells}
    for number, columns in enumerate(tables):
        folder = tmp_path / str(number)
        folder.mkdir()
        has_unknown_name = kind == "xlsx" and "notes" in columns  # a first row like the others
        expected = ["notes", *cells] if has_unknown_name else cells
        assert read_documents(_write(kind, folder, columns)) == expected
    blank: list[object] = [" "] * 4
    (tmp_path / "blank").mkdir()
    with pytest.raises(FileError, match="has no text in it"):
        read_documents(_write(kind, tmp_path / "blank", {"text": blank, "id": cells}))
    nothing: list[object] = [None] * 4
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileError, match=r"is empty|has no text in it"):
        read_documents(_write(kind, tmp_path / "empty", {"text": nothing}))


def test_csv_and_json_are_texts_to_pretrain_on_until_a_column_is_given(tmp_path: Path) -> None:
    csv, lines, prose = tmp_path / "a.csv", tmp_path / "a.jsonl.gz", tmp_path / "a.txt"
    csv.write_text('id,text\n1,"One, two."\n2,Three,four\n' + "3,More.\n" * 40)
    lines.write_bytes(gzip.compress(b'{"text": "One."}\n{"text": "Two."}\n'))
    prose.write_text("One, two.\nThree.\n\nFour.\n")
    assert read_documents(csv)[:2] == ["id,text", '1,"One, two."']
    notices: list[str] = []
    assert read_documents(csv, "text", notices.append) == ["One, two.", *["More."] * 40]
    assert notices == [
        "a.csv is read as UTF-8, separated by comma, with cells in quotes: column text.",
        "a.csv: 1 of 42 rows cannot be used.",
        "Line 3 has 3 columns instead of 2.",
    ]
    assert read_documents(lines, "text") == ["One.", "Two."]
    notices.clear()
    assert read_documents(prose, "text", notices.append) == ["One, two.\nThree.", "Four."]
    assert notices == ["a.txt has no columns: it is read as text."]
    assert read_documents(prose, "", notices.append) == ["One, two.\nThree.", "Four."]
    assert len(notices) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_they_are_read_once_and_again_when_they_have_changed(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    for name in ("_of_pyarrow", "_of_sheet"):
        original = getattr(packages, name)

        def counted(*given: object, name: str = name, original: Callable[..., object] = original) -> object:
            opened.append(name)
            return original(*given)

        monkeypatch.setattr(packages, name, counted)
    rows: dict[str, list[object]] = {"text": ["a b", "c d", "e f"], "label": [1, 0, 1]}
    spans = ['[[0, 1, "X"]]', '[[2, 3, "Y"]]', "[]"]
    tagged: dict[str, list[object]] = {**rows, "label": [*spans]}
    for number, columns in enumerate([rows] if kind == "xlsx" else [rows, tagged]):
        folder = tmp_path / str(number)
        folder.mkdir()
        path = _write(kind, folder, columns)
        opened.clear()
        assert look_at(path, None, BY_CONTENT).error is None
        assert len(opened) == 1
        assert look_at(path, path, BY_CONTENT).error is None
        assert len(opened) == 3, "a file of its own to evaluate on is read, too"
        assert read_documents(path, "text") == rows["text"]
        assert read_package_table.cache_info().currsize == 0, "no table stays in memory"
    assert has_token_labels(path) is (columns is tagged)
    if kind != "arrow":
        _write(kind, folder, {**columns, "text": ["g h i", "j k", "l m"]})
        assert read_table(path).column(0) == ["g h i", "j k", "l m"]


def test_a_package_that_is_missing_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = {
        "pyarrow": (_write_parquet(tmp_path / "a.parquet"), _write_dataset(tmp_path / "a", _table())),
        "openpyxl": (_write_sheet(tmp_path / "a.xlsx", [("text", "label")]),),
    }
    for package, files in paths.items():
        monkeypatch.setitem(sys.modules, package, None)
        for path in files:
            with pytest.raises(FileError, match=f"which the package {package} reads; it is not") as raised:
                read_rows(path)
            assert raised.value.hint.startswith(f"Install it with: pip install {package}. Or save")
            with pytest.raises(FileError, match=f"which the package {package} reads; it is not"):
                read_documents(path)


def _zip(**files: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), text)
    return content.getvalue()


BINARY = {
    "pdf": (b"%PDF-1.7\n\xe2\xe3", "is no text, but binary: PDF"),
    "xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(512), r"is no text, but binary: \.xls"),
    "docx": (_zip(word__document_xml="<w/>"), r"is a ZIP archive: word/document\.xml"),
    "zip": (_zip(rows="label\ttext"), "is a ZIP archive: rows"),
    "cut zip": (_zip(rows="label\ttext")[:40], "cannot be read as ZIP"),
    "sqlite": (b"SQLite format 3\x00" + bytes(100), "is no text, but binary: SQLite"),
    "noise": (bytes(range(256)) * 20, "it holds bytes that no text has, such as 0x00"),
    "cut parquet": (b"PAR1" + bytes(40), "cannot be read as Parquet: "),
    "cut arrow": (b"\xff\xff\xff\xff\x10\x00\x00\x00" + b"\x7f" * 20, "cannot be read as Arrow: "),
    "odd sheet": (_zip(xl__workbook_xml="<oops"), "cannot be read as Excel: "),
}


@pytest.mark.parametrize("name", BINARY)
def test_no_encoding_is_asked_of_what_is_no_text(name: str, tmp_path: Path) -> None:
    content, words = BINARY[name]
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(FileError, match=words) as raised:
        read_rows(path)
    assert not isinstance(raised.value, TableError)
    assert raised.value.hint
    with pytest.raises(FileError, match=words):
        LineReader((str(path),)).form(str(path))


def test_labels_of_fasttext_stand_before_the_text(tmp_path: Path) -> None:
    path = tmp_path / "train.txt"
    path.write_text("__label__pos a good film, really\n__label__neg bad\n")
    assert _rows(path) == [("pos", "a good film, really"), ("neg", "bad")]
    assert read_rows(path).notices[0] == (
        "train.txt is read as UTF-8, fastText: label in column label, text in column text."
    )
    reader = LineReader((str(path),), TextReading("text"))
    assert [block.items for block in reader.blocks(8)] == [(Item(1, "a good film, really"), Item(2, "bad"))]
