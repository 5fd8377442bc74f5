"""Checkpoints spoilt in forty ways: each opens with finite numbers, or is refused by a sentence."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.torch import load_file
from torch import Tensor

from bertviz_app import api
from bertviz_app.errors import AppError
from tests.support.checkpoint_folders import change_config, change_weights
from tests.support.families import write_family

Spoil = Callable[[Path], object]
TEXT = "The cat ate the fish"
QUERY = "encoder.layer.1.attention.self.query.weight"
_SECONDS = 60
"""After so long a test is hung, however slow the machine: what is refused takes less than one."""


def _settings(**changes: object) -> Spoil:
    return lambda folder: change_config(folder, **changes)


def _tensor(name: str, change: Callable[[Tensor], Tensor]) -> Spoil:
    return lambda folder: change_weights(folder, lambda all_: all_ | {name: change(all_[name])})


def _without(name: str) -> Spoil:
    return lambda folder: change_weights(
        folder, lambda all_: {key: tensor for key, tensor in all_.items() if key != name}
    )


def _bytes(name: str, change: Callable[[bytes], bytes]) -> Spoil:
    return lambda folder: (folder / name).write_bytes(change((folder / name).read_bytes()))


def _json(name: str, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Spoil:
    def spoil(folder: Path) -> None:
        path = folder / name
        content = json.loads(path.read_text("utf-8")) if path.exists() else {}
        path.write_text(json.dumps(change(content)), "utf-8")

    return spoil


def _pickled(change: Callable[[dict[str, Tensor]], object], **options: Any) -> Spoil:
    def spoil(folder: Path) -> None:
        tensors = load_file(folder / "model.safetensors")
        (folder / "model.safetensors").unlink()
        torch.save(change(tensors), folder / "pytorch_model.bin", **options)

    return spoil


def _index(entries: Callable[[list[str]], object]) -> Spoil:
    def spoil(folder: Path) -> None:
        names = list(load_file(folder / "model.safetensors"))
        (folder / "model.safetensors").rename(folder / "model-00001-of-00001.safetensors")
        path = folder / "model.safetensors.index.json"
        path.write_text(json.dumps({"weight_map": entries(names)}), "utf-8")

    return spoil


def _replaced(name: str, make: Callable[[Path], object]) -> Spoil:
    def spoil(folder: Path) -> None:
        (folder / name).unlink(missing_ok=True)
        make(folder / name)

    return spoil


SPOILT: dict[str, Spoil] = {
    # config.json
    "heads that are pruned twice": _settings(pruned_heads={"0": [1, 1, 1]}),
    "a layer that is pruned and does not exist": _settings(pruned_heads={"00": [1]}),
    "pruned heads as texts": _settings(pruned_heads={"0": ["1"]}),
    "as many pruned heads as there are": _settings(pruned_heads={"0": [0, 1, 2, 3]}),
    "alibi without its weights": _settings(alibi_starting_size=512),
    "alibi as a text": _settings(alibi_starting_size="∞"),
    "alibi of no tokens": _settings(alibi_starting_size=0),
    "classes of several families": _settings(model_type=..., architectures=["BertModel", "T5Model"]),
    "a class as a number": _settings(model_type=..., architectures=[7]),
    "a class of another family": _settings(model_type=..., architectures=["RobertaModel"]),
    "a family as a list": _settings(model_type=["bert"]),
    "an activation as a formula": _settings(hidden_act="x * sigmoid(x)"),
    "an epsilon of infinity": _bytes("config.json", lambda old: old.replace(b"1e-12", b"Infinity")),
    "no object": _bytes("config.json", lambda old: b"[" + old + b"]"),
    "two objects": _bytes("config.json", lambda old: old + old),
    "UTF-16": _bytes("config.json", lambda old: old.decode().encode("utf-16")),
    "a byte order mark": _bytes("config.json", lambda old: b"\xef\xbb\xbf" + old),
    "nothing": _bytes("config.json", lambda old: b""),
    # weights
    "a head's rows that are missing": _tensor(QUERY, lambda tensor: tensor[8:]),
    "rows of a part of a head": _tensor(QUERY, lambda tensor: tensor[3:]),
    "no rows": _tensor(QUERY, lambda tensor: tensor[:0]),
    "a matrix turned into a row": _tensor(QUERY, torch.flatten),
    "a number in place of a matrix": _tensor(QUERY, lambda tensor: tensor[0, 0]),
    "numbers that are none": _tensor(QUERY, lambda tensor: tensor * torch.nan),
    "numbers far too large": _tensor(QUERY, lambda tensor: tensor * 1e38),
    "numbers far too small": _tensor(QUERY, lambda tensor: tensor * 1e-38),
    "double precision": _tensor(QUERY, Tensor.double),
    "float8": _tensor(QUERY, lambda tensor: tensor.to(torch.float8_e5m2)),
    "a lacking norm": _without("encoder.layer.2.output.LayerNorm.weight"),
    "a lacking table": _without("embeddings.word_embeddings.weight"),
    "a list of tensors": _pickled(lambda all_: list(all_.values())),
    "names as numbers": _pickled(lambda all_: dict(enumerate(all_.values()))),
    "tables within tables": _pickled(lambda all_: {"model": {"state_dict": {"net": all_}}}),
    "the older format of an old pickle": _pickled(dict, _use_new_zipfile_serialization=False),
    "an archive of another program": _replaced(
        "model.safetensors", lambda path: np.savez(path.with_suffix(".npz"), a=np.zeros(3))
    ),
    "an index of itself": _index(lambda names: dict.fromkeys(names, "model.safetensors.index.json")),
    "an index of a folder": _index(lambda names: dict.fromkeys(names, ".")),
    "an index of nothing": _index(lambda names: {}),
    "an index that is a list": _index(lambda names: names),
    # tokenizers
    "a vocabulary of one piece": _json("tokenizer.json", lambda old: old | {"model": {"type": "WordPiece"}}),
    "a normalizer of a gigabyte": _json(
        "tokenizer.json", lambda old: old | {"normalizer": {"type": "Prepend", "prepend": "x" * 20_000_000}}
    ),
    "a post-processor that names no token": _json(
        "tokenizer.json", lambda old: old | {"post_processor": {"type": "BertProcessing"}}
    ),
    "a class of the tokenizer that is a list": _json(
        "tokenizer_config.json", lambda old: old | {"tokenizer_class": ["BertTokenizer"]}
    ),
    "a pipe for a vocabulary": _replaced("tokenizer.json", os.mkfifo),
    # sentence-transformers
    "modules that are numbers": _replaced("modules.json", lambda path: path.write_text("[1, 2]")),
    "no modules": _replaced("modules.json", lambda path: path.write_text("[]")),
    "modules of themselves": _replaced(
        "modules.json",
        lambda path: path.write_text(json.dumps([{"type": "a.Transformer", "path": "../../.."}] * 3)),
    ),
}
"""By what is wrong with them."""


@contextmanager
def _watched() -> Iterator[None]:
    """End the test where it hangs, as at a pipe."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(_SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkpoint of three layers with four heads."""
    folder = tmp_path_factory.mktemp("whole")
    write_family(folder, "bert")
    return folder


@pytest.mark.skipif(os.name == "nt", reason="neither pipes nor alarms there")
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("what", SPOILT)
def test_it_opens_with_finite_numbers_or_is_refused_by_a_sentence(
    what: str, whole: Path, tmp_path: Path
) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "copy"))
    SPOILT[what](folder)
    trace, refusal = None, None
    with _watched():
        try:
            trace = api.open_model(str(folder), "cpu").trace(TEXT)
        except AppError as error:
            refusal = error
    if trace is not None:
        assert np.isfinite(trace.hidden).all()
        assert np.isfinite(trace.attention()[trace.present]).all()
    if refusal is not None:
        assert refusal.message.endswith((".", "…", "”"))
        assert refusal.hint.endswith((".", "…", "”", ")"))
        assert refusal.message.isprintable()


def test_there_are_as_many_as_the_table_says() -> None:
    assert len(SPOILT) >= 40
