"""Files of weights: tensors, shards, prefixes, copies, and hostile ones."""

from __future__ import annotations

import json
import pickle
import re
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from bertviz_app.checkpoint.loader import Checkpoint, open_checkpoint
from bertviz_app.checkpoint.parameters import ParameterTable
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.checkpoint.weights import tensors as copying
from bertviz_app.checkpoint.weights.shards import n_parameters
from bertviz_app.checkpoint.weights.tensors import (
    LoadReport,
    Mismatch,
    copied,
    folded,
    read_tensors,
    read_weights,
)
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import CheckpointError, SelectionError
from bertviz_app.inference.engine import Engine
from bertviz_app.inference.model_parameters import list_parameters, tensors_of
from tests.support.checkpoint_folders import (
    OF_BERT,
    Harm,
    change_config,
    change_weights,
    copy_of,
    measured,
    opened,
    to_pickle,
    unreadable,
    write_adapter,
    write_large,
)
from tests.support.families import FAMILIES, write_family
from tests.support.notebooks import KINDS, random_notebook, write_notebook


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


def test_damaged_safetensors_are_refused(folder: Path) -> None:
    for what, content in DAMAGED.items():
        (folder / "model.safetensors").write_bytes(content)
        with pytest.raises(CheckpointError) as caught:
            opened(folder)
        assert caught.value.hint, what


def test_what_a_header_claims_beyond_its_file_is_named(folder: Path) -> None:
    claims = {
        "claims 1,000,000,000,000 numbers for a, and has": DAMAGED["a million million numbers"],
        "claims 1,208,925,819,614,629,174,706,176": DAMAGED["shape that overflows"],
        "claims a header of 1,000,000,000,000 bytes, and has 10.": _file({}, length=10**12),
    }
    for claim, content in claims.items():
        (folder / "model.safetensors").write_bytes(content)
        with pytest.raises(CheckpointError, match=re.escape(claim)):
            opened(folder)


@pytest.mark.parametrize("share", [0.0001, 0.01, 0.5, 0.999])
@pytest.mark.parametrize("make", [lambda folder: folder / "model.safetensors", to_pickle])
def test_a_truncated_file_is_refused(folder: Path, make: Callable[[Path], Path], share: float) -> None:
    path = make(folder)
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(CheckpointError, match="damaged") as caught:
        opened(folder)
    assert "cut short" in caught.value.hint


def _old_format(content: object, path: Path) -> None:
    torch.save(content, path, _use_new_zipfile_serialization=False)


@pytest.mark.parametrize("save", [torch.save, _old_format], ids=["archive", "old format"])
def test_a_file_that_wants_to_run_code_is_named_and_never_run(
    tiny_bert: Path, tmp_path: Path, save: Callable[[object, Path], None]
) -> None:
    folder, marker = copy_of(tiny_bert, tmp_path), tmp_path / "marker"
    (folder / "model.safetensors").unlink()
    path = folder / "pytorch_model.bin"
    save({"embeddings.word_embeddings.weight": Harm(marker)}, path)
    with pytest.raises(CheckpointError, match="would run code when opened") as caught:
        opened(folder)
    assert "system" in caught.value.message
    assert "safetensors" in caught.value.hint
    assert not marker.exists()


def test_a_plain_pickle_is_never_run(tmp_path: Path) -> None:
    path, marker = tmp_path / "pytorch_model.bin", tmp_path / "marker"
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        path.write_bytes(pickle.dumps({"a": Harm(marker)}, protocol=protocol))
        with pytest.raises(CheckpointError):
            read_tensors(path)
        assert not marker.exists()


def test_what_is_no_table_of_tensors_is_refused_and_what_is_no_tensor_left_out(tmp_path: Path) -> None:
    path = tmp_path / "pytorch_model.bin"
    for content in ([torch.zeros(2)], torch.zeros(2), 3, {1: torch.zeros(2)}):
        torch.save(content, path)
        with pytest.raises(CheckpointError, match=r"no table of tensors|tensors without names"):
            read_tensors(path)
    torch.save({"a": torch.ones(2), "epoch": 3}, path)
    assert list(read_tensors(path)) == ["a"]


def test_all_tensors_as_one_are_refused(folder: Path) -> None:
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
    tiny_bert: Path, folder: Path, save: Callable[[dict[str, Tensor], Path], None], stem: str, ending: str
) -> None:
    index = _split(folder, save, stem, ending)
    np.testing.assert_array_equal(_hidden(opened(folder)), _hidden(opened(tiny_bert)))
    source = find(str(folder))
    parts = [path for path in folder.iterdir() if path.suffix == ending]
    assert len(parts) == 3
    assert source.n_bytes > sum(path.stat().st_size for path in parts)
    assert find(str(index)) == source


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


