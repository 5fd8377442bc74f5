"""The fingerprint of a checkpoint: of its numbers and its configuration, and of nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from bertviz_app.checkpoint.loader import fingerprint
from bertviz_app.encoder.config import TaskHeadsConfig
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.output import TaskHeads
from tests.support.checkpoint_folders import opened
from tests.support.checkpoints import random_bert, write_bert
from tests.support.encoder_sizes import MODERN, SMALL, small_encoder


def _heads() -> TaskHeads:
    torch.manual_seed(1)
    return TaskHeads(SMALL, TaskHeadsConfig(n_classes=3))


def _of(encoder: Encoder, heads: TaskHeads | None = None) -> str:
    return fingerprint(encoder, heads or _heads())


def test_the_same_numbers_have_the_same() -> None:
    assert _of(small_encoder()) == _of(small_encoder())
    assert len(_of(small_encoder())) == 64


@pytest.mark.parametrize("name", ["embeddings.token.weight", "layers.1.attention.key.bias"])
@pytest.mark.parametrize("at", [0, 7, -1])
def test_any_other_number_gives_another(name: str, at: int) -> None:
    encoder = small_encoder()
    parameter: Tensor = encoder.get_parameter(name).data
    parameter.view(-1)[at] += 1e-6
    assert _of(encoder) != _of(small_encoder())


def test_another_head_gives_another() -> None:
    heads = _heads()
    heads.get_parameter("classifier.output.bias").data[1] += 1
    assert _of(small_encoder(), heads) != _of(small_encoder())


@pytest.mark.parametrize("changes", [{"norm_eps": 1e-5}, {"activation": "relu"}, {"n_heads": 2}])
def test_another_configuration_gives_another(changes: dict[str, Any]) -> None:
    encoder = small_encoder()
    encoder.config = replace(encoder.config, **changes)
    assert _of(encoder) != _of(small_encoder())


def test_a_changed_form_gives_another() -> None:
    encoder = small_encoder(**MODERN)
    encoder.config = replace(encoder.config, form=replace(encoder.config.form, is_rotary=False))
    assert _of(encoder) != _of(small_encoder(**MODERN))


def test_the_folder_and_the_file_format_do_not_matter(tmp_path: Path) -> None:
    model = random_bert()
    one, other = write_bert(tmp_path / "one", model), write_bert(tmp_path / "other", model)
    expected = opened(one).facts.fingerprint
    assert opened(other).facts.fingerprint == expected
    (other / "model.safetensors").unlink()
    torch.save(model.state_dict(), other / "pytorch_model.bin")
    assert opened(other).facts.fingerprint == expected
