"""Files of weights that are damaged, or that mean harm."""

from __future__ import annotations

import json
import os
import pickle
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from bertviz_app.checkpoint.weights.tensors import read_tensors
from bertviz_app.errors import CheckpointError
from tests.support.checkpoint_folders import change_config, copy_of, opened, to_pickle


def _file(header: object, data: bytes = b"", length: int | None = None) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def _entry(shape: list[int], offsets: list[int], dtype: str = "F32") -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": offsets}


DAMAGED = {
    "empty": b"",
    "eight bytes": struct.pack("<Q", 0),
    "no header": _file(b"", length=0),
    "header longer than the file": _file({}, length=1 << 20),
    "header of 2**63 bytes": _file({}, length=1 << 63),
    "header no JSON": _file(b"{nothing"),
    "header a list": _file([]),
    "header too deep": _file(b'{"a":' * 5000 + b"1" + b"}" * 5000),
    "a million million numbers": _file({"a": _entry([1_000_000, 1_000_000], [0, 4 * 10**12])}),
    "shape larger than data": _file({"a": _entry([1000], [0, 8])}, bytes(8)),
    "shape that overflows": _file({"a": _entry([1 << 40, 1 << 40], [0, 8])}, bytes(8)),
    "offsets backwards": _file({"a": _entry([2], [8, 0])}, bytes(8)),
    "offsets beyond the end": _file({"a": _entry([2], [100, 108])}, bytes(8)),
    "offsets that overlap": _file({"a": _entry([2], [0, 8]), "b": _entry([2], [0, 8])}, bytes(8)),
    "negative shape": _file({"a": _entry([-2], [0, 8])}, bytes(8)),
    "unknown dtype": _file({"a": _entry([2], [0, 8], "F31")}, bytes(8)),
    "bytes left over": _file({"a": _entry([2], [0, 8])}, bytes(100)),
}


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED.keys())
def test_damaged_safetensors_are_refused(tiny_bert: Path, tmp_path: Path, content: bytes) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(CheckpointError) as caught:
        opened(folder)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("content", "claim"),
    [
        (
            _file({"a": _entry([10**6, 10**6], [0, 4 * 10**12])}),
            "claims 1,000,000,000,000 numbers for a, and has",
        ),
        (
            _file({"a": _entry([1 << 40, 1 << 40], [0, 8])}, bytes(8)),
            "claims 1,208,925,819,614,629,174,706,176",
        ),
        (_file({}, length=10**12), "claims a header of 1,000,000,000,000 bytes, and has 10."),
    ],
)
def test_what_a_header_claims_beyond_its_file_is_named(
    tiny_bert: Path, tmp_path: Path, content: bytes, claim: str
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    (folder / "model.safetensors").write_bytes(content)
    with pytest.raises(CheckpointError, match=re.escape(claim)):
        opened(folder)


@pytest.mark.parametrize("share", [0.0001, 0.01, 0.5, 0.999])
@pytest.mark.parametrize("make", [lambda folder: folder / "model.safetensors", to_pickle])
def test_a_truncated_file_is_refused(
    tiny_bert: Path, tmp_path: Path, make: Callable[[Path], Path], share: float
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    path = make(folder)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(CheckpointError, match="damaged") as caught:
        opened(folder)
    assert "cut short" in caught.value.hint


class _Harm:
    """Unpickling it runs a command."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, (f"echo harm > {self.marker}",)


def _old_format(content: object, path: Path) -> None:
    torch.save(content, path, _use_new_zipfile_serialization=False)


@pytest.mark.parametrize("save", [torch.save, _old_format], ids=["archive", "old format"])
def test_a_file_that_wants_to_run_code_is_named_and_never_run(
    tiny_bert: Path, tmp_path: Path, save: Callable[[object, Path], None]
) -> None:
    folder, marker = copy_of(tiny_bert, tmp_path), tmp_path / "marker"
    (folder / "model.safetensors").unlink()
    path = folder / "pytorch_model.bin"
    save({"embeddings.word_embeddings.weight": _Harm(marker)}, path)
    with pytest.raises(CheckpointError, match="would run code when opened") as caught:
        opened(folder)
    assert "system" in caught.value.message
    assert "safetensors" in caught.value.hint
    assert not marker.exists()


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_a_plain_pickle_is_never_run(tmp_path: Path, protocol: int) -> None:
    path, marker = tmp_path / "pytorch_model.bin", tmp_path / "marker"
    path.write_bytes(pickle.dumps({"a": _Harm(marker)}, protocol=protocol))
    with pytest.raises(CheckpointError):
        read_tensors(path)
    assert not marker.exists()


def test_a_file_of_whole_objects_is_refused_as_code(tmp_path: Path) -> None:
    path = tmp_path / "pytorch_model.bin"
    torch.save(torch.nn.Linear(2, 2), path)
    with pytest.raises(CheckpointError, match=r"class torch\.nn\.modules\.linear\.Linear\), which would run"):
        read_tensors(path)


@pytest.mark.parametrize("content", [[torch.zeros(2)], torch.zeros(2), 3, {1: torch.zeros(2)}])
def test_what_is_no_table_of_tensors_is_refused(tmp_path: Path, content: object) -> None:
    path = tmp_path / "pytorch_model.bin"
    torch.save(content, path)
    with pytest.raises(CheckpointError, match=r"no table of tensors|tensors without names"):
        read_tensors(path)


def test_what_is_no_tensor_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "pytorch_model.bin"
    torch.save({"a": torch.ones(2), "epoch": 3}, path)
    assert list(read_tensors(path)) == ["a"]


@pytest.mark.parametrize(
    "tensor",
    [torch.zeros(1).expand(1_000_000, 1_000_000), torch.eye(3).to_sparse(), torch.empty(2, device="meta")],
    ids=["a million million of one number", "sparse", "nowhere"],
)
def test_tensors_that_are_not_what_they_seem_are_refused(
    tiny_bert: Path, tmp_path: Path, tensor: torch.Tensor
) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    path = to_pickle(folder)
    tensors = dict(read_tensors(path)) | {"embeddings.word_embeddings.weight": tensor}
    tensors = {name: value if value is tensor else value.clone() for name, value in tensors.items()}
    torch.save(tensors, path)
    with pytest.raises(CheckpointError):
        opened(folder)


def test_all_tensors_as_one_are_refused(tiny_bert: Path, tmp_path: Path) -> None:
    folder = copy_of(tiny_bert, tmp_path)
    change_config(folder, vocab_size=10_000_000)
    path = to_pickle(folder)
    tensors = {name: value.clone() for name, value in read_tensors(path).items()}
    tensors["embeddings.word_embeddings.weight"] = torch.zeros(1).expand(10_000_000, 32)
    torch.save(tensors, path)
    with pytest.raises(CheckpointError, match="would fill 1,2") as caught:
        opened(folder)
    assert "written out" in caught.value.hint


def _packed(path: Path, size: int) -> None:
    """Write a file of torch's form in which a few kilobytes unfold to `size` bytes."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("archive/data.pkl", bytes(size))
        archive.writestr("archive/version", "3\n")


def test_an_archive_that_unfolds_is_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "pytorch_model.bin"
    _packed(path, 50_000_000)
    assert path.stat().st_size < 100_000
    with pytest.raises(CheckpointError, match="packed archive, which can unfold") as caught:
        read_tensors(path)
    assert "torch.save" in caught.value.hint


def test_an_archive_whose_entries_lie_over_each_other_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pytorch_model.bin"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("archive/data.pkl", bytes(10_000))
        for number in range(100):
            twin = zipfile.ZipInfo(f"archive/data/{number}")
            twin.file_size = twin.compress_size = 10_000
            twin.header_offset = twin.CRC = 0
            archive.filelist.append(twin)
            archive.NameToInfo[twin.filename] = twin
    with pytest.raises(CheckpointError, match="packed archive"):
        read_tensors(path)


def test_an_archive_over_several_disks_is_refused(tiny_bert: Path, tmp_path: Path) -> None:
    path = tmp_path / "pytorch_model.bin"
    torch.save({"a": torch.zeros(3)}, path)
    content = bytearray(path.read_bytes())
    offset = content.rindex(b"PK\x06\x07")
    content[offset + 16 : offset + 20] = struct.pack("<I", 9)
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match="damaged"):
        read_tensors(path)
