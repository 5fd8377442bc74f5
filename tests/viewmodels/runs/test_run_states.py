"""Sides: what is lit and in sight in one run is so in the others; their difference, with its gaps."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtWidgets import QApplication

from bertviz_app.analysis.attention.numbers import AttentionNumbers
from bertviz_app.options import Run
from bertviz_app.viewmodels.heads.aligned_places import difference_order
from bertviz_app.viewmodels.heads.head_sources import DifferenceSource
from bertviz_app.viewmodels.heads.pictures import Pictures, picture_of
from bertviz_app.viewmodels.options import DrawOptions, Options, Scale
from bertviz_app.viewmodels.panels import RUNS
from bertviz_app.viewmodels.pyramid import GAP, ZERO
from bertviz_app.viewmodels.results import Results
from bertviz_app.viewmodels.runs.run_states import RunState, RunStates
from bertviz_app.viewmodels.selection import NOTHING, Pair, Selection
from bertviz_app.viewmodels.tasks import Tasks
from bertviz_app.viewmodels.viewport import Span, Viewport
from tests.support.factories import dense, make_trace
from tests.support.fakes import HeldJobs

# A: w0 w1 w2 w3 w4, B: w0 x w1 w3 w4; "x" is new and w2 is gone
ALIGNED = np.array([[0, 0], [-1, 1], [1, 2], [2, -1], [3, 3], [4, 4]], np.int32)


@pytest.fixture
def options(qapp: QApplication) -> Options:
    return Options()


@pytest.fixture
def sides(jobs: HeldJobs, options: Options) -> RunStates:
    tasks = Tasks(jobs)
    results = Results(tasks)
    made: dict[Run, RunState] = {
        run: RunState(Pictures(results, options, run), Selection(), Viewport()) for run in RUNS
    }
    made_sides = RunStates(made, options, tasks)
    made_sides.show("A", AttentionNumbers(make_trace(5)))
    return made_sides


@pytest.fixture
def compared(sides: RunStates) -> RunStates:
    other = make_trace(5, seed=1)
    sides.show("B", AttentionNumbers(other))
    sides.compare((AttentionNumbers(make_trace(5)), AttentionNumbers(other)), ALIGNED)
    return sides


def test_a_token_of_the_other_run_is_highlighted_there_and_is_no_key_of_this_one(
    compared: RunStates,
) -> None:
    compared["A"].selection.hover(1, partner=4)
    assert compared["A"].selection.highlighted == {1}
    assert compared["B"].selection.shown == Pair(4, partner=1)
    assert compared["A-B"].selection.shown == Pair(2), "the aligned position of the query"
    compared["B"].selection.pin(3, partner=2)
    compared["B"].selection.leave()
    assert compared["A"].selection.shown == Pair(2, partner=3)


def test_a_token_of_the_other_run_is_dropped_with_it(compared: RunStates) -> None:
    compared["A"].selection.pin(1, partner=4)
    shorter = AttentionNumbers(make_trace(3, seed=1))
    compared.show("B", shorter)
    compared.compare((AttentionNumbers(make_trace(5)), shorter), ALIGNED[[0, 2]])
    assert compared["A"].selection.pinned == Pair(1)
    assert compared["B"].selection.pinned == Pair(2)
    compared["A"].selection.pin(partner=2)
    compared.end_comparison()
    assert not compared["A"].selection.pinned


def test_without_a_comparison_a_hover_highlights_nothing_in_other_runs(sides: RunStates) -> None:
    sides["A"].selection.hover(1, 2)
    assert sides["B"].selection.shown == NOTHING


def test_a_token_hovered_in_a_is_highlighted_in_b_and_in_the_difference(compared: RunStates) -> None:
    compared["A"].selection.hover(1, 4)
    assert compared["B"].selection.shown == Pair(2, 4)
    assert compared["A-B"].selection.shown == Pair(2, 5)


def test_a_token_pinned_in_b_that_a_lacks_is_pinned_in_the_difference(compared: RunStates) -> None:
    compared["B"].selection.pin(1, 0)
    assert compared["A"].selection.pinned == Pair(None, 0)
    assert compared["A-B"].selection.pinned == Pair(1, 0)


def test_a_place_of_the_difference_lights_both_runs(compared: RunStates) -> None:
    compared["A-B"].selection.hover(3, 4)
    assert compared["A"].selection.shown == Pair(2, 3)
    assert compared["B"].selection.shown == Pair(None, 3)


def test_zoom_is_linked_in_proportion(compared: RunStates) -> None:
    assert compared["A-B"].viewport.counts == (6, 6)
    compared["A"].viewport.show(Span(0.0, 3.0), Span(2.0, 5.0))
    assert compared["B"].viewport.queries == Span(0.0, 3.0)
    assert compared["A-B"].viewport.queries.length == pytest.approx(3.6)
    compared["A-B"].viewport.fit()
    assert compared["A"].viewport.is_whole


def test_the_end_of_the_comparison_unties_the_runs(compared: RunStates) -> None:
    compared["A"].selection.pin(1, 1)
    compared.end_comparison()
    assert compared["B"].selection.shown == NOTHING
    compared["A"].selection.pin(2, 2)
    assert compared["A-B"].selection.shown == NOTHING
    assert compared["B"].pictures.get(0, 0) is None


def test_a_reading_with_fewer_places_is_shown_whole(sides: RunStates, options: Options) -> None:
    assert sides["A"].viewport.counts == (5, 5)
    options.change(hides_special=True)
    assert sides["A"].viewport.counts == (3, 3)
    options.change(hides_special=False)
    assert sides["A"].viewport.counts == (5, 5)


@pytest.mark.parametrize("scale", ["linear", "log", "row"])
def test_the_difference_is_a_minus_b_between_aligned_tokens_and_nothing_at_gaps(scale: Scale) -> None:
    traces = make_trace(5), make_trace(5, seed=1)
    options = DrawOptions(scale=scale)
    token_order = difference_order(traces, ALIGNED, options)
    source = DifferenceSource(
        (AttentionNumbers(traces[0]), AttentionNumbers(traces[1])), ALIGNED, 1, 2, token_order
    )
    weights = [dense(trace)[1, 2] for trace in traces]
    expected = np.full((6, 6), np.nan)
    for row, (a, b) in enumerate(ALIGNED.tolist()):
        for column, (c, d) in enumerate(ALIGNED.tolist()):
            if min(a, b, c, d) >= 0:
                expected[row, column] = weights[0][a, c] - weights[1][b, d]
    np.testing.assert_allclose(source.rows(0, 6), expected, atol=2e-6)
    np.testing.assert_allclose(source.row(2), expected[2], atol=2e-6)
    np.testing.assert_allclose(source.column(4), expected[:, 4], atol=2e-6)
    assert source.parts(2, 4) == pytest.approx((weights[0][1, 3], weights[1][2, 3]), abs=2e-6)
    picture = picture_of(source, 1, 2, options, lambda: None)
    _is_signed_and_scaled(picture.pyramid.levels[0], expected, scale)
    assert picture.largest == pytest.approx(np.nanmax(np.abs(expected)), abs=2e-6)
    sums = [np.where(np.isnan(expected).all(axis), np.nan, np.nansum(expected, axis)) for axis in (1, 0)]
    np.testing.assert_allclose(picture.row_sums, sums[0], atol=1e-5)
    np.testing.assert_allclose(picture.column_sums, sums[1], atol=1e-5)
    assert token_order.queries.is_gap is not None
    assert token_order.queries.is_gap.tolist() == [False, True, False, True, False, False]


def _is_signed_and_scaled(level: NDArray[np.uint8], expected: NDArray[np.float64], scale: Scale) -> None:
    known = np.nan_to_num(expected)
    assert (level[np.isnan(expected)] == GAP).all()
    level = np.where(np.isnan(expected), ZERO, level).astype(np.uint8)
    assert (np.sign(level.astype(int) - 128) * np.sign(known) >= 0).all()
    sizes = np.abs(known)
    if scale == "linear":
        np.testing.assert_allclose(level.astype(int) - 128, known / sizes.max() * 127, atol=0.51)
    if scale == "row":
        shares = np.abs(level.astype(int) - 128).max(1)
        assert set(shares[sizes.max(1) > 0].tolist()) == {127}


def test_labels_of_the_difference_name_what_each_run_has() -> None:
    traces = make_trace(5), make_trace(5, seed=1)
    token_order = difference_order(traces, ALIGNED, DrawOptions())
    assert token_order.keys.labels[1] == "– | w1"
    assert token_order.keys.labels[2] == "w1 | w2"
    assert token_order.keys.labels[5] == "[SEP]"
