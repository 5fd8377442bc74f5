"""The whole model as one picture: its blocks, where one is, and a click that goes there."""

from __future__ import annotations

from typing import get_args
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import QBuffer, QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QContextMenuEvent, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from bertviz_app.features.lessons.course.lesson import Picture
from bertviz_app.features.lessons.course.reading import shipped_lessons
from bertviz_app.features.lessons.window.lessons import _HIGHLIGHTED_BY, Lessons
from bertviz_app.features.steps.views.flow_map import LESSONS, FlowMap, Place, blocks_of
from bertviz_app.options import Page
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.panel import VectorsChoice
from bertviz_app.viewmodels.stages.stage import Architecture
from bertviz_app.viewmodels.stages.stops import BELOW, TASK_HEADS, Stop, all_stops
from bertviz_app.viewmodels.wording import translated
from tests.support.factories import make_trace


def test_every_stop_is_in_one_block_and_the_blocks_are_in_the_order_of_the_arithmetic() -> None:
    trace = make_trace(6)
    blocks = blocks_of(trace, ("masked", "next_sentence"))
    stops = [stop for block in blocks for stop in block.stops]
    assert stops == list(all_stops(Architecture.of(trace)))
    names = [str(block.name) for block in blocks if block.section in (BELOW, 0)]
    assert names == [
        *("the text", "its tokens", "embeddings", "sum", "norm"),
        *("attention", "add & norm", "feed-forward", "add & norm"),
    ]
    top = [str(block.name) for block in blocks if block.section == trace.n_layers]
    assert top == ["[CLS]", "pooler", "masked word", "next sentence"]
    (attention,) = [block for block in blocks if block.key == "attention" and block.section == 1]
    assert attention.shape == f"{trace.n_heads} × {trace.n_tokens} × {trace.n_tokens}"
    assert [block.adds for block in blocks if block.section == 0] == [False, True, False, True]


def test_every_large_picture_of_lessons_lights_a_block() -> None:
    blocks = blocks_of(make_trace(6), ("masked", "next_sentence", "classes"))
    known = {block.key for block in blocks} | {stop.stage for block in blocks for stop in block.stops}
    assert set(_HIGHLIGHTED_BY) == set(get_args(Picture))
    assert {key for keys in _HIGHLIGHTED_BY.values() for key in keys} <= known


@pytest.fixture
def flow_map(window_with_text: MainWindow, app_state: AppState) -> FlowMap:
    """The map in Learn, where it is always in sight."""
    app_state.rooms.enter("learn")
    flow = window_with_text.main_area.flow
    assert isinstance(flow, FlowMap)
    assert flow.isVisible()
    return flow


def _click(flow: FlowMap, at: QPointF) -> None:
    QTest.mouseClick(flow, Qt.MouseButton.LeftButton, pos=at.toPoint())


def _stop(app_state: AppState) -> tuple[str, int, str]:
    (panel,) = app_state.panels.panels
    return panel.kind.key, panel.layer, panel.steps.stage


def test_a_click_goes_to_a_block_to_a_stop_and_to_a_layer(flow_map: FlowMap, app_state: AppState) -> None:
    layer = app_state.panels.panels[0].layer
    (feed_forward,) = [place for place in flow_map.places() if place.block.key == "feed-forward"]
    _click(flow_map, feed_forward.box.center())
    assert _stop(app_state) == ("steps", layer, "expanded")
    (unfolded,) = [place for place in flow_map.places() if place.cells]
    stop, cell = unfolded.cells[-1]
    _click(flow_map, cell.center())
    assert _stop(app_state) == ("steps", layer, stop.stage)
    folded = next(place for place in flow_map.places() if place.is_folded)
    _click(flow_map, folded.box.center())
    assert _stop(app_state) == ("steps", folded.block.section, stop.stage)
    assert flow_map.accessibleDescription().startswith(f"Layer {folded.block.section}: ")


def test_keys_walk_and_everything_fits_at_every_width(
    qtbot: QtBot, flow_map: FlowMap, app_state: AppState
) -> None:
    QTest.keyClick(flow_map, Qt.Key.Key_Right)
    assert _stop(app_state)[2] == "weighted", "after the softmax, which lines show"
    QTest.keyClick(flow_map, Qt.Key.Key_Left)
    assert _stop(app_state)[2] == "softmax"
    for width in (300, 700, 1200, 1900):
        flow_map.resize(width, flow_map.height())
        places = flow_map.places()
        assert places[0].box.left() >= 0, width
        assert places[-1].box.right() <= width
    app_state.rooms.enter("research")
    assert not flow_map.isVisible()


def test_the_stops_of_attention_are_in_sight_where_boxes_need_only_be_a_little_narrower(
    flow_map: FlowMap,
) -> None:
    def unfolded(width: float) -> list[Place]:
        flow_map.resize(round(width), flow_map.height())
        return [place for place in flow_map.places() if place.cells]

    (attention,) = unfolded(4000)
    whole = flow_map.places()[-1].box.right() - flow_map.places()[0].box.left()
    (narrow,) = unfolded(0.93 * whole + 24)
    assert [stop for stop, _ in narrow.cells] == [stop for stop, _ in attention.cells]
    for (stop, cell), (_, usual) in zip(narrow.cells, attention.cells, strict=True):
        assert cell.width() >= usual.width() - 12, f"{stop}: its sign has room"
    (dots,) = unfolded(0.6 * whole)
    assert [stop for stop, _ in dots.cells] == [stop for stop, _ in attention.cells], "a dot each"


