"""How the vector Z of one query in one head is computed, step by step, with every number."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bertviz_app.trace import Trace
from bertviz_app.trace.bias import CONTENT, DISTANCE
from bertviz_app.trace.global_tokens import keys_of_query, values_of_query
from bertviz_app.types import Doubles, Floats


@dataclass(frozen=True, eq=False)
class HeadSteps:
    """The arithmetic of `query` in one head, in the order in which it is done (Vaswani et al. 2017, 3.2.1).

    The softmax is computed as programs do it, without overflow: with m the largest score, exp(s - m) divided
    by the sum of these. `maxima` is the running maximum from the first key to each (Milakov & Gimelshein
    2018, arXiv:1805.02867), the last of which is m. The weights are the trace's own, not computed again.
    """

    layer: int
    head: int
    query: int
    query_row: Floats  # [E]
    keys: Floats  # [T, E]
    products: Floats  # [T], q . k
    radicand: int  # they are divided by its root
    scaled: Floats  # [T], the products divided by that
    added: dict[str, Floats]  # [T] each, what is added to these, by the names of `Trace.score_parts`
    biased: Floats  # [T], s: the sum of `scaled` and `added`, of which the softmax is taken
    maxima: Floats  # [T]
    exponentials: Floats  # [T], exp(s - m)
    weights: Floats  # [T]
    values: Floats  # [T, E]
    weighted: Floats  # [T, E], each value times its weight
    gathered: Floats  # [E], Z, the sum of these, before the head is muted

    @property
    def maximum(self) -> float:
        """m, the largest score of the row."""
        return float(self.maxima[-1])

    @property
    def total(self) -> float:
        """The sum of the exponentials, by which each is divided."""
        return float(self.exponentials.sum())

    def products_with(self, key: int) -> Doubles:
        """Return [E]: the query times a key, number by number; their sum is `products[key]`."""
        products: Doubles = self.query_row.astype(np.float64) * self.keys[key]
        return products

    def weights_divided_by(self, divisor: float) -> Doubles:
        """Return [T]: the weights if the products were divided by `divisor` instead.

        What is added for the distance of two tokens stays as it is; keys beyond a window keep weight 0.
        """
        is_outside = np.isneginf(self.biased)
        bias = np.where(is_outside, 0.0, self.added.get(DISTANCE, np.zeros_like(self.biased)))
        divided = np.where(is_outside, 0.0, self.biased).astype(np.float64) - bias
        scores = np.where(is_outside, -np.inf, divided * (np.sqrt(self.radicand) / divisor) + bias)
        exponentials = np.exp(scores - scores.max())
        weights: Doubles = exponentials / exponentials.sum()
        return weights


def head_steps(trace: Trace, layer: int, head: int, query: int) -> HeadSteps:
    """Return the steps of one query (Vaswani et al. 2017, section 3.2.1); costs one row of the head.

    Raises SelectionError for a layer or a head that does not exist.
    """
    rows = slice(query, query + 1)
    products = trace.scores(layer, head, rows, scaled=False)[0]
    parts = {name: values[0] for name, values in trace.score_parts(layer, head, rows).items()}
    biased = trace.scores(layer, head, rows)[0]
    weights = trace.attention(layer, head, rows)[0]
    maxima = np.maximum.accumulate(biased)
    values = values_of_query(trace, layer, head, query)
    weighted = weights[:, None] * values
    return HeadSteps(
        layer=layer,
        head=head,
        query=query,
        query_row=trace.queries[layer, head, query],
        keys=keys_of_query(trace, layer, head, query),
        products=products,
        radicand=trace.radicand,
        scaled=parts.pop(CONTENT),
        added=parts,
        biased=biased,
        maxima=maxima,
        exponentials=np.exp(biased - maxima[-1]),
        weights=weights,
        values=values,
        weighted=weighted,
        gathered=weighted.sum(0),
    )
