"""The questions and small results of the gallery of analyses."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bertviz_app.analysis.catalogue import CATALOGUE
from bertviz_app.learning.gallery import ATTENTION, Sketch, questions, sketches
from bertviz_app.viewmodels.analyses.gallery import question_of
from tests.pictures.sketches import FILE, computed

KEYS = {ATTENTION, *(entry.key for entry in CATALOGUE)}


def test_every_analysis_has_one_question_in_both_languages(korean: None) -> None:
    asked = [questions()[ATTENTION], *map(question_of, CATALOGUE)]
    for words in asked:
        assert words.en.endswith("?")
        assert words.ko.endswith("?")
        assert words.ko != words.en
    assert len({words.en for words in asked}) == len(KEYS)
    assert set(questions()) == KEYS - {entry.key for entry in CATALOGUE if entry.question}


def test_small_results_are_of_attention_and_of_analyses() -> None:
    assert ATTENTION in sketches()
    assert set(sketches()) <= KEYS


@pytest.mark.parametrize(
    ("kind", "numbers"),
    [
        ("cells", ()),
        ("cells", ((),)),
        ("cells", ((0.5,), (0.5, 1.0))),
        ("bars", ((1.5,),)),
        ("bars", ((float("nan"),),)),
        ("rings", ((0.5,),)),
    ],
)
def test_a_sketch_that_cannot_be_drawn_is_refused(kind: str, numbers: tuple[tuple[float, ...], ...]) -> None:
    with pytest.raises(ValueError, match="sketch"):
        Sketch(kind, numbers)  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_small_results_are_those_of_the_checkpoint_that_ships() -> None:
    stored = json.loads(FILE.read_text("utf-8"))
    for key, sketch in computed().items():
        assert stored[key]["kind"] == sketch["kind"]
        numbers = np.array(sketch["numbers"], np.float64)
        np.testing.assert_allclose(stored[key]["numbers"], numbers, atol=0.03, err_msg=key)
