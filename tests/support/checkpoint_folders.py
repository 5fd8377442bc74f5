"""Checkpoints in folders of their own: changed, with an adapter, with vectors of sentences, very large."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from transformers import BertConfig, BertModel, PreTrainedModel

from bertviz_app.checkpoint.loader import Checkpoint, open_checkpoint
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.encoder.config import Disentangling, EncoderConfig
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.errors import CheckpointError
from bertviz_app.trace.form import Form
from tests.support.checkpoints import vocabulary, write_bert
from tests.support.families import write_family

if TYPE_CHECKING:
    from transformers import PreTrainedModel


SMALL = EncoderConfig(
    vocabulary_size=50, n_positions=20, n_segments=2, n_layers=3, n_heads=4, width=32, feed_forward_width=64
)

MODERN: Mapping[str, Any] = {
    "n_segments": 0,
    "has_position_table": False,
    "rotary_bases": (1000.0, 10.0, 10.0),
    "reaches": (None, 2, 2),
    "form": Form(
        is_pre_norm=True,
        is_first_without_norm=True,
        has_final_norm=True,
        has_biases=False,
        has_norm_biases=False,
        is_gated=True,
        is_rotary=True,
    ),
}
"""Changes that make of it what ModernBERT is: windows of two tokens to each side, but in the first layer."""

DISENTANGLED: Mapping[str, Any] = {
    "n_segments": 0,
    "has_position_table": False,
    "has_pooler": False,
    "disentangling": Disentangling(span=8, farthest=20),
}
"""Changes that make of it what DeBERTa is: 16 buckets of distances, the outer half of several each."""


def small_config(**changes: Any) -> EncoderConfig:
    """Return 3 layers x 4 heads x width 32 with `changes`."""
    return replace(SMALL, **changes)


def small_encoder(**changes: Any) -> Encoder:
    """Return an encoder of that size, the same random one each time."""
    torch.manual_seed(0)
    return Encoder(small_config(**changes)).eval()


def small_ids(n_tokens: int = 6, n_inputs: int = 1) -> tuple[Tensor, Tensor, Tensor]:
    """Return ids, segment and position ids [B, T]."""
    shape = (n_inputs, n_tokens)
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(0, 50, shape, generator=generator)
    segment_ids = torch.randint(0, 2, shape, generator=generator)
    return ids, segment_ids, torch.arange(n_tokens).expand(shape)


Tensors = dict[str, Tensor]


def copy_of(folder: Path, to: Path) -> Path:
    """Return a copy of `folder` that a test may spoil."""
    return Path(shutil.copytree(folder, to / "copy"))


def opened(folder: Path) -> Checkpoint:
    """Return the checkpoint in `folder`, as a user's own folder is opened."""
    return open_checkpoint(find(str(folder)))


def change_config(folder: Path, **changes: object) -> None:
    """Set keys of config.json; a value of ... removes the key."""
    path = folder / "config.json"
    settings = json.loads(path.read_text("utf-8")) | changes
    written = {key: value for key, value in settings.items() if value is not ...}
    path.write_text(json.dumps(written), "utf-8")


def change_weights(folder: Path, change: Callable[[Tensors], Tensors]) -> None:
    """Write model.safetensors anew with what `change` makes of its tensors."""
    path = folder / "model.safetensors"
    tensors = change({name: tensor.clone() for name, tensor in load_file(path).items()})
    save_file({name: tensor.contiguous() for name, tensor in tensors.items()}, path, {"format": "pt"})


Refused = tuple[dict[str, Any], str]
"""Settings that cannot be, and a pattern of the error that names them."""


def each(**values: tuple[object, ...]) -> Iterator[Refused]:
    """Yield each of the values as one setting alone, which is to be refused by its name."""
    for name, those in values.items():
        for value in those:
            yield {name: value}, name


def assert_refused(read: Callable[[dict[str, Any]], object], *refused: Refused) -> None:
    """Assert that `read` refuses all of these settings, each with the words beside it and with a hint."""
    faults = []
    for settings, words in refused:
        try:
            read(settings)
        except CheckpointError as error:
            is_named = re.search(words, str(error)) is not None and error.message.isprintable()
            faults += [] if is_named and error.hint else [f"{settings}: {error} ({error.hint})"]
        else:
            faults.append(f"{settings} is read")
    assert faults == []


def to_pickle(folder: Path, *, in_old_format: bool = False) -> Path:
    """Replace model.safetensors by pytorch_model.bin; return the new file."""
    path = folder / "pytorch_model.bin"
    tensors = load_file(folder / "model.safetensors")
    torch.save(tensors, path, _use_new_zipfile_serialization=not in_old_format)
    (folder / "model.safetensors").unlink()
    return path


def unreadable(monkeypatch: pytest.MonkeyPatch, file: Path, number: int = errno.EACCES) -> None:
    """Have the operating system refuse to open `file`, also to an administrator."""
    plain = Path.open

    def refusing(path: Path, *arguments: Any, **named: Any) -> object:
        if path == file:
            raise OSError(number, os.strerror(number), str(path))
        return plain(path, *arguments, **named)

    monkeypatch.setattr(Path, "open", refusing)


