"""`LinearProduct`: how one number comes out of a linear map: a row of the input times a row of weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bertviz_app.types import Floats


@dataclass(frozen=True, eq=False)
class LinearProduct:
    """One output of a linear map for one token: sum(inputs * weights) + bias.

    `weights`: row `output` of the matrix as stored, [out, in]: the column of W in x . W. `token` is None
    where the map reads one vector of the whole text. `computed`: the number in the forward pass.
    """

    key: str
    layer: int | None
    token: int | None
    output: int
    inputs: Floats  # [in]
    weights: Floats  # [in]
    bias: float | None
    computed: float

    @property
    def products(self) -> NDArray[np.float64]:
        """The products [in], in float64."""
        return self.inputs.astype(np.float64) * self.weights

    @property
    def sum(self) -> float:
        return float(self.products.sum())

    @property
    def total(self) -> float:
        """The sum and the bias: `computed`, but for rounding."""
        return self.sum + (self.bias or 0.0)
