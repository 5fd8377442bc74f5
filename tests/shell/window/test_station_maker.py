"""A station of what the window shows: it is checked, written into a lesson file, and plays what was shown."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from bertviz_app.inference.engine import Engine
from bertviz_app.learning.lessons.checking import SceneRuns, check_lesson
from bertviz_app.learning.lessons.reading import read_lesson
from bertviz_app.learning.lessons.writing import free_key, key_of, lesson_text
from bertviz_app.shell.settings.store import SettingsStore
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.text import Edits
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.viewmodels.learning.shown_scene import shown_scene
from bertviz_app.viewmodels.panel_choices import StepsChoice
from bertviz_app.viewmodels.panels import Panel
from bertviz_app.views.lessons.station_form import StationForm
from tests.support.fakes import FakeEngine


@pytest.fixture
def folder(store: SettingsStore, tmp_path: Path) -> Path:
    folder = tmp_path / "lessons"
    store.change(lessons_folder=str(folder))
    return folder


@pytest.fixture
def shown(
    folder: Path, qtbot: QtBot, window: MainWindow, app_state: AppState, settle: Callable[[], None]
) -> MainWindow:
    """The window with something in every part that a station has."""
    app_state.workspace.set_texts("the cat saw the dog", "it ran off", at_once=True)
    settle()
    app_state.workspace.set_edits(Edits(((0, 1), (1, 2)), ((2, "[MASK]"), (5, "fish"))))
    settle()
    steps = StepsChoice("layer", "softmax")
    app_state.panels.open([Panel(0, 1, 1, "matrix"), Panel(0, 1, 1, "steps", steps=steps)])
    app_state.selection.pin(query=4)
    app_state.selection.pin(query=4, key=8)
    app_state.overview.change(shows="entropy")
    return window


def opened_form(window: MainWindow) -> StationForm:
    window.context.make_station()
    (form,) = [each for each in window.findChildren(StationForm) if each.isVisible()]
    return form


def fill(form: StationForm, question: str, key: str = "en", **texts: str) -> None:
    form.questions.setCurrentIndex(form.questions.findData(question))
    defaults = {
        "lesson": "My lesson",
        "title": "Look here",
        "text": "It is seen.",
        "hint": "Look.",
        "why": "So.",
    }
    for name, text in (defaults | texts).items():
        field = form.fields[key][name]
        (field.setPlainText if hasattr(field, "setPlainText") else field.setText)(text)


def state(app_state: AppState) -> dict[str, Any]:
    pinned = app_state.selection.pinned
    return {
        "texts": (app_state.workspace.text, app_state.workspace.pair),
        "edits": app_state.workspace.edits,
        "panels": [(each.layer, each.head, each.view_kind) for each in app_state.panels.panels],
        "stage": app_state.panels.panels[1].steps.stage,
        "pinned": (pinned.query, pinned.key),
        "overview": app_state.overview.value.shows,
    }


def test_a_station_plays_what_was_shown(
    qtbot: QtBot, shown: MainWindow, app_state: AppState, folder: Path, settle: Callable[[], None]
) -> None:
    before = state(app_state)
    form = opened_form(shown)
    fill(form, "weight")
    assert form.fields["en"]["ask"].text() == "How large is the weight of “the#2” on “ran”?"
    form.save.click()
    assert not form.isVisible(), form.problem.text()
    (path,) = folder.glob("*.json")
    lesson = read_lesson(path)
    assert list(check_lesson(lesson, SceneRuns(FakeEngine()))) == []
    station = lesson.stations[0]
    assert station.text.ko == "It is seen."
    assert station.task is not None
    assert station.task.ask.ko == "“the#2” 토큰이 “ran” 토큰을 보는 가중치는 얼마입니까?"

    app_state.workspace.set_edits(Edits())
    app_state.workspace.set_texts("something else", None, at_once=True)
    settle()
    app_state.overview.change(shows="attention")
    shown.lessons.catalogue.open_file(path)
    qtbot.waitUntil(lambda: shown.lessons.player.is_ready)
    assert state(app_state) == before
    assert shown.lessons.player.right_answer() == f"{_weight(app_state):.4f}"


def _weight(app_state: AppState) -> float:
    result = app_state.workspace.shown
    assert result is not None
    return float(result.result.trace.attention(1, 1)[4, 8])


def test_stations_are_added_to_a_lesson_that_there_is(shown: MainWindow, folder: Path) -> None:
    for question, more in (
        ("none", {}),
        ("token", {}),
        ("choice", {"ask": "Which?", "options": "yes\nno\nmaybe"}),
    ):
        form = opened_form(shown)
        fill(form, question, **more)
        form.save.click()
        assert not form.isVisible(), form.problem.text()
    (path,) = folder.glob("*.json")
    lesson = read_lesson(path)
    assert [station.key for station in lesson.stations] == ["look-here", "look-here-2", "look-here-3"]
    task: Any = lesson.stations[2].task
    assert task.options[task.right].en == "yes"
    assert {option.en for option in task.options} == {"yes", "no", "maybe"}
    assert list(check_lesson(lesson, SceneRuns(FakeEngine()))) == []
    assert shown.lessons.catalogue.own.lessons[0].lesson == lesson


def test_what_is_missing_or_wrong_is_said_and_nothing_is_written(shown: MainWindow, folder: Path) -> None:
    form = opened_form(shown)
    fill(form, "token", title=" ", hint="")
    form.save.click()
    assert form.problem.text() == "Still empty: Title, Hint."
    fill(form, "token", text="There are {n_dogs} dogs.")
    form.save.click()
    assert "n_dogs" in form.problem.text()
    fill(form, "choice", ask="Which?", options="yes\nno")
    fill(form, "choice", key="ko", ask="무엇?", options="예")
    form.save.click()
    assert form.problem.text() == "The two languages have different numbers of answers."
    assert form.isVisible()
    assert not list(folder.glob("*.json"))


def test_what_a_station_cannot_hold_is_named(
    shown: MainWindow, app_state: AppState, settle: Callable[[], None]
) -> None:
    app_state.comparison.editor.set_texts("a dog", None)
    settle()
    app_state.panels.open([Panel(0, 0, 0, "lines"), Panel(0, 1, 1, "matrix"), Panel(0, 1, 1, "matrix", "B")])
    found = shown_scene(app_state, ("overview",))
    assert found is not None
    assert found.left_out == (
        "Run B and panels of it are not part of a station.",
        "All panels of a station show one head: that of the active panel.",
    )
    assert found.scene.cards == ("overview",)


def test_without_a_result_there_is_nothing_to_make(window: MainWindow) -> None:
    window.context.make_station()
    assert not [form for form in window.findChildren(StationForm) if form.isVisible()]
    texts = [label.text() for label in window.frame.status.findChildren(QLabel)]
    assert any("needs a text" in text for text in texts)


def test_on_the_real_model_it_passes_the_check(tmp_path: Path) -> None:
    scene = {
        "text": {"en": "the cat sat", "ko": "the cat sat"},
        "model": "bert-mini-en-ko",
        "layer": 1,
        "head": 0,
    }
    scene |= {
        "query": "cat",
        "key": "the",
        "replaced": [{"token": "sat", "piece": "ran"}],
        "muted": [[0, 1], [2, 3]],
    }
    words = {"en": "A", "ko": "가"}
    station = {"key": "a", "title": words, "text": words, "scene": scene}
    lesson = {"key": "a", "title": words, "summary": words, "minutes": 5, "stations": [station]}
    (tmp_path / "a.json").write_text(lesson_text(lesson), encoding="utf-8")
    runs = SceneRuns(Engine())
    read = read_lesson(tmp_path / "a.json")
    assert list(check_lesson(read, runs)) == []
    trace = runs(read.stations[0].scene, "en").trace
    assert trace.muted == ((0, 1), (2, 3))
    assert trace.provenance.replaced == ((3, "ran"),)
    broken = replace(read.stations[0], scene=replace(read.stations[0].scene, query="dog"))
    (mistake, _) = check_lesson(replace(read, stations=(broken,)), runs)
    assert mistake.words == "there is no token “dog”"


def test_files_are_written_to_be_read_and_edited() -> None:
    lesson = {"key": "a", "title": {"en": "A", "ko": "가"}, "stations": [{"key": "x" * 50, "text": "y" * 80}]}
    text = lesson_text(lesson)
    assert json.loads(text) == lesson
    assert '  "title": {"en": "A", "ko": "가"},\n' in text
    assert max(map(len, text.splitlines())) <= 112
    assert (key_of("Who looks at “it”?"), key_of("나는 밥을"), key_of("?!")) == (
        "who-looks-at-it",
        "나는-밥을",
        "station",
    )
    assert free_key("a", {"a", "a-2"}) == "a-3"
