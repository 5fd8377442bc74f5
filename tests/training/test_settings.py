"""The settings that both trainings have: what an optimiser can use, and where its numbers begin."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import pytest

from bertviz_app.errors import Message
from bertviz_app.training.finetuning.settings import TuningSettings
from bertviz_app.training.pretraining.settings import PretrainingSettings
from bertviz_app.training.settings import TrainingError, check_optimiser

Settings = PretrainingSettings | TuningSettings


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


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        (PretrainingSettings(n_layers=0), "layers"),
        (PretrainingSettings(n_heads=0), "heads"),
        (PretrainingSettings(width=0), "width"),
        (PretrainingSettings(vocabulary_size=0), "vocabulary"),
        (TuningSettings(epochs=0), "epochs"),
        (TuningSettings(batch=0), "rows of a batch"),
    ],
)
def test_the_name_of_a_count_below_1_can_be_translated(settings: Settings, name: str) -> None:
    with pytest.raises(TrainingError, match=f"The number for {name} is 0") as caught:
        settings.validate()
    assert isinstance(caught.value.message, Message)
    assert isinstance(caught.value.message.arguments[0], Message)


def _with(settings: Settings, name: str, value: Any) -> Settings:
    return replace(settings, **{name: value})


@pytest.mark.parametrize("settings", [PretrainingSettings(steps=1), TuningSettings()])
@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("evaluate_every", 0, "evaluate_every is 0"),
        ("precision", "bf16", "must be auto, float32, bfloat16"),
        ("stores", "f16", "must be float32, float16"),
    ],
)
def test_a_loop_runs_as_its_settings_say_or_not_at_all(
    settings: Settings, name: str, value: Any, words: str
) -> None:
    settings.validate()
    with pytest.raises(TrainingError, match=words):
        _with(settings, name, value).validate()


@pytest.mark.parametrize("name", ["dropout", "held_out"])
@pytest.mark.parametrize("share", [-0.1, 1.5, math.nan])
def test_the_shares_of_a_fine_tuning_are_from_0_to_1(name: str, share: float) -> None:
    with pytest.raises(TrainingError, match=f"The share of {name} is {share}"):
        _with(TuningSettings(), name, share).validate()
