"""Summaries of bounded size that add up: entries of the lowest priority, and the heaviest of many kinds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bertviz_app.types import Doubles

Summary = NDArray[Any]
"""A structured array [..., k]: k entries of each row, whatever was added to it."""
NO_ENTRY = np.iinfo(np.uint64).max
"""The priority of an entry that is empty: a row has fewer than k."""
HEAVY = np.dtype([("id", np.int64), ("total", np.float64)])
"""An entry of the heaviest kinds: which kind, -1 where the entry is empty, and the total counted of it."""
Numbers = NDArray[np.integer[Any]]


def merged(one: Summary, other: Summary) -> Summary:
    """Return the union of two summaries of the same kind and shape [..., k], of that shape.

    Entries with a `priority` (uint64): those k of both with the lowest. So what is kept of a whole file is
    the same in whatever order its parts are added, and whoever measured them.

    Entries of HEAVY: totals of the same kind are added; of more than k kinds the k heaviest are kept, and the
    total of the next one is taken off each of them (Misra & Gries 1982; that such summaries can be merged:
    Agarwal et al. 2012, doi:10.1145/2213556.2213562). A kind's true total is at least the counted one, and at
    most (W - C) / (k + 1) more, W being the weight of everything that was added and C that which is counted.
    """
    both = np.concatenate((one, other), axis=-1)
    size = one.shape[-1]
    if "priority" in (both.dtype.names or ()):
        order = np.argsort(both["priority"], axis=-1, kind="stable")[..., :size]
        return np.take_along_axis(both, order, axis=-1)
    summary = np.stack([_added(row, size) for row in both.reshape(-1, both.shape[-1])])
    return summary.reshape(one.shape)


def heaviest(ids: Numbers, totals: Doubles, size: int) -> Summary:
    """Return the `size` heaviest of U kinds with different `ids` [U] and `totals` [..., U]."""
    summary = np.zeros((*totals.shape[:-1], size), HEAVY)
    for row in np.ndindex(totals.shape[:-1]):
        summary[row] = _reduced(ids, totals[row], size)
    return summary


def counted_off(summary: Summary, weight: Doubles) -> Doubles:
    """Return [...], by how much a total in `summary` [..., k] may be too low of the whole `weight` [...]."""
    missing = np.maximum(weight - summary["total"].sum(-1), 0.0)
    is_whole = missing <= 1e-9 * np.maximum(weight, 1.0)  # nothing but rounding
    bounds: Doubles = np.where(is_whole, 0.0, missing / (summary.shape[-1] + 1))
    return bounds


def with_lowest(entries: Summary, size: int) -> Summary:
    """Return the `size` of `entries` [..., N] with the lowest priority, with empty ones if N is smaller."""
    rest = np.zeros((*entries.shape[:-1], max(0, size - entries.shape[-1])), entries.dtype)
    rest["priority"] = NO_ENTRY
    both = np.concatenate((entries, rest), axis=-1)
    return np.take_along_axis(both, np.argsort(both["priority"], axis=-1, kind="stable")[..., :size], axis=-1)


def hashed(numbers: Numbers | Sequence[int], seed: int = 0) -> NDArray[np.uint64]:
    """Return a number for each of `numbers`, evenly spread and the same everywhere, below NO_ENTRY.

    It is the output function of SplitMix64 (Steele et al. 2014, doi:10.1145/2660193.2660195).
    """
    with np.errstate(over="ignore"):
        found = np.asarray(numbers, np.uint64) + np.uint64(seed + 1) * np.uint64(0x9E3779B97F4A7C15)
        found = (found ^ (found >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        found = (found ^ (found >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.minimum(found ^ (found >> np.uint64(31)), np.uint64(NO_ENTRY - 1))


def _added(row: Summary, size: int) -> Summary:
    row = row[row["id"] >= 0]
    ids, at = np.unique(row["id"], return_inverse=True)
    return _reduced(ids, np.bincount(at, row["total"], len(ids)).astype(np.float64), size)


def _reduced(ids: Numbers, totals: Doubles, size: int) -> Summary:
    summary = np.zeros(size, HEAVY)
    summary["id"] = -1
    order = np.lexsort((ids, -totals))[: size + 1]
    less = totals[order[size]] if len(order) > size else 0.0
    order = order[:size]
    order = order[totals[order] > less]
    summary["id"][: len(order)] = ids[order]
    summary["total"][: len(order)] = totals[order] - less
    return summary
