"""The numbers of one query and one key: in one head step by step, and in every head."""

from __future__ import annotations

import numpy as np

from bertviz_app.errors import Check
from bertviz_app.text.tokens import token_at
from bertviz_app.trace import Trace
from bertviz_app.trace.archive import as_trace
from bertviz_app.trace.bias import CONTENT, DISTANCE
from bertviz_app.trace.trace import keys_of_query, values_of_query
from bertviz_app.types import Bools, Doubles, Floats
from bertviz_app.values import dataclass

WHOLE = 512
"""Up to this number of tokens the whole matrix of a head is computed for one column, which takes 2 ms."""


@dataclass(frozen=True)
class PairNumbers:
    """The numbers of one pair in one head, from the product of query and key to the weight.

    `scaled` is the product divided by the root of `radicand`, `added` what the encoder adds to it, by the
    names of `Trace.score_parts`, mostly nothing; `score`, of which the softmax is taken, is their sum. `rank`
    counts from 1 (the largest weight of the row), `n_keys` is the number of keys that the query can attend
    to. `row_entropy` is in bits. `column_mean` is the mean weight that all queries give this key, `others`
    that of the other queries that can see it, see `pair_others`, None where there are none. Of weights alone
    the numbers before the weight are nan, and `radicand` is 0.
    """

    query: int
    key: int
    product: float
    scaled: float
    added: dict[str, float]
    score: float
    weight: float
    rank: int
    n_keys: int
    row_entropy: float
    column_mean: float
    others: float | None
    radicand: int


def pair_numbers(trace: Trace, layer: int, head: int, query: int, key: int) -> PairNumbers:
    """Return the numbers of `query` looking at `key`; costs one row and one column of the head.

    Raises SelectionError for a layer or a head that does not exist.
    """
    row, column = attention_row(trace, layer, head, query), attention_column(trace, layer, head, key)
    return numbers_of(trace, layer, head, (query, key), row, column)


def numbers_of(
    trace: Trace,
    layer: int,
    head: int,
    pair: tuple[int, int],
    row: Floats,
    column: Floats,
) -> PairNumbers:
    """Return the result of `pair_numbers` for a query and a key, from its row and column of weights [T]."""
    query, key = pair
    at = (layer, head, slice(query, query + 1), slice(key, key + 1))
    weight, has_scores = float(row[key]), trace.has_states
    product = float(trace.scores(*at, scaled=False)[0, 0]) if has_scores else np.nan
    parts = {CONTENT: np.nan}
    if has_scores:
        parts = {name: float(values[0, 0]) for name, values in trace.score_parts(*at).items()}
    # With global tokens or in a window the softmax of a query is over the keys that it reaches.
    scores = None if trace.bias is None else trace.scores(layer, head, slice(query, query + 1))
    n_keys = trace.n_keys if scores is None else int(np.isfinite(scores).sum())
    if not has_scores and trace.mask is not None:
        n_keys = int((~trace.mask[query]).sum())
    reached = queries_that_reach(trace, layer, key)
    reached[query] = False
    logarithms = np.log2(row, out=np.zeros_like(row), where=row > 0)
    return PairNumbers(
        query=query,
        key=key,
        product=product,
        scaled=parts.pop(CONTENT),
        added=parts,
        score=float(trace.scores(*at)[0, 0]) if has_scores else np.nan,
        weight=weight,
        rank=int((row > row[key]).sum()) + 1,
        n_keys=n_keys,
        # Not below 0, not even as -0.0, where rounding makes a weight a little more than 1.
        row_entropy=max(0.0, -float(row @ logarithms)),
        column_mean=float(column.mean()),
        others=float(column[reached].mean()) if reached.any() else None,
        radicand=trace.radicand if has_scores else 0,
    )


def attention_row(trace: Trace, layer: int, head: int, query: int) -> Floats:
    """Return the weights [T] with which `query` looks at every key, shares of 1.

    Raises SelectionError for a layer or a head that does not exist.
    """
    return trace.attention(layer, head, rows=slice(query, query + 1)).reshape(-1)


def attention_column(trace: Trace, layer: int, head: int, key: int) -> Floats:
    """Return the weights [T] with which every query looks at `key`, shares of 1.

    Up to WHOLE tokens they are cut out of whole rows and exactly what `attention_row` gives; of longer texts
    they may be off by the rounding of scores, see `Trace.attention`. Raises SelectionError for a layer or a
    head that does not exist.
    """
    if trace.n_tokens <= WHOLE:
        return trace.attention(layer, head)[:, key]
    return trace.attention(layer, head, columns=slice(key, key + 1)).reshape(-1)


def strongest(weights: Floats, count: int) -> list[int]:
    """Return the positions of the `count` largest weights, the largest first, ties by position."""
    return [int(token) for token in np.argsort(-weights, kind="stable")[:count]]


