"""Activation functions by the names that configurations use."""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType

import torch
from torch import Tensor
from torch.nn import functional

from bertviz_app.errors import CheckpointError, Message

Activation = Callable[[Tensor], Tensor]


def _gelu_by_tanh(x: Tensor) -> Tensor:
    return functional.gelu(x, approximate="tanh")


ACTIVATIONS: MappingProxyType[str, Activation] = MappingProxyType(
    {
        "gelu": functional.gelu,  # exact, by the error function: what BERT uses
        "gelu_new": _gelu_by_tanh,
        "gelu_pytorch_tanh": _gelu_by_tanh,
        "relu": functional.relu,
        "silu": functional.silu,
        "swish": functional.silu,
        "tanh": torch.tanh,
    }
)
"""The activations by the names that Hugging Face configurations use."""


def activation(name: str) -> Activation:
    """Return the activation called `name`. Raises CheckpointError for an unknown name."""
    if name not in ACTIVATIONS:
        message = Message("This checkpoint uses the activation “{0}”, which is not known.", name)
        raise CheckpointError(message, Message("Known are {0}.", ", ".join(ACTIVATIONS)))
    return ACTIVATIONS[name]
