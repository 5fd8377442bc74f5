"""The types of numbers and callbacks that every package uses: arrays of floats, checks, progress."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
"""Numbers as models compute them."""

Doubles = NDArray[np.float64]
"""Numbers that are summed or compared exactly."""

Check = Callable[[], None]
"""Raises `errors.Cancelled` when the work is no longer wanted; long work calls it often."""

Progress = Callable[[int, int], None]
"""Called with how much is done and how much there is, in bytes or in layers."""