def pair_weights(trace: Trace, query: int | str, key: int | str) -> Floats:
    """Return the weight with which `query` looks at `key` in every head: "which head does this?".

    Up to WHOLE tokens each is exactly what `attention_row` gives; of longer texts they may be off by the
    rounding of scores, see `Trace.attention`.

    Parameters
    ----------
    trace : Trace
        The run, such as `model.trace(text)`.
    query, key : int or str
        Two tokens: positions from 0, or their text, such as "it"; "it#2" is the second one of several.

    Returns
    -------
    ndarray of float32, shape [L, H]
        Shares of 1: all keys together have 1 in each head. nan for heads that a layer does not have.

    Raises
    ------
    SelectionError
        For a token that there is not, and for a text that several tokens have.
    ArgumentError
        For what is no trace, or no token.
    """
    trace = as_trace(trace, "pair_weights(model.trace(text), 7, 2)")
    at, column = token_at(trace.tokens, query), token_at(trace.key_tokens, key)
    is_whole = trace.n_tokens <= WHOLE
    row, some = slice(at, at + 1), slice(None) if is_whole else slice(column, column + 1)
    found = np.full((trace.n_layers, trace.n_heads), np.nan, np.float32)
    for layer in range(trace.n_layers):
        weights = trace.attention(layer, None, row, some)
        found[layer, : len(weights)] = weights[:, 0, column if is_whole else 0]
    return found


def pair_others(trace: Trace, query: int | str, key: int | str) -> Floats:
    """Return the mean weight with which the other tokens look at `key` in every head.

    What `pair_weights` is compared with: a head in which every token looks at `key` says nothing about
    `query`. The weights may be off by the rounding of scores, see `Trace.attention`.

    Parameters
    ----------
    trace : Trace
        The run, such as `model.trace(text)`.
    query, key : int or str
        Two tokens, as `pair_weights` takes them.

    Returns
    -------
    ndarray of float32, shape [L, H]
        Shares of 1, over all tokens but `query` that can see `key`: in a causal model those after it, in a
        layer with a window those near it. nan where there are none, and for heads that a layer does not have.

    Raises
    ------
    SelectionError
        For a token that there is not, and for a text that several tokens have.
    ArgumentError
        For what is no trace, or no token.
    """
    trace = as_trace(trace, "pair_others(model.trace(text), 7, 2)")
    at, column = token_at(trace.tokens, query), token_at(trace.key_tokens, key)
    found = np.full((trace.n_layers, trace.n_heads), np.nan, np.float32)
    for layer in range(trace.n_layers):
        reached = queries_that_reach(trace, layer, column)
        reached[at] = False
        if reached.any():
            means = trace.attention(layer, None, reached, slice(column, column + 1)).mean((1, 2))
            found[layer, : len(means)] = means
    return found


def queries_that_reach(trace: Trace, layer: int, key: int) -> Bools:
    """Return a mask [T] of the tokens that can attend to `key`: not all in a causal model or a window."""
    if trace.has_states and trace.bias is not None and (heads := trace.heads_of(layer)):
        return np.isfinite(trace.scores(layer, heads[0], columns=slice(key, key + 1))[:, 0])
    return np.ones(trace.n_tokens, bool) if trace.mask is None else ~trace.mask[:, key]


def specificity(trace: Trace, query: int | str, key: int | str) -> Floats:
    """Return how much more weight each head gives a pair than is explained by its key, or by its distance.

    It is the weight of the pair less the larger of two means: that of the other tokens on the same key
    (`pair_others`), and that of the other words on the word at the same distance from them. A head in which
    every token looks at `key`, and one that looks at the token before whatever that is, have about 0. The
    rule is ours. Special tokens have no part in the second mean: heads look at them when they have nothing
    else to look at (Clark et al. 2019, arXiv:1906.04341).

    Returns
    -------
    ndarray of float32, shape [L, H]
        From -1 to 1. A mean over no tokens counts as 0; nan for heads that a layer does not have.

    Raises
    ------
    SelectionError, ArgumentError
        As `pair_weights`.
    """
    weights, others = pair_weights(trace, query, key), pair_others(trace, query, key)
    at, column = token_at(trace.tokens, query), token_at(trace.key_tokens, key)
    return weights - np.fmax(np.nan_to_num(others), _at_distance(trace, at, column))


_ROWS = 128  # at a time: a rectangle of so many queries and keys, of which the diagonal is used


