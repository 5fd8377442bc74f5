"""Activation functions by the names that configurations use."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import MappingProxyType

import torch
from torch import Tensor
from torch.nn import functional

from bertviz_app.errors import CheckpointError, Message

Activation = Callable[[Tensor], Tensor]


def _gelu_by_tanh(x: Tensor) -> Tensor:
    return functional.gelu(x, approximate="tanh")


def _gelu_by_sigmoid(x: Tensor) -> Tensor:
    return x * torch.sigmoid(1.702 * x)


def _gelu_up_to_10(x: Tensor) -> Tensor:
    return functional.gelu(x).clamp(-10, 10)


def _squared_relu(x: Tensor) -> Tensor:
    """So et al. 2021, arXiv:2109.08668."""
    return functional.relu(x).square()


def _laplace(x: Tensor) -> Tensor:
    """Ma et al. 2022, arXiv:2209.10655: an approximation of the squared ReLU."""
    return 0.5 * (1.0 + torch.erf((x - 0.707107) / (0.282095 * math.sqrt(2.0))))


def _identity(x: Tensor) -> Tensor:
    return x


ACTIVATIONS: MappingProxyType[str, Activation] = MappingProxyType(
    {
        "gelu": functional.gelu,  # exact, by the error function: what BERT uses
        "gelu_python": functional.gelu,
        "gelu_new": _gelu_by_tanh,
        "gelu_fast": _gelu_by_tanh,
        "gelu_accurate": _gelu_by_tanh,
        "gelu_pytorch_tanh": _gelu_by_tanh,
        "gelu_python_tanh": _gelu_by_tanh,
        "quick_gelu": _gelu_by_sigmoid,
        "gelu_10": _gelu_up_to_10,
        "relu": functional.relu,
        "relu2": _squared_relu,
        "relu6": functional.relu6,
        "leaky_relu": functional.leaky_relu,
        "silu": functional.silu,
        "swish": functional.silu,
        "hardswish": functional.hardswish,
        "mish": functional.mish,
        "laplace": _laplace,
        "sigmoid": torch.sigmoid,
        "tanh": torch.tanh,
        "linear": _identity,
    }
)
"""The activations by the names that Hugging Face configurations use."""


def activation(name: str) -> Activation:
    """Return the activation called `name`. Raises CheckpointError for an unknown name."""
    if name not in ACTIVATIONS:
        message = Message("This checkpoint uses the activation “{0}”, which is not known.", name)
        raise CheckpointError(message, Message("Known are {0}.", ", ".join(ACTIVATIONS)))
    return ACTIVATIONS[name]
