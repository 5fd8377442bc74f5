"""The overview, pixel by pixel: every thumbnail holds the maxima of its head in the table's colours."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.measures import head_overview
from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from bertviz_app.viewmodels.heads.overview_cells import GAP
from bertviz_app.viewmodels.overview_options import Order
from bertviz_app.viewmodels.panels import Panel, Panels
from bertviz_app.views.kit.look import Look
from bertviz_app.views.overview.view import OverviewView
from tests.support.factories import dense, diagonal, make_trace, trace_of
from tests.support.scene import on_screen, pixels_of


@pytest.fixture
def view(look: Look) -> OverviewView:
    return OverviewView(look, Panels())


def _show(qtbot: QtBot, view: OverviewView, trace: Trace, width: int, height: int) -> None:
    view.show_overview(head_overview(trace))
    on_screen(qtbot, view, width, height)


def _expected(weights: Doubles, side: int, top: float) -> Doubles:
    """Return the levels [side, side] of a thumbnail of `weights` [T, T], by their definition."""
    n_tokens = len(weights)
    block = -(-n_tokens // min(64, n_tokens))
    thumbnail = _maxima(weights, block)
    again = -(-len(thumbnail) // side)
    smaller = _maxima(thumbnail, again)
    indices = [pixel * len(smaller) // side for pixel in range(side)]
    levels: Doubles = np.rint(np.minimum(smaller[np.ix_(indices, indices)] / top, 1) * 255)
    return levels


def _maxima(weights: Doubles, block: int) -> Doubles:
    firsts = range(0, len(weights), block)
    return np.array([[weights[i : i + block, j : j + block].max() for j in firsts] for i in firsts])


@pytest.mark.parametrize("is_per_head", [True, False])
@pytest.mark.parametrize(("n_tokens", "width"), [(5, 500), (64, 500), (64, 160), (130, 400)])
def test_thumbnails_hold_the_maxima(
    qtbot: QtBot, view: OverviewView, n_tokens: int, width: int, is_per_head: bool
) -> None:
    trace = make_trace(n_tokens)
    view.options.change(is_per_head=is_per_head)
    _show(qtbot, view, trace, width, width)
    drawn, weights = pixels_of(view), dense(trace)
    for layer in range(trace.n_layers):
        for head in range(trace.n_heads):
            rect = view.cell_rect(layer, head)
            left, top, side = int(rect.left()), int(rect.top()), int(rect.width())
            most = max(weights[layer, head].max(), min(1.0, 5 / n_tokens)) if is_per_head else 1.0
            levels = _expected(weights[layer, head], side, most)
            tile = drawn[top : top + side, left : left + side]
            colours = np.stack(
                [view.look.weights[(levels + change).clip(0, 255).astype(int)] for change in (0, -1, 1)]
            ) & np.uint32(0xFFFFFF)
            assert (tile == colours).any(axis=0).all()  # float32 may round to the next level
            assert (tile == colours[0]).mean() > 0.99


def test_a_sharp_head_is_as_bright_as_can_be_and_a_uniform_one_pale(qtbot: QtBot, view: OverviewView) -> None:
    attention = np.full((1, 2, 40, 40), 1 / 40)
    attention[0, 1] = diagonal(40)[0, 0]
    _show(qtbot, view, trace_of(attention), 300, 200)
    brightest = int(view.look.weights[255]) & 0xFFFFFF
    diffuse, sharp = (view.cell_rect(0, head) for head in (0, 1))
    at = {
        name: (int(rect.top()) + 10, int(rect.left()) + 10)
        for name, rect in {"diffuse": diffuse, "sharp": sharp}.items()
    }
    drawn = pixels_of(view)
    assert drawn[at["sharp"]] == brightest
    assert drawn[at["diffuse"]] == int(view.look.weights[51]) & 0xFFFFFF  # a fifth
    view.options.change(is_per_head=False)
    drawn = pixels_of(view)
    assert drawn[at["sharp"]] == brightest
    assert drawn[at["diffuse"]] == int(view.look.weights[6]) & 0xFFFFFF  # 255 / 40, rounded


def test_the_edge_between_thumbnails_is_drawn_even_where_all_weights_are_zero(
    qtbot: QtBot, view: OverviewView
) -> None:
    _show(qtbot, view, make_trace(8), 300, 300)
    rect = view.cell_rect(0, 0)
    gap = pixels_of(view)[int(rect.top()) + 5, int(rect.right()) + 1]
    assert gap == QColor(view.look.palette.rule).rgb() & 0xFFFFFF


@pytest.mark.parametrize("order", ["", "entropy"])
@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 1.75, 2.0])
def test_thumbnails_lie_in_their_cells_on_every_screen(
    qtbot: QtBot, view: OverviewView, monkeypatch: pytest.MonkeyPatch, ratio: float, order: Order
) -> None:
    """On a screen with 1.5 pixels to one of Qt's they drifted by half a cell, from one to the next."""
    monkeypatch.setattr(view, "devicePixelRatioF", lambda: ratio)
    view.options.change(ordered_by=order)
    _show(qtbot, view, trace_of(np.full((12, 12, 4, 4), 0.25)), 12 * 42, 12 * 42)
    colour, grid = int(view.look.weights[64]) & 0xFFFFFF, view.cell_grid()  # a quarter
    drawn = _on_screen_of(view, ratio) == colour
    rows, columns = np.arange(drawn.shape[0])[:, None] / ratio, np.arange(drawn.shape[1]) / ratio
    pixel = 1 / ratio
    for index in range(len(grid.heads)):
        left, top = grid.corner(index)
        right, bottom = left + grid.side, top + grid.side
        below = view.look.pixels(14) if order else 0  # its name, rearranged
        inside = (columns >= left + pixel) & (columns <= right - 2 * pixel)
        inside = inside & (rows >= top + below + pixel) & (rows <= bottom - 2 * pixel)
        assert drawn[inside].all(), f"cell {index} is filled"
        beside = (columns >= right + pixel) & (columns <= right + GAP - pixel)
        beside = beside & (rows >= top) & (rows < bottom)
        assert not drawn[beside].any(), f"the gap behind cell {index} is free"


