"""The numbers of the boxes that say why a stop is computed as it is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bertviz_app.viewmodels.steps.stops import BELOW, Stop
from bertviz_app.viewmodels.steps.tensors import StopTensors
from bertviz_app.viewmodels.steps.why import _effective_number, _number, stop_facts, why
from tests.support.factories import make_trace


@pytest.mark.parametrize(
    ("weights", "expected"),
    [([0.25] * 4, 4), ([0, 1, 0], 1), ([0.5, 0, 0.5], 2), ([0.9, 0.1], np.exp(0.325083))],
)
def test_the_effective_number_of_keys_is_that_of_equal_weights_of_the_same_entropy(
    weights: list[float], expected: float
) -> None:
    assert _effective_number(np.array(weights, np.float32)) == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("value", "written"), [(-0.004, "0.00"), (0.0, "0.00"), (-0.03, "−0.03"), (1.0249, "1.02")]
)
def test_a_number_has_the_minus_of_all_others_and_none_before_zeros(value: float, written: str) -> None:
    assert _number(value) == written


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("has_norm_biases", [True, False])
def test_a_norm_without_a_shift_is_explained_without_one(language: str, has_norm_biases: bool) -> None:
    trace = make_trace(5)
    trace = replace(trace, form=replace(trace.form, has_norm_biases=has_norm_biases))
    stop = Stop(BELOW, "embedding_norm")
    tensors = StopTensors(trace, 0, 0, 1, None, None, frozenset(), stop)
    text, example = why(tensors, language)
    assert ("γ and β" in text or "γ와 β" in text) == has_norm_biases
    assert ("β" in example) == has_norm_biases
    assert example


def test_the_widths_of_a_layer_are_those_within_its_bottleneck(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = {"active": np.ones(48, np.float32), "contracted": np.ones(6, np.float32)}
    monkeypatch.setattr(StopTensors, "row", lambda _, name: rows.get(name))
    tensors = StopTensors(make_trace(5), 0, 0, 1, None, None, frozenset(), Stop(0, "expanded"))
    facts = stop_facts(tensors)
    assert (facts["width"], facts["expanded"]) == ("6", "48")
    del rows["contracted"]
    assert stop_facts(tensors)["width"] == str(tensors.trace.width)
