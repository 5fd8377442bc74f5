"""The lessons that ship: every station in both languages, on the real models."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from bertviz_app.analysis.results import NamedArrays
from bertviz_app.api import Model, open_model, pair_weights
from bertviz_app.features.lessons.course.lesson import (
    Lesson,
    Scene,
    SceneRuns,
    Station,
    check_lesson,
    following,
)
from bertviz_app.features.lessons.course.reading import shipped_lessons
from bertviz_app.features.lessons.course.tasks import (
    ChoiceTask,
    DoTask,
    MissingError,
    OrderTask,
    QuantityInputs,
    TokenTask,
)
from bertviz_app.features.lessons.state.computed import added_of
from bertviz_app.features.training.process.labels import train_labels
from bertviz_app.inference.engine import Engine
from bertviz_app.learning.label_training import LabelResult, Labels, LabelTraining
from bertviz_app.learning.words import LANGUAGES
from bertviz_app.paths import bundled_models
from tests.support.claims import sentences


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


def _n_pairs_that_change(model: Model) -> tuple[int, int]:
    """Return in how many pairs of sentences head 3.1 looks from "it" at the word that is meant, in both."""
    every = sentences("meaning")
    pairs = list(zip(every[::2], every[1::2], strict=True))
    n_changed = 0
    for pair in pairs:
        words = [word for _, _, word in pair]
        is_meant = []
        for sentence, query, meant in pair:
            trace = model.trace(sentence)
            weights = [pair_weights(trace, query, word)[3, 1] for word in words]
            is_meant.append(words[int(np.argmax(weights))] == meant)
        n_changed += all(is_meant)
    return n_changed, len(pairs)


def test_with_the_other_word_the_weights_are_those_of_the_fourth_lesson(minilm: Path) -> None:
    lesson = next(each for each in shipped_lessons() if each.key == "self-attention")
    station = next(each for each in lesson.stations if each.key == "compare")
    assert station.task is not None
    model, weights = open_model(minilm), []
    for word in ("hungry", "tasty"):
        trace = model.trace(f"A cat ate the fish because it was {word}")
        labels = trace.tokens.labels
        row = trace.attention(3, 1)[labels.index("it")]
        weights.append([f"{row[labels.index(key)]:.2f}" for key in ("cat", "fish")])
    (before, _), (cat, fish) = weights
    why = station.task.why
    assert f"“cat” is {cat} instead of {before}, and that on “fish” is {fish}:" in why.en
    assert re.findall(r"0\.\d\d", why.ko) == [before, cat, fish]
    assert cat < fish
    assert "of ten such pairs of sentences, this one among them, it changes its word in only two" in why.en
    assert _n_pairs_that_change(model) == (2, 10)


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


def test_each_lesson_says_what_was_learnt() -> None:
    for lesson in shipped_lessons():
        assert 2 <= len(lesson.learnt) <= 4, lesson.key
        assert all(re.search(r"[가-힣]", words.ko) and words.en != words.ko for words in lesson.learnt)


def test_half_of_what_was_typed_is_done_now() -> None:
    kinds = Counter(
        station.task.kind for lesson in shipped_lessons() for station in lesson.stations if station.task
    )
    assert kinds["numbers"] <= 10
    assert kinds["do"] + kinds["token"] + kinds["head"] >= 23


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
            is_steps = scene.views == before.views == ("steps",) and scene.picture is None
            if is_steps and scene.text == before.text:
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
    assert {each.training for each in others} == {LabelTraining(n_rows=320, epochs=8, seed=1)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_of_the_hint_has_the_class_that_the_task_asks_for(language: str) -> None:
    lesson = next(each for each in shipped_lessons() if each.key == "fine-tuning")
    station = lesson.stations[0]
    scene = station.scene.in_language(language)
    assert isinstance(station.task, DoTask)
    (text,) = re.findall(r"[“‘](.+?)[”’]", station.task.hint.in_language(language))
    model = open_model(scene.model or "")
    assert scene.text is not None
    before, after = (model.classify(each).labels[0] for each in (scene.text.in_language(language), text))
    assert after.name == station.task.done.text_in(language) != before.name
    assert (before.value, after.value) == pytest.approx((0.995, 0.995), abs=0.01)


@pytest.mark.parametrize("language", LANGUAGES)
def test_of_the_two_pairs_the_model_is_right_about_one(language: str) -> None:
    """The station says so: a wrong answer is called wrong."""
    lesson = next(each for each in shipped_lessons() if each.key == "pre-training")
    scene = lesson.stations[-1].scene
    texts = [each.in_language(language) for each in (scene.text, scene.pair, scene.other_pair) if each]
    model = open_model("bert-mini-en-ko")
    follows, does_not = (model.next_sentence(texts[0], pair).probability for pair in texts[1:])
    assert (follows > 0.5) == (does_not > 0.5)


STATIONS = {each.key: each for each in shipped_lessons()[-1].stations}


def _text(station: Station) -> str:
    assert station.task is not None
    return f"{station.text.en} {station.task.why.en}"


def test_the_numbers_of_the_three_pictures_are_those_of_the_text(minilm: Path) -> None:
    station = STATIONS["pictures"]
    assert station.scene.analyses == ("occlusion",)
    model = open_model(minilm)
    trace = model.trace("A cat ate the fish because it was hungry")
    labels = trace.tokens.labels
    layer, head, hungry = station.scene.layer, station.scene.head, labels.index("hungry")
    assert layer is not None
    assert head is not None
    assert f"{trace.attention(layer, head)[hungry, 0]:.2f}" == "0.94"
    assert "puts 0.94 of its weight" in _text(station)

    added = added_of(trace, station.scene)
    assert added.row.query == hungry
    assert f"the share of [CLS] is only {100 * added.share(0):.0f} %" in _text(station)

    occlusion = model.analyse("occlusion", trace).arrays()["values"]
    first, second = (labels[at] for at in np.argsort(-occlusion)[:2])
    assert (first, second) == ("cat", "fish")
    assert isinstance(station.task, TokenTask)
    rule, at = station.task.answer, labels.index(first)
    assert (rule.of, rule.analysis) == ("largest value", "occlusion")
    run = QuantityInputs(trace, analysed={"occlusion": occlusion})
    assert rule.positions(run) == {at}
    with pytest.raises(MissingError, match="there is no result of “occlusion”"):
        rule.positions(QuantityInputs(trace))
    assert f"“{first}”, then “{second}”" in _text(station)


def test_the_agreements_with_occlusion_are_those_of_the_text(minilm: Path) -> None:
    model = open_model(minilm)
    result = model.analyse("agreement", model.trace("A cat ate the fish because it was hungry"))
    assert isinstance(result, NamedArrays)
    names, spearman = result.axes_of["spearman"][0].labels, result.arrays()["spearman"]
    row = dict(zip(names, spearman[names.index("occlusion")], strict=True))
    assert f"{row['attention-rollout']:.2f}" == "-0.08"
    assert f"{row['decompx']:.2f}" == "0.97"
    assert "−0.08 on this sentence, and 0.97 for DecompX" in _text(STATIONS["agreement"])
