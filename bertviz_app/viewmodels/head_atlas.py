"""The thumbnails of all heads as levels of colour, put together into the overview's one picture."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bertviz_app.trace.pooling import area_maximum, quantised
from bertviz_app.types import Floats

Heads = tuple[tuple[int, int], ...]

EDGE, CLEAR = -1, -2
"""Levels of an atlas that are no colour of weights: between two cells, and where there is no cell."""


def thumbnails(pictures: Floats, side: int, *, per_head: bool) -> NDArray[np.uint8]:
    """Return uint8 [L, H, side, side]: the pictures made smaller by maxima, or larger by repeating."""
    block = -(-pictures.shape[-1] // side)
    levels = quantised(area_maximum(pictures, block), per_head=per_head)
    places = np.arange(side) * levels.shape[-1] // side
    return levels[:, :, places[:, None], places]


def atlas(cells: NDArray[np.uint8], heads: Heads, columns: int, gap: int) -> NDArray[np.int16]:
    """Return the cells [L, H, side, side] of `heads` in one picture of `columns` a row.

    EDGE stands in the gaps between cells, CLEAR where the last row has no more heads.
    """
    side = cells.shape[-1]
    rows, step = max(1, -(-len(heads) // columns)), side + gap
    picture = np.full((rows * step - gap, columns * step - gap), EDGE, np.int16)
    for place, at in enumerate(heads):
        top, left = place // columns * step, place % columns * step
        picture[top : top + side, left : left + side] = cells[at]
    picture[(rows - 1) * step :, (len(heads) - (rows - 1) * columns) * step :] = CLEAR
    return picture


def level_of(value: float, top: float) -> int:
    """Return the place of `value` in the 256 colours, of which the last stands for `top`."""
    return round(min(max(value / top, 0.0), 1.0) * 255) if top > 0 else 0