def _on_screen_of(view: OverviewView, ratio: float) -> NDArray[np.uint32]:
    """Return what the view draws on a screen with `ratio` pixels to one of Qt's, as 0xRRGGBB."""
    image = QImage((QSizeF(view.size()) * ratio).toSize(), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    QWidget.render(view, image)
    words = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return (words[:, : image.width()] & np.uint32(0xFFFFFF)).copy()


def test_another_theme_recolours_it(qtbot: QtBot, view: OverviewView) -> None:
    _show(qtbot, view, trace_of(diagonal(6)), 300, 300)
    rect = view.cell_rect(0, 0)
    corner = (int(rect.top()) + 3, int(rect.left()) + 3)
    for name in ("dark", "light"):
        view.look.set_palette(read_palette(name))
        assert pixels_of(view)[corner] == int(view.look.weights[255]) & 0xFFFFFF


def test_the_open_heads_are_framed(qtbot: QtBot, look: Look) -> None:
    panels = Panels()
    view = OverviewView(look, panels)
    _show(qtbot, view, make_trace(8), 300, 300)
    panels.set_size(2, 3)
    panels.open([Panel(0, 0, 1, "matrix"), Panel(0, 1, 2, "matrix")])
    drawn = pixels_of(view)
    accent = QColor(look.palette.accent).rgb() & 0xFFFFFF
    framed = view.cell_rect(0, 1)
    assert drawn[int(framed.top()) + 9, int(framed.left()) - 1] == accent
    for layer, head in ((0, 0), (1, 1)):
        rect = view.cell_rect(layer, head)
        assert drawn[int(rect.top()) + 9, int(rect.left()) - 1] != accent
