"""Tests of the checkpoints that the other tests stand on."""

from __future__ import annotations

from pathlib import Path

FILES = {"config.json", "model.safetensors", "vocab.txt", "tokenizer.json", "tokenizer_config.json"}


def test_the_small_checkpoint_has_every_file(tiny_bert: Path) -> None:
    assert {path.name for path in tiny_bert.iterdir()} >= FILES


def test_the_real_checkpoint_is_installed(minilm: Path) -> None:
    assert {path.name for path in minilm.iterdir()} >= FILES
