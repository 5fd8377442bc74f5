"""Two runs in the window: what keys, menus and rows do, on a fake engine with real workers."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.errors import TextError
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text import Edits
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.runs.shown import OtherRun
from tests.support.context_menus import chip_at, context_menu
from tests.support.fakes import FakeEngine
from tests.support.window_fixtures import Settle

CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier


def _press(window: QWidget, key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(window, key, keys)


def _runs(app_state: AppState) -> list[str]:
    return [panel.run for panel in app_state.panels.panels]


def test_the_button_and_its_keys_open_and_close_the_row(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    assert not window_with_text.frame.compare.isVisible()
    _press(window_with_text, Qt.Key.Key_C, CTRL_SHIFT)
    assert window_with_text.frame.compare.isVisible()
    assert window_with_text.frame.compare.text.hasFocus()
    assert window_with_text.frame.bar.compare.isChecked()
    assert window_with_text.frame.compare.text.placeholderText() == "same as run A: the cat sat"
    settle()
    assert (
        window_with_text.frame.compare.state.text()
        == "same as run A: change a text, the checkpoint or a token"
    )
    QTest.mouseClick(window_with_text.frame.bar.compare, Qt.MouseButton.LeftButton)
    assert not window_with_text.frame.compare.isVisible()
    assert not window_with_text.frame.bar.compare.isChecked()


def test_the_table_of_heads_names_its_run(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    heads = window_with_text.main_area.cards.heads.title
    assert heads.text() == "Heads"
    _press(window_with_text, Qt.Key.Key_C, CTRL_SHIFT)
    assert window_with_text.main_area.runs.switch.chosen_key == "A", "the run whose heads are shown is marked"
    QTest.keyClicks(window_with_text.frame.compare.text, "the dog sat down")
    settle()
    assert window_with_text.main_area.runs.run == "A-B"
    assert heads.text() == "Heads · A", "of the difference the table has the heads of A"
    window_with_text.main_area.runs.show_run("B")
    assert heads.text() == "Heads · B"
    _press(window_with_text, Qt.Key.Key_C, CTRL_SHIFT)
    assert heads.text() == "Heads"


def test_what_is_typed_in_the_row_is_compared(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    _press(window_with_text, Qt.Key.Key_C, CTRL_SHIFT)
    QTest.keyClicks(window_with_text.frame.compare.text, "the dog sat down")
    settle()
    assert app_state.comparison.other == OtherRun(text="the dog sat down")
    assert _runs(app_state) == ["A", "B", "A-B"]
    assert window_with_text.main_area.runs.divergence.isVisible()
    assert window_with_text.main_area.runs.divergence.sentence.startswith("Most different head: ")
    window_with_text.frame.compare.text.clear()
    settle()
    assert app_state.comparison.other == OtherRun()
    assert not app_state.comparison.is_other


def test_a_problem_of_run_b_is_shown_in_its_row_until_it_is_solved(
    window_with_text: MainWindow, app_state: AppState, engine: FakeEngine, settle: Settle
) -> None:
    engine.errors["bad"] = TextError("Bad text.", "Type another one.")
    app_state.comparison.set_other(OtherRun(text="bad"))
    settle()
    assert window_with_text.frame.compare.notice == "Bad text. Type another one."
    assert window_with_text.frame.compare.text.property("problem")
    app_state.comparison.set_other(OtherRun(text="good"))
    settle()
    assert window_with_text.frame.compare.notice == ""
    assert not window_with_text.frame.compare.text.property("problem")


def test_the_key_x_mutes_the_head_of_the_panel_and_its_badge_unmutes_it(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.panels.show(0, 1)
    _press(window_with_text, Qt.Key.Key_X)
    settle()
    assert app_state.workspace.edits == Edits(((0, 1),))
    assert window_with_text.main_area.edits.badges.buttons[0].text() == "Muted: 0·1  ✕"
    assert "muted" in str(window_with_text.main_area.cards.overview.view.described(0, 1))
    QTest.mouseClick(window_with_text.main_area.edits.badges.buttons[0], Qt.MouseButton.LeftButton)
    settle()
    assert app_state.workspace.edits == Edits()
    assert not window_with_text.main_area.edits.badges.isVisible()
    _press(window_with_text, Qt.Key.Key_X, SHIFT)
    settle()
    assert app_state.comparison.other == OtherRun(edits=Edits(((0, 1),)))


def test_the_menu_of_a_head_mutes_and_compares(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    overview = window_with_text.main_area.cards.overview.view
    at = overview.cell_rect(1, 2).center().toPoint()
    context_menu(overview, at)["Head 1·2: zero (mute)"]()
    settle()
    assert app_state.workspace.edits == Edits(((1, 2),))
    context_menu(overview, at)["Compare with it unmuted"]()
    settle()
    assert app_state.comparison.other == OtherRun()
    assert app_state.comparison.is_other
    count = len(app_state.panels.panels)
    table = window_with_text.main_area.heads
    table.scrollToTop()
    row = next(y for y in range(table.viewport().height()) if table.head_at(QPoint(20, y)) == (0, 0))
    context_menu(table.viewport(), QPoint(20, row + 2))["Open in a new panel"]()
    assert len(app_state.panels.panels) == count + 1


def test_the_menu_of_a_token_masks_restores_and_compares(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    strip = window_with_text.main_area.strip
    context_menu(strip, chip_at(window_with_text, 2))["Mask this token (Delete)"]()
    settle()
    assert app_state.workspace.edits == Edits(replaced=((2, "[MASK]"),))
    assert strip.tokens is not None
    assert strip.tokens.pieces[2] == "[MASK]"
    context_menu(strip, chip_at(window_with_text, 2))["Undo: back to cat (Delete)"]()
    settle()
    assert app_state.workspace.edits == Edits()
    context_menu(strip, chip_at(window_with_text, 3))["Compare with this token masked"]()
    settle()
    assert app_state.comparison.other == OtherRun(edits=Edits(replaced=((3, "[MASK]"),)))


def test_a_right_click_pins_nothing(window_with_text: MainWindow, app_state: AppState) -> None:
    strip = window_with_text.main_area.strip
    QTest.mouseClick(strip, Qt.MouseButton.RightButton, pos=chip_at(window_with_text, 2))
    assert app_state.selection.pinned.query is None


def test_keys_mask_a_pinned_token_and_compare_with_it_masked(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    strip = window_with_text.main_area.strip
    _press(strip, Qt.Key.Key_Delete)
    assert app_state.workspace.edits == Edits()
    app_state.selection.pin(query=2)
    _press(strip, Qt.Key.Key_Delete)
    settle()
    assert app_state.workspace.edits == Edits(replaced=((2, "[MASK]"),))
    _press(window_with_text, Qt.Key.Key_M, CTRL_SHIFT)
    settle()
    assert app_state.workspace.edits == Edits()
    _press(window_with_text, Qt.Key.Key_K, CTRL_SHIFT)
    settle()
    assert app_state.comparison.other == OtherRun(edits=Edits(replaced=((2, "[MASK]"),)))


@pytest.mark.parametrize("is_compared", [False, True])
def test_a_token_is_replaced_by_the_piece_typed_in_the_dialog(
    window_with_text: MainWindow, app_state: AppState, settle: Settle, is_compared: bool
) -> None:
    app_state.editing.ask_for_replacement(2, "compared" if is_compared else "A")
    (dialog,) = window_with_text.findChildren(QInputDialog)
    assert "“cat” (token 2)" in dialog.labelText()
    assert dialog.textValue() == "cat"
    dialog.setTextValue("dog")
    dialog.accept()
    settle()
    edits = Edits(replaced=((2, "dog"),))
    assert app_state.workspace.edits == (Edits() if is_compared else edits)
    assert app_state.comparison.other == (OtherRun(edits=edits) if is_compared else None)


def test_runs_are_swapped(window_with_text: MainWindow, app_state: AppState, settle: Settle) -> None:
    app_state.comparison.set_other(OtherRun(text="it slept"))
    settle()
    _press(window_with_text, Qt.Key.Key_X, CTRL_SHIFT)
    settle()
    assert window_with_text.frame.bar.text.text() == "it slept"
    assert window_with_text.frame.compare.text.text() == "the cat sat"


def test_the_overview_is_of_the_run_that_is_chosen(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    main_area = window_with_text.main_area
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
    assert "muted" in str(main_area.cards.overview.view.described(1, 1))
    main_area.runs.show_run("A")
    assert main_area.cards.overview.view.overview is workspace.shown.overview
    assert "muted" not in str(main_area.cards.overview.view.described(1, 1))
    main_area.runs.show_run("A-B")
    comparison.end()
    assert not main_area.runs.divergence.isVisible()
    assert main_area.cards.overview.view.overview is workspace.shown.overview


def test_a_click_on_a_divergence_shows_that_difference(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.comparison.set_other(OtherRun(text="it slept"))
    settle()
    window_with_text.main_area.runs.divergence.head_chosen.emit(0, 0)
    assert [(p.run, p.layer, p.head) for p in app_state.panels.panels] == [
        (run, 0, 0) for run in ("A", "B", "A-B")
    ]
    app_state.panels.close(app_state.panels.panels[2].number)
    window_with_text.main_area.runs.divergence.head_chosen.emit(1, 1)
    assert ("A-B", 1, 1) in [(p.run, p.layer, p.head) for p in app_state.panels.panels]


def test_panels_of_b_are_dimmed_while_another_b_is_late(
    window_with_text: MainWindow, app_state: AppState, engine: FakeEngine, settle: Settle, qtbot: QtBot
) -> None:
    app_state.comparison.set_other(OtherRun(text="it slept"))
    settle()
    engine.errors["bad"] = TextError("Bad text.", "Type another one.")
    app_state.comparison.set_other(OtherRun(text="bad"))
    cards = {card.panel.run: card for card in window_with_text.main_area.area.cards.values()}
    qtbot.waitUntil(lambda: cards["B"].view.is_stale)
    assert cards["A-B"].view.is_stale
    assert not cards["A"].view.is_stale
    app_state.comparison.set_other(OtherRun(text="it slept"))
    settle()
    assert not any(card.view.is_stale for card in cards.values())
