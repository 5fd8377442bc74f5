"""What is shown as an example does what is said of it, over sentences that were written before."""

from __future__ import annotations

import re

import pytest

from bertviz_app import open_model, pair_others, pair_weights
from bertviz_app.features.lessons.course.lesson import head_of
from bertviz_app.features.lessons.course.reading import shipped_examples
from bertviz_app.learning.words import first_picture
from tests.support.claims import CONSTRUCTIONS, DOCUMENT, head_chosen, score, sentences

MINILM, BUNDLED = "all-MiniLM-L6-v2", "bert-mini-en-ko"
_ROW = re.compile(
    r"\| (.+?) \| ([\w-]+) \| (\d+)·(\d+) \| (0\.\d\d) \| (0\.\d\d) \| (0\.\d\d) \| (\d+)% of (\d+) \|"
)


@pytest.mark.parametrize("construction", CONSTRUCTIONS)
def test_the_scores_of_the_document_are_those_of_the_models(construction: str) -> None:
    title, models = CONSTRUCTIONS[construction]
    rows = [found.groups() for found in _ROW.finditer(DOCUMENT.read_text("utf-8")) if found[1] == title]
    assert [row[1] for row in rows] == list(models)
    for _, model, layer, head, *written in rows:
        at = head_chosen(model, construction)
        assert at == (int(layer), int(head))
        found = score(model, construction, at)
        numbers = found.weight, found.others, found.difference
        assert numbers == pytest.approx([float(one) for one in written[:3]], abs=0.006)
        assert 100 * found.largest == pytest.approx(float(written[3]), abs=0.6)
        assert found.n == int(written[4]) == len(sentences(construction)) // 2 == 12


def test_the_two_heads_of_the_documents_and_of_lesson_six() -> None:
    trace = open_model(MINILM).trace("A cat ate the fish because it was hungry")
    weights, others = pair_weights(trace, "it", "cat"), pair_others(trace, "it", "cat")
    for at, expected in (((5, 11), (0.49, 0.42)), ((3, 1), (0.45, 0.14))):
        assert (float(weights[at]), float(others[at])) == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(
    ("example", "construction", "model", "language"),
    [
        ("pronoun", "pronoun", MINILM, "en"),
        ("negation", "negation", MINILM, "en"),
        ("ambiguous", "object_ko", BUNDLED, "ko"),
    ],
)
def test_an_example_shows_the_head_that_does_it_in_other_sentences(
    example: str, construction: str, model: str, language: str
) -> None:
    (scene,) = [each.scene_in(language) for each in shipped_examples() if each.key == example]
    assert scene.text is not None
    assert scene.model == model
    at = head_of(scene, open_model(model).trace(scene.text.in_language(language)))
    assert at == head_chosen(model, construction)
    found = score(model, construction, at)
    assert found.weight > 3 * found.others
    assert found.difference > 0.15


@pytest.mark.parametrize(("language", "construction"), [("en", "pronoun"), ("ko", "object_ko")])
def test_the_first_screen_shows_such_a_head(language: str, construction: str) -> None:
    picture = first_picture(language)
    assert (picture.layer, picture.head) == head_chosen(picture.model, construction)


def test_the_positional_head_looks_at_the_token_before_in_every_sentence() -> None:
    (scene,) = [each.scene for each in shipped_examples() if each.key == "before"]
    model = open_model(BUNDLED)
    at = head_of(scene, model.trace("고양이가 생선을 먹었다"))
    for sentence, *_ in sentences("object_ko"):
        weights = model.trace(sentence).attention(*at)
        assert weights.diagonal(-1).min() > 0.9
