"""Copying weights a window at a time: the numbers, what is told, and the memory it takes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
import torch
from torch import Tensor

from bertviz_app.checkpoint.weights import tensors as copying
from bertviz_app.checkpoint.weights.tensors import copied
from bertviz_app.errors import CheckpointError
from tests.support.large_checkpoint import measured, write_large

BUDGET = 1.2


@pytest.fixture
def tensors(monkeypatch: pytest.MonkeyPatch) -> dict[str, Tensor]:
    """Tensors of several kinds, and windows of 100 bytes."""
    monkeypatch.setattr(copying, "_SMALLEST_WINDOW", 100)
    numbers = torch.arange(120, dtype=torch.float32)
    return {
        "matrix": numbers.reshape(20, 6),
        "turned": numbers.reshape(20, 6).T,
        "half": numbers.half(),
        "one": torch.tensor(3.0),
        "wide": numbers.reshape(1, 120),
        "none": torch.empty(0, 4),
    }


def test_copies_in_windows_have_the_same_numbers_and_report_all_bytes(tensors: dict[str, Tensor]) -> None:
    reports: list[tuple[int, int]] = []
    n_opened = 0

    def reopen() -> Mapping[str, Tensor]:
        nonlocal n_opened
        n_opened += 1
        return dict(tensors)

    copies = copied(tensors, reopen, lambda done, total: reports.append((done, total)), None)
    for name, tensor in tensors.items():
        assert copies[name].dtype == torch.float32
        assert torch.equal(copies[name], tensor.float())
        assert copies[name].data_ptr() != tensor.data_ptr() or not tensor.numel()
    total = sum(tensor.nbytes for tensor in tensors.values())
    assert reports == sorted(reports)
    assert reports[-1] == (total, total)
    assert n_opened > 5


@pytest.mark.parametrize("change", [{"one": torch.zeros(2)}, {}])
def test_a_file_written_anew_meanwhile_is_an_error(
    tensors: dict[str, Tensor], change: dict[str, Tensor]
) -> None:
    with pytest.raises(CheckpointError, match="changed while they were being read"):
        copied(tensors, lambda: change, None, None)


@pytest.mark.parametrize("ending", [".safetensors", ".bin"])
def test_a_large_checkpoint_is_in_memory_once(tmp_path: Path, ending: str) -> None:
    folder = write_large(tmp_path / "large", 200_000_000, ending)
    size, peak, _ = measured(folder)
    assert size > 190_000_000
    assert peak / size <= BUDGET
