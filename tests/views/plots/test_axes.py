"""Axes: numbers are round and apart, names of tokens take no room from each other."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF
from pytestqt.qtbot import QtBot

from bertviz_app.views.kit.drawn_texts import drawn_texts
from bertviz_app.views.kit.look import Look
from bertviz_app.views.plots.axes import SMALL, NumberAxis
from bertviz_app.views.plots.plot import Plot
from tests.support.scene import on_screen


@pytest.fixture
def plot(qtbot: QtBot, look: Look) -> Plot:
    plot = Plot(look)
    plot.add_box(0, 1)
    return on_screen(qtbot, plot, 400, 300)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(-1e4, 1e4), st.floats(1e-3, 1e4), st.floats(60, 1500))
def test_numbers_are_round_and_apart(plot: Plot, low: float, extent: float, size: float) -> None:
    axis = NumberAxis(plot, plot.boxes[0], "left")
    ((step, values),) = axis.tickValues(low, low + extent, size)
    digit = step / 10 ** math.floor(math.log10(step * (1 + 1e-9)))
    assert min(abs(digit - each) for each in (1, 2, 5, 10)) < 1e-6
    assert all(abs(value / step - round(value / step)) < 1e-3 for value in values)
    room = axis.apart * QFontMetricsF(plot.look.number_font(SMALL)).height()
    assert all((after - before) / extent * size >= room * (1 - 1e-6) for before, after in pairwise(values))
    texts = axis.tickStrings(values, 1.0, step)
    assert len(set(texts)) == len(texts)


def test_whole_numbers_and_those_of_cells_have_no_fractions(plot: Plot) -> None:
    steps = NumberAxis(plot, plot.boxes[0], "bottom")
    steps.is_whole = True
    assert steps.tickValues(0, 3, 2000) == [(1.0, [0.0, 1.0, 2.0, 3.0])]
    cells = NumberAxis(plot, plot.boxes[0], "bottom", is_of_cells=True)
    assert cells.tickValues(0, 3, 2000) == [(1.0, [0.5, 1.5, 2.5])]
    assert cells.tickStrings([0.5, 1.5, 2.5], 1.0, 1.0) == ["0", "1", "2"]


@pytest.mark.parametrize("high", [0.0, math.nan, -1.0])
def test_of_no_range_there_are_no_numbers(plot: Plot, high: float) -> None:
    axis = NumberAxis(plot, plot.boxes[0], "left")
    if not high < 0:
        assert axis.tickValues(0.0, high, 300) == []
    assert axis.tickValues(0.0, 1.0, 0) == []


def test_numbers_are_in_the_theme_and_the_text_size_in_force(qtbot: QtBot, look: Look) -> None:
    plot = Plot(look)
    box = plot.add_box(0, 1)
    axis = NumberAxis(plot, box, "left", write=lambda value: f"{value:g} %")
    axis.fit_numbers("100 %")
    plot.ci.addItem(axis, 0, 0)
    box.set_whole(QRectF(0, 0, 1, 100))
    on_screen(qtbot, plot, 400, 300)
    assert {"0 %", "100 %"} <= {text for _, text in drawn_texts(plot)}
    before = axis.style["tickFont"].pixelSize()
    look.set_scale(1.5)
    assert axis.style["tickFont"].pixelSize() > before
    assert axis.textPen().color() == look.colour("secondary")
