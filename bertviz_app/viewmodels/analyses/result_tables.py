"""The rows of a result that a table on screen shows; a file has all of them."""

from __future__ import annotations

from itertools import islice

import numpy as np

from bertviz_app.analysis.results import HeadMatrices, NamedArrays, Result, TokenMatrices
from bertviz_app.tables import Cell, Table

MOST_ROWS = 500


def shown_table(result: Result) -> Table:
    """Return the first MOST_ROWS rows of a result; none of matrices.

    Of named arrays their numbers, where they are few, else their sizes and ranges.
    """
    if isinstance(result, HeadMatrices | TokenMatrices):
        return Table((), ())
    if isinstance(result, NamedArrays):
        if sum(array.size for array in result.named.values()) <= MOST_ROWS:
            return Table(("array", "of", "value"), _numbers(result))
        return Table(("array", "axes", "smallest", "mean", "largest"), _ranges(result))
    table = result.as_table()
    return Table(table.columns, tuple(tuple(row) for row in islice(table.rows, MOST_ROWS)))


def _numbers(result: NamedArrays) -> tuple[tuple[Cell, ...], ...]:
    return tuple(
        (name, result.label_of(name, at), float(value))
        for name, array in result.named.items()
        for at, value in np.ndenumerate(array)
    )


def _ranges(result: NamedArrays) -> tuple[tuple[Cell, ...], ...]:
    rows: list[tuple[Cell, ...]] = []
    for name, array in result.named.items():
        axes = " × ".join(f"{len(axis)} {axis.name}" for axis in result.axes_of[name])
        ends = (float(array.min()), float(array.mean()), float(array.max())) if array.size else (None,) * 3
        rows.append((name, axes, *ends))
    return tuple(rows)
