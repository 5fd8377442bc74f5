"""The line below a stop: its numbers are those of the keys in the window, and it counts the others."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from bertviz_app.analysis.steps import head_steps
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.steps.statistics import StatisticsCache, statistics
from bertviz_app.viewmodels.steps.stops import Stop
from bertviz_app.viewmodels.steps.tensors import StopTensors, stop_tensors
from bertviz_app.views.kit.numbers import cell_number
from bertviz_app.views.steps.sheets.statistics import statistics_texts, with_left_out
from tests.support.factories import make_trace, windowed_trace

QUERY = 3


def _tensors(trace: Trace, stage: str, query: int = QUERY) -> StopTensors:
    return stop_tensors(trace, Stop(1, stage), 2, query, None, head_steps(trace, 1, 2, query))


@pytest.mark.parametrize(
    ("stage", "inside"),
    [
        ("biased", lambda tensors: tensors.steps.biased[2:5]),
        ("softmax", lambda tensors: tensors.steps.weights[2:5]),
        ("weighted", lambda tensors: tensors.steps.weighted[2:5]),
    ],
)
@pytest.mark.usefixtures("qapp")
def test_what_is_beyond_the_window_does_not_count(
    stage: str, inside: Callable[[StopTensors], np.ndarray[tuple[int, ...], np.dtype[np.float32]]]
) -> None:
    tensors = _tensors(windowed_trace(9, reach=1), stage)
    within = inside(tensors)
    for form in statistics_texts(statistics(tensors))[:3]:
        assert cell_number(float(within.min())) in form
        assert cell_number(float(within.max())) in form
        assert "∞" not in form
        assert form.endswith("6 keys outside of the window")
    assert cell_number(float(within.mean())) in statistics_texts(statistics(tensors))[0]
    assert (
        statistics_texts(statistics(tensors))[3]
        == statistics_texts(statistics(tensors))[2].partition(" · ")[0]
    )


@pytest.mark.usefixtures("qapp")
def test_a_single_key_outside_of_the_window_is_counted_in_the_singular() -> None:
    assert statistics_texts(statistics(_tensors(windowed_trace(5, reach=2), "softmax")))[0].endswith(
        " · 1 key outside of the window"
    )


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("stage", ["scores", "scaled", "queries"])
def test_of_other_stages_all_numbers_count(stage: str) -> None:
    tensors = _tensors(windowed_trace(9, reach=1), stage)
    values = tensors.tensor()
    assert values is not None
    assert cell_number(float(values.min())) in statistics_texts(statistics(tensors))[0]
    assert "window" not in statistics_texts(statistics(tensors))[0]


@pytest.mark.usefixtures("qapp")
def test_without_a_window_the_statistics_have_no_keys_outside_of_one() -> None:
    assert all(
        "window" not in form for form in statistics_texts(statistics(_tensors(make_trace(9), "softmax")))
    )


@pytest.mark.usefixtures("qapp")
def test_another_query_costs_no_reduction_of_a_tensor_of_all_tokens() -> None:
    trace, cache = make_trace(9), StatisticsCache()
    keys = [stop_tensors(trace, Stop(1, "keys"), 2, query, None, None) for query in (0, 3)]
    first = cache.get(keys[0])
    assert cache.get(keys[1]) is first
    other = cache.get(stop_tensors(trace, Stop(0, "keys"), 2, 3, None, None))
    assert other is not None
    assert other.minimum == float(trace.keys[0, 2].min())
    weights = [cache.get(_tensors(trace, "softmax", query)) for query in (0, 3)]
    assert [found.maximum for found in weights if found] == pytest.approx(
        [float(trace.attention(1, 2)[query].max()) for query in (0, 3)]
    )


@pytest.mark.usefixtures("qapp")
def test_quantities_without_room_are_named_after_each_form() -> None:
    forms = ("the long form", "short", "")
    assert with_left_out(forms, []) == forms
    long, short, alone = with_left_out(forms, ["weighted"])
    assert alone.startswith("wider panel: also ")
    assert (long, short) == (f"the long form · {alone}", f"short · {alone}")
