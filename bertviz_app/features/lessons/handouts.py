"""`HandoutNumbers`: what one head makes of one token, as a hand-out draws and prints it."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from bertviz_app.analysis.pairs import attention_row, strongest
from bertviz_app.trace import Trace
from bertviz_app.trace.trace import keys_of_query, values_of_query
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass

MOST_TOKENS = 14
"""Of longer texts the tokens with the largest weights are drawn, in their order."""
N_NUMBERS = 4
"""The number of numbers of each vector that are printed."""
N_SUMMED = 3
"""The number of numbers of the weighted sum that are computed by hand."""
N_ROWS = 3
"""The number of keys that are computed by hand."""
MOST_IN_MATRIX = 14
"""Up to this number of tokens the weights of the whole head are drawn."""


@dataclass(frozen=True, eq=False)
class HandoutNumbers:
    """A trace, a head of it, the token that looks, and the key whose score is computed product by product."""

    trace: Trace
    layer: int
    head: int
    query: int
    key: int

    @cached_property
    def weights(self) -> Floats:
        """The weights of the query, of all tokens: [T]."""
        return attention_row(self.trace, self.layer, self.head, self.query)

    @cached_property
    def shown(self) -> list[int]:
        """The positions that are drawn, in order."""
        if self.trace.n_tokens <= MOST_TOKENS:
            return list(range(self.trace.n_tokens))
        first = [self.query, self.key]
        others = [at for at in strongest(self.weights, MOST_TOKENS) if at not in first]
        return sorted([*dict.fromkeys(first), *others][:MOST_TOKENS])

    @property
    def is_whole(self) -> bool:
        """Whether all tokens are drawn."""
        return len(self.shown) == self.trace.n_tokens

    @property
    def weight_left(self) -> float:
        """The sum of the weights that are not drawn."""
        return 0.0 if self.is_whole else float(1 - self.weights[self.shown].sum())

    @property
    def n_numbers(self) -> int:
        """How many numbers of q, k and v are printed."""
        return min(N_NUMBERS, self.trace.head_width)

    @cached_property
    def computed(self) -> list[int]:
        """The keys that are computed by hand, in order: `key`, and the others with the largest weights."""
        others = [at for at in strongest(self.weights, N_ROWS) if at != self.key]
        return sorted([self.key, *others][:N_ROWS])

    @property
    def others(self) -> list[int]:
        """The keys that are not."""
        return [at for at in range(self.trace.n_tokens) if at not in self.computed]

    def vectors(self, name: str) -> Floats:
        """Return the first numbers of the "queries", "keys" or "values" of all tokens, [T, n_numbers].

        Keys and values are those that the query attends with.
        """
        if name == "queries":
            vectors: Floats = self.trace.queries[self.layer, self.head]
        else:
            of_query = {"keys": keys_of_query, "values": values_of_query}[name]
            vectors = of_query(self.trace, self.layer, self.head, self.query)
        return vectors[:, : self.n_numbers]

    @property
    def products(self) -> Doubles:
        """What the first numbers of the query give with those of each key, one by one: [T, n_numbers]."""
        query, keys = self.vectors("queries")[self.query], self.vectors("keys")
        return np.asarray(query.astype(np.float64) * keys, np.float64)

    @property
    def rest_of_products(self) -> Doubles:
        """What the other numbers add to the score of each key: [T]."""
        return np.asarray(self.scores - self.products.sum(1), np.float64)

    @cached_property
    def scores(self) -> Floats:
        """The products of the query with each key, before anything is divided: [T]."""
        return self.trace.scores(self.layer, self.head, self._row, scaled=False).reshape(-1)

    @cached_property
    def scaled(self) -> Floats:
        """The products divided by the root of the head's width: [T]."""
        return next(iter(self.trace.score_parts(self.layer, self.head, self._row).values())).reshape(-1)

    @cached_property
    def biased(self) -> Floats | None:
        """What the softmax is given where something is added to the scaled products, else None: [T]."""
        if self.trace.bias is None:
            return None
        return self.trace.scores(self.layer, self.head, self._row).reshape(-1)

    @property
    def given(self) -> Doubles:
        """What the softmax is given: the scaled scores, with what is added to them if anything is: [T]."""
        return np.asarray(self.scaled if self.biased is None else self.biased, np.float64)

    @property
    def exponentials(self) -> Doubles:
        """The exponential of each score less the largest one: [T]. The softmax divides them by their sum."""
        return np.asarray(np.exp(self.given - self.given.max()), np.float64)

    @property
    def weighted(self) -> Doubles:
        """The first numbers of each value times its weight: [T, N_SUMMED]."""
        values = self.vectors("values")[:, :N_SUMMED].astype(np.float64)
        return np.asarray(self.weights[:, None].astype(np.float64) * values, np.float64)

    @property
    def matrix(self) -> Floats | None:
        """All weights of the head, [T, T]; None where they are too many for a page."""
        if self.trace.n_tokens > MOST_IN_MATRIX:
            return None
        return self.trace.attention(self.layer, self.head)

    @property
    def _row(self) -> slice:
        return slice(self.query, self.query + 1)


def handout_numbers(
    trace: Trace, layer: int, head: int, query: int | None = None, key: int | None = None
) -> HandoutNumbers:
    """Return the numbers of a head; without a query of the first token of the text.

    Without a key it is the other token of the text that the query looks at most. Raises SelectionError for a
    layer or a head that the trace does not have.
    """
    words = np.flatnonzero(~trace.tokens.is_special)
    if query is None:
        query = int(words[0]) if len(words) else 0
    if key is None:
        weights = attention_row(trace, layer, head, query)
        order = [at for at in strongest(weights, len(weights)) if at != query]
        of_text = [at for at in order if at in words]
        key = (of_text or order or [query])[0]
    trace.attention(layer, head, rows=slice(query, query + 1))  # raises for what there is not
    return HandoutNumbers(trace, layer, head, query, key)
