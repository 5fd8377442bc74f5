"""What is spoilt: for each kind of file a sound checkpoint that it is read from, and ways to spoil it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from tests.fuzz.mutations import spoil_archive, spoil_bytes, spoil_fields, spoil_json, spoil_tensors

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import BertModel

Spoil = Callable[[bytes, Random], bytes]


@dataclass(frozen=True)
class Kind:
    """`name` is of the file that is spoilt, one of `ways` a case; `share` is of all cases.

    `family` is of the checkpoint around it, or "notebook" and its kind, with "heads" before the kind of one
    with task heads, or a BERT with the "tokenizer of" a layout, or "sentence" for a folder of
    sentence-transformers; `model` is the class of `transformers` that makes it, with `sizes` in config.json.
    """

    name: str
    ways: tuple[Spoil, ...]
    share: int
    family: str = "bert"
    model: str | None = None
    sizes: Mapping[str, Any] = field(default_factory=dict)


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
    "mpnet-config": Kind("config.json", (spoil_json,), 4, "mpnet"),
    "modernbert-config": Kind("config.json", (spoil_json,), 6, "modernbert"),
    "deberta-config": Kind("config.json", (spoil_json,), 6, "deberta-v2"),
    "nomic-config": Kind("config.json", (spoil_json,), 6, "nomic_bert"),
    "deberta-v1-config": Kind("config.json", (spoil_json,), 4, "deberta"),
    "esm-config": Kind("config.json", (spoil_json,), 4, "esm"),
    "longformer-config": Kind("config.json", (spoil_json,), 3, "longformer"),
    "roformer-config": Kind("config.json", (spoil_json,), 2, "roformer"),
    "t5-config": Kind("config.json", (spoil_json,), 4, "t5"),
    "eurobert-config": Kind("config.json", (spoil_json,), 4, "eurobert"),
    "gte-config": Kind("config.json", (spoil_json,), 4, "gte"),
    "mobilebert-config": Kind("config.json", (spoil_json,), 4, "mobilebert"),
    "mobilebert-heads": Kind(
        "model.safetensors", (spoil_tensors,), 2, "mobilebert", "AutoModelForPreTraining"
    ),
    "clip-config": Kind("config.json", (spoil_json,), 2, "clip_text_model"),
    "clip-pairs": Kind("tokenizer.json", (spoil_json,), 2, "clip_text_model"),
    "big-bird-config": Kind("config.json", (spoil_json,), 2, "big_bird"),
    "generation-config": Kind("config.json", (spoil_json,), 2, "bert-generation"),
    "squeezebert-config": Kind("config.json", (spoil_json,), 2, "squeezebert"),
    "squeezebert-weights": Kind("model.safetensors", (spoil_tensors,), 2, "squeezebert"),
    "convbert-config": Kind("config.json", (spoil_json,), 2, "convbert"),
    "xmod-config": Kind("config.json", (spoil_json,), 2, "xmod"),
    "luke-config": Kind("config.json", (spoil_json,), 2, "luke"),
    "ernie-config": Kind("config.json", (spoil_json,), 3, "ernie"),
    "prelayernorm-config": Kind("config.json", (spoil_json,), 3, "roberta-prelayernorm"),
    "dpr-config": Kind("config.json", (spoil_json,), 2, "dpr"),
    "heads": Kind("model.safetensors", (spoil_tensors,), 6, "bert", "AutoModelForPreTraining"),
    "heads-config": Kind("config.json", (spoil_json,), 4, "bert", "AutoModelForSequenceClassification"),
    "modern-heads": Kind("config.json", (spoil_json,), 4, "modernbert", "AutoModelForSequenceClassification"),
    "notebook-a": Kind("config.json", (spoil_json, spoil_bytes), 3, "notebook a"),
    "notebook-b": Kind("config.json", (spoil_json, spoil_bytes), 3, "notebook b"),
    "notebook-c": Kind("config.json", (spoil_json, spoil_bytes), 2, "notebook c"),
    "notebook-d": Kind("config.json", (spoil_json, spoil_bytes), 2, "notebook d"),
    "notebook-torch": Kind("config.json", (spoil_json, spoil_bytes), 2, "notebook torch, two norms"),
    "notebook-codertimo": Kind("model.pt", (spoil_archive, spoil_bytes), 2, "notebook codertimo"),
    "notebook-heads": Kind("model.pt", (spoil_archive, spoil_bytes), 2, "notebook heads torch"),
    "answers-about-heads": Kind("bertviz_app.json", (spoil_json, spoil_bytes), 3, "notebook heads torch"),
    "answers": Kind("bertviz_app.json", (spoil_json, spoil_bytes), 4, "notebook c"),
    "notebook-bin": Kind("model.pt", (spoil_archive, spoil_bytes), 5, "notebook a"),
    "wrapped": Kind("model.pt", (spoil_archive, spoil_archive, spoil_bytes), 6, "notebook d"),
    "pieces": Kind("kowiki.model", (spoil_bytes, spoil_fields), 6, "notebook b"),
    "plain-pieces": Kind("kowiki.model", (spoil_bytes, spoil_fields, spoil_fields), 8, "notebook c"),
    "fairseq-pieces": Kind("sentencepiece.bpe.model", (spoil_bytes, spoil_fields), 4, "xlm-roberta"),
    "adapter-config": Kind("adapter_config.json", (spoil_json, spoil_json, spoil_bytes), 6, "adapter"),
    "adapter": Kind("adapter_model.safetensors", (spoil_tensors, spoil_tensors, spoil_bytes), 8, "adapter"),
    "adapter-bin": Kind("adapter_model.bin", (spoil_archive, spoil_bytes), 4, "adapter"),
    "loralib": Kind("model.safetensors", (spoil_tensors,), 4),
    "prefixed": Kind("model.safetensors", (spoil_tensors,), 4),
    "scored-pieces": Kind("spiece.model", (spoil_bytes, spoil_fields), 3, "tokenizer of albert"),
    "merge-codes": Kind("bpe.codes", (spoil_bytes,), 2, "tokenizer of phobert"),
    "counted-pieces": Kind("vocab.txt", (spoil_bytes,), 2, "tokenizer of bertweet, normalised"),
    "japanese-rules": Kind(
        "tokenizer_config.json", (spoil_json, spoil_bytes), 3, "tokenizer of japanese, mecab"
    ),
    "character-pairs": Kind("merges.txt", (spoil_bytes,), 2, "tokenizer of herbert"),
    "added-tokens": Kind("added_tokens.json", (spoil_json, spoil_bytes), 2, "tokenizer of bert"),
    "korean-pieces": Kind("vocab.txt", (spoil_bytes,), 2, "tokenizer of kobert"),
    "chinese-words": Kind("vocab.txt", (spoil_bytes,), 2, "tokenizer of roformer"),
    "letters": Kind("vocab.txt", (spoil_bytes,), 2, "tokenizer of esm"),
    "never-split": Kind("tokenizer_config.json", (spoil_json,), 2, "tokenizer of bert, never split"),
    "modules": Kind("modules.json", (spoil_json, spoil_bytes), 3, "sentence"),
    "pooling": Kind("1_Pooling/config.json", (spoil_json, spoil_bytes), 3, "sentence"),
    "dense-config": Kind("2_Dense/config.json", (spoil_json, spoil_bytes), 3, "sentence"),
    "dense": Kind("2_Dense/model.safetensors", (spoil_tensors, spoil_bytes), 3, "sentence"),
    "prompts": Kind("config_sentence_transformers.json", (spoil_json, spoil_bytes), 2, "sentence"),
    "input-settings": Kind("sentence_bert_config.json", (spoil_json, spoil_bytes), 2, "sentence"),
    "labels-config": Kind("config.json", (spoil_json,), 3, "bert", "AutoModelForTokenClassification"),
    "labels": Kind("model.safetensors", (spoil_tensors,), 2, "bert", "AutoModelForTokenClassification"),
    "answers-config": Kind("config.json", (spoil_json,), 3, "longformer", "AutoModelForQuestionAnswering"),
    "choices-config": Kind("config.json", (spoil_json,), 2, "longformer", "AutoModelForMultipleChoice"),
    "groups-config": Kind(
        "config.json", (spoil_json,), 2, "albert", None, {"num_hidden_groups": 2, "inner_group_num": 2}
    ),
    "convolution-config": Kind(
        "config.json", (spoil_json,), 2, "deberta-v2", None, {"conv_kernel_size": 3, "conv_groups": 2}
    ),
    "distances-config": Kind("config.json", (spoil_json,), 2, "relative keys"),
    "rembert-config": Kind("config.json", (spoil_json,), 2, "rembert"),
    "megatron-config": Kind("config.json", (spoil_json,), 2, "megatron-bert"),
    "lightning": Kind("epoch=1.ckpt", (spoil_archive, spoil_bytes), 2),
    "special-tokens": Kind("special_tokens_map.json", (spoil_json, spoil_bytes), 3, "tokenizer of bert"),
}


def spoilt(kind: Kind, sound: bytes, name: str, seed: int) -> bytes:
    """Return the bytes of the case `seed`: the same ones each time."""
    random = Random(f"{name}:{seed}")
    return random.choice(kind.ways)(sound, random)


def write_sound(home: Path, real: Path) -> None:
    """Write the sound checkpoint of each kind into a folder of its name below `home`.

    `real` is the folder of a checkpoint that people use; its tokenizer.json is taken.
    """
    for name, kind in KINDS.items():
        _write(home / name, kind)
    for name in ("vocab", "tokenizer-config", "vocab-json", "merges"):
        (home / name / "tokenizer.json").unlink()
    _smallest(30522).save_pretrained(home / "real-tokenizer")  # as many as the tokenizer has
    shutil.copy(real / "tokenizer.json", home / "real-tokenizer" / "tokenizer.json")
    _split(home / "index")
    for name in ("bin", "old-bin"):
        _pickle(home / name, in_old_format=name == "old-bin")
    _answer(home / "answers")
    _wrap(home / "wrapped" / "model.pt")
    _pickle_adapter(home / "adapter-bin")
    _rewrite(home / "prefixed", lambda found: {f"net.encoder.{name}": found[name] for name in found})
    _rewrite(home / "loralib", lambda found: found | _factors())
    (home / "loralib" / "bertviz_app.json").write_text('{"lora_alpha": 4.0}', "utf-8")
    _checkpoint_of_lightning(home / "lightning")


def _write(folder: Path, kind: Kind) -> None:
    from tests.support.checkpoints import vocabulary, write_bert
    from tests.support.families import write_family
    from tests.support.notebooks import random_headed, random_notebook, write_notebook

    name = kind.family.removeprefix("notebook ")
    writers = {"adapter": _write_adapter, "sentence": _write_sentence, "relative keys": _write_distances}
    if kind.family in writers:
        writers[kind.family](folder)
        return
    if kind.family.startswith("tokenizer of "):
        _write_layout(folder, kind.family.removeprefix("tokenizer of "))
    elif name.startswith("heads "):
        write_notebook(folder, random_headed(name.removeprefix("heads ")))
    elif name != kind.family:
        write_notebook(folder, random_notebook(name))
    elif kind.family == "bert" and kind.model is None:
        write_bert(folder, _smallest(len(vocabulary())))
    else:
        sizes: dict[str, Any] = {"vocab_size": 200} if kind.name.endswith(".model") else {}
        write_family(folder, kind.family, kind.model or "AutoModel", **(sizes | dict(kind.sizes)))
    if kind.name.endswith(".model"):
        _write_pieces(folder, kind)


def _write_adapter(folder: Path) -> None:
    """Write a LoRA, and the checkpoint it is added to in a folder inside of it."""
    from tests.support.checkpoint_folders import write_adapter
    from tests.support.checkpoints import vocabulary, write_bert

    write_bert(folder / "base", _smallest(len(vocabulary())))
    write_adapter(folder, folder / "base", target_modules=["query", "dense"], rank_pattern={"query": 2})
    path = folder / "adapter_config.json"
    settings = json.loads(path.read_text("utf-8")) | {"base_model_name_or_path": "base"}
    path.write_text(json.dumps(settings), "utf-8")


def _write_sentence(folder: Path) -> None:
    """Write a BERT with the files of sentence-transformers: pooling, a dense layer, a norm, and prompts."""
    from tests.support.checkpoint_folders import NORMALISE, dense, pooling, write_modules, write_settings
    from tests.support.checkpoints import vocabulary, write_bert

    model = _smallest(len(vocabulary()))
    width = model.config.hidden_size
    write_bert(folder, model)
    write_modules(folder, pooling(width, "mean", "cls"), dense(2 * width, 6), NORMALISE)
    write_settings(folder / "sentence_bert_config.json", max_seq_length=12, do_lower_case=True)
    prompts = {"query": "query: ", "text": "passage: "}
    write_settings(folder / "config_sentence_transformers.json", prompts=prompts, default_prompt_name="query")


def _write_distances(folder: Path) -> None:
    from tests.support.checkpoint_folders import write_relative

    write_relative(folder, "bert", "relative_key_query")


def _checkpoint_of_lightning(folder: Path) -> None:
    """Put the weights where Lightning puts them."""
    import torch
    from safetensors.torch import load_file

    path = folder / "model.safetensors"
    weights = {f"model.{name}": tensor for name, tensor in load_file(path).items()}
    found = {"state_dict": weights, "epoch": 1, "pytorch-lightning_version": "2.5.0", "hyper_parameters": {}}
    torch.save(found, folder / "epoch=1.ckpt")
    path.unlink()


def _write_layout(folder: Path, layout: str) -> None:
    """Write a BERT with the tokenizer of a layout, and with added tokens."""
    from tests.support.checkpoints import write_bert
    from tests.support.tokenizer_files import ADDED, JSON_WRITERS, WRITERS

    write_bert(folder, _smallest(1600))
    for name in ("tokenizer.json", "vocab.txt"):
        (folder / name).unlink()
    sizes = (folder / "config.json").read_bytes()
    {**WRITERS, **JSON_WRITERS, "kobert": _write_kobert}[layout](folder)
    (folder / "config.json").write_bytes(sizes)
    ADDED["both"](folder, 1500)


def _write_kobert(folder: Path) -> None:
    """Write a SentencePiece model and a vocab.txt with its pieces in another order."""
    import sentencepiece

    from tests.support.tokenizer_files import NOTEBOOK, sentence_pieces, write_rules

    write_rules(folder, "KoBertTokenizer")
    model = sentence_pieces(**NOTEBOOK)
    (folder / "tokenizer.model").write_bytes(model)
    reader = sentencepiece.SentencePieceProcessor()
    reader.load_from_serialized_proto(model)
    pieces = [reader.id_to_piece(number) for number in range(reader.get_piece_size())]
    (folder / "vocab.txt").write_text("\n".join([*pieces[::-1][:-20], *pieces[:20]]), "utf-8")


def _write_pieces(folder: Path, kind: Kind) -> None:
    """Put a SentencePiece model in the place of the tokenizer; a plain one has no table of characters."""
    from tests.support.tokenizer_files import XLM_ROBERTA, write_model

    for other in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        (folder / other).unlink(missing_ok=True)
    rule = "identity" if folder.name == "plain-pieces" else "nmt_nfkc"
    special = XLM_ROBERTA if kind.family == "xlm-roberta" else None
    write_model(folder / kind.name, "bpe", special, vocab_size=100, normalization_rule_name=rule)


def _answer(folder: Path) -> None:
    """Leave all to the answers."""
    (folder / "config.json").write_text("{}", "utf-8")
    answers = {"n_heads": 4, "norm_eps": 1e-5, "lower_case": True}
    (folder / "bertviz_app.json").write_text(json.dumps(answers), "utf-8")


def _wrap(path: Path) -> None:
    """Put the weights where a training script does."""
    import torch

    weights = {f"module.{name}": tensor for name, tensor in torch.load(path, weights_only=True).items()}
    states = {0: {"exp_avg": torch.zeros(3)}}
    torch.save({"model_state_dict": weights, "optimizer_state_dict": {"state": states}, "epoch": 3}, path)


def _pickle_adapter(folder: Path) -> None:
    import torch
    from safetensors.torch import load_file

    path = folder / "adapter_model.safetensors"
    torch.save(load_file(path), folder / "adapter_model.bin")
    path.unlink()


def _rewrite(folder: Path, change: Callable[[dict[str, Tensor]], dict[str, Tensor]]) -> None:
    from safetensors.torch import load_file, save_file

    path = folder / "model.safetensors"
    save_file(change(load_file(path)), path)


def _factors() -> dict[str, Tensor]:
    """Return a LoRA of loralib for the smallest checkpoint."""
    import torch

    start = "encoder.layer.0.attention.self.query.lora_"
    return {f"{start}A": torch.ones(2, 8), f"{start}B": torch.ones(8, 2)}


def _smallest(vocabulary_size: int) -> BertModel:
    from tests.support.checkpoints import random_bert

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
    shard_of: dict[str, str] = {}
    for part in range(2):
        shard = f"model-{part + 1:05}-of-00002.safetensors"
        save_file({name: tensors[name] for name in names[part::2]}, folder / shard)
        shard_of |= dict.fromkeys(names[part::2], shard)
    (folder / "model.safetensors").unlink()
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": shard_of}), "utf-8")


def _pickle(folder: Path, *, in_old_format: bool) -> None:
    import torch
    from safetensors.torch import load_file

    tensors = load_file(folder / "model.safetensors")
    path = folder / "pytorch_model.bin"
    torch.save(tensors, path, _use_new_zipfile_serialization=not in_old_format)
    (folder / "model.safetensors").unlink()
