"""Two runs in the window: what keys, menus and rows do, on a fake engine with real workers."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QInputDialog, QMenu, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.errors import TextError
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text import Edits
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.runs.requests import OtherRun
from tests.support.fakes import FakeEngine

CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
Settle = Callable[[], None]


@pytest.fixture
def shown(window: MainWindow, app_state: AppState, settle: Settle) -> MainWindow:
    """The window with the text "the cat sat" in it."""
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    settle()
    window.main_area.strip.setFocus()
    return window


def _press(window: QWidget, key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(window, key, keys)


def _menu(widget: QWidget, at: QPoint) -> dict[str, Callable[[], None]]:
    """Open the context menu of a widget; return its actions by their texts."""
    reason = QContextMenuEvent.Reason.Mouse
    before = set(widget.findChildren(QMenu))
    QApplication.sendEvent(widget, QContextMenuEvent(reason, at, widget.mapToGlobal(at)))
    opened = [menu for menu in widget.findChildren(QMenu) if menu not in before]
    return {action.text(): action.trigger for menu in opened for action in menu.actions() if action.text()}


def _chip(window: MainWindow, token: int) -> QPoint:
    strip = window.main_area.strip
    x = next(x for x in range(strip.width()) if strip.token_at(x) == token)
    return QPoint(x + 10, 30)


def _runs(app_state: AppState) -> list[str]:
    return [panel.run for panel in app_state.panels.panels]


def test_the_button_and_its_keys_open_and_close_the_row(
    shown: MainWindow, app_state: AppState, settle: Settle
) -> None:
    assert not shown.frame.compare.isVisible()
    _press(shown, Qt.Key.Key_C, CTRL_SHIFT)
    assert shown.frame.compare.isVisible()
    assert shown.frame.compare.text.hasFocus()
    assert shown.frame.bar.compare.isChecked()
    assert shown.frame.compare.text.placeholderText() == "same as run A: the cat sat"
    settle()
    assert shown.frame.compare.state.text() == "same as run A: change a text, the checkpoint or a token"
    QTest.mouseClick(shown.frame.bar.compare, Qt.MouseButton.LeftButton)
    assert not shown.frame.compare.isVisible()
    assert not shown.frame.bar.compare.isChecked()


def test_the_table_of_heads_says_of_which_run_it_is(
    shown: MainWindow, app_state: AppState, settle: Settle
) -> None:
    heads = shown.main_area.cards.heads.qualifier
    assert "Run" not in heads.text()
    _press(shown, Qt.Key.Key_C, CTRL_SHIFT)
    QTest.keyClicks(shown.frame.compare.text, "the dog sat down")
    settle()
    assert shown.main_area.runs.run == "A-B"
    assert heads.text().startswith("Run A · "), "of the difference the table has the heads of A"
    shown.main_area.runs.show_run("B")
    assert heads.text().startswith("Run B · ")
    _press(shown, Qt.Key.Key_C, CTRL_SHIFT)
    assert "Run" not in heads.text()


def test_what_is_typed_in_the_row_is_compared(shown: MainWindow, app_state: AppState, settle: Settle) -> None:
    _press(shown, Qt.Key.Key_C, CTRL_SHIFT)
    QTest.keyClicks(shown.frame.compare.text, "the dog sat down")
    settle()
    assert app_state.comparison.other == OtherRun(text="the dog sat down")
    assert _runs(app_state) == ["A", "B", "A-B"]
    assert shown.main_area.runs.divergence.isVisible()
    assert shown.main_area.runs.divergence.sentence.startswith("Most different head: ")
    shown.frame.compare.text.clear()
    settle()
    assert app_state.comparison.other == OtherRun()
    assert not app_state.comparison.is_other


def test_a_problem_is_said_under_the_row_and_goes(
    shown: MainWindow, app_state: AppState, engine: FakeEngine, settle: Settle
) -> None:
    engine.errors["bad"] = TextError("Bad text.", "Type another one.")
    app_state.comparison.set_other(OtherRun(text="bad"))
    settle()
    assert shown.frame.compare.notice == "Bad text. Type another one."
    assert shown.frame.compare.text.property("problem")
    app_state.comparison.set_other(OtherRun(text="good"))
    settle()
    assert shown.frame.compare.notice == ""
    assert not shown.frame.compare.text.property("problem")


def test_the_key_x_mutes_the_head_of_the_panel_and_its_badge_unmutes_it(
    shown: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.panels.show(0, 1)
    _press(shown, Qt.Key.Key_X)
    settle()
    assert app_state.workspace.edits == Edits(((0, 1),))
    assert shown.main_area.edits.badges.buttons[0].text() == "Muted: 0·1  ✕"
    assert "muted" in shown.main_area.cards.overview.view.read_out(0, 1)
    QTest.mouseClick(shown.main_area.edits.badges.buttons[0], Qt.MouseButton.LeftButton)
    settle()
    assert app_state.workspace.edits == Edits()
    assert not shown.main_area.edits.badges.isVisible()
    _press(shown, Qt.Key.Key_X, SHIFT)
    settle()
    assert app_state.comparison.other == OtherRun(edits=Edits(((0, 1),)))


def test_the_menu_of_a_head_mutes_and_compares(
    shown: MainWindow, app_state: AppState, settle: Settle
) -> None:
    overview = shown.main_area.cards.overview.view
    at = overview.cell_rect(1, 2).center().toPoint()
    _menu(overview, at)["Head 1·2: zero (mute)"]()
    settle()
    assert app_state.workspace.edits == Edits(((1, 2),))
    _menu(overview, at)["Compare with it unmuted"]()
    settle()
    assert app_state.comparison.other == OtherRun()
    assert app_state.comparison.is_other
    count = len(app_state.panels.panels)
    table = shown.main_area.heads
    table.scrollToTop()
    row = next(y for y in range(table.viewport().height()) if table.head_at(QPoint(20, y)) == (0, 0))
    _menu(table.viewport(), QPoint(20, row + 2))["Open in a new panel"]()
    assert len(app_state.panels.panels) == count + 1


def test_the_menu_of_a_token_masks_restores_and_compares(
    shown: MainWindow, app_state: AppState, settle: Settle
) -> None:
    strip = shown.main_area.strip
    _menu(strip, _chip(shown, 2))["Mask this token (Delete)"]()
    settle()
    assert app_state.workspace.edits == Edits(replaced=((2, "[MASK]"),))
    assert strip.tokens is not None
    assert strip.tokens.pieces[2] == "[MASK]"
    _menu(strip, _chip(shown, 2))["Undo: back to cat (Delete)"]()
    settle()
    assert app_state.workspace.edits == Edits()
    _menu(strip, _chip(shown, 3))["Compare with this token masked"]()
    settle()
    assert app_state.comparison.other == OtherRun(edits=Edits(replaced=((3, "[MASK]"),)))


def test_a_right_click_pins_nothing(shown: MainWindow, app_state: AppState) -> None:
    strip = shown.main_area.strip
    QTest.mouseClick(strip, Qt.MouseButton.RightButton, pos=_chip(shown, 2))
    assert app_state.selection.pinned.query is None


def test_the_keys_of_a_pinned_token(shown: MainWindow, app_state: AppState, settle: Settle) -> None:
    strip = shown.main_area.strip
    _press(strip, Qt.Key.Key_Delete)
    assert app_state.workspace.edits == Edits()
    app_state.selection.pin(query=2)
    _press(strip, Qt.Key.Key_Delete)
    settle()
    assert app_state.workspace.edits == Edits(replaced=((2, "[MASK]"),))
    _press(shown, Qt.Key.Key_M, CTRL_SHIFT)
    settle()
    assert app_state.workspace.edits == Edits()
    _press(shown, Qt.Key.Key_K, CTRL_SHIFT)
    settle()
    assert app_state.comparison.other == OtherRun(edits=Edits(replaced=((2, "[MASK]"),)))


@pytest.mark.parametrize("is_compared", [False, True])
def test_a_token_is_replaced_by_what_is_asked_for(
    shown: MainWindow, app_state: AppState, settle: Settle, is_compared: bool
) -> None:
    app_state.editing.ask_for_replacement(2, "compared" if is_compared else "A")
    (dialog,) = shown.findChildren(QInputDialog)
    assert "“cat” (token 2)" in dialog.labelText()
    assert dialog.textValue() == "cat"
    dialog.setTextValue("dog")
    dialog.accept()
    settle()
    edits = Edits(replaced=((2, "dog"),))
    assert app_state.workspace.edits == (Edits() if is_compared else edits)
    assert app_state.comparison.other == (OtherRun(edits=edits) if is_compared else None)


def test_runs_are_swapped(shown: MainWindow, app_state: AppState, settle: Settle) -> None:
    app_state.comparison.set_other(OtherRun(text="it slept"))
    settle()
    _press(shown, Qt.Key.Key_X, CTRL_SHIFT)
    settle()
    assert shown.frame.bar.text.text() == "it slept"
    assert shown.frame.compare.text.text() == "the cat sat"


def test_the_overview_is_of_the_run_that_is_chosen(
    shown: MainWindow, app_state: AppState, settle: Settle
) -> None:
    main_area = shown.main_area
    app_state.comparison.set_other(OtherRun(text="it slept", edits=Edits(((1, 1),))))
    settle()
    workspace, comparison = app_state.workspace, app_state.comparison
    assert workspace.shown is not None
    assert comparison.shown is not None
    assert main_area.runs.divergence.isVisible()
    assert not main_area.cards.overview.view.isVisible()
    main_area.runs.show_run("B")
    assert main_area.cards.overview.view.isVisible()
    assert main_area.cards.overview.view.overview is comparison.shown.overview
    assert "muted" in main_area.cards.overview.view.read_out(1, 1)
    main_area.runs.show_run("A")
    assert main_area.cards.overview.view.overview is workspace.shown.overview
    assert "muted" not in main_area.cards.overview.view.read_out(1, 1)
    main_area.runs.show_run("A-B")
    comparison.end()
    assert not main_area.runs.divergence.isVisible()
    assert main_area.cards.overview.view.overview is workspace.shown.overview


def test_a_click_on_a_divergence_shows_that_difference(
    shown: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.comparison.set_other(OtherRun(text="it slept"))
    settle()
    shown.main_area.runs.divergence.head_chosen.emit(0, 0)
    assert [(p.run, p.layer, p.head) for p in app_state.panels.panels] == [
        (run, 0, 0) for run in ("A", "B", "A-B")
    ]
    app_state.panels.close(app_state.panels.panels[2].number)
    shown.main_area.runs.divergence.head_chosen.emit(1, 1)
    assert ("A-B", 1, 1) in [(p.run, p.layer, p.head) for p in app_state.panels.panels]


def test_panels_of_b_are_dimmed_while_another_b_is_late(
    shown: MainWindow, app_state: AppState, engine: FakeEngine, settle: Settle, qtbot: QtBot
) -> None:
    app_state.comparison.set_other(OtherRun(text="it slept"))
    settle()
    engine.errors["bad"] = TextError("Bad text.", "Type another one.")
    app_state.comparison.set_other(OtherRun(text="bad"))
    cards = {card.panel.run: card for card in shown.main_area.area.cards.values()}
    qtbot.waitUntil(lambda: cards["B"].view.is_stale)
    assert cards["A-B"].view.is_stale
    assert not cards["A"].view.is_stale
    app_state.comparison.set_other(OtherRun(text="it slept"))
    settle()
    assert not any(card.view.is_stale for card in cards.values())
