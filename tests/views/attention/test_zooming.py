"""Wheel, drag and double click (`views.plots.plot`) on `lines` and `matrix` move all panels."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPointF

from bertviz_app.viewmodels.selection import NOTHING, Pair, Selection
from bertviz_app.viewmodels.viewport import Span, Viewport
from bertviz_app.views.attention.head_view import HeadView
from bertviz_app.views.attention.lines import LinesView
from bertviz_app.views.attention.matrix import MatrixView
from tests.support.scene import double_click, drag, pixels_of, turn_events, wheel
from tests.views.attention.conftest import N_TOKENS, Kind, Make, cell


@pytest.mark.parametrize("kind", [MatrixView, LinesView])
def test_the_wheel_zooms_all_panels_about_the_token_under_the_pointer(
    make: Make, viewport: Viewport, kind: Kind
) -> None:
    view, other = make(kind), make(MatrixView)
    queries, keys = view.axes()
    x, y = keys.middle(20), queries.middle(20)
    before = pixels_of(other).copy()
    wheel(view, x, y, 4)
    assert viewport.queries.length == pytest.approx(N_TOKENS * 0.85**4)
    assert view.axes()[0].token(y) == 20
    turn_events()  # the panel under the pointer comes first
    assert other.axes()[0].span == view.axes()[0].span == viewport.queries
    np.testing.assert_array_equal(pixels_of(other), pixels_of(make(MatrixView)))  # drawn anew from there
    assert (pixels_of(other) != before).mean() > 0.2
    wheel(view, x, y, -40)
    assert viewport.is_whole
    np.testing.assert_array_equal(pixels_of(other), before)


@pytest.mark.parametrize("kind", [MatrixView, LinesView])
def test_a_drag_pans_all_panels_and_pins_nothing(
    make: Make, viewport: Viewport, selection: Selection, kind: Kind
) -> None:
    view = make(kind)
    make(LinesView)
    viewport.show(Span(10.0, 20.0), Span(10.0, 20.0))
    queries, keys = view.axes()
    x, y = keys.middle(15), queries.middle(15)
    drag(view, [(x, y), (x, y - queries.pitch), (x, y - 3 * queries.pitch)])
    assert viewport.queries.first == pytest.approx(13.0, abs=0.05)
    assert viewport.queries.length == pytest.approx(10.0)
    assert selection.pinned == NOTHING


def test_a_drag_over_the_whole_matrix_zooms_into_the_rectangle_and_pins_nothing(
    make: Make, viewport: Viewport, selection: Selection
) -> None:
    view = make(MatrixView)
    drag(view, [cell(view, 9, 12), cell(view, 7, 8), cell(view, 5, 4)])
    assert (viewport.queries, viewport.keys) == (Span(5.0, 10.0), Span(4.0, 13.0))
    assert not selection.pinned


def test_a_drag_of_a_few_pixels_is_a_click(make: Make, viewport: Viewport, selection: Selection) -> None:
    view = make(MatrixView)
    x, y = cell(view, 5, 5)
    drag(view, [(x, y), (x + 1, y + 1)])
    assert viewport.is_whole
    assert selection.pinned == Pair(5, 5)


def test_a_drag_over_the_whole_of_the_lines_moves_nothing_and_pins_nothing(
    make: Make, viewport: Viewport, selection: Selection
) -> None:
    view = make(LinesView)
    drag(view, [(5, view.axes()[0].middle(3)), (5, view.axes()[0].middle(6))])
    assert viewport.is_whole
    assert selection.pinned == NOTHING


def test_a_double_click_shows_everything_again(make: Make, viewport: Viewport) -> None:
    view = make(MatrixView)
    viewport.show(Span(10.0, 20.0), Span(10.0, 20.0))
    double_click(view, 200, 200)
    assert viewport.is_whole
    view.box.close = 8
    at = QPointF(200, 200)
    query, key = _position(view, at)
    double_click(view, 200, 200)
    assert viewport.queries.length == pytest.approx(8)
    # The labels take another width, which moves the matrix by a part of a token.
    assert _position(view, at) == pytest.approx((query, key), abs=0.5), "the point is still under the pointer"


def _position(view: HeadView, at: QPointF) -> tuple[float, float]:
    """Return the query and the key at a point of the view."""
    at = view.box.position(at)
    return at.y(), at.x()
