"""The curves of a training: where their points lie, and what is written at their axes and at the pointer."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPointF
from pytestqt.qtbot import QtBot

from bertviz_app.views.export.recording import record, write
from bertviz_app.views.kit.look import Look
from bertviz_app.views.training.curve_plot import Curve, CurvePlot, ticks
from tests.support.scene import look, move, on_screen, pixels_of
from tests.support.svg_text import lines_drawn_by

__all__ = ["look"]

SVG = "{http://www.w3.org/2000/svg}"


def _curve(values: list[float], colour: str = "accent", name: str = "loss") -> Curve:
    return Curve(name, colour, np.arange(len(values), dtype=np.float64), np.array(values))


@pytest.fixture
def plot(qtbot: QtBot, look: Look) -> CurvePlot:
    return on_screen(qtbot, CurvePlot(look), 400, 240)


@pytest.mark.parametrize(
    ("top", "most", "expected"),
    [
        (10, 5, [0, 2, 4, 6, 8, 10]),
        (8.6, 5, [0, 2, 4, 6, 8]),
        (0.7, 4, [0, 0.2, 0.4, 0.6]),
        (12_345, 3, [0, 5_000, 10_000]),
        (1.0, 5, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
    ],
)
def test_ticks_are_round_numbers_from_zero(top: float, most: int, expected: list[float]) -> None:
    assert ticks(top, most) == pytest.approx(expected)


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


def test_the_pointer_shows_the_values_of_the_nearest_step(
    plot: CurvePlot, look: Look, tmp_path: Path
) -> None:
    plot.show_curves([_curve([3.0, 2.0, 1.0] * 10)], "step")
    before = pixels_of(plot)
    centre: QPointF = plot.plot_rect().center()
    move(plot, centre.x(), centre.y())
    read = [line for line in lines_drawn_by(plot, look, tmp_path) if line in ("step 14", "loss 1.000")]
    assert read == ["step 14", "loss 1.000"]
    move(plot, 2, 2)
    np.testing.assert_array_equal(pixels_of(plot), before)


def test_the_read_out_leaves_out_a_baseline(plot: CurvePlot, look: Look, tmp_path: Path) -> None:
    level = Curve("baseline", "secondary", np.array([0.0, 29.0]), np.full(2, 2.5), is_level=True)
    plot.show_curves([_curve([3.0, 2.0, 1.0] * 10), level], "step")
    centre: QPointF = plot.plot_rect().center()
    move(plot, centre.x(), centre.y())
    lines = lines_drawn_by(plot, look, tmp_path)
    assert "loss 1.000" in lines
    assert "baseline 2.500" not in lines


def test_what_cannot_be_seen_is_described(plot: CurvePlot) -> None:
    plot.show_curves([_curve([3.0, 2.0]), _curve([], "secondary", "nothing yet")], "step")
    assert plot.accessibleDescription() == "loss: 2.000"


def test_numbers_behind_a_curve_that_are_above_the_axis_are_drawn_at_its_end(
    plot: CurvePlot, look: Look, tmp_path: Path
) -> None:
    steps = np.arange(4, dtype=np.float64)
    plot.show_curves([Curve("loss", "accent", steps, np.ones(4), np.array([1.0, 500.0, 500.0, 1.0]))], "step")
    path = tmp_path / "curve.svg"
    write(record(plot, look, None), path)
    lines = [line.attrib["points"].split() for line in ElementTree.parse(path).iter(f"{SVG}polyline")]
    behind, _ = (line for line in lines if len(line) == 4)
    heights = [float(point.split(",")[1]) for point in behind]
    assert heights[1:3] == pytest.approx([plot.plot_rect().top()] * 2, abs=0.01)
    assert heights[0] == heights[3] > heights[1]


def test_many_points_are_drawn_in_a_frame(plot: CurvePlot, look: Look, tmp_path: Path) -> None:
    steps = np.arange(4_000, dtype=np.float64)
    plot.show_curves([Curve("loss", "accent", steps, steps, steps)], "step")
    path = tmp_path / "curve.svg"
    write(record(plot, look, None), path)
    lines = [line.attrib["points"].split() for line in ElementTree.parse(path).iter(f"{SVG}polyline")]
    drawn = [line for line in lines if len(line) > 100]
    assert len(drawn) == 2, "the curve and the numbers behind it"
    assert max(map(len, drawn)) <= 700
    rect, (_, top) = plot.plot_rect(), plot.ends()
    x, y = map(float, drawn[1][-1].split(","))
    assert (x, y) == pytest.approx((rect.right(), rect.bottom() - 3_999 / top * rect.height()), abs=0.01)


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
    assert 0 < len(paints) < 60
