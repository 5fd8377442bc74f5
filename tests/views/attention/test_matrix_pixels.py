"""The matrix, pixel by pixel: every cell has the colour of its weight, and no bright cell is lost."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from pytestqt.qtbot import QtBot

from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.viewmodels.viewport import Span, Viewport
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.kit.look import Look
from tests.support.scene import on_screen, picture_of, pixels_of, random_attention


@pytest.fixture
def view(look: Look, selection: Selection, viewport: Viewport) -> MatrixView:
    return MatrixView(look, selection, viewport)


def _show(view: MatrixView, attention: Doubles) -> HeadPicture:
    picture = picture_of(attention)
    view.viewport.fit(len(attention))
    view.show_picture(picture)
    return picture


def _expected(look: Look, level: int) -> int:
    return int(look.weights[level]) & 0xFFFFFF


def _tokens_of_pixels(axis: Axis) -> dict[int, int]:
    """Return pixel -> token, for the pixels whose middle lies well within a token's cell.

    A quarter in from the edge, so as to be on neither the grid nor the number in the middle.
    """
    found = {}
    for pixel in range(math.ceil(axis.start) + 1, math.floor(axis.end) - 1):
        place = axis.position(pixel + 0.5)
        share = place % 1
        is_clear = 0.12 < share < 0.22 if axis.pitch > 20 else 0.25 < share < 0.75
        if is_clear and abs(pixel + 0.5 - axis.edge(math.floor(place))) > (1.6 if axis.pitch > 7 else 0):
            found[pixel] = math.floor(place)
    return found


def _check_all_pixels(view: MatrixView, picture: HeadPicture, least: int) -> None:
    """Compare every clear pixel of the plot with the colour of its cell."""
    queries, keys = (_tokens_of_pixels(axis) for axis in view.axes())
    assert len(set(queries.values())) >= least
    assert len(set(keys.values())) >= least
    drawn = pixels_of(view)[np.ix_(list(queries), list(keys))]
    levels = picture.pyramid.finest[np.ix_(list(queries.values()), list(keys.values()))]
    np.testing.assert_array_equal(drawn, view.look.weights[levels] & np.uint32(0xFFFFFF))


@pytest.mark.parametrize(("n_tokens", "side"), [(5, 600), (64, 800), (512, 700), (512, 1300)])
def test_every_cell_has_the_colour_of_its_weight(
    qtbot: QtBot, view: MatrixView, n_tokens: int, side: int
) -> None:
    picture = _show(view, random_attention(n_tokens))
    on_screen(qtbot, view, side, side)
    _check_all_pixels(view, picture, least=min(n_tokens, 200))


def test_so_it_is_in_the_other_theme(qtbot: QtBot, view: MatrixView) -> None:
    picture = _show(view, random_attention(40))
    on_screen(qtbot, view, 600, 600)
    view.look.set_palette(read_palette("dark"))
    _check_all_pixels(view, picture, least=40)


@pytest.mark.parametrize(
    ("queries", "keys"),
    [
        (Span(100.3, 130.7), Span(40.1, 60.6)),
        (Span(0.0, 3.0), Span(509.0, 512.0)),
        (Span(11.9, 400.2), Span(0.4, 511.3)),
    ],
)
def test_so_it_is_where_one_zoomed_in(qtbot: QtBot, view: MatrixView, queries: Span, keys: Span) -> None:
    picture = _show(view, random_attention(512))
    on_screen(qtbot, view, 900, 900)
    pixels_of(view)
    view.viewport.show(queries, keys)
    _check_all_pixels(view, picture, least=3)


def _bright(n_tokens: int, query: int, key: int) -> Doubles:
    """Return attention that is all but nothing, except for one cell."""
    attention = np.full((n_tokens, n_tokens), 1 / n_tokens)
    attention[query] = 0.0
    attention[query, key] = 1.0
    return attention


def _lit_pixels(view: MatrixView) -> NDArray[np.intp]:
    """Return [n, 2] (y, x) of the pixels in the brightest colour within the plot."""
    queries, keys = view.axes()
    plot = pixels_of(view)[: math.ceil(queries.end), : math.ceil(keys.end)]
    return np.argwhere(plot == _expected(view.look, 255))


@given(st.integers(0, 511), st.integers(0, 511), st.integers(260, 480))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_one_bright_cell_of_a_long_text_is_seen_in_a_small_panel(
    qtbot: QtBot, look: Look, query: int, key: int, side: int
) -> None:
    view = MatrixView(look, Selection(), Viewport())
    _show(view, _bright(512, query, key))
    on_screen(qtbot, view, side, side)
    lit = _lit_pixels(view)
    assert len(lit) >= 1
    queries, keys = view.axes()
    block = 2 * max(1.0, 2 / queries.pitch, 2 / keys.pitch)  # tokens that a pixel may stand for
    y, x = lit[0]
    assert abs(queries.position(y + 0.5) - query) <= block
    assert abs(keys.position(x + 0.5) - key) <= block


@pytest.mark.parametrize("n_tokens", [100, 250, 256, 257])
def test_one_bright_cell_is_seen_in_the_smallest_panel(
    qtbot: QtBot, look: Look, selection: Selection, n_tokens: int
) -> None:
    for cell in range(0, n_tokens, 13):
        view = MatrixView(look, selection, Viewport())
        _show(view, _bright(n_tokens, cell, n_tokens - 1 - cell))
        on_screen(qtbot, view, 260, 200)
        assert len(_lit_pixels(view)) >= 1, cell


def test_a_picture_of_another_length_is_drawn_whole_until_its_successor_comes(
    qtbot: QtBot, view: MatrixView
) -> None:
    _show(view, random_attention(20))
    on_screen(qtbot, view, 400, 400)
    drawn = pixels_of(view)
    view.viewport.fit(30)
    np.testing.assert_array_equal(pixels_of(view), drawn)
    assert [axis.span for axis in view.axes()] == [Span(0.0, 20.0)] * 2
