"""The picture above the strips of Steps: what the pointer and the keys read out of it, and where it is."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.features.steps.views.small_plots import (
    ActivationPlot,
    ArrowsPlot,
    HistogramsPlot,
    JoinedPlot,
)
from bertviz_app.features.steps.views.view import StepsView
from bertviz_app.viewmodels.panels import Panels, Rooms
from bertviz_app.viewmodels.pointer import Selection
from bertviz_app.viewmodels.stages.stops import Stop
from bertviz_app.views.kit.look import Look
from bertviz_app.views.kit.words import exact
from tests.support.factories import make_details
from tests.support.panel_scenes import StepsScene
from tests.support.scene import move, on_screen, pixels_of


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> StepsScene:
    shown = StepsScene(qtbot, look, size=(900, 760))
    shown.finish()
    return shown


def test_the_pointer_reads_what_goes_into_an_activation_and_what_comes_out(scene: StepsScene) -> None:
    scene.at("active")
    drawing = scene.view.drawn.drawing
    plot = drawing.plot
    assert isinstance(plot, ActivationPlot)
    place = plot.n_places - 1  # the largest number
    at = plot.point(place)
    move(drawing, at.x(), at.y())
    dimension = int(plot.order[place])
    details, query = make_details(scene.trace, 1), scene.view.followed.query
    row, made = details.expanded[query], details.active[query]
    assert drawing.read_out.lines[0] == f"GELU({exact(row[dimension])}) = {exact(made[dimension])}"


def test_home_is_a_key_of_steps_in_its_drawing_too(scene: StepsScene) -> None:
    scene.at("active")
    drawing = scene.view.drawn.drawing
    drawing.setFocus()
    QTest.keyClick(drawing, Qt.Key.Key_Right)
    assert drawing.part == 0
    QTest.keyClick(drawing, Qt.Key.Key_Home)
    assert scene.view.walk.stop == scene.view.walk.stops[0]


def test_the_arrows_on_screen_are_as_long_as_the_vectors(scene: StepsScene) -> None:
    scene.at("attention_sum")
    plot = scene.view.drawn.drawing.plot
    assert isinstance(plot, ArrowsPlot)
    start, middle, end = plot.ends
    lengths = plot.drawn.lengths
    scale = _length(middle - start) / lengths[0]
    assert _length(end - start) == pytest.approx(scale * lengths[2], rel=1e-3)
    assert _length(end - middle) == pytest.approx(scale * lengths[1], rel=1e-3)


def _length(way: QPointF) -> float:
    return float((way.x() ** 2 + way.y() ** 2) ** 0.5)


def test_heads_are_drawn_apart_and_then_joined_and_each_is_read_out(scene: StepsScene) -> None:
    scene.at("concat")
    plot = scene.view.drawn.drawing.plot
    assert isinstance(plot, JoinedPlot)
    n_heads, width = plot.drawn.heads.shape
    for head in range(1, n_heads):
        assert plot.apart(head).left() > plot.apart(head - 1).right() + 2
        assert plot.joined(head).left() == pytest.approx(plot.joined(head - 1).right())
        assert plot.place_at(plot.joined(head).center()) == head
        assert plot.place_at(plot.point(head)) == head
    assert plot.lines(1)[0] == f"head 1: dimensions {width} to {2 * width - 1}"
    assert f"{n_heads * width} numbers" in plot.sentence


def test_a_bar_of_a_histogram_is_read_out_and_the_picture_says_mean_and_deviation(scene: StepsScene) -> None:
    scene.at("attention_norm")
    drawing = scene.view.drawn.drawing
    plot = drawing.plot
    assert isinstance(plot, HistogramsPlot)
    part = plot.drawn.parts[0]
    place = int(part.counts.argmax())
    at = plot.point(place)
    move(drawing, at.x(), at.y())
    assert drawing.read_out.lines[0] == f"{part.counts[place]} of {part.n} numbers"
    assert f"{part.mean:.2f}".replace("-", "−") in drawing.accessibleName()


def test_in_a_low_panel_the_strips_have_all_the_height(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look, size=(900, 360))
    scene.at("active")
    assert scene.view.drawn.drawing.isHidden()
    scene.view.resize(900, 760)
    assert not scene.view.drawn.drawing.isHidden()


class RoomScene(StepsScene):
    """Steps in a window with rooms, at the room Research at first."""

    def __init__(self, qtbot: QtBot, look: Look, size: tuple[int, int], stage: str) -> None:
        super().__init__(qtbot, look)
        self.rooms = Rooms(Panels())
        self.view = on_screen(qtbot, StepsView(look, Selection(), self.details, rooms=self.rooms), *size)
        self.show(1, 2)
        self.at(stage)


def test_in_a_low_panel_of_a_lesson_the_picture_has_all_the_height(qtbot: QtBot, look: Look) -> None:
    scene = RoomScene(qtbot, look, (900, 360), "active")
    scene.rooms.enter("learn")
    assert scene.view.drawn.drawing.isVisible()
    assert not scene.view.walking.isVisible()
    scene.view.walk.go(Stop(1, "mixed"))  # of which the strips are the picture
    assert scene.view.walking.isVisible()
    assert not scene.view.drawn.drawing.isVisible()


def test_in_the_room_learn_the_map_of_the_model_is_the_navigator(qtbot: QtBot, look: Look) -> None:
    scene = RoomScene(qtbot, look, (900, 620), "queries")
    shown = []
    for room in ("research", "learn", "explore"):
        scene.rooms.enter(room)
        shown.append(scene.view.navigator.isVisible())
    assert shown == [True, False, True]


@pytest.mark.parametrize(
    ("stage", "last"),
    [("queries", "queries"), ("scores", "scores"), ("softmax", "weight"), ("mixed", "weighted")],
)
def test_in_the_room_learn_a_stop_has_no_columns_of_later_stops(
    qtbot: QtBot, look: Look, stage: str, last: str
) -> None:
    scene = RoomScene(qtbot, look, (1200, 620), stage)
    scene.rooms.enter("learn")
    assert scene.flow.columns[-1].name == last
    assert scene.flow.left_out == []
    scene.rooms.enter("research")
    assert scene.flow.columns[-1].name == ("values" if stage == "queries" else "weighted")


@pytest.mark.parametrize("stage", ["concat", "attention_sum"])
def test_in_the_room_learn_an_equation_ends_with_its_stop(qtbot: QtBot, look: Look, stage: str) -> None:
    scene = RoomScene(qtbot, look, (1200, 900), stage)
    scene.rooms.enter("learn")
    assert scene.equation.terms[-1].name == stage
    scene.rooms.enter("research")
    assert scene.equation.terms[-1].name != stage


def test_query_and_keys_have_the_colours_of_their_roles(qtbot: QtBot, look: Look) -> None:
    scene = StepsScene(qtbot, look)
    scene.at("scores")
    sheet = scene.flow
    keys = next(column for column in sheet.columns if column.name == "keys")
    assert keys.axis is not None
    drawn = pixels_of(scene.view.walking)
    left, right = round(keys.axis.strip.left()), round(keys.axis.strip.left()) + 20
    row = sheet.row_box(0, 0)
    of_key = drawn[round(row.top()) : round(row.bottom()), left:right]
    of_query = drawn[
        round(sheet.rows_area.top()) - look.pixels(28) : round(sheet.rows_area.top()), left:right
    ]
    for part, role in ((of_key, "key"), (of_query, "query")):
        assert (part == look.colour(role).rgb() & 0xFFFFFF).sum() >= 15, role
