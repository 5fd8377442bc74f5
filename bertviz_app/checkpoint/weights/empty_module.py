"""Modules on the meta device: shapes without memory, to be filled from a checkpoint."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from bertviz_app.encoder.config import EncoderConfig, TaskHeadsConfig
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.output import SentenceConfig, SentenceVector, TaskHeads

_FILLING = (Tensor.normal_, Tensor.uniform_, Tensor.fill_, Tensor.zero_)
_FILLING_MODULE = "torch.nn.init"  # torch calls the mode before the tensor's methods


class _Unfilled(TorchFunctionMode):
    """Skips the initialisation of new parameters.

    On the meta device there is nothing to fill, yet doing so loads 800 of torch's modules: a second.
    """

    def __torch_function__(
        self,
        func: Callable[..., object],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> object:
        named = dict(kwargs or {})
        if func in _FILLING or getattr(func, "__module__", "") == _FILLING_MODULE:
            return args[0] if args else named["tensor"]
        return func(*args, **named)


def blank_encoder(config: EncoderConfig) -> Encoder:
    """Return an encoder whose parameters have shapes and no memory, for `load_state_dict(assign=True)`."""
    with torch.device("meta"), _Unfilled():
        return Encoder(config)


def blank_heads(config: EncoderConfig, heads: TaskHeadsConfig) -> TaskHeads:
    """Return task heads whose parameters have shapes and no memory."""
    with torch.device("meta"), _Unfilled():
        return TaskHeads(config, heads)


def blank_sentence_vector(config: SentenceConfig) -> SentenceVector:
    """Return the modules of a sentence vector whose parameters have shapes and no memory."""
    with torch.device("meta"), _Unfilled():
        return SentenceVector(config)
