"""Which task heads a file of weights holds completely, and our names for their parameters."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

import torch
from torch import Tensor

from bertviz_app.checkpoint.config.config import CheckpointConfig
from bertviz_app.checkpoint.families.family import Family
from bertviz_app.checkpoint.weights.empty_module import blank_heads
from bertviz_app.checkpoint.weights.tensors import validate
from bertviz_app.encoder.config import EncoderConfig, TaskHeadsConfig
from bertviz_app.errors import CheckpointError

PREFIX = "heads."
"""What the names of the parameters of task heads begin with, unlike those of the encoder."""
MASKED = "masked.dense.weight"
"""A parameter that every head for masked tokens has."""
DECODER = "masked.decoder.weight"
"""The only parameter of a head that may be one of the encoder: the table of token embeddings."""
TABLE = "embeddings.token.weight"
_BESIDE, _WITHIN = f"{PREFIX}masked.bias", f"{PREFIX}masked.decoder.bias"
_OF_TOKENS = ("token_labels", "answer", "choice")
"""The tasks of checkpoints that have no head for masked tokens, whatever their tensors are called."""
_Value = TypeVar("_Value")
_OURS = (
    "masked.",
    "next_sentence.",
    "replaced.",
    "classifier.dense.",
    "classifier.norm.",
    "classifier.output.",
    "token_labels.",
    "answer.",
    "dense.",
)
_CLASSES = f"{PREFIX}classifier.output.weight"
_TOKEN_LABELS = f"{PREFIX}token_labels.output.weight"


def head_name(family: Family, name: str, *, task: str = "") -> str | None:
    """Return our name for a parameter of a task head, None for an unknown head.

    A name belongs to another head where the checkpoint was saved for another `task`.
    """
    renames = {
        "classes": family.classifier_renames or family.head_renames,
        "token_labels": family.token_renames,
        "answer": family.answer_renames,
    }
    for pattern, replacement in renames.get(task, family.head_renames):
        name = pattern.sub(replacement, name)
    return PREFIX + name if name.startswith(_OURS) else None


def with_one_name(config: CheckpointConfig, by_name: Mapping[str, _Value]) -> dict[str, _Value]:
    """Return `by_name` with what files have under one of two names under ours.

    The bias of the head for masked tokens stands beside the decoder if the decoder is the table of token
    embeddings, else within it; files of some releases of transformers have both, of which the one within is
    added. Of a table that is the decoder as well some files have the latter's name only.
    """
    named = dict(by_name)
    if _BESIDE in named:
        named.setdefault(_WITHIN, named.pop(_BESIDE))
    if config.ties_embeddings and TABLE not in named and PREFIX + DECODER in named:
        named[TABLE] = named[PREFIX + DECODER]
    return named


def is_tied(config: CheckpointConfig, tensors: Mapping[str, Tensor]) -> bool:
    """Return whether the decoder of masked tokens is the table of token embeddings.

    Where a file has both and they differ, as after one of them was trained alone, the decoder is its own
    whatever config.json says; so it is in `transformers`.
    """
    table, decoder = tensors.get(TABLE), tensors.get(PREFIX + DECODER)
    if not config.ties_embeddings or table is None or decoder is None or table.shape != decoder.shape:
        return config.ties_embeddings
    is_same = table.dtype == decoder.dtype and table.data_ptr() == decoder.data_ptr()
    return is_same or torch.equal(table.float(), decoder.float())


def whole_heads(
    config: CheckpointConfig, encoder: EncoderConfig, tensors: Mapping[str, Tensor]
) -> TaskHeadsConfig:
    """Return the task heads whose parameters are all present in shapes that fit `encoder`."""
    none = _form(config, tensors)
    if none.dense_heads or none.masked:
        return _whole_of_notebook(config, encoder, none, tensors)
    alone = {"replaced": replace(none, replaced=True)}
    if config.task not in _OF_TOKENS:
        alone["masked"] = replace(none, masked=True)
    if encoder.has_pooler:
        alone["next_sentence"] = replace(none, next_sentence=True)
    has_input = encoder.has_pooler or none.classifier_activation is not None
    n_classes, n_labels = (_n_rows(tensors, name) for name in (_CLASSES, _TOKEN_LABELS))
    if config.task == "classes" and has_input and n_classes:
        alone["classifier"] = replace(none, n_classes=n_classes)
    if config.task == "token_labels" and n_labels:
        alone["token_labels"] = replace(none, n_token_labels=n_labels)
    if config.task == "answer":
        alone["answer"] = replace(none, answer=True)
    ties = config.ties_embeddings
    whole = {name for name, heads in alone.items() if _is_whole(encoder, heads, tensors, ties=ties)}
    return replace(
        none,
        masked="masked" in whole,
        replaced="replaced" in whole,
        next_sentence="next_sentence" in whole,
        n_classes=n_classes if "classifier" in whole else 0,
        n_token_labels=n_labels if "token_labels" in whole else 0,
        answer="answer" in whole,
    )


def _whole_of_notebook(
    config: CheckpointConfig, encoder: EncoderConfig, heads: TaskHeadsConfig, tensors: Mapping[str, Tensor]
) -> TaskHeadsConfig:
    """Return `heads` without the one for masked tokens, or without the dense ones, that are not whole."""
    dense, masked = replace(heads, masked=False), replace(heads, dense_heads=())
    has_dense = bool(heads.dense_heads) and _is_whole(encoder, dense, tensors, ties=False)
    has_masked = heads.masked and _is_whole(encoder, masked, tensors, ties=config.ties_embeddings)
    return replace(heads, masked=has_masked, dense_heads=heads.dense_heads if has_dense else ())


def _n_rows(tensors: Mapping[str, Tensor], name: str) -> int:
    """Return the number of classes that a dense layer with the weights `name` predicts, 0 without it."""
    table = tensors.get(name)
    return len(table) if table is not None and table.ndim == 2 else 0


def _form(config: CheckpointConfig, tensors: Mapping[str, Tensor]) -> TaskHeadsConfig:
    """Return how the task heads are built; which of them exist is not set."""
    biases = (f"{PREFIX}masked.dense.bias", _WITHIN)
    if config.family.has_bare_task_heads and not any(name in tensors for name in biases):
        return replace(config.task_heads, has_dense_bias=False, has_decoder_bias=False)
    return config.task_heads


def _is_whole(
    encoder: EncoderConfig, heads: TaskHeadsConfig, tensors: Mapping[str, Tensor], *, ties: bool
) -> bool:
    needed = {name: tensor.shape for name, tensor in blank_heads(encoder, heads).state_dict().items()}
    if ties:
        needed.pop(DECODER, None)
    if not needed or any(PREFIX + name not in tensors for name in needed):
        return False
    try:
        for name in needed:
            validate(name, tensors[PREFIX + name])
    except CheckpointError:  # such as a quantised head, which is not used
        return False
    return all(tensors[PREFIX + name].shape == shape for name, shape in needed.items())
