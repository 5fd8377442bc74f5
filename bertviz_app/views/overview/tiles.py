"""The pictures of the overview's cells: thumbnails of attention in one atlas, and flat colours."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from bertviz_app.trace.pooling import area_maximum, quantised
from bertviz_app.views.kit.look import Look

Heads = tuple[tuple[int, int], ...]
_EDGE, _CLEAR = -1, -2  # from the end of the colours


def tiles(pictures: NDArray[np.float32], side: int, *, per_head: bool) -> NDArray[np.uint8]:
    """Return uint8 [L, H, side, side]: the pictures made smaller by maxima, or larger by repeating."""
    block = -(-pictures.shape[-1] // side)
    levels = quantised(area_maximum(pictures, block), per_head=per_head)
    places = np.arange(side) * levels.shape[-1] // side
    return levels[:, :, places[:, None], places]


def atlas(cells: NDArray[np.uint8], heads: Heads, columns: int, gap: int) -> NDArray[np.int16]:
    """Return the cells [L, H, side, side] of `heads` in one picture of `columns` a row.

    _EDGE stands in the gaps between cells, _CLEAR where the last row has no more heads.
    """
    side = cells.shape[-1]
    rows, step = max(1, -(-len(heads) // columns)), side + gap
    picture = np.full((rows * step - gap, columns * step - gap), _EDGE, np.int16)
    for place, at in enumerate(heads):
        top, left = place // columns * step, place % columns * step
        picture[top : top + side, left : left + side] = cells[at]
    picture[(rows - 1) * step :, (len(heads) - (rows - 1) * columns) * step :] = _CLEAR
    return picture


def image(picture: NDArray[np.int16], look: Look, ratio: float) -> QImage:
    """Return an atlas in the colours of weights."""
    # The zero of the light map is the card's own white: thumbnails need an edge to be seen.
    colours = np.append(look.weights, np.array([0, look.colour("rule").rgb()], np.uint32))
    pixels = np.ascontiguousarray(colours[picture], np.uint32)
    height, width = pixels.shape
    drawn = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_ARGB32_Premultiplied).copy()
    drawn.setDevicePixelRatio(ratio)
    return drawn


def colour_bar(look: Look) -> QImage:
    """Return the colours of weights from left to right, one pixel high."""
    pixels = np.ascontiguousarray(look.weights[None])
    return QImage(pixels.data, 256, 1, 256 * 4, QImage.Format.Format_RGB32).copy()


def level_of(value: float, top: float) -> int:
    """Return the place of `value` in the 256 colours, of which the last stands for `top`."""
    return round(min(max(value / top, 0.0), 1.0) * 255) if top > 0 else 0
