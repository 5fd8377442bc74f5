"""Vectors as bars and as a heat map: every number at its place in its colour, read out exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.shell.settings.appearance import read_palette
from bertviz_app.viewmodels.viewport import CLOSE, TokenSpan, heat_picture
from bertviz_app.views.kit.look import Look
from bertviz_app.views.vectors.heat import BarsPlot, HeatTexts, HeatView, VectorPlot
from tests.support.scene import channels, double_click, move, on_screen, pixels_of

VALUES = np.random.default_rng(0).normal(size=384).astype(np.float32)


@pytest.fixture
def plot(qtbot: QtBot, look: Look) -> VectorPlot:
    plot = VectorPlot(look)
    plot.show_values(VALUES)
    return on_screen(qtbot, plot, 600, 260)


def _room(bars: BarsPlot) -> QRectF:
    """Return where the bars are, in pixels of their plot."""
    room: QRectF = bars.box.geometry_in_plot()
    return room


def _span(bars: BarsPlot) -> TokenSpan:
    return TokenSpan(*bars.box.viewRange()[0])


def _show(bars: BarsPlot, first: float, last: float) -> None:
    bars.box.setXRange(first, last, padding=0)


def _end_of(plot: VectorPlot, dimension: int, value: float = 0.0) -> QPointF:
    """Return where a bar of that value would end, computed in another way than pyqtgraph does."""
    span, room = _span(plot.bars), _room(plot.bars)
    across = (dimension + 0.5 - span.first) / span.length
    down = room.center().y() - value / plot.bars.top_value * room.height() / 2
    return QPointF(room.left() + across * room.width(), down)


def _colour_at(plot: VectorPlot, drawn: NDArray[np.uint32], dimension: int, value: float) -> int:
    at = plot.bars.mapTo(plot, _end_of(plot, dimension, value).toPoint())
    return int(drawn[at.y(), at.x()])


def _ends(plot: VectorPlot) -> tuple[int, int]:
    """Return the colours of bars below and above zero."""
    differences = plot.bars.look.palette.differences
    low, high = (QColor(differences[end]).rgb() & 0xFFFFFF for end in (0, -1))
    return low, high


def _numbers(n_rows: int, n_columns: int) -> NDArray[np.float32]:
    return np.random.default_rng(0).normal(size=(n_rows, n_columns)).astype(np.float32)


def _heat(look: Look, values: NDArray[np.float32], *, has_columns: bool = False) -> HeatView:
    view = HeatView(look, lambda row, column: [])
    rows = tuple(f"w{row}" for row in range(len(values)))
    view.show_picture(heat_picture(values, 2.0), HeatTexts(rows, rows if has_columns else None))
    return view


def _check_cells(view: HeatView, values: NDArray[np.float32], limit: float, least: int) -> None:
    """Compare a pixel in the upper left of each cell in sight, clear of grid and number, with its colour.

    The colour is mixed anew from the theme's blue, card and orange.
    """
    axes, are_large = view.axes(), view.axes()[0].pitch > 9
    cells, pixels = [], []
    for axis in axes:
        tokens = np.array(axis.tokens())
        at = np.array(
            [axis.edge(token) + 0.18 * axis.pitch if are_large else axis.middle(token) for token in tokens]
        )
        is_in = (at >= axis.start) & (at < axis.end)
        cells.append(tokens[is_in])
        pixels.append(np.floor(at[is_in]).astype(int))
    drawn = pixels_of(view)[np.ix_(*pixels)]
    found = np.stack([drawn >> shift & 255 for shift in (16, 8, 0)], -1).astype(float)
    low, middle, high = (
        np.array(channels(QColor(stop).rgb() & 0xFFFFFF)) for stop in view.look.palette.differences
    )
    shown = values[np.ix_(*cells)][..., None]
    share = np.minimum(1.0, np.abs(shown) / limit)
    expected = (1 - share) * middle + share * np.where(shown > 0, high, low)
    assert np.abs(found - expected).max() <= 2.1
    assert shown.size >= least


def test_bars_reach_from_zero_to_their_values_and_nan_has_none(plot: VectorPlot) -> None:
    # of what is not a number there is no bar and the others stand
    values = np.array([1.0, np.nan, -1.0, np.inf], np.float32)
    plot.show_values(values)
    drawn, ends = pixels_of(plot), _ends(plot)
    assert _colour_at(plot, drawn, 0, 0.5) in ends
    assert _colour_at(plot, drawn, 1, 0.5) not in ends
    assert _colour_at(plot, drawn, 2, -0.5) in ends
    at = _end_of(plot, 1)
    move(plot.bars, at.x(), at.y())
    assert plot.bars.read_out.lines[0] == "dimension 1"
    # bars reach from zero to their values in the colour of their sign
    values = np.zeros(20, np.float32)
    values[5], values[12] = 1.0, -0.5
    plot.show_values(values)
    drawn, (low, high) = pixels_of(plot), _ends(plot)
    assert _colour_at(plot, drawn, 5, 0.9) == high
    assert _colour_at(plot, drawn, 5, -0.2) not in (low, high)
    assert _colour_at(plot, drawn, 12, -0.4) == low
    assert _colour_at(plot, drawn, 12, -0.6) not in (low, high)
    assert _colour_at(plot, drawn, 12, 0.2) not in (low, high)


def test_the_dimension_that_the_keys_come_to_is_in_sight(plot: VectorPlot) -> None:
    bars = plot.bars
    QTest.keyClick(bars, Qt.Key.Key_Left)
    assert bars.part == 383, "the last one, where there was none"
    _show(bars, 0.0, 12.0)
    QTest.keyClick(bars, Qt.Key.Key_End)
    assert _span(bars) == TokenSpan(372.0, 384.0), "the bar that is read out is in sight"


@pytest.mark.parametrize(("n_rows", "n_columns", "theme"), [(5, 24, "light"), (100, 300, "dark")])
def test_every_cell_has_the_colour_of_its_number(
    qtbot: QtBot, look: Look, n_rows: int, n_columns: int, theme: str
) -> None:
    values = _numbers(n_rows, n_columns)
    view = on_screen(qtbot, _heat(look, values), 900, 500)
    look.set_palette(read_palette(theme))
    _check_cells(view, values, 2.0, n_rows * n_columns * 9 // 10)


def test_a_double_click_goes_close_to_a_cell_and_back(qtbot: QtBot, look: Look) -> None:
    view = on_screen(qtbot, _heat(look, _numbers(60, 300)), 700, 500)
    rows, columns = view.axes()
    double_click(view, columns.middle(200), rows.middle(50))
    for axis, cell in zip(view.axes(), (50, 200), strict=True):
        span = axis.span
        assert span.length == pytest.approx(CLOSE)
        assert span.first <= cell <= span.last
    double_click(view, columns.middle(200), rows.middle(50))
    assert view.box.is_whole


@pytest.mark.parametrize("size", [(300, 200)])
def test_one_number_of_many_is_seen_in_a_small_panel(qtbot: QtBot, look: Look, size: tuple[int, int]) -> None:
    for row, column in ((0, 0), (257, 400), (511, 767)):
        values = np.zeros((512, 768), np.float32)
        values[row, column] = -9
        view = on_screen(qtbot, _heat(look, values), *size)
        rows, columns = view.axes()
        plot = pixels_of(view)[: math.ceil(rows.end), math.floor(columns.start) : math.ceil(columns.end)]
        colour = int(QColor(look.palette.differences[0]).rgb()) & 0xFFFFFF
        highlighted = np.argwhere(plot == colour) + np.array((0, math.floor(columns.start)))
        assert len(highlighted)
        assert np.abs(highlighted - (rows.middle(row), columns.middle(column))).max() <= 3
