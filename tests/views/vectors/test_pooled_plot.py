"""The pooled vector: its bars stand where their values are, and the read-out is exact."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QColor, QFontMetricsF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import signed
from bertviz_app.views.vectors import pooled_plot as vector_plot
from bertviz_app.views.vectors.pooled_plot import VectorPlot
from tests.support.scene import move, on_screen, pixels_of

VALUES = np.random.default_rng(0).normal(size=384).astype(np.float32)


@pytest.fixture
def plot(qtbot: QtBot, look: Look) -> VectorPlot:
    plot = VectorPlot(look)
    plot.show_values(VALUES)
    return on_screen(qtbot, plot, 600, 260)


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """What the read-out draws, newest last."""
    lines: list[list[str]] = []
    monkeypatch.setattr(vector_plot, "draw_pill", lambda painter, look, text, at, bounds: lines.append(text))
    return lines


def _place_of(plot: VectorPlot, dimension: int, value: float = 0.0) -> QPointF:
    """Return where a bar ends, in the coordinates of the plot's viewport."""
    scene = plot.plot.getViewBox().mapViewToScene(QPointF(dimension, value))
    return QPointF(plot.plot.mapFromScene(scene))


@pytest.mark.parametrize("dimension", [0, 1, 100, 382, 383])
def test_the_read_out_gives_the_exact_value_of_the_dimension_under_the_pointer(
    plot: VectorPlot, said: list[list[str]], dimension: int
) -> None:
    plot.plot.setXRange(dimension - 6, dimension + 6, padding=0)
    at = _place_of(plot, dimension)
    assert plot.dimension_at(at) == dimension
    move(plot.plot.viewport(), at.x(), at.y())
    pixels_of(plot)
    assert said[-1] == [f"dimension {dimension}", signed(float(VALUES[dimension]), 6)]


def test_off_the_vector_there_is_no_read_out(plot: VectorPlot, said: list[list[str]]) -> None:
    at = _place_of(plot, 100)
    move(plot.plot.viewport(), at.x(), at.y())
    QApplication.sendEvent(plot.plot.viewport(), QEvent(QEvent.Type.Leave))
    said.clear()
    pixels_of(plot)
    assert said == []
    assert plot.dimension_at(_place_of(plot, -5)) is None
    assert plot.dimension_at(_place_of(plot, 390)) is None


def _has_bar(plot: VectorPlot, drawn: NDArray[np.uint32], dimension: int, value: float) -> bool:
    at = plot.plot.mapTo(plot, _place_of(plot, dimension, value).toPoint())
    return int(drawn[at.y(), at.x()]) == QColor(plot.look.palette.accent).rgb() & 0xFFFFFF


def test_bars_reach_from_zero_to_their_values(qtbot: QtBot, plot: VectorPlot) -> None:
    values = np.zeros(20, np.float32)
    values[5], values[12] = 1.0, -0.5
    plot.show_values(values)
    qtbot.waitUntil(lambda: plot.dimension_at(_place_of(plot, 19)) == 19)
    drawn = pixels_of(plot)
    assert _has_bar(plot, drawn, 5, 0.9)
    assert not _has_bar(plot, drawn, 5, -0.2)
    assert _has_bar(plot, drawn, 12, -0.4)
    assert not _has_bar(plot, drawn, 12, -0.6)
    assert not _has_bar(plot, drawn, 12, 0.2)


@pytest.mark.parametrize("values", [[0.0, 0.0, 0.0], [1e-30, -1e-30], [1000.0, -2000.0], [0.5]])
def test_of_any_vector_a_bar_is_drawn_for_each_number_but_0(
    qtbot: QtBot, plot: VectorPlot, values: list[float]
) -> None:
    plot.show_values(np.array(values, np.float32))
    qtbot.waitUntil(lambda: plot.dimension_at(_place_of(plot, len(values) - 1)) == len(values) - 1)
    drawn = pixels_of(plot)
    for dimension, value in enumerate(values):
        assert _has_bar(plot, drawn, dimension, 0.9 * value) == (value != 0)
        assert not _has_bar(plot, drawn, dimension, -0.1 * value or 0.1)


def test_a_vector_of_the_same_size_keeps_the_zoom_another_is_shown_whole(plot: VectorPlot) -> None:
    plot.plot.setXRange(100, 120, padding=0)
    plot.show_values(VALUES * 2)
    assert plot.plot.getViewBox().viewRange()[0] == pytest.approx([100, 120])
    plot.show_values(VALUES[:100])
    assert plot.plot.getViewBox().viewRange()[0] == pytest.approx([-1, 100])


def test_its_axis_has_the_minus_sign_of_all_views(plot: VectorPlot) -> None:
    axis = plot.plot.getAxis("left")
    assert axis.tickStrings([-0.5, 0.0, 0.5], 1.0, 0.5) == ["−0.5", "0", "0.5"]


def test_its_axis_is_drawn_with_a_tick_that_rounding_puts_outside(
    plot: VectorPlot, monkeypatch: pytest.MonkeyPatch
) -> None:
    axis = plot.plot.getAxis("left")
    low, high = axis.range
    monkeypatch.setattr(axis, "tickValues", lambda *_: [(1.0, [low, 0.0, high + 1e-3])])
    axis.picture = None
    assert pixels_of(plot).std() > 0  # an exception of a paint event fails the test


def test_the_number_at_the_top_of_the_axis_has_room(plot: VectorPlot, look: Look) -> None:
    axis = plot.plot.getAxis("left")
    assert axis.geometry().top() >= QFontMetricsF(look.number_font(11)).ascent() / 2
