"""The lessons that ship: every station in both languages, on the real models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from bertviz_app.api import open_model
from bertviz_app.inference.engine import Engine
from bertviz_app.inference.training.labels import LabelResult, Labels, LabelTraining, train_labels
from bertviz_app.learning.lessons.checking import SceneRuns, check_lesson
from bertviz_app.learning.lessons.lesson import Lesson, Scene
from bertviz_app.learning.lessons.reading import shipped_lessons
from bertviz_app.learning.lessons.scenes import following
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


def test_with_the_other_word_the_weights_are_as_the_fourth_lesson_says(minilm: Path) -> None:
    lesson = next(each for each in shipped_lessons() if each.key == "self-attention")
    station = lesson.stations[-1]
    assert station.task is not None
    model, weights = open_model(minilm), []
    for word in ("hungry", "tasty"):
        trace = model.trace(f"A cat ate the fish because it was {word}")
        labels = trace.tokens.labels
        row = trace.attention(5, 11)[labels.index("it")]
        weights.append([f"{row[labels.index(key)]:.2f}" for key in ("cat", "fish")])
    (before, _), (cat, fish) = weights
    why = station.task.why
    assert f"“cat” falls from {before} to {cat}, and stays above that on “fish”, {fish}:" in why.en
    assert re.findall(r"0\.\d\d", why.ko) == [before, cat, fish]


@pytest.mark.parametrize("lesson", shipped_lessons(), ids=lambda lesson: lesson.key)
def test_what_a_station_points_at_is_open(lesson: Lesson) -> None:
    scene = Scene()
    for station in lesson.stations:
        scene = following(scene, station.scene)
        card = "inspector" if station.points_at == "predictions" else station.points_at
        if card in ("overview", "heads", "inspector", "vector"):
            assert scene.cards is not None, station.key
            assert card in scene.cards, station.key
        assert station.points_at != "pair" or scene.pair is not None, station.key


def test_keys_of_lessons_differ() -> None:
    keys = [lesson.key for lesson in shipped_lessons()]
    assert len(set(keys)) == len(keys)
