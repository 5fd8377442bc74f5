"""Files in place of weights that are read: each refused for what it is, with the way out."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from bertviz_app.checkpoint.questions import AnswersError
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.checkpoint.tokenizer_class import validate_size
from bertviz_app.errors import CheckpointError
from tests.support.checkpoint_folders import copy_of, opened, to_pickle, unreadable
from tests.support.notebooks import random_notebook, write_notebook

POINTER = "version https://git-lfs.github.com/spec/v1\noid sha256:0123\nsize 437955512\n"


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin", "tokenizer.json", "config.json"])
def test_a_pointer_of_git_lfs_is_refused_with_the_command_that_fetches_the_file(
    name: str, tiny_bert: Path, tmp_path: Path
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    if name == "pytorch_model.bin":
        (folder / "model.safetensors").unlink()
    (folder / name).write_text(POINTER, "utf-8")
    with pytest.raises(CheckpointError, match="pointer of git-lfs") as caught:
        opened(folder)
    assert "git lfs pull" in caught.value.hint


@pytest.mark.parametrize("name", ["model.safetensors", "pytorch_model.bin", "tokenizer.json", "config.json"])
@pytest.mark.parametrize(
    ("number", "hint"),
    [(errno.EACCES, "Check the folder's permissions"), (errno.EIO, "Fetch the file again")],
)
def test_a_file_that_cannot_be_read_is_named_with_the_reason(
    name: str, number: int, hint: str, tiny_bert: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    if name == "pytorch_model.bin":
        to_pickle(folder)
    unreadable(monkeypatch, folder / name, number)
    with pytest.raises(CheckpointError, match=f"{name} cannot be read: {os.strerror(number)}") as caught:
        opened(folder)
    assert hint in caught.value.hint


def test_a_file_that_is_gone_when_its_size_is_asked_is_named(
    tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(path: Path) -> os.stat_result:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))

    monkeypatch.setattr(Path, "stat", gone)
    with pytest.raises(CheckpointError, match=r"tokenizer\.json cannot be read: No such file"):
        validate_size(tiny_bert / "tokenizer.json")


@pytest.mark.parametrize(
    ("name", "way_out"),
    [
        ("tf_model.h5", "from_tf=True"),
        ("flax_model.msgpack", "from_flax=True"),
        ("model-q4.gguf", "exported from"),
        ("model.onnx", "exported from"),
        ("openvino_model.bin", "exported from"),
        ("rust_model.ot", "exported from"),
        ("bert_model.ckpt.index", "from_tf=True"),
        ("bert_model.ckpt.meta", "from_tf=True"),
        ("bert_model.ckpt.data-00000-of-00001", "from_tf=True"),
        ("__0_0.distcp", "dcp_to_torch"),
    ],
)
@pytest.mark.parametrize("by", ["folder", "path"])
def test_another_format_is_named(name: str, way_out: str, by: str, tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    (folder / "model.safetensors").unlink()
    (folder / name).write_bytes(b"\0" * 64)
    with pytest.raises(CheckpointError, match=name.replace(".", r"\.")) as caught:
        opened(folder if by == "folder" else folder / name)
    assert way_out in caught.value.hint


@pytest.mark.parametrize("ref", [".", "bert_model.ckpt"])
def test_a_google_folder_is_named_before_its_config_is_missed(ref: str, tmp_path: Path) -> None:
    """TensorFlow names a checkpoint by what its files' names begin with."""
    for name in ("bert_config.json", "bert_model.ckpt.index", "bert_model.ckpt.data-00000-of-00001"):
        (tmp_path / name).write_bytes(b"{}")
    with pytest.raises(CheckpointError, match="TensorFlow") as caught:
        opened(tmp_path / ref)
    line = "BertForPreTraining.from_pretrained('bert_model.ckpt.index', from_tf=True, config=config)"
    assert line in caught.value.hint


