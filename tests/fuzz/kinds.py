"""What is spoilt: for each kind of file a sound checkpoint that it is read from, and ways to spoil it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.fuzz.mutations import spoil_archive, spoil_bytes, spoil_json, spoil_tensors

if TYPE_CHECKING:
    from transformers import BertModel

Spoil = Callable[[bytes, Random], bytes]


@dataclass(frozen=True)
class Kind:
    """`name` is of the file that is spoilt, one of `ways` a case; `share` is of all cases."""

    name: str
    ways: tuple[Spoil, ...]
    share: int
    family: str = "bert"


KINDS: Mapping[str, Kind] = {
    "config": Kind("config.json", (spoil_json, spoil_json, spoil_bytes), 20),
    "tokenizer": Kind("tokenizer.json", (spoil_json, spoil_json, spoil_bytes), 18),
    "real-tokenizer": Kind("tokenizer.json", (spoil_json, spoil_bytes), 1),
    "tokenizer-config": Kind("tokenizer_config.json", (spoil_json, spoil_bytes), 6),
    "vocab": Kind("vocab.txt", (spoil_bytes,), 10),
    "safetensors": Kind("model.safetensors", (spoil_tensors, spoil_tensors, spoil_bytes), 20),
    "index": Kind("model.safetensors.index.json", (spoil_json, spoil_bytes), 7),
    "bin": Kind("pytorch_model.bin", (spoil_archive, spoil_archive, spoil_bytes), 12),
    "old-bin": Kind("pytorch_model.bin", (spoil_bytes,), 6),
    "roberta-config": Kind("config.json", (spoil_json,), 4, "roberta"),
    "distilbert-config": Kind("config.json", (spoil_json,), 4, "distilbert"),
    "electra-config": Kind("config.json", (spoil_json,), 4, "electra"),
    "albert-config": Kind("config.json", (spoil_json,), 4, "albert"),
    "byte-pairs": Kind("tokenizer.json", (spoil_json, spoil_bytes), 5, "roberta"),
    "unigram": Kind("tokenizer.json", (spoil_json, spoil_bytes), 5, "xlm-roberta"),
    "vocab-json": Kind("vocab.json", (spoil_json, spoil_bytes), 4, "roberta"),
    "merges": Kind("merges.txt", (spoil_bytes,), 4, "roberta"),
}


def spoilt(kind: Kind, sound: bytes, name: str, seed: int) -> bytes:
    """Return the bytes of the case `seed`: the same ones each time."""
    random = Random(f"{name}:{seed}")
    return random.choice(kind.ways)(sound, random)


def write_sound(home: Path, real: Path) -> None:
    """Write the sound checkpoint of each kind into a folder of its name below `home`.

    `real` is the folder of a checkpoint that people use; its tokenizer.json is taken.
    """
    from tests.checkpoints import vocabulary, write_bert
    from tests.families import write_family

    for name, kind in KINDS.items():
        if kind.family == "bert":
            write_bert(home / name, _smallest(len(vocabulary())))
        else:
            write_family(home / name, kind.family)
    for name in ("vocab", "tokenizer-config", "vocab-json", "merges"):
        (home / name / "tokenizer.json").unlink()
    _smallest(30522).save_pretrained(home / "real-tokenizer")  # as many as the tokenizer has
    shutil.copy(real / "tokenizer.json", home / "real-tokenizer" / "tokenizer.json")
    _split(home / "index")
    for name in ("bin", "old-bin"):
        _pickle(home / name, in_old_format=name == "old-bin")


def _smallest(vocabulary_size: int) -> BertModel:
    from tests.checkpoints import random_bert

    return random_bert(
        vocab_size=vocabulary_size,
        hidden_size=8,
        num_attention_heads=2,
        intermediate_size=16,
        num_hidden_layers=1,
    )


def _split(folder: Path) -> None:
    from safetensors.torch import load_file, save_file

    tensors = load_file(folder / "model.safetensors")
    names = sorted(tensors)
    places: dict[str, str] = {}
    for part in range(2):
        shard = f"model-{part + 1:05}-of-00002.safetensors"
        save_file({name: tensors[name] for name in names[part::2]}, folder / shard)
        places |= dict.fromkeys(names[part::2], shard)
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}), "utf-8")


def _pickle(folder: Path, *, in_old_format: bool) -> None:
    import torch
    from safetensors.torch import load_file

    tensors = load_file(folder / "model.safetensors")
    path = folder / "pytorch_model.bin"
    torch.save(tensors, path, _use_new_zipfile_serialization=not in_old_format)
    (folder / "model.safetensors").unlink()
