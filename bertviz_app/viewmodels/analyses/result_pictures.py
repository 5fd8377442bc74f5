"""Pictures of the matrices of a result, as those of attention are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from bertviz_app.analysis.compare import MatrixDifference, MatrixSource
from bertviz_app.analysis.results import HeadMatrices, Result, RunMatrix, TokenMatrices
from bertviz_app.trace import Trace
from bertviz_app.types import Check
from bertviz_app.viewmodels.heads.aligned_places import difference_order
from bertviz_app.viewmodels.heads.head_sources import PictureSource, RunsDifference, RunSource
from bertviz_app.viewmodels.heads.pictures import HeadPicture, HeadPictures, picture_of
from bertviz_app.viewmodels.heads.token_places import TokenOrder, TokenPlaces, order_of
from bertviz_app.viewmodels.options import DrawOptions


def pictures_of_result(result: Result, traces: tuple[Trace, ...]) -> HeadPictures:
    """Return the maker of the pictures of a result of matrices; a matrix of a whole layer is that of head 0.

    `traces`: of the run, or of the two runs whose difference the result is. Raises TypeError for a result
    without matrices.
    """
    if not isinstance(result, HeadMatrices | TokenMatrices):
        raise TypeError(f"{type(result).__name__} has no matrices")
    n_heads = result.n_heads if isinstance(result, HeadMatrices) else 1

    def make(layer: int, head: int, options: DrawOptions, check: Check) -> HeadPicture:
        matrix = result.source(layer, head) if isinstance(result, HeadMatrices) else result.source(layer)
        source = _source(result, matrix, traces, options)
        return picture_of(source, layer, head, options, check)

    return HeadPictures(traces, (result.n_layers, n_heads), make, result=result)


def _source(
    result: HeadMatrices | TokenMatrices,
    matrix: MatrixSource,
    traces: tuple[Trace, ...],
    options: DrawOptions,
) -> PictureSource:
    if isinstance(matrix, MatrixDifference) and len(traces) > 1:
        order = difference_order((traces[0], traces[1]), matrix.positions, options)
        return RunsDifference(traces[0], matrix, order, result.quantity)
    # Between the tokens of two runs columns are those of the other one, be they as many.
    is_of_tokens = matrix.n_queries == matrix.n_keys == traces[0].n_tokens
    is_of_tokens = is_of_tokens and not isinstance(result, RunMatrix)
    order = order_of(traces[0].tokens, options) if is_of_tokens else _order_of_labels(result)
    if order.renormalises and not result.quantity.is_share:
        order = replace(order, renormalises=False)  # rows of lengths are no parts of 1
    return RunSource(traces[0], matrix, order, result.quantity, result.identity_error)


def _order_of_labels(result: HeadMatrices | TokenMatrices) -> TokenOrder:
    """Return the order of a matrix between other things than the tokens of the run, each once."""
    queries, keys = (_places(labels) for labels in (result.queries, result.keys))
    return TokenOrder(queries, keys, len(keys), keys_are_of_other_run=isinstance(result, RunMatrix))


def _places(labels: tuple[str, ...]) -> TokenPlaces:
    starts = np.arange(len(labels), dtype=np.int32)
    return TokenPlaces(starts, starts + 1, labels, labels, np.zeros(len(labels), bool))
