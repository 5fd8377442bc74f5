"""`HeatPicture`: numbers in rows and columns made ready for drawing in colours about zero."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bertviz_app.types import Check, Floats
from bertviz_app.viewmodels.pyramid import Pyramid, pyramid_of, signed_levels

_CELLS_AT_ONCE = 1 << 21


@dataclass(frozen=True, eq=False)
class HeatPicture:
    """Numbers [R, C] in colours: `values` themselves, exact; nan where there is none.

    `limits` [R]: what full colour stands for in each row. `goes_beyond`: a number lies beyond its row's
    limit, and has the limit's colour.
    """

    values: Floats
    limits: Floats
    pyramid: Pyramid
    goes_beyond: bool

    @property
    def shape(self) -> tuple[int, int]:
        return self.pyramid.shape

    @property
    def limit(self) -> float | None:
        """What full colour stands for, None where each row has its own."""
        first = float(self.limits[0]) if len(self.limits) else 1.0
        return first if bool((self.limits == self.limits[:1]).all()) else None


def heat_picture(values: Floats, limits: Floats | float, check: Check = lambda: None) -> HeatPicture:
    """Return the picture of `values` [R, C]; `limits` (> 0) is one for all rows, or one for each."""
    of_rows = np.broadcast_to(np.asarray(limits, np.float32), len(values)).copy()
    finest = np.empty(values.shape, np.uint8)
    at_once = max(1, _CELLS_AT_ONCE // max(1, values.shape[1]))
    goes_beyond = False
    for first in range(0, len(values), at_once):
        check()
        rows = slice(first, first + at_once)
        shares = values[rows] / of_rows[rows, None]
        # Dividing may round a number at the limit to a little more than 1.
        goes_beyond = goes_beyond or bool((np.abs(shares) > 1.000001).any())
        finest[rows] = signed_levels(np.clip(shares, -1, 1))
    return HeatPicture(values, of_rows, pyramid_of(finest, is_signed=True, check=check), goes_beyond)


def usual_size(values: Floats) -> float:
    """Return the size that 99 % of `values` do not exceed; a few outliers must not pale all others.

    Some dimensions of BERT's hidden states are many times larger than the rest (Kovaleva et al. 2021,
    arXiv:2105.06990). nan is left out; 1 where all is zero.
    """
    sizes = np.abs(values[~np.isnan(values)])
    if not len(sizes):
        return 1.0
    index = int(0.99 * (len(sizes) - 1))
    usual = float(np.partition(sizes, index)[index])
    return usual or float(sizes.max()) or 1.0
