"""A lesson without a mouse: the focus goes to the task, Enter answers it, Tab goes on to the hint."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from tests.support.lesson_scene import card_of, verdicts


def test_the_focus_goes_to_what_the_task_is_done_with(
    qtbot: QtBot, window: MainWindow, go: Callable[[str], None]
) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for station, kind in (
        ("token", "TokenStrip"),
        ("numbers", "WholeField"),
        ("choice", "WrappedButton"),
        ("order", "_Items"),
    ):
        go(station)
        focus = QApplication.focusWidget()
        assert focus is not None
        assert type(focus).__name__ == kind
    go("do")
    assert QApplication.focusWidget() is window.frame.bar.text
    assert not window.frame.bar.text.hasSelectedText(), "it is to be changed, not replaced"
    go("choice")
    for key in (Qt.Key.Key_Tab, Qt.Key.Key_Return):
        focus = QApplication.focusWidget()
        assert focus is not None
        QTest.keyClick(focus, key)
    card = card_of(window)
    assert window.lessons.player.is_solved
    assert QApplication.focusWidget() is card.next_button


def test_the_arrow_keys_look_round_and_enter_answers(
    qtbot: QtBot, window: MainWindow, app_state: AppState, go: Callable[[str], None]
) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    go("token")
    shown, strip = app_state.workspace.shown, window.frame.main_area.strip
    assert shown is not None
    assert QApplication.focusWidget() is strip
    right = int(shown.result.trace.attention(0, 1)[2].argmax())

    def walk() -> None:
        for _ in range(right + 1):
            QTest.keyClick(strip, Qt.Key.Key_Right)

    assert verdicts(window, walk) == []
    assert app_state.selection.pinned.query == right
    assert verdicts(window, lambda: QTest.keyClick(strip, Qt.Key.Key_Return)) == [True]
    assert QApplication.focusWidget() is card_of(window).next_button

    go("head")
    view = window.frame.main_area.cards.overview.view
    assert QApplication.focusWidget() is view
    assert verdicts(window, lambda: QTest.keyClick(view, Qt.Key.Key_Down)) == []
    n_panels = len(app_state.panels.panels)
    assert len(verdicts(window, lambda: QTest.keyClick(view, Qt.Key.Key_Return))) == 1
    assert len(app_state.panels.panels) == n_panels, "Enter answers, and opens no panel"
    go("choice")
    assert verdicts(window, lambda: QTest.keyClick(window, Qt.Key.Key_Return)) == []


def test_a_click_on_a_line_or_on_the_key_alone_answers_too(
    window: MainWindow, app_state: AppState, go: Callable[[str], None]
) -> None:
    go("token")
    shown = app_state.workspace.shown
    assert shown is not None
    right = int(shown.result.trace.attention(0, 1)[2].argmax())
    other = (right + 1) % shown.result.trace.n_tokens
    assert verdicts(window, lambda: app_state.selection.pin(query=1, key=right)) == [], "not a line of “cat”"
    assert verdicts(window, lambda: app_state.selection.pin(key=other)) == [False]
    assert verdicts(window, lambda: app_state.selection.pin(query=2, key=right)) == [True]
    go("token")
    looked_at = verdicts(window, lambda: app_state.selection.pin(query=2))
    assert looked_at == ([True] if right == 2 else []), "a click on “cat” shows its lines"


def test_tab_goes_from_the_answer_to_the_hint_and_on(
    qtbot: QtBot, window: MainWindow, go: Callable[[str], None]
) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    card = card_of(window)
    for station, n_before in (("token", 1), ("numbers", 3), ("choice", 2), ("order", 4)):
        go(station)
        for _ in range(n_before):
            focus = QApplication.focusWidget()
            assert focus is not None
            QTest.keyClick(focus, Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is card.task.hint_button, station
    QTest.keyClick(card.task.hint_button, Qt.Key.Key_Return)
    assert any(label.text() == "The hint" and label.isVisible() for label in card.findChildren(QLabel))


def test_enter_presses_the_button_that_has_the_focus(qtbot: QtBot, window: MainWindow) -> None:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    button = window.frame.welcome.lessons
    button.setFocus()
    with qtbot.waitSignal(window.frame.welcome.lessons_requested):
        QTest.keyClick(button, Qt.Key.Key_Return)
