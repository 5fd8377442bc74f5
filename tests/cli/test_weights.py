"""Attention weights in a file instead of a text on the command line."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bertviz_app.api import analyse, load_trace
from bertviz_app.cli import main
from tests.cli.conftest import Run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    numbers: Any = np.random.default_rng(0).random((2, 3, 4, 4), np.float32)
    path = tmp_path / "mine.npz"
    np.savez(path, attention=numbers / numbers.sum(-1, keepdims=True), tokens=list("abcd"))
    return path


def test_an_analysis_of_a_file_is_that_of_its_weights(run: Run, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    assert "Attention rollout" in run("analyse", "attention-rollout", str(file), "--out", str(out))[1]
    with out.open(encoding="utf-8") as written:
        rows = list(csv.reader(written))[1:]
    expected = analyse("attention-rollout", load_trace(file)).arrays()["values"]
    np.testing.assert_allclose([float(row[-1]) for row in rows], expected.ravel(), rtol=1e-6)


def test_two_files_are_compared(run: Run, file: Path) -> None:
    assert "Difference of two runs" in run("analyse", "divergence", str(file), "--other-text", str(file))[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("saliency", "FILE"), "weights alone are not enough"),
        (("divergence", "FILE"), "compares two runs"),
        (("divergence", "FILE", "--other-text", "a text"), "compared with a file"),
        (("head-measures", "FILE", "--mute", "0.1"), "interventions do not apply"),
        (("head-measures", "FILE", "--pair", "b"), "interventions do not apply"),
        (("head-measures", "FILE", "--out", "a.txt"), "a.txt"),
        (("head-measures", "missing.npz"), "There is no file missing.npz"),
    ],
)
def test_what_does_not_apply_to_a_file_is_refused(
    arguments: tuple[str, ...], words: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(file) if argument == "FILE" else argument for argument in arguments]
    assert main(["analyse", *given]) == 2
    assert words in capsys.readouterr().err
