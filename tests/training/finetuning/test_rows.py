"""Tables of labels and texts: columns by order or by name, and rows that cannot be used."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from bertviz_app.errors import AppError, FileError, Message
from bertviz_app.text_tables.table import TableChoices
from bertviz_app.training.finetuning.settings import (
    Row,
    Rows,
    label_names,
    label_notices,
    read_rows,
    scores_of,
)
from bertviz_app.training.settings import TrainingError


def _file(folder: Path, content: bytes | str, name: str = "rows.tsv") -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    "content",
    [
        "1\ta cat\n0\ta fish\n1\t\n",
        "label\ttext\n1\ta cat\n0\ta fish",
        "\ufeffText\tLabel\r\na cat\t1\r\na fish\t0\r\n",
        "id\ttext\tlabel\tby\n7\t a cat \t1\tme\n\n8\ta fish\t0\tyou\n",
    ],
)
def test_columns_go_by_order_or_by_name(tmp_path: Path, content: str) -> None:
    rows = read_rows(_file(tmp_path, content))
    assert rows.rows == (Row("1", "a cat"), Row("0", "a fish"))
    assert not rows.has_pairs


@pytest.mark.parametrize(
    ("content", "choices"),
    [
        ("text_b\tlabel\ttext\nate\t1\ta cat\n", TableChoices()),
        ("1\ta cat\tate\n", TableChoices("1", "2", "3")),
    ],
)
def test_a_third_column_is_the_second_text(tmp_path: Path, content: str, choices: TableChoices) -> None:
    rows = read_rows(_file(tmp_path, content), choices)
    assert rows.rows == (Row("1", "a cat", "ate"),)
    assert rows.has_pairs


def test_packed_files_and_composed_letters(tmp_path: Path) -> None:
    taken_apart = "label\ttext\n1\t\u1100\u1161\n"  # one syllable as two letters
    packed = {
        "a.tsv.xz": lzma.compress(taken_apart.encode()),
        "a.tsv.gz": gzip.compress(taken_apart.encode()),
    }
    for name, content in packed.items():
        assert read_rows(_file(tmp_path, content, name)).rows == (Row("1", "가"),)


def test_bad_rows_are_counted_and_the_first_are_named(tmp_path: Path) -> None:
    bad = [b"1", b"1\t ", b"\tno label", b"1\ta\tb", b"1\t\xff", b"label\ttext", b"3"]
    path = _file(tmp_path, b"\n".join([b"label\ttext", "1\t고양이".encode(), *bad, b"0\ta fish"]))
    rows = read_rows(path)
    assert [row.label for row in rows.rows] == ["1", "0"]
    assert rows.notices == (
        "rows.tsv is read as UTF-8, separated by tab: label in column label, text in column text.",
        "rows.tsv: 7 of 9 rows cannot be used.",
        "Line 3 has 1 column instead of 2.",
        "Line 4 has no text.",
        "Line 5 has no label.",
        "Line 6 has 3 columns instead of 2.",
        "Line 7 is not UTF-8.",
        "Rows besides these that cannot be used: 2.",
    )


def test_names_of_the_columns_among_the_rows_are_no_row(tmp_path: Path) -> None:
    rows = read_rows(_file(tmp_path, "label\ttext\n1\ta cat\nlabel\ttext\n0\ta fish\n"))
    assert [row.label for row in rows.rows] == ["1", "0"]
    assert rows.notices[2] == "Line 3 repeats the names of the columns."


def test_labels_that_were_not_learnt_are_bad_rows(tmp_path: Path) -> None:
    rows = read_rows(_file(tmp_path, "label\ttext\n1\ta cat\n9\ta fish\n"), known=("0", "1"))
    assert [row.label for row in rows.rows] == ["1"]
    assert rows.notices[2] == "Line 3 has the label “9”, which is not among those learnt."


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("", "rows.tsv is empty."),
        (" \n\n", "rows.tsv is empty."),
        ("label\ttext\n", "rows.tsv has no row to learn from."),
        ("label\ttext\n1\t\n", "rows.tsv has no row to learn from. Line 2 has no text."),
        ("some words\nand others\n", "The rows of rows.tsv have one column: no separator is found."),
        ("a\tb\tc\td\n", "rows.tsv has 4 columns, and no first line with names that are known."),
    ],
)
def test_a_file_without_rows_is_an_error(tmp_path: Path, content: str, sentence: str) -> None:
    with pytest.raises(FileError) as caught:
        read_rows(_file(tmp_path, content))
    assert caught.value.message == sentence
    assert isinstance(caught.value.message, Message)
    assert caught.value.hint


@pytest.mark.parametrize("name", ["none.tsv", "damaged.tsv.xz"])
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "damaged.tsv.xz").write_bytes(lzma.compress(b"1\ta cat")[:-9])
    with pytest.raises(FileError, match="could not be read"):
        read_rows(tmp_path / name)


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        (("good", "bad", "good"), ("bad", "good")),
        (("10", "9", "-1", "9.5"), ("-1", "9", "9.5", "10")),
        (("10", "9", "none"), ("10", "9", "none")),
    ],
)
def test_labels_are_sorted_and_numbers_by_size(labels: tuple[str, ...], expected: tuple[str, ...]) -> None:
    rows = Rows("rows.tsv", tuple(Row(label, "a cat") for label in labels))
    assert label_names(rows) == expected


def test_one_label_cannot_be_learnt() -> None:
    with pytest.raises(TrainingError, match="have the label “1”") as caught:
        label_names(Rows("rows.tsv", (Row("1", "a cat"), Row("1", "a fish"))))
    assert isinstance(caught.value, AppError)
    assert caught.value.hint


def _labelled(*labels: str) -> Rows:
    return Rows("rows.tsv", tuple(Row(label, "a cat") for label in labels), label_column="kind")


def test_many_and_rare_classes_are_said() -> None:
    assert label_notices(_labelled("a", "b", "a", "b")) == ()
    many, rare = label_notices(_labelled(*(f"premise {number:02}" for number in range(60)), "premise 00"))
    assert many == "rows.tsv: column kind has 60 different labels: is it the column of the labels?"
    assert "so that none of them can be held out: 59 (“premise 01”, " in rare
    assert rare.endswith("“premise 05”, …).")


@pytest.mark.parametrize(
    ("labels", "has_scores"),
    [
        (("0", "1", "2"), False),
        (("0.0", "1.0"), False),  # classes that were written as fractions
        (("3.7", "0.2", "5"), True),
        (("5.000", "3.800"), True),
        (("3.7", "good"), False),
        (("1e400", "0.5"), False),
        (("nan", "0.5"), False),
    ],
)
def test_real_numbers_are_scores(labels: tuple[str, ...], has_scores: bool) -> None:
    rows = _labelled(*labels)
    assert rows.has_scores is has_scores
    if has_scores:
        assert scores_of(rows) == [float(label) for label in labels]
        (notice,) = label_notices(rows)
        assert "predicted as numbers (regression)" in notice


def test_scores_that_are_none_are_an_error() -> None:
    with pytest.raises(TrainingError, match="“good” of rows"):
        scores_of(_labelled("3.5", "good"))
    with pytest.raises(TrainingError, match="have the label"):
        scores_of(_labelled("3.5", "3.5"))
