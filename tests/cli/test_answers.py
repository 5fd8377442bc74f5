"""What a notebook's model leaves open, given on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.support.notebook_heads import random_headed
from tests.support.notebooks import random_notebook, write_notebook


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_notebook(tmp_path / "mine", random_notebook("c"), config={})


def test_the_options_are_named_and_then_no_more_needed(run: Run, folder: Path) -> None:
    given = ("trace", "the cat", "--model", str(folder), "--device", "cpu")
    code, _, err = run(*given)
    assert code == 2
    assert "--heads, --eps, --lower-case" in err
    code, first, _ = run(*given, "--heads", "4", "--eps", "1e-5", "--lower-case")
    assert code == 0
    code, second, _ = run(*given)
    assert code == 0
    assert "3 layers x 4 heads" in second
    assert first.splitlines()[:5] == second.splitlines()[:5]


def test_render_takes_them_too(run: Run, folder: Path, tmp_path: Path) -> None:
    answers = ("--model-heads", "4", "--eps", "1e-5", "--cased")
    out = ("--view", "overview", "--out", str(tmp_path / "missing" / "x.png"))
    code, _, _ = run("render", "the cat", "--model", str(folder), *answers, *out)
    assert code == 2  # there is no such folder
    saved = json.loads((folder / "bertviz_app.json").read_text("utf-8"))
    assert saved == {"n_heads": 4, "norm_eps": 1e-5, "lower_case": False}


@pytest.mark.parametrize("wrong", [("--heads", "0"), ("--eps", "2"), ("--eps", "x"), ("--heads", "1001")])
def test_an_invalid_answer_is_refused_and_named(run: Run, folder: Path, wrong: tuple[str, str]) -> None:
    code, _, err = run("trace", "the cat", "--model", str(folder), *wrong)
    assert code == 2
    assert wrong[1] in err


def test_the_questions_of_torchs_encoder_and_of_a_classifier_have_options(run: Run, tmp_path: Path) -> None:
    folder = write_notebook(tmp_path / "torch", random_headed("torch"), config={})
    given = ("predict", "the [MASK] sat", "--model", str(folder), "--device", "cpu", "--heads", "4")
    code, _, err = run(*given, "--eps", "1e-5", "--cased")
    assert code == 2
    assert "--norm-first, --scaled-tokens, --activation, --classifier-reads" in err
    answers = ("--norm-last", "--scaled-tokens", "--activation", "relu", "--classifier-reads", "max")
    code, out, err = run(*given, "--eps", "1e-5", "--cased", *answers, "--labels", "bad,fair,good")
    assert code == 0, err
    assert "fair" in out
    saved = json.loads((folder / "bertviz_app.json").read_text("utf-8"))
    assert (saved["norm_first"], saved["scales_tokens"]) == (False, True)
    assert saved["labels"] == ["bad", "fair", "good"]


@pytest.mark.parametrize(
    "wrong",
    [
        ("--positions", "sines"),
        ("--classifier-reads", "all"),
        ("--follows", "2"),
        ("--labels", "a,,b"),
        ("--activation", "step"),
        ("--norm-first", "--norm-last"),
    ],
)
def test_an_answer_that_is_none_is_refused(run: Run, tmp_path: Path, wrong: tuple[str, str]) -> None:
    folder = write_notebook(tmp_path / "torch", random_headed("torch"), config={})
    code, _, err = run("trace", "the cat", "--model", str(folder), *wrong)
    assert code == 2
    assert wrong[1] in err