def test_an_index_is_refused_that_names_files_elsewhere_or_too_many_or_has_no_map(split: Path) -> None:
    elsewhere = ("../model.safetensors", "/etc/passwd", "a/b.safetensors", "..\\x.safetensors")
    contents = {
        json.dumps({"weight_map": {"embeddings.word_embeddings.weight": name}}): r"no \.safetensors file"
        for name in (*elsewhere, "x.bin", ".safetensors", "", 3)
    }
    many = {str(number): f"{number}.safetensors" for number in range(1001)}
    contents[json.dumps({"weight_map": many})] = "more than 1,000 files"
    for content in ("{}", "[]", '{"weight_map": []}', '{"weight_map": {}}', "nothing"):
        contents[content] = re.escape(INDEX)
    for content, words in contents.items():
        (split / INDEX).write_text(content)
        with pytest.raises(CheckpointError, match=words) as caught:
            opened(split)
        assert caught.value.hint


def test_a_part_that_is_a_link_out_of_the_folder_is_refused(split: Path, tiny_bert: Path) -> None:
    part = split / "model-00003-of-00003.safetensors"
    part.unlink()
    part.symlink_to(tiny_bert / "model.safetensors")
    with pytest.raises(CheckpointError, match="link that leads out"):
        opened(split)


@pytest.mark.parametrize("name", ["epoch-3.safetensors", "epoch-3.pt", "pytorch_model.bin"])
def test_one_file_of_several_can_be_named(folder: Path, name: str) -> None:
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


TEXT = "The cat ate the fish"


def _state() -> dict[str, Tensor]:
    return {"a.weight": torch.ones(2, 3), "b.weight": torch.zeros(2)}


