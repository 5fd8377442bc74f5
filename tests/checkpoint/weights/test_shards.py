"""Weights split over several files, and single files asked for by name."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from bertviz_app.checkpoint.loader import Checkpoint, open_checkpoint
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import CheckpointError
from tests.support.checkpoint_folders import copy_of, opened
from tests.support.checkpoints import random_bert, write_bert

INDEX = "model.safetensors.index.json"


def _hidden(checkpoint: Checkpoint) -> np.ndarray:
    return record(checkpoint.encoder, checkpoint.tokens("the cat ate", "fish"), "ours").hidden


def _split(folder: Path, save: Callable[[dict[str, Tensor], Path], None], stem: str, ending: str) -> Path:
    """Split model.safetensors over three files; return the index."""
    tensors = load_file(folder / "model.safetensors")
    names = sorted(tensors)
    shard_of: dict[str, str] = {}
    for part in range(3):
        shard = f"{stem}-{part + 1:05}-of-00003{ending}"
        save({name: tensors[name].clone() for name in names[part::3]}, folder / shard)
        shard_of |= dict.fromkeys(names[part::3], shard)
    (folder / "model.safetensors").unlink()
    index = folder / f"{stem}{ending}.index.json"
    index.write_text(json.dumps({"metadata": {"total_size": 1}, "weight_map": shard_of}))
    return index


@pytest.fixture
def split(tiny_bert: Path, tmp_path: Path) -> Path:
    folder = copy_of(tiny_bert, tmp_path)
    _split(folder, save_file, "model", ".safetensors")
    return folder


@pytest.mark.parametrize(
    ("save", "stem", "ending"),
    [(save_file, "model", ".safetensors"), (torch.save, "pytorch_model", ".bin")],
)
def test_split_weights_give_the_same(
    tiny_bert: Path,
    tmp_path: Path,
    save: Callable[[dict[str, Tensor], Path], None],
    stem: str,
    ending: str,
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    index = _split(folder, save, stem, ending)
    np.testing.assert_array_equal(_hidden(opened(folder)), _hidden(opened(tiny_bert)))
    source = find(str(folder))
    parts = [path for path in folder.iterdir() if path.suffix == ending]
    assert len(parts) == 3
    assert source.n_bytes > sum(path.stat().st_size for path in parts)
    assert find(str(index)) == source


def test_split_weights_of_transformers_give_the_same(tmp_path: Path) -> None:
    model = random_bert()
    whole = write_bert(tmp_path / "whole", model)
    folder = write_bert(tmp_path / "split", model)
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder, max_shard_size="40KB")
    assert len(list(folder.glob("model-*.safetensors"))) > 1
    np.testing.assert_array_equal(_hidden(opened(folder)), _hidden(opened(whole)))


def test_a_missing_part_is_named(split: Path) -> None:
    (split / "model-00002-of-00003.safetensors").unlink()
    assert "model-00002-of-00003.safetensors" in (find(str(split)).problem or "")
    with pytest.raises(CheckpointError, match=r"part of the weights is missing: model-00002"):
        opened(split)


def test_a_tensor_that_is_missing_from_its_shard_is_named(split: Path) -> None:
    path = split / "model-00001-of-00003.safetensors"
    tensors = load_file(path)
    gone = tensors.popitem()[0]
    save_file(tensors, path)
    with pytest.raises(CheckpointError, match=f"lacks {gone}"):
        opened(split)


@pytest.mark.parametrize(
    "name",
    [
        "../model.safetensors",
        "/etc/passwd",
        "a/b.safetensors",
        "..\\x.safetensors",
        "x.bin",
        ".safetensors",
        "",
    ],
)
def test_an_index_that_names_files_elsewhere_is_refused(split: Path, name: str) -> None:
    (split / INDEX).write_text(json.dumps({"weight_map": {"embeddings.word_embeddings.weight": name}}))
    with pytest.raises(CheckpointError, match=r"no \.safetensors file beside it"):
        opened(split)


def test_a_part_that_is_a_link_out_of_the_folder_is_refused(split: Path, tiny_bert: Path) -> None:
    part = split / "model-00003-of-00003.safetensors"
    part.unlink()
    part.symlink_to(tiny_bert / "model.safetensors")
    with pytest.raises(CheckpointError, match="link that leads out"):
        opened(split)


@pytest.mark.parametrize("content", ["{}", "[]", '{"weight_map": []}', '{"weight_map": {}}', "nothing"])
def test_an_index_without_a_map_is_refused(split: Path, content: str) -> None:
    (split / INDEX).write_text(content)
    with pytest.raises(CheckpointError) as caught:
        opened(split)
    assert INDEX in caught.value.message
    assert caught.value.hint


def test_an_index_with_a_number_for_a_file_is_refused(split: Path) -> None:
    (split / INDEX).write_text('{"weight_map": {"a": 3}}')
    with pytest.raises(CheckpointError, match=r"no \.safetensors file"):
        opened(split)


def test_an_index_of_very_many_files_is_refused(split: Path) -> None:
    table = {str(number): f"{number}.safetensors" for number in range(1001)}
    (split / INDEX).write_text(json.dumps({"weight_map": table}))
    with pytest.raises(CheckpointError, match="more than 1,000 files"):
        opened(split)


@pytest.mark.parametrize("name", ["epoch-3.safetensors", "epoch-3.pt", "pytorch_model.bin"])
def test_one_file_of_several_can_be_named(tiny_bert: Path, tmp_path: Path, name: str) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    tensors = {key: value + 1 for key, value in load_file(folder / "model.safetensors").items()}
    (save_file if name.endswith(".safetensors") else torch.save)(tensors, folder / name)
    source = find(str(folder / name))
    assert (source.name, source.weights, source.problem) == (f"copy/{name}", name, None)
    assert source.ref == str(folder / name)
    assert find(source.ref) == source
    assert not np.array_equal(_hidden(open_checkpoint(source)), _hidden(opened(folder)))


def test_the_problem_of_a_file_of_weights_alone_names_what_it_lacks(tiny_bert: Path, tmp_path: Path) -> None:
    (tmp_path / "alone.safetensors").write_bytes((tiny_bert / "model.safetensors").read_bytes())
    assert "no tokenizer" in (find(str(tmp_path / "alone.safetensors")).problem or "")
