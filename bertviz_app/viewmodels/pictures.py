"""`HeadPicture`: one head's attention made ready for drawing, on the worker thread."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from bertviz_app.inference.jobs import Check
from bertviz_app.trace import Trace
from bertviz_app.trace.pooling import area_maximum
from bertviz_app.viewmodels.tasks import Tasks

FAINTEST = 1 / 255
"""Weaker lines would not be seen: they are not drawn."""

MOST_LINES = 60_000
_CELLS_AT_ONCE = 1 << 22  # 16 MB of float32
_COARSEST = 16  # a small panel of a long text still has a level without cells below a pixel
_KEPT = 24


@dataclass(frozen=True, eq=False)
class HeadPicture:
    """One head's attention [T, T] for drawing.

    `levels`: uint8 maxima, level n over blocks of 2^n x 2^n tokens; 255 is `largest`, the head's
    largest weight. `queries`, `keys`, `weights` [n]: the lines to draw, weakest first, at least
    FAINTEST, at most the MOST_LINES strongest. The exact numbers are the trace's.
    """

    trace: Trace
    layer: int
    head: int
    levels: tuple[NDArray[np.uint8], ...]
    largest: float
    strongest: tuple[int, int]
    queries: NDArray[np.int32]
    keys: NDArray[np.int32]
    weights: NDArray[np.float32]


def head_picture(trace: Trace, layer: int, head: int, check: Check = lambda: None) -> HeadPicture:
    """Return the picture of one head; works in blocks of rows, `check` between them."""
    n_tokens = trace.n_tokens
    at_once = max(1, _CELLS_AT_ONCE // n_tokens)
    blocks = [slice(first, min(first + at_once, n_tokens)) for first in range(0, n_tokens, at_once)]
    # Two passes over a head too large for one block: the largest weight must be known to quantise.
    only = trace.attention(layer, head) if len(blocks) == 1 else None
    tops = []
    for rows in blocks:
        check()
        weights = only if only is not None else trace.attention(layer, head, rows)
        at = np.unravel_index(int(weights.argmax()), weights.shape)
        tops.append((float(weights[at]), int(at[0]) + rows.start, int(at[1])))
    largest, query, key = max(tops, key=lambda top: top[0])
    level = np.empty((n_tokens, n_tokens), np.uint8)
    lines = []
    for rows in blocks:
        check()
        weights = only if only is not None else trace.attention(layer, head, rows)
        level[rows] = np.rint(weights * np.float32(255 / max(largest, 1e-30)))
        lines.append(_lines(weights, rows.start))
    queries, keys, weights = _strongest(lines)
    return HeadPicture(trace, layer, head, _pyramid(level), largest, (query, key), queries, keys, weights)


def _lines(
    weights: NDArray[np.float32], first: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
    queries, keys = np.nonzero(weights >= FAINTEST)
    return (queries + first).astype(np.int32), keys.astype(np.int32), weights[queries, keys]


def _strongest(
    lines: list[tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]],
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float32]]:
    queries, keys, weights = (np.concatenate(arrays) for arrays in zip(*lines, strict=True))
    order = np.argsort(weights, kind="stable")[-MOST_LINES:]
    return queries[order], keys[order], weights[order]


def _pyramid(level: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], ...]:
    levels = [level]
    while levels[-1].shape[0] > _COARSEST:
        levels.append(area_maximum(levels[-1], 2))
    return tuple(levels)


def head_pictures(trace: Trace, heads: list[tuple[int, int]], check: Check) -> tuple[HeadPicture, ...]:
    """Return the pictures of those of `heads` (layer, head) that the trace has, each once."""
    there = [at for at in dict.fromkeys(heads) if at[0] < trace.n_layers and at[1] < trace.n_heads]
    return tuple(head_picture(trace, layer, head, check) for layer, head in there)


class Pictures(QObject):
    """Makes the pictures that are asked for on a worker, and keeps the latest few."""

    arrived = Signal(object)

    def __init__(self, tasks: Tasks, failed: Callable[[Exception], None]) -> None:
        super().__init__(tasks)
        self._tasks = tasks
        self._failed = failed
        self._trace: Trace | None = None
        self._kept: OrderedDict[tuple[int, int], HeadPicture] = OrderedDict()
        self._asked: set[str] = set()

    def show(self, trace: Trace, ready: tuple[HeadPicture, ...] = ()) -> None:
        """From now on pictures are of `trace`, some of which are `ready`; others' are given up."""
        for slot in self._asked:
            self._tasks.cancel(slot)
        self._asked.clear()
        self._kept.clear()
        self._kept.update({(picture.layer, picture.head): picture for picture in ready})
        self._trace = trace

    def get(self, layer: int, head: int) -> HeadPicture | None:
        """Return the picture if it is there; else have it made, and tell `arrived` with it."""
        trace, at = self._trace, (layer, head)
        if trace is None:
            return None
        if at in self._kept:
            self._kept.move_to_end(at)
            return self._kept[at]
        slot = f"picture {layer} {head}"
        if not self._tasks.is_busy(slot):
            self._asked.add(slot)
            make = partial(head_picture, trace, layer, head)
            self._tasks.start(slot, lambda check, _: make(check), self._keep, self._failed)
        return None

    def _keep(self, picture: HeadPicture) -> None:
        self._kept[picture.layer, picture.head] = picture
        while len(self._kept) > _KEPT:
            self._kept.popitem(last=False)
        self.arrived.emit(picture)
