"""Rows with a mention and its antecedent: brackets, columns, the columns of GAP, and faults by their line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bertviz_app.features.corpora.studies.marked_texts import read_mentions
from bertviz_app.paths import resources
from bertviz_app.text_tables.items import Item
from bertviz_app.text_tables.table import TableChoices, TableError


def _file(tmp_path: Path, name: str, *lines: str) -> Path:
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _marks(item: Item) -> list[tuple[str, str]]:
    return [(item.text[start:end], label) for start, end, label in item.marks]


EXPECTED = [("Anna", "antecedent"), ("Paul", "candidate"), ("she", "mention")]
TEXT = "Anna told Paul that she slept."


@pytest.mark.parametrize(
    ("name", "lines", "expected"),
    [
        ("a.txt", ["[Anna] told {Paul} that <she> slept."], EXPECTED),
        ("a.tsv", ["text\tmention\tantecedent\tcandidates", f"{TEXT}\t20:23\t0-4\t10:14"], EXPECTED),
        (
            "a.jsonl",
            [
                json.dumps(
                    {"sentence": TEXT, "mention": [20, 23], "antecedent": [0, 4], "candidates": [[10, 14]]}
                )
            ],
            EXPECTED,
        ),
        (
            "a.csv",
            ["sentence,pronoun,pronoun-offset,antecedent,antecedent-offset", f"{TEXT},she,20,Anna,0"],
            [EXPECTED[0], EXPECTED[2]],
        ),
    ],
)
def test_mentions_are_read_from_each_layout(
    tmp_path: Path, name: str, lines: list[str], expected: list[tuple[str, str]]
) -> None:
    (item,) = read_mentions(_file(tmp_path, name, *lines))
    assert item.text == TEXT
    assert _marks(item) == expected


def test_columns_of_gap(tmp_path: Path) -> None:
    header = "ID\tText\tPronoun\tPronoun-offset\tA\tA-offset\tA-coref\tB\tB-offset\tB-coref\tURL"
    one = f"d-1\t{TEXT}\tshe\t20\tAnna\t0\tTRUE\tPaul\t10\tFALSE\tx"
    neither = f"d-2\t{TEXT}\tshe\t20\tAnna\t0\tFALSE\tPaul\t10\tFALSE\tx"
    item, left_out = read_mentions(_file(tmp_path, "gap.tsv", header, one, neither))
    assert _marks(item) == EXPECTED
    assert left_out.fault == "Line 3: not one of A and B is what the pronoun refers to."


BRACKETS = {
    "Anna told that <she> slept.": "Line 1 has 0 antecedents",
    "[Anna] told that she slept.": "Line 1 has 0 mentions",
    "[Anna] and [Ben] say <she> slept.": "Line 1 has 2 antecedents",
    "[Anna told that <she> slept.": "Line 1: a bracket is not closed by “]”.",
    "[ ] told that <she> slept.": "Line 1: no word of the text is at 0:1.",
}
COLUMNS = {
    "20:23\t0:99": "Line 2: no word of the text is at 0:99.",
    "20:23\t21:23": "Line 2: the mention and its antecedent overlap.",
    "she\t0:4": "Line 2: “she” in column “mention” is no span such as 3:7.",
}


def test_a_fault_is_named_with_its_line(tmp_path: Path) -> None:
    for line, fault in BRACKETS.items():
        bad, good = read_mentions(_file(tmp_path, "a.txt", line, "[Anna] says <she> slept."))
        assert bad.fault.startswith(fault)
        assert not good.fault
    for cells, fault in COLUMNS.items():
        (item,) = read_mentions(_file(tmp_path, "a.tsv", "text\tmention\tantecedent", f"{TEXT}\t{cells}"))
        assert item.fault == fault


def test_columns_are_asked_for(tmp_path: Path) -> None:
    path = _file(tmp_path, "a.tsv", "story\tmention\tantecedent\tid", f"{TEXT}\t20:23\t0:4\t7")
    with pytest.raises(TableError, match="which column has the texts"):
        list(read_mentions(path))
    (item,) = read_mentions(path, TableChoices(text_column="story"))
    assert _marks(item) == [EXPECTED[0], EXPECTED[2]]
    lacks = _file(tmp_path, "b.tsv", "text\tmention", f"{TEXT}\t20:23")
    with pytest.raises(TableError, match="no column “antecedent”"):
        list(read_mentions(lacks))


@pytest.mark.parametrize("name", ["en", "ko"])
def test_own_examples_are_without_faults(name: str) -> None:
    items = list(read_mentions(resources() / "examples" / f"mentions_{name}.txt"))
    assert len(items) >= 8
    assert not [item.fault for item in items if item.fault]
