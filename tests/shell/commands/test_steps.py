"""The commands that walk through the steps, from any panel."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.steps.view import StepsView


def _steps(window: MainWindow) -> StepsView:
    (view,) = window.main_area.area.findChildren(StepsView)
    return view


def test_the_first_step_opens_the_panel_and_the_others_walk(
    window_with_text: MainWindow, app_state: AppState
) -> None:
    QTest.keyClick(window_with_text, Qt.Key.Key_Period)
    active = app_state.panels.active
    assert active is not None
    assert active.view_kind == "steps"
    view = _steps(window_with_text)
    before = view.walk.position
    QTest.keyClick(window_with_text, Qt.Key.Key_Period)
    QTest.keyClick(window_with_text, Qt.Key.Key_Period)
    QTest.keyClick(window_with_text, Qt.Key.Key_Comma)
    assert view.walk.position == before + 1


def test_another_panel_may_be_active_meanwhile(window_with_text: MainWindow, app_state: AppState) -> None:
    QTest.keyClick(window_with_text, Qt.Key.Key_P)
    view, position = _steps(window_with_text), _steps(window_with_text).walk.position
    QTest.keyClick(window_with_text, Qt.Key.Key_BracketRight)
    assert app_state.panels.active is not None
    assert app_state.panels.active.view_kind != "steps"
    QTest.keyClick(window_with_text, Qt.Key.Key_Period)
    assert view.walk.position == position + 1
    assert app_state.panels.active.view_kind != "steps"


def test_keys_follow_the_next_token_and_show_the_table(
    window_with_text: MainWindow, app_state: AppState
) -> None:
    QTest.keyClick(window_with_text, Qt.Key.Key_P)
    view = _steps(window_with_text)
    QTest.keyClick(window_with_text, Qt.Key.Key_N)
    assert view.followed.query == 2
    assert app_state.selection.pinned.query == 2
    QTest.keyClick(window_with_text, Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    assert view.followed.query == 1
    QTest.keyClick(window_with_text, Qt.Key.Key_T)
    assert view.table.isVisible()
    QTest.keyClick(window_with_text, Qt.Key.Key_T)
    assert view.walking.isVisible()


def test_walking_into_the_next_layer_takes_the_panel_there(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    QTest.keyClick(window_with_text, Qt.Key.Key_P)
    app_state.panels.show(0, 1)
    view = _steps(window_with_text)
    qtbot.waitUntil(lambda: view.walk.layer == 0)
    QTest.keyClick(view, Qt.Key.Key_PageDown)
    active = app_state.panels.active
    assert active is not None
    assert (active.layer, active.head, view.walk.layer) == (1, 1, 1)
