"""Learn, Explore and Research: what each shows, what goes along, and what each of them keeps."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from bertviz_app.features.lessons.course.reading import shipped_lessons
from bertviz_app.features.lessons.window.lessons import Lessons
from bertviz_app.shell.settings import SettingsStore
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.state import Pair
from bertviz_app.views.tokens.strip import OtherStrip
from tests.support.scene import not_none
from tests.support.window_fixtures import Settle


def _docks(window: MainWindow) -> set[str]:
    return {name for name, dock in window.main_area.docks.docks.items() if not dock.isHidden()}


def _kinds(app_state: AppState) -> list[str]:
    return [panel.view_kind for panel in app_state.panels.panels]


def test_the_head_and_the_pair_go_along_and_each_room_keeps_its_panels(
    window_with_text: MainWindow, app_state: AppState
) -> None:
    window, panels, rooms = window_with_text, app_state.panels, app_state.rooms
    full = _docks(window)
    app_state.selection.pin(query=1, key=2)
    panels.show(1, 0)
    rooms.enter("explore")
    assert _kinds(app_state) == ["words"]
    assert _docks(window) == {"inspector"}
    assert app_state.selection.pinned == Pair(1, 2)
    panels.show(0, 1)
    rooms.enter("research")
    assert _kinds(app_state) == ["lines", "matrix"]
    assert {(panel.layer, panel.head) for panel in panels.panels} == {(0, 1)}
    assert _docks(window) == full
    rooms.enter("explore")
    window.main_area.explore.buttons["steps"].click()
    rooms.enter("research")
    rooms.enter("explore")
    assert _kinds(app_state) == ["words", "steps"]


def test_the_focus_goes_back_where_it_was_before_a_page_and_to_the_panel_of_another_room(
    window_with_text: MainWindow, app_state: AppState
) -> None:
    window, rooms, catalogue = window_with_text, app_state.rooms, window_with_text.part(Lessons).catalogue
    area = window.main_area
    field, overview = window.frame.bar.text, area.cards.overview.view
    rooms.enter("research")
    for had_focus in (field, overview):
        had_focus.setFocus()
        catalogue.open_list()
        assert QApplication.focusWidget() is not had_focus
        QTest.keyClick(window, Qt.Key.Key_Escape)
        assert QApplication.focusWidget() is had_focus
    rooms.enter("explore")
    panel = app_state.panels.active
    focused = QApplication.focusWidget()
    assert panel is not None
    assert focused is not None
    assert area.area.cards[panel.number].view.isAncestorOf(focused)
    field.setFocus()
    rooms.enter("research")
    assert QApplication.focusWidget() is field


def test_what_explore_adds_is_a_click_and_goes_by_another(
    window_with_text: MainWindow, app_state: AppState, settle: Settle, store: SettingsStore
) -> None:
    window = window_with_text
    app_state.rooms.enter("explore")
    add = window.main_area.explore.buttons
    add["overview"].click()
    assert _docks(window) == {"inspector", "overview"}
    assert set(store.settings.explore_cards) == {"inspector", "overview"}
    window.main_area.docks.docks["overview"].closed.emit()
    assert not add["overview"].isChecked()
    assert _docks(window) == {"inspector"}
    add["steps"].click()
    assert add["steps"].isChecked()
    add["steps"].click()
    assert _kinds(app_state) == ["words"]
    add["compare"].click()
    assert app_state.comparison.is_on
    add["compare"].click()
    assert not app_state.comparison.is_on
    app_state.selection.pin(query=2)
    add["mask"].click()
    settle()
    assert add["mask"].isChecked()
    assert bool(app_state.workspace.edits)
    add["mask"].click()
    settle()
    assert not app_state.workspace.edits


def test_a_room_that_was_left_while_runs_were_compared_comes_back_without_panels_of_run_b(
    window_with_text: MainWindow, app_state: AppState, settle: Settle, qtbot: QtBot
) -> None:
    """A panel of a run that is no more would wait for its numbers for ever."""
    app_state.rooms.enter("explore")
    settle(other="a dog ran")
    assert {panel.run for panel in app_state.panels.panels} == {"A", "B", "A-B"}
    app_state.rooms.enter("research")
    app_state.comparison.end()
    app_state.rooms.enter("explore")
    assert [panel.run for panel in app_state.panels.panels] == ["A"]
    qtbot.waitUntil(lambda: window_with_text.main_area.area.is_complete)


def test_a_mask_without_a_pinned_word_hides_the_last_one_and_leads_to_a_checkpoint_that_predicts(
    window_with_text: MainWindow, app_state: AppState, settle: Settle, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, pieces = window_with_text, ["[CLS]", "the", "cat", "[MASK]", "[SEP]"]
    app_state.rooms.enter("explore")
    app_state.rooms.show_card("inspector", is_shown=False)
    app_state.selection.clear()
    window.main_area.explore.buttons["mask"].click()
    settle()
    shown = not_none(app_state.workspace.shown)
    assert list(shown.result.trace.tokens.pieces) == pieces
    assert app_state.selection.pinned.query == 3
    assert "inspector" in _docks(window)
    button = window.main_area.inspector_page.predictions.open_button
    assert button.isVisible(), "this checkpoint has no task head"
    opened = list[str | None]()
    monkeypatch.setattr(app_state.workspace, "open_model", opened.append)
    button.click()
    assert opened == [None]


def test_the_bar_has_what_acts_in_the_room(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    window, bar = window_with_text, window_with_text.frame.bar

    def shown() -> set[str]:
        names = ("models", "devices", "text", "numbers", "compare", "lessons", "menu", "rooms")
        return {name for name in names if getattr(bar, name).isVisible()}

    app_state.rooms.enter("research")
    assert shown() == {"models", "devices", "text", "numbers", "compare", "menu", "rooms"}
    app_state.rooms.enter("explore")
    assert shown() == {"models", "text", "menu", "rooms"}
    assert window.main_area.explore.isVisible()
    app_state.rooms.enter("learn")
    assert shown() == {"text", "lessons", "menu", "rooms"}
    assert not window.main_area.explore.isVisible()
    assert not window.frame.status.isVisible()
    window.open_start_page()
    qtbot.waitUntil(window.frame.welcome.isVisible)
    assert shown() == {"menu", "rooms"}, "nothing that would act on no text"
    window.frame.focus_text()
    assert window.frame.welcome.field.hasFocus()


def test_a_lesson_is_in_learn_and_leads_back(
    qtbot: QtBot, window_with_text: MainWindow, app_state: AppState
) -> None:
    window = window_with_text
    before, kinds = _docks(window), _kinds(app_state)
    window.part(Lessons).open_lesson(shipped_lessons()[0])
    assert window.frame.bar.rooms.chosen_key == "learn"
    qtbot.waitUntil(lambda: window.part(Lessons).player.is_ready)
    window.part(Lessons).leave()
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    assert window.frame.bar.rooms.chosen_key == "research"
    assert _docks(window) == before
    assert _kinds(app_state) == kinds


def test_the_switch_ends_a_lesson(window_with_text: MainWindow, app_state: AppState) -> None:
    window = window_with_text
    window.part(Lessons).open_lesson(shipped_lessons()[0])
    window.frame.bar.rooms.chosen.emit("explore")
    assert not window.part(Lessons).is_open
    assert app_state.rooms.room == "explore"
    assert _docks(window) == {"inspector"}


def test_an_own_sentence_of_the_start_page_is_explored(
    window: MainWindow, app_state: AppState, settle: Settle
) -> None:
    app_state.rooms.enter("learn")
    window.frame.welcome.field.setText("the cat sat")
    window.frame.welcome.enter.click()
    settle()
    assert app_state.rooms.room == "explore"
    assert app_state.workspace.text == "the cat sat"
    assert window.frame.bar.text.hasFocus()
    assert window.main_area.isVisible()


def test_explore_shows_the_ids_of_tokens_when_they_are_asked_for(
    window_with_text: MainWindow, app_state: AppState, settle: Settle
) -> None:
    window = window_with_text
    app_state.rooms.enter("research")
    strip = window.main_area.strip
    in_research = strip.sizeHint().height()
    app_state.rooms.enter("explore")
    assert strip.sizeHint().height() < in_research / 1.5
    window.main_area.explore.buttons["ids"].click()
    assert strip.sizeHint().height() == in_research
    app_state.comparison.set_texts("a dog", None)
    settle()
    (other,) = window.main_area.findChildren(OtherStrip)
    with_ids = other.sizeHint().height()
    window.main_area.explore.buttons["ids"].click()
    assert other.sizeHint().height() < with_ids, "those of run B are shown where those of A are"
    window.main_area.explore.buttons["ids"].click()
    window.main_area.explore.buttons["ids"].click()
    assert strip.sizeHint().height() < in_research / 1.5
