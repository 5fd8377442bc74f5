"""The mouse of the benchmark of frames: its gestures do in a plot what they are measured for."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, QRectF
from pytestqt.qtbot import QtBot

from bertviz_app.views.kit.look import Look
from bertviz_app.views.plots.plot import Box, Plot
from tests.bench.frames import Floors, Mouse, measured
from tests.support.scene import look, on_screen

__all__ = ["look"]


@pytest.fixture
def box(qtbot: QtBot, look: Look) -> Box:
    """A box with a hundred units a side, in a plot on screen."""
    plot = Plot(look)
    made = plot.add_box()
    made.set_whole(QRectF(0, 0, 100, 100), 2)
    on_screen(qtbot, plot, 300, 200)
    return made


def test_the_pointer_is_somewhere_else_in_each_frame(box: Box) -> None:
    points: list[QPointF | None] = []
    box.plot.pointed = points.append
    measured(Mouse(box.plot, box).hover, 5)
    found = [point.toTuple() for point in points if point is not None]
    assert len(set(found)) == len(found) == 15, "ten frames to warm up, five that count"
    assert all(box.sceneBoundingRect().contains(QPointF(*point)) for point in found)


def test_the_wheel_zooms_in_and_back(box: Box) -> None:
    mouse, widths = Mouse(box.plot, box), []
    for number in range(20):
        mouse.zoom(number)
        widths.append(box.viewRect().width())
    assert widths[:10] == sorted(widths[:10], reverse=True)
    assert widths[9] < 30
    assert widths[19] == pytest.approx(100)


def test_a_drag_pans_and_comes_back(box: Box) -> None:
    mouse = Mouse(box.plot, box)
    with mouse.holding():
        lefts = []
        for number in range(61):
            mouse.pan(number)
            lefts.append(box.viewRect().left())
        assert len({round(left, 6) for left in lefts}) > 25
        assert lefts[60] == pytest.approx(lefts[0], abs=0.5)
    mouse.show_all()
    assert box.is_whole


def test_the_floor_has_every_gesture_and_is_measured_once_for_a_size(box: Box) -> None:
    floors = Floors(16, 3)
    found = floors.of(box.plot)
    assert list(found) == ["hover", "zoom", "pan"]
    assert floors.of(box.plot) is found
