"""The Vectors panel: pages, layers, [CLS], tokens, what is highlighted and read out, and exact numbers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QPushButton, QSlider, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.analysis.vectors import cosine_matrix
from bertviz_app.options import PAGES, Page
from bertviz_app.viewmodels.selection import Pair
from bertviz_app.viewmodels.vectors import pictures as vectors_module
from bertviz_app.views.kit.numbers import signed
from bertviz_app.views.kit.style import style_sheet
from bertviz_app.views.vectors.heat import HeatView
from tests.support.factories import make_trace
from tests.support.scene import click, leave, move, pixels_of, wheel
from tests.support.svg_text import lines_drawn_by
from tests.support.vector_scene import (
    VectorScene,
    array_of,
    middle_of,
    point_of,
    press,
    read_outs,
    scene,
    values_of,
)

__all__ = ["read_outs", "scene"]


WORDS_OF_PAGE = {
    "cls": "embeddings",
    "tokens": "w4",
    "map": "PC1 31.6 % →",
    "similar": "1.000.06−0.31−0.05−0.180.170.12",
    "shelf": "The shelf is empty.",
}


def test_every_page_is_shown_and_draws(scene: VectorScene, tmp_path: Path) -> None:
    scene.show(make_trace(7, pair=True))
    for key in PAGES:
        scene.view.show_page(key)
        assert scene.view.choice.chosen_key == key
        assert scene.view.page.isVisible()
        lines = lines_drawn_by(scene.view, scene.tools.look, tmp_path)  # fonts decide where they break
        assert any(WORDS_OF_PAGE[key] in line for line in lines)
        assert scene.view.layers.isVisible() == (key in ("tokens", "map", "similar"))


def test_before_there_is_a_run_nothing_is_drawn_and_there_are_no_numbers(
    scene: VectorScene, tmp_path: Path
) -> None:
    for key in PAGES:
        scene.view.show_page(key)
        assert lines_drawn_by(scene.view, scene.tools.look, tmp_path) == []
        assert scene.view.numbers() == {}


def test_the_state_follows_the_panels_layer_until_it_is_stepped(scene: VectorScene) -> None:
    trace = make_trace(5, n_layers=4)
    scene.show(trace, layer=1)
    assert scene.view.state == 2
    scene.view.step(-1)
    scene.show(make_trace(5, n_layers=4, seed=1), layer=1)  # the text changed, the layer did not
    assert scene.view.state == 1
    scene.show(trace, layer=3)
    assert scene.view.state == 4
    scene.view.step(5)
    assert scene.view.state == 4
    scene.show(make_trace(5, n_layers=2), layer=1)
    assert scene.view.state == 2


@pytest.mark.parametrize(
    ("key", "by"),
    [
        (Qt.Key.Key_Comma, -1),
        (Qt.Key.Key_PageUp, -1),
        (Qt.Key.Key_Period, 1),
        (Qt.Key.Key_PageDown, 1),
    ],
)
def test_keys_step_where_there_are_layers(scene: VectorScene, key: Qt.Key, by: int) -> None:
    scene.show(make_trace(5, n_layers=4), layer=1)
    scene.view.show_page("cls")
    press(scene.view.stack.cls.heat, key)
    assert scene.view.state == 2
    scene.view.show_page("map")
    press(scene.view.stack.map.map, key)
    assert scene.view.state == 2 + by
    if key in (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):  # on the slider they mean the same
        press(scene.view.layers.slider, key)
        assert scene.view.state == 2 + 2 * by


NO_MODIFIER, KEYPAD = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.KeypadModifier
CONTROL = Qt.KeyboardModifier.ControlModifier


def claims(scene: VectorScene, key: Qt.Key, modifier: Qt.KeyboardModifier) -> bool:
    """Return whether the view takes a key before the shortcuts of the window."""
    event = QKeyEvent(QEvent.Type.ShortcutOverride, key, modifier)
    event.ignore()
    QApplication.sendEvent(scene.view, event)
    return event.isAccepted()


def test_its_keys_are_claimed_before_the_windows_shortcuts(scene: VectorScene) -> None:
    scene.show(make_trace(5))
    scene.view.show_page("map")
    assert claims(scene, Qt.Key.Key_Period, NO_MODIFIER)
    assert claims(scene, Qt.Key.Key_Comma, KEYPAD)
    assert claims(scene, Qt.Key.Key_Period, Qt.KeyboardModifier.ShiftModifier), "as on French keyboards"
    scene.view.show_page("shelf")
    assert not claims(scene, Qt.Key.Key_Period, NO_MODIFIER)


@pytest.mark.parametrize(
    ("key", "modifier"),
    [
        (Qt.Key.Key_Comma, CONTROL),
        (Qt.Key.Key_PageUp, CONTROL),
        (Qt.Key.Key_PageDown, CONTROL),
        (Qt.Key.Key_PageUp, NO_MODIFIER),
        (Qt.Key.Key_PageDown, NO_MODIFIER),
    ],
)
def test_keys_of_preferences_and_of_lessons_are_left_to_the_window(
    scene: VectorScene, key: Qt.Key, modifier: Qt.KeyboardModifier
) -> None:
    scene.show(make_trace(5, n_layers=4), layer=1)
    scene.view.show_page("map")
    assert not claims(scene, key, modifier)
    if modifier == CONTROL:
        QApplication.sendEvent(scene.view, QKeyEvent(QEvent.Type.KeyPress, key, modifier))
        assert scene.view.state == 2


def test_playing_goes_on_to_the_last_layer_and_stops(scene: VectorScene, qtbot: QtBot) -> None:
    trace = make_trace(5, n_layers=2)
    scene.show(trace)
    scene.view.play()
    assert scene.view.choice.chosen_key == "map"
    assert scene.view.state == 0  # it stood at the end: it begins again
    states = [scene.view.state]
    scene.view.layers.state_chosen.connect(states.append)
    qtbot.waitUntil(lambda: not scene.view.layers.is_playing)
    assert states == [0, 1, 2]


def test_playing_that_a_command_begins_where_nothing_is_visible_ends_at_once(
    scene: VectorScene, qtbot: QtBot
) -> None:
    scene.show(make_trace(5, n_layers=3))
    scene.view.hide()
    scene.view.play()
    chosen: list[int] = []
    scene.view.layers.state_chosen.connect(chosen.append)
    qtbot.waitUntil(lambda: not scene.view.layers.is_playing)
    assert chosen == []


def test_playing_ends_when_another_page_is_shown(scene: VectorScene) -> None:
    scene.show(make_trace(5))
    scene.view.play()
    scene.view.show_page("cls")
    assert not scene.view.layers.is_playing


# [CLS]


def test_the_read_out_of_cls_is_exact(scene: VectorScene, read_outs: list[list[str]]) -> None:
    trace = make_trace(6)
    scene.show(trace)
    heat = scene.view.stack.cls.heat
    vectors = array_of(scene, "vectors")
    assert trace.pooled is not None
    np.testing.assert_array_equal(vectors, [*trace.hidden[:, 0], trace.pooled])
    assert scene.view.numbers()["rows"] == ("embeddings", "layer 0", "layer 1", "pooled")
    for row, name in ((0, "embeddings"), (1, "layer 0"), (3, "pooled")):
        for column in (0, 13, 23):
            move(heat, *middle_of(heat, row, column))
            pixels_of(heat)
            assert read_outs[-1] == [f"{name} · dimension {column}", signed(float(vectors[row, column]), 6)]


def test_the_chosen_row_stands_as_bars_and_is_read_out_there(
    scene: VectorScene, read_outs: list[list[str]]
) -> None:
    trace = make_trace(6)
    scene.show(trace)
    page = scene.view.stack.cls
    click(page.heat, *middle_of(page.heat, 1, 4))
    columns = page.heat.axes()[1]
    move(page.bars, columns.middle(7), 30)
    pixels_of(page.bars)
    assert read_outs[-1] == ["dimension 7", signed(float(trace.hidden[1, 0, 7]), 6)]
    assert page.heat.marks.column == 7
    press(page.heat, Qt.Key.Key_Down)
    assert page.heat.marks.row == 2
    scene.show(make_trace(6, seed=1))  # another text keeps the chosen row
    assert page.heat.marks.row == 2


def test_the_bars_keep_in_step_with_the_strips(scene: VectorScene) -> None:
    scene.show(make_trace(6))
    page = scene.view.stack.cls
    pixels_of(scene.view)
    wheel(page.heat, *middle_of(page.heat, 1, 12), 3)
    columns = page.heat.axes()[1]
    assert columns.span.length < 24
    assert page.heat.axes()[0].span.length == 4  # over the dimensions only these are zoomed
    for dimension in (10, 12, 14):
        at = columns.middle(dimension)
        assert page.bars.dimension_at(QPointF(at, 30)) == dimension


def test_without_a_pooler_there_is_no_pooled_row(scene: VectorScene) -> None:
    scene.show(replace(make_trace(6), pooled=None))
    assert scene.view.numbers()["rows"] == ("embeddings", "layer 0", "layer 1")


def test_scaling_alike_or_per_row_changes_the_colours_not_the_numbers(scene: VectorScene) -> None:
    scene.show(make_trace(6))
    page = scene.view.stack.cls
    before = values_of(page.heat)
    assert page.heat.picture is not None
    assert page.heat.picture.limit is None
    page.scales.choose("alike")
    page.refresh()
    assert page.heat.picture.limit is not None
    np.testing.assert_array_equal(values_of(page.heat), before)


# tokens and their similarity


@pytest.mark.parametrize("key", ["tokens", "similar", "map"])
def test_a_token_is_hovered_pinned_and_unpinned(scene: VectorScene, key: Page) -> None:
    scene.show(make_trace(6))
    scene.view.show_page(key)
    pixels_of(scene.view)
    if key == "map":
        view: QWidget = scene.view.stack.map.map
        at = point_of(scene, 4)
    else:
        heat = scene.view.stack.tokens.heat if key == "tokens" else scene.view.stack.similar.heat
        view, at = heat, middle_of(heat, 4, 2)
    expected = Pair(4, 2) if key == "similar" else Pair(4)
    move(view, *at)
    assert scene.selection.shown == expected
    click(view, *at)
    leave(view)
    assert scene.selection.pinned == expected
    assert scene.selection.shown == expected
    click(view, *at)
    assert scene.selection.pinned == Pair()


def _box_of_token(scene: VectorScene, key: str, token: int) -> QRect:
    """Return the pixels of the view in which a page draws a token: its row with the label, or its point."""
    if key == "map":
        view: QWidget = (shown := scene.view.stack.map.map)
        assert shown.picture is not None
        states = shown.picture.points[None] if shown.picture.trails is None else shown.picture.trails
        trail = np.array([shown.pixels_of(points)[token] for points in states])
        (left, top), (right, bottom) = trail.min(0), trail.max(0)
        box = QRectF(left, top, right - left, bottom - top).adjusted(-60, -24, 60, 24)
    else:
        view = heat = scene.view.stack.tokens.heat if key == "tokens" else scene.view.stack.similar.heat
        row = heat.axes()[0]
        box = QRectF(0, row.edge(token), view.width(), row.pitch).adjusted(0, -3, 0, 3)
    return box.toAlignedRect().translated(view.mapTo(scene.view, QPoint(0, 0))) & scene.view.rect()


@pytest.mark.parametrize("key", ["tokens", "similar", "map"])
def test_a_token_hovered_elsewhere_changes_only_its_own_pixels(scene: VectorScene, key: Page) -> None:
    scene.show(make_trace(6))
    scene.view.show_page(key)
    before = pixels_of(scene.view)
    scene.selection.hover(query=3)
    changed = pixels_of(scene.view) != before
    box = _box_of_token(scene, key, 3)
    inside = np.zeros_like(changed)
    inside[box.top() : box.bottom() + 1, box.left() : box.right() + 1] = True
    assert changed[inside].any()
    assert not changed[~inside].any()
    scene.selection.leave()
    np.testing.assert_array_equal(pixels_of(scene.view), before)
    scene.selection.hover(query=300)  # of a longer text, on its way out
    np.testing.assert_array_equal(pixels_of(scene.view), before)


def test_hidden_states_are_the_traces_at_every_state(scene: VectorScene, read_outs: list[list[str]]) -> None:
    trace = make_trace(5, n_layers=3)
    scene.show(trace)
    scene.view.show_page("tokens")
    for state in range(4):
        scene.view.show_state(state)
        np.testing.assert_array_equal(array_of(scene, "hidden"), trace.hidden[state])
        heat = scene.view.stack.tokens.heat
        move(heat, *middle_of(heat, 2, 9))
        pixels_of(heat)
        name = "after layer " + str(state - 1) if state else "embeddings"
        assert read_outs[-1] == ["w2 · dimension 9", signed(float(trace.hidden[state, 2, 9]), 6), name]


def test_similarity_is_read_out(scene: VectorScene, read_outs: list[list[str]]) -> None:
    trace = make_trace(5)
    scene.show(trace)
    scene.view.show_page("similar")
    np.testing.assert_array_equal(array_of(scene, "cosine"), cosine_matrix(trace.hidden[2]))
    heat = scene.view.stack.similar.heat
    move(heat, *middle_of(heat, 1, 3))
    pixels_of(heat)
    cosine = float(cosine_matrix(trace.hidden[2])[1, 3])
    assert read_outs[-1] == ["w1 · w3", f"cosine {signed(cosine, 4)}", "after layer 1"]


def test_where_the_worker_makes_it_the_page_waits(
    scene: VectorScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vectors_module, "_LIGHT", 0)
    scene.show(make_trace(5))
    for key in ("tokens", "similar", "map"):
        scene.view.show_page(key)
        assert scene.view.is_waiting
        pixels_of(scene.view)
        scene.work()
        assert not scene.view.is_waiting
    assert scene.view.stack.map.map.picture is not None
    assert scene.view.stack.similar.heat.picture is not None


# accessibility and size


def test_every_control_has_a_name_a_tooltip_and_the_focus_of_the_tab_key(scene: VectorScene) -> None:
    scene.show(make_trace(5))
    controls = [*scene.view.findChildren(QPushButton), *scene.view.findChildren(QSlider)]
    for control in controls:
        name = control.accessibleName() or getattr(control, "text", str)()
        assert name, control
        assert control.toolTip(), name
        if isinstance(control, QPushButton) and control.isCheckable() and not control.isChecked():
            continue  # of joined buttons Tab reaches the one that is down, and arrows the others
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus, name
    for heat in scene.view.findChildren(HeatView):
        assert heat.accessibleName()
        assert heat.focusPolicy() & Qt.FocusPolicy.TabFocus


@pytest.mark.parametrize("scale", [1.0, 1.5])
@pytest.mark.parametrize("size", [(330, 240), (420, 330), (1000, 850)])
def test_it_fits_every_panel(scene: VectorScene, size: tuple[int, int], scale: float) -> None:
    scene.view.look.set_scale(scale)
    scene.view.setStyleSheet(style_sheet(scene.view.look))
    scene.show(make_trace(40))
    scene.view.resize(*size)
    for key in PAGES:
        scene.view.show_page(key)
        QApplication.processEvents()
        pixels_of(scene.view)
        assert scene.view.minimumSizeHint().width() <= 330 * scale
