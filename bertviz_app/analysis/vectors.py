"""Hidden states as points and directions: principal components, cosines, and the vectors of [CLS].

Principal component analysis after Pearson 1901 (Phil. Mag. 2:559) and Hotelling 1933 (J. Educ. Psych.
24:417); the notation is Jolliffe's (Principal Component Analysis, 2nd ed. 2002, chapters 1 and 3).
All sums are taken in float64.
"""

from __future__ import annotations

import numpy as np

from bertviz_app.errors import Check
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles, Floats
from bertviz_app.values import dataclass

_ROWS_AT_ONCE = 4096
_ROUNDING = 16 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True, eq=False)
class Pca:
    """Vectors seen along the k directions in which they vary most.

    `mean` [D]; `axes` [k, D], each of length 1, the widest first; `points` [..., k], where the vectors
    lie along the axes, from their mean; `ratios` [k], the share of the whole variance that lies along
    each axis, from 0 to 1. An axis along which nothing varies is all zero, and so are its points.
    """

    mean: Floats
    axes: Floats
    points: Floats
    ratios: Floats


@dataclass(frozen=True, eq=False)
class TokenMaps:
    """Where the tokens lie on a plane in each layer: `points` [L + 1, T, 2], `ratios` [L + 1, 2].

    `is_common`: one plane for all layers, so that distances can be compared between them (its ratios are
    shares of the variance of all tokens in all layers, the same in each row); else each layer has its own.
    """

    points: Floats
    ratios: Floats
    is_common: bool


def pca(vectors: Floats, n_axes: int = 2, check: Check = lambda: None) -> Pca:
    """Return the k = `n_axes` principal components of vectors [..., D], taken as one cloud of points.

    An axis may point either way: here its entry of largest magnitude (the first, if several) is positive, so
    that the same vectors always give the same map. `check` is called between blocks of rows; it may raise
    Cancelled.
    """
    width = vectors.shape[-1]
    flat = vectors.reshape(-1, width)
    mean = flat.mean(0, dtype=np.float64)
    variances, axes = (_from_products if len(flat) <= width else _from_covariance)(flat, mean, n_axes, check)
    # The entry of largest magnitude of each axis is positive.
    largest = np.abs(axes).argmax(-1)
    axes *= np.where(np.take_along_axis(axes, largest[:, None], -1) < 0, -1.0, 1.0)
    points = np.zeros((len(flat), n_axes), np.float32)
    for rows in _blocks(len(flat), check):
        points[rows] = (flat[rows] - mean) @ axes.T
    total = float(sum(np.square(flat[rows] - mean).sum() for rows in _blocks(len(flat), check)))
    return Pca(
        mean=mean.astype(np.float32),
        axes=axes.astype(np.float32),
        points=points.reshape(*vectors.shape[:-1], n_axes),
        ratios=(variances / total if total > 0 else np.zeros(n_axes)).astype(np.float32),
    )


def _blocks(n_rows: int, check: Check) -> list[slice]:
    check()
    return [slice(first, first + _ROWS_AT_ONCE) for first in range(0, n_rows, _ROWS_AT_ONCE)]


def _from_products(flat: Floats, mean: Doubles, n_axes: int, check: Check) -> tuple[Doubles, Doubles]:
    """Return (variances [k], axes [k, D]) from the products of the n vectors with each other, n <= D."""
    centred = flat - mean
    check()
    variances, vectors = _largest(centred @ centred.T, n_axes)
    lengths = np.sqrt(variances)[:, None]
    axes = np.divide(vectors @ centred, lengths, out=np.zeros((n_axes, flat.shape[1])), where=lengths > 0)
    return variances, axes


def _from_covariance(flat: Floats, mean: Doubles, n_axes: int, check: Check) -> tuple[Doubles, Doubles]:
    """Return (variances [k], axes [k, D]) from the products of the D dimensions with each other, n > D."""
    products = np.zeros((flat.shape[1], flat.shape[1]))
    for rows in _blocks(len(flat), check):
        check()
        centred = flat[rows] - mean
        products += centred.T @ centred
    check()
    variances, axes = _largest(products, n_axes)
    return variances, np.where(variances[:, None] > 0, axes, 0.0)


def _largest(products: Doubles, n_axes: int) -> tuple[Doubles, Doubles]:
    """Return the `n_axes` largest eigenvalues [k] of a symmetric matrix [D, D], and eigenvectors [k, D].

    What is no more than rounding is 0; so are those that a small matrix does not have.
    """
    found, columns = np.linalg.eigh(products)
    count = min(n_axes, len(found))
    values, vectors = np.zeros(n_axes), np.zeros((n_axes, len(found)))
    values[:count] = found[::-1][:count]
    vectors[:count] = columns.T[::-1][:count]
    values[values <= values[0] * len(found) * _ROUNDING] = 0.0
    return values, vectors


