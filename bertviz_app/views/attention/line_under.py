"""`line_under`: which line of the lines view is under a point."""

from __future__ import annotations

import numpy as np

from bertviz_app.viewmodels.selection import NOTHING, Pair
from bertviz_app.views.attention.lines_image import BEND, CURVED_UP_TO, Brush, Strands

REACH = 4.0
"""The vertical distance, in pixels, up to which the pointer is on a line."""
FAINTEST = 0.1
"""The least share of full colour of a line that can be pointed at."""


def line_under(lines: Strands, brush: Brush, x: float, y: float) -> Pair:
    """Return the ends of the line under a point, of several the one with the largest weight.

    Nothing where there are so many lines that one cannot be told from the next.
    """
    if not 0 < len(lines) <= CURVED_UP_TO or not brush.left < x < brush.right:
        return NOTHING
    share = _rise((x - brush.left) / (brush.right - brush.left))
    starts = brush.queries.start + (lines.queries + 0.5 - brush.queries.span.first) * brush.queries.pitch
    ends = brush.keys.start + (lines.keys + 0.5 - brush.keys.span.first) * brush.keys.pitch
    is_near = np.abs(starts + (ends - starts) * share - y) <= REACH
    near = np.flatnonzero(is_near & (lines.shares >= FAINTEST))
    if not len(near):
        return NOTHING
    best = near[-1]  # the strongest is the last
    return Pair(int(lines.queries[best]), int(lines.keys[best]))


def _rise(across: float) -> float:
    """Return the share of its vertical distance that a line has covered at the share `across` of its width.

    Both are from 0 to 1. The inner points of the cubic are those of `Brush.curve`.
    """
    along = np.linspace(0.0, 1.0, 257)
    back = 1 - along
    x = 3 * back * along * (BEND * back + (1 - BEND) * along) + along**3
    return float(np.interp(across, x, along * along * (3 - 2 * along)))
