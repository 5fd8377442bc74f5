"""The count of parameters that the headers of files of weights show."""

from __future__ import annotations

from pathlib import Path

import torch
from safetensors.torch import save_file

from bertviz_app.checkpoint.weights.shards import n_parameters


def test_all_numbers_of_all_files_are_counted_and_no_indices(tmp_path: Path) -> None:
    save_file({"a": torch.zeros(3, 4), "ids": torch.arange(7)}, tmp_path / "1.safetensors")
    save_file({"b": torch.zeros(5, dtype=torch.bfloat16), "c": torch.ones(())}, tmp_path / "2.safetensors")
    assert n_parameters([tmp_path / "1.safetensors", tmp_path / "2.safetensors"]) == 3 * 4 + 5 + 1


def test_of_what_is_no_sound_file_nothing_is_claimed(tmp_path: Path) -> None:
    save_file({"a": torch.zeros(3, 4)}, tmp_path / "sound.safetensors")
    torch.save({"a": torch.zeros(3)}, tmp_path / "model.bin")
    for name, content in (("short", b"\x01"), ("text", b"\x02\0\0\0\0\0\0\0[]"), ("huge", b"\xff" * 16)):
        (tmp_path / f"{name}.safetensors").write_bytes(content)
    others = [path for path in tmp_path.iterdir() if path.stem != "sound"]
    assert len(others) == 4
    for path in [*others, tmp_path / "absent.safetensors"]:
        assert n_parameters([tmp_path / "sound.safetensors", path]) == 0
