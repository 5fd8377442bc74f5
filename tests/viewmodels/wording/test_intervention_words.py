"""What interventions are called: a token by its word and its number, also one that is left out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import with_edits
from bertviz_app.text.interventions import CellIntervention, TokenIntervention
from bertviz_app.viewmodels.wording.intervention_words import (
    intervention_text,
    rest_texts,
    short_head_change_text,
)
from tests.support.fakes import tokens_of

PAIR = tokens_of("the cat sat", "it  slept well")
"""[CLS] the cat sat [SEP] it slept well [SEP]"""


def _dropped(tokens: Tokens, *dropped: int) -> list[str]:
    edits = Edits.of([TokenIntervention(token, "drop") for token in dropped])
    return rest_texts(edits, with_edits(tokens, edits, lambda given: (given, 0)))


@pytest.mark.parametrize(
    ("dropped", "words"),
    [
        ((2,), ["cat (2)"]),
        ((1, 3), ["the (1)", "sat (3)"]),
        ((2, 3), ["cat (2)", "sat (3)"]),
        ((6,), ["slept (6)"]),
        ((1, 2, 3), ["the (1)", "cat (2)", "sat (3)"]),
        ((5, 6, 7), ["it (5)", "slept (6)", "well (7)"]),
        ((3, 5), ["sat (3)", "it (5)"]),
    ],
)
def test_a_dropped_token_is_called_by_its_word(dropped: tuple[int, ...], words: list[str]) -> None:
    assert _dropped(PAIR, *dropped) == [f"{word}: dropped" for word in words]


def test_pieces_of_one_word_that_are_dropped_are_that_word() -> None:
    tokens = tokens_of("an umb rella")
    spans = np.array([[0, 0], [0, 2], [3, 6], [6, 11], [0, 0]], np.int32)
    joined = replace(tokens, text="an umbrella", spans=spans)
    assert _dropped(joined, 2, 3) == ["umbrella (2): dropped", "umbrella (3): dropped"]
    assert _dropped(joined, 3) == ["rella (3): dropped"]


def test_a_word_that_is_not_known_is_a_number() -> None:
    cut = tokens_of("the cat sat on the mat", most=5)
    assert cut.n_left_out
    assert _dropped(cut, 3) == ["token 3: dropped"]  # of the text after it not all was read
    assert _dropped(cut, 2) == ["cat (2): dropped"]
    assert rest_texts(Edits.of([TokenIntervention(2, "drop")]), None) == ["token 2: dropped"]


def test_a_weight_names_the_tokens_that_moved_up() -> None:
    edits = Edits.of([TokenIntervention(1, "drop"), CellIntervention(0, 1, 2, 0, 0.5)])
    tokens = with_edits(PAIR, edits, lambda given: (given, 0))
    assert intervention_text(edits.cells[0], edits, tokens) == "0·1: cat (2) → [CLS] (0) = 0.5"


def test_a_muted_head_is_called_muted_where_a_zero_would_be_taken_for_a_number() -> None:
    edits = Edits(muted=((0, 1),))
    assert short_head_change_text(edits, 0, 1) == "muted"
    assert short_head_change_text(edits, 0, 0) == ""
