"""The table of heads: its order, and its numbers read back from CSV and JSON."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from bertviz_app.analysis.measures import (
    COLUMNS,
    KEYS,
    MEASURES,
    NAME_RULES,
    Extras,
    HeadName,
    Measures,
    PairColumn,
    as_csv,
    head_measures,
    heads_by,
    save_measures,
)
from bertviz_app.errors import FileError
from tests.support.factories import make_trace

ENTROPIES = np.array([[2.0, 10.0, 2.0], [0.25, 100.0, 3.0]], np.float32)


def _measures() -> Measures:
    measures: Measures = {key: np.full((2, 3), 0.5, np.float32) for key in KEYS}
    return measures | {"entropy": ENTROPIES}


def test_without_a_measure_the_heads_stand_by_layer_and_head() -> None:
    assert heads_by(_measures()) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]


def test_by_a_measure_the_largest_is_first_and_ties_keep_their_order() -> None:
    assert heads_by(_measures(), "entropy") == [(1, 1), (0, 1), (1, 2), (0, 0), (0, 2), (1, 0)]


def test_csv_gives_the_same_float32_again() -> None:
    measures = head_measures(make_trace(20))
    rows = list(csv.DictReader(io.StringIO(as_csv(measures, heads_by(measures)))))
    assert tuple(rows[0]) == COLUMNS
    for key in KEYS:
        read = np.array([row[key] for row in rows], np.float64).astype(np.float32).reshape(2, 3)
        np.testing.assert_array_equal(read, measures[key])


def test_saved_json_names_each_measure_and_keeps_the_numbers(tmp_path: Path) -> None:
    measures = head_measures(make_trace(20))
    save_measures(measures, tmp_path / "heads.json", [(1, 2), (0, 1)])
    read = json.loads((tmp_path / "heads.json").read_text(encoding="utf-8"))
    assert [one["key"] for one in read["measures"]] == list(KEYS)
    assert read["measures"][0]["paper"] == MEASURES[0].paper
    assert [(row["layer"], row["head"]) for row in read["heads"]] == [(1, 2), (0, 1)]
    assert np.float32(read["heads"][0]["distance"]) == measures["distance"][1, 2]


def test_a_number_that_is_not_known_is_null_in_json(tmp_path: Path) -> None:
    measures = _measures()
    measures["distance"][0, 1] = np.nan
    pair = PairColumn(0, 1, ("a", "b"), np.full((2, 3), np.nan, np.float32))
    save_measures(measures, tmp_path / "heads.json", [(0, 1)], Extras(pair=pair))
    (row,) = json.loads((tmp_path / "heads.json").read_text(encoding="utf-8"))["heads"]
    assert row["distance"] is None
    assert row[pair.title] is None
    assert row["entropy"] == 10.0


def test_a_saved_csv_has_all_heads_by_default(tmp_path: Path) -> None:
    save_measures(_measures(), tmp_path / "heads.CSV")
    assert len((tmp_path / "heads.CSV").read_text(encoding="utf-8").splitlines()) == 7


def test_another_ending_is_refused(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="xlsx"):
        save_measures(_measures(), tmp_path / "heads.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_names_and_the_weights_of_a_pair_stand_behind_the_measures(tmp_path: Path) -> None:
    weights = np.array([[0.1, 0.5, 0.2], [0.3, 0.9, 0.0]], np.float32)
    extras = Extras({(0, 1): HeadName(NAME_RULES[0], 0.75)}, PairColumn(7, 2, ("it", "cat"), weights))
    save_measures(_measures(), tmp_path / "heads.csv", [(0, 1), (1, 1)], extras)
    rows = list(csv.DictReader(io.StringIO((tmp_path / "heads.csv").read_text("utf-8"))))
    assert tuple(rows[0]) == (*COLUMNS, "weight_7_2", "name")
    assert [(row["weight_7_2"], row["name"]) for row in rows] == [("0.5", "previous"), ("0.899999976", "")]
    save_measures(_measures(), tmp_path / "heads.json", [(0, 1), (1, 1)], extras)
    read = json.loads((tmp_path / "heads.json").read_text(encoding="utf-8"))
    assert read["pair"] == {
        "query": 7,
        "key": 2,
        "query_token": "it",
        "key_token": "cat",
        "column": "weight_7_2",
    }
    assert read["names"][0] == {"key": "previous", "name": "previous token", "measure": "previous"}
    assert np.float32(read["heads"][1]["weight_7_2"]) == weights[1, 1]
    assert [row["name"] for row in read["heads"]] == ["previous", ""]
