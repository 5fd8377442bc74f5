"""One pass over every head: a thumbnail of its attention and the numbers that describe it.

The measures are means over the T queries of a head; MEASURES says what each one is and who proposed it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertviz_app.text.tokens import BERT_NAMES, SpecialNames
from bertviz_app.trace import Trace
from bertviz_app.trace.pooling import area_maximum, pooled_size

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Measure:
    """One number per head, the mean over its T queries.

    `unit` is "bits", "tokens" or "weight"; `meaning` is one sentence; `paper` is where it comes from.
    """

    key: str
    name: str
    meaning: str
    unit: str
    paper: str

    def name_in(self, names: SpecialNames) -> str:
        """Return its name where the special tokens have these `names`."""
        return {"first": names.first, "separator": names.separator}.get(self.key, self.name)

    def largest_possible(self, n_tokens: int) -> float:
        """Return the upper end of its range for `n_tokens` tokens; the lower one is 0."""
        ends = {"bits": math.log2(n_tokens), "tokens": float(n_tokens - 1), "weight": 1.0}
        return ends[self.unit]


_CLARK = "Clark et al. 2019, arXiv:1906.04341, section 3"
_VIG = "Vig & Belinkov 2019, arXiv:1906.04284, section 4, to both sides as an encoder looks"
_VOITA = "after Voita et al. 2019, arXiv:1905.09418, section 5, who leave out the end token"

MEASURES = (
    Measure(
        "entropy",
        "entropy",
        "How spread a query's weights are: 0 if it looks at one token only.",
        "bits",
        _CLARK,
    ),
    Measure(
        "distance",
        "distance",
        "How far a query looks: the distance |i − j| weighted by attention.",
        "tokens",
        _VIG,
    ),
    Measure("first", "[CLS]", "The weight on the first token, [CLS] in BERT.", "weight", _CLARK),
    Measure("separator", "[SEP]", "The weight on the other special tokens, [SEP] in BERT.", "weight", _CLARK),
    Measure("previous", "previous", "The weight on the token before the query.", "weight", _CLARK),
    Measure("same", "same", "The weight on the query's own token.", "weight", _CLARK),
    Measure("next", "next", "The weight on the token after the query.", "weight", _CLARK),
    Measure("largest", "largest", "The largest weight of a row, the head's confidence.", "weight", _VOITA),
)
"""The catalogue, in the order shown. A query without a token before or after it counts as 0 there."""

KEYS = tuple(measure.key for measure in MEASURES)

_LOWEST = np.finfo(np.float32).min / 2
_CELLS_AT_ONCE = 1 << 22  # 16 MB of float32


@dataclass(frozen=True, eq=False)
class HeadOverview:
    """All heads at a glance.

    `pictures` [L, H, c, c]: the largest weight of each block of tokens, c <= the cell asked for.
    `measures`: key -> [L, H], see MEASURES. `row_error`: the largest |1 - sum of a row| over all rows,
    before rounding was divided out: a large one means that queries, keys and lse do not belong together.
    """

    pictures: Floats
    measures: dict[str, Floats]
    row_error: float
    special_names: SpecialNames = BERT_NAMES  # of the tokens that two measures are of


def head_overview(trace: Trace, cell: int = 64, check: Callable[[], None] | None = None) -> HeadOverview:
    """Return thumbnails and measures of every head; `check` is called between blocks of rows."""
    size, block = pooled_size(trace.n_tokens, cell)
    pictures = np.zeros((trace.n_layers, trace.n_heads, size, size), np.float32)
    sums = {name: np.zeros((trace.n_layers, trace.n_heads), np.float64) for name in KEYS}
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
            if trace.bias is not None:  # a weight of 0 has no entropy, and its logarithm, -inf, no product
                np.maximum(scores, _LOWEST, out=scores)
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
    return HeadOverview(pictures, measures, row_error, trace.tokens.special_names)


def head_measures(trace: Trace, check: Callable[[], None] | None = None) -> dict[str, Floats]:
    """Return the measures of every head: key -> [L, H], in the order of MEASURES."""
    return head_overview(trace, check=check).measures


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
    distances = np.abs(queries[:, None] - np.arange(trace.n_tokens)).astype(np.float32)
    has_previous, has_next = queries > 0, queries < trace.n_tokens - 1
    # Each row's own sum in float32 is exact enough, and three times as fast as all in float64.
    sums["entropy"][layer] -= _total(np.einsum("hij,hij->hi", weights, logarithms)) / np.log(2)
    sums["distance"][layer] += weights.reshape(len(weights), -1) @ distances.reshape(-1)
    sums["previous"][layer] += weights[:, place[has_previous], queries[has_previous] - 1].sum(-1)
    sums["same"][layer] += weights[:, place, queries].sum(-1)
    sums["next"][layer] += weights[:, place[has_next], queries[has_next] + 1].sum(-1)
    sums["first"][layer] += weights[:, :, 0].sum(-1)
    sums["separator"][layer] += weights[:, :, separators].sum((-2, -1))
    sums["largest"][layer] += weights.max(-1).sum(-1)


def _total(values: Floats) -> NDArray[np.float64]:
    """Return the sums [H] of `values` [H, rows]."""
    sums: NDArray[np.float64] = values.sum(-1, dtype=np.float64)
    return sums
