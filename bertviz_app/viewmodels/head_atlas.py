"""The thumbnails of all heads as levels of colour, put together into the overview's one picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.measures import HeadOverview
from bertviz_app.trace.indexing import area_maximum
from bertviz_app.types import Floats
from bertviz_app.viewmodels.options import UNIFORM_TIMES

Heads = Sequence[tuple[int, int]]

EDGE, CLEAR = -1, -2
"""Levels of an atlas that are no colour of weights: between two cells, and where there is no cell."""


def least_full(overview: HeadOverview) -> float:
    """Return the number that full colour stands for at least, so that uniform attention is pale.

    See `DrawOptions.scale`. For numbers that are no shares of 1 it is the smallest one above 0.
    """
    if not overview.stamp.is_share:
        return float(np.finfo(np.float32).tiny)
    return min(1.0, UNIFORM_TIMES / overview.n_tokens)


def full_colours(overview: HeadOverview, beside: HeadOverview | None) -> Floats:
    """Return the weight of each head [L, H] that has full colour: its largest in this run and `beside`."""
    tops = overview.pictures.max((-2, -1))
    if beside is not None and beside.stamp == overview.stamp:
        layers, heads = (min(sides) for sides in zip(tops.shape, beside.pictures.shape, strict=False))
        others = beside.pictures[:layers, :heads].max((-2, -1))
        tops[:layers, :heads] = np.maximum(tops[:layers, :heads], others)
    full: Floats = np.maximum(tops, np.float32(least_full(overview)))
    return full


def full_colour_of_all(overview: HeadOverview, beside: HeadOverview | None) -> float:
    """Return the number of full colour where all heads have one scale: 1 of shares, else the largest."""
    if overview.stamp.is_share:
        return 1.0
    runs = (overview,) if beside is None or beside.stamp != overview.stamp else (overview, beside)
    return max(least_full(overview), *(float(run.pictures.max()) for run in runs))


class Thumbnails:
    """The pictures of heads as levels of colour, made smaller by maxima, or larger by repeating.

    `full` [L, H] or []: the weight that has the last of the 256 colours. The levels are kept for each factor
    by which pictures become smaller, so that an overview that is moved copies only.
    """

    def __init__(self, pictures: Floats, full: Floats) -> None:
        self._pictures = pictures
        self._full = full
        self._levels: dict[int, NDArray[np.uint8]] = {}

    def cells(self, heads: Heads, side: int) -> NDArray[np.uint8]:
        """Return the thumbnails of some heads, uint8 [heads, side, side]."""
        levels = self._smaller(-(-self._pictures.shape[-1] // side))
        indices = np.arange(side) * levels.shape[-1] // side
        places = np.array(heads, np.intp).reshape(-1, 2)
        chosen: NDArray[np.uint8] = levels[places[:, 0], places[:, 1]].take(indices, 1).take(indices, 2)
        return chosen

    def _smaller(self, block: int) -> NDArray[np.uint8]:
        if block not in self._levels:
            shares = area_maximum(self._pictures, block) / self._full[..., None, None]
            self._levels[block] = np.rint(np.clip(shares, 0, 1) * np.float32(255)).astype(np.uint8)
        return self._levels[block]


def atlas(
    cells: NDArray[np.uint8], spots: Heads, lefts: Sequence[int], tops: Sequence[int]
) -> NDArray[np.int16]:
    """Return cells [N, side, side] in one picture, each at one of `spots`, (row, column).

    `lefts`, `tops`: the first pixel of each column and of each row, from 0 on. EDGE stands in the gaps
    between cells, CLEAR where the last row has no more heads.
    """
    side = cells.shape[-1]
    picture = np.full((tops[-1] + side, lefts[-1] + side), EDGE, np.int16)
    for cell, (row, column) in zip(cells, spots, strict=True):
        top, left = tops[row], lefts[column]
        picture[top : top + side, left : left + side] = cell
    n_in_last = sum(row == len(tops) - 1 for row, _ in spots)
    if n_in_last < len(lefts):
        picture[tops[-1] :, lefts[n_in_last] :] = CLEAR
    return picture


def largest(values: Floats) -> float:
    """Return the largest of the values that are known, 0 where none is."""
    return float(np.nan_to_num(values).max())


def level_of(value: float, top: float) -> int:
    """Return which of the 256 colours `value` has, from 0; the last one stands for `top` and more."""
    return round(min(max(value / top, 0.0), 1.0) * 255) if top > 0 else 0
