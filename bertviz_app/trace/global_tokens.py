"""What a query meets and gathers: the keys and values of the trace, or those of its global attention."""

from __future__ import annotations

import numpy as np

from bertviz_app.trace.bias import GlobalAttention
from bertviz_app.trace.trace import Trace
from bertviz_app.types import Floats


def is_global(trace: Trace, query: int) -> bool:
    """Return whether a token has global attention: its query is made, and met, by projections of its own."""
    return isinstance(trace.bias, GlobalAttention) and bool(trace.bias.is_global(np.array(query)))


def keys_of_query(trace: Trace, layer: int, head: int, query: int) -> Floats:
    """Return the keys [T, E] that `query` is multiplied with."""
    source = trace.bias if isinstance(trace.bias, GlobalAttention) and is_global(trace, query) else trace
    keys: Floats = source.keys[layer, head]
    return keys


def values_of_query(trace: Trace, layer: int, head: int, query: int) -> Floats:
    """Return the values [T, E] of which `query` gathers a weighted sum."""
    source = trace.bias if isinstance(trace.bias, GlobalAttention) and is_global(trace, query) else trace
    values: Floats = source.values[layer, head]
    return values