def test_names_are_whole_in_boxes_that_are_narrow(flow_map: FlowMap) -> None:
    flow_map.resize(4000, flow_map.height())
    whole = flow_map.places()[-1].box.right() - flow_map.places()[0].box.left()
    names = [translated(place.block.name) for place in flow_map.places() if not place.is_folded]
    for share in (1.0, 0.6):
        flow_map.resize(round(share * whole) + 24, flow_map.height())
        written = QBuffer()
        svg = QSvgGenerator()
        svg.setOutputDevice(written)
        painter = QPainter(svg)
        flow_map.draw(painter)
        painter.end()
        words = " ".join(ElementTree.fromstring(written.data().data()).itertext()).split()
        for name in names:
            assert set(name.replace("-", "- ").split()) <= set(words) or name in words, (share, name)


@pytest.mark.parametrize("width", [700, 1200, 1900])
def test_no_box_moves_wherever_one_goes(flow_map: FlowMap, app_state: AppState, width: int) -> None:
    def boxes() -> list[tuple[str, QRectF]]:
        return [(place.block.key, place.box) for place in flow_map.places()]

    flow_map.setFixedWidth(width)
    before = boxes()
    for at in range(len(before)):
        _click(flow_map, before[at][1].center())
        assert boxes() == before, before[at][0]
    flow_map.highlight("tokens")
    assert boxes() == before


def test_a_tip_has_a_sentence_a_shape_and_a_lesson_that_the_menu_opens(
    qtbot: QtBot, window_with_text: MainWindow, flow_map: FlowMap
) -> None:
    (place,) = [each for each in flow_map.places() if each.block.key == "feed-forward"]
    title, sentence, shape, lesson = flow_map.tip(place.block, None).splitlines()
    assert title.endswith("feed-forward")
    assert sentence == "Each token by itself: widened, bent and narrowed again."
    assert place.block.shape in shape
    assert "lesson 8, The feed-forward network" in lesson
    asked: list[str] = []
    flow_map.lesson_requested.connect(asked.append)
    at = place.box.center().toPoint()
    event = QContextMenuEvent(QContextMenuEvent.Reason.Mouse, at, flow_map.mapToGlobal(at))
    QApplication.sendEvent(flow_map, event)
    (menu,) = [each for each in flow_map.findChildren(QMenu) if each.isVisible()]
    menu.actions()[0].trigger()
    menu.close()
    assert asked == ["feed-forward"]
    lessons = window_with_text.part(Lessons)
    assert lessons.player.lesson is not None
    assert lessons.player.lesson.key == "feed-forward"
    lessons.leave()


def test_every_lesson_that_a_block_names_is_there() -> None:
    assert {*LESSONS.values()} <= {lesson.key for lesson in shipped_lessons()}
    blocks = blocks_of(make_trace(6), tuple(TASK_HEADS))
    assert {block.key for block in blocks} <= {*LESSONS}


def test_the_text_and_the_outputs_lead_to_where_they_are(
    qtbot: QtBot, window_with_text: MainWindow, flow_map: FlowMap
) -> None:
    places = flow_map.places()
    _click(flow_map, places[0].box.center())
    assert window_with_text.frame.bar.text.hasFocus()
    assert flow_map.at(QPointF(QPoint(-5, -5))) is None


def test_an_embedding_is_a_stop_of_the_first_section(flow_map: FlowMap, app_state: AppState) -> None:
    (embeddings,) = [place for place in flow_map.places() if place.block.key == "embeddings"]
    _click(flow_map, embeddings.box.center())
    (panel,) = app_state.panels.panels
    assert (panel.steps.part, panel.steps.stage) == ("embeddings", "token")
    (unfolded,) = [place for place in flow_map.places() if place.cells]
    assert unfolded.cells[0][0] == Stop(BELOW, "token")


def test_what_is_lit_is_the_only_place_where_one_is(flow_map: FlowMap, app_state: AppState) -> None:
    flow_map.resize(1900, flow_map.height())
    assert any(place.cells for place in flow_map.places()), "the softmax, which lines show"
    flow_map.highlight("tokens")
    assert not any(place.cells for place in flow_map.places())
    assert flow_map.accessibleDescription() == "its tokens"
    flow_map.highlight("queries")
    (unfolded,) = [place for place in flow_map.places() if place.cells]
    assert (unfolded.block.key, unfolded.block.section) == ("attention", app_state.panels.panels[0].layer)
    flow_map.highlight()
    assert "softmax" in flow_map.accessibleDescription()


@pytest.mark.parametrize(
    ("shown_page", "state", "where"),
    [
        ("tokens", 0, "Embeddings: "),
        ("tokens", 1, "Layer 0: layer norm: the layer's output"),
        ("map", 99, "Layer {last}: layer norm: the layer's output"),
        ("similar", None, "Layer 1: layer norm: the layer's output"),
        ("cls", None, "Pooler: tanh"),
    ],
)
def test_hidden_states_are_where_they_come_out(
    flow_map: FlowMap, app_state: AppState, shown_page: Page, state: int | None, where: str
) -> None:
    panels, shown = app_state.panels, app_state.workspace.shown
    assert shown is not None
    panels.show(1, 0)
    panels.draw_as(panels.panels[0].number, "vectors")
    panels.choose(panels.panels[0].number, VectorsChoice(shown_page, state))
    last = shown.result.trace.n_layers - 1
    assert flow_map.accessibleDescription().startswith(where.format(last=last))