def test_the_conversion_of_a_google_folder_names_the_files_that_are_there(
    tiny_bert: Path, tmp_path: Path
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    (folder / "model.safetensors").unlink()
    for ending in ("data-00000-of-00001", "index", "meta"):
        (folder / f"model.ckpt-900.{ending}").write_bytes(b"\0" * 64)
    with pytest.raises(CheckpointError, match="TensorFlow") as caught:
        opened(folder)
    assert "from_json_file('config.json')" in caught.value.hint
    assert "from_pretrained('model.ckpt-900.index'" in caught.value.hint


@pytest.mark.parametrize(
    "name", ["onnx/model_quantized.onnx", "openvino/openvino_model.bin", "coreml/model.mlmodel"]
)
def test_a_model_exported_into_a_folder_is_named(name: str, tiny_bert: Path, tmp_path: Path) -> None:
    """A repository for browsers has its weights nowhere else."""
    folder = copy_of(tiny_bert, tmp_path)
    (folder / "model.safetensors").unlink()
    (folder / name).parent.mkdir()
    (folder / name).write_bytes(b"\0" * 64)
    with pytest.raises(CheckpointError, match=f"format of {name}") as caught:
        opened(folder)
    assert "exported from" in caught.value.hint


@pytest.mark.parametrize(
    "names", [("optimizer.pt",), ("rng_state_0.pth", "scheduler.pt", "training_args.bin")]
)
@pytest.mark.parametrize("by", ["folder", "path"])
def test_the_state_of_a_training_is_not_taken_for_weights(
    names: tuple[str, ...], by: str, tiny_bert: Path, tmp_path: Path
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    for name in names:
        torch.save({"param_groups": [{"lr": 1e-4}]}, folder / name)
    assert opened(folder), "beside weights it changes nothing"
    (folder / "model.safetensors").rename(folder / "mine.safetensors")
    assert opened(folder), "nor beside weights by another name"
    (folder / "mine.safetensors").unlink()
    with pytest.raises(CheckpointError, match=f"{names[0]} holds no weights") as caught:
        opened(folder if by == "folder" else folder / names[0])
    assert "trainer.save_model(folder)" in caught.value.hint


def test_several_files_of_weights_are_listed(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    weights = folder / "model.safetensors"
    for name in ("epoch-1.safetensors", "epoch-2.safetensors"):
        shutil.copy(weights, folder / name)
    weights.unlink()
    with pytest.raises(
        CheckpointError, match=r"several files of weights: epoch-1\.safetensors, ep"
    ) as caught:
        opened(folder)
    assert caught.value.hint == f"Open one of them: {folder / 'epoch-2.safetensors'}."
    assert opened(folder / "epoch-2.safetensors")


def test_the_parts_of_deepspeed_name_its_script(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    (folder / "model.safetensors").unlink()
    (folder / "zero_to_fp32.py").write_text("")
    with pytest.raises(CheckpointError) as caught:
        opened(folder)
    assert "python zero_to_fp32.py" in caught.value.hint


@pytest.mark.parametrize("has_script", [True, False])
@pytest.mark.parametrize("ref", [".", "global_step10"])
def test_the_parts_of_deepspeed_are_known_without_their_script(
    has_script: bool, ref: str, tiny_bert: Path, tmp_path: Path
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    (folder / "model.safetensors").unlink()
    (folder / "global_step10").mkdir()
    (folder / "global_step10" / "mp_rank_00_model_states.pt").write_bytes(b"")
    if has_script:
        (folder / "zero_to_fp32.py").write_text("")
    with pytest.raises(CheckpointError, match="processes of DeepSpeed") as caught:
        opened(folder / ref)
    script = "zero_to_fp32.py" if has_script else "-m deepspeed.utils.zero_to_fp32"
    assert f"in the folder {folder}: python {script} ." in caught.value.hint


def test_an_adapter_inside_of_the_folder_is_offered(tmp_path: Path) -> None:
    for step in (90, 500):
        (tmp_path / f"checkpoint-{step}").mkdir()
        (tmp_path / f"checkpoint-{step}" / "adapter_config.json").write_text("{}")
    with pytest.raises(CheckpointError, match="no checkpoint") as caught:
        opened(tmp_path)
    assert str(tmp_path / "checkpoint-500") in caught.value.hint


def test_weights_alone_of_unknown_names_are_no_checkpoint(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    (folder / "config.json").unlink()
    (folder / "model.safetensors").unlink()
    torch.save({"embedding.weight": torch.zeros(2, 2)}, folder / "model.pt")
    with pytest.raises(CheckpointError, match=r"has no config\.json, and no layers of an encoder") as caught:
        opened(folder)
    assert "embedding.weight" in caught.value.message
    assert find(str(folder)).problem is not None


def test_a_notebook_s_model_needs_no_configuration(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook("b"))
    (folder / "config.json").unlink()
    with pytest.raises(AnswersError) as caught:
        opened(folder)
    assert "n_heads" in caught.value.questions.unanswered


@pytest.mark.parametrize(
    "inner", [("0_Transformer",), ("checkpoint-500", "checkpoint-1000", "checkpoint-90")]
)
def test_a_checkpoint_inside_of_the_folder_is_offered(
    inner: tuple[str, ...], tiny_bert: Path, tmp_path: Path
) -> None:
    for name in inner:
        shutil.copytree(tiny_bert, tmp_path / "out" / name)
    with pytest.raises(CheckpointError, match="no checkpoint") as caught:
        opened(tmp_path / "out")
    expected = "0_Transformer" if len(inner) == 1 else "checkpoint-1000"
    assert str(tmp_path / "out" / expected) in caught.value.hint
    assert opened(tmp_path / "out" / expected)


def test_a_checkpoint_of_lightning_opens(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    tensors = {f"model.{name}": tensor for name, tensor in load_file(folder / "model.safetensors").items()}
    (folder / "model.safetensors").unlink()
    content = {"epoch": 1, "global_step": 7, "state_dict": tensors, "hyper_parameters": {"lr": 1e-4}}
    torch.save(content, folder / "epoch=1.ckpt")
    of_folder, of_file = opened(folder), opened(folder / "epoch=1.ckpt")
    assert of_folder.facts.n_parameters == of_file.facts.n_parameters
