"""Bars reach from zero to their values."""

from __future__ import annotations

import math

import numpy as np
import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.axis import Axis
from bertviz_app.viewmodels.viewport import Span
from bertviz_app.views.kit.look import Look
from bertviz_app.views.vectors.bars import BarsView
from tests.support.scene import on_screen, pixels_of


@pytest.mark.parametrize("value", [0.9, -0.6])
def test_bars_reach_from_zero_to_their_values(qtbot: QtBot, look: Look, value: float) -> None:
    values = np.zeros(20, np.float32)
    values[[3, 12]] = 1.0, value
    view = BarsView(look)
    view.show_vector(values, "pooled")
    axis = Axis(Span(0, 20), 60, 400)
    view.set_axis(axis)
    on_screen(qtbot, view, 480, 200)
    drawn = pixels_of(view)
    colour = int(QColor(look.palette.differences[-1 if value > 0 else 0]).rgb()) & 0xFFFFFF
    for share, is_bar in ((0.5, True), (0.95, True), (1.06, False), (-0.1, False)):
        y, x = view.height_of(value * share), axis.middle(12)
        assert (int(drawn[math.floor(y), math.floor(x)]) == colour) == is_bar, share


def test_beyond_the_end_of_a_vector_that_is_narrower_than_the_axis_nothing_is_read_out(
    qtbot: QtBot, look: Look
) -> None:
    view = BarsView(look)
    view.show_vector(np.ones(12, np.float32), "pooled")
    axis = Axis(Span(0, 20), 60, 400)
    view.set_axis(axis)
    on_screen(qtbot, view, 480, 200)
    pointed: list[int] = []
    view.pointed.connect(pointed.append)
    for dimension in (11, 12, 19):
        view.point_at(QPointF(axis.middle(dimension), view.plot.center().y()))
        pixels_of(view)
    assert pointed == [11, -1, -1]
