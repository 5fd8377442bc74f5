"""One pass over every head: a thumbnail of its attention and the numbers that describe it.

The measures are means over the T queries of a head (Clark et al. 2019, arXiv:1906.04341, section 3):
the weight on a kind of key, the entropy of a row in bits, the largest weight of a row.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertviz_app.trace import Trace
from bertviz_app.trace.pooling import area_maximum, pooled_size

Floats = NDArray[np.float32]

MEASURES = ("entropy", "previous", "next", "first", "separator", "largest")
"""In the order in which they are shown: entropy in bits, the others are weights from 0 to 1.

`first` is the weight on token 0 ([CLS] in BERT), `separator` that on the other special tokens.
"""

_CELLS_AT_ONCE = 1 << 22  # 16 MB of float32


@dataclass(frozen=True, eq=False)
class HeadOverview:
    """All heads at a glance.

    `pictures` [L, H, c, c]: the largest weight of each block of tokens, c <= the cell asked for.
    `measures`: name -> [L, H], see MEASURES. `row_error`: the largest |1 - sum of a row| over all rows,
    before rounding was divided out: a large one means that queries, keys and lse do not belong together.
    """

    pictures: Floats
    measures: dict[str, Floats]
    row_error: float


def head_overview(trace: Trace, cell: int = 64, check: Callable[[], None] | None = None) -> HeadOverview:
    """Return thumbnails and measures of every head; `check` is called between blocks of rows."""
    size, block = pooled_size(trace.n_tokens, cell)
    pictures = np.zeros((trace.n_layers, trace.n_heads, size, size), np.float32)
    sums = {name: np.zeros((trace.n_layers, trace.n_heads), np.float64) for name in MEASURES}
    row_error = 0.0
    at_once = max(1, _CELLS_AT_ONCE // (trace.n_heads * trace.n_tokens * block))
    for layer in range(trace.n_layers):
        for first in range(0, size, at_once):
            if check is not None:
                check()
            rows = slice(first * block, min(trace.n_tokens, (first + at_once) * block))
            scores = trace.scores(layer, rows=rows)
            # log(weight) = score - lse, so the entropy needs no logarithm of a weight that may be 0.
            scores -= trace.lse[layer][:, rows, None]
            weights = np.exp(scores)
            total = weights.sum(
                -1, keepdims=True
            )  # 1 but for rounding, which `Trace.attention` divides out too
            weights /= total
            scores -= np.log(total)
            pictures[layer, :, first : first + at_once] = area_maximum(weights, block)
            _add(sums, layer, weights, scores, trace, rows)
            row_error = max(row_error, float(np.abs(total - 1).max()))
    # Rounding may make a weight a little more than 1, and an entropy a little less than 0.
    measures = {
        name: np.maximum(total / trace.n_tokens, 0).astype(np.float32) for name, total in sums.items()
    }
    return HeadOverview(pictures, measures, row_error)


def _add(
    sums: dict[str, NDArray[np.float64]],
    layer: int,
    weights: Floats,
    logarithms: Floats,
    trace: Trace,
    rows: slice,
) -> None:
    """Add to `sums` what the rows `rows` of `weights` [H, rows, T] contribute."""
    queries = np.arange(rows.start, rows.stop)
    place = np.arange(len(queries))
    special = np.flatnonzero(trace.tokens.is_special)
    separators = special[special != 0]
    has_previous, has_next = queries > 0, queries < trace.n_tokens - 1
    sums["entropy"][layer] -= np.einsum("hij,hij->h", weights, logarithms, dtype=np.float64) / np.log(2)
    sums["previous"][layer] += weights[:, place[has_previous], queries[has_previous] - 1].sum(-1)
    sums["next"][layer] += weights[:, place[has_next], queries[has_next] + 1].sum(-1)
    sums["first"][layer] += weights[:, :, 0].sum(-1)
    sums["separator"][layer] += weights[:, :, separators].sum((-2, -1))
    sums["largest"][layer] += weights.max(-1).sum(-1)
