"""The row of run B: its checkpoints, its texts, and the panels' headers beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QFileDialog, QInputDialog, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from bertviz_app.errors import CheckpointError
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.analyses.analyses import DrawnPanel
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.runs.shown import OtherRun
from tests.support.fakes import FakeEngine
from tests.support.scene import turn_events
from tests.support.window_fixtures import Settle


def _models(window: MainWindow) -> dict[str, QAction]:
    """Return what the checkpoints of run B offer, by their texts."""
    menu = window.frame.compare.models.menu()
    menu.aboutToShow.emit()
    return {action.text(): action for action in menu.actions() if action.text()}


def test_run_b_takes_a_checkpoint_from_a_folder_and_offers_it_again(
    window_with_text: MainWindow,
    app_state: AppState,
    settle: Settle,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    folder = str(tmp_path / "mine")
    monkeypatch.setattr(QFileDialog, "getExistingDirectory", lambda *_: folder)
    app_state.comparison.editor.begin()
    _models(window_with_text)["Open a folder …"].trigger()
    assert app_state.comparison.is_opening
    assert "opening …" in window_with_text.frame.compare.state.text()
    settle()
    assert app_state.comparison.shown is not None
    assert app_state.comparison.shown.result.request.ref == folder
    assert app_state.workspace.shown is not None
    assert app_state.workspace.shown.result.request.ref is None, "run A is as it was"
    offered = _models(window_with_text)
    assert offered["mine"].isChecked()
    assert offered["mine"].toolTip() == folder
    offered["same checkpoint as run A"].trigger()
    settle()
    assert app_state.comparison.other == OtherRun()
    assert "mine" in _models(window_with_text), "it was used lately"


def test_a_checkpoint_of_run_b_that_cannot_be_opened_is_a_notice_in_its_row(
    window_with_text: MainWindow,
    app_state: AppState,
    settle: Settle,
    engine: FakeEngine,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine.errors["org/none"] = CheckpointError("The hub has no “org/none”.", "Check the name.")
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: (" org/none ", True))
    app_state.comparison.editor.begin()
    settle()
    before = app_state.comparison.shown
    _models(window_with_text)["From the hub …"].trigger()
    settle()
    assert "The hub has no “org/none”." in window_with_text.frame.compare.notice
    assert app_state.comparison.shown is before
    _models(window_with_text)["same checkpoint as run A"].trigger()
    settle()
    assert window_with_text.frame.compare.notice == ""


def test_the_row_shows_how_much_of_a_long_text_was_left_out(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    row = window_with_text.frame.compare
    app_state.comparison.editor.set_texts("word " * 600)
    settle()
    assert app_state.comparison.shown is not None
    n_left_out = app_state.comparison.shown.result.trace.tokens.n_left_out
    assert n_left_out > 50
    assert f"{n_left_out} tokens were left out" in row.text.toolTip()
    assert row.text.textMargins().right() > 0
    app_state.comparison.editor.set_texts("word")
    settle()
    assert row.text.toolTip() == ""
    assert row.text.textMargins().right() == 0


def test_nothing_jumps_while_one_types_into_the_row(
    window_with_text: MainWindow, app_state: AppState, settle: Settle, qtbot: QtBot
) -> None:
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


def test_a_header_is_shortened_as_soon_as_there_are_runs_to_choose_from(
    window_with_text: MainWindow, app_state: AppState, qtbot: QtBot
) -> None:
    app_state.panels.add(0, 0)
    area = window_with_text.main_area.area
    qtbot.waitUntil(lambda: len(area.cards) == 3)
    area.show_runs(("A", "B", "A-B"))
    for card in area.cards.values():
        header = card.title.parentWidget()
        assert header is not None
        row = header.layout()
        assert row is not None
        row.activate()
        for button in filter(QWidget.isVisible, header.findChildren(QPushButton)):
            assert button.width() >= button.minimumSizeHint().width(), button.text()
        assert card.title.width() >= card.title.sizeHint().width(), card.title.text()


def test_a_panel_of_a_head_that_a_run_lacks_names_the_heads_it_has(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.comparison.editor.set_texts("the cat ate")
    settle()
    words = {}
    for card in window_with_text.main_area.area.cards.values():
        card.show_drawn(DrawnPanel(missing=(4, 2)))
        label = next(label for label in card.body.findChildren(QLabel) if "4 layers" in label.text())
        words[card.panel.run] = label.text()
    assert words["B"] == "Run B has only 4 layers with 2 heads."
    assert words["A-B"] == "Run A and run B have only 4 layers with 2 heads in common."


def test_the_title_of_the_inspector_names_the_run_that_its_numbers_are_of(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    title = window_with_text.main_area.cards.inspector.title
    assert title.text() == "Inspector"
    app_state.comparison.editor.set_texts("the cat ate")
    settle()
    assert title.text() == "Inspector · A"
    active = app_state.panels.active
    assert active is not None
    app_state.panels.show_run(active.number, "B")
    turn_events()
    assert title.text() == "Inspector · B"
    app_state.panels.show_run(active.number, "A-B")
    turn_events()
    assert title.text() == "Inspector · A", "beside a difference there are the numbers of run A"


def test_the_switch_of_the_overview_says_at_once_which_run_it_shows(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.comparison.editor.begin()  # a run that does not differ yet
    settle()
    runs = window_with_text.main_area.runs
    assert runs.switch.isVisible()
    assert runs.switch.chosen_key == runs.run == "A"
