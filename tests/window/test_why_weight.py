"""Panels that explain: “Why this weight?”, and predictions by layer that follow a piece of the inspector."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from bertviz_app.shell.commands.views import all_commands
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.options import Pair
from bertviz_app.viewmodels.panels import MOST, Content, Panel
from tests.support.window_fixtures import Settle


@pytest.fixture
def window_with_pair(window: MainWindow, app_state: AppState, settle: Settle) -> MainWindow:
    app_state.workspace.set_texts("the cat sat down", None, at_once=True)
    settle()
    app_state.panels.open([Panel(0, 1, 2, "matrix")])
    app_state.selection.pin(3, 2)
    return window


def explaining(app_state: AppState) -> list[dict[str, object]]:
    found = [one.shown_content for one in app_state.panels.panels if one.content.analysis == "score-parts"]
    return [dict(content.parameters) for content in found]


def test_the_inspector_opens_a_panel_for_its_pair(window_with_pair: MainWindow, app_state: AppState) -> None:
    QTest.mouseClick(window_with_pair.main_area.inspector_page.pair_heads.why, Qt.MouseButton.LeftButton)
    assert explaining(app_state) == [{"layer": 1, "head": 2, "query": 3, "key": 2}]
    assert len(app_state.panels.panels) == 2


def test_the_panel_follows_the_pinned_pair(window_with_pair: MainWindow, app_state: AppState) -> None:
    (command,) = [one for one in all_commands(window_with_pair) if one.text == "Why this weight?"]
    assert command.keys == "Shift+Y"
    command.run()
    app_state.selection.pin(1, 4)
    assert explaining(app_state) == [{"layer": 1, "head": 2, "query": 1, "key": 4}]
    app_state.selection.follow(Pair(2, 2), Pair(1, 4))  # the pointer alone changes nothing
    assert explaining(app_state) == [{"layer": 1, "head": 2, "query": 1, "key": 4}]
    app_state.selection.clear()
    assert explaining(app_state) == [{"layer": 1, "head": 2, "query": 1, "key": 4}]
    command.run()
    assert len(explaining(app_state)) == 1


def test_where_no_panel_fits_the_active_one_explains(
    window_with_pair: MainWindow, app_state: AppState
) -> None:
    app_state.panels.open([Panel(0, 0, 1, "matrix")] * MOST)
    app_state.shown_runs.why_weight.ask()
    assert len(app_state.panels.panels) == MOST
    assert explaining(app_state) == [{"layer": 0, "head": 1, "query": 3, "key": 2}]


def test_predictions_by_layer_follow_a_piece_that_is_chosen_in_the_inspector(
    window_with_pair: MainWindow, app_state: AppState
) -> None:
    by_layer = Content("logit-lens", (("top", 3), ("piece", "dog")))
    app_state.panels.open([Panel(0, 0, 1, "reasons", content=by_layer), Panel(0, 0, 1, "lines")])
    window_with_pair.main_area.inspector_page.predictions.views["A"].piece_chosen.emit(2, "cat")
    followed, other = app_state.panels.panels
    assert followed.shown_content.parameters == (("top", 3), ("piece", "cat"))
    assert not other.content.analysis
    window_with_pair.main_area.inspector_page.predictions.views["B"].piece_chosen.emit(2, "mat")
    assert app_state.panels.panels[0] == followed, "it shows run A"
