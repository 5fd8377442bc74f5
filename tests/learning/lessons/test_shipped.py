"""The lessons that ship: every station in both languages, on the real models."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from bertviz_app.api import open_model
from bertviz_app.inference.engine import Engine
from bertviz_app.inference.training.labels import LabelResult, Labels, LabelTraining, train_labels
from bertviz_app.learning.lessons.lesson import Lesson, Scene, SceneRuns, check_lesson, following
from bertviz_app.learning.lessons.reading import shipped_lessons
from bertviz_app.learning.lessons.tasks import ChoiceTask, DoTask, OrderTask
from bertviz_app.learning.words import LANGUAGES
from bertviz_app.paths import bundled_models


@pytest.fixture(scope="module")
def runs() -> SceneRuns:
    return SceneRuns(Engine())


@cache
def trained_a_little(training: LabelTraining) -> Mapping[Labels, LabelResult]:
    """Train on few rows: whether there is an answer does not depend on how many there are."""
    return train_labels(replace(training, n_rows=16, epochs=1))


@pytest.mark.parametrize("lesson", shipped_lessons(), ids=lambda lesson: lesson.key)
def test_the_numbers_are_those_of_the_lesson(lesson: Lesson, runs: SceneRuns) -> None:
    assert list(check_lesson(lesson, runs, trained_a_little)) == []


def test_each_station_explains_in_a_few_sentences() -> None:
    for lesson in shipped_lessons():
        for station in lesson.stations:
            for language in LANGUAGES:
                text = station.text.in_language(language)
                n_sentences = len(re.findall(r"[.?!](?=\s|$)", text))
                assert 2 <= n_sentences <= 7, (station.key, language, n_sentences)
            assert re.search(r"[가-힣]", station.text.ko)
            assert len(station.text.en) <= 520, station.key
            assert len(station.text.ko) <= 330, station.key


def test_each_wrong_option_has_a_reason_of_its_own() -> None:
    for lesson in shipped_lessons():
        for task in (station.task for station in lesson.stations if isinstance(station.task, ChoiceTask)):
            reasons = [task.reason(option) for option in range(len(task.options))]
            assert [number for number, reason in enumerate(reasons) if reason is None] == [task.right]
            assert len({reason.ko for reason in reasons if reason is not None}) == len(reasons) - 1


def test_each_station_has_notes_for_the_teacher() -> None:
    for lesson in shipped_lessons():
        for station in lesson.stations:
            assert station.notes is not None, station.key
            assert re.search(r"[가-힣]", station.notes.ko)
            assert max(len(station.notes.en), len(station.notes.ko)) <= 200
            assert not station.notes.fields()


def test_with_the_other_word_the_weights_are_those_of_the_fourth_lesson(minilm: Path) -> None:
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
    assert f"“cat” is {cat} instead of {before}, and still above that on “fish”, {fish}:" in why.en
    assert re.findall(r"0\.\d\d", why.ko) == [before, cat, fish]


def test_what_a_station_points_at_is_open() -> None:
    for lesson in shipped_lessons():
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


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_sign_that_a_hint_offers_as_unknown_is_unknown(language: str) -> None:
    lesson = next(each for each in shipped_lessons() if each.key == "what-goes-in")
    (station,) = (each for each in lesson.stations if each.key == "unknown")
    assert station.task is not None
    assert station.scene.text is not None
    signs = re.findall(r"“(.+?)”", station.task.hint.in_language(language))
    assert signs
    model, text = open_model("bert-mini-en-ko"), station.scene.text.in_language(language)
    for sign in signs:
        assert "[UNK]" in model.trace(f"{text} {sign}").tokens.labels, sign


def test_steps_follow_the_same_row_from_station_to_station() -> None:
    for lesson in shipped_lessons():
        scene, before = Scene(), Scene()
        for station in lesson.stations:
            scene, before = following(scene, station.scene), scene
            if scene.views == before.views == ("steps",) and scene.text == before.text:
                assert scene.query == before.query, station.key


def test_the_loss_of_knowing_nothing_is_that_of_the_vocabulary_on_screen() -> None:
    lesson = next(each for each in shipped_lessons() if each.key == "pre-training")
    task = next(each.task for each in lesson.stations if each.key == "loss")
    assert isinstance(task, OrderTask)
    config = json.loads((bundled_models() / "bert-mini-en-ko" / "config.json").read_text("utf-8"))
    size = int(config["vocab_size"])
    assert task.items[-1].en == task.items[-1].ko == f"1 / {size:,}"
    for language in LANGUAGES:
        why = task.why.in_language(language)
        assert f"{math.log(size):.2f}" in why
        assert f"{size:,}" in why


def test_stations_about_the_two_trainings_show_them() -> None:
    lesson = next(each for each in shipped_lessons() if each.key == "fine-tuning")
    first, *others = lesson.stations
    assert first.training is None
    assert {each.training for each in others} == {LabelTraining(n_rows=320, epochs=8, seed=0)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_bad_review_of_the_hint_is_bad_to_the_model(language: str) -> None:
    lesson = next(each for each in shipped_lessons() if each.key == "fine-tuning")
    station = lesson.stations[0]
    assert isinstance(station.task, DoTask)
    (review,) = re.findall(r"“(정말.+?)”|‘(정말.+?)’", station.task.hint.in_language(language))
    model = open_model("bert-mini-en-ko-sentiment")
    classes = model.predict(model.trace("".join(review))).classes
    assert classes is not None
    assert classes.labels[0].name == station.task.done.text