TARGETS = {
    "distilbert": ["q_lin", "v_lin", "lin1", "word_embeddings"],
    "albert": ["query", "value", "ffn", "embedding_hidden_mapping_in"],
    "mpnet": ["attn.q", "attn.v", "output.dense"],
    "modernbert": ["Wqkv", "mlp.Wo", "tok_embeddings"],
    "nomic_bert": ["q_proj", "o_proj", "down_proj"],
    "clip_text_model": ["q_proj", "v_proj", "fc1", "token_embedding"],
    "squeezebert": ["word_embeddings", "position_embeddings"],
    "t5": ["SelfAttention.q", "SelfAttention.v", "DenseReluDense.wi", "shared"],
    "mt5": ["SelfAttention.q", "SelfAttention.v", "DenseReluDense.wi_0", "shared"],
    "eurobert": ["q_proj", "k_proj", "v_proj", "o_proj", "down_proj", "embed_tokens"],
    "gte": ["q_proj", "o_proj", "gate_proj", "word_embeddings"],
    "jina_embeddings_v3": ["v_proj", "o_proj", "fc1"],
    "deberta": ["in_proj", "pos_proj", "intermediate.dense", "word_embeddings"],
    "deberta-v2": ["query_proj", "value_proj", "dense"],
}
"""Modules of each family; the others have the names of BERT."""
OF_BERT = ["query", "value", "intermediate.dense", "word_embeddings"]


def write_adapter(
    folder: Path, base: Path, *, kind: str = "AutoModel", seed: int = 1, **settings: Any
) -> PreTrainedModel:
    """Write a LoRA of the checkpoint in `base` to `folder`; return the model with it merged, in eval mode.

    `kind` is the class of `transformers` that is adapted, `settings` are those of peft's LoraConfig.
    """
    import peft
    import transformers

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # on tied tables, and hidden sizes of initialised heads
        model = getattr(transformers, kind).from_pretrained(base, attn_implementation="eager")
        adapted = peft.get_peft_model(model, peft.LoraConfig(**{"r": 4, "lora_alpha": 6} | settings))
        _draw(adapted, seed)
        adapted.save_pretrained(folder)
        merged = adapted.merge_and_unload()
    return merged.eval()


