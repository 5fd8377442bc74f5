"""The bar of stops in a panel too narrow for the map: every stage by the sign that it has elsewhere."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.steps import words as step_words
from bertviz_app.viewmodels.steps.stops import BELOW, Stop
from bertviz_app.views.kit.drawn_texts import drawn_texts
from bertviz_app.views.kit.look import Look
from tests.support.factories import make_trace
from tests.support.scene import click
from tests.support.steps_scene import StepsScene

_WORDS = ("softmax", "concat", "norm", "GELU")


def _written(scene: StepsScene) -> str:
    """Return what is written on the bar, letter by letter."""
    return "".join(text for _, text in drawn_texts(scene.view.bar))


@pytest.mark.parametrize("size", [(305, 480), (330, 560), (480, 420), (640, 400)])
def test_words_are_whole_in_a_narrow_panel(qtbot: QtBot, look: Look, size: tuple[int, int]) -> None:
    scene = StepsScene(qtbot, look, size=size, trace=make_trace(7, n_layers=6))
    scene.finish()
    assert scene.view.bar.isVisible()
    written = _written(scene)
    assert [word for word in _WORDS if word not in written] == []


@pytest.mark.parametrize(("width", "height"), [(305, 480), (330, 300), (640, 400)])
@pytest.mark.parametrize("section", [BELOW, 1, 3])
def test_cells_do_not_overlap_and_a_click_goes_to_each(
    qtbot: QtBot, look: Look, width: int, height: int, section: int
) -> None:
    scene = StepsScene(qtbot, look, size=(width, height))
    scene.finish()
    bar, walk = scene.view.bar, scene.view.walk
    walk.enter(section)
    for stop in walk.section(section):
        box = bar.box_of(stop)
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


def test_a_low_panel_keeps_one_row(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, size=(305, 300))
    walk = scene.view.walk
    assert len({scene.view.bar.box_of(stop).top() for stop in walk.section(walk.stop.section)}) == 1


def test_the_heads_stages_are_in_the_upper_row(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, size=(305, 480))
    rows = {stop.stage: scene.view.bar.box_of(stop).top() for stop in scene.view.walk.section(1)}
    assert rows["mixed"] == rows["queries"] < rows["concat"] == rows["output"]


def test_the_names_of_the_ends_are_whole_where_the_layers_leave_room(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, size=(305, 480), trace=make_trace(7, n_layers=6))
    assert all(step_words.section_name(number, 6) in _written(scene) for number in (BELOW, 6))
    assert scene.view.bar.box_of(Stop(BELOW, "token")).width() > 40
