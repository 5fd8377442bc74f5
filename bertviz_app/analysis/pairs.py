"""The numbers of one query and one key in one head, and the keys a query looks at most."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertviz_app.trace import Trace
from bertviz_app.trace.bias import CONTENT

WHOLE = 512
"""Up to so many tokens all of a head is computed for one column: 2 ms."""


@dataclass(frozen=True)
class PairNumbers:
    """What one head makes of one pair: from the product of query and key to the weight.

    `scaled` is the product divided by the root of `radicand`, `added` what the encoder adds to it, by the
    names of `Trace.score_parts`, mostly nothing; `score` is their sum, what the softmax is given. `rank`
    counts from 1 (the largest weight of the row). `row_entropy` is in bits. `column_mean` is the mean
    weight that all queries give this key.
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
    radicand: int


def pair_numbers(trace: Trace, layer: int, head: int, query: int, key: int) -> PairNumbers:
    """Return the numbers of `query` looking at `key`; costs one row and one column of the head.

    Parameters
    ----------
    trace : Trace
    layer, head : int
        Counted from 0.
    query, key : int
        Positions, from 0.

    Returns
    -------
    PairNumbers
        Scores and weights have no unit, `row_entropy` is in bits.

    Raises
    ------
    SelectionError
        For a layer or a head that does not exist.
    """
    row, column = attention_row(trace, layer, head, query), attention_column(trace, layer, head, key)
    return numbers_of(trace, layer, head, (query, key), row, column)


def numbers_of(
    trace: Trace,
    layer: int,
    head: int,
    pair: tuple[int, int],
    row: NDArray[np.float32],
    column: NDArray[np.float32],
) -> PairNumbers:
    """Return what `pair_numbers` does, from a row and a column that are known already.

    Parameters
    ----------
    trace : Trace
    layer, head : int
        Counted from 0.
    pair : tuple of int
        The positions of query and key, from 0.
    row : ndarray of float32, shape [T]
        The weights of the query, see `attention_row`.
    column : ndarray of float32, shape [T]
        The weights of the key, see `attention_column`.

    Returns
    -------
    PairNumbers
    """
    query, key = pair
    at = (layer, head, slice(query, query + 1), slice(key, key + 1))
    product = float(trace.scores(*at, scaled=False)[0, 0])
    parts = {name: float(values[0, 0]) for name, values in trace.score_parts(*at).items()}
    weight = float(row[key])
    logarithms = np.log2(row, out=np.zeros_like(row), where=row > 0)
    return PairNumbers(
        query=query,
        key=key,
        product=product,
        scaled=parts.pop(CONTENT),
        added=parts,
        score=float(trace.scores(*at)[0, 0]),
        weight=weight,
        rank=int((row > row[key]).sum()) + 1,
        n_keys=trace.n_tokens,
        # Not below 0, not even as -0.0, where rounding makes a weight a little more than 1.
        row_entropy=max(0.0, -float(row @ logarithms)),
        column_mean=float(column.mean()),
        radicand=trace.radicand,
    )


def attention_row(trace: Trace, layer: int, head: int, query: int) -> NDArray[np.float32]:
    """Return the weights with which `query` looks at every key.

    Parameters
    ----------
    trace : Trace
    layer, head : int
        Counted from 0.
    query : int
        The position of the query, from 0.

    Returns
    -------
    ndarray of float32, shape [T]
        Shares of 1.

    Raises
    ------
    SelectionError
        For a layer or a head that does not exist.
    """
    return trace.attention(layer, head, rows=slice(query, query + 1)).reshape(-1)


def attention_column(trace: Trace, layer: int, head: int, key: int) -> NDArray[np.float32]:
    """Return the weights with which every query looks at `key`.

    Up to WHOLE tokens they are cut out of whole rows and exactly what `attention_row` gives; of longer
    texts they may be off by the rounding of scores, see `Trace.attention`.

    Parameters
    ----------
    trace : Trace
    layer, head : int
        Counted from 0.
    key : int
        The position of the key, from 0.

    Returns
    -------
    ndarray of float32, shape [T]
        Shares of 1.

    Raises
    ------
    SelectionError
        For a layer or a head that does not exist.
    """
    if trace.n_tokens <= WHOLE:
        return trace.attention(layer, head)[:, key]
    return trace.attention(layer, head, columns=slice(key, key + 1)).reshape(-1)


def strongest(weights: NDArray[np.float32], count: int) -> list[int]:
    """Return the positions of the largest weights.

    Parameters
    ----------
    weights : ndarray of float32, shape [T]
    count : int
        How many positions are returned, at most.

    Returns
    -------
    list of int
        Largest weight first, ties by position.
    """
    return [int(place) for place in np.argsort(-weights, kind="stable")[:count]]
