"""One's own work beside `lessons` and in the automatic save: it is back after lesson, restart or crash."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.inference.fetching import NOT_KNOWN
from bertviz_app.learning.lessons.lesson import Lesson
from bertviz_app.learning.lessons.reading import parse_lesson
from bertviz_app.shell import session as autosave
from bertviz_app.shell import session as window_session
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.options import Pair
from bertviz_app.viewmodels.runs.shown import saved_result
from bertviz_app.viewmodels.session.archive import load_without_arrays
from tests.support.factories import make_trace
from tests.support.lesson_scene import LESSON


def test_leaving_brings_back_ones_own_work(
    qtbot: QtBot, window: MainWindow, app_state: AppState, go: Callable[[str], None]
) -> None:
    before = [panel.view_kind for panel in app_state.panels.panels]
    go("read")
    assert app_state.workspace.edits.muted == ((1, 2),)
    card = window.lessons.card
    assert card is not None
    assert card.isVisible()
    card.close_button.click()
    qtbot.waitUntil(
        lambda: app_state.workspace.is_current and app_state.workspace.text == "my own words here"
    )
    assert card.isHidden()
    assert not app_state.workspace.edits
    qtbot.waitUntil(lambda: app_state.selection.pinned.query == 2)
    assert [panel.view_kind for panel in app_state.panels.panels] == before
    assert not window.main_area.docks.docks["heads"].isHidden()


def test_after_one_lesson_another_ones_own_work_still_comes_back(
    qtbot: QtBot, window: MainWindow, app_state: AppState, go: Callable[[str], None]
) -> None:
    go("read")
    another = parse_lesson(json.dumps(LESSON | {"key": "another"}), "another.json")
    window.lessons.open_lesson(another)
    qtbot.waitUntil(lambda: window.lessons.player.is_ready)
    window.lessons.leave()
    qtbot.waitUntil(
        lambda: app_state.workspace.is_current and app_state.workspace.text == "my own words here"
    )
    assert not app_state.workspace.edits


def test_a_saved_run_comes_back_with_its_numbers(
    qtbot: QtBot, window: MainWindow, app_state: AppState, lesson: Lesson
) -> None:
    trace = make_trace(6)
    workspace = app_state.workspace
    saved = saved_result(trace, NOT_KNOWN)
    workspace.show_saved(saved)
    qtbot.waitUntil(lambda: workspace.shown is not None and workspace.shown.result is saved)
    window.lessons.open_lesson(lesson)
    qtbot.waitUntil(lambda: window.lessons.player.is_ready)
    assert workspace.shown is not None
    assert workspace.shown.result is not saved
    window.lessons.leave()
    qtbot.waitUntil(lambda: workspace.shown is not None and workspace.shown.result is saved)
    assert workspace.saved is saved


def test_closing_the_window_in_a_lesson_saves_ones_own_work(
    window: MainWindow, go: Callable[[str], None]
) -> None:
    go("read")
    window.close()
    assert window.session.snapshot_taker.take().text == "my own words here"


@pytest.fixture
def saves_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autosave, "EVERY_MS", 1)


@pytest.fixture
def notes_texts_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Note texts in the list of recent ones as soon as they are shown."""
    monkeypatch.setattr(window_session, "SETTLES_MS", 1)


@pytest.mark.usefixtures("notes_texts_at_once")
def test_the_sentence_of_a_lesson_is_not_offered_as_ones_last_text(
    qtbot: QtBot, window: MainWindow, app_state: AppState, settle: Callable[[], None], lesson: Lesson
) -> None:
    recents, own = window.session.recents, ("my own words here", None)
    app_state.workspace.set_texts("my own words here", None, at_once=True)
    settle()
    qtbot.waitUntil(lambda: recents.texts == (own,))
    window.lessons.open_lesson(lesson)
    qtbot.waitUntil(lambda: window.lessons.player.is_ready)
    qtbot.waitUntil(lambda: app_state.workspace.is_current)
    qtbot.wait(50)
    assert recents.texts == (own,)


@pytest.mark.usefixtures("saves_at_once")
def test_a_crash_in_a_lesson_leaves_ones_own_work(
    qtbot: QtBot, window: MainWindow, app_state: AppState, settle: Callable[[], None], lesson: Lesson
) -> None:
    last = window.session.store.folder / autosave.NAME
    window.session.begin()
    app_state.workspace.set_texts("my own words here", None, at_once=True)
    settle()
    window.lessons.open_lesson(lesson)
    qtbot.waitUntil(lambda: window.lessons.player.is_ready)
    assert app_state.workspace.text == "the cat sat"
    qtbot.wait(50)
    assert load_without_arrays(last).snapshot.text == "my own words here"
    window.lessons.leave()
    settle()
    app_state.workspace.set_texts("my other words", None, at_once=True)
    window.session.end()
    assert load_without_arrays(last).snapshot.text == "my other words"


def test_a_lesson_on_the_start_page_leaves_what_it_showed(
    qtbot: QtBot, window: MainWindow, app_state: AppState, lesson: Lesson
) -> None:
    window.lessons.open_lesson(lesson)
    qtbot.waitUntil(lambda: window.lessons.player.is_ready)
    window.lessons.leave()
    assert app_state.workspace.text == "the cat sat"
    assert app_state.workspace.problem is None


def test_escape_leaves_a_station_with_a_pinned_pair_at_once_and_unpins_ones_own_first(
    window: MainWindow, app_state: AppState, go: Callable[[str], None]
) -> None:
    go("numbers")
    assert app_state.selection.pinned == Pair(2, 3)
    app_state.selection.pin(query=1)
    window.leave()
    assert window.lessons.is_open
    assert not app_state.selection.pinned
    go("numbers")
    window.leave()
    assert not window.lessons.is_open
