"""Attention sinks: tokens that receive much attention and whose value vectors are short."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bertviz_app.types import Floats

if TYPE_CHECKING:
    from bertviz_app.trace import Trace

MUCH = 2.5
"""A sink receives at least this multiple of the mean attention that tokens of its layer receive."""

SHORT = 0.7
"""The value vectors of a sink are at most this share of the mean length of those of the other tokens."""


def sinks_of(trace: Trace, received: Floats) -> NDArray[np.bool_]:
    """Return bool [L, T], in which layers each token is a sink.

    The rule is ours, and treats special tokens as all others: over all heads of the layer the token receives
    at least MUCH times the mean attention, and its value vectors are on average at most SHORT times as long
    as those of the other tokens. So most of the attention that it receives changes little (Kobayashi et al.
    2020, arXiv:2004.10102, section 4.1). `received` [L, T]: the attention that each token receives, the sum
    over heads and queries.
    """
    # A layer at a time: the squares of all values of a long text would fill the memory.
    return np.stack([sinks_in_layer(*of_layer) for of_layer in zip(trace.values, received, strict=True)])


def sinks_in_layer(values: Floats, received: Floats) -> NDArray[np.bool_]:
    """Return bool [T], which tokens are a sink in a layer, see `sinks_of`.

    `values` [H, T, E] are the value vectors of the layer, `received` [T] is the attention to each token.
    """
    n_tokens = len(received)
    if n_tokens == 1:
        return np.zeros(received.shape, bool)
    lengths = np.linalg.norm(values, axis=-1).mean(0)  # [T]
    others = (lengths.sum() - lengths) / (n_tokens - 1)
    gathers = received >= MUCH * received.mean()
    found: NDArray[np.bool_] = gathers & (received > 0) & (lengths <= SHORT * others)
    return found


def sink_layers(sinks: NDArray[np.bool_] | None) -> dict[int, tuple[int, ...]]:
    """Return the positions of the tokens that are a sink in any layer, with these layers; `sinks` [L, T]."""
    if sinks is None:
        return {}
    return {int(at): tuple(np.flatnonzero(sinks[:, at]).tolist()) for at in np.flatnonzero(sinks.any(0))}
