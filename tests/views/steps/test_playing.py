"""Steps at play: the controls of `title_row`, what `picture` covers and moves, when `view` goes on."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.viewmodels.steps.playing import HOLD_MS, MOTION_MS
from bertviz_app.viewmodels.steps.stops import BELOW, Stop
from bertviz_app.views.kit.look import Look
from bertviz_app.views.steps.sheets.flow_sheet import FlowSheet
from tests.support.scene import pixels_of
from tests.support.steps_scene import StepsScene


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> StepsScene:
    shown = StepsScene(qtbot, look, size=(900, 560))
    shown.finish()
    return shown


def test_space_and_the_buttons_play_pause_step_and_change_the_speed(scene: StepsScene) -> None:
    row, playing = scene.view.title_row, scene.view.walk.playing
    QTest.keyClick(scene.view, Qt.Key.Key_Space)
    assert playing.is_playing
    row.play.click()
    assert not playing.is_playing
    before = scene.view.walk.position
    row.step.click()
    assert scene.view.walk.position == before + 1
    assert playing.is_moving
    row.speed.click()
    assert row.speed.text() == "2×"
    playing.stop()


def test_every_stop_can_be_drawn_at_every_moment_and_ends_as_it_is_unplayed(scene: StepsScene) -> None:
    walking = scene.view.walking
    for stop in scene.view.walk.stops:
        scene.view.walk.go(stop)
        scene.finish()
        walking.set_progress(1.0)
        still = pixels_of(walking)
        moments = []
        for progress in (0.0, 0.25, 0.5, 0.75, 0.999):
            walking.set_progress(progress)
            moments.append(pixels_of(walking))
        assert (moments[0] != still).any(), stop
        walking.set_progress(1.0)
        np.testing.assert_array_equal(pixels_of(walking), still)


def test_weights_that_are_not_computed_yet_are_covered(scene: StepsScene, look: Look) -> None:
    scene.view.walk.go(Stop(1, "softmax"))
    sheet = scene.view.walking.sheet
    assert isinstance(sheet, FlowSheet)
    column = next(column for column in sheet.columns if column.name == "weight")
    accent = look.colour("accent").rgb() & 0xFFFFFF

    def has_bar(row: int) -> bool:
        y = int(sheet.row_box(row, 0).center().y())
        line = pixels_of(scene.view.walking)[y, int(column.left) : int(column.left + column.width) - 52]
        return bool((line == accent).any())

    strongest = int(sheet.steps.weights.argmax())
    scene.view.walking.set_progress((strongest + 0.01) / 7)
    assert not has_bar(strongest)
    scene.view.walking.set_progress((strongest + 1.01) / 7)
    assert has_bar(strongest)


def test_the_stops_follow_each_other_once_their_numbers_are_there(scene: StepsScene) -> None:
    scene.view.walk.go(Stop(1, "output"))
    playing = scene.view.walk.playing
    playing.turn()
    playing.advance(MOTION_MS)
    playing.advance(HOLD_MS)
    assert scene.view.walk.stop == Stop(2, "queries")
    scene.view.walk.go(Stop(2, "concat"))  # its details are still computed
    playing.advance(10 * MOTION_MS)
    assert scene.view.walk.stop == Stop(2, "concat")
    scene.finish()
    playing.advance(MOTION_MS)
    playing.advance(HOLD_MS)
    assert scene.view.walk.stop == Stop(2, "projected")
    playing.stop()


def test_a_hidden_panel_does_not_play(scene: StepsScene) -> None:
    scene.view.walk.playing.turn()
    scene.view.hide()
    assert not scene.view.walk.playing.is_playing


def test_the_look_decides_whether_anything_moves(scene: StepsScene, look: Look) -> None:
    look.set_motion(is_reduced=True)
    QApplication.processEvents()
    scene.view.walk.go(Stop(BELOW, "token"))
    scene.view.walk.playing.turn()
    assert not scene.view.walk.playing.is_moving
    scene.view.walk.playing.stop()


def test_a_narrow_panel_shows_the_other_controls_only_while_it_plays(qtbot: QtBot, look: Look) -> None:
    view = StepsScene(qtbot, look, size=(330, 500)).view
    assert view.title_row.play.isVisible()
    assert not view.title_row.step.isVisible()
    view.walk.playing.turn()
    assert view.title_row.step.isVisible()
    view.walk.playing.stop()
