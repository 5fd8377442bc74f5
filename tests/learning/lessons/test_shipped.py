"""The lessons that ship: every station in both languages, on the real models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import pytest

from bertviz_app.inference.engine import Engine
from bertviz_app.inference.training.labels import LabelResult, Labels, LabelTraining, train_labels
from bertviz_app.learning.lessons.checking import SceneRuns, check_lesson
from bertviz_app.learning.lessons.lesson import Lesson
from bertviz_app.learning.lessons.reading import shipped_lessons
from bertviz_app.learning.words import LANGUAGES


@pytest.fixture(scope="module")
def runs() -> SceneRuns:
    return SceneRuns(Engine())


@cache
def trained_a_little(training: LabelTraining) -> Mapping[Labels, LabelResult]:
    """Train on few rows: whether there is an answer does not depend on how many there are."""
    return train_labels(replace(training, n_rows=16, epochs=1))


@pytest.mark.parametrize("lesson", shipped_lessons(), ids=lambda lesson: lesson.key)
def test_the_numbers_are_as_the_lesson_says(lesson: Lesson, runs: SceneRuns) -> None:
    assert list(check_lesson(lesson, runs, trained_a_little)) == []


@pytest.mark.parametrize("lesson", shipped_lessons(), ids=lambda lesson: lesson.key)
def test_each_station_explains_in_a_few_sentences(lesson: Lesson) -> None:
    for station in lesson.stations:
        for language in LANGUAGES:
            text = station.text.in_language(language)
            n_sentences = len(re.findall(r"[.?!](?=\s|$)", text))
            assert 2 <= n_sentences <= 7, (station.key, language, n_sentences)
        assert re.search(r"[가-힣]", station.text.ko)
        assert len(station.text.en) <= 520, station.key
        assert len(station.text.ko) <= 330, station.key


@pytest.mark.parametrize("lesson", shipped_lessons(), ids=lambda lesson: lesson.key)
def test_each_station_has_notes_for_the_teacher(lesson: Lesson) -> None:
    for station in lesson.stations:
        assert station.notes is not None, station.key
        assert re.search(r"[가-힣]", station.notes.ko)
        assert max(len(station.notes.en), len(station.notes.ko)) <= 200
        assert not station.notes.fields()


def test_keys_of_lessons_differ() -> None:
    keys = [lesson.key for lesson in shipped_lessons()]
    assert len(set(keys)) == len(keys)
