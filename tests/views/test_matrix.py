"""The matrix: every cell has the colour of its weight, in the first frame and in those that are copied."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings, strategies as st
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.picture import Quantity
from bertviz_app.analysis.results import RunMatrix
from bertviz_app.shell.settings import read_palette
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.analyses.analyses import pictures_of_result
from bertviz_app.viewmodels.heads.pictures import HeadPicture
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.state import DrawOptions, Pair, Store, change_options
from bertviz_app.viewmodels.viewport import PixelAxis, TokenSpan, Viewport
from bertviz_app.views.attention.head_view import read_out
from bertviz_app.views.attention.matrix import MatrixView, bar_texts
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import general
from tests.support.factories import make_tokens, make_trace, trace_of
from tests.support.scene import (
    click,
    difference_picture,
    head_picture,
    leave,
    move,
    on_screen,
    picture_of,
    pixels_of,
    random_attention,
    turn_events,
)


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


def _tokens_of_pixels(axis: PixelAxis) -> dict[int, int]:
    """Return pixel -> token, for the pixels whose middle lies well within a token's cell.

    A quarter in from the edge, so as to be on neither the grid nor the number in the middle.
    """
    found = {}
    for pixel in range(math.ceil(axis.start) + 1, math.floor(axis.end) - 1):
        position = axis.position(pixel + 0.5)
        share = position % 1
        is_clear = 0.12 < share < 0.22 if axis.pitch > 20 else 0.25 < share < 0.75
        if is_clear and abs(pixel + 0.5 - axis.edge(math.floor(position))) > (1.6 if axis.pitch > 7 else 0):
            found[pixel] = math.floor(position)
    return found


def _check_all_pixels(view: MatrixView, picture: HeadPicture, least: int) -> None:
    """Compare every clear pixel of the plot with the colour of its cell."""
    queries, keys = (_tokens_of_pixels(axis) for axis in view.axes())
    assert len(set(queries.values())) >= least
    assert len(set(keys.values())) >= least
    drawn = pixels_of(view)[np.ix_(list(queries), list(keys))]
    levels = picture.pyramid.levels[0][np.ix_(list(queries.values()), list(keys.values()))]
    np.testing.assert_array_equal(drawn, view.look.weights[levels] & np.uint32(0xFFFFFF))


def _bright(n_tokens: int, query: int, key: int) -> Doubles:
    """Return attention that is all but nothing, except for one cell."""
    attention = np.full((n_tokens, n_tokens), 1 / n_tokens)
    attention[query] = 0.0
    attention[query, key] = 1.0
    return attention


def _highlighted_pixels(view: MatrixView) -> NDArray[np.intp]:
    """Return [n, 2] (y, x) of the pixels in the brightest colour within the plot."""
    queries, keys = view.axes()
    plot = pixels_of(view)[: math.ceil(queries.end), : math.ceil(keys.end)]
    return np.argwhere(plot == _expected(view.look, 255))


N_TOKENS = 120


_WORDS = ("the", "고양이가", "playing", "(", "먹었다", "unbelievable", "g", "##ing")


_SAME = 3


"""Levels of 255: texts are drawn over clear pictures, in which their colours are rounded once more."""


_ZOOMS = {
    "all": (TokenSpan(0.0, 120.0), TokenSpan(0.0, 120.0)),
    "slanted": (TokenSpan(3.3, 43.3), TokenSpan(20.7, 60.7)),
    "level": (TokenSpan(10.2, 16.2), TokenSpan(90.5, 96.5)),
}


View = Callable[..., MatrixView]


@pytest.fixture
def make(qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport) -> View:
    """Make a matrix on screen of words in two scripts."""

    def make(**options: Any) -> MatrixView:
        pieces = tuple(_WORDS[index % len(_WORDS)] for index in range(N_TOKENS))
        tokens = replace(make_tokens(N_TOKENS), pieces=pieces)
        trace = replace(trace_of(random_attention(N_TOKENS)[None, None]), tokens=tokens)
        store = Store()
        change_options(store, **options)
        view = MatrixView(look, selection, viewport, store)
        viewport.fit(N_TOKENS)
        view.show_picture(head_picture(trace, 0, 0))
        return on_screen(qtbot, view, 640, 560)

    return make


def _levels(image: QImage) -> NDArray[np.uint8]:
    """Return [height, width, 4] the channels of all pixels of the screen."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    stride = image.bytesPerLine() // 4
    levels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), stride, 4)
    return levels[:, : image.width()].copy()


