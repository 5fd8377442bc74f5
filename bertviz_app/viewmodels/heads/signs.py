"""What pictures of heads and the views of them agree on: how full a colour is, and the sign of a sink."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bertviz_app.viewmodels.options import Scale

SINK = "▾"
"""Stands behind the label of a key that is an attention sink in the layer that is drawn."""
LEAST = 1e-4
"""Where the logarithmic scale begins: of weights this one, of other numbers this share of the largest."""


def shares(weights: NDArray[np.float32], largest: float, scale: Scale) -> NDArray[np.float32]:
    """Return how much of full colour each of `weights` [rows, keys] has, from 0 to 1.

    "shared" and "linear": the share of `largest`; "log": 0 at LEAST and 1 at `largest`, evenly between by
    ratios; "row": the share of the row's own largest.
    """
    if scale == "log":
        span = np.log10(max(largest, 10 * LEAST) / LEAST)
        decades = np.log10(np.maximum(weights, LEAST) / np.float32(LEAST))
        clipped: NDArray[np.float32] = np.clip(decades / np.float32(span), 0, 1).astype(np.float32)
        return clipped
    if scale == "row":
        tops = weights.max(1, keepdims=True, initial=0.0)
        divided = weights / np.maximum(tops, np.float32(1e-30))
        of_row: NDArray[np.float32] = divided.astype(np.float32, copy=False)
        return of_row
    return weights * np.float32(1 / max(largest, 1e-30))
