"""Kinds of files that weights come in, known by their bytes."""

from __future__ import annotations

import argparse
import json
import os
import runpy
import shlex
import shutil
import sys
import threading
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.distributed.checkpoint.state_dict_saver import save

from bertviz_app.checkpoint.folder import is_weights, tokenizer_in
from bertviz_app.checkpoint.loader import Checkpoint, open_checkpoint
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.checkpoint.weights.tensors import read_tensors
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import CheckpointError
from tests.support.checkpoint_folders import Harm, change_weights, opened

ENDINGS = ("bert.model.ep0", "model.chkpt", "all.tar", "pretrained.params", "trained.model", "weights")
Save = Callable[[dict[str, Tensor], Path], None]


def _archive(tensors: dict[str, Tensor], path: Path) -> None:
    torch.save(tensors, path)


def _older(tensors: dict[str, Tensor], path: Path) -> None:
    torch.save(tensors, path, _use_new_zipfile_serialization=False)


def _tensors(folder: Path) -> dict[str, Tensor]:
    """Return the tensors of model.safetensors, and remove that file."""
    tensors: dict[str, Tensor] = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    return tensors


def _pooled(checkpoint: Checkpoint) -> np.ndarray[Any, Any]:
    pooled = record(checkpoint.encoder, checkpoint.tokens("the cat"), "ours").pooled
    assert pooled is not None
    return pooled


@pytest.mark.parametrize(("name", "save"), list(zip(ENDINGS, [_archive, _older, save_file] * 2, strict=True)))
def test_weights_are_known_by_their_bytes(name: str, save: Save, tiny_bert: Path, folder: Path) -> None:
    expected = _pooled(opened(folder))
    save(_tensors(folder), folder / name)
    assert tokenizer_in(folder).name == "tokenizer.json"
    for ref in (folder, folder / name):
        assert np.array_equal(_pooled(opened(ref)), expected)
    assert find(str(folder)).n_parameters == (find(str(tiny_bert)).n_parameters if save is save_file else 0)


def test_what_is_beside_weights_is_not_taken_for_them(tiny_bert: Path, folder: Path) -> None:
    torch.save({"state": {}, "param_groups": []}, folder / "optimizer.pt")
    np.savez(folder / "features.npz", a=np.zeros(3))
    shutil.make_archive(str(folder / "backup"), "zip", tiny_bert)
    for path in folder.iterdir():
        assert is_weights(path) == (path.name == "model.safetensors"), path.name


