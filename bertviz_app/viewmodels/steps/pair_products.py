"""`PairProducts`: the score of one query and one key, written out as the products that it is the sum of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bertviz_app.analysis.pairs import HeadSteps
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles, Floats


@dataclass(frozen=True, eq=False)
class PairProducts:
    """The products q_d k_d [E] of two tokens, and `score`, their sum as the trace has it."""

    key: int
    query_label: str
    key_label: str
    query_row: Floats
    key_row: Floats
    products: Doubles
    score: float

    @property
    def bound(self) -> float:
        """The largest product by size, at which the colours are full."""
        return float(np.abs(self.products).max()) or 1.0


def pair_products(trace: Trace, steps: HeadSteps, key: int | None) -> PairProducts:
    """Return the products of the query and `key`; of None the key with the largest weight is taken."""
    key = int(steps.weights.argmax()) if key is None else key
    labels = trace.tokens.labels
    return PairProducts(
        key,
        labels[steps.query],
        labels[key],
        steps.query_row,
        steps.keys[key],
        steps.products_with(key),
        float(steps.products[key]),
    )
