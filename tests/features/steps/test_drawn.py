"""What a stop does to one token: each drawn number is that of the trace, or computed by hand from it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from bertviz_app.analysis.pairs import head_steps
from bertviz_app.features.steps import drawn as module
from bertviz_app.features.steps.drawn import (
    ActivationCurve,
    Arrows,
    Drawn,
    Histograms,
    Joined,
    drawn_of,
    histograms,
)
from bertviz_app.trace import Trace
from bertviz_app.viewmodels.stages.stops import Stop, stop_tensors
from tests.support.factories import make_details, make_trace

_QUERY = 2


def _drawn(stage: str, trace: Trace | None = None) -> Drawn | None:
    trace = trace or make_trace(5, n_layers=2)
    steps = head_steps(trace, 1, 0, _QUERY)
    return drawn_of(stop_tensors(trace, Stop(1, stage), 0, _QUERY, make_details(trace, 1), steps))


def test_a_histogram_has_mean_deviation_and_all_numbers() -> None:
    values = np.array([1.0, 2.0, 3.0, 4.0])
    part, same = histograms((("r", values), ("y", 2 * values)))
    assert [part.mean, part.deviation, part.variance] == pytest.approx([2.5, math.sqrt(1.25), 1.25])
    assert part.counts.sum() == part.n == 4
    assert same.edges is part.edges  # one axis: widths can be compared
    assert same.deviation == pytest.approx(2 * part.deviation)


def test_numbers_far_away_are_counted_at_the_ends() -> None:
    values = np.array([0.0] * 999 + [100.0])
    (part,) = histograms((("r", values),))
    assert part.counts[-1] == 1
    assert part.counts.sum() == 1000


def test_numbers_that_are_all_alike_have_an_axis_all_the_same() -> None:
    (part,) = histograms((("r", np.full(3, 2.0)),))
    assert part.edges[0] < 2.0 < part.edges[-1]
    assert part.counts.sum() == 3


def test_a_norm_is_drawn_before_normalised_and_after() -> None:
    trace = make_trace(5, n_layers=2)
    drawn = _drawn("attention_norm", trace)
    assert isinstance(drawn, Histograms)
    row = make_details(trace, 1).attention_sum[_QUERY]
    before, normed, after = drawn.parts
    assert [before.mean, before.deviation] == pytest.approx([float(row.mean()), float(row.std())])
    assert [normed.mean, normed.deviation] == pytest.approx([0.0, 1.0], abs=1e-9)
    own = make_details(trace, 1).attention_norm[_QUERY]
    assert after.mean == pytest.approx(float(own.mean()))


def test_the_points_of_an_activation_are_the_numbers_of_the_token() -> None:
    trace = make_trace(5, n_layers=2)
    drawn = _drawn("active", trace)
    assert isinstance(drawn, ActivationCurve)
    details = make_details(trace, 1)
    assert (drawn.inputs == details.expanded[_QUERY]).all()
    assert (drawn.outputs == details.active[_QUERY]).all()
    assert drawn.n_near_zero == int((np.abs(details.active[_QUERY]) < 0.1).sum())
    assert drawn.line_x[0] <= drawn.inputs.min()
    assert drawn.line_x[-1] >= drawn.inputs.max()


def test_the_arrows_of_a_sum_have_true_lengths_and_angles() -> None:
    trace = make_trace(5, n_layers=2)
    drawn = _drawn("attention_sum", trace)
    assert isinstance(drawn, Arrows)
    first, second = (
        trace.hidden[1][_QUERY].astype(float),
        make_details(trace, 1).projected[_QUERY].astype(float),
    )
    expected = [math.sqrt((first**2).sum()), math.sqrt((second**2).sum())]
    assert list(drawn.lengths[:2]) == pytest.approx(expected)
    assert drawn.between == pytest.approx((first * second).sum() / (drawn.lengths[0] * drawn.lengths[1]))
    # The third side of the triangle that is drawn is as long as the sum.
    assert math.hypot(*drawn.corners[1]) == pytest.approx(math.sqrt(((first + second) ** 2).sum()))


def test_the_variance_of_scores_falls_by_the_radicand() -> None:
    trace = make_trace(5, n_layers=2)
    drawn = _drawn("scaled", trace)
    assert isinstance(drawn, Histograms)
    products = trace.queries[1, 0].astype(float) @ trace.keys[1, 0].astype(float).T
    assert drawn.parts[0].n == 25
    assert drawn.parts[0].variance == pytest.approx(products.var(), rel=1e-4)
    assert drawn.parts[0].variance / drawn.parts[1].variance == pytest.approx(trace.radicand)


def test_joined_heads_are_the_outputs_of_the_heads_side_by_side() -> None:
    trace = make_trace(5, n_layers=2)
    drawn = _drawn("concat", trace)
    assert isinstance(drawn, Joined)
    for head, numbers in enumerate(drawn.heads):
        output = trace.attention(1, head)[_QUERY] @ trace.values[1, head]
        np.testing.assert_allclose(numbers, output, atol=1e-5)


def test_a_stop_that_strips_show_has_no_picture() -> None:
    assert _drawn("mixed") is None


def test_of_many_numbers_a_part_draws_the_function_and_all_points_lie_on_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "_MOST_POINTS", 7)
    drawn = _drawn("active")
    assert isinstance(drawn, ActivationCurve)
    assert drawn.line_x[0] <= drawn.inputs.min()
    assert drawn.line_x[-1] >= drawn.inputs.max()
    smallest, largest = int(drawn.inputs.argmin()), int(drawn.inputs.argmax())
    for place in (smallest, largest):
        on_line = np.interp(drawn.inputs[place], drawn.line_x, drawn.line_y)
        assert on_line == pytest.approx(float(drawn.outputs[place]), abs=0.02)
