"""The runner of the benchmark: parts that end, fail, or take too long each leave rows. Nothing is timed."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import pytest

from tests.bench import __main__ as runner
from tests.bench.__main__ import PARTS, Part, main, run_part
from tests.bench.forward import race
from tests.bench.machine import Speeds
from tests.bench.rows import ROWS_FILE, Row, read_emitted

SPEEDS = Speeds(2, 2e9, 1e9, 2e9, 1e9)
GOOD = """
from tests.bench.rows import Row, emit
emit(Row("a row", ours=1.0))
"""
SLOW = f"""
import os, time
with open(os.environ["{ROWS_FILE}"], "a") as file:
    file.write({json.dumps(Row("a row", ours=1.0).as_json())!r} + chr(10))
time.sleep(600)
"""
FAILING = f"{GOOD}raise ValueError('what went wrong')"


@pytest.fixture
def rows_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file to which parts append, and a folder from which they are imported."""
    for name, text in (("good", GOOD), ("slow", SLOW), ("failing", FAILING)):
        (tmp_path / f"{name}_part.py").write_text(text, encoding="utf-8")
    root = Path(__file__).parents[2]
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{root}")
    monkeypatch.setenv(ROWS_FILE, str(tmp_path / "rows.jsonl"))
    return tmp_path / "rows.jsonl"


def _run(name: str, limit: float, rows_file: Path) -> list[Row]:
    run_part(Part(name, (f"{name}_part",), limit, "what it measures"), limit)
    return read_emitted(rows_file)


def test_a_part_that_ends_leaves_its_rows(rows_file: Path) -> None:
    assert _run("good", 60, rows_file) == [Row("a row", ours=1.0)]


def test_a_part_that_fails_leaves_what_it_measured_and_the_reason(rows_file: Path) -> None:
    first, last = _run("failing", 60, rows_file)
    assert first == Row("a row", ours=1.0)
    assert last.is_failure
    assert (last.name, last.remark) == ("what it measures", "failed: ValueError: what went wrong")


def test_a_part_that_takes_too_long_is_stopped_and_leaves_what_it_measured(rows_file: Path) -> None:
    first, last = _run("slow", 4, rows_file)
    assert first == Row("a row", ours=1.0)
    assert last.is_failure
    assert last.remark.startswith("stopped after 4 s")


def test_a_part_for_which_no_time_is_left_is_a_failed_row_with_a_remark(rows_file: Path) -> None:
    (row,) = _run("good", -1, rows_file)
    assert row.is_failure
    assert row.remark == "not run: the time was up"


def test_the_file_is_written_whatever_becomes_of_the_parts(
    rows_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [Part(name, (f"{name}_part",), 60, name) for name in ("good", "failing")]
    monkeypatch.setattr(runner, "PARTS", parts)
    monkeypatch.setattr(runner, "measure_speeds", lambda: SPEEDS)
    monkeypatch.setattr(runner, "hand_on", lambda _: None)
    out = tmp_path / "bench.json"
    assert main(["--out", str(out)]) == 1
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["machine"]["product_gflops"] == 2.0
    assert {"python", "torch", "transformers"} <= set(found["versions"])
    assert [row["name"] for row in found["rows"]] == ["a row", "a row", "failing"]


def test_every_part_is_a_script_and_the_time_is_enough_for_what_each_is_left() -> None:
    assert all(importlib.util.find_spec(part.command[0]) is not None for part in PARTS)
    assert len({part.name for part in PARTS}) == len(PARTS)
    assert sum(part.kept for part in PARTS) < 60 * runner.MINUTES


def test_a_part_that_hangs_leaves_the_later_ones_their_time(
    rows_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = [Part("slow", ("slow_part",), 4, "slow"), Part("good", ("good_part",), 50, "good")]
    monkeypatch.setattr(runner, "PARTS", parts)
    monkeypatch.setattr(runner, "measure_speeds", lambda: SPEEDS)
    monkeypatch.setattr(runner, "hand_on", lambda _: None)
    out = tmp_path / "bench.json"
    assert main(["--out", str(out), "--minutes", "1"]) == 1
    rows = json.loads(out.read_text(encoding="utf-8"))["rows"]
    assert [row["name"] for row in rows] == ["a row", "slow", "a row"]


def test_rounds_that_take_long_are_fewer() -> None:
    assert [len(times) for times in race([lambda: None], 5)] == [5]
    calls: list[float] = []
    assert [len(times) for times in race([lambda: calls.append(0.0)], 5, patience=0.0)] == [1]
    assert len(calls) == 2, "one to warm up, one that counts"
