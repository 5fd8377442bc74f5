"""The formulas of `columns` and of `attention_stages` where an encoder leaves something out, or adds it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bertviz_app.trace import Trace
from bertviz_app.viewmodels.steps.attention_stages import ATTENTION_STAGES
from bertviz_app.viewmodels.steps.columns import _projection_columns
from bertviz_app.viewmodels.steps.stops import Stop
from bertviz_app.viewmodels.steps.tensors import StopTensors
from tests.support.factories import make_trace, windowed_trace


def _tensors(trace: Trace, stage: str) -> StopTensors:
    return StopTensors(trace, 0, 0, 1, None, None, frozenset({"disentangled"}), Stop(0, stage))


@pytest.mark.parametrize("has_key_biases", [True, False])
def test_keys_are_made_with_a_bias_where_there_is_one(has_key_biases: bool) -> None:
    trace = make_trace(5)
    trace = replace(trace, form=replace(trace.form, has_key_biases=has_key_biases))
    forms = {column.name: column.formulas[0] for column in _projection_columns(_tensors(trace, "keys"))}
    assert ("b_K" in forms["keys"]) == has_key_biases
    assert "b_Q" in forms["queries"]
    assert "b_V" in forms["values"]


def test_the_weighted_sum_in_one_formula_is_that_of_scores_without_a_bias() -> None:
    (mixed,) = [stage for stage in ATTENTION_STAGES if stage.key == "mixed"]
    plain, windowed = (mixed.formulas(_tensors(of, "mixed")) for of in (make_trace(5), windowed_trace(9, 3)))
    assert "QK^T" in plain[0]
    assert [form for form in windowed if "QK^T" in form] == []
