"""How far a share that was counted may be from that of all texts of the kind: intervals of 95%."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from bertviz_app.types import Doubles

_Z = 1.959963984540054  # the normal distribution has 95% within so many deviations


def wilson(hits: ArrayLike, counts: ArrayLike) -> tuple[Doubles, Doubles]:
    """Return the ends of the interval of shares `hits / counts`; nan where nothing was counted.

    Wilson 1927, JASA 22(158), 209-212. It takes the cases as independent: those of one sentence may not be.
    """
    hits, counts = np.asarray(hits, np.float64), np.asarray(counts, np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        share = hits / counts
        middle = (share + _Z**2 / (2 * counts)) / (1 + _Z**2 / counts)
        half = _Z * np.sqrt(share * (1 - share) / counts + _Z**2 / (4 * counts**2)) / (1 + _Z**2 / counts)
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)
