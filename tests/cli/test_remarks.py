"""Remarks about a checkpoint are on standard error of all commands that print or draw its numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.cli.conftest import Run
from tests.support.checkpoint_folders import change_weights
from tests.support.families import write_family

REMARK = "bertviz-app: Unknown tensors that are not used: extra.weight.\n"


@pytest.fixture
def unusual(tmp_path: Path) -> Path:
    """A checkpoint with a tensor too many, and a head for masked tokens."""
    write_family(tmp_path / "unusual", "bert", "AutoModelForMaskedLM")
    change_weights(tmp_path / "unusual", lambda tensors: tensors | {"extra.weight": torch.zeros(3)})
    return tmp_path / "unusual"


@pytest.mark.parametrize(
    "command",
    [
        ("trace", "the cat"),
        ("heads", "the cat"),
        ("predict", "the [MASK]"),
        ("analyse", "head-measures", "the cat"),
    ],
)
def test_a_remark_is_printed_beside_the_numbers(command: tuple[str, ...], run: Run, unusual: Path) -> None:
    code, out, err = run(*command, "--model", str(unusual), "--device", "cpu")
    assert code == 0
    assert REMARK in err
    assert "extra.weight" not in out


def test_a_remark_is_printed_beside_a_picture(run: Run, unusual: Path, tmp_path: Path) -> None:
    out = tmp_path / "overview.png"
    given = ("render", "the cat", "--view", "overview", "--model", str(unusual), "--device", "cpu")
    code, _, err = run(*given, "--out", str(out))
    assert code == 0
    assert REMARK in err
    assert out.is_file()
