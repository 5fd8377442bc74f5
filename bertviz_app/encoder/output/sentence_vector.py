"""`SentenceVector`: from hidden states to the sentence vector, as sentence-transformers computes it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from bertviz_app.errors import CheckpointError, Message
from bertviz_app.types import Floats

POOLINGS = ("cls", "max", "mean", "mean_sqrt_len_tokens", "weightedmean", "lasttoken")
"""The kinds of pooling, by the names that sentence-transformers gives them, in the order of older files."""

ACTIVATIONS = (
    "Identity",
    "Tanh",
    "GELU",
    "ReLU",
    "SiLU",
    "Sigmoid",
    "ELU",
    "LeakyReLU",
    "SELU",
    "Softplus",
    "Mish",
)
"""The activations of a dense layer, by the names of their classes in `torch.nn`, with torch's defaults."""


@dataclass(frozen=True)
class Pooling:
    """How hidden states become one vector: by each of `modes`, the results one after the other.

    Without `includes_prompt` the tokens of a prompt are left out.
    """

    modes: tuple[str, ...]
    includes_prompt: bool = True


@dataclass(frozen=True)
class DenseLayer:
    """A dense layer with an activation; `is_residual` adds its input, projected if the widths differ."""

    n_inputs: int
    n_outputs: int
    activation: str
    has_bias: bool = True
    is_residual: bool = False


@dataclass(frozen=True)
class Normalised:
    """The vector divided by its length."""


@dataclass(frozen=True)
class Centred:
    """A layer norm over the vector."""

    width: int


Step = DenseLayer | Normalised | Centred


@dataclass(frozen=True)
class SentenceConfig:
    """A pooling, and the steps that follow it."""

    width: int  # D
    pooling: Pooling
    steps: tuple[Step, ...] = ()


class SentenceVector(nn.Module):
    """Pools the last hidden states of one input (Reimers and Gurevych 2019, arXiv:1908.10084, section 3)."""

    def __init__(self, config: SentenceConfig) -> None:
        super().__init__()
        self.config = config
        self.steps = nn.ModuleList(_module(step) for step in config.steps)

    def forward(self, hidden: Tensor, n_prompt_tokens: int = 0) -> Tensor:
        """Return the sentence vector [S] for the hidden states [T, D] of one input without padding.

        The first `n_prompt_tokens` are left out if the configuration says so.
        """
        pooling = self.config.pooling
        first = 0 if pooling.includes_prompt else n_prompt_tokens
        parts = [_pooled(mode, hidden, first) for mode in pooling.modes]
        vector = torch.cat(parts)
        for step in self.steps:
            vector = step(vector)
        return vector

    def of(self, hidden: Floats, n_prompt_tokens: int = 0) -> Floats:
        """Return the sentence vector [S] as an array. Raises CheckpointError if it is not finite."""
        with torch.inference_mode():
            vector: Floats = self(torch.from_numpy(hidden.copy()), n_prompt_tokens).numpy().copy()
        if not np.isfinite(vector).all():
            raise CheckpointError(
                Message("The numbers of the sentence vector are not finite."),
                Message(
                    "The weights are damaged, or too large to be computed with; fetch the checkpoint again."
                ),
            )
        return vector

    def shares(self, n_tokens: int, n_prompt_tokens: int = 0) -> Tensor | None:
        """Return [T], what each hidden state is multiplied by where the vector is the sum of them.

        It may be divided by its length afterwards. None where the vector is no such sum.
        """
        pooling, steps = self.config.pooling, self.config.steps
        is_sum = len(pooling.modes) == 1 and pooling.modes[0] != "max"
        if not is_sum or not all(isinstance(step, Normalised) for step in steps):
            return None
        first = 0 if pooling.includes_prompt else n_prompt_tokens
        # Of the unit vectors, one for each token, the pooled vector is that of the shares.
        return _pooled(pooling.modes[0], torch.eye(n_tokens), first)


class _Dense(nn.Module):
    def __init__(self, layer: DenseLayer) -> None:
        super().__init__()
        self.linear = nn.Linear(layer.n_inputs, layer.n_outputs, bias=layer.has_bias)
        self.activation: nn.Module = getattr(nn, layer.activation)()
        self.is_residual = layer.is_residual
        is_projected = layer.is_residual and layer.n_inputs != layer.n_outputs
        self.residual = nn.Linear(layer.n_inputs, layer.n_outputs, bias=False) if is_projected else None

    def forward(self, vector: Tensor) -> Tensor:
        found: Tensor = self.activation(self.linear(vector))
        if self.is_residual:
            found = found + (vector if self.residual is None else self.residual(vector))
        return found


class _Normalise(nn.Module):
    def forward(self, vector: Tensor) -> Tensor:
        return nn.functional.normalize(vector, dim=-1)


class _Centre(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, vector: Tensor) -> Tensor:
        normed: Tensor = self.norm(vector)
        return normed


def _module(step: Step) -> nn.Module:
    if isinstance(step, DenseLayer):
        return _Dense(step)
    return _Normalise() if isinstance(step, Normalised) else _Centre(step.width)


def _pooled(mode: str, hidden: Tensor, first: int) -> Tensor:
    """Return the vector [D] of the hidden states [T, D] from the token `first` on, by one of POOLINGS.

    Where all tokens are those of a prompt, the vector is that of the last token, as nothing else is left.
    """
    rest = hidden[min(first, len(hidden) - 1) :]
    if mode == "cls":
        return rest[0]
    if mode == "lasttoken":
        return rest[-1]
    if mode == "max":
        return rest.amax(0)
    if mode == "mean":
        return rest.mean(0)
    if mode == "mean_sqrt_len_tokens":
        return rest.sum(0) / math.sqrt(len(rest))
    # The positions count from 1, those of a prompt among them (Muennighoff 2022, arXiv:2202.08904).
    weights = torch.arange(len(hidden) - len(rest) + 1, len(hidden) + 1, dtype=hidden.dtype)
    weighted: Tensor = (rest * weights[:, None]).sum(0) / weights.sum()
    return weighted


def widths(config: SentenceConfig) -> Sequence[int]:
    """Return the width of the vector after the pooling and after each step."""
    found = [config.width * len(config.pooling.modes)]
    for step in config.steps:
        found.append(step.n_outputs if isinstance(step, DenseLayer) else found[-1])
    return found