def token_maps(hidden: Floats, *, common: bool, check: Check = lambda: None) -> TokenMaps:
    """Return maps of the hidden states [L + 1, T, D] in every layer: on one plane, or each on its own.

    A plane of a layer's own is turned so that its tokens lie on the same side as in the layer before (the
    axes' signs are free): stepping through the layers does not mirror the map. `common`: one plane for all
    layers. `check` is called between blocks of rows; it may raise Cancelled.
    """
    if common:
        whole = pca(hidden, check=check)
        return TokenMaps(whole.points, np.tile(whole.ratios, (len(hidden), 1)), is_common=True)
    layers = [pca(states, check=check) for states in hidden]
    points = np.stack([layer.points for layer in layers])
    for layer in range(1, len(points)):
        agreement = (points[layer].astype(np.float64) * points[layer - 1]).sum(0)
        points[layer] *= np.where(agreement < 0, -1, 1)
    return TokenMaps(points, np.stack([layer.ratios for layer in layers]), is_common=False)


def unit_vectors(vectors: Floats) -> Doubles:
    """Return vectors [..., D] divided by their lengths; a vector of length 0 remains zero."""
    exact = vectors.astype(np.float64)
    lengths = np.sqrt(np.square(exact).sum(-1, keepdims=True))
    units: Doubles = np.divide(exact, lengths, out=np.zeros_like(exact), where=lengths > 0)
    return units


def cosine_matrix(vectors: Floats, check: Check = lambda: None) -> Floats:
    """Return [n, n], the cosine of the angle between each two of n vectors [n, D].

    From -1 to 1, exactly symmetric; 0 where one of the two is zero and has no direction. `check` is called
    between blocks of rows; it may raise Cancelled.
    """
    units = unit_vectors(vectors)
    cosines = np.empty((len(units), len(units)), np.float32)
    for rows in _blocks(len(units), check):
        check()
        cosines[rows] = np.clip(units[rows] @ units.T, -1, 1)
    # A sum taken in another order may differ in its last bit.
    for row in range(len(cosines)):
        cosines[row + 1 :, row] = cosines[row, row + 1 :]
    np.fill_diagonal(cosines, units.any(-1))
    return cosines


def cosines_between(some: Floats, others: Floats) -> Floats:
    """Return the cosines of vectors [..., D] with their counterparts, -1 to 1; 0 where one is zero."""
    products: Doubles = (unit_vectors(some) * unit_vectors(others)).sum(-1)
    return np.clip(products, -1, 1).astype(np.float32)


def cls_vectors(trace: Trace) -> Floats:
    """Return the vectors [L + 1, D] of [CLS] after every layer, then the pooled vector if there is one."""
    states = trace.hidden[:, 0]
    return states if trace.pooled is None else np.concatenate((states, trace.pooled[None]))


KINDS = ("pooled", "cls", "mean", "sentence")
"""What may stand for a text: the pooler's output, the last hidden state of [CLS], the mean of all last hidden
states, and the vector that sentence-transformers computes with the checkpoint."""


def text_vectors(trace: Trace) -> dict[str, Floats]:
    """Return the vectors that may stand for the text, by those of KINDS that the checkpoint has.

    [D] each, [S] of "sentence". Of weights alone none.
    """
    if not trace.has_states:
        return {}
    found = (trace.pooled, trace.hidden[-1, 0], mean_pooled(trace), trace.sentence_vector)
    return {kind: vector for kind, vector in zip(KINDS, found, strict=True) if vector is not None}


def text_cosines(one: Trace, other: Trace) -> dict[str, float]:
    """Return how alike two texts are: the cosine by each of KINDS that both have with the same width."""
    some, others = text_vectors(one), text_vectors(other)
    both = [kind for kind in some if kind in others and len(some[kind]) == len(others[kind])]
    return {kind: float(cosines_between(some[kind], others[kind])) for kind in both}


def mean_pooled(trace: Trace) -> Floats:
    """Return the mean [D] of the last hidden states of all tokens, special ones included.

    It is not divided by its length (mean pooling of Reimers and Gurevych 2019, arXiv:1908.10084, section 3).
    """
    mean: Floats = trace.hidden[-1].mean(0, dtype=np.float64).astype(np.float32)
    return mean
