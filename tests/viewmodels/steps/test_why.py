"""The numbers of the boxes that say why a stop is computed as it is."""

from __future__ import annotations

import numpy as np
import pytest

from bertviz_app.viewmodels.steps.why import _effective_number


@pytest.mark.parametrize(
    ("weights", "expected"),
    [([0.25] * 4, 4), ([0, 1, 0], 1), ([0.5, 0, 0.5], 2), ([0.9, 0.1], np.exp(0.325083))],
)
def test_the_effective_number_of_keys_is_that_of_equal_weights_of_the_same_entropy(
    weights: list[float], expected: float
) -> None:
    assert _effective_number(np.array(weights, np.float32)) == pytest.approx(expected, rel=1e-5)
