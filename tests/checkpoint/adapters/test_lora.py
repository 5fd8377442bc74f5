"""LoRA of PEFT and of loralib on top of a checkpoint: the numbers of the model that `peft` merges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoTokenizer, PreTrainedModel

from bertviz_app.checkpoint.loader import Checkpoint
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import CheckpointError
from tests.parity.test_families import encoder_of
from tests.support.adapters import OF_BERT, TARGETS, write_adapter
from tests.support.checkpoint_folders import opened
from tests.support.families import FAMILIES, write_family
from tests.support.peers import LIMIT, compare, outputs

TEXT = "The cat ate the fish because it was hungry"


def _difference(checkpoint: Checkpoint, merged: PreTrainedModel, folder: Path) -> float:
    """Return the largest difference of any number from what the merged model computes."""
    tokens = checkpoint.tokens(TEXT)
    inputs = AutoTokenizer.from_pretrained(folder)(TEXT, return_tensors="pt")
    assert tokens.ids.tolist() == inputs["input_ids"][0].tolist()
    with torch.inference_mode():
        theirs = outputs(encoder_of(merged), **inputs)
    found = compare(record(checkpoint.encoder, tokens, "ours"), theirs)
    return found.in_proportion if checkpoint.encoder.config.form.is_pre_norm else found.absolute


@pytest.mark.parametrize("family", FAMILIES)
def test_the_numbers_are_those_of_the_merged_model(family: str, tmp_path: Path) -> None:
    base, folder = tmp_path / "base", tmp_path / "adapter"
    plain = write_family(base, family)
    merged = write_adapter(folder, base, target_modules=TARGETS.get(family, OF_BERT))
    assert _difference(opened(folder), merged, base) <= LIMIT
    assert _difference(opened(folder), plain, base) > 0.1


VARIANTS: dict[str, dict[str, Any]] = {
    "rslora": {"use_rslora": True},
    "patterns": {
        "rank_pattern": {"query": 2, r"layer\.1\.attention\.self\.value": 8},
        "alpha_pattern": {"encoder.layer.0.attention.self.query": 20, ".*word_embeddings": 3},
    },
    "modules_to_save": {"modules_to_save": ["pooler", "LayerNorm"]},
    "bias of all": {"bias": "all"},
    "bias of lora": {"bias": "lora_only"},
    "bias of B": {"lora_bias": True, "target_modules": ["query", "value", "dense"]},
    "fan_in_fan_out": {"fan_in_fan_out": True},
    "dora": {"use_dora": True},
    "orthogonal": {"init_lora_weights": "orthogonal"},
    "all linear": {"target_modules": "all-linear"},
}


@pytest.mark.parametrize("name", VARIANTS)
def test_every_setting_of_a_lora_is_applied(name: str, tmp_path: Path) -> None:
    base, folder = tmp_path / "base", tmp_path / "adapter"
    write_family(base, "bert")
    merged = write_adapter(folder, base, **{"target_modules": OF_BERT} | VARIANTS[name])
    assert _difference(opened(folder), merged, base) <= LIMIT


def test_a_dora_is_added_to_the_matrix_that_deberta_shares_between_its_heads(tmp_path: Path) -> None:
    base, folder = tmp_path / "base", tmp_path / "adapter"
    write_family(base, "deberta")
    merged = write_adapter(folder, base, use_dora=True)  # of in_proj, which PEFT takes by itself
    assert _difference(opened(folder), merged, base) <= LIMIT


def test_a_lora_without_columns_for_that_matrix_is_refused(tmp_path: Path) -> None:
    base, folder = tmp_path / "base", tmp_path / "adapter"
    write_family(base, "deberta")
    write_adapter(folder, base)
    path = folder / "adapter_model.safetensors"
    factors = load_file(path)
    save_file({name: part[:, :0] if "lora_A" in name else part for name, part in factors.items()}, path)
    with pytest.raises(CheckpointError, match="where the checkpoint has"):
        opened(folder)
