"""RoFormer's files hold its rotations, which are computed: other ones are refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from bertviz_app.errors import CheckpointError
from tests.support.checkpoint_folders import change_config, change_weights, opened
from tests.support.families import write_family

TABLE = "encoder.embed_positions.weight"


def _sines(n_positions: int, width: int) -> torch.Tensor:
    exponents = torch.arange(0, width, 2, dtype=torch.float64) / width
    angles = torch.arange(n_positions)[:, None] / 10_000.0**exponents
    return torch.cat((angles.sin(), angles.cos()), dim=1).float()


def test_the_usual_rotations_are_computed(tmp_path: Path) -> None:
    write_family(tmp_path, "roformer")
    config = opened(tmp_path).encoder.config
    usual = _sines(64, config.head_width)
    change_weights(tmp_path, lambda tensors: tensors | {TABLE: usual})
    assert not opened(tmp_path).report.unexpected
    change_weights(tmp_path, lambda tensors: tensors | {TABLE: usual.half()})
    assert not opened(tmp_path).report.unexpected


@pytest.mark.parametrize("other", [lambda table: table * 0.9, lambda table: table[:, :-1], torch.Tensor.long])
def test_rotations_of_another_kind_are_refused(
    tmp_path: Path, other: Callable[[torch.Tensor], torch.Tensor]
) -> None:
    write_family(tmp_path, "roformer")
    usual = _sines(64, opened(tmp_path).encoder.config.head_width)
    change_weights(tmp_path, lambda tensors: tensors | {TABLE: other(usual).contiguous()})
    with pytest.raises(CheckpointError, match=r"embed_positions\.weight are not those of base 10000"):
        opened(tmp_path)


def test_code_of_its_own_is_remarked(tmp_path: Path) -> None:
    write_family(tmp_path, "roformer")
    change_config(tmp_path, auto_map={"AutoConfig": "configuration_x.X", "AutoModel": "modeling_x.Model"})
    remarks = opened(tmp_path).facts.remarks
    assert "config.json names code of its own, modeling_x.Model, which is not run." in remarks
