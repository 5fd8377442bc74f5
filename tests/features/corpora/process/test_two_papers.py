"""The how-to about two papers: its commands run, on a held-out file, with bundled checkpoints."""

from __future__ import annotations

import csv
import json
import shlex
from pathlib import Path

import numpy as np
import pytest

import bertviz_app
from bertviz_app.cli import main

HOW_TO = Path(__file__).parents[4] / "resources" / "docs" / "how-to"
TEXTS = (
    "The river rose all night.",
    "Nobody saw the fox, or its den.",
    "“Come in!” she said.",
    "It was late.",
)
ROWS = (
    ("positive", "a warm and wonderful story"),
    ("negative", "dull, slow and far too long"),
    ("positive", "I loved it"),
    ("negative", "a waste of time"),
    ("negative", "the worst film of the year"),
)


def _commands(page: Path) -> list[list[str]]:
    lines = page.read_text("utf-8").splitlines()
    return [shlex.split(line.strip())[1:] for line in lines if line.startswith("    bertviz-app ")]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("texts.txt").write_text("\n".join(TEXTS) + "\n", "utf-8")
    rows = ["label\ttext", *("\t".join(row) for row in ROWS)]
    Path("reviews.tsv").write_text("\n".join(rows) + "\n", "utf-8")
    return tmp_path


def test_both_languages_have_the_same_commands() -> None:
    commands = _commands(HOW_TO / "rebuild_two_papers.md")
    assert len(commands) == 4
    assert commands == _commands(HOW_TO / "rebuild_two_papers.ko.md")


def test_the_commands_write_the_tables(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for command in _commands(HOW_TO / "rebuild_two_papers.md"):
        assert main([*command, "--device", "cpu"]) == 0, command
    printed = capsys.readouterr().out
    assert "share of vertical" in printed
    with Path("clark_heads.csv").open(encoding="utf-8") as file:
        heads = {(int(row["layer"]), int(row["head"])): row for row in csv.DictReader(file)}
    assert len(heads) == 48
    assert float(heads[0, 1]["previous_mean"]) > 0.99
    model = bertviz_app.open_model(None, device="cpu")
    on_signs = []
    for text in TEXTS:
        trace = model.trace(text)
        signs = [at for at, label in enumerate(trace.tokens.labels) if label in {".", ",", "!", "“", "”"}]
        on_signs.append(trace.attention(3, 2)[:, signs].sum(-1).mean())
    assert float(heads[3, 2]["punctuation_mean"]) == pytest.approx(np.mean(on_signs), rel=1e-4)
    with Path("patterns.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            shares = [float(value) for name, value in row.items() if name.startswith("share_")]
            assert sum(shares) == pytest.approx(1, abs=1e-5)
    _check_curve(json.loads(Path("michel.json").read_text("utf-8")))
    tables = {path.name for path in Path("tables").iterdir()}
    assert {
        "head-ablation.csv",
        "head-importance.csv",
        "attention-targets.csv",
        "head-distance.csv",
    } <= tables


def _check_curve(written: dict[str, object]) -> None:
    """The ends of the curve are what the model predicts with all heads, and with all of them muted."""
    model = bertviz_app.open_model("bert-mini-en-ko-sentiment", device="cpu")
    shape = model.facts.n_layers, model.facts.n_heads
    rows = written["rows"]
    assert isinstance(rows, list)
    scores = [row for row in rows if row[0] == "score"]
    for found, muted in ((scores[0], []), (scores[-1], list(np.ndindex(shape)))):
        right = []
        for label, text in ROWS:
            logits = model.logits(model.trace(text, muted=muted)).classes
            assert logits is not None
            right.append(("negative", "positive")[int(logits.argmax())] == label)
        assert found[-1] == pytest.approx(np.mean(right), abs=1e-6)
