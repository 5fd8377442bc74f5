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
    """Return in which layers each token is a sink.

    The rule is ours, and treats special tokens as all others: over all heads of the layer the token receives
    at least MUCH times the mean attention, and its value vectors are on average at most SHORT times as long
    as those of the other tokens. So most of the attention that it receives changes little (Kobayashi et al.
    2020, arXiv:2004.10102, section 4.1).

    Parameters
    ----------
    trace : Trace
        The run, of L layers and T tokens.
    received : ndarray of float32, shape [L, T]
        The attention that each token receives, the sum over heads and queries.

    Returns
    -------
    ndarray of bool, shape [L, T]
    """
    # A layer at a time: the squares of all values of a long text would fill the memory.
    return np.stack([sinks_in_layer(*of_layer) for of_layer in zip(trace.values, received, strict=True)])


def sinks_in_layer(values: Floats, received: Floats) -> NDArray[np.bool_]:
    """Return which tokens [T] are a sink in a layer, see `sinks_of`.

    Parameters
    ----------
    values : ndarray of float32, shape [H, T, E]
        The value vectors of the layer.
    received : ndarray of float32, shape [T]
        The attention that each token receives in it.

    Returns
    -------
    ndarray of bool, shape [T]
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
    """Return the tokens that are a sink in any layer, and the layers.

    Parameters
    ----------
    sinks : ndarray of bool, shape [L, T], optional
        See `sinks_of`; None gives no tokens.

    Returns
    -------
    dict of int to tuple of int
        Position of the token -> layers, from 0.
    """
    if sinks is None:
        return {}
    return {int(at): tuple(np.flatnonzero(sinks[:, at]).tolist()) for at in np.flatnonzero(sinks.any(0))}
