"""The examples of the start page, and one head in one picture."""

from __future__ import annotations

import json

from pytestqt.qtbot import QtBot

from bertviz_app.learning.lessons.reading import parse_lesson, shipped_examples
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.options import Pair
from tests.support.lesson_scene import LESSON, station, words
from tests.support.window_fixtures import Settle


def test_an_example_opens_on_the_head_that_puts_most_weight_on_its_pair(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    index = next(at for at, each in enumerate(shipped_examples()) if each.key == "pronoun")
    window.frame.welcome.buttons[index].click()
    workspace = app_state.workspace
    qtbot.waitUntil(lambda: app_state.selection.pinned.key is not None)
    assert workspace.shown is not None
    trace = workspace.shown.result.trace
    pinned, panel = app_state.selection.pinned, app_state.panels.active
    assert (trace.tokens.labels[pinned.query or 0], trace.tokens.labels[pinned.key or 0]) == ("it", "cat")
    weights = trace.attention()[:, :, pinned.query, pinned.key]
    assert panel is not None
    assert weights[panel.layer, panel.head] == weights.max()
    in_heads = window.main_area.cards.overview.view.shown_pair
    assert in_heads is not None  # one click on the start page, and every head has its number
    assert in_heads.title == "it → cat"
    best = window.main_area.inspector_page.pair_heads.heads[0]
    assert (best.layer, best.head) == (panel.layer, panel.head)


def test_an_example_does_not_pin_the_tokens_of_a_lesson(
    qtbot: QtBot, window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    index = next(at for at, each in enumerate(shipped_examples()) if each.key == "pronoun")
    window.frame.welcome.buttons[index].click()
    qtbot.waitUntil(lambda: app_state.selection.pinned.key is not None)
    app_state.workspace.set_texts("a dog", None, at_once=True)
    settle()
    lesson = parse_lesson(
        json.dumps(LESSON | {"stations": [station("a", {"text": words("a dog")})]}), "a.json"
    )
    window.lessons.open_lesson(lesson)
    qtbot.waitUntil(lambda: window.lessons.player.is_ready)
    app_state.workspace.set_texts("the cat ate it", None, at_once=True)
    settle()
    assert app_state.selection.pinned == Pair()


def test_one_head_in_one_picture_and_back(
    qtbot: QtBot, window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    docks = window.main_area.docks
    hidden = [dock.isHidden() for dock in docks.docks.values()]
    assert not all(hidden)
    window.examples.show_plainly()
    qtbot.waitUntil(lambda: len(app_state.panels.panels) == 1)
    assert [panel.view_kind for panel in app_state.panels.panels] == ["lines"]
    assert all(dock.isHidden() for dock in docks.docks.values())
    window.examples.show_plainly()
    assert [dock.isHidden() for dock in docks.docks.values()] == hidden
