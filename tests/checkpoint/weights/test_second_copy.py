"""pytorch_model.bin beside model.safetensors: the user is notified where they are not the same model."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from tests.support.checkpoint_folders import copy_of, opened, unreadable

NORM = "embeddings.LayerNorm.weight"


@pytest.fixture
def folder(tiny_bert: Path, tmp_path: Path) -> Path:
    return copy_of(tiny_bert, tmp_path)


def test_two_files_of_one_model_are_no_matter(folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    torch.save({f"bert.{name}": tensor for name, tensor in tensors.items()}, folder / "pytorch_model.bin")
    assert opened(folder).facts.remarks == ()


def test_two_files_of_two_models_are_a_remark(folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    torch.save(tensors | {NORM: tensors[NORM] + 1e-3}, folder / "pytorch_model.bin")
    (remark,) = opened(folder).facts.remarks
    assert remark == (
        "pytorch_model.bin beside model.safetensors holds other numbers, such as those of "
        "embeddings.norm.weight. It was not read."
    )


def test_the_same_numbers_in_another_precision_are_no_matter(folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    torch.save({name: tensor.half() for name, tensor in tensors.items()}, folder / "pytorch_model.bin")
    assert opened(folder).facts.remarks == ()


def test_a_second_file_that_cannot_be_read_is_not_compared(folder: Path) -> None:
    (folder / "pytorch_model.bin").write_bytes(b"no weights")
    assert opened(folder).facts.remarks == ()


def test_a_second_file_that_may_not_be_read_is_not_compared(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tensors = load_file(folder / "model.safetensors")
    torch.save(tensors | {NORM: tensors[NORM] + 1}, folder / "pytorch_model.bin")
    unreadable(monkeypatch, folder / "pytorch_model.bin")
    assert opened(folder).facts.remarks == ()
