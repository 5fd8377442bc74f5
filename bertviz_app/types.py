"""The types of arrays and tensors that every package uses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch import Tensor as Tensor
else:
    Tensor = Any  # for annotations: importing the class itself loads torch

Floats = NDArray[np.float32]
"""Numbers as models compute them."""

Doubles = NDArray[np.float64]
"""Numbers that are summed or compared exactly."""

Ints = NDArray[np.int32]
"""IDs and positions of tokens, as traces hold them."""

Longs = NDArray[np.int64]
"""Counts, and IDs as torch takes them."""

Indices = NDArray[np.intp]
"""What selects elements of an array."""

Bools = NDArray[np.bool_]
"""Yes or no for each element of an array."""

Bytes = NDArray[np.uint8]
"""Pixels, and other numbers of eight bits."""
