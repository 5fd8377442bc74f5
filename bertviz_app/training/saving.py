"""A trained model in Hugging Face's layout: config.json and model.safetensors, in the names of BERT."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.output import TaskHeads
from bertviz_app.paths import replacing
from bertviz_app.training.tensor_file import write_tensors

CONFIG, WEIGHTS = "config.json", "model.safetensors"
_TIED = "cls.predictions.decoder.weight"
_ENCODER = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"^embeddings\.token\.", "embeddings.word_embeddings."),
        (r"^embeddings\.segment\.", "embeddings.token_type_embeddings."),
        (r"^embeddings\.position\.", "embeddings.position_embeddings."),
        (r"^embeddings\.norm\.", "embeddings.LayerNorm."),
        (r"^layers\.(\d+)\.attention\.(query|key|value)\.", r"encoder.layer.\1.attention.self.\2."),
        (r"^layers\.(\d+)\.attention\.output\.", r"encoder.layer.\1.attention.output.dense."),
        (r"^layers\.(\d+)\.attention_norm\.", r"encoder.layer.\1.attention.output.LayerNorm."),
        (r"^layers\.(\d+)\.feed_forward\.expand\.", r"encoder.layer.\1.intermediate.dense."),
        (r"^layers\.(\d+)\.feed_forward\.contract\.", r"encoder.layer.\1.output.dense."),
        (r"^layers\.(\d+)\.feed_forward_norm\.", r"encoder.layer.\1.output.LayerNorm."),
    )
)
_HEADS = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"^masked\.dense\.", "cls.predictions.transform.dense."),
        (r"^masked\.norm\.", "cls.predictions.transform.LayerNorm."),
        (r"^masked\.decoder\.bias$", "cls.predictions.bias"),
        (r"^masked\.decoder\.", "cls.predictions.decoder."),
        (r"^next_sentence\.", "cls.seq_relationship."),
        (r"^(classifier|token_labels)\.output\.", "classifier."),
    )
)


def save_model(
    encoder: Encoder,
    heads: TaskHeads,
    folder: Path,
    labels: tuple[str, ...] = (),
    dtype: torch.dtype = torch.float32,
    stated: Mapping[str, object] | None = None,
) -> None:
    """Write config.json and model.safetensors into `folder`, as `BertForPreTraining` has them.

    With `labels`, the classes of a classifier, as `BertForSequenceClassification`: one alone names a score,
    which is predicted as a number. A classifier of tokens is written as `BertForTokenClassification`.
    `stated` are entries of config.json that the encoder does not know. Raises FileError.
    """
    tensors = {name: tensor.to("cpu", dtype).contiguous() for name, tensor in named(encoder, heads).items()}
    write_tensors(folder / WEIGHTS, tensors, {"format": "pt"})
    settings = _settings(encoder.config, dtype) | _task_settings(heads, labels) | dict(stated or {})
    with replacing(folder / CONFIG) as path:
        path.write_text(json.dumps(settings, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def trained_positions(config: EncoderConfig, n_trained: int | None) -> dict[str, int]:
    """Return the entry of config.json with the number of positions that were trained enough, if not all."""
    if n_trained is None or n_trained >= config.n_positions:
        return {}
    return {"n_trained_positions": n_trained}


def stored(name: str) -> torch.dtype:
    """Return the type of the numbers in a file that settings call `name`: "float32" or "float16"."""
    return torch.float16 if name == "float16" else torch.float32


def as_stored(network: nn.Module, name: str) -> None:
    """Round the parameters to the precision of the file, so that the last evaluation is of the file."""
    with torch.no_grad():
        for parameter in network.parameters():
            parameter.copy_(parameter.to(stored(name)))


def named(encoder: Encoder, heads: TaskHeads) -> dict[str, Tensor]:
    """Return the parameters by the names that Hugging Face gives them; a tied table once."""
    found = {f"bert.{_renamed(name, _ENCODER)}": tensor for name, tensor in encoder.state_dict().items()}
    found |= {_renamed(name, _HEADS): tensor for name, tensor in heads.state_dict().items()}
    found.pop(_TIED, None)
    return found


def _renamed(name: str, renames: tuple[tuple[re.Pattern[str], str], ...]) -> str:
    for pattern, replacement in renames:
        name = pattern.sub(replacement, name)
    return name


def _task_settings(heads: TaskHeads, labels: tuple[str, ...]) -> dict[str, object]:
    """Return the entries of config.json on what the model was trained for, `architectures` first."""
    if not labels:
        return {"architectures": ["BertForPreTraining"]}
    names: dict[str, object] = {
        "id2label": {str(number): label for number, label in enumerate(labels)},
        "label2id": {label: number for number, label in enumerate(labels)},
    }
    if heads.token_labels is not None:
        return {"architectures": ["BertForTokenClassification"], **names}
    kind = "regression" if len(labels) == 1 else "single_label_classification"
    return {"architectures": ["BertForSequenceClassification"], **names, "problem_type": kind}


def _settings(config: EncoderConfig, dtype: torch.dtype) -> dict[str, object]:
    return {
        "model_type": "bert",
        "vocab_size": config.vocabulary_size,
        "hidden_size": config.width,
        "num_hidden_layers": config.n_layers,
        "num_attention_heads": config.n_heads,
        "intermediate_size": config.feed_forward_width,
        "max_position_embeddings": config.n_positions,
        "type_vocab_size": config.n_segments,
        "hidden_act": config.activation,
        "layer_norm_eps": config.norm_eps,
        "hidden_dropout_prob": 0.0,
        "attention_probs_dropout_prob": 0.0,
        "initializer_range": 0.02,
        "tie_word_embeddings": True,
        "pad_token_id": 0,
        "dtype": str(dtype).removeprefix("torch."),
    }
