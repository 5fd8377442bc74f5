"""What stays the same between two frames of the matrix is copied from a picture; nobody sees that."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from typing import Unpack

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QImage, QPalette
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.viewmodels.heads.pictures import head_picture
from bertviz_app.viewmodels.options import DrawOptionFields, Options
from bertviz_app.viewmodels.selection import Selection
from bertviz_app.viewmodels.viewport import Span, Viewport
from bertviz_app.views.attention.matrix import MatrixView
from bertviz_app.views.kit.look import Look
from tests.support.factories import make_tokens, trace_of
from tests.support.scene import move, on_screen, picture_of, random_attention

N_TOKENS = 120
_WORDS = ("the", "고양이가", "playing", "(", "먹었다", "unbelievable", "g", "##ing")
_SAME, _SAME_BETWEEN = 3, 12
"""Levels of 255: drawn over a clear picture colours are rounded once more, and more so between pixels."""
_ZOOMS = {
    "all": (Span(0.0, 120.0), Span(0.0, 120.0)),
    "slanted": (Span(3.3, 43.3), Span(20.7, 60.7)),
    "level": (Span(10.2, 16.2), Span(90.5, 96.5)),
}

View = Callable[..., MatrixView]


@pytest.fixture
def make(qtbot: QtBot, look: Look, selection: Selection, viewport: Viewport) -> View:
    """Make a matrix on screen of words in two scripts."""

    def make(**options: Unpack[DrawOptionFields]) -> MatrixView:
        pieces = tuple(_WORDS[place % len(_WORDS)] for place in range(N_TOKENS))
        tokens = replace(make_tokens(N_TOKENS), pieces=pieces)
        trace = replace(trace_of(random_attention(N_TOKENS)[None, None]), tokens=tokens)
        chosen = Options()
        chosen.change(**options)
        view = MatrixView(look, selection, viewport, chosen)
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
    is_whole = float(os.environ.get("QT_SCALE_FACTOR", 1)).is_integer()
    assert one.shape == other.shape
    assert np.abs(one.astype(np.int16) - other).max() <= (_SAME if is_whole else _SAME_BETWEEN)


@pytest.mark.parametrize("zoom", _ZOOMS)
@pytest.mark.parametrize("pair", [(None, None), (12, 92), (38, None), (None, 21), (13, 93)])
@pytest.mark.parametrize("has_more", [False, True])
def test_a_frame_from_the_picture_is_the_one_drawn_without_it(
    make: View,
    selection: Selection,
    viewport: Viewport,
    zoom: str,
    pair: tuple[int | None, int | None],
    has_more: bool,
) -> None:
    view = make(shows_sums=has_more, marks_maxima=has_more)
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
    plot = view.layout_of_cells.plot
    for x, y in np.random.default_rng(3).uniform(0, 1, (100, 2)):
        move(view, plot.left() - 30 + x * (plot.width() + 30), plot.top() - 20 + y * (plot.height() + 20))
        if x < 0.4:  # else several moves come before a frame
            QApplication.processEvents()
    assert view.gestures.pointer is not None
    shown = _on_the_screen(view)
    assert selection.shown == view.pair_at(view.gestures.pointer)
    _check_same(shown, _frames(view, 1)[0])
    selection.leave()
    view.gestures.forget_pointer()
    view.update_highlights()
    view.gestures.left.emit()
    _check_same(_on_the_screen(view), _frames(view, 1)[0])


@pytest.mark.parametrize("size", [(500, 470), (760, 640)])
def test_a_pair_that_was_pinned_in_another_size_is_no_longer_drawn(
    make: View, selection: Selection, size: tuple[int, int]
) -> None:
    view = make()
    selection.pin(70, 20)
    _on_the_screen(view)
    view.resize(*size)
    _on_the_screen(view)
    selection.pin(10, 100)
    _check_same(_on_the_screen(view), _frames(view, 1)[0])


def test_colours_text_size_head_and_options_are_never_those_before(
    make: View, look: Look, selection: Selection, viewport: Viewport
) -> None:
    view = make()
    changes: tuple[Callable[[], object], ...] = (
        lambda: look.set_palette(read_palette("dark")),
        lambda: look.set_scale(1.4),
        lambda: view.show_picture(picture_of(random_attention(N_TOKENS, seed=1))),
        lambda: view.options.change(colours="viridis"),
        lambda: view.options.change(shows_sums=True),
        lambda: viewport.show(Span(4.0, 30.0), Span(7.0, 33.0)),
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


def test_where_the_pointer_was_no_read_out_is_left(make: View) -> None:
    view = make()
    empty = _on_the_screen(view)
    plot = view.layout_of_cells.plot
    for place in range(0, 200, 17):
        move(view, plot.left() + place, plot.top() + place)
        QApplication.processEvents()
    view.gestures.pointer = None
    view.gestures.left.emit()
    _check_same(_on_the_screen(view), empty)
    assert view.pair_at(QPointF(plot.left() + 1, plot.top() + 1)).query == 0


@pytest.mark.slow
@pytest.mark.skipif("QT_SCALE_FACTOR" in os.environ, reason="This is the run on a screen of that resolution.")
@pytest.mark.parametrize("ratio", ["1.5", "2"])
def test_all_this_holds_on_screens_of_higher_resolution(ratio: str) -> None:
    options = ["-q", "-n0", "-p", "no:cacheprovider", "-k", "True or never_those_before"]
    command = [sys.executable, "-m", "pytest", *options, __file__]
    environment = {**os.environ, "QT_SCALE_FACTOR": ratio}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-3000:]


@pytest.mark.parametrize("ground", ["#f4f5f8", "#f0f1f4", "#ffffff"])
def test_the_first_frame_is_like_the_copied_ones_on_any_ground(make: View, ground: str) -> None:
    view = make()
    palette = view.palette()
    palette.setColor(QPalette.ColorRole.Window, QColor(ground))
    view.setPalette(palette)
    view.viewport.show(*_ZOOMS["slanted"])
    first, second, third = _frames(view, 3)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(second, third)
