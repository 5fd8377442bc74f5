"""What a check of a lesson finds, each mistake in a lesson that is sound but for that one."""

from __future__ import annotations

import json
from typing import Any

import pytest

from bertviz_app.learning.lessons.lesson import SceneRuns, check_lesson
from bertviz_app.learning.lessons.reading import parse_lesson
from tests.support.fakes import FakeEngine
from tests.support.lesson_scene import CHOICE, LESSON, STATIONS, station, words

SCENE: dict[str, Any] = {"text": words("the cat sat"), "layer": 0, "head": 1}
SOUND = station("one", SCENE, CHOICE)


def mistakes(*stations: dict[str, Any]) -> list[str]:
    lesson = parse_lesson(json.dumps(LESSON | {"stations": list(stations)}), "lesson.json")
    return [mistake.words for mistake in check_lesson(lesson, SceneRuns(FakeEngine()))]


def test_the_small_lesson_of_the_tests_is_sound() -> None:
    assert mistakes(*STATIONS) == []
    assert mistakes(SOUND) == []


DO = {"kind": "do", "done": {"of": "text has", "text": "dog"}}


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"scene": {"layer": 0}}, "there is no text yet"),
        ({"scene": SCENE | {"query": "dog"}}, "there is no token “dog”"),
        ({"scene": SCENE | {"hidden": "dog"}}, "there is no token “dog”"),
        ({"scene": SCENE | {"replaced": [{"token": "dog", "piece": "cat"}]}}, "there is no token “dog”"),
        ({"scene": SCENE | {"layer": 99}}, "“layer” is 99: this model has 0 to "),
        ({"scene": SCENE | {"head": 99}}, "“head” is 99: this model has 0 to "),
        ({"scene": SCENE | {"muted": [[0, 99]]}}, "“head” is 99: this model has 0 to "),
        ({"scene": SCENE | {"muted": [[99, 0]]}}, "“layer” is 99: this model has 0 to "),
        ({"scene": SCENE | {"state": 99}}, "“state” is 99: this model has 0 to "),
        ({"scene": SCENE | {"analyses": ["no-such-analysis"]}}, "no-such-analysis"),
        ({"text": words("It has {n_tokens} tokens and {n_wheels} wheels.")}, "n_wheels"),
        ({"text": words("The weight is {weight}.")}, "the run has nothing for the field “weight”"),
        (
            {"task": DO | {"ask": words("Ask"), "hint": words("Hint"), "why": words("Why")}},
            "",
        ),
        (
            {
                "scene": SCENE | {"text": words("the dog sat")},
                "task": DO | {"ask": words("Ask"), "hint": words("Hint"), "why": words("Why")},
            },
            "the task is done before the learner does anything",
        ),
        (
            {
                "claims": [
                    {
                        "left": {"of": "n_tokens"},
                        "is": ">",
                        "right": {"of": "number", "value": 99},
                    }
                ]
            },
            "the claim “n_tokens > number” is false: 5, 99",
        ),
    ],
)
def test_a_mistake_is_found_in_both_languages(changed: dict[str, Any], found: str) -> None:
    words_found = mistakes(SOUND | changed)
    assert len(words_found) == (2 if found else 0)
    assert all(found in each for each in words_found)


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("bad", []),
        ("good", ["the task is done before the learner does anything"]),
        ("awful", ["“text” is “awful”, which is not one of “good”, “so so”, “bad”"]),
    ],
)
def test_the_class_that_a_task_asks_for_is_one_of_the_others_of_the_model(
    wanted: str, found: list[str]
) -> None:
    engine = FakeEngine()
    engine.task_heads = ("classes",)
    task = {"kind": "do", "done": {"of": "predicted class", "text": wanted}}
    task |= {"ask": words("Ask"), "hint": words("Hint"), "why": words("Why")}
    lesson = parse_lesson(json.dumps(LESSON | {"stations": [station("one", SCENE, task)]}), "lesson.json")
    for_both_languages = [each for each in found for _ in range(2)]
    assert [each.words for each in check_lesson(lesson, SceneRuns(engine))] == for_both_languages
