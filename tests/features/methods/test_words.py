"""Two words compared: cosines by hand, which words are chosen, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.parameters import SILENT
from bertviz_app.analysis.results import WordPair
from bertviz_app.errors import AnalysisError, SelectionError
from bertviz_app.features.methods.vectors import WordParameters, word_cosines
from bertviz_app.trace import Trace
from tests.support.factories import dense, make_trace


def reading(words: str, seed: int = 0) -> Trace:
    pieces = ("[CLS]", *words.split(), "[SEP]")
    trace = make_trace(len(pieces), seed=seed)
    return replace(trace, tokens=replace(trace.tokens, pieces=pieces, text=words))


RIVER, CITY = reading("i sat on the bank"), reading("i put money in the bank", seed=1)


def compared(trace: Trace, second: Trace | None = None, /, **parameters: object) -> WordPair:
    return word_cosines(Inputs(trace, None, second), WordParameters(**parameters), SILENT)  # type: ignore[arg-type]


def cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def test_the_cosines_of_a_word_in_two_texts_are_those_of_its_hidden_states() -> None:
    found = compared(RIVER, CITY, layer=1)
    assert (found.facts["token"], found.facts["other"]) == (5, 6)  # the longest word of both
    for state in range(len(RIVER.hidden)):
        one, other = RIVER.hidden[state].astype(float), CITY.hidden[state].astype(float)
        assert found.named["cosine"][state] == pytest.approx(cosine(one[5], other[6]), abs=1e-6)
        pairs = [cosine(one[a], other[b]) for a in range(1, 6) for b in range(1, 7)]
        assert found.named["mean"][state] == pytest.approx(np.mean(pairs), abs=1e-6)
    assert found.named["looks"] == pytest.approx(dense(RIVER)[1, :, 5].mean(0), abs=1e-6)
    assert found.named["other_looks"] == pytest.approx(dense(CITY)[1, :, 6].mean(0), abs=1e-6)


def test_without_a_second_text_a_word_is_compared_with_its_other_place() -> None:
    twice = reading("the bank of the river and the bank")
    for found in (compared(twice), compared(twice, CITY, is_within=True)):
        assert (found.facts["token"], found.facts["other"], found.facts["is_within"]) == (2, 8, 1)
        words = list(range(1, 9))
        state = twice.hidden[-1].astype(float)
        pairs = [cosine(state[a], state[b]) for a in words for b in words if a != b]
        assert found.named["mean"][-1] == pytest.approx(np.mean(pairs), abs=1e-6)


@pytest.mark.parametrize(
    ("token", "other", "expected"),
    [(2, None, (2, 2)), (4, None, (4, 5)), (1, 6, (1, 6)), (None, 3, (5, 3))],
)
def test_the_counterpart_of_a_chosen_word_is_the_aligned_one(
    token: int | None, other: int | None, expected: tuple[int, int]
) -> None:
    found = compared(RIVER, CITY, token=token, beside=other)
    assert (found.facts["token"], found.facts["other"]) == expected


@pytest.mark.parametrize("words", ["a", "a b"])
def test_a_text_without_a_word_that_occurs_twice_has_two_tokens_all_the_same(words: str) -> None:
    found = compared(reading(words))
    assert found.facts["token"] == 1
    assert found.facts["other"] != 1
    assert found.named["cosine"].shape == found.named["mean"].shape


def test_what_there_is_not_is_refused() -> None:
    with pytest.raises(SelectionError):
        compared(RIVER, CITY, token=99)
    with pytest.raises(SelectionError):
        compared(RIVER, CITY, beside=99)
    with pytest.raises(AnalysisError, match="size"):
        compared(RIVER, make_trace(5, 3))
