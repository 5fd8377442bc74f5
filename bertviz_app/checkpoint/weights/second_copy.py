"""Weights in two formats in one folder: only one of them is read, and whether the other one differs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor

from bertviz_app.checkpoint.config.config import CheckpointConfig
from bertviz_app.checkpoint.folder import PICKLED, file_in
from bertviz_app.checkpoint.weights.names import renamed
from bertviz_app.checkpoint.weights.prefixes import with_outer
from bertviz_app.checkpoint.weights.tensors import read_weights
from bertviz_app.errors import AppError, Message, shown

_SMALL = 1 << 16
_ROWS = 16


def second_copy_remark(weights: Path, config: CheckpointConfig) -> str | None:
    """Return a sentence if pytorch_model.bin beside other `weights` holds other numbers, else None.

    Of tensors with more than 65,536 numbers 16 rows are compared, evenly spaced: a trained model differs in
    all tensors. Numbers saved in two precisions are compared in the coarser one. A file that cannot be read
    is not compared.
    """
    if weights.name.startswith(PICKLED):
        return None
    try:
        other = file_in(weights.parent, PICKLED)
        if other is None or other == weights:
            return None
        first, second = _by_our_names(weights, config), _by_our_names(other, config)
    except AppError:
        return None
    common = (name for name in first if name in second)
    different = next((name for name in common if not _is_equal(first[name], second[name])), None)
    if different is None:
        return None
    return Message(
        "{0} beside {1} holds other numbers, such as those of {2}. It was not read.",
        PICKLED,
        weights.name,
        shown(different),
    )


def _by_our_names(path: Path, config: CheckpointConfig) -> dict[str, Tensor]:
    tensors = read_weights(path)
    return renamed(tensors, replace(config, family=with_outer(config.family, tensors)))[0]


def _is_equal(one: Tensor, other: Tensor) -> bool:
    if one.shape != other.shape:
        return False
    coarser = min(one.dtype, other.dtype, key=lambda dtype: dtype.itemsize)
    return torch.equal(_sample(one).to(coarser), _sample(other).to(coarser))


def _sample(tensor: Tensor) -> Tensor:
    if tensor.numel() <= _SMALL or tensor.ndim < 2:
        return tensor
    rows = torch.linspace(0, len(tensor) - 1, min(_ROWS, len(tensor))).long()
    return tensor[rows]