def _draw(adapted: torch.nn.Module, seed: int) -> None:
    """Draw every parameter that is trained, as if it had been."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in adapted.named_parameters():
            if parameter.requires_grad:
                noise = torch.randn(parameter.shape, generator=generator)
                is_length = "magnitude" in name
                parameter.copy_(parameter * (1 + 0.2 * noise) if is_length else 0.15 * noise)


def write_relative(folder: Path, family: str, kind: str, made_by: str = "AutoModel") -> PreTrainedModel:
    """Write a random checkpoint with this position_embedding_type to `folder`; return its model.

    The file has the table of position embeddings that `transformers` made and did not use.
    """
    model = write_family(folder, family, made_by)
    generator = torch.Generator().manual_seed(7)
    n_positions = model.config.max_position_embeddings
    for module in _attentions(model):
        width = module.attention_head_size
        module.distance_embedding = nn.Embedding(2 * n_positions - 1, width)
        with torch.no_grad():
            module.distance_embedding.weight.copy_(
                torch.randn(2 * n_positions - 1, width, generator=generator) * 0.4
            )
    model.save_pretrained(folder)
    path = folder / "config.json"
    path.write_text(
        json.dumps(json.loads(path.read_text("utf-8")) | {"position_embedding_type": kind}), "utf-8"
    )
    with torch.no_grad():
        model.base_model.embeddings.position_embeddings.weight.zero_()  # what it is to be without them
    for module in _attentions(model):
        module.forward = _forward(module, kind)
    return model


def _attentions(model: PreTrainedModel) -> list[Any]:
    return [module for name, module in model.named_modules() if name.endswith(".attention.self")]


def _forward(module: Any, kind: str) -> Callable[..., tuple[Tensor, Tensor]]:
    """Return the attention of one layer with its distances, in eager mode (Shaw et al. 2018, equation 5)."""

    def forward(hidden: Tensor, *_: object, **__: object) -> tuple[Tensor, Tensor]:
        n_tokens, width = hidden.shape[1], module.attention_head_size
        queries, keys, values = (
            layer(hidden).view(1, n_tokens, -1, width).transpose(1, 2)
            for layer in (module.query, module.key, module.value)
        )
        positions = torch.arange(n_tokens)
        middle = (module.distance_embedding.num_embeddings - 1) // 2
        vectors = module.distance_embedding(positions[:, None] - positions[None] + middle)  # [T, T, E]
        scores = queries @ keys.transpose(-1, -2) + torch.einsum("bhld,lrd->bhlr", queries, vectors)
        if kind == "relative_key_query":
            scores = scores + torch.einsum("bhrd,lrd->bhlr", keys, vectors)
        weights = (scores / width**0.5).softmax(-1)
        return (weights @ values).transpose(1, 2).flatten(2), weights

    return forward


_PACKAGE = "sentence_transformers.models"


@dataclass(frozen=True)
class Module:
    """One entry of modules.json with the files in its folder."""

    kind: str
    settings: Mapping[str, object] | None = None
    tensors: Mapping[str, Tensor] = field(default_factory=dict)


def write_modules(folder: Path, *modules: Module, path: str = "", package: str = _PACKAGE) -> None:
    """Write modules.json with the transformer in `path` and the modules after it, and their files."""
    entries = [{"idx": 0, "name": "0", "path": path, "type": f"{package}.Transformer"}]
    for number, module in enumerate(modules, start=1):
        name = f"{number}_{module.kind}"
        entries.append({"idx": number, "name": str(number), "path": name, "type": f"{package}.{module.kind}"})
        (folder / name).mkdir(parents=True, exist_ok=True)
        if module.settings is not None:
            write_settings(folder / name / "config.json", **module.settings)
        if module.tensors:
            save_file(dict(module.tensors), folder / name / "model.safetensors")
    (folder / "modules.json").write_text(json.dumps(entries), "utf-8")


def write_settings(path: Path, **settings: object) -> None:
    """Write a JSON object."""
    path.write_text(json.dumps(settings), "utf-8")


def pooling(width: int, *modes: str) -> Module:
    """Return a pooling as files before version 5.3 have it: a key for each kind."""
    keys = {
        "cls": "cls_token",
        "max": "max_tokens",
        "mean": "mean_tokens",
        "mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
        "weightedmean": "weightedmean_tokens",
        "lasttoken": "lasttoken",
    }
    flags = {f"pooling_mode_{key}": name in modes for name, key in keys.items()}
    return Module("Pooling", {"word_embedding_dimension": width, **flags})


def dense(n_inputs: int, n_outputs: int, activation: str = "activation.Tanh", *, seed: int = 0) -> Module:
    """Return a dense layer with random weights."""
    generator = torch.Generator().manual_seed(seed)
    tensors = {
        "linear.weight": torch.randn(n_outputs, n_inputs, generator=generator) * n_inputs**-0.5,
        "linear.bias": torch.randn(n_outputs, generator=generator),
    }
    settings = {"in_features": n_inputs, "out_features": n_outputs, "bias": True}
    return Module("Dense", settings | {"activation_function": f"torch.nn.modules.{activation}"}, tensors)


NORMALISE = Module("Normalize")
_WIDTH, _N_LAYERS = 256, 2


def write_large(folder: Path, n_bytes: int, ending: str) -> Path:
    """Write a BERT of about `n_bytes`, half of them its embeddings of tokens, half its layers."""
    write_bert(folder)
    width = _WIDTH * max(1, round((n_bytes / 2e8) ** 0.5))
    expanded = max(width, n_bytes // 2 // (8 * width * _N_LAYERS) - 2 * width)
    settings = json.loads((folder / "config.json").read_text("utf-8"))
    sizes = {
        "hidden_size": width,
        "intermediate_size": expanded,
        "num_hidden_layers": _N_LAYERS,
        "vocab_size": max(len(vocabulary()), n_bytes // 2 // (4 * width)),
    }
    settings |= sizes
    (folder / "config.json").write_text(json.dumps(settings), "utf-8")
    with torch.device("meta"):
        shapes = {
            name: tensor.shape for name, tensor in BertModel(BertConfig(**settings)).state_dict().items()
        }
    tensors = {name: torch.full(shape, 0.01) for name, shape in shapes.items()}
    (folder / "model.safetensors").unlink()
    if ending == ".bin":
        torch.save(tensors, folder / "pytorch_model.bin")
    else:
        save_file(tensors, folder / "model.safetensors", {"format": "pt"})
    return folder


_PROGRAM = """
import json, resource, sys, time
from bertviz_app.checkpoint.loader import open_checkpoint
from bertviz_app.checkpoint.sources.source import find
def peak():
    line = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024
open_checkpoint(find(sys.argv[1]))
before, start = peak(), time.perf_counter()
checkpoint = open_checkpoint(find(sys.argv[2]))
seconds = time.perf_counter() - start
print(json.dumps([checkpoint.facts.n_bytes, peak() - before, seconds]))
"""


def measured(folder: Path) -> tuple[int, int, float]:
    """Return the bytes of the checkpoint's files, the bytes that its opening took at most, and seconds."""
    with tempfile.TemporaryDirectory() as made:
        small = write_bert(Path(made) / "small")
        command = [sys.executable, "-c", _PROGRAM, str(small), str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    size, peak, seconds = json.loads(done.stdout)
    return size, peak, seconds


class Harm:
    """Unpickling it runs a command."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return os.system, (f"echo harm > {self.marker}",)
