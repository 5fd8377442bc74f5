"""A small encoder and small inputs for the tests of its parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from bertviz_app.encoder.config import EncoderConfig
from bertviz_app.encoder.encoder import Encoder

SMALL = EncoderConfig(
    vocabulary_size=50, n_positions=20, n_segments=2, n_layers=3, n_heads=4, width=32, feed_forward_width=64
)


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
