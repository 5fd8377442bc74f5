"""A vector as bars: they stand where their values are, and the read-out is exact."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.viewport import Span
from bertviz_app.views.kit.drawn_texts import drawn_texts
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.numbers import signed
from bertviz_app.views.vectors.bars import BarsPlot, VectorPlot
from tests.support.scene import double_click, drag, leave, move, on_screen, pixels_of, wheel
from tests.support.svg_text import lines_drawn_by

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


def _span(bars: BarsPlot) -> Span:
    return Span(*bars.box.viewRange()[0])


def _show(bars: BarsPlot, first: float, last: float) -> None:
    bars.box.setXRange(first, last, padding=0)


def _end_of(plot: VectorPlot, dimension: int, value: float = 0.0) -> QPointF:
    """Return where a bar of that value would end, computed in another way than pyqtgraph does."""
    span, room = _span(plot.bars), _room(plot.bars)
    across = (dimension + 0.5 - span.first) / span.length
    down = room.center().y() - value / plot.bars.top_value * room.height() / 2
    return QPointF(room.left() + across * room.width(), down)


@pytest.mark.parametrize("dimension", [0, 1, 100, 382, 383])
def test_the_read_out_gives_the_exact_value_of_the_dimension_under_the_pointer(
    plot: VectorPlot, dimension: int
) -> None:
    _show(plot.bars, dimension - 6.0, dimension + 6.0)
    at = _end_of(plot, dimension)
    assert plot.bars.dimension_at(at) == dimension
    move(plot.bars, at.x(), at.y())
    pixels_of(plot)
    assert plot.bars.read_out.lines == (f"dimension {dimension}", signed(float(VALUES[dimension]), 6))


def test_off_the_vector_there_is_no_read_out(plot: VectorPlot) -> None:
    at = _end_of(plot, 100)
    move(plot.bars, at.x(), at.y())
    leave(plot.bars)
    assert plot.bars.read_out.lines == ()
    for x in (_room(plot.bars).left() - 2, _room(plot.bars).right() + 2):
        assert plot.bars.dimension_at(QPointF(x, 50)) is None


def test_of_what_is_not_a_number_there_is_no_bar_and_the_others_stand(plot: VectorPlot) -> None:
    values = np.array([1.0, np.nan, -1.0, np.inf], np.float32)
    plot.show_values(values)
    drawn, ends = pixels_of(plot), _ends(plot)
    assert _colour_at(plot, drawn, 0, 0.5) in ends
    assert _colour_at(plot, drawn, 1, 0.5) not in ends
    assert _colour_at(plot, drawn, 2, -0.5) in ends
    at = _end_of(plot, 1)
    move(plot.bars, at.x(), at.y())
    assert plot.bars.read_out.lines[0] == "dimension 1"


def _colour_at(plot: VectorPlot, drawn: NDArray[np.uint32], dimension: int, value: float) -> int:
    at = plot.bars.mapTo(plot, _end_of(plot, dimension, value).toPoint())
    return int(drawn[at.y(), at.x()])


def _ends(plot: VectorPlot) -> tuple[int, int]:
    """Return the colours of bars below and above zero."""
    differences = plot.bars.look.palette.differences
    low, high = (QColor(differences[end]).rgb() & 0xFFFFFF for end in (0, -1))
    return low, high


def test_bars_reach_from_zero_to_their_values_in_the_colour_of_their_sign(plot: VectorPlot) -> None:
    values = np.zeros(20, np.float32)
    values[5], values[12] = 1.0, -0.5
    plot.show_values(values)
    drawn, (low, high) = pixels_of(plot), _ends(plot)
    assert _colour_at(plot, drawn, 5, 0.9) == high
    assert _colour_at(plot, drawn, 5, -0.2) not in (low, high)
    assert _colour_at(plot, drawn, 12, -0.4) == low
    assert _colour_at(plot, drawn, 12, -0.6) not in (low, high)
    assert _colour_at(plot, drawn, 12, 0.2) not in (low, high)


@pytest.mark.parametrize("values", [[0.0, 0.0, 0.0], [1e-30, -1e-30], [1000.0, -2000.0], [0.5]])
def test_of_any_vector_a_bar_is_drawn_for_each_number_but_0(plot: VectorPlot, values: list[float]) -> None:
    plot.show_values(np.array(values, np.float32))
    drawn, ends = pixels_of(plot), _ends(plot)
    for dimension, value in enumerate(values):
        assert (_colour_at(plot, drawn, dimension, 0.9 * value) in ends) == (value != 0)
        assert _colour_at(plot, drawn, dimension, -0.1 * value or 0.1) not in ends


def test_a_vector_of_the_same_size_keeps_the_zoom_another_is_shown_whole(plot: VectorPlot) -> None:
    _show(plot.bars, 100.0, 120.0)
    plot.show_values(VALUES * 2)
    assert _span(plot.bars) == Span(100.0, 120.0)
    plot.show_values(VALUES[:100])
    assert _span(plot.bars) == Span(0.0, 100.0)


def test_the_wheel_zooms_about_the_pointer_a_drag_moves_and_a_double_click_shows_all(
    plot: VectorPlot,
) -> None:
    bars = plot.bars
    middle = _room(bars).center() + QPointF(1, 0)
    under = bars.dimension_at(QPointF(middle))
    wheel(bars, middle.x(), middle.y(), 6)
    assert _span(bars).length == pytest.approx(384 * 0.85**6)
    assert bars.dimension_at(QPointF(middle)) == under
    before = _span(bars)
    drag(bars, [(middle.x() + step, middle.y()) for step in (0, 10, 30)])
    assert _span(bars).first == pytest.approx(before.first - 30 / _room(bars).width() * before.length)
    assert _span(bars).length == pytest.approx(before.length)
    double_click(bars, middle.x(), middle.y())
    assert _span(bars) == Span(0.0, 384.0)


@pytest.mark.parametrize("width", [240, 600, 1400])
def test_the_numbers_beside_and_below_the_bars_are_whole_and_apart(plot: VectorPlot, width: int) -> None:
    plot.resize(width, 260)
    bars = plot.bars
    texts, room = drawn_texts(bars), _room(bars)
    below = sorted((box.left(), box.right(), text) for box, text in texts if box.top() >= room.bottom())
    assert [text for *_, text in below][:1] == ["0"]
    assert len(below) >= 3
    assert all(one[1] + 4 <= next_one[0] for one, next_one in pairwise(below))
    beside = [(box, text) for box, text in texts if box.right() <= room.left()]
    assert {"−", "+"} <= {text[:1] for _, text in beside}
    for box, _ in texts:
        assert bars.rect().contains(box.toAlignedRect().adjusted(1, 1, -1, -1)), box


def test_another_width_shows_the_same_dimensions(plot: VectorPlot) -> None:
    _show(plot.bars, 100.0, 120.0)
    plot.resize(900, 260)
    assert _span(plot.bars) == Span(100.0, 120.0)
    assert plot.bars.dimension_at(QPointF(_room(plot.bars).right() - 1, 50)) == 119


@pytest.mark.parametrize("height", [120, 260, 600, 1000, 1800])
@pytest.mark.parametrize("top", [0.03, 0.98, 1.0, 7.0])
def test_no_two_lines_of_the_scale_are_written_alike(
    qtbot: QtBot, look: Look, tmp_path: Path, top: float, height: int
) -> None:
    plot = VectorPlot(look)
    plot.show_values(np.linspace(-top, top, 64, dtype=np.float32))
    on_screen(qtbot, plot, 600, height)
    written = [text for text in lines_drawn_by(plot.bars, look, tmp_path) if text[0] in "+\u2212"]
    assert len(written) > 1
    assert len(set(written)) == len(written)


def test_the_arrow_keys_read_out_one_dimension_after_the_other(plot: VectorPlot) -> None:
    bars = plot.bars
    bars.setFocus()
    for key, dimension in (
        (Qt.Key.Key_Right, 0),
        (Qt.Key.Key_Right, 1),
        (Qt.Key.Key_Left, 0),
        (Qt.Key.Key_Left, 0),
        (Qt.Key.Key_End, 383),
        (Qt.Key.Key_Home, 0),
    ):
        QTest.keyClick(bars, key)
        assert bars.read_out.lines == (f"dimension {dimension}", signed(float(VALUES[dimension]), 6))
    _show(bars, 0.0, 12.0)
    QTest.keyClick(bars, Qt.Key.Key_End)
    assert _span(bars) == Span(372.0, 384.0), "the bar that is read out is in sight"
