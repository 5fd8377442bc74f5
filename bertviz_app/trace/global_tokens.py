"""The keys and values that a query attends with: those of the trace, or of the global attention."""

from __future__ import annotations

import numpy as np

from bertviz_app.trace.bias import GlobalAttention
from bertviz_app.trace.trace import Trace
from bertviz_app.types import Floats


def is_global(trace: Trace, query: int) -> bool:
    """Return whether a token has global attention, whose queries, keys and values have own projections."""
    return isinstance(trace.bias, GlobalAttention) and bool(trace.bias.is_global(np.array(query)))


def keys_of_query(trace: Trace, layer: int, head: int, query: int) -> Floats:
    """Return the keys [T, E] that `query` is multiplied with."""
    keys: Floats = _source(trace, query).keys[layer, head]
    return keys


def values_of_query(trace: Trace, layer: int, head: int, query: int) -> Floats:
    """Return the values [T, E] of which the head's output for `query` is the weighted sum."""
    values: Floats = _source(trace, query).values[layer, head]
    return values


def _source(trace: Trace, query: int) -> Trace | GlobalAttention:
    return trace.bias if isinstance(trace.bias, GlobalAttention) and is_global(trace, query) else trace
