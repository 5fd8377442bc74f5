"""The vectors of Steps are copied from pictures while they stay the same; nobody sees that."""

from __future__ import annotations

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.shell.settings.theme import read_palette
from bertviz_app.viewmodels.steps.stops import Stop
from bertviz_app.views.kit.look import Look
from tests.support.scene import pixels_of, pixels_on_screen
from tests.support.steps_scene import StepsScene


@pytest.fixture
def scene(qtbot: QtBot, look: Look) -> StepsScene:
    return StepsScene(qtbot, look)


@pytest.mark.parametrize("stage", ["queries", "softmax", "weighted", "sum"])
def test_after_many_queries_the_vectors_are_those_of_the_last_one(
    scene: StepsScene, look: Look, stage: str
) -> None:
    scene.view.walk.go(Stop(1, stage))
    scene.finish()
    for number in range(100):
        scene.selection.hover(query=number * 5 % 7, key=number % 4)
        if number % 3:
            pixels_of(scene.view.walking)
    drawn = pixels_of(scene.view)
    look.changed.emit()  # with which all pictures are dropped
    np.testing.assert_array_equal(drawn, pixels_of(scene.view))


def test_another_theme_and_text_size_are_seen_at_once(scene: StepsScene, look: Look) -> None:
    view = scene.view
    scene.finish()
    before = pixels_of(view)
    look.set_palette(read_palette("dark"))
    dark = pixels_of(view)
    assert (dark != before).mean() > 0.5
    look.set_scale(1.3)
    large = pixels_of(view)
    look.changed.emit()
    np.testing.assert_array_equal(large, pixels_of(view))


@pytest.mark.parametrize("stage", ["queries", "scores", "softmax", "sum", "normed"])
def test_what_is_drawn_again_is_all_that_changed(scene: StepsScene, stage: str) -> None:
    """The screen, of which each gesture updates parts, is what a drawing of everything gives."""
    view = scene.view
    view.walk.go(Stop(1, stage))
    scene.finish()
    for number in range(8):
        if number < 5:
            scene.selection.hover(query=number * 5 % 7, key=None if number % 2 else number)
        else:
            view.walk.step(2)
        np.testing.assert_array_equal(pixels_on_screen(view), pixels_of(view))
