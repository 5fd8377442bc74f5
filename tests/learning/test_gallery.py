"""The questions and small results of the gallery of analyses."""

from __future__ import annotations

import json

import numpy as np
import pytest

from bertviz_app.analysis.catalogue import CATALOGUE
from bertviz_app.learning.gallery import ATTENTION, Sketch, questions, sketches
from tests.pictures.sketches import FILE, computed

KEYS = {ATTENTION, *(entry.key for entry in CATALOGUE)}


def test_every_analysis_has_a_question_in_both_languages_and_a_small_result() -> None:
    assert set(questions()) == set(sketches()) == KEYS
    for words in questions().values():
        assert words.en.endswith("?")
        assert words.ko.endswith("?")
    assert len({words.en for words in questions().values()}) == len(KEYS)


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
