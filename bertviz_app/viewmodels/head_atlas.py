"""The thumbnails of all heads as levels of colour, put together into the overview's one picture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bertviz_app.analysis.measures import HeadOverview
from bertviz_app.trace.pooling import area_maximum
from bertviz_app.types import Floats
from bertviz_app.viewmodels.options import UNIFORM_TIMES

Heads = tuple[tuple[int, int], ...]

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


def thumbnails(pictures: Floats, side: int, full: Floats) -> NDArray[np.uint8]:
    """Return uint8 [L, H, side, side]: the pictures made smaller by maxima, or larger by repeating.

    `full` [L, H] or []: the weight that has the last of the 256 colours.
    """
    block = -(-pictures.shape[-1] // side)
    shares = area_maximum(pictures, block) / full[..., None, None]
    levels = np.rint(np.clip(shares, 0, 1) * np.float32(255)).astype(np.uint8)
    indices = np.arange(side) * levels.shape[-1] // side
    chosen: NDArray[np.uint8] = levels[:, :, indices[:, None], indices]
    return chosen


def atlas(
    cells: NDArray[np.uint8], heads: Heads, lefts: Sequence[int], tops: Sequence[int]
) -> NDArray[np.int16]:
    """Return the cells [L, H, side, side] of `heads` in one picture.

    `lefts`, `tops`: the first pixel of each column and of each row, from 0 on. EDGE stands in the gaps
    between cells, CLEAR where the last row has no more heads.
    """
    side, columns = cells.shape[-1], len(lefts)
    picture = np.full((tops[-1] + side, lefts[-1] + side), EDGE, np.int16)
    for index, at in enumerate(heads):
        top, left = tops[index // columns], lefts[index % columns]
        picture[top : top + side, left : left + side] = cells[at]
    n_in_last = len(heads) - (len(tops) - 1) * columns
    if n_in_last < columns:
        picture[tops[-1] :, lefts[n_in_last] :] = CLEAR
    return picture


def level_of(value: float, top: float) -> int:
    """Return which of the 256 colours `value` has, from 0; the last one stands for `top` and more."""
    return round(min(max(value / top, 0.0), 1.0) * 255) if top > 0 else 0
