"""A text in one batch with a longer one: with the mask its numbers are those alone, without it others."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import pytest

from bertviz_app.errors import AnalysisError
from bertviz_app.features.lessons.course.reading import shipped_lessons
from bertviz_app.features.lessons.state.computed import padded
from tests.support.exactness import of_bound
from tests.support.peers import EngineModel

_LONGER = "A cat ate the fish in the garden because it was hungry"


@pytest.fixture(scope="module")
def model() -> EngineModel:
    return EngineModel(None)


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (5, 1)])
def test_masked_padding_changes_nothing_and_padding_without_a_mask_does(
    model: EngineModel, layer: int, head: int
) -> None:
    trace = model.trace("it was hungry")
    work = partial(padded, trace=trace, longer=_LONGER, layer=layer, head=head, query=1)
    found = model.with_model(trace, work)
    n_tokens = trace.n_tokens
    assert found.shorter == (*trace.tokens.labels, *["[PAD]"] * found.n_padding)
    assert len(found.longer) == len(found.shorter) == n_tokens + found.n_padding
    np.testing.assert_allclose(found.alone, trace.attention(layer, head)[1], atol=1e-7)
    assert of_bound([found.masked[:n_tokens]], [found.alone]) <= 1
    assert not found.masked[n_tokens:].any()
    assert found.off < 1e-4
    assert found.unmasked[n_tokens:].sum() > 0.05
    assert found.unmasked.sum() == pytest.approx(1, abs=1e-5)
    assert found.off_unmasked > 100 * found.off


def test_a_text_that_is_not_shorter_is_not_padded(model: EngineModel) -> None:
    trace = model.trace(_LONGER)
    work = partial(padded, trace=trace, longer="it was hungry", layer=0, head=0, query=1)
    with pytest.raises(AnalysisError, match="shorter"):
        model.with_model(trace, work)


def test_without_the_mask_the_words_of_the_fourth_lesson_get_less(minilm: Path) -> None:
    """The station asks for it: [PAD] gets a good part, and what is there to be seen is no rounding."""
    lesson = next(each for each in shipped_lessons() if each.key == "self-attention")
    station = next(each for each in lesson.stations if each.key == "padding")
    scene, model = station.scene, EngineModel(minilm)
    assert scene.text is not None
    assert scene.beside is not None
    assert (scene.layer, scene.head) == (5, 0)
    trace = model.trace(scene.text.en)
    query = trace.tokens.labels.index("it")
    work = partial(padded, trace=trace, longer=scene.beside, layer=5, head=0, query=query)
    found = model.with_model(trace, work)
    assert found.unmasked[: trace.n_tokens].sum() < 0.8
    assert found.off < 1e-5
