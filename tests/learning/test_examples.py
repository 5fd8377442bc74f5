"""The examples of the start page show what they promise, in both languages, on the checkpoints they name."""

from __future__ import annotations

from functools import cache

import pytest

from bertviz_app.api import Model, open_model
from bertviz_app.learning.lessons.lesson import Example, Scene
from bertviz_app.learning.lessons.reading import shipped_examples
from bertviz_app.text.tokens import token_at
from bertviz_app.trace import Trace

LANGUAGES = ("en", "ko")
EXAMPLES = {example.key: example for example in shipped_examples()}


@cache
def _model(name: str) -> Model:
    return open_model(name)


def _trace(scene: Scene, language: str) -> tuple[Model, Trace]:
    assert scene.model is not None, "else it is shown on whatever checkpoint is open"
    assert scene.text is not None
    pair = None if scene.pair is None else scene.pair.in_language(language)
    model = _model(scene.model)
    return model, model.trace(scene.text.in_language(language), pair)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES)
def test_its_tokens_are_known_and_there(example: Example, language: str) -> None:
    scene = example.scene_in(language)
    _, trace = _trace(scene, language)
    assert "[UNK]" not in trace.tokens.pieces
    for name in (scene.query, scene.key):
        if name is not None:
            token_at(trace.tokens, name)
    if scene.best_head:
        assert None not in (scene.query, scene.key)
        query, key = (token_at(trace.tokens, str(name)) for name in (scene.query, scene.key))
        assert trace.attention(rows=slice(query, query + 1))[:, :, 0, key].max() > 0.4


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_model_distinguishes_the_pair_that_follows_from_the_one_that_does_not(language: str) -> None:
    found = []
    for key in ("follows", "does_not_follow"):
        model, trace = _trace(EXAMPLES[key].scene_in(language), language)
        next_sentence = model.predict(trace).next_sentence
        assert next_sentence is not None
        found.append(next_sentence.probability)
    assert found[0] > 0.65
    assert found[1] < 0.35
