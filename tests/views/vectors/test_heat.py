"""The heat map: every cell has the colour of its number, gaps one of their own."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor
from pytestqt.qtbot import QtBot

from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.viewmodels.heat_picture import heat_picture
from bertviz_app.viewmodels.viewport import CLOSE
from bertviz_app.views.kit.look import Look
from bertviz_app.views.vectors.heat import HeatTexts, HeatView
from tests.support.scene import double_click, on_screen, pixels_of


def _numbers(n_rows: int, n_columns: int) -> NDArray[np.float32]:
    return np.random.default_rng(0).normal(size=(n_rows, n_columns)).astype(np.float32)


def _heat(look: Look, values: NDArray[np.float32], *, has_columns: bool = False) -> HeatView:
    view = HeatView(look, lambda row, column: [])
    rows = tuple(f"w{row}" for row in range(len(values)))
    view.show_picture(heat_picture(values, 2.0), HeatTexts(rows, rows if has_columns else None))
    return view


def _expected(look: Look, value: float, limit: float) -> tuple[float, float, float]:
    """Return the colour of a number, mixed anew from the theme's blue, card and orange."""
    low, middle, high = (QColor(stop) for stop in look.palette.differences)
    share = min(1.0, abs(value) / limit)
    end = high if value > 0 else low
    pairs = ((middle.red(), end.red()), (middle.green(), end.green()), (middle.blue(), end.blue()))
    red, green, blue = ((1 - share) * start + share * stop for start, stop in pairs)
    return red, green, blue


def _check_cells(view: HeatView, values: NDArray[np.float32], limit: float, least: int) -> None:
    """Compare a pixel in the upper left of each cell in sight, clear of grid and number."""
    rows, columns = view.axes()
    drawn, n_checked = pixels_of(view), 0
    for row in rows.tokens():
        for column in columns.tokens():
            y, x = rows.edge(row) + 0.18 * rows.pitch, columns.edge(column) + 0.18 * columns.pitch
            y, x = (y, x) if rows.pitch > 9 else (rows.middle(row), columns.middle(column))
            if not (rows.start <= y < rows.end and columns.start <= x < columns.end):
                continue
            colour = QColor.fromRgb(int(drawn[math.floor(y), math.floor(x)]))
            expected = _expected(view.look, float(values[row, column]), limit)
            found = colour.red(), colour.green(), colour.blue()
            assert found == pytest.approx(expected, abs=2.1), (row, column)
            n_checked += 1
    assert n_checked >= least


@pytest.mark.parametrize(("n_rows", "n_columns"), [(5, 24), (24, 100), (100, 300)])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_cell_has_the_colour_of_its_number(
    qtbot: QtBot, look: Look, n_rows: int, n_columns: int, theme: str
) -> None:
    values = _numbers(n_rows, n_columns)
    view = on_screen(qtbot, _heat(look, values), 900, 500)
    look.set_palette(read_palette(theme))
    _check_cells(view, values, 2.0, n_rows * n_columns * 9 // 10)


def test_every_cell_has_its_colour_with_labelled_columns_and_after_zooming(qtbot: QtBot, look: Look) -> None:
    values = _numbers(60, 60)
    view = on_screen(qtbot, _heat(look, values, has_columns=True), 700, 700)
    _check_cells(view, values, 2.0, 3500)
    view.box.show_part(QRectF(40.1, 10.3, 14.9, 20.4))
    _check_cells(view, values, 2.0, 250)


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


@pytest.mark.parametrize("size", [(300, 200), (420, 330)])
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


def test_gaps_have_a_colour_of_their_own(qtbot: QtBot, look: Look) -> None:
    values = _numbers(4, 4)
    values[1] = np.nan
    view = on_screen(qtbot, _heat(look, values), 500, 300)
    rows, columns = view.axes()
    drawn = pixels_of(view)
    at = math.floor(rows.edge(1) + 5), math.floor(columns.edge(2) + 5)
    assert int(drawn[at]) == look.colour("rule").rgb() & 0xFFFFFF


def test_marks_of_another_size_are_drawn_over(
    qtbot: QtBot, look: Look, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = on_screen(qtbot, _heat(look, _numbers(12, 8)), 600, 480)
    view.choose_row(9)
    view.mark_column(6)
    view.resize(420, 300)
    drawn: list[QRectF] = []
    monkeypatch.setattr(view, "update_soon", lambda item, parts: drawn.extend(parts))
    view.choose_row(1)
    view.mark_column(1)
    rows, columns = view.box.rows(), view.box.columns()
    middle = view.box.rect().center()
    for at in (QPointF(middle.x(), rows.middle(9)), QPointF(columns.middle(6), middle.y())):
        assert any(part.contains(at) for part in drawn)
