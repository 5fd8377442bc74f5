"""The rows of the benchmark, its runner and the counted operations: nothing is timed here."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.trace.form import Form
from tests.bench import __main__ as runner
from tests.bench.__main__ import PARTS, Part, main, run_part
from tests.bench.forward import race
from tests.bench.machine import Speeds
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
from tests.bench.stages import Stage, forward_stages, least_seconds, overview_stages, table_of

FIELDS = {"name", "model", "n_tokens", "unit", "ours", "peer", "ratio", "spread", "budget", "ok"}
ROW = Row("forward pass", "BERT-base, random", 512, peer_name="transformers", budget=Budget(1.0), remark="x")


def test_the_ratio_is_the_median_of_the_rounds_own_ratios() -> None:
    row = compared(ROW, [10.0, 20.0, 90.0], [10.0, 40.0, 60.0])
    assert (row.ours, row.peer) == (20.0, 40.0)
    assert row.ratio == 1.0, "of 1, 0.5 and 1.5; the ratio of the medians would be 0.5"
    assert row.spread == spread_of([10.0, 20.0, 90.0])
    assert spread_of([1.0, 2.0, 3.0, 4.0, 5.0]) == pytest.approx(2 / 3), "quartiles as a share of the median"
    assert (spread_of([7.0, 7.0, 7.0]), spread_of([1.0, 2.0])) == (0, None)
    with pytest.raises(ValueError, match="zip"):
        compared(ROW, [1.0, 2.0], [1.0])


def test_a_budget_limits_the_figure_or_its_ratio_to_the_peer() -> None:
    rows: Sequence[tuple[Budget | None, float | None, float | None, bool | None]] = (
        (Budget(8, "ours"), 8.0, None, True),
        (Budget(8, "ours"), 8.1, 0.1, False),
        (Budget(1.15), 449.0, 1.15, True),
        (Budget(1.15), 1.0, 1.16, False),
        (Budget(1.15), 449.0, None, None),
        (Budget(8, "ours"), None, None, None),
        (None, 449.0, 3.0, None),
    )
    for budget, ours, ratio, ok in rows:
        row = Row("frame", ours=ours, ratio=ratio, budget=budget)
        assert row.ok is ok
        words = line_of(row)
        assert ("held" in words, "OVER" in words) == (ok is True, ok is False)


def test_a_line_names_model_length_both_figures_and_the_peer_below_their_titles() -> None:
    line = line_of(compared(ROW, [100.0] * 3, [125.0] * 3))
    words = "forward pass BERT-base, random 512 100 125 ms 0.80 0% 1 x held peer: transformers; x"
    assert line.split() == words.split()
    for title, value in (("tokens", "512"), ("ours", "100"), ("peer", "125"), ("ratio", "0.80")):
        assert line.index(value) + len(value) == HEADER.index(title) + len(title)
    without = line_of(Row("forward pass on CUDA", remark="this machine has no CUDA device"))
    assert " ".join(without.split()) == "forward pass on CUDA this machine has no CUDA device"


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


@pytest.fixture(autouse=True)
def _hung_once_it_has_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """A part that sleeps for ever is out of time as soon as its row is written, however fast it starts."""
    communicate = subprocess.Popen.communicate

    def out_of_time(
        process: subprocess.Popen[str], given: str | None = None, timeout: float | None = None
    ) -> tuple[str, str]:
        if timeout is None or "slow_part" not in str(process.args):
            return communicate(process, given, timeout)
        while not Path(os.environ[ROWS_FILE]).exists():
            assert process.poll() is None
            time.sleep(0.02)
        raise subprocess.TimeoutExpired(process.args, timeout)

    monkeypatch.setattr(subprocess.Popen, "communicate", out_of_time)


def test_each_part_leaves_its_rows_however_it_ends(rows_file: Path) -> None:
    measured, what = Row("a row", ours=1.0), "what it measures"
    for name, limit, remark in (
        ("good", 240.0, ""),
        ("failing", 240.0, "failed: ValueError: what went wrong"),
        ("slow", 240.0, "stopped after 240 s"),
        ("good", -1.0, "not run: the time was up"),
    ):
        rows_file.unlink(missing_ok=True)
        run_part(Part(name, (f"{name}_part",), limit, what), limit)
        found = read_emitted(rows_file)
        assert found[: int(limit > 0)] == [measured][: int(limit > 0)]
        assert len(found) == int(limit > 0) + bool(remark)
        assert not remark or (found[-1].is_failure and found[-1].name == what)
        assert found[-1].remark.startswith(remark)


def test_the_file_is_written_and_a_part_that_hangs_leaves_the_later_ones_their_time(
    rows_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = ("slow", "good", "failing")
    parts = [Part(name, (f"{name}_part",), 280 if name == "failing" else 4, name) for name in names]
    monkeypatch.setattr(runner, "PARTS", parts)
    monkeypatch.setattr(runner, "measure_speeds", lambda: SPEEDS)
    monkeypatch.setattr(runner, "hand_on", lambda _: None)
    out = tmp_path / "bench.json"
    assert main(["--out", str(out), "--minutes", "5"]) == 1
    found = json.loads(out.read_text(encoding="utf-8"))
    assert found["machine"]["product_gflops"] == 2.0
    assert {"python", "torch", "transformers"} <= set(found["versions"])
    assert [row["name"] for row in found["rows"]] == ["a row", "slow", "a row", "a row", "failing"]


def test_every_part_is_a_script_and_the_time_is_enough_for_what_each_is_left() -> None:
    assert all(importlib.util.find_spec(part.command[0]) is not None for part in PARTS)
    assert len({part.name for part in PARTS}) == len(PARTS)
    assert sum(part.kept for part in PARTS) < 60 * runner.MINUTES


def test_rounds_that_take_long_are_fewer() -> None:
    assert [len(times) for times in race([lambda: None], 5)] == [5]
    calls: list[float] = []
    assert [len(times) for times in race([lambda: calls.append(0.0)], 5, patience=0.0)] == [1]
    assert len(calls) == 2, "one to warm up, one that counts"


SMALL = EncoderConfig(100, 20, 2, n_layers=3, n_heads=2, width=8, feed_forward_width=16)
T = 10


def _operations(config: EncoderConfig) -> dict[str, float]:
    return {stage.name: stage.operations for stage in forward_stages(config, T)}


def test_a_product_counts_a_multiplication_and_an_addition_for_each_weight_and_token() -> None:
    found = _operations(SMALL)
    assert found["queries, keys and values"] == 3 * 2 * T * 8 * 24
    assert found["output of the attention"] == 3 * 2 * T * 8 * 8
    assert found["feed-forward, first product"] == 3 * 2 * T * 8 * 16
    assert found["scores, softmax and weighted sum"] == 3 * 2 * (2 * T * T * 8)


def test_a_gate_doubles_the_first_product_and_a_window_shortens_its_layers_rows() -> None:
    found = _operations(replace(SMALL, form=Form(is_gated=True), reaches=(None, 2, 2)))
    assert found["feed-forward, first product"] == 2 * _operations(SMALL)["feed-forward, first product"]
    assert found["feed-forward, second product"] == _operations(SMALL)["feed-forward, second product"]
    assert found["scores, softmax and weighted sum"] == 4 * 8 * (T * T + 2 * T * 5)


def test_weights_are_read_once_and_numbers_written_and_read_once() -> None:
    by_name = {stage.name: stage.n_bytes for stage in forward_stages(SMALL, T)}
    assert by_name["output of the attention"] == 3 * 4 * (8 * 8 + T * 16)
    (weights,) = overview_stages(SMALL, T)
    assert (weights.operations, weights.n_bytes) == (3 * 2 * T * T * 8, 3 * 4 * 2 * T * 8)


def test_a_stage_takes_at_least_the_longer_of_its_operations_and_its_bytes() -> None:
    computed, copied = Stage("computed", 100, 10), Stage("copied", 0, 60)
    assert computed.seconds(product=10, copy=20) == 10
    assert copied.seconds(product=10, copy=20) == 3
    assert least_seconds([computed, copied], 10, 20) == pytest.approx(13)
    assert table_of([computed, copied], 10, 20)[-1].split() == ["sum", "13000.00"]