def _frames(view: QWidget, count: int) -> list[NDArray[np.uint8]]:
    """Return what `view` draws in some frames one after the other."""
    return [_levels(view.grab().toImage()) for _ in range(count)]


def _on_the_screen(view: QWidget) -> NDArray[np.uint8]:
    """Return what is on the screen, of which only parts may have been drawn anew.

    A screen without a display hands out no more than its first pixels where it has several for one of Qt's.
    """
    if view.devicePixelRatioF() != 1:
        return _frames(view, 1)[0]
    QApplication.processEvents()
    QApplication.processEvents()
    return _levels(view.screen().grabWindow(view.winId()).toImage())


def _check_same(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> None:
    assert one.shape == other.shape
    assert np.abs(one.astype(np.int16) - other).max() <= _SAME


@pytest.mark.parametrize(("n_tokens", "side"), [(64, 800), (512, 1300)])
def test_every_cell_has_the_colour_of_its_weight(
    qtbot: QtBot, view: MatrixView, n_tokens: int, side: int
) -> None:
    picture = _show(view, random_attention(n_tokens))
    on_screen(qtbot, view, side, side)
    _check_all_pixels(view, picture, least=min(n_tokens, 200))


@pytest.mark.parametrize(
    ("queries", "keys"),
    [(TokenSpan(100.3, 130.7), TokenSpan(40.1, 60.6)), (TokenSpan(11.9, 400.2), TokenSpan(0.4, 511.3))],
)
def test_every_cell_has_the_colour_of_its_weight_after_zooming(
    qtbot: QtBot, view: MatrixView, queries: TokenSpan, keys: TokenSpan
) -> None:
    picture = _show(view, random_attention(512))
    on_screen(qtbot, view, 900, 900)
    pixels_of(view)
    view.viewport.show(queries, keys)
    _check_all_pixels(view, picture, least=3)


@given(st.integers(0, 511), st.integers(0, 511), st.integers(260, 480))
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_one_bright_cell_of_a_long_text_is_seen_in_a_small_panel(
    qtbot: QtBot, look: Look, query: int, key: int, side: int
) -> None:
    view = MatrixView(look, Selection(), Viewport())
    _show(view, _bright(512, query, key))
    on_screen(qtbot, view, side, side)
    highlighted = _highlighted_pixels(view)
    assert len(highlighted) >= 1
    queries, keys = view.axes()
    block = 2 * max(1.0, 2 / queries.pitch, 2 / keys.pitch)  # tokens that a pixel may stand for
    y, x = highlighted[0]
    assert abs(queries.position(y + 0.5) - query) <= block
    assert abs(keys.position(x + 0.5) - key) <= block


def test_a_picture_of_another_length_is_drawn_whole_until_its_successor_comes(
    qtbot: QtBot, view: MatrixView
) -> None:
    _show(view, random_attention(20))
    on_screen(qtbot, view, 400, 400)
    drawn = pixels_of(view)
    view.viewport.fit(30)
    np.testing.assert_array_equal(pixels_of(view), drawn)
    assert [axis.span for axis in view.axes()] == [TokenSpan(0.0, 20.0)] * 2


@pytest.mark.parametrize("zoom", _ZOOMS)
@pytest.mark.parametrize("pair", [(12, 92), (13, 93)])
def test_a_frame_from_the_picture_is_the_one_drawn_without_it(
    make: View, selection: Selection, viewport: Viewport, zoom: str, pair: tuple[int | None, int | None]
) -> None:
    view = make(shows_sums=True, marks_maxima=True)
    viewport.show(*_ZOOMS[zoom])
    selection.hover(*pair)
    drawn, *later = _frames(view, 3)
    for frame in later:
        _check_same(frame, drawn)


@pytest.mark.parametrize("zoom", _ZOOMS)
def test_what_is_on_the_screen_after_many_moves_is_what_is_drawn_at_once(
    make: View, selection: Selection, viewport: Viewport, zoom: str
) -> None:
    view = make()
    viewport.show(*_ZOOMS[zoom])
    _on_the_screen(view)
    plot = view.plot.plot_rect
    for x, y in np.random.default_rng(3).uniform(0, 1, (100, 2)):
        move(view, plot.left() - 30 + x * (plot.width() + 30), plot.top() - 20 + y * (plot.height() + 20))
        if x < 0.4:  # else several moves come before a frame
            QApplication.processEvents()
    assert view.plot.pointer is not None
    shown = _on_the_screen(view)
    assert selection.shown == view.pair_at(view.plot.pointer)
    _check_same(shown, _frames(view, 1)[0])
    leave(view)
    turn_events()
    _check_same(_on_the_screen(view), _frames(view, 1)[0])


def test_colours_text_size_head_and_options_are_never_those_before(
    make: View, look: Look, selection: Selection, viewport: Viewport
) -> None:
    view = make()
    changes: tuple[Callable[[], object], ...] = (
        lambda: look.set_palette(read_palette("dark")),
        lambda: look.set_scale(1.4),
        lambda: view.show_picture(picture_of(random_attention(N_TOKENS, seed=1))),
        lambda: change_options(view.store, colours="viridis"),
        lambda: change_options(view.store, shows_sums=True),
        lambda: viewport.show(TokenSpan(4.0, 30.0), TokenSpan(7.0, 33.0)),
        lambda: view.resize(500, 470),
        lambda: selection.hover(8, 9),
    )
    before = _frames(view, 3)[-1]
    for change in changes:
        change()
        shown = _on_the_screen(view)
        drawn, _, from_picture = _frames(view, 3)
        _check_same(shown, drawn)
        _check_same(from_picture, drawn)
        assert before.shape != drawn.shape or np.abs(before.astype(np.int16) - drawn).max() > _SAME
        before = drawn


@pytest.mark.slow
@pytest.mark.skipif("QT_SCALE_FACTOR" in os.environ, reason="This is the run on a screen of that resolution.")
def test_all_this_holds_on_screens_of_higher_resolution() -> None:
    options = ["-q", "-n0", "-p", "no:cacheprovider", "-k", "frame_from_the_picture or never_those_before"]
    command = [sys.executable, "-m", "pytest", *options, __file__]
    environment = {**os.environ, "QT_SCALE_FACTOR": "1.5"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-3000:]


def test_a_column_of_a_matrix_of_two_runs_is_a_token_of_the_other_run(
    qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport
) -> None:
    own, others = (tuple(f"{run}{at}" for at in range(n)) for run, n in (("a", 8), ("b", 6)))
    result = RunMatrix.dense(np.zeros((1, 8, 6), np.float32), own, others, Quantity(""), 0.0)
    picture = pictures_of_result(result, (make_trace(8),)).make(0, 0, DrawOptions(), lambda: None)
    view = MatrixView(look, selection, viewport)
    viewport.fit(8, 6)
    view.show_picture(picture)
    on_screen(qtbot, view, 500, 500)
    cell = view.plot.cell_rect(3, 4).center()
    move(view, cell.x(), cell.y())
    assert selection.shown == Pair(3, partner=4), "no view reads it as a token of this run"
    assert view.shown == Pair(3, 4), "its column is highlighted here"
    words = read_out(picture, 3, 4)
    assert words == ["a3 → b4", "value 0.0000 · token 3 of this run · token 4 of the other run"]
    click(view, cell.x(), cell.y())
    QTest.keyClick(view.plot, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert selection.pinned == Pair(3, partner=5)


def test_the_ends_of_the_bar_are_no_zeros_where_all_numbers_are_small() -> None:
    faint, fainter = (np.full((300, 300), 1 / 300), random_attention(300, sharpness=0.1))
    assert bar_texts(picture_of(faint)) == ("0.003", "weight", "0"), "a cell has <.01"
    difference = difference_picture(trace_of(faint[None, None]), trace_of(fainter[None, None]), 0)
    digit = general(float(f"{difference.full:.1g}"))
    assert 0 < difference.full < 0.005
    assert bar_texts(difference) == (f"+{digit}", "0", f"−{digit}")


@pytest.mark.parametrize("marked", [None])
def test_the_key_of_the_largest_weight_has_its_label_where_not_all_have_room(
    qtbot: QtBot, view: MatrixView, marked: int | None
) -> None:
    attention = np.full((40, 40), 0.6 / 39)
    attention[:, 0] = 0.4
    attention[13] = np.where(np.arange(40) == 39, 0.61, 0.01)
    _show(view, attention)
    on_screen(qtbot, view, 330, 330)
    view.plot.top.mark(frozenset([] if marked is None else [marked]))
    columns = view.plot.top.labelled
    assert (39 in columns) == (marked is None)
    assert len(columns) < 30
    assert marked is None or marked in columns
