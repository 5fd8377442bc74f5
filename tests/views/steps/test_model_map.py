"""The map of the whole encoder beside a stop: what is where, and where a click goes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.steps import words as step_words
from bertviz_app.viewmodels.steps.stage import Architecture
from bertviz_app.viewmodels.steps.stops import BELOW, Stop, Walk
from bertviz_app.views.kit.drawn_texts import drawn_texts
from bertviz_app.views.kit.look import Look
from bertviz_app.views.steps.model_map import MapLayout, ModelMap
from tests.support.scene import click, on_screen, pixels_of
from tests.support.steps_scene import StepsScene


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> StepsScene:
    return StepsScene(qtbot, look, size=(900, 560))


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


@pytest.mark.parametrize("n_layers", [1, 6, 12, 24, 48])
@pytest.mark.parametrize("scale", [1.0, 1.5])
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


@pytest.mark.parametrize("scale", [1.0, 1.6])
def test_no_label_is_cut_and_no_name_of_a_section_runs_into_its_cells(look: Look, scale: float) -> None:
    big, walk = Look(look.palette, scale), Walk()
    walk.set_architecture(Architecture(12))
    rail = ModelMap(big, walk)
    rail.resize(rail.sizeHint().width(), big.pixels(440))
    bold = QFontMetricsF(big.font(13, bold=True))
    room = bold.horizontalAdvance
    for stop in (walk.section(BELOW)[0], Stop(3, "output")):
        walk.go(stop)
        placed = rail.layout_of_map
        name = step_words.section_name(stop.section, 12)
        left = min(box.left() for one, box in placed.cells.items() if one.section == stop.section)
        assert (
            placed.names[stop.section].left() + QFontMetricsF(big.font(12, bold=True)).horizontalAdvance(name)
            < left
        )
        for one, box in placed.lines.items():
            assert room(step_words.title(one.stage)) <= box.width() - big.pixels(52)


def test_with_a_larger_text_the_map_is_as_wide_as_its_longest_label(qtbot: QtBot, look: Look) -> None:
    rail = ModelMap(look, Walk())
    qtbot.addWidget(rail)
    look.set_scale(1.5)
    widest = QFontMetricsF(look.font(13, bold=True)).horizontalAdvance(step_words.title("output"))
    assert rail.sizeHint().width() >= widest + look.pixels(52)


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
