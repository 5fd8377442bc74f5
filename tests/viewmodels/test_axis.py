"""Where tokens lie in pixels, and which of them are labelled."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.viewmodels.axis import Axis, fitted
from bertviz_app.viewmodels.viewport import Span

lengths = st.floats(1.0, 4000.0)
starts = st.floats(-500.0, 500.0)


@st.composite
def spans(draw: st.DrawFn) -> Span:
    """A stretch that a viewport of up to 8,192 tokens may show."""
    n_tokens = draw(st.integers(1, 8192))
    first, length = draw(st.floats(0, n_tokens)), draw(st.floats(0.5, 8192))
    return Span(first, first + length).within(n_tokens)


@st.composite
def axes(draw: st.DrawFn) -> Axis:
    return Axis(draw(spans()), draw(starts), draw(lengths))


def test_tokens_are_evenly_spread() -> None:
    axis = Axis(Span(2.0, 7.0), 100.0, 50.0)
    assert axis.pitch == 10.0
    assert axis.end == 150.0
    assert [axis.edge(token) for token in (2, 3, 7)] == [100.0, 110.0, 150.0]
    assert axis.middle(2) == 105.0
    assert [axis.token(pixel) for pixel in (99.9, 100.0, 109.9, 110.0, 149.9, 150.0)] == [
        None,
        2,
        2,
        3,
        6,
        None,
    ]
    assert axis.position(125.0) == 4.5
    assert list(axis.tokens()) == [2, 3, 4, 5, 6]


def test_tokens_that_are_partly_in_sight_are_counted() -> None:
    assert list(Axis(Span(1.5, 4.5), 0.0, 30.0).tokens()) == [1, 2, 3, 4]


def test_an_empty_axis_has_no_tokens() -> None:
    axis = Axis(Span(0.0, 0.0), 10.0, 0.0)
    assert axis.token(10.0) is None
    assert axis.position(10.0) == 0.0
    assert axis.labelled(12.0) == []
    assert list(axis.tokens()) == []


@given(axes(), st.floats(0, 1))
def test_place_and_edge_undo_each_other(axis: Axis, share: float) -> None:
    position = axis.span.first + share * axis.span.length
    assert axis.position(axis.edge(position)) == pytest.approx(position, abs=1e-6, rel=1e-9)


@given(axes(), st.data())
def test_the_middle_of_a_token_is_on_it(axis: Axis, data: st.DataObject) -> None:
    token = data.draw(st.sampled_from(axis.tokens()))
    middle = axis.middle(token)
    assert axis.edge(token) <= middle <= axis.edge(token + 1)
    if axis.start + 1e-6 < middle < axis.end - 1e-6:
        assert axis.token(middle) == token


@given(axes(), st.floats(0, 1))
def test_a_token_under_a_pixel_is_one_that_is_in_sight(axis: Axis, share: float) -> None:
    token = axis.token(axis.start + share * axis.length)
    assert token is None or token in axis.tokens()


@given(axes())
def test_the_last_pixel_is_still_on_a_token_that_exists(axis: Axis) -> None:
    assert axis.token(math.nextafter(axis.end, -math.inf)) in axis.tokens()


@given(axes(), st.floats(4, 200))
def test_labels_never_overlap(axis: Axis, room: float) -> None:
    labelled = axis.labelled(room)
    assert labelled == sorted(set(labelled))
    middles = [axis.middle(token) for token in labelled]
    for before, after in pairwise(middles):
        assert after - before >= room - 1e-6


@given(axes(), st.floats(4, 200), st.data())
def test_the_highlighted_token_is_labelled_and_nothing_overlaps_it(
    axis: Axis, room: float, data: st.DataObject
) -> None:
    highlighted = data.draw(st.sampled_from(axis.tokens()))
    labelled = axis.labelled(room, frozenset({highlighted}))
    if axis.span.first <= highlighted + 0.5 <= axis.span.last:
        assert highlighted in labelled
    middles = [axis.middle(token) for token in labelled]
    for before, after in pairwise(middles):
        assert after - before >= room - 1e-6


@given(axes(), st.floats(4, 200))
def test_every_token_with_room_is_labelled(axis: Axis, room: float) -> None:
    wide = Axis(axis.span, axis.start, axis.span.length * room * 1.001)
    in_sight = [t for t in wide.tokens() if axis.span.first <= t + 0.5 <= axis.span.last]
    assert wide.labelled(room) == in_sight


@given(st.integers(20, 400), st.floats(0, 100), st.floats(10, 40))
def test_labels_stay_on_their_tokens_while_one_pans(n_tokens: int, by: float, room: float) -> None:
    span = Span(0.0, 20.0)
    before = set(Axis(span, 0.0, 100.0).labelled(room))
    moved = Span(by, by + 20.0).within(n_tokens)
    after = set(Axis(moved, 0.0, 100.0).labelled(room))
    in_both = {token for token in before if moved.first <= token}
    assert in_both <= after


def test_the_label_of_the_highlighted_token_replaces_its_neighbours() -> None:
    axis = Axis(Span(0.0, 16.0), 0.0, 80.0)
    assert axis.labelled(10.0) == [0, 2, 4, 6, 8, 10, 12, 14]
    assert axis.labelled(10.0, frozenset({5})) == [0, 2, 5, 8, 10, 12, 14]


@pytest.mark.parametrize(("length", "room", "expected"), [(4.0, 300.0, 160.0), (100.0, 300.0, 300.0)])
def test_a_fitted_axis_fills_its_room_but_spreads_no_token_too_far(
    length: float, room: float, expected: float
) -> None:
    axis = fitted(Span(0.0, length), 12.0, room, 40.0)
    assert (axis.start, axis.length) == (12.0, expected)