def _at_distance(trace: Trace, query: int, key: int) -> Floats:
    """Return the mean weight [L, H] of the other words on the word as far from them as `key` from `query`.

    0 where there are none, and for cross-attention, where there is no distance.
    """
    found = np.zeros((trace.n_layers, trace.n_heads), np.float32)
    positions, distance = np.arange(trace.n_tokens), key - query
    is_inside = (positions + distance >= 0) & (positions + distance < trace.n_tokens) & (positions != query)
    is_word = ~trace.tokens.is_special
    rows = positions[is_inside & is_word]
    rows = rows[is_word[rows + distance]]
    if trace.is_cross or not len(rows):
        return found
    for first in range(0, len(rows), _ROWS):
        some = rows[first : first + _ROWS]
        for layer in range(trace.n_layers):
            weights = trace.attention(layer, None, some, some + distance)
            found[layer, : len(weights)] += np.diagonal(weights, axis1=1, axis2=2).sum(-1)
    found /= len(rows)
    return found


LONGEST_COMPARED = 256
"""Of longer texts the most specific pair is not looked for: all weights of all heads would be read."""


@dataclass(frozen=True)
class SpecificPair:
    """A pair of words and the head that is most specific to it; `specificity` as `specificity` returns it."""

    layer: int
    head: int
    query: int
    key: int
    specificity: float


def most_specific_pair(
    trace: Trace, check: Check = lambda: None, only: tuple[int, int] | None = None
) -> SpecificPair | None:
    """Return the pair of different words with the largest `specificity` of all pairs and heads of a text.

    `only`: of the pairs in this layer and head. None for a text without such a pair or of more than
    LONGEST_COMPARED tokens, and for cross-attention. Pieces of one word are no pair, and special tokens and
    those without a letter or a digit are in none. `check` is called before each layer.
    """
    words = np.flatnonzero(~trace.tokens.is_special)
    if trace.is_cross or len(words) < 3 or trace.n_tokens > LONGEST_COMPARED:
        return None
    best: SpecificPair | None = None
    is_written = np.array([any(map(str.isalnum, trace.tokens.labels[at])) for at in words.tolist()])
    sentence, word = trace.tokens.sentences[words], trace.tokens.words[words]
    is_one_word = (sentence[:, None] == sentence) & (word[:, None] == word) & (word >= 0)
    is_pair = is_written[:, None] & is_written & ~is_one_word & ~np.eye(len(words), dtype=bool)
    if not is_pair.any():
        return None
    distances = words[None, :] - words[:, None] + trace.n_tokens
    n_at = np.bincount(distances.ravel(), minlength=2 * trace.n_tokens)
    for layer in range(trace.n_layers) if only is None else only[:1]:
        check()
        # [T, W]
        reached = np.stack([queries_that_reach(trace, layer, key) for key in words.tolist()], axis=1)
        for head in trace.heads_of(layer) if only is None else only[1:]:
            weights = trace.attention(layer, head)
            columns = weights[:, words].astype(np.float64) * reached
            pairs = weights[np.ix_(words, words)].astype(np.float64)
            n_others = reached.sum(0) - reached[words]
            others = (columns.sum(0) - pairs * reached[words]) / np.maximum(n_others, 1)
            sums = np.bincount(distances.ravel(), pairs.ravel(), minlength=2 * trace.n_tokens)
            at_distance = (sums[distances] - pairs) / np.maximum(n_at[distances] - 1, 1)
            found = pairs - np.maximum(others, np.maximum(at_distance, 0.0))
            found[~is_pair] = -2.0
            query, key = np.unravel_index(int(found.argmax()), found.shape)
            largest = float(found[query, key])
            if best is None or largest > best.specificity:
                best = SpecificPair(layer, head, int(words[query]), int(words[key]), largest)
    return best


@dataclass(frozen=True)
class PairHead:
    """A head, the weight that it gives a pair of tokens, and that of the other tokens on the same key.

    `others` is their mean, see `pair_others`; None where it is not known.
    """

    layer: int
    head: int
    weight: float
    others: float | None = None


def strongest_heads(weights: Floats, count: int = 3, others: Floats | None = None) -> list[PairHead]:
    """Return the heads that give a pair most weight, or most above what the other tokens give its key.

    Parameters
    ----------
    weights : ndarray of float32, shape [L, H]
        See `pair_weights`.
    count : int
        How many heads are returned, at most.
    others : ndarray of float32, shape [L, H], optional
        See `pair_others`; where it is given, the heads are ordered by the difference.

    Returns
    -------
    list of PairHead
        Largest weight or difference first, ties by layer and head.
    """
    order_by = weights if others is None else weights - np.nan_to_num(others)
    order = np.argsort(-order_by, axis=None, kind="stable")[:count]
    layers, heads = (indices.tolist() for indices in np.unravel_index(order, weights.shape))
    found = []
    for at in zip(layers, heads, strict=True):
        compared = None if others is None or np.isnan(others[at]) else float(others[at])
        found.append(PairHead(*at, float(weights[at]), compared))
    return found


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
