"""A small encoder and small inputs for the tests of its parts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from bertviz_app.encoder.config import Disentangling, EncoderConfig
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.trace.form import Form

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
