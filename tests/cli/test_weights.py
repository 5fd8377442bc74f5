"""Attention weights in a file instead of a text on the command line."""

from __future__ import annotations

import csv
import re
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
        (("head-measures", "FILE", "--model", "bert-mini-en-ko"), "no model applies"),
    ],
)
def test_what_does_not_apply_to_a_file_is_refused(
    arguments: tuple[str, ...], words: str, file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [str(file) if argument == "FILE" else argument for argument in arguments]
    assert main(["analyse", *given]) == 2
    assert words in capsys.readouterr().err


def test_a_file_is_drawn_as_its_trace_is(run: Run, file: Path, tmp_path: Path) -> None:
    made, drawn = tmp_path / "made.svg", tmp_path / "drawn.svg"
    options = ("--layer", "1", "--head", "2", "--width", "acl", "--style", "paper", "--out", str(drawn))
    assert run("render", str(file), "--view", "matrix", *options)[0] == 0
    load_trace(file).figure("matrix", layer=1, head=2).save(made, width="acl")
    # The ground of the widget, which the figure's own covers, is the theme's.
    mine, theirs = (re.sub("#efefef|#f4f5f8", "", one.read_text(encoding="utf-8")) for one in (made, drawn))
    assert mine == theirs


def test_an_analysis_and_a_difference_of_files_are_drawn(run: Run, file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.svg"
    assert (
        run("render", str(file), "--view", "attention-rollout", "--width", "acl", "--out", str(out))[0] == 0
    )
    of_two = (str(file), "--other-text", str(file), "--view", "divergence", "--width", "acl")
    assert run("render", *of_two, "--out", str(out))[0] == 0
    assert "All heads attend identically" in out.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("steps",), "have no “steps”"),
        (("pooled",), "have no “pooled”"),
        (("saliency",), "weights alone are not enough"),
        (("image",), "not the patches of an image"),
        (("matrix", "--layer", "7"), "There is no layer 7"),
        (("matrix", "--pair", "b"), "interventions do not apply"),
        (("matrix", "--other-mute", "0.1"), "interventions do not apply"),
        (("matrix", "--other-text", "a text"), "compared with a file"),
        (("matrix", "--model", "bert-mini-en-ko"), "no model applies"),
    ],
)
def test_what_a_file_has_no_picture_of_is_refused(
    arguments: tuple[str, ...], words: str, file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out.svg"
    assert main(["render", str(file), "--view", *arguments, "--out", str(out)]) == 2
    assert words in capsys.readouterr().err
    assert not out.exists()


def test_the_tokens_measures_and_page_of_a_file(run: Run, file: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    written = run("trace", str(file), "--out", str(page))[1]
    assert "2 layers x 3 heads, 4 tokens from" in written
    assert page.read_text(encoding="utf-8") == load_trace(file).to_html()
    assert "1.2" in run("heads", str(file), "--query", "a", "--key", "1")[1]


def test_a_trace_is_drawn_without_its_model_but_for_parameters(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saved, out = tmp_path / "trace.npz", tmp_path / "out.svg"
    assert run("trace", "A cat", "--out", str(saved))[0] == 0
    assert run("render", str(saved), "--view", "steps", "--width", "acl-wide", "--out", str(out))[0] == 0
    assert main(["render", str(saved), "--view", "parameters", "--out", str(out)]) == 2
    assert "A trace has no parameters" in capsys.readouterr().err
