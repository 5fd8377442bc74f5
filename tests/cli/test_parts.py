"""Which part is which, on the command line: `parts`, and `--parts`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bertviz_app.api import open_model
from bertviz_app.errors import CheckpointError
from tests.cli.conftest import Run
from tests.support.own_berts import N_HEADS, N_LAYERS, NAMELESS, PARTS, SETTINGS, OwnBert, saved_output


def test_a_file_of_parts_and_answers_on_the_command_line(tmp_path: Path, run: Run) -> None:
    folder = NAMELESS.write(tmp_path / "model")
    path = tmp_path / "parts.json"
    path.write_text(json.dumps({**SETTINGS, "parts": PARTS}), encoding="utf-8")
    code, out, err = run("trace", "the cat", "--model", str(folder), "--device", "cpu", "--parts", str(path))
    assert code == 0, err
    assert f"{N_LAYERS} layers x {N_HEADS} heads" in out


def test_the_parts_are_listed_written_and_read_again(tmp_path: Path, run: Run) -> None:
    scheme = OwnBert(
        {
            **NAMELESS.names,
            "query": "tower.{}.q",
            "key": "tower.{}.k",
            "value": "tower.{}.v",
            "token": "tok_emb",
        },
        n_segments=2,
    )
    folder = scheme.write(tmp_path / "model")
    out = tmp_path / "parts.json"
    code, listing, err = run("parts", "--model", str(folder), "--out", str(out))
    assert code == 2
    assert "tower.{layer}.q" in listing
    assert "It is not known which part" in err
    content = json.loads(out.read_text("utf-8"))
    assert content["parts"]["tower.{layer}.q"] == "query"
    assert content["parts"]["b"] == ""
    with pytest.raises(CheckpointError, match="is none that there is"):
        open_model(str(folder), "cpu", parts=str(out))  # type: ignore[arg-type]


def test_a_saved_output_is_compared(tmp_path: Path, run: Run) -> None:
    tensors = NAMELESS.tensors()
    folder = NAMELESS.write(tmp_path / "model", tensors)
    saved = saved_output(tmp_path, tensors)
    path = tmp_path / "parts.json"
    path.write_text(json.dumps({**SETTINGS, "parts": PARTS}), encoding="utf-8")
    given = ("parts", "--model", str(folder), "--parts", str(path), "--output", str(saved))
    code, out, err = run(*given)
    assert code == 0, err
    assert "The largest difference from the saved output is" in out
    code, _, _ = run(*given, "--norm-first")
    assert code == 1
