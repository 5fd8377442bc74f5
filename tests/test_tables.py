"""Tables and arrays as files: every number comes back, text as it is, and nothing where there is nothing."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.errors import FileError
from bertviz_app.tables import (
    Cell,
    RowSource,
    Table,
    cell_text,
    digits,
    table_as_csv,
    text_writer,
    write_file,
    write_npz,
    write_table_csv,
    write_table_json,
)

THIRD = np.float32(1) / np.float32(3)
TABLE = Table(
    ("piece", "count", "weight", "entropy"),
    [('고양이 "##,"', 3, THIRD, 0.1), ("", 0, math.nan, None), ("a\nb", -1, np.float64(1e-300), 2.0)],
)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)


def test_a_table_is_csv_that_a_reader_gives_back() -> None:
    rows = list(csv.reader(table_as_csv(TABLE).splitlines(keepends=True)))
    assert rows == [
        ["piece", "count", "weight", "entropy"],
        ['고양이 "##,"', "3", "0.333333343", "0.1"],
        ["", "0", "", ""],
        ["a\nb", "-1", "1e-300", "2.0"],
    ]


def test_another_separator_stands_between_the_columns_alone() -> None:
    text = table_as_csv(Table(("a", "b"), [("1,5", 2)]), "\t")
    assert text == "a\tb\n1,5\t2\n"


def test_a_file_has_the_same_rows_which_are_made_one_by_one(tmp_path: Path) -> None:
    once = Table(TABLE.columns, RowSource(lambda: iter(TABLE.rows)))
    write_table_csv(once, tmp_path / "a.csv")
    assert (tmp_path / "a.csv").read_bytes().decode("utf-8") == table_as_csv(TABLE)


def test_json_has_the_facts_and_null_where_there_is_nothing(tmp_path: Path) -> None:
    write_table_json(TABLE, tmp_path / "a.json", {"text": "고양이", "layers": (1, 2)})
    written = (tmp_path / "a.json").read_text("utf-8")
    assert json.loads(written) == {
        "text": "고양이",
        "layers": [1, 2],
        "columns": ["piece", "count", "weight", "entropy"],
        "rows": [['고양이 "##,"', 3, 0.333333343, 0.1], ["", 0, None, None], ["a\nb", -1, 1e-300, 2.0]],
    }
    assert written.count("고양이") == 2, "not as escapes"
    write_table_json(Table(("a",), []), tmp_path / "empty.json", {})
    assert json.loads((tmp_path / "empty.json").read_text("utf-8")) == {"columns": ["a"], "rows": []}


def test_json_has_null_for_infinite_numbers_and_its_own_words_for_true_and_false(tmp_path: Path) -> None:
    rows = [(math.inf, np.float32("-inf"), True), (1.0, np.float32(2), False)]
    write_table_json(Table(("a", "b", "c"), rows), tmp_path / "a.json", {})
    assert json.loads((tmp_path / "a.json").read_text("utf-8"))["rows"] == [[None, None, True], [1, 2, False]]


@given(FLOATS, st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_every_number_is_the_same_when_it_is_read_again(double: float, single: float) -> None:
    assert float(cell_text(double)) == float(cell_text(np.float64(double))) == double
    assert np.float32(cell_text(np.float32(single))) == np.float32(single)
    assert [np.float32(text) for text in digits(np.array([single], np.float32))] == [np.float32(single)]


@pytest.mark.parametrize("cell", [None, math.nan, np.float32("nan"), np.float64("nan")])
def test_nothing_is_an_empty_cell(cell: Cell) -> None:
    assert cell_text(cell) == ""


def test_digits_leave_out_nan() -> None:
    assert digits(np.array([0.5, np.nan, -0.1], np.float32)) == ["0.5", "", "-0.100000001"]


def test_arrays_come_back_by_name_and_without_pickles(tmp_path: Path) -> None:
    arrays = {"a": np.arange(6).reshape(2, 3), "pieces": np.array(["고양이", "x"]), "one": np.array(0.5)}
    write_npz(arrays, tmp_path / "a.npz")
    with np.load(tmp_path / "a.npz", allow_pickle=False) as found:
        assert set(found) == set(arrays)
        for name, array in arrays.items():
            np.testing.assert_array_equal(found[name], array)
    with pytest.raises(ValueError, match="allow_pickle"):
        write_npz({"a": np.array([object()])}, tmp_path / "b.npz")


def test_the_ending_chooses_the_format_in_any_case(tmp_path: Path) -> None:
    writers = {".csv": text_writer(lambda: "as csv\n"), ".txt": text_writer(lambda: "글\n")}
    write_file(tmp_path / "a.CSV", writers)
    write_file(str(tmp_path / "b.txt"), writers)
    assert (tmp_path / "a.CSV").read_bytes() == b"as csv\n"
    assert (tmp_path / "b.txt").read_bytes().decode("utf-8") == "글\n"


@pytest.mark.parametrize(("name", "shown"), [("a.xlsx", "“.xlsx”"), ("none", "“none”")])
def test_another_ending_is_refused_with_those_there_are(tmp_path: Path, name: str, shown: str) -> None:
    writers = dict.fromkeys((".csv", ".json", ".npz"), text_writer(str))
    with pytest.raises(FileError, match=shown) as caught:
        write_file(tmp_path / name, writers)
    assert caught.value.hint == "End the name in .csv, .json or .npz."
    assert list(tmp_path.iterdir()) == []


def test_after_an_error_the_file_is_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("before", "utf-8")

    def fail(beside: Path) -> None:
        beside.write_text("half", "utf-8")
        raise OSError(28, "No space left on device")

    with pytest.raises(FileError, match="No space left"):
        write_file(path, {".csv": fail})
    assert path.read_text("utf-8") == "before"
    assert list(tmp_path.iterdir()) == [path]
