"""Settings of a config.json that nothing reads: those that may change the numbers are named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from transformers import CONFIG_MAPPING

from bertviz_app.checkpoint.config import read_config
from bertviz_app.checkpoint.families.registry import FAMILIES


def _remarks(folder: Path, settings: dict[str, object]) -> list[str]:
    path = folder / "config.json"
    path.write_text(json.dumps(settings), "utf-8")
    return [text for text in read_config(path).remarks if "not known here" in text]


@pytest.mark.parametrize("model_type", [family.model_type for family in FAMILIES])
def test_what_transformers_writes_is_known(model_type: str, tmp_path: Path) -> None:
    if model_type not in CONFIG_MAPPING:
        pytest.skip("a family of its own code")
    settings = CONFIG_MAPPING[model_type]().to_dict() | {"model_type": model_type}
    if model_type == "esm":  # whose defaults have neither
        settings |= {"vocab_size": 33, "pad_token_id": 1, "mask_token_id": 2}
    assert _remarks(tmp_path, settings) == []


def test_settings_of_other_arithmetic_are_named(tmp_path: Path) -> None:
    settings = CONFIG_MAPPING["bert"]().to_dict()
    more = {"use_rope": True, "softmax_one": True, "use_alibi": False, "my_dropout_rate": 0.1}
    assert _remarks(tmp_path, settings | more) == [
        "config.json has settings that are not known here: use_rope, softmax_one. If they change what the "
        "model computes, the numbers are not those of its own code."
    ]


def test_many_are_not_all_named(tmp_path: Path) -> None:
    settings = CONFIG_MAPPING["bert"]().to_dict() | {f"twist_{number}": 1 for number in range(9)}
    (remark,) = _remarks(tmp_path, settings)
    assert "twist_5, …. If" in remark
