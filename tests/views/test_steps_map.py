"""Getting about in Steps: the map of the whole encoder, and the bar of stops where it has no room."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.steps import stops as step_words
from bertviz_app.viewmodels.steps.stage import Architecture
from bertviz_app.viewmodels.steps.stops import BELOW, Stop, Walk
from bertviz_app.views.kit.labels import drawn_texts
from bertviz_app.views.kit.look import Look
from bertviz_app.views.steps.stop_bar import MapLayout, ModelMap
from tests.support.factories import make_trace
from tests.support.panel_scenes import StepsScene
from tests.support.scene import click, on_screen, pixels_of


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> StepsScene:
    return StepsScene(qtbot, look, size=(900, 560))


_WORDS = ("softmax", "concat", "norm", "GELU")


def _written(scene: StepsScene) -> str:
    """Return what is written on the bar, letter by letter."""
    return "".join(text for _, text in drawn_texts(scene.view.bar))


def test_the_map_has_every_stop_and_a_click_goes_there(scene: StepsScene) -> None:
    view = scene.view
    assert view.map.isVisible()
    assert not view.bar.isVisible()
    for stop in view.walk.stops:
        at = view.map.layout_of_map.cells[stop].center()
        click(view.map, at.x(), at.y())
        assert view.walk.stop == stop
        named = view.map.layout_of_map.lines
        assert set(named) == set(view.walk.section(stop.section))
    at = view.map.layout_of_map.lines[Stop(3, "dense")].center()
    click(view.map, at.x(), at.y())
    assert view.walk.stop == Stop(3, "dense")


def test_a_click_on_the_name_of_a_section_enters_it(scene: StepsScene) -> None:
    view = scene.view
    view.walk.go(Stop(1, "active"))
    for section, reached in ((0, Stop(0, "active")), (BELOW, Stop(BELOW, "token"))):
        box = view.map.layout_of_map.names[section]
        click(view.map, box.left() + 4, box.center().y())
        assert view.walk.stop == reached


def test_the_stop_is_marked_and_those_behind_are_filled(scene: StepsScene, look: Look) -> None:
    view = scene.view
    view.walk.go(Stop(1, "softmax"))
    QApplication.processEvents()
    drawn, cells = pixels_of(view.map), view.map.layout_of_map.cells

    def colour(stop: Stop) -> int:
        at = cells[stop].center()
        return int(drawn[int(at.y()), int(at.x())])

    assert colour(Stop(1, "softmax")) == look.colour("accent").rgb() & 0xFFFFFF
    assert colour(Stop(1, "queries")) == colour(Stop(0, "output"))
    assert colour(Stop(1, "weighted")) == colour(Stop(3, "first")) != colour(Stop(1, "queries"))
    position, n_stops = view.walk.stops.index(Stop(1, "softmax")) + 1, len(view.walk.stops)
    assert view.map.accessibleDescription() == f"Layer 1, softmax, {position} of {n_stops}"


@pytest.mark.parametrize("n_layers", [1, 48])
@pytest.mark.parametrize("scale", [1.5])
def test_everything_fits_and_nothing_overlaps(look: Look, n_layers: int, scale: float) -> None:
    big, walk = Look(look.palette, scale), Walk()
    walk.set_architecture(Architecture(n_layers))
    walk.go(Stop(n_layers // 2, "scores"))
    placed = MapLayout(big, walk, 200 * scale, 440 * scale, 74 * scale)
    rows = sorted([*placed.names.values(), *placed.lines.values()], key=lambda box: box.top())
    assert all(one.bottom() <= other.top() + 0.01 for one, other in pairwise(rows))
    assert rows[-1].bottom() <= 440 * scale
    for stop in walk.stops:
        assert placed.stop_at(placed.cells[stop].center()) == stop
    assert placed.section_at(QPointF(1, -5)) is None


@pytest.mark.parametrize(("size", "has_map"), [((620, 600), False), ((700, 420), False), ((700, 460), True)])
def test_where_there_is_no_room_the_bars_stay(
    qtbot: QtBot, look: Look, size: tuple[int, int], has_map: bool
) -> None:
    view = StepsScene(qtbot, look, size=size).view
    assert (view.map.isVisible(), view.bar.isVisible()) == (has_map, not has_map)


def test_where_the_rows_are_too_low_for_names_only_the_section_one_is_in_has_its_name(
    qtbot: QtBot, look: Look
) -> None:
    walk = Walk()
    walk.set_architecture(Architecture(12))
    rail = on_screen(qtbot, ModelMap(look, walk), 240, 300)
    for section, name in ((0, "Layer 0"), (9, "Layer 9")):
        walk.enter(section)
        sections = {step_words.section_name(number, 12) for number in range(BELOW, 13)}
        drawn = [(box, text) for box, text in drawn_texts(rail) if text in sections]
        assert [text for _, text in drawn] == [name]
        assert rail.rect().contains(drawn[0][0].toAlignedRect()), drawn[0][0]


@pytest.mark.parametrize("size", [(305, 480), (640, 400)])
def test_words_are_whole_in_a_narrow_panel(qtbot: QtBot, look: Look, size: tuple[int, int]) -> None:
    scene = StepsScene(qtbot, look, size=size, trace=make_trace(7, n_layers=6))
    scene.finish()
    assert scene.view.bar.isVisible()
    written = _written(scene)
    assert [word for word in _WORDS if word not in written] == []


@pytest.mark.parametrize(("width", "height", "section"), [(305, 480, BELOW), (330, 300, 1), (640, 400, 3)])
def test_cells_do_not_overlap_and_a_click_goes_to_each(
    qtbot: QtBot, look: Look, width: int, height: int, section: int
) -> None:
    scene = StepsScene(qtbot, look, size=(width, height))
    scene.finish()
    bar, walk = scene.view.bar, scene.view.walk
    walk.enter(section)
    for stop in walk.section(section):
        box = bar.layout_of_bar.stops[stop]
        assert bar.rect().contains(box.toAlignedRect())
        click(bar, box.center().x(), box.center().y())
        assert walk.stop == stop
    for one, other in pairwise(bar.layout_of_bar.stops.values()):
        assert one.right() <= other.left() + 0.01 or one.bottom() <= other.top()


def test_the_bar_keeps_its_height_on_the_way_through_the_encoder(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, size=(305, 480))
    heights = set()
    for stop in scene.view.walk.stops:
        scene.view.walk.go(stop)
        QApplication.processEvents()
        heights.add(scene.view.bar.height())
    assert len(heights) == 1