def test_a_folder_that_cannot_be_searched_counts_as_empty(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "onnx").mkdir()
    (folder / "onnx" / "model.onnx").touch()
    (folder / "model.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"model\.onnx"):
        opened(folder)
    is_file = Path.is_file

    def refuse(path: Path) -> bool:
        if path.parent.name == "onnx":
            raise PermissionError(path)
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", refuse)
    with pytest.raises(CheckpointError, match="no weights"):
        opened(folder)


def test_an_optimiser_s_state_by_any_name_is_named(folder: Path) -> None:
    layer = nn.Linear(2, 2)
    layer(torch.ones(1, 2)).sum().backward()
    optimizer = torch.optim.AdamW(layer.parameters())
    optimizer.step()
    torch.save(optimizer.state_dict(), folder / "adam.tar")
    with pytest.raises(CheckpointError, match=r"adam\.tar holds no weights: a training keeps it"):
        opened(folder / "adam.tar")


class Classifier(nn.Module):
    """A model as in a notebook, saved whole."""

    def __init__(self, tensors: dict[str, Tensor]) -> None:
        super().__init__()
        self.bert = nn.Module()
        for name, tensor in tensors.items():
            at: nn.Module = self.bert
            *modules, last = name.split(".")
            for module in modules:
                if not hasattr(at, module):
                    at.add_module(module, nn.Module())
                at = getattr(at, module)
            at.register_parameter(last, nn.Parameter(tensor))


def _follow(hint: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run the line that a hint ends with, in `folder`."""
    line = hint[hint.index("torch.save(") :].rstrip(".")
    monkeypatch.chdir(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        exec(line, {"torch": torch})


@pytest.mark.parametrize(("older", "wrapped"), [(False, True), (True, False)])
@pytest.mark.filterwarnings("ignore:Couldn't retrieve source code")
def test_a_whole_model_is_named_by_its_class_and_the_line_saves_its_weights(
    older: bool, wrapped: bool, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = _pooled(opened(folder))
    model = Classifier(_tensors(folder))
    path = folder / "KoBERT_담화.pt"
    torch.save(
        {"epoch": 1, "model": model} if wrapped else model, path, _use_new_zipfile_serialization=not older
    )
    with pytest.raises(
        CheckpointError, match=rf"holds a whole model \(class {__name__}\.Classifier\)"
    ) as caught:
        opened(folder)
    _follow(caught.value.hint, folder, monkeypatch)
    assert np.array_equal(_pooled(opened(folder / "weights.pt")), expected)


@pytest.mark.parametrize("protocol", [2, 4])
def test_another_object_beside_the_weights_is_named(
    protocol: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the file of a well-known Transformer: its settings are an argparse.Namespace."""
    expected = _pooled(opened(folder))
    content = {"epoch": 9, "settings": argparse.Namespace(d_model=32), "model": _tensors(folder)}
    torch.save(content, folder / "model.chkpt", pickle_protocol=protocol)
    with pytest.raises(CheckpointError, match=r"argparse\.Namespace under “settings”") as caught:
        opened(folder)
    assert "['model'], 'weights.pt')" in caught.value.hint
    _follow(caught.value.hint, folder, monkeypatch)
    assert np.array_equal(_pooled(opened(folder / "weights.pt")), expected)


@pytest.mark.parametrize("older", [False, True])
def test_naming_the_objects_of_a_file_runs_nothing(older: bool, tmp_path: Path) -> None:
    marker, path = tmp_path / "marker", tmp_path / "model.ep0"
    content = {"model": {"a": torch.zeros(2)}, "harm": Harm(marker)}
    torch.save(content, path, _use_new_zipfile_serialization=not older)
    with pytest.raises(CheckpointError, match="system under “harm”"):
        read_tensors(path)
    assert not marker.exists()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_torchscript_is_named_and_the_line_saves_its_weights(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = _pooled(opened(folder))
    torch.jit.save(torch.jit.script(Classifier(_tensors(folder))), folder / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match=r"pytorch_model\.bin is TorchScript, a program") as caught:
        opened(folder)
    _follow(caught.value.hint, folder, monkeypatch)
    assert np.array_equal(_pooled(opened(folder / "weights.pt")), expected)


@pytest.mark.parametrize(
    ("start", "whose"),
    [
        (b"\x89HDF\r\n\x1a\n", "TensorFlow's"),
        (b"GGUF\x03\0\0\0", "llama.cpp's"),
        (b"\x08\x08\x12\x07pytorch\x1a\x052.1.0", "ONNX's"),
        (b"\x1c\0\0\0TFL3", "TensorFlow Lite's"),
        (b"\x82\xa4bert\x83\xa7encoder", "Flax's"),
    ],
)
def test_another_format_is_named_by_its_bytes(start: bytes, whose: str, folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "weights.dat").write_bytes(start + bytes(64))
    for ref in (folder, folder / "weights.dat"):
        with pytest.raises(CheckpointError, match=f"format of weights.dat is {whose}"):
            opened(ref)


def test_tensorflow_s_saved_model_is_named(folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "saved_model.pb").write_bytes(b"\x08\x01\x12\x00")
    with pytest.raises(CheckpointError, match=r"format of saved_model\.pb is TensorFlow's"):
        opened(folder)


QUERY = "encoder.layer.0.attention.self.query"


@pytest.mark.parametrize(
    ("endings", "method"),
    [
        ((".weight", ".SCB"), "bitsandbytes, 8 bits"),
        ((".weight", ".weight.quant_state.bitsandbytes__nf4"), r"bitsandbytes, 4 bits \(nf4\)"),
        ((".qweight", ".qzeros", ".scales", ".g_idx"), "GPTQ"),
        ((".qweight", ".qzeros", ".scales"), "AWQ"),
    ],
)
def test_quantised_weights_are_named_by_the_file_s_own_names(
    endings: tuple[str, ...], method: str, folder: Path
) -> None:

    def quantised(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
        del tensors[f"{QUERY}.weight"]
        return tensors | {QUERY + ending: torch.zeros(4, 4, dtype=torch.int8) for ending in endings}

    change_weights(folder, quantised)
    with pytest.raises(CheckpointError, match=rf"quantised \({method}\): {QUERY}") as caught:
        opened(folder)
    assert "in full precision" in caught.value.hint


def test_a_tensor_that_is_not_computed_with_has_the_name_in_the_file(folder: Path) -> None:
    plain = load_file(folder / "model.safetensors")
    for kind in (torch.int8, torch.bool, torch.float8_e4m3fn):
        save_file(
            plain | {f"{QUERY}.weight": plain[f"{QUERY}.weight"].to(kind)}, folder / "model.safetensors"
        )
        said = rf"The tensor {QUERY}\.weight has numbers of the type {str(kind).removeprefix('torch.')}"
        with pytest.raises(CheckpointError, match=said):
            opened(folder)


def test_a_file_of_json_is_no_safetensors(tmp_path: Path) -> None:
    path = tmp_path / "long-name-of-json"
    path.write_text(json.dumps({"a": 1}) * 20, "utf-8")
    assert not is_weights(path)


@pytest.mark.parametrize("has_checksums", [True, False])
def test_a_tensor_with_changed_bytes_is_refused_by_the_checksum_of_its_archive(
    has_checksums: bool, folder: Path
) -> None:
    tensors = _tensors(folder)
    path = folder / "pytorch_model.bin"
    torch.serialization.set_crc32_options(has_checksums)
    try:
        torch.save(tensors, path)
    finally:
        torch.serialization.set_crc32_options(True)
    sound = opened(folder).facts.fingerprint
    content = bytearray(path.read_bytes())
    at = content.index(tensors["embeddings.word_embeddings.weight"].numpy().tobytes()[:64])
    content[at + 1] ^= 1
    path.write_bytes(content)
    if not has_checksums:  # nothing in the file shows it
        assert opened(folder).facts.fingerprint != sound
        return
    with pytest.raises(CheckpointError, match=r"pytorch_model/data/\d+ in it does not have the CRC-32"):
        opened(folder)


@pytest.mark.parametrize("name", ["pytorch_model.bin", "model.safetensors"])
@pytest.mark.parametrize(
    ("start", "said"),
    [(b"\n<!DOCTYPE html><html>", "is a web page"), (b"\x1f\x8b\x08\0", "is packed by gzip")],
)
def test_what_is_no_weights_at_all_is_named(start: bytes, said: str, name: str, folder: Path) -> None:
    (folder / "model.safetensors").unlink()
    (folder / name).write_bytes(start + bytes(range(256)))
    with pytest.raises(CheckpointError, match=f"{name} {said}"):
        opened(folder)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "is damaged: it is empty"),
        (b'<?xml version="1.0"?>\n<Error>', "is a text, not a file of weights. It begins: <?xml version="),
        (b'{"error": "Entry not found"}', "is a text, not a file of weights. It begins: {"),
        (bytes(400), "no file of torch's begins with the bytes 00 00 00 00 00 00 00 00"),
        (
            b"\x89PNG\r\n\x1a\n" + bytes(90),
            "no file of torch's begins with the bytes 89 50 4E 47 0D 0A 1A 0A",
        ),
        (b"BZh9" + bytes(90), "is packed by bzip2"),
        (b"\xfd7zXZ\0" + bytes(90), "is packed by xz"),
        (b"\x28\xb5\x2f\xfd" + bytes(90), "is packed by zstd"),
        (bytes(257) + b"ustar" + bytes(300), "is packed by tar"),
    ],
)
def test_what_no_file_of_torch_begins_with_is_not_called_code(
    content: bytes, said: str, folder: Path
) -> None:
    (folder / "model.safetensors").unlink()
    (folder / "pytorch_model.bin").write_bytes(content)
    with pytest.raises(CheckpointError) as caught:
        opened(folder)
    assert said in caught.value.message
    assert "code" not in str(caught.value)


@pytest.mark.parametrize("pack", ["gztar", "zip"])
def test_a_packed_checkpoint_is_to_be_unpacked_and_then_opens(
    pack: str, folder: Path, tmp_path: Path
) -> None:
    packed = Path(shutil.make_archive(str(tmp_path / "alone" / "model"), pack, folder))
    program = {"gztar": "gzip", "zip": "zip"}[pack]
    for ref in (packed, packed.parent):
        with pytest.raises(CheckpointError, match=rf"packed by {program}") as caught:
            opened(ref)
        assert "npack it, and open what it holds" in caught.value.hint
    shutil.unpack_archive(packed, tmp_path / "unpacked")
    assert opened(tmp_path / "unpacked").facts.fingerprint == opened(folder).facts.fingerprint


UNREAD: dict[str, tuple[Callable[[Tensor], Tensor], Callable[[Tensor], Tensor], str]] = {
    "sparse": (Tensor.to_sparse, Tensor.to_dense, r"is sparse \(sparse_coo\), which is not read"),
    "whole": (lambda tensor: tensor.long(), Tensor.half, "has numbers of the type int64, which is not read"),
}


@pytest.mark.parametrize("kind", UNREAD)
def test_a_tensor_of_another_kind_is_named_for_it_and_the_advice_opens(kind: str, folder: Path) -> None:
    make, mend, said = UNREAD[kind]
    tensors, name = _tensors(folder), "encoder.layer.0.attention.self.query.weight"
    torch.save(tensors | {name: make(tensors[name])}, folder / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match=rf"query\.weight {said}"):
        opened(folder)
    torch.save(tensors | {name: mend(make(tensors[name]))}, folder / "pytorch_model.bin")
    opened(folder)


def test_a_tensor_without_numbers_is_named_for_it(folder: Path) -> None:
    tensors, name = _tensors(folder), "encoder.layer.0.attention.self.query.weight"
    torch.save(tensors | {name: tensors[name].to("meta")}, folder / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match="has no numbers: it is on the device “meta”"):
        opened(folder)


def test_an_object_within_a_table_is_named_by_its_place_and_the_line_saves_the_weights(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = _pooled(opened(folder))
    content = {"state_dict": _tensors(folder), "hyper_parameters": {"data": Path("texts")}, "epoch": 1}
    torch.save(content, folder / "last.ckpt")
    with pytest.raises(
        CheckpointError, match=r"Path under “hyper_parameters\.data”, which would run"
    ) as caught:
        opened(folder / "last.ckpt")
    _follow(caught.value.hint, folder, monkeypatch)
    assert np.array_equal(_pooled(opened(folder / "weights.pt")), expected)


def test_an_object_beside_tensors_is_named_and_the_line_saves_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = _pooled(opened(folder))
    torch.save(_tensors(folder) | {"config": Path("texts")}, folder / "all.pt")
    with pytest.raises(CheckpointError, match="under “config”, which would run code") as caught:
        opened(folder / "all.pt")
    _follow(caught.value.hint, folder, monkeypatch)
    assert np.array_equal(_pooled(opened(folder / "weights.pt")), expected)


def test_a_file_that_is_gone_when_it_is_read_is_an_error_that_names_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = find(str(folder))
    plain = Path.stat
    seen: list[Path] = []

    def vanishing(path: Path, **named: Any) -> os.stat_result:
        seen.append(path)
        if path.name == "model.safetensors" and len(seen) > 20:
            path.unlink(missing_ok=True)
        return plain(path, **named)

    monkeypatch.setattr(Path, "stat", vanishing)
    with pytest.raises(CheckpointError, match=r"model\.safetensors cannot be read"):
        open_checkpoint(source)


def test_a_header_as_long_as_the_first_bytes_of_gzip_is_none(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_file({"a": torch.ones(2)}, path)
    content = path.read_bytes()
    n_bytes = int.from_bytes(content[:8], "little")
    length = int.from_bytes(b"\x20\x1f\x8b", "little")
    path.write_bytes(
        length.to_bytes(8, "little") + content[8 : 8 + n_bytes].ljust(length) + content[8 + n_bytes :]
    )
    assert read_tensors(path)["a"].tolist() == [1, 1]


def test_weights_one_folder_deeper_are_named_and_the_advice_opens(folder: Path) -> None:
    inner = folder / "0_BERT"
    inner.mkdir()
    for path in [path for path in folder.iterdir() if path.is_file()]:
        path.rename(inner / path.name)
    (folder / "config.json").write_text('{"__version__": "0.2.5"}', "utf-8")
    with pytest.raises(CheckpointError) as caught:
        opened(folder)
    assert caught.value.hint == f"There is one inside of it: open {inner}."
    opened(inner)


@pytest.mark.parametrize("inner", ["pytorch_model_fsdp_0", ""])
@pytest.mark.filterwarnings("ignore")
def test_the_parts_of_fsdp_are_named_and_the_line_joins_them(
    inner: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = _pooled(opened(folder))
    save({"model": _tensors(folder)}, checkpoint_id=folder / inner, no_dist=True)
    with pytest.raises(
        CheckpointError, match=r"__0_0\.distcp is torch's, one part of each process"
    ) as caught:
        opened(folder)
    line = caught.value.hint.partition(": ")[2].rstrip(".")
    _, option, module, *arguments = shlex.split(line)
    assert option == "-m"
    monkeypatch.setattr(sys, "argv", [module, *arguments])
    runpy.run_module(module, run_name="__main__")
    assert np.array_equal(_pooled(opened(folder)), expected)


def _be(kind: str, path: Path) -> None:
    """Put something else than a file at `path`."""
    match kind:
        case "dangling link":
            path.symlink_to("nowhere")
        case "loop":
            path.symlink_to(path.name)
        case "pipe":
            os.mkfifo(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "folder":
            path.mkdir()


@pytest.mark.parametrize("kind", ["dangling link", "loop", "pipe", "device", "folder"])
@pytest.mark.parametrize(
    "name",
    [
        *("tokenizer_config.json", "config.json", "vocab.txt", "tokenizer.json"),
        *("special_tokens_map.json", "added_tokens.json", "kowiki.model"),
    ],
)
def test_what_is_no_file_is_refused_by_name_and_never_waited_for(name: str, kind: str, folder: Path) -> None:
    (folder / name).unlink(missing_ok=True)
    for other in {"vocab.txt": ["tokenizer.json"], "kowiki.model": ["tokenizer.json", "vocab.txt"]}.get(
        name, []
    ):
        (folder / other).unlink()  # beside it the file is not read
    _be(kind, folder / name)
    found: list[CheckpointError] = []

    def open_it() -> None:
        with pytest.raises(CheckpointError) as caught:
            opened(folder)
        found.append(caught.value)

    thread = threading.Thread(target=open_it, daemon=True)  # it may wait for a pipe for ever
    thread.start()
    thread.join(60)
    assert [error for error in found if name in error.message and "no file" in error.message]
    problem = find(str(folder)).problem
    assert problem is None or name in problem
