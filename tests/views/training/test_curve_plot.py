"""The curves of a training: where their points lie, and what is written at their axes and at the pointer."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.views.kit.drawn_texts import drawn_texts
from bertviz_app.views.kit.look import Look
from bertviz_app.views.training.curve_plot import Curve, CurvePlot
from tests.support.context_menus import context_menu
from tests.support.scene import double_click, look, move, on_screen, pixels_of, wheel
from tests.support.svg_text import lines_drawn_by

__all__ = ["look"]


def _curve(values: list[float], colour: str = "accent", name: str = "loss") -> Curve:
    return Curve(name, colour, np.arange(len(values), dtype=np.float64), np.array(values))


@pytest.fixture
def plot(qtbot: QtBot, look: Look) -> CurvePlot:
    return on_screen(qtbot, CurvePlot(look), 400, 240)


def test_the_axes_begin_at_zero_and_hold_every_value(plot: CurvePlot) -> None:
    plot.show_curves([_curve([8.3, 4.0, 2.0] * 20)], "step")
    last, top = plot.ends()
    assert last == 59
    assert 8.3 <= top <= 10


def test_an_empty_plot_has_axes_too(plot: CurvePlot, look: Look, tmp_path: Path) -> None:
    plot.show_curves([_curve([])], "step")
    last, top = plot.ends()
    assert last == 10
    assert 1 <= top < 1.3
    assert lines_drawn_by(plot, look, tmp_path) == ["loss", "1", "0.5", "0", "0510", "step"]


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.floats(width=32, min_value=0), max_size=8), st.lists(st.just(float("nan")), max_size=2))
def test_numbers_that_are_none_are_left_out(plot: CurvePlot, values: list[float], lost: list[float]) -> None:
    shown = [*values[:3], *lost, *values[3:]]
    plot.show_curves([_curve(shown), replace(_curve(shown), raw=np.array(shown), is_marked=True)], "step")
    last, top = plot.ends()
    assert math.isfinite(last)
    assert math.isfinite(top)
    assert top >= max((value for value in values if math.isfinite(value)), default=0)
    pixels_of(plot)
    centre = plot.plot_rect().center()
    move(plot, centre.x(), centre.y())


def test_shares_are_drawn_to_one_at_most(qtbot: QtBot, look: Look) -> None:
    plot = CurvePlot(look, "%")
    qtbot.addWidget(plot)
    plot.show_curves([_curve([0.2, 0.99])], "step")
    assert plot.ends()[1] == 1.0
    assert plot.written(0.256) == "25.6%"


def test_a_line_is_drawn_where_its_values_are(plot: CurvePlot, look: Look) -> None:
    plot.show_curves([_curve([1.0] * 50), _curve([0.5] * 50, "sentence_b", "other")], "step")
    rect, (_, top) = plot.plot_rect(), plot.ends()
    picture = pixels_of(plot)
    x = round(rect.center().x()) + 3
    for value, colour in ((1.0, "accent"), (0.5, "sentence_b")):
        y = round(rect.bottom() - value / top * rect.height())
        near = picture[y - 2 : y + 3, x]
        assert (look.colour(colour).rgb() & 0xFFFFFF) in near.tolist()


def test_the_pointer_shows_the_values_of_the_nearest_step(plot: CurvePlot) -> None:
    plot.show_curves([_curve([3.0, 2.0, 1.0] * 10)], "step")
    before = pixels_of(plot)
    centre: QPointF = plot.plot_rect().center()
    move(plot, centre.x(), centre.y())
    read = [text for _, text in drawn_texts(plot) if text in plot.read_out.lines]
    assert read == ["step 14", "loss 1.000"]
    move(plot, 2, 2)
    np.testing.assert_array_equal(pixels_of(plot), before)


def test_the_read_out_leaves_out_a_baseline(plot: CurvePlot) -> None:
    level = Curve("baseline", "secondary", np.array([0.0, 29.0]), np.full(2, 2.5), is_level=True)
    plot.show_curves([_curve([3.0, 2.0, 1.0] * 10), level], "step")
    centre: QPointF = plot.plot_rect().center()
    move(plot, centre.x(), centre.y())
    lines = plot.read_out.lines
    assert "loss 1.000" in lines
    assert "baseline 2.500" not in lines


def test_what_cannot_be_seen_is_described(plot: CurvePlot) -> None:
    plot.show_curves([_curve([3.0, 2.0]), _curve([], "secondary", "nothing yet")], "step")
    assert plot.accessibleDescription() == "loss: 2.000"


def test_numbers_behind_a_curve_that_are_above_the_axis_are_drawn_at_its_end(plot: CurvePlot) -> None:
    steps = np.arange(4, dtype=np.float64)
    plot.show_curves(
        [Curve("loss", "accent", steps, np.ones(4), np.array([1.0, 500.0, np.inf, 1.0]))], "step"
    )
    behind, line = (item.getOriginalDataset() for item in plot.items_of_curves)
    assert behind[1].tolist() == [1.0, plot.ends()[1], plot.ends()[1], 1.0]
    assert line[1].tolist() == [1.0] * 4


def test_many_points_are_drawn_in_a_frame(plot: CurvePlot) -> None:
    """More than there are pixels across would be drawn for nothing; noise shows its peaks."""
    steps, raw = np.arange(4_000, dtype=np.float64), np.ones(4_000)
    raw[1_777] = 3.0
    plot.show_curves([Curve("loss", "accent", steps, np.linspace(9, 1, 4_000), raw)], "step")
    plot.grab()
    behind, line = (item.getData() for item in plot.items_of_curves)
    assert behind[1].max() == 3.0
    for x, _ in (behind, line):
        assert len(x) < 700
        assert x[-1] >= 3_960


def test_arrows_walk_the_steps(qtbot: QtBot, plot: CurvePlot) -> None:
    plot.show_curves([_curve([3.0, 2.0, 1.0])], "step")
    for expected in (0, 1, 2, 2):
        QTest.keyClick(plot, Qt.Key.Key_Right)
        assert plot.read_out.lines == (f"step {expected}", f"loss {3 - expected:.3f}")
    QTest.keyClick(plot, Qt.Key.Key_Left)
    assert plot.read_out.lines[0] == "step 1"
    QTest.keyClick(plot, Qt.Key.Key_Escape)
    assert not plot.read_out.lines
    assert not plot.line.isVisible()


def test_a_step_out_of_sight_is_brought_into_sight_by_walking(plot: CurvePlot) -> None:
    plot.show_curves([_curve([2.0] * 100)], "step")
    plot.box.show_part(QRectF(50, 0, 20, 1))
    QTest.keyClick(plot, Qt.Key.Key_Right)
    assert plot.box.viewRange()[0] == pytest.approx([0, 20])


def test_a_curve_that_grows_keeps_the_zoom_unless_all_was_in_sight(plot: CurvePlot) -> None:
    plot.show_curves([_curve([2.0] * 50)], "step")
    plot.show_curves([_curve([2.0] * 60)], "step")
    assert plot.box.viewRange()[0] == pytest.approx([0, 59])
    plot.box.show_part(QRectF(10, 0, 20, 1))
    items = plot.items_of_curves
    plot.show_curves([_curve([2.0] * 90)], "step")
    assert plot.box.viewRange()[0] == pytest.approx([10, 30])
    assert plot.items_of_curves == items, "the lines are given the new values"
    plot.box.show_all()
    assert plot.box.viewRange()[0] == pytest.approx([0, 89])


def test_what_is_read_out_follows_a_curve_that_grows(plot: CurvePlot) -> None:
    plot.show_curves([_curve([2.0] * 50)], "step")
    centre = plot.plot_rect().center()
    move(plot, centre.x(), centre.y())
    plot.show_curves([_curve([1.0] * 50)], "step")
    assert plot.read_out.lines[1] == "loss 1.000"


def test_the_wheel_zooms_and_a_double_click_shows_all(plot: CurvePlot) -> None:
    plot.show_curves([_curve([2.0] * 50)], "step")
    centre = plot.plot_rect().center()
    wheel(plot, centre.x(), centre.y(), 3)
    assert not plot.box.is_whole
    double_click(plot, centre.x(), centre.y())
    assert plot.box.is_whole


def test_steps_are_whole_numbers_however_close(plot: CurvePlot) -> None:
    plot.show_curves([_curve([2.0] * 50)], "step")
    for _ in range(30):
        plot.box.zoom(0.5)
    left, right = plot.box.viewRange()[0]
    assert right - left == pytest.approx(4)
    assert all(value.is_integer() for value in plot.bottom.tickValues(left, right, 800)[0][1])


def test_the_ends_of_the_axes_are_not_computed_for_each_point(
    plot: CurvePlot, monkeypatch: pytest.MonkeyPatch
) -> None:
    paints: list[int] = []
    ends = plot.ends

    def counted() -> tuple[float, float]:
        paints.append(1)
        return ends()

    values = np.linspace(8, 2, 4_000)
    plot.show_curves([Curve("loss", "accent", np.arange(4_000.0), values, values)], "step")
    monkeypatch.setattr(plot, "ends", counted)
    plot.grab()
    assert len(paints) < 60


def test_the_right_button_opens_the_menu_of_the_curves(plot: CurvePlot) -> None:
    plot.show_curves([_curve([3.0, 2.0])], "step")
    entries = ["View All", "X axis", "Y axis", "Mouse Mode", "Export...", "Numbers as CSV …"]
    assert list(context_menu(plot, plot.plot_rect().center().toPoint())) == entries
