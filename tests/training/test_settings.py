"""The settings that both trainings have: what an optimiser can use, and where its numbers begin."""

from __future__ import annotations

import math

import pytest

from bertviz_app.training.settings import TrainingError, check_optimiser


@pytest.mark.parametrize("decay", [0.0, 0.01, 5000.0])
@pytest.mark.parametrize("clip", [1e-9, 1.0, math.inf])
def test_what_an_optimiser_can_use_raises_nothing(decay: float, clip: float) -> None:
    check_optimiser(decay, clip)


@pytest.mark.parametrize("decay", [-1e-9, math.nan, math.inf, -math.inf])
def test_a_weight_decay_below_0_or_without_end_is_refused(decay: float) -> None:
    with pytest.raises(TrainingError, match=f"The weight decay is {decay}") as caught:
        check_optimiser(decay, 1.0)
    assert "from 0" in caught.value.hint


@pytest.mark.parametrize("clip", [0.0, -1.0, math.nan])
def test_gradients_are_clipped_to_a_norm_above_0(clip: float) -> None:
    with pytest.raises(TrainingError, match=f"clipped to a norm of {clip}") as caught:
        check_optimiser(0.01, clip)
    assert "above 0" in caught.value.hint
