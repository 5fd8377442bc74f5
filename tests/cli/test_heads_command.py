"""`bertviz-app heads`: the measures of every head, printed and written."""

from __future__ import annotations

from pathlib import Path

from bertviz_app.analysis.measures import KEYS
from tests.cli.conftest import Run


def test_heads_are_printed_by_layer_and_head_or_by_a_measure(run: Run, tiny_bert: Path) -> None:
    code, out, err = run("heads", "the cat", "--model", str(tiny_bert))
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0].split()[:3] == ["head", "entropy", "(bits)"]
    assert [line.split()[0] for line in lines[1:]] == [f"{at // 4}.{at % 4}" for at in range(8)]
    _, out, _ = run("heads", "the cat", "--model", str(tiny_bert), "--by", "largest")
    largest = [float(line.split()[-1]) for line in out.splitlines()[1:]]
    assert largest == sorted(largest, reverse=True)


def test_heads_writes_what_it_prints_with_every_digit(run: Run, tiny_bert: Path, tmp_path: Path) -> None:
    out = tmp_path / "heads.csv"
    code, printed, _ = run("heads", "the cat", "--model", str(tiny_bert), "--by", "next", "--out", str(out))
    rows = [line.split(",") for line in out.read_text("utf-8").splitlines()]
    assert (code, len(rows)) == (0, 9)
    first = printed.splitlines()[1].split()
    assert first[0] == ".".join(rows[1][:2])
    assert [f"{float(value):.4f}" for value in rows[1][2:]] == first[1:]
    code, _, err = run("heads", "the cat", "--out", str(tmp_path / "heads.xlsx"))
    assert (code, err.count("\n")) == (2, 1)


def test_an_unknown_measure_is_refused_with_those_there_are(run: Run) -> None:
    code, _, err = run("heads", "the cat", "--by", "spread")
    assert code == 2
    assert "“spread”" in err
    assert ", ".join(KEYS) in err
