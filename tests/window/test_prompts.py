"""Questions and tips of the window about a checkpoint, a token and the search for checkpoints."""

from __future__ import annotations

import threading
from dataclasses import replace
from html import unescape

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QHelpEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QToolTip
from pytestqt.qtbot import QtBot

from bertviz_app.checkpoint.questions import ModelFacts, Prompt
from bertviz_app.checkpoint.sources.source import Source
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.runs import workspace as available
from bertviz_app.viewmodels.state import OtherRun
from bertviz_app.views.bars.buttons import PromptButton
from tests.support.fakes import FakeEngine
from tests.support.scene import expect, not_none

QUERY, PASSAGE = Prompt("query", "query: "), Prompt("passage", "passage: & more: ")


def _actions(button: PromptButton) -> dict[str, bool]:
    """Return what the menu offers, and whether it is checked."""
    button.menu().aboutToShow.emit()
    return {action.text(): action.isChecked() for action in button.menu().actions()}


def _choose(button: PromptButton, name: str) -> None:
    button.menu().aboutToShow.emit()
    next(action for action in button.menu().actions() if action.text().startswith(name)).trigger()


def test_a_prompt_is_written_before_the_text_or_taken_away(qtbot: QtBot) -> None:
    field = QLineEdit("the cat")
    button = PromptButton(field)
    qtbot.addWidget(field)
    qtbot.addWidget(button)
    assert not button.isVisible()
    button.set_prompts((QUERY, PASSAGE, Prompt("again", "query: again: ")))
    assert (field.text(), button.text()) == ("the cat", "Prompt"), "none is added unless it is chosen"
    first = {"No prompt": True, "query: query: ": False, "passage: passage: && more: ": False}
    assert _actions(button) == first | {"again: query: again: ": False}
    for name, text in (
        ("passage", "passage: & more: the cat"),
        ("again", "query: again: the cat"),
        ("query", "query: the cat"),
    ):
        _choose(button, name)
        assert (field.text(), button.text()) == (text, f"Prompt: {name}")
        assert next(action for action, is_on in _actions(button).items() if is_on).startswith(name)
    _choose(button, "query")
    assert field.text() == "query: the cat", "not twice"
    _choose(button, "No prompt")
    assert (field.text(), button.text()) == ("the cat", "Prompt")
    QTest.keyClicks(field, "!")
    field.setText("query: typed")
    assert button.text() == "Prompt: query"
    button.set_prompts(())
    assert not button.isVisible()


def test_the_prompt_is_part_of_the_text_in_the_strip(
    qtbot: QtBot, window: MainWindow, app_state: AppState, engine: FakeEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, button = app_state.workspace, window.frame.bar.prompts
    workspace.set_texts("the cat", None, at_once=True)
    qtbot.waitUntil(lambda: workspace.is_current and workspace.facts is not None)
    assert not button.isVisible()
    facts = expect(ModelFacts, workspace.facts)
    monkeypatch.setattr(workspace, "facts", _with_prompts(facts))
    workspace.facts_changed.emit()
    assert button.isVisible()
    assert workspace.text == "the cat"
    _choose(button, "query")
    qtbot.waitUntil(lambda: workspace.text == "query: the cat" and workspace.is_current)
    assert engine.requests[-1].text == "query: the cat"
    shown = not_none(workspace.shown)
    assert shown.result.trace.tokens.text == "query: the cat"
    window.frame.bar.set_editable(False)
    assert not button.isEnabled()


def test_an_inherited_text_counts_while_the_field_is_empty(qtbot: QtBot) -> None:
    field = QLineEdit()
    button = PromptButton(field)
    qtbot.addWidget(field)
    qtbot.addWidget(button)
    button.set_prompts((QUERY, PASSAGE), "query: the cat")
    assert button.text() == "Prompt: query"
    _choose(button, "query")
    assert field.text() == "", "the text of the other run has it already"
    _choose(button, "passage")
    assert field.text() == "passage: & more: the cat"
    _choose(button, "No prompt")
    assert field.text() == "the cat"
    field.clear()
    _choose(button, "No prompt")
    assert field.text() == "the cat"


def test_run_b_is_given_a_prompt_of_its_own_and_another_checkpoint_offers_its_own(
    qtbot: QtBot, window: MainWindow, app_state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace, comparison = app_state.workspace, app_state.comparison
    bar, button = window.frame.compare, window.frame.compare.prompts
    workspace.set_texts("the cat", None, at_once=True)
    qtbot.waitUntil(lambda: workspace.is_current and workspace.facts is not None)
    comparison.set_other(OtherRun())
    qtbot.waitUntil(lambda: comparison.is_on and not comparison.is_busy)
    assert not button.isVisible(), "this checkpoint has none"
    facts = expect(ModelFacts, workspace.facts)
    monkeypatch.setattr(workspace, "facts", _with_prompts(facts))
    bar.refresh()
    assert button.isVisible()
    assert bar.text.text() == "", "none is added unless it is chosen"
    _choose(button, "query")
    qtbot.waitUntil(lambda: not comparison.is_busy and comparison.shown is not None)
    assert comparison.other == OtherRun(text="query: the cat")
    assert comparison.shown is not None
    assert comparison.shown.result.trace.tokens.text == "query: the cat"
    assert button.text() == "Prompt: query"
    assert workspace.text == "the cat"
    comparison.set_texts("", None)
    assert (bar.text.text(), button.text()) == ("", "Prompt")
    comparison.set_other(OtherRun(ref="other"))
    shown = comparison.shown
    qtbot.waitUntil(lambda: comparison.shown is not shown and not comparison.is_busy)
    assert not button.isVisible(), "not those of run A"
    shown = not_none(comparison.shown)
    result = replace(shown.result, facts=replace(shown.result.facts, prompts=(PASSAGE,)))
    monkeypatch.setattr(comparison, "shown", replace(shown, result=result))
    bar.refresh()
    assert button.isVisible()
    assert list(_actions(button)) == ["No prompt", "passage: passage: && more: "]


def _with_prompts(facts: ModelFacts) -> ModelFacts:
    return replace(facts, prompts=(QUERY, PASSAGE))


def _tip(window: MainWindow, token: int) -> str:
    """Return the tool tip of a chip."""
    strip = window.main_area.strip
    x = next(x for x in range(strip.width()) if strip.token_at(x) == token)
    at = QPoint(x + 10, 30)
    QApplication.sendEvent(strip, QHelpEvent(QHelpEvent.Type.ToolTip, at, strip.mapToGlobal(at)))
    return unescape(QToolTip.text())


def test_the_tip_of_an_unknown_token_explains_it(
    qtbot: QtBot, window: MainWindow, app_state: AppState
) -> None:
    app_state.workspace.set_texts("the [UNK] sat", None, at_once=True)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    assert "is not in this checkpoint's vocabulary" in _tip(window, 2)
    assert "vocabulary" not in _tip(window, 1)
    QToolTip.hideText()


def test_a_text_is_encoded_while_checkpoints_are_looked_for(
    qtbot: QtBot, app_state: AppState, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_searching, may_end = threading.Event(), threading.Event()

    def in_a_slow_folder() -> list[Source]:
        is_searching.set()
        assert may_end.wait(120)
        return []

    monkeypatch.setattr(available, "list_sources", in_a_slow_folder)
    workspace = app_state.workspace
    app_state.start(None)
    try:
        assert is_searching.wait(120)
        workspace.set_texts("one two three", None, at_once=True)
        qtbot.waitUntil(lambda: workspace.is_current)
        assert not workspace.available.is_searched
    finally:
        may_end.set()
    qtbot.waitUntil(lambda: workspace.available.is_searched)
