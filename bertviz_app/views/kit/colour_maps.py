"""Colour tables: what a uint8 of a picture looks like, in each of the maps that can be chosen."""

from __future__ import annotations

import json
from functools import cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor

from bertviz_app import paths
from bertviz_app.viewmodels.heads.pictures import HeadPicture, shares
from bertviz_app.viewmodels.options import Colours
from bertviz_app.viewmodels.viewport import GAP
from bertviz_app.views.kit.look import Look, colour_table

Table = NDArray[np.uint32]
_OPAQUE = np.uint32(0xFF000000)
_BLACK, _WHITE = 0xFF14161A, 0xFFFFFFFF


def table_for(look: Look, picture: HeadPicture, colours: Colours) -> Table:
    """Return [256] colours 0xffRRGGBB for the levels of `picture`.

    Signed numbers, such as differences, always have the diverging map about zero. Weights have it about the
    weight of a row that looks everywhere alike: more is at one end, less at the other.
    """
    if picture.is_signed:
        return signed_table(look)
    if colours == "diverging" and picture.is_of_weights:
        alike = np.full((1, 1), 1 / len(picture.token_order.keys), np.float32)
        middle = float(shares(alike, picture.full, picture.options.scale)[0, 0])
        middle = 0.5 if picture.options.scale == "row" else min(max(middle, 0.02), 0.98)
        share = np.arange(256) / 255
        below, above = share / middle - 1, (share - middle) / (1 - middle)
        return _diverging(look, np.where(share < middle, below, above))
    return look.weights if colours in ("theme", "diverging") else _perceptual(colours)


def signed_table(look: Look) -> Table:
    """Return [256] colours 0xffRRGGBB for signed levels; a gap has the colour of rules."""
    table = np.empty(256, np.uint32)
    table[GAP] = look.colour("rule").rgb()
    table[GAP + 1 :] = colour_table(look.palette.differences, 255)
    return table


def is_dark(colour: int) -> bool:
    """Return whether white is read best on 0xffRRGGBB."""
    red, green, blue = colour >> 16 & 255, colour >> 8 & 255, colour & 255
    return 0.299 * red + 0.587 * green + 0.114 * blue <= 140


def ink_on(colour: int) -> QColor:
    """Return the colour of text, nearly black or white, that is read best on 0xffRRGGBB."""
    return QColor.fromRgb(_WHITE if is_dark(colour) else _BLACK)


def _diverging(look: Look, positions: NDArray[np.float64]) -> Table:
    """Return the colours of `positions` from -1 to 1 on the theme's map of differences."""
    fine = colour_table(look.palette.differences, 4097)
    table: Table = fine[np.rint((np.clip(positions, -1, 1) + 1) * 2048).astype(int)]
    return table


@cache
def _perceptual(name: str) -> Table:
    path = paths.resources() / "themes" / "colour_maps.json"
    colours = json.loads(path.read_text(encoding="utf-8"))[name]
    return np.array([int(colour, 16) for colour in colours], np.uint32) | _OPAQUE
