"""What mouse and keys do is the same in all plots of parts, and every mark draws any numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QFocusEvent, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.compare import by_position
from bertviz_app.analysis.picture import Axis, Mark, Picture, Quantity, counted, picture_by_axes
from bertviz_app.checkpoint.parameters import LinearProduct
from bertviz_app.errors import Message
from bertviz_app.features.corpora.views.head_page import DistanceBars
from bertviz_app.features.lessons.state.computed import Dropped, HeadProduct, PickedRow, Roles
from bertviz_app.features.lessons.views.pictures.attention import HeadTiles
from bertviz_app.features.lessons.views.pictures.lesson_picture import Bars, ShownBar
from bertviz_app.features.lessons.views.pictures.numbers import DropoutGrids, PickedRowPlot
from bertviz_app.features.lessons.views.pictures.steps import ColumnsPlot, RolesPlot
from bertviz_app.features.parameters.view import WeightsView
from bertviz_app.features.steps.drawn import Joined
from bertviz_app.features.steps.views.drawing import StopDrawing
from bertviz_app.types import Floats
from bertviz_app.viewmodels.panels import Panels
from bertviz_app.viewmodels.parameters import Matrix
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.runs.run import Difference
from bertviz_app.viewmodels.viewport import heat_picture
from bertviz_app.views.analyses.cells_and_words import PictureCells
from bertviz_app.views.analyses.charts import PictureBars, PictureCurves, PicturePoints
from bertviz_app.views.analyses.picture_view import PLOTS, PictureOf
from bertviz_app.views.kit.look import Look
from bertviz_app.views.overview.view import DivergenceView
from bertviz_app.views.plots.charts import Curve, CurvePlot
from bertviz_app.views.plots.picture import PicturePlot
from bertviz_app.views.vectors.plots import BarsPlot, HeatTexts, HeatView, MapPicture, MapView
from tests.support.factories import make_tokens, make_trace
from tests.support.scene import click, expect, leave, move, not_none, on_screen, pixels_of

Plotted = PicturePlot[Any]
KEY = Qt.Key
GRID = np.array([[0.5, -1.0, np.nan], [2.0, 0.25, -0.125]], np.float32)
PLACES = np.array([[0, 0], [1, 2], [np.nan, np.nan], [3, 1], [4, 3], [5, 0]], np.float32)


def _heat(look: Look) -> Plotted:
    plot = HeatView(look, lambda row, column: [f"{row} {column}", str(GRID[row, column])])
    plot.show_picture(heat_picture(GRID, 2.0), HeatTexts(("one", "two")))
    return plot


def _divergence(look: Look) -> Plotted:
    plot, trace = DivergenceView(look, Panels()), make_trace(4)
    plot.show_difference(Difference((trace, trace), by_position(4), np.abs(GRID)))
    return plot


def _vector(look: Look) -> Plotted:
    plot = BarsPlot(look, has_numbers=True)
    plot.show_vector(GRID.reshape(-1), "a vector")
    return plot


def _map(look: Look) -> Plotted:
    plot = MapView(look)
    ratios = np.array([0.6, 0.3], np.float32)
    plot.show_picture(MapPicture(PLACES, tuple("abcdef"), ["accent"] * 6, ratios, PLACES))
    plot.part_pointed.connect(lambda part: plot.highlight(frozenset() if part is None else frozenset({part})))
    return plot


def _dots(look: Look) -> Plotted:
    plot, points = PicturePoints(look), np.nan_to_num(PLACES, nan=2.0)
    axes = Axis("point", tuple("abcdef")), Axis("component", ("x", "y"))
    plot.show_picture(Picture("map", "points", points, axes, Quantity("")))
    return plot


def _cells(look: Look) -> Plotted:
    plot = PictureCells(look)
    plot.show_picture(
        picture_by_axes("change", np.nan_to_num(GRID), (counted("layer", 2), counted("head", 3)))
    )
    return plot


def _weights(look: Look) -> Plotted:
    plot = WeightsView(look, lambda row, column, region: [f"{row} {column}"])
    plot.show_matrix(Matrix((GRID,), 2.0, -1.0, 2.0))
    return plot


def _tokens(look: Look) -> Plotted:
    plot = PictureBars(look)
    plot.show_picture(picture_by_axes("value", GRID.reshape(-1), (Axis("token", tuple("abcdef")),)))
    return plot


def _curves(look: Look) -> Plotted:
    plot = CurvePlot(look)
    plot.show_curves([Curve("loss", "accent", np.arange(6.0), GRID.reshape(-1).astype(float))], "step")
    return plot


def _distances(look: Look) -> Plotted:
    plot = DistanceBars(look)
    plot.show_distances([("−1", 0.25), ("0", 0.5), ("+1", 0.125), ("2 to 4 after", 0.125)])
    return plot


def _bars(look: Look) -> Plotted:
    plot = Bars(look)
    plot.show_bars([ShownBar(name, value, str(value)) for name, value in (("a", 0.5), ("b", np.nan))], 1.0)
    return plot


def _tiles(look: Look) -> Plotted:
    plot = HeadTiles(look)
    plot.show_heads(np.zeros((2, 3, 48, 48), np.uint8), np.abs(np.nan_to_num(GRID)), ())
    return plot


def _dropout(look: Look) -> Plotted:
    plot = DropoutGrids(look)
    vector = np.linspace(-1, 1, 40, dtype=np.float32)
    plot.show_dropped(Dropped("w", vector, (vector > 0).astype(np.float32) * 2, 0.5))
    return plot


def _roles(look: Look) -> Plotted:
    plot = RolesPlot(look)
    plot.show_roles(Roles("w", 0, 1, 12, (GRID, GRID, GRID)), shows_heads=True)
    return plot


def _product(look: Look) -> Plotted:
    plot, inputs = ColumnsPlot(look), np.array([0.5, 2.0], np.float32)
    product = LinearProduct("key", 0, 1, 8, inputs, GRID[:, 0], None, 4.25)
    plot.show_product(HeadProduct("good", GRID, inputs @ GRID, product, 8))
    return plot


def _lookup(look: Look) -> Plotted:
    plot, numbers = PickedRowPlot(look, Selection()), np.ones((9, 16), np.float32)
    plot.show_lookups(make_tokens(5), (PickedRow(numbers, 997, 5000, tuple("abcdefghi"), 1001, (1, 3)),))
    return plot


def _stop(look: Look) -> Plotted:
    plot = StopDrawing(look)
    plot.take_height(300)
    plot.show_drawn(Joined(np.nan_to_num(GRID), 1), "w")
    return plot


PICTURES: dict[str, tuple[Callable[[Look], Plotted], Callable[[Look], Plotted] | None]] = {
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
def picture(request: pytest.FixtureRequest, qtbot: QtBot, look: Look) -> Plotted:
    return on_screen(qtbot, PICTURES[request.param][0](look), 520, 420)


@pytest.fixture
def told(picture: Plotted) -> list[tuple[str, object]]:
    """What the picture emitted."""
    found: list[tuple[str, object]] = []
    picture.part_pointed.connect(lambda part: found.append(("pointed", part)))
    picture.part_chosen.connect(lambda part: found.append(("chosen", part)))
    return found


def _parts(picture: Plotted) -> list[object]:
    return [picture.numbered(number) for number in range(picture.count)]


def _is_read(picture: Plotted, part: object) -> bool:
    """Return whether a part, and no other, is read out."""
    lines = tuple(picture.lines_of(part))
    return bool(lines) and (picture.part, picture.read_out.lines) == (part, lines)


def test_a_part_under_the_pointer_is_read_out_and_a_click_chooses_it(
    picture: Plotted, told: list[tuple[str, object]]
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
    picture: Plotted, told: list[tuple[str, object]]
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


def test_arrows_reach_every_part(picture: Plotted) -> None:
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
    picture: Plotted, told: list[tuple[str, object]]
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
def test_a_picture_of_nothing_has_no_part(make: Callable[[Look], Plotted], qtbot: QtBot, look: Look) -> None:
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


MARKS: tuple[Mark, ...] = ("cells", "bars", "curves", "points", "words", "arcs")
RANDOM = np.random.default_rng(0)
SHAPES: dict[Mark, tuple[int, ...]] = {
    "cells": (3, 4),
    "bars": (4,),
    "curves": (2, 4),
    "points": (5, 2),
    "words": (2, 3),
    "arcs": (4, 3),
}


def picture_of(mark: Mark, values: Floats, *, is_signed: bool = True, **also: Any) -> Picture:
    """Return a picture of numbers along axes that no analysis has."""
    names = ("row", "column")[-values.ndim :]
    axes = tuple(
        Axis(name, tuple(f"{name} {at}" for at in range(n)))
        for name, n in zip(names, values.shape, strict=True)
    )
    return replace(Picture("made up", mark, values, axes, Quantity("", None if is_signed else 0)), **also)


def shown(qtbot: QtBot, look: Look, picture: Picture) -> PicturePlot[Any]:
    plot: PictureOf = PLOTS[picture.mark](look)
    plot.show_picture(picture)
    on_screen(qtbot, plot.outer, 420, 300)
    return plot


@pytest.mark.parametrize("mark", MARKS)
def test_each_part_is_read_out_by_mouse_and_keys_and_chosen(qtbot: QtBot, look: Look, mark: Mark) -> None:
    plot = shown(qtbot, look, picture_of(mark, RANDOM.normal(size=SHAPES[mark]).astype(np.float32)))
    chosen: list[object] = []
    plot.part_chosen.connect(chosen.append)
    said = []
    for number in range(plot.count):
        at = plot.place_of(plot.numbered(number))
        move(plot, *at.toTuple())
        said.append(plot.read_out.lines)
        assert plot.part == plot.numbered(number)
    assert len({*said}) == plot.count > 1, "each says something of its own"
    click(plot, *plot.place_of(plot.numbered(0)).toTuple())
    leave(plot)
    assert not plot.read_out.lines
    QTest.keyClick(plot, KEY.Key_Home)
    assert plot.read_out.lines == said[0]
    QTest.keyClick(plot, KEY.Key_End)
    assert plot.read_out.lines == said[-1]
    step = {"bars": KEY.Key_Up, "points": KEY.Key_PageUp}.get(mark, KEY.Key_Left)
    QTest.keyClick(plot, step)
    assert plot.read_out.lines == said[-2]
    QTest.keyClick(plot, KEY.Key_Return)
    QTest.keyClick(plot, KEY.Key_Escape)
    assert not plot.read_out.lines
    assert chosen == [plot.numbered(0), plot.numbered(plot.count - 2)]


NUMBERS: dict[str, Callable[[tuple[int, ...]], Any]] = {
    "nothing but nan": lambda shape: np.full(shape, np.nan),
    "zeros": lambda shape: np.zeros(shape),
    "infinite ones": lambda shape: np.where(RANDOM.random(shape) < 0.5, np.inf, -1.0),
    "huge and tiny ones": lambda shape: np.where(RANDOM.random(shape) < 0.5, 1e30, 1e-30),
}


@pytest.mark.parametrize(("kind", "is_signed"), [*zip(NUMBERS, (True, False, True, False), strict=True)])
@pytest.mark.parametrize("mark", MARKS)
def test_any_numbers_are_drawn_walked_and_recoloured(
    qtbot: QtBot, look: Look, mark: Mark, kind: str, is_signed: bool
) -> None:
    values = NUMBERS[kind](SHAPES[mark]).astype(np.float32)
    plot = shown(qtbot, look, picture_of(mark, values, is_signed=is_signed))
    pixels_of(plot.outer)
    for key in (
        KEY.Key_Home,
        KEY.Key_Down,
        KEY.Key_Right,
        KEY.Key_End,
        KEY.Key_Plus,
        KEY.Key_0,
        KEY.Key_Return,
    ):
        QTest.keyClick(plot, key)
    plot.recolour()
    pixels_of(plot)


@pytest.mark.parametrize("n", [0, 1, 1000])
@pytest.mark.parametrize("mark", MARKS)
def test_few_and_many_parts_are_drawn(qtbot: QtBot, look: Look, mark: Mark, n: int) -> None:
    shape = {"bars": (n,), "curves": (2, n), "points": (n, 2)}.get(mark, (n, 3))
    plot = shown(qtbot, look, picture_of(mark, RANDOM.random(shape).astype(np.float32), is_signed=False))
    pixels_of(plot.outer)
    for key in (KEY.Key_End, KEY.Key_Down, KEY.Key_Left, KEY.Key_Home, KEY.Key_Return):
        QTest.keyClick(plot, key)
    assert plot.count == (3 * n if mark in ("cells", "words") else n)


@pytest.mark.parametrize("is_signed", [True, False])
def test_tokens_with_any_number_are_tinted(qtbot: QtBot, look: Look, is_signed: bool) -> None:
    numbers = np.array([[np.inf, np.nan, 1.0, 0.0]], np.float32)
    strip = shown(qtbot, look, picture_of("words", numbers, is_signed=is_signed))
    pixels = pixels_of(strip)
    boxes = [strip.extent_of((0, word)) for word in range(4)]
    ground = [int(pixels[round(box.center().y()), round(box.left()) + 2]) for box in boxes]
    assert ground[0] == ground[2], "what is infinite has the last colour"
    assert ground[1] != ground[0], "what is no number has none"


def test_ends_of_intervals_and_what_is_compared_with_are_read_out(qtbot: QtBot, look: Look) -> None:
    values = np.array([[0.5, 0.75], [0.25, 0.25]], np.float32)
    away = np.array([[0.125, np.nan], [np.nan, np.nan]], np.float32)
    picture = Picture(
        "accuracy",
        "curves",
        values,
        (Axis("series", ("own", "chance")), counted("state", 2)),
        Quantity("weight", 0, 1),
        words={"own": Message("Accuracy")},
        low=values - away,
        high=values + away,
        levels=frozenset({"chance"}),
        top=1.0,
    )
    plot = shown(qtbot, look, picture)
    assert list(plot.lines_of(plot.numbered(0))) == [
        "hidden state 0",
        "Accuracy 50.0% (37.5% … 62.5%)",
        "chance 25.0%",
    ]
    assert list(plot.lines_of(plot.numbered(1))) == ["hidden state 1", "Accuracy 75.0%", "chance 25.0%"]


@pytest.mark.parametrize("values", [[-3.0, -1.0, -2.0], [-1.0, 0.5, 2.0], [0.25, 0.5, 0.75]])
def test_curves_below_zero_are_in_sight_as_those_above(qtbot: QtBot, look: Look, values: list[float]) -> None:
    picture = picture_by_axes("loss", np.array(values, np.float32), (counted("step", 3),))
    whole = shown(qtbot, look, picture).box.whole
    assert whole.top() <= min(0.0, *values)
    assert max(0.0, *values) <= whole.bottom()
    assert whole.top() == 0 or min(values) < 0, "curves begin at zero where none is below"


def test_curves_have_the_unit_and_the_digits_of_their_numbers(qtbot: QtBot, look: Look) -> None:
    axes = Axis("series", ("lens",)), counted("state", 2)
    values = np.array([[0.00002, 1.5]], np.float32)
    plot = shown(qtbot, look, Picture("lens", "curves", values, axes, Quantity("bits", 0)))
    assert list(plot.lines_of(0.0)) == ["hidden state 0", "lens 2e−05 bits"]
    assert list(plot.lines_of(1.0)) == ["hidden state 1", "lens 1.500 bits"]
    counts = Picture("rows", "curves", np.array([[3, 1200]], np.float32), axes, Quantity("count", 0))
    assert isinstance(plot, PictureCurves)
    plot.show_picture(counts)
    assert list(plot.lines_of(1.0)) == ["hidden state 1", "lens 1,200"]


def test_cells_without_a_number_are_hatched_wherever_they_are_in_sight(qtbot: QtBot, look: Look) -> None:
    values = np.zeros((4, 6), np.float32)
    values[0, 1:3] = values[1] = values[3, 5] = values[2, ::2] = np.nan
    text = np.full(values.shape, "", np.str_)
    plot = expect(PictureCells, shown(qtbot, look, picture_of("cells", values, is_signed=False, text=text)))

    def hatched() -> set[tuple[int, int]]:
        pixels, found = pixels_of(plot), set()
        for row, column in np.ndindex(values.shape):
            box = plot.cell_rect(row, column).adjusted(3, 3, -3, -3).toRect()
            part = pixels[box.top() : box.bottom(), box.left() : box.right()]
            if plot.plot_rect.contains(box) and len(np.unique(part)) > 1:
                found.add((row, column))
        return found

    there = {(row, column) for row, column in np.argwhere(np.isnan(values)).tolist()}
    assert hatched() == there
    plot.box.show_part(QRectF(2, 1, 3, 3))
    assert hatched() == {(row, column) for row, column in there if row >= 1 and 2 <= column < 5}


def test_a_description_that_does_not_fit_is_refused_by_name() -> None:
    values, axes = np.zeros((2, 3), np.float32), (counted("layer", 2), counted("head", 3))
    picture = Picture("made up", "cells", values, axes, Quantity(""))
    with pytest.raises(ValueError, match=r"values of the picture “made up” are \(2, 3\), its axes \(2, 2\)"):
        replace(picture, axes=(counted("layer", 2), counted("head", 2)))
    with pytest.raises(ValueError, match="low of the picture"):
        replace(picture, low=values[0])
    with pytest.raises(ValueError, match="too few axes for cells"):
        replace(picture, values=values[0], axes=axes[1:])
    with pytest.raises(ValueError, match="have 3 coordinates, not 2"):
        replace(picture, mark="points")


def test_other_axes_have_menus_of_which_one_index_is_drawn() -> None:
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    axes = (Axis("way", ("to", "from")), counted("layer", 3), counted("head", 4))
    said: list[dict[str, int]] = []

    def details(index: object) -> tuple[str, ...]:
        said.append(dict(index))  # type: ignore[call-overload]
        return ()

    picture = Picture("x", "cells", values, axes, Quantity("", 0), marked=values > 20, details=details)
    assert [axis.name for axis in picture.menus] == ["way"]
    drawn = picture.at({"way": 1})
    np.testing.assert_array_equal(drawn.values, values[1])
    assert not_none(drawn.marked).sum() == 3
    drawn.details({"layer": 2, "head": 3})
    assert said == [{"way": 1, "layer": 2, "head": 3}]
    np.testing.assert_array_equal(picture.at({"way": 9}).values, values[1])


@pytest.mark.parametrize(
    ("axes", "mark"),
    [
        ((counted("layer", 6),), "curves"),
        ((Axis("vector", ("a", "b")),), "bars"),
        ((counted("text", 100),), "curves"),
        ((counted("layer", 6), counted("head", 8)), "cells"),
        ((counted("one", 1), counted("head", 8)), "bars"),
    ],
)
def test_numbers_of_which_the_axes_alone_are_known_have_a_picture(axes: tuple[Axis, ...], mark: Mark) -> None:
    values = np.ones(tuple(map(len, axes)), np.float32)
    assert picture_by_axes("x", values, axes).mark == mark


@pytest.mark.parametrize("mark", MARKS)
def test_the_numbers_of_each_mark_are_copied(qtbot: QtBot, look: Look, mark: Mark) -> None:
    values = RANDOM.random(SHAPES[mark]).astype(np.float32)
    values.flat[1] = np.nan
    plot = shown(qtbot, look, picture_of(mark, values, is_signed=False))
    plot.interventions = "head 0·1 muted"
    copy = not_none(dict(plot.menu_items())["Copy the numbers"])
    copy()
    columns, *rows = (line.split("\t") for line in QGuiApplication.clipboard().text().splitlines())
    assert columns == [*("row", "column")[-values.ndim :], "made up", "interventions"]
    assert len(rows) == values.size - 1, "what is no number has no row"
    assert {row[-1] for row in rows} == {"head 0·1 muted"}
    assert [float(row[-2]) for row in rows] == pytest.approx(values[np.isfinite(values)].tolist(), abs=1e-3)
