"""What mouse and keys do is the same in all plots of parts, whatever they draw."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.compare import by_position
from bertviz_app.analysis.picture import Axis, Quantity, counted, picture_by_axes
from bertviz_app.analysis.picture import Picture as ResultPicture
from bertviz_app.checkpoint.parameters import LinearProduct
from bertviz_app.features.corpora.views.head_page import DistanceBars
from bertviz_app.features.lessons.state.pictures import Dropped, HeadProduct, PickedRow, Roles
from bertviz_app.features.lessons.views.pictures.bars import Bars, ShownBar
from bertviz_app.features.lessons.views.pictures.dropout import DropoutGrids
from bertviz_app.features.lessons.views.pictures.heads import HeadTiles
from bertviz_app.features.lessons.views.pictures.lookup import PickedRowPlot
from bertviz_app.features.lessons.views.pictures.product import ColumnsPlot
from bertviz_app.features.lessons.views.pictures.roles import RolesPlot
from bertviz_app.features.parameters.view import WeightsView
from bertviz_app.features.steps.drawn import Joined
from bertviz_app.features.steps.views.drawing import StopDrawing
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.parameters import Matrix
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.runs.run import Difference
from bertviz_app.viewmodels.viewport import heat_picture
from bertviz_app.views.analyses.bars import PictureBars
from bertviz_app.views.analyses.cells import PictureCells
from bertviz_app.views.analyses.points import PicturePoints
from bertviz_app.views.kit.look import Look
from bertviz_app.views.overview.divergence import DivergenceView
from bertviz_app.views.plots.curves import Curve, CurvePlot
from bertviz_app.views.plots.picture import PicturePlot
from bertviz_app.views.vectors.heat import BarsPlot, HeatTexts, HeatView
from bertviz_app.views.vectors.map import MapPicture, MapView
from tests.support.factories import make_tokens, make_trace
from tests.support.scene import click, leave, move, on_screen

Picture = PicturePlot[Any]
KEY = Qt.Key
GRID = np.array([[0.5, -1.0, np.nan], [2.0, 0.25, -0.125]], np.float32)
PLACES = np.array([[0, 0], [1, 2], [np.nan, np.nan], [3, 1], [4, 3], [5, 0]], np.float32)


def _heat(look: Look) -> Picture:
    plot = HeatView(look, lambda row, column: [f"{row} {column}", str(GRID[row, column])])
    plot.show_picture(heat_picture(GRID, 2.0), HeatTexts(("one", "two")))
    return plot


def _divergence(look: Look) -> Picture:
    plot, trace = DivergenceView(look, Panels()), make_trace(4)
    plot.show_difference(Difference((trace, trace), by_position(4), np.abs(GRID)))
    return plot


def _vector(look: Look) -> Picture:
    plot = BarsPlot(look, has_numbers=True)
    plot.show_vector(GRID.reshape(-1), "a vector")
    return plot


def _map(look: Look) -> Picture:
    plot = MapView(look)
    ratios = np.array([0.6, 0.3], np.float32)
    plot.show_picture(MapPicture(PLACES, tuple("abcdef"), ["accent"] * 6, ratios, PLACES))
    plot.part_pointed.connect(lambda part: plot.highlight(frozenset() if part is None else frozenset({part})))
    return plot


def _dots(look: Look) -> Picture:
    plot, points = PicturePoints(look), np.nan_to_num(PLACES, nan=2.0)
    axes = Axis("point", tuple("abcdef")), Axis("component", ("x", "y"))
    plot.show_picture(ResultPicture("map", "points", points, axes, Quantity("")))
    return plot


def _cells(look: Look) -> Picture:
    plot = PictureCells(look)
    plot.show_picture(
        picture_by_axes("change", np.nan_to_num(GRID), (counted("layer", 2), counted("head", 3)))
    )
    return plot


def _weights(look: Look) -> Picture:
    plot = WeightsView(look, lambda row, column, region: [f"{row} {column}"])
    plot.show_matrix(Matrix((GRID,), 2.0, -1.0, 2.0))
    return plot


def _tokens(look: Look) -> Picture:
    plot = PictureBars(look)
    plot.show_picture(picture_by_axes("value", GRID.reshape(-1), (Axis("token", tuple("abcdef")),)))
    return plot


def _curves(look: Look) -> Picture:
    plot = CurvePlot(look)
    plot.show_curves([Curve("loss", "accent", np.arange(6.0), GRID.reshape(-1).astype(float))], "step")
    return plot


def _distances(look: Look) -> Picture:
    plot = DistanceBars(look)
    plot.show_distances([("−1", 0.25), ("0", 0.5), ("+1", 0.125), ("2 to 4 after", 0.125)])
    return plot


def _bars(look: Look) -> Picture:
    plot = Bars(look)
    plot.show_bars([ShownBar(name, value, str(value)) for name, value in (("a", 0.5), ("b", np.nan))], 1.0)
    return plot


def _tiles(look: Look) -> Picture:
    plot = HeadTiles(look)
    plot.show_heads(np.zeros((2, 3, 48, 48), np.uint8), np.abs(np.nan_to_num(GRID)), ())
    return plot


def _dropout(look: Look) -> Picture:
    plot = DropoutGrids(look)
    vector = np.linspace(-1, 1, 40, dtype=np.float32)
    plot.show_dropped(Dropped("w", vector, (vector > 0).astype(np.float32) * 2, 0.5))
    return plot


def _roles(look: Look) -> Picture:
    plot = RolesPlot(look)
    plot.show_roles(Roles("w", 0, 1, 12, (GRID, GRID, GRID)), shows_heads=True)
    return plot


def _product(look: Look) -> Picture:
    plot, inputs = ColumnsPlot(look), np.array([0.5, 2.0], np.float32)
    product = LinearProduct("key", 0, 1, 8, inputs, GRID[:, 0], None, 4.25)
    plot.show_product(HeadProduct("good", GRID, inputs @ GRID, product, 8))
    return plot


def _lookup(look: Look) -> Picture:
    plot, numbers = PickedRowPlot(look, Selection()), np.ones((9, 16), np.float32)
    plot.show_lookups(make_tokens(5), (PickedRow(numbers, 997, 5000, tuple("abcdefghi"), 1001, (1, 3)),))
    return plot


def _stop(look: Look) -> Picture:
    plot = StopDrawing(look)
    plot.take_height(300)
    plot.show_drawn(Joined(np.nan_to_num(GRID), 1), "w")
    return plot


PICTURES: dict[str, tuple[Callable[[Look], Picture], Callable[[Look], Picture] | None]] = {
    "bars of a lesson": (_bars, Bars),
    "bars of a vector": (_vector, BarsPlot),
    "bars of distances": (_distances, DistanceBars),
    "bars of tokens": (_tokens, PictureBars),
    "cells of heads": (_cells, PictureCells),
    "cells of weights": (_weights, lambda look: WeightsView(look, lambda row, column, region: [])),
    "columns of a product": (_product, ColumnsPlot),
    "curves": (_curves, CurvePlot),
    "dots of heads": (_dots, PicturePoints),
    "dropout": (_dropout, DropoutGrids),
    "drawing of a stop": (_stop, StopDrawing),
    "grid of heads": (_divergence, lambda look: DivergenceView(look, Panels())),
    "heatmap": (_heat, lambda look: HeatView(look, lambda row, column: [])),
    "map": (_map, MapView),
    "roles": (_roles, RolesPlot),
    "rows of a table": (_lookup, lambda look: PickedRowPlot(look, Selection())),
    "tiles of heads": (_tiles, HeadTiles),
}


@pytest.fixture(params=PICTURES)
def picture(request: pytest.FixtureRequest, qtbot: QtBot, look: Look) -> Picture:
    return on_screen(qtbot, PICTURES[request.param][0](look), 520, 420)


@pytest.fixture
def told(picture: Picture) -> list[tuple[str, object]]:
    """What the picture emitted."""
    found: list[tuple[str, object]] = []
    picture.part_pointed.connect(lambda part: found.append(("pointed", part)))
    picture.part_chosen.connect(lambda part: found.append(("chosen", part)))
    return found


def _parts(picture: Picture) -> list[object]:
    return [picture.numbered(number) for number in range(picture.count)]


def _is_read(picture: Picture, part: object) -> bool:
    """Return whether a part, and no other, is read out."""
    lines = tuple(picture.lines_of(part))
    return bool(lines) and (picture.part, picture.read_out.lines) == (part, lines)


def test_a_part_under_the_pointer_is_read_out_and_a_click_chooses_it(
    picture: Picture, told: list[tuple[str, object]]
) -> None:
    for part in _parts(picture):
        told.clear()
        at = picture.place_of(part)
        move(picture, at.x(), at.y())
        assert _is_read(picture, part)
        assert told == [("pointed", part)]
        click(picture, at.x(), at.y())
        assert told[1:] == [("chosen", part)]
    leave(picture)
    assert (picture.part, picture.read_out.lines) == (None, ())
    assert told[-1] == ("pointed", None)


def test_home_end_and_arrows_read_parts_out_and_enter_chooses(
    picture: Picture, told: list[tuple[str, object]]
) -> None:
    parts, described = _parts(picture), picture.accessibleDescription()
    QTest.keyClick(picture, KEY.Key_End if picture.has_ends else KEY.Key_Right)
    assert picture.walked == parts[-1 if picture.has_ends else 0]
    for key in (KEY.Key_Right, KEY.Key_Down, KEY.Key_Left, KEY.Key_Up):
        assert _is_read(picture, picture.walked)
        assert str(picture.read_out.lines[0]) in picture.accessibleDescription()
        QTest.keyClick(picture, key)
        assert picture.walked in parts
    QTest.keyClick(picture, KEY.Key_Home if picture.has_ends else KEY.Key_Left)
    assert _is_read(picture, parts[0])
    if type(picture).on_entered is PicturePlot.on_entered:
        QTest.keyClick(picture, KEY.Key_Return)
        assert told[-1] == ("chosen", parts[0])
    QTest.keyClick(picture, KEY.Key_Escape)
    assert (picture.part, picture.walked, picture.read_out.lines) == (None, None, ())
    assert told[-1] == ("pointed", None)
    assert picture.accessibleDescription() == described, "of the whole picture again"


def test_arrows_reach_every_part(picture: Picture) -> None:
    if picture.pages:
        return  # dots may hide each other: Page Up and Page Down go through all of them
    reached, waiting = [], [picture.numbered(0)]
    while waiting:
        part = waiting.pop()
        if part is not None and part not in reached:
            reached.append(part)
            waiting += [picture.beside(part, *step) for step in ((0, 1), (1, 0), (0, -1), (-1, 0))]
    assert len(reached) == picture.count
    assert all(part in reached for part in _parts(picture))


def test_what_the_keys_come_to_is_told_where_the_pointer_is_too_and_let_go_with_the_focus(
    picture: Picture, told: list[tuple[str, object]]
) -> None:
    first = picture.numbered(0)
    at = picture.place_of(first)
    move(picture, at.x(), at.y())
    picture.go_to(first)
    pointed = [part for event, part in told if event == "pointed"]
    assert pointed == [first] * 2
    assert picture.walked == first
    QApplication.sendEvent(picture, QFocusEvent(QEvent.Type.FocusOut, Qt.FocusReason.TabFocusReason))
    assert (picture.walked, picture.read_out.lines) == (None, ())


@pytest.mark.parametrize("make", [empty for _, empty in PICTURES.values() if empty is not None])
def test_a_picture_of_nothing_has_no_part(make: Callable[[Look], Picture], qtbot: QtBot, look: Look) -> None:
    picture = on_screen(qtbot, make(look), 520, 420)
    told: list[object] = []
    for signal in (picture.part_pointed, picture.part_chosen):
        signal.connect(told.append)
    assert picture.count == 0
    move(picture, 200, 200)
    click(picture, 200, 200)
    for key in (KEY.Key_Right, KEY.Key_Down, KEY.Key_Home, KEY.Key_End, KEY.Key_Return, KEY.Key_Escape):
        QTest.keyClick(picture, key)
    assert told == []
    assert not picture.read_out.lines
