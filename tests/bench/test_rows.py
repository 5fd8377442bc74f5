"""The rows of the benchmark: ratios, budgets, the printed line, and the file. No time is measured here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.bench.rows import (
    HEADER,
    ROWS_FILE,
    Budget,
    Row,
    compared,
    emit,
    line_of,
    read_emitted,
    spread_of,
    write_json,
)

FIELDS = {"name", "model", "n_tokens", "unit", "ours", "peer", "ratio", "spread", "budget", "ok"}
ROW = Row("forward pass", "BERT-base, random", 512, peer_name="transformers", budget=Budget(1.0), remark="x")


def test_the_ratio_is_the_median_of_the_rounds_own_ratios() -> None:
    row = compared(ROW, [10.0, 20.0, 90.0], [10.0, 40.0, 60.0])
    assert (row.ours, row.peer) == (20.0, 40.0)
    assert row.ratio == 1.0, "of 1, 0.5 and 1.5; the ratio of the medians would be 0.5"
    with pytest.raises(ValueError, match="zip"):
        compared(ROW, [1.0, 2.0], [1.0])


def test_the_spread_is_the_distance_of_the_quartiles_as_a_share_of_the_median() -> None:
    assert spread_of([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(2 / 3)
    assert spread_of([7.0, 7.0, 7.0]) == 0
    assert spread_of([1.0, 2.0]) is None


@pytest.mark.parametrize(
    ("budget", "ours", "ratio", "ok"),
    [
        (Budget(8, "ours"), 8.0, None, True),
        (Budget(8, "ours"), 8.1, 0.1, False),
        (Budget(1.15), 449.0, 1.15, True),
        (Budget(1.15), 1.0, 1.16, False),
        (Budget(1.15), 449.0, None, None),
        (Budget(8, "ours"), None, None, None),
        (None, 449.0, 3.0, None),
    ],
)
def test_a_budget_limits_the_figure_or_its_ratio_to_the_peer(
    budget: Budget | None, ours: float | None, ratio: float | None, ok: bool | None
) -> None:
    row = Row("frame", ours=ours, ratio=ratio, budget=budget)
    assert row.ok is ok
    words = line_of(row)
    assert ("held" in words, "OVER" in words) == (ok is True, ok is False)


def test_a_line_names_model_length_both_figures_and_the_peer_below_their_titles() -> None:
    line = line_of(compared(ROW, [100.0] * 3, [125.0] * 3))
    assert line.split() == (
        [
            "forward",
            "pass",
            "BERT-base,",
            "random",
            "512",
            "100",
            "125",
            "ms",
            "0.80",
            "0%",
            "1",
            "x",
            "held",
            "peer:",
            "transformers;",
            "x",
        ]
    )
    for title, value in (("tokens", "512"), ("ours", "100"), ("peer", "125"), ("ratio", "0.80")):
        assert line.index(value) + len(value) == HEADER.index(title) + len(title)


def test_a_row_without_figures_shows_its_remark() -> None:
    line = line_of(Row("forward pass on CUDA", remark="this machine has no CUDA device"))
    assert line.split() == ["forward", "pass", "on", "CUDA", "this", "machine", "has", "no", "CUDA", "device"]


def test_the_file_has_the_machine_the_versions_and_a_row_for_each_figure(tmp_path: Path) -> None:
    rows = [compared(ROW, [1.0, 2.0, 3.0], [2.0, 2.0, 2.0]), Row("forward pass on CUDA", remark="none")]
    path = tmp_path / "bench.json"
    write_json(path, {"processor": "a processor"}, {"torch": "2.13.0"}, rows)
    found = json.loads(path.read_text(encoding="utf-8"))
    assert list(found) == ["machine", "versions", "rows"]
    assert found["machine"] == {"processor": "a processor"}
    first, missing = found["rows"]
    assert set(first) >= FIELDS
    assert (first["budget"], first["budget_of"], first["ok"], first["ratio"]) == (1.0, "ratio", True, 1.0)
    assert (missing["ours"], missing["budget"], missing["ok"]) == (None, None, None)
    assert [Row.from_json(row) for row in found["rows"]] == rows


def test_rows_of_a_part_reach_the_runner_and_a_cut_off_line_does_not_spoil_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "rows.jsonl"
    assert read_emitted(path) == []
    monkeypatch.setenv(ROWS_FILE, str(path))
    emit(ROW)
    with path.open("a", encoding="utf-8") as file:
        file.write('{"name": "cut o')
    assert read_emitted(path) == [ROW]
    assert capsys.readouterr().out == line_of(ROW) + "\n"
