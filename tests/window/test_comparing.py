"""Two runs in the window: what keys, menus and rows do, and the other strip; on a fake engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QInputDialog, QLabel, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.errors import CheckpointError, TextError
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text import Edits
from bertviz_app.text.edits import TokenIntervention, TokenKind
from bertviz_app.viewmodels.analyses.analyses import DrawnPanel
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.state import OtherRun
from bertviz_app.views.kit.labels import drawn_texts
from bertviz_app.views.tokens.strip import OtherStrip
from tests.support.fakes import FakeEngine
from tests.support.scene import chip_at, context_menu, not_none, turn_events
from tests.support.window_fixtures import Settle

CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier

SHIFT = Qt.KeyboardModifier.ShiftModifier


def _press(window: QWidget, key: Qt.Key, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    QTest.keyClick(window, key, keys)


def _runs(app_state: AppState) -> list[str]:
    return [panel.run for panel in app_state.panels.panels]


def test_run_b_is_opened_by_keys_typed_named_in_every_title_swapped_and_closed(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    frame, main_area, comparison = window_with_text.frame, window_with_text.main_area, app_state.comparison
    titles = main_area.cards.heads.title, main_area.cards.inspector.title

    def named() -> list[str]:
        turn_events()
        return [title.text() for title in titles]

    assert not frame.compare.isVisible()
    assert named() == ["Heads", "Inspector"]
    _press(window_with_text, Qt.Key.Key_C, CTRL_SHIFT)
    assert frame.compare.isVisible()
    assert frame.compare.text.hasFocus()
    assert frame.bar.compare.isChecked()
    assert frame.compare.text.placeholderText() == "same as run A: the cat sat"
    settle()
    assert frame.compare.state.text() == "same as run A: change a text, the checkpoint or a token"
    assert main_area.runs.switch.isVisible()
    runs = main_area.runs
    assert [runs.switch.chosen_key, runs.run] == ["A", "A"], "a run that does not differ yet"
    QTest.keyClicks(frame.compare.text, "the dog sat down")
    settle()
    assert comparison.other == OtherRun(text="the dog sat down")
    assert _runs(app_state) == ["A", "B", "A-B"]
    assert main_area.runs.divergence.isVisible()
    assert main_area.runs.divergence.sentence.startswith("Most different head: ")
    assert main_area.runs.run == "A-B"
    assert named() == ["Heads · A", "Inspector · A"], "of the difference the table has the heads of A"
    main_area.runs.show_run("B")
    active = not_none(app_state.panels.active)
    app_state.panels.show_run(active.number, "B")
    assert named() == ["Heads · B", "Inspector · B"]
    app_state.panels.show_run(active.number, "A-B")
    assert named()[1] == "Inspector · A", "beside a difference there are the numbers of run A"
    _press(window_with_text, Qt.Key.Key_X, CTRL_SHIFT)
    settle()
    assert (frame.bar.text.text(), frame.compare.text.text()) == ("the dog sat down", "the cat sat")
    _press(window_with_text, Qt.Key.Key_X, CTRL_SHIFT)
    settle()
    frame.compare.text.clear()
    settle()
    assert comparison.other == OtherRun()
    assert not comparison.is_other
    QTest.mouseClick(frame.bar.compare, Qt.MouseButton.LeftButton)
    assert not frame.compare.isVisible()
    assert not frame.bar.compare.isChecked()
    assert named() == ["Heads", "Inspector"]


def test_a_run_b_that_has_ended_does_not_begin_again_in_another_language(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    settle(other="the dog sat down")
    app_state.comparison.end()
    assert window_with_text.frame.compare.text.text() == ""
    window_with_text.appearance.choose_language("ko")
    settle()
    assert not app_state.comparison.is_on


def test_a_problem_of_run_b_is_shown_in_its_row_until_it_is_solved(
    window_with_text: MainWindow, engine: FakeEngine, settle: Settle
) -> None:
    engine.errors["bad"] = TextError("Bad text.", "Type another one.")
    settle(other="bad")
    assert window_with_text.frame.compare.notice == "Bad text. Type another one."
    assert window_with_text.frame.compare.text.property("problem")
    settle(other="good")
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
    assert "muted" in str(window_with_text.main_area.cards.overview.view.lines_of((0, 1)))
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
    assert not_none(strip.tokens).pieces[2] == "[MASK]"
    assert app_state.selection.pinned.query is None, "a right click pins nothing"
    context_menu(strip, chip_at(window_with_text, 2))["Undo: back to cat (Delete)"]()
    settle()
    assert app_state.workspace.edits == Edits()
    context_menu(strip, chip_at(window_with_text, 3))["Compare with this token masked"]()
    settle()
    assert app_state.comparison.other == OtherRun(edits=Edits(replaced=((3, "[MASK]"),)))


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


def test_the_overview_is_of_the_run_that_is_chosen(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    main_area = window_with_text.main_area
    app_state.comparison.set_other(OtherRun(text="it slept", edits=Edits(((1, 1),))))
    settle()
    workspace, comparison = app_state.workspace, app_state.comparison
    assert workspace.shown is not None
    assert main_area.runs.divergence.isVisible()
    assert not main_area.cards.overview.view.isVisible()
    main_area.runs.show_run("B")
    assert main_area.cards.overview.view.isVisible()
    assert main_area.cards.overview.view.overview is not_none(comparison.shown).overview
    assert "muted" in str(main_area.cards.overview.view.lines_of((1, 1)))
    main_area.runs.show_run("A")
    assert main_area.cards.overview.view.overview is workspace.shown.overview
    assert "muted" not in str(main_area.cards.overview.view.lines_of((1, 1)))
    main_area.runs.show_run("A-B")
    comparison.end()
    assert not main_area.runs.divergence.isVisible()
    assert main_area.cards.overview.view.overview is workspace.shown.overview


def test_a_click_on_a_divergence_shows_that_difference(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    settle(other="it slept")
    window_with_text.main_area.runs.divergence.part_chosen.emit((0, 0))
    assert [(p.run, p.layer, p.head) for p in app_state.panels.panels] == [
        (run, 0, 0) for run in ("A", "B", "A-B")
    ]
    app_state.panels.close(app_state.panels.panels[2].number)
    window_with_text.main_area.runs.divergence.part_chosen.emit((1, 1))
    assert ("A-B", 1, 1) in [(p.run, p.layer, p.head) for p in app_state.panels.panels]


def test_panels_of_b_are_dimmed_while_another_b_is_late(
    window_with_text: MainWindow, app_state: AppState, engine: FakeEngine, settle: Settle, qtbot: QtBot
) -> None:
    settle(other="it slept")
    engine.errors["bad"] = TextError("Bad text.", "Type another one.")
    app_state.comparison.set_other(OtherRun(text="bad"))
    cards = {card.panel.run: card for card in window_with_text.main_area.area.cards.values()}
    qtbot.waitUntil(lambda: cards["B"].view.is_stale)
    assert cards["A-B"].view.is_stale
    assert not cards["A"].view.is_stale
    settle(other="it slept")
    assert not any(card.view.is_stale for card in cards.values())


def _models(window: MainWindow) -> dict[str, QAction]:
    """Return what the checkpoints of run B offer, by their texts."""
    menu = window.frame.compare.models.menu()
    menu.aboutToShow.emit()
    return {action.text(): action for action in menu.actions() if action.text()}


def test_run_b_takes_a_checkpoint_offers_it_again_and_says_in_its_row_what_cannot_be_opened(
    window_with_text: MainWindow,
    app_state: AppState,
    settle: Settle,
    engine: FakeEngine,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    folder, row = str(tmp_path / "mine"), window_with_text.frame.compare
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: folder)
    app_state.comparison.begin()
    _models(window_with_text)["Open a folder …"].trigger()
    assert app_state.comparison.is_opening
    assert "opening …" in row.state.text()
    settle()
    assert app_state.comparison.shown is not None
    assert app_state.comparison.shown.result.request.ref == folder
    assert not_none(app_state.workspace.shown).result.request.ref is None, "run A is as it was"
    offered = _models(window_with_text)
    assert offered["mine"].isChecked()
    assert offered["mine"].toolTip() == folder
    engine.errors["org/none"] = CheckpointError("The hub has no “org/none”.", "Check the name.")
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: (" org/none ", True))
    before = app_state.comparison.shown
    offered["From the hub …"].trigger()
    settle()
    assert "The hub has no “org/none”." in row.notice
    assert app_state.comparison.shown is before
    _models(window_with_text)["same checkpoint as run A"].trigger()
    settle()
    assert row.notice == ""
    assert app_state.comparison.other == OtherRun()
    assert "mine" in _models(window_with_text), "it was used lately"


def test_the_row_shows_how_much_of_a_long_text_was_left_out(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    row = window_with_text.frame.compare
    app_state.comparison.set_texts("word " * 600)
    settle()
    n_left_out = not_none(app_state.comparison.shown).result.trace.tokens.n_left_out
    assert n_left_out > 50
    assert f"{n_left_out} tokens were left out" in row.text.toolTip()
    assert row.text.textMargins().right() > 0
    app_state.comparison.set_texts("word")
    settle()
    assert row.text.toolTip() == ""
    assert row.text.textMargins().right() == 0


def test_nothing_jumps_while_one_types_into_the_row(window_with_text: MainWindow, settle: Settle) -> None:
    QTest.keyClick(
        window_with_text,
        Qt.Key.Key_C,
        Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier,
    )
    row = window_with_text.frame.compare
    heights = set()
    for text in ("the cat", "   ", "the dog"):
        row.text.setFocus()
        row.text.setText(text)
        settle()
        turn_events()
        heights.add((row.height(), window_with_text.main_area.y()))
        window_with_text.main_area.strip.setFocus()
        turn_events()
        heights.add((row.height(), window_with_text.main_area.y()))
    assert len(heights) == 1


def test_a_panel_of_a_head_that_a_run_lacks_names_the_heads_it_has(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.comparison.set_texts("the cat ate")
    settle()
    words = {}
    for card in window_with_text.main_area.area.cards.values():
        card.show_drawn(DrawnPanel(missing=(4, 2)))
        label = next(label for label in card.body.findChildren(QLabel) if "4 layers" in label.text())
        words[card.panel.run] = label.text()
    assert words["B"] == "Run B has only 4 layers with 2 heads."
    assert words["A-B"] == "Run A and run B have only 4 layers with 2 heads in common."


def _compare(qtbot: QtBot, app_state: AppState, other: OtherRun) -> None:
    app_state.workspace.set_texts("the cat sat", None, at_once=True)
    app_state.comparison.set_other(other)
    qtbot.waitUntil(lambda: app_state.workspace.is_current and app_state.comparison.is_current)


def test_other_tokens_are_shown_with_their_ids(qtbot: QtBot, window: MainWindow, app_state: AppState) -> None:
    _compare(qtbot, app_state, OtherRun(None, "the dog sat there", None))
    (strip,) = window.main_area.findChildren(OtherStrip)
    assert strip.isVisible()
    texts = [text for _, text in drawn_texts(strip)]
    assert texts[:2] == ["B   token", "id"]
    tokens = not_none(app_state.comparison.shown).result.trace.tokens
    assert texts[2:] == [*tokens.labels, *map(str, tokens.ids)]
    strip_a = window.main_area.strip
    assert next(text for _, text in drawn_texts(strip_a)) == "A   token"
    assert (
        strip.mapTo(window, strip.rect().topLeft()).y()
        >= strip_a.mapTo(window, strip_a.rect().bottomLeft()).y()
    )
    app_state.comparison.end()
    assert not strip.isVisible()
    assert next(text for _, text in drawn_texts(strip_a)) == "token"


def test_the_other_strip_is_there_where_tokens_or_what_is_read_of_them_differ(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    (other,), strip = window.main_area.findChildren(OtherStrip), window.main_area.strip
    _compare(qtbot, app_state, OtherRun(edits=Edits(muted=((0, 1),))))
    assert not other.isVisible(), "the same tokens are not shown twice"
    kinds: dict[TokenKind, int] = {"segment": 2, "position": 3}
    for kind, row in kinds.items():
        _compare(qtbot, app_state, OtherRun(edits=Edits.of([TokenIntervention(2, kind, 1)])))
        assert other.isVisible()
        assert other.edited == {2: {row}}
    _compare(qtbot, app_state, OtherRun(None, "the dog sat", None))
    app_state.shown_runs.states["B"].selection.pin(3)
    assert app_state.selection.pinned.query == 3
    qtbot.waitUntil(lambda: strip.height() == other.height())  # in a low window both have two rows
    app_state.comparison.end()
    qtbot.waitUntil(lambda: strip.height() > other.height())
