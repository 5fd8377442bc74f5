"""Rows of two texts: by names, by the user's word, or asked for; never guessed."""

from __future__ import annotations

from pathlib import Path

import pytest

from bertviz_app.features.corpora.process.studies import read_pairs
from bertviz_app.text_tables.table import TableChoices, TableError


def _written(folder: Path, *rows: str) -> Path:
    path = folder / "pairs.tsv"
    path.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


def test_columns_with_names_that_are_known_are_read_by_them(tmp_path: Path) -> None:
    path = _written(tmp_path, "text\tcounterpart", "the cat\tthe dog")
    assert [(item.line, item.text, item.pair) for item in read_pairs(path)] == [(2, "the cat", "the dog")]


def test_a_first_row_that_may_be_names_is_asked_about(tmp_path: Path) -> None:
    path = _written(tmp_path, "original\tchanged", "the cat\tthe dog")
    with pytest.raises(TableError, match="its first row may be names, or texts") as error:
        list(read_pairs(path))
    assert error.value.unclear == ("text_column", "pair_column")
    by_name = TableChoices(text_column="original", pair_column="changed")
    assert [item.text for item in read_pairs(path, by_name)] == ["the cat"]
    by_number = TableChoices(text_column="2", pair_column="1")
    assert [(item.text, item.pair) for item in read_pairs(path, by_number)] == [
        ("changed", "original"),
        ("the dog", "the cat"),
    ]


def test_a_single_column_and_one_column_twice_are_refused(tmp_path: Path) -> None:
    with pytest.raises(TableError):
        list(read_pairs(_written(tmp_path, "text", "the cat")))
    path = _written(tmp_path, "text\tother", "the cat\tthe dog")
    with pytest.raises(TableError):
        list(read_pairs(path, TableChoices(text_column="text", pair_column="text")))