def _trained() -> dict[str, object]:
    """Return what scripts keep beside the weights; the optimizer's state has tensors by number."""
    layer = torch.nn.Linear(3, 2)
    optimizer = torch.optim.AdamW(layer.parameters())
    layer(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    return {"optimizer_state_dict": optimizer.state_dict(), "epoch": 3, "loss": torch.tensor(0.5)}


@pytest.mark.parametrize(
    ("name", "in_old_format"),
    [
        ("state_dict", False),
        ("model_state_dict", True),
        ("model", False),
        ("net", True),
        ("my_encoder", False),
    ],
)
def test_the_weights_are_found_beside_the_optimizer(tmp_path: Path, name: str, in_old_format: bool) -> None:
    path = tmp_path / "epoch-3.pt"
    torch.save(
        {**_trained(), name: OrderedDict(_state())}, path, _use_new_zipfile_serialization=not in_old_format
    )
    assert sorted(read_weights(path)) == ["a.weight", "b.weight"]


def test_of_two_tables_that_with_a_known_name_counts(tmp_path: Path) -> None:
    path = tmp_path / "epoch-3.pt"
    torch.save({"ema": {"a.weight": torch.zeros(2, 3)}, "model": _state()}, path)
    assert read_weights(path)["a.weight"].sum() == 6
    torch.save({"teacher": _state(), "student": _state()}, path)
    with pytest.raises(CheckpointError, match="no table of tensors"):
        read_weights(path)


def test_a_state_dict_with_tensors_of_its_own_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    torch.save({**_state(), "extra": {"c.weight": torch.ones(1)}}, path)
    assert sorted(read_weights(path)) == ["a.weight", "b.weight"]


def test_a_file_without_a_state_dict_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    contents: tuple[object, ...] = ({}, {"epoch": 3}, {"state_dict": {}}, {"state_dict": 3})
    for content in contents:
        torch.save(content, path)
        with pytest.raises(CheckpointError, match="no table of tensors") as caught:
            read_weights(path)
        assert "state dict" in caught.value.hint


def test_a_prefix_of_some_names_stays(tmp_path: Path) -> None:
    path = tmp_path / "model.pt"
    torch.save({"model.a": torch.ones(1), "b": torch.ones(1)}, path)
    assert sorted(read_weights(path)) == ["b", "model.a"]


@pytest.mark.parametrize("is_pickled", [True, False])
def test_a_family_opens_wrapped_and_prefixed(tiny_bert: Path, folder: Path, is_pickled: bool) -> None:
    change_weights(folder, lambda found: {f"_orig_mod.bert.{name}": found[name] for name in found})
    if is_pickled:
        path = to_pickle(folder)
        torch.save({**_trained(), "model_state_dict": torch.load(path, weights_only=True)}, path)
    ours, sound = (opened(path) for path in (folder, tiny_bert))
    traces = [record(one.encoder, one.tokens(TEXT), "one") for one in (ours, sound)]
    np.testing.assert_array_equal(traces[0].hidden, traces[1].hidden)


@pytest.mark.parametrize(
    "prefix",
    ["encoder.", "bert_model.", "0.auto_model.", "model.bert_encoder.", "module.", "_orig_mod.module."],
)
def test_any_prefix_of_all_names_is_taken_off_and_the_user_is_notified(
    prefix: str, tiny_bert: Path, folder: Path
) -> None:
    change_weights(folder, lambda tensors: {prefix + name: tensor for name, tensor in tensors.items()})
    one, other = opened(folder), opened(tiny_bert)
    assert (one.facts.fingerprint, one.report.missing) == (other.facts.fingerprint, ())
    assert one.facts.remarks == (f"The names of its weights begin with “{prefix}”, which is taken off.",)


@pytest.mark.parametrize("prefix", ["encoder.", "0.auto_model.", "net.roberta_model."])
def test_a_prefix_before_that_of_the_family_is_taken_off(prefix: str, tmp_path: Path) -> None:
    write_family(tmp_path, "roberta", "AutoModelForMaskedLM")
    before = opened(tmp_path)
    change_weights(tmp_path, lambda tensors: {prefix + name: tensor for name, tensor in tensors.items()})
    after = opened(tmp_path)
    assert after.facts.task_heads == before.facts.task_heads == ("masked",)
    assert after.facts.fingerprint == before.facts.fingerprint


def test_what_is_beside_the_encoder_is_left_out_and_named(folder: Path) -> None:
    beside = {"classifier.weight": torch.zeros(2, 32), "encoder.lstm.weight": torch.zeros(3)}
    change_weights(folder, lambda found: {f"bert_model.{name}": found[name] for name in found} | beside)
    report = opened(folder).report
    assert report.unexpected == ("classifier.weight", "encoder.lstm.weight")
    assert report.prefix == "bert_model."


def test_two_encoders_in_one_file_are_refused_by_name(folder: Path) -> None:
    both = ("query", "passage")
    change_weights(
        folder, lambda found: {f"{who}.{name}": found[name].clone() for who in both for name in found}
    )
    with pytest.raises(CheckpointError, match=r"several encoders, whose names begin with passage\., query\."):
        opened(folder)


def test_a_notebook_within_another_model_is_recognised(tmp_path: Path) -> None:
    folder = write_notebook(tmp_path, random_notebook("a"))
    before = opened(folder)
    state = torch.load(folder / "model.pt", weights_only=True)
    torch.save({f"net.encoder_part.{name}": tensor for name, tensor in state.items()}, folder / "model.pt")
    after = opened(folder)
    assert after.facts.fingerprint == before.facts.fingerprint
    assert after.names["embeddings.token.weight"] == "net.encoder_part.encoder.enc_emb.weight"


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


NORM = "embeddings.LayerNorm.weight"


def test_two_files_of_one_model_are_no_matter_nor_is_one_that_cannot_be_read(folder: Path) -> None:
    tensors, other = load_file(folder / "model.safetensors"), folder / "pytorch_model.bin"
    torch.save({f"bert.{name}": tensor for name, tensor in tensors.items()}, other)
    assert opened(folder).facts.remarks == ()
    torch.save({name: tensor.half() for name, tensor in tensors.items()}, other)
    assert opened(folder).facts.remarks == ()
    other.write_bytes(b"no weights")
    assert opened(folder).facts.remarks == ()


def test_two_files_of_two_models_are_a_remark(folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    torch.save(tensors | {NORM: tensors[NORM] + 1e-3}, folder / "pytorch_model.bin")
    (remark,) = opened(folder).facts.remarks
    assert remark == (
        "pytorch_model.bin beside model.safetensors holds other numbers, such as those of "
        "embeddings.norm.weight. It was not read."
    )


def test_a_second_file_that_may_not_be_read_is_not_compared(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tensors = load_file(folder / "model.safetensors")
    torch.save(tensors | {NORM: tensors[NORM] + 1}, folder / "pytorch_model.bin")
    unreadable(monkeypatch, folder / "pytorch_model.bin")
    assert opened(folder).facts.remarks == ()


def test_names_that_differ_in_the_layer_are_one_and_gaps_are_counted_out() -> None:
    names = [f"layers.{layer}.attention.query.weight" for layer in range(12)]
    assert folded([*names, "pooler.dense.bias"]) == (
        "layers.{0..11}.attention.query.weight",
        "pooler.dense.bias",
    )
    assert folded(["layers.4.x", "layers.0.x", "layers.1.x"]) == ("layers.{0,1,4}.x",)
    assert folded(["layers.7.x"]) == ("layers.7.x",)
    assert LoadReport().summary() == ""


def test_the_summary_lists_everything_that_does_not_fit() -> None:
    report = LoadReport(
        missing=("a", "b", "c", "d"),
        unexpected=("bad\x1bname",),
        mismatched=(Mismatch("w", (2, 3), (2, 4)), Mismatch("v", (1,), (2,))),
        task_heads=("cls.bias",),
    )
    assert report.summary() == (
        "Missing: a, b, c and 1 more. "
        "Of another shape: w is [2, 4] where config.json makes it [2, 3], and 1 more. "
        "Task heads that are not used: cls.bias. "
        "Unknown tensors that are not used: 'bad\\x1bname'."
    )


def test_all_numbers_of_all_files_are_counted_and_no_indices(tmp_path: Path) -> None:
    save_file({"a": torch.zeros(3, 4), "ids": torch.arange(7)}, tmp_path / "1.safetensors")
    save_file({"b": torch.zeros(5, dtype=torch.bfloat16), "c": torch.ones(())}, tmp_path / "2.safetensors")
    assert n_parameters([tmp_path / "1.safetensors", tmp_path / "2.safetensors"]) == 3 * 4 + 5 + 1


def test_of_what_is_no_sound_file_nothing_is_claimed(tmp_path: Path) -> None:
    save_file({"a": torch.zeros(3, 4)}, tmp_path / "sound.safetensors")
    torch.save({"a": torch.zeros(3)}, tmp_path / "model.bin")
    for name, content in (("short", b"\x01"), ("text", b"\x02\0\0\0\0\0\0\0[]"), ("huge", b"\xff" * 16)):
        (tmp_path / f"{name}.safetensors").write_bytes(content)
    others = [path for path in tmp_path.iterdir() if path.stem != "sound"]
    assert len(others) == 4
    for path in [*others, tmp_path / "absent.safetensors"]:
        assert n_parameters([tmp_path / "sound.safetensors", path]) == 0


IN_GROUPS = frozenset({"squeezebert"})
"""Families whose dense layers in groups are whole matrices here."""


def _table(folder: Path) -> ParameterTable:
    return list_parameters(opened(folder))


@pytest.mark.parametrize("family", FAMILIES)
def test_each_tensor_of_the_file_is_listed_with_its_name_and_numbers(family: str, tmp_path: Path) -> None:
    model = write_family(tmp_path, family)
    checkpoint = opened(tmp_path)
    table, tensors = list_parameters(checkpoint), tensors_of(checkpoint)
    stored = load_file(tmp_path / "model.safetensors")
    assert [entry.key for entry in table if "." in entry.title] == [], "a parameter without a name"
    names = [entry.name for entry in table if not entry.tied_to]
    assert set(names) <= set(stored)
    by_name: dict[str, list[str]] = {}
    for entry in table:
        by_name.setdefault(entry.name, []).append(entry.key)
    for name, keys in by_name.items():
        parts = torch.cat([tensors[key].flatten() for key in keys])
        flat = stored[name].flatten()
        parts = parts[parts != 0] if family in IN_GROUPS else parts  # zeros between the groups
        assert torch.equal(parts.sort().values, flat.sort().values), name
    n_stored = sum(stored[name].numel() for name in set(names))
    assert table.total == n_stored or (family in IN_GROUPS and table.total > n_stored)
    left_out = {name for name in set(stored) - set(names) if not name.startswith("decoder.")}
    # What no encoder computes with: buffers, unused pairs of norms, heads that are not read; nor decoders.
    assert sum(stored[name].numel() for name in left_out) <= 0.35 * model.num_parameters()


def test_shared_layers_are_listed_once_with_all_their_layers(tmp_path: Path) -> None:
    write_family(tmp_path, "albert")
    table = _table(tmp_path)
    queries = [entry for entry in table if entry.key.endswith("attention.query.weight")]
    assert [entry.layers for entry in queries] == [(0, 1, 2)]
    assert queries[0].notes == ("Used by 3 layers, counted once.",)
    assert "Layers 0 to 2, shared · attention" in [title for title, _ in table.sections()]
    assert sum(table.share(entry) for entry in table) == pytest.approx(1)


def test_a_tied_table_is_counted_with_the_embeddings(tmp_path: Path) -> None:
    model = write_family(tmp_path, "bert", "AutoModelForMaskedLM")
    table = _table(tmp_path)
    decoder = table["heads.masked.decoder.weight"]
    assert (decoder.name, decoder.n_numbers, decoder.tied_to) == ("", 0, "embeddings.token.weight")
    assert decoder.shape == table["bert.embeddings.word_embeddings.weight"].shape
    assert table.total == sum(parameter.numel() for parameter in model.parameters())


def test_several_parameters_in_one_tensor_are_its_parts(tmp_path: Path) -> None:
    write_family(tmp_path, "modernbert")
    table = _table(tmp_path)
    stored = load_file(tmp_path / "model.safetensors")
    parts = [entry for entry in table if entry.name == "layers.1.attn.Wqkv.weight"]
    assert [(entry.symbol, entry.part) for entry in parts] == [
        ("W_Q", (1, 3)),
        ("W_K", (2, 3)),
        ("W_V", (3, 3)),
    ]
    assert sum(entry.n_numbers for entry in parts) == stored["layers.1.attn.Wqkv.weight"].numel()
    with pytest.raises(SelectionError, match="holds 3 parameters"):
        table.find("layers.1.attn.Wqkv.weight")


def test_an_adapter_is_merged_and_noted(tmp_path: Path) -> None:
    base, folder = tmp_path / "base", tmp_path / "adapter"
    write_family(base, "bert")
    merged = write_adapter(folder, base, target_modules=OF_BERT)
    checkpoint = opened(folder)
    table, tensors = list_parameters(checkpoint), tensors_of(checkpoint)
    query = table["encoder.layer.1.attention.self.query.weight"]
    theirs = merged.state_dict()[query.name]
    np.testing.assert_allclose(tensors[query.key].numpy(), theirs.numpy(), atol=1e-5)
    adapted = {entry.name for entry in table if entry.is_adapted}
    assert {name.rpartition(".")[0].rpartition(".")[2] for name in adapted} == {
        "query",
        "value",
        "dense",
        "word_embeddings",
    }
    assert query.notes == ("With the adapter added.",)
    assert not table["encoder.layer.1.attention.self.key.weight"].is_adapted


def test_names_are_those_in_the_file_with_all_that_a_script_put_before_them(tmp_path: Path) -> None:
    model = random_notebook("c")
    folder = write_notebook(tmp_path, model, prefix="module.")
    table = _table(folder)
    stored = read_tensors(folder / "model.pt")
    assert {entry.name for entry in table if entry.name} <= set(stored)
    assert all(entry.name.startswith("module.") for entry in table if entry.name)


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebooks_model_has_all_its_numbers(kind: str, tmp_path: Path) -> None:
    model = random_notebook(kind)
    table = _table(write_notebook(tmp_path, model))
    # Heads that the notebook's own class has beside the encoder may not be read.
    assert table.total <= sum(parameter.numel() for parameter in model.parameters())
    assert {entry.name for entry in table if not entry.tied_to} <= set(model.state_dict())
    assert {f"layers.0.attention.{name}.weight" for name in ("query", "key", "value")} <= {
        entry.key for entry in table
    }


def test_numbers_are_read_only_and_those_of_the_file(tiny_bert: Path) -> None:
    parameters = Engine().parameters(str(tiny_bert))
    stored = load_file(tiny_bert / "model.safetensors")
    for entry in parameters.table:
        values = parameters.values(entry.name)
        np.testing.assert_array_equal(values, stored[entry.name].numpy())
        assert not values.flags.writeable
    with pytest.raises(SelectionError, match="no parameter “bert"):
        parameters.values("bert.nothing")


def test_parameters_have_a_title_and_a_symbol(tiny_bert: Path) -> None:
    table = _table(tiny_bert)
    found = {entry.key: (entry.title, entry.symbol) for entry in table}
    assert found["embeddings.token.weight"] == ("Token embeddings", "E_t")
    assert found["layers.1.attention.output.bias"] == ("Output of the heads: bias", "b_O")
    assert found["layers.0.attention_norm.weight"] == ("Norm of the attention: scale", "γ")
    assert [title for title, _ in table.sections()][:4] == [
        "Embeddings",
        "Layer 0 · attention",
        "Layer 0 · feed-forward",
        "Layer 0 · norms",
    ]
