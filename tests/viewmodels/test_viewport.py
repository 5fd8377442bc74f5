"""What is in sight: always part of the sequence, steady under the pointer, told only when it changes."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.viewport import FEWEST, Span, Viewport

sizes = st.integers(1, 8192)
factors = st.floats(0.05, 20.0)


class Counted(Viewport):
    """A viewport that counts how often it said that it changed."""

    def __init__(self, n_tokens: int) -> None:
        super().__init__()
        self.fit(n_tokens)
        self.n_changes = 0
        self.changed.connect(self._count)

    def _count(self) -> None:
        self.n_changes += 1


@st.composite
def moved(draw: st.DrawFn) -> Counted:
    """A viewport after some zooming and panning."""
    viewport = Counted(draw(sizes))
    for _ in range(draw(st.integers(0, 4))):
        position = st.floats(0, viewport.n_keys)
        viewport.zoom(draw(factors), draw(position), draw(position))
        viewport.show(
            *(_moved(span, draw(st.floats(-100, 100))) for span in (viewport.queries, viewport.keys))
        )
    return viewport


def _moved(span: Span, by: float) -> Span:
    return Span(span.first + by, span.last + by)


def _is_within(span: Span, n_tokens: int) -> bool:
    fewest = min(FEWEST, n_tokens)
    return span.first >= 0 and span.last <= n_tokens and span.length >= fewest * (1 - 1e-9)


def test_before_there_is_a_text_nothing_is_in_sight() -> None:
    viewport = Viewport()
    viewport.zoom_middle(0.5)
    viewport.show(Span(1.0, 2.0), Span(1.0, 2.0))
    assert (viewport.n_keys, viewport.queries, viewport.keys) == (0, Span(0.0, 0.0), Span(0.0, 0.0))


def test_fit_shows_everything() -> None:
    viewport = Counted(20)
    viewport.zoom_middle(0.5)
    assert not viewport.is_whole
    viewport.fit()
    assert viewport.is_whole
    assert (viewport.queries, viewport.keys) == (Span(0.0, 20.0), Span(0.0, 20.0))


def test_another_length_notifies_even_where_the_spans_stay() -> None:
    viewport = Counted(20)
    viewport.show(Span(0.0, 8.0), Span(0.0, 8.0))
    viewport.n_changes = 0
    viewport.fit(8)
    assert viewport.n_changes == 1
    assert viewport.is_whole


@given(moved())
def test_what_is_in_sight_exists(viewport: Counted) -> None:
    for span in (viewport.queries, viewport.keys):
        assert _is_within(span, viewport.n_keys)
        assert set(Axis(span, 0.0, 100.0).tokens()) <= set(range(viewport.n_keys))


@given(moved(), factors, st.floats(0, 1), st.floats(0, 1))
def test_the_point_zoomed_about_stays_where_it_is(
    viewport: Counted, factor: float, across: float, down: float
) -> None:
    before = (viewport.queries, viewport.keys)
    points = [span.first + share * span.length for span, share in zip(before, (down, across), strict=True)]
    viewport.zoom(factor, *points)
    for old, new, point, share in zip(
        before, (viewport.queries, viewport.keys), points, (down, across), strict=True
    ):
        # At an end of the sequence there is nothing further to show, and the point has to give way.
        if new.first > 1e-9 and new.last < viewport.n_keys - 1e-9:
            assert (point - new.first) / new.length == pytest.approx(share, abs=1e-6)
        assert new.length <= max(old.length, old.length * factor) * (1 + 1e-9)


@given(sizes, st.floats(0, 1))
def test_zooming_in_ends_with_the_point_where_it_was(n_tokens: int, share: float) -> None:
    viewport = Counted(n_tokens)
    point = share * n_tokens
    for _ in range(60):
        viewport.zoom(0.8, point, point)
    span = viewport.queries
    assert span.length == pytest.approx(min(FEWEST, n_tokens))
    assert (point - span.first) / span.length == pytest.approx(share, abs=1e-6)


@given(st.integers(10, 8192), st.floats(0.3, 1), st.floats(0, 1))
def test_zooming_in_and_out_again_comes_back(n_tokens: int, factor: float, share: float) -> None:
    viewport = Counted(n_tokens)
    before, position = viewport.queries, share * n_tokens
    viewport.zoom(factor, position, position)
    viewport.zoom(1 / factor, position, position)
    assert viewport.queries.first == pytest.approx(before.first, abs=1e-6 * viewport.n_keys)
    assert viewport.queries.last == pytest.approx(before.last, abs=1e-6 * viewport.n_keys)


@given(moved(), st.floats(-1000, 1000))
def test_panning_keeps_the_zoom_and_stops_at_the_ends(viewport: Counted, by: float) -> None:
    before = viewport.keys
    viewport.show(viewport.queries, _moved(viewport.keys, by))
    assert viewport.keys.length == pytest.approx(before.length)
    expected = min(max(before.first + by, 0.0), viewport.n_keys - before.length)
    assert viewport.keys.first == pytest.approx(expected, abs=1e-6)


@given(moved())
def test_without_a_change_there_is_no_signal(viewport: Counted) -> None:
    viewport.n_changes = 0
    viewport.show(viewport.queries, viewport.keys)
    assert viewport.n_changes == 0


def test_each_change_notifies_once() -> None:
    viewport = Counted(100)
    viewport.zoom_middle(0.5)
    assert viewport.n_changes == 1
    assert (viewport.queries, viewport.keys) == (Span(25.0, 75.0), Span(25.0, 75.0))
    viewport.show(Span(30.0, 80.0), Span(20.0, 70.0))
    assert viewport.n_changes == 2
    assert (viewport.queries, viewport.keys) == (Span(30.0, 80.0), Span(20.0, 70.0))


def test_zooming_out_of_the_whole_changes_nothing() -> None:
    viewport = Counted(100)
    viewport.zoom_middle(2.0)
    assert viewport.n_changes == 0
