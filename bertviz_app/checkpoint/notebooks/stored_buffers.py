"""Tensors of a file that are no parameters: numbers of positions, and masks, which may hide tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import torch
from torch import Tensor

from bertviz_app.checkpoint.notebooks.roles import words
from bertviz_app.errors import CheckpointError, Message, shown

_MASKS = frozenset({"mask", "masks", "tril", "causal"})


class Buffers(NamedTuple):
    """The names of tensors that are no parameters: masks that hide nothing, and numbers of positions."""

    masks: tuple[str, ...] = ()
    counts: tuple[str, ...] = ()


def without_buffers(
    tensors: Mapping[str, Tensor], is_given: Callable[[str], bool]
) -> tuple[dict[str, Tensor], Buffers]:
    """Return the `tensors` that may be parameters, and the names of the others.

    Those whose parts `is_given` all stay. Raises CheckpointError for a mask that hides tokens.
    """
    plain: dict[str, Tensor] = {}
    masks: list[str] = []
    counts: list[str] = []
    for name, tensor in tensors.items():
        if is_given(name):
            plain[name] = tensor
        elif _is_mask(name, tensor):
            _refuse_mask(name, tensor)
            masks.append(name)
        elif _is_count(tensor):
            counts.append(name)
        else:
            plain[name] = tensor
    return plain, Buffers(tuple(masks), tuple(counts))


def _is_count(tensor: Tensor) -> bool:
    """Return whether a tensor has the numbers 0, 1, 2 … alone."""
    numbers = tensor.flatten()
    is_whole = not tensor.is_floating_point() and not tensor.is_complex() and tensor.dtype != torch.bool
    return is_whole and torch.equal(numbers.long(), torch.arange(len(numbers)))


def _is_mask(name: str, tensor: Tensor) -> bool:
    last = set(words(name.rpartition(".")[2]))
    return bool(_MASKS & last) and tensor.dim() >= 1


def _refuse_mask(name: str, tensor: Tensor) -> None:
    if not bool((tensor == tensor.flatten()[0]).all()):
        message = Message(
            "{0} is a mask that is saved with the weights: it hides tokens from others at every pass, and "
            "here every token attends to all.",
            shown(name),
        )
        hint = Message(
            "If the model's forward does not use it, give it the part “unused” (--parts FILE); else the "
            "model cannot be computed here."
        )
        raise CheckpointError(message, hint)
