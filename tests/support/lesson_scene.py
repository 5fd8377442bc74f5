"""A small lesson with a station for each kind of task, and the window in which a test goes through it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from bertviz_app.learning.lessons.lesson import Lesson
from bertviz_app.learning.lessons.reading import parse_lesson
from bertviz_app.shell.window.window import MainWindow
from bertviz_app.viewmodels.app_state import AppState
from bertviz_app.views.lessons.card import LessonCard
from tests.support.window_fixtures import Settle


def words(text: str) -> dict[str, str]:
    return {"en": text, "ko": text}


def station(key: str, scene: dict[str, Any], task: dict[str, Any] | None = None) -> dict[str, Any]:
    common = {"ask": words("Ask"), "hint": words("The hint"), "why": words("Because.")}
    return {
        "key": key,
        "title": words(key),
        "text": words("There are {n_tokens} tokens."),
        "scene": scene,
        "points_at": "strip",
        "task": None if task is None else common | task,
    }


NUMBERS = {"kind": "numbers", "answers": [{"of": "n_tokens"}, {"of": "weight", "query": "cat", "key": "the"}]}
CHOICE = {"kind": "choice", "options": [words("no"), words("yes")], "right": 1}
ITEMS = [words(name) for name in "abcd"]
STATIONS = [
    station(
        "token",
        {"text": words("the cat sat"), "layer": 0, "head": 1, "views": ["lines"], "cards": []},
        {"kind": "token", "answer": {"of": "looked at most", "query": "cat"}},
    ),
    station("head", {"cards": ["overview"]}, {"kind": "head", "answer": {"measure": "entropy"}})
    | {"points_at": "overview"},
    station("numbers", {"views": ["steps"], "stage": "softmax", "query": "cat", "key": "sat"}, NUMBERS),
    station("choice", {"views": ["matrix"]}, CHOICE),
    station("order", {}, {"kind": "order", "items": ITEMS}),
    station("do", {"hidden": "cat"}, {"kind": "do", "done": {"of": "text has", "text": "dog"}}),
    station("read", {"text": words("a dog ran off"), "muted": [[1, 2]]}),
]
LESSON = {
    "key": "lesson",
    "title": words("Lesson"),
    "summary": words("About"),
    "minutes": 3,
    "stations": STATIONS,
}


@pytest.fixture
def lesson() -> Lesson:
    return parse_lesson(json.dumps(LESSON), "lesson.json")


@pytest.fixture
def go(
    qtbot: QtBot, window: MainWindow, app_state: AppState, settle: Settle, lesson: Lesson
) -> Callable[[str], None]:
    """Show a station and wait until it is set."""
    app_state.workspace.set_texts("my own words here", None, at_once=True)
    settle()
    app_state.selection.pin(query=2)
    window.lessons.open_lesson(lesson)
    keys = [each.key for each in lesson.stations]

    def show(key: str) -> None:
        window.lessons.player.go(keys.index(key))
        qtbot.waitUntil(lambda: window.lessons.player.is_ready)

    return show


def verdicts(window: MainWindow, act: Callable[[], None]) -> list[bool]:
    found: list[bool] = []
    window.lessons.player.answered.connect(found.append)
    act()
    window.lessons.player.answered.disconnect(found.append)
    return found


def card_of(window: MainWindow) -> LessonCard:
    """Return the card of the lesson that is open."""
    card = window.lessons.card
    assert card is not None
    return card


def form(window: MainWindow, kind: type[Any]) -> Any:
    """Return the form of this kind on the card."""
    (found,) = [each for each in card_of(window).findChildren(kind) if not each.isHidden()]
    return found
