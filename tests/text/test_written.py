"""Tokens by what is written: the same words, and names that mean one token, several or none."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bertviz_app.errors import ArgumentError, SelectionError
from bertviz_app.text import Tokens
from bertviz_app.text.tokens import numbered, token_at, tokens_named, word_numbers
from tests.support.factories import make_tokens

PIECES = ("[CLS]", "The", "um", "##brella", "the", "um", "##brella", "Um", "[SEP]")
WORDS = (-1, 0, 1, 1, 2, 3, 3, 4, -1)
TEXT = "The umbrella the umbrella Um"
SPANS = ((0, 0), (0, 3), (4, 6), (6, 12), (13, 16), (17, 19), (19, 25), (26, 28), (0, 0))


def _tokens(pieces: tuple[str, ...] = PIECES) -> Tokens:
    return replace(
        make_tokens(len(pieces)),
        text=TEXT,
        pieces=pieces,
        words=np.array(WORDS, np.int32),
        spans=np.array(SPANS, np.int32),
    )


def test_tokens_of_the_same_word_have_the_same_number() -> None:
    numbers = word_numbers(_tokens()).tolist()
    assert numbers[1] == numbers[4]  # "The" and "the"
    assert len({numbers[at] for at in (2, 3, 5, 6)}) == 1  # the pieces of "umbrella", both times
    assert numbers[7] not in numbers[:7]  # "Um" is a piece of it, but another word
    assert numbers[0] != numbers[8]  # a special token is of no word


def test_a_space_before_a_word_does_not_make_it_another_one() -> None:
    tokens = replace(make_tokens(4), pieces=("<s>", "cat", "Ġcat", "</s>"), spelling="bytes")
    assert tokens.labels[2] == "␣cat"
    assert len(set(word_numbers(tokens).tolist())) == 3
    assert tokens_named(tokens, "cat") == [1, 2]


def test_a_space_before_a_right_to_left_word_does_not_make_it_another_one() -> None:
    pieces = ("<s>", "×©", "Ġ×©", "</s>")
    tokens = replace(make_tokens(4), pieces=pieces, spelling="bytes")
    assert tokens.labels[1:3] == ("\u200eש", "\u200e␣ש")
    numbers = word_numbers(tokens).tolist()
    assert numbers[1] == numbers[2]
    assert tokens_named(tokens, "ש") == [1, 2]


def test_a_word_is_what_the_model_reads() -> None:
    hidden = _tokens((*PIECES[:4], "[MASK]", *PIECES[5:]))
    numbers = word_numbers(hidden).tolist()
    assert numbers[1] != numbers[4]
    assert token_at(hidden, "the#2") == 4  # it is found by what was written, too
    assert token_at(hidden, "[MASK]") == 4


def test_a_token_is_found_by_position_by_piece_or_by_its_text() -> None:
    tokens = _tokens()
    assert [token_at(tokens, at) for at in (0, 8, 3)] == [0, 8, 3]
    assert token_at(tokens, "[sep]") == 8
    assert token_at(tokens, "the#2") == 4
    assert token_at(tokens, "##brella#1") == 3
    assert tokens_named(tokens, "brella") == [3, 6]
    assert tokens_named(tokens, "") == []


def test_a_number_sign_may_belong_to_the_name() -> None:
    tokens = replace(make_tokens(4), pieces=("[CLS]", "##2", "c#1", "[SEP]"))
    assert token_at(tokens, "##2") == 1
    assert token_at(tokens, "c#1") == 2
    assert numbered("it#2") == ("it", 2)
    assert numbered("#") == ("#", None)
    assert numbered("##lla") == ("##lla", None)


@pytest.mark.parametrize(
    ("name", "message", "hint"),
    [
        (
            "the",
            "Several tokens are “the”: at 1, 4.",
            "Give one of the positions, or “the#2” for the second.",
        ),
        ("the#3", "There is no token “the#3”: the text has 2 of “the”.", "They are at 1, 4."),
        ("the#0", "There is no token “the#0”: the text has 2 of “the”.", "They are at 1, 4."),
        (
            "umbrella",
            "There is no token “umbrella”.",
            "The word is several tokens (2: um, 3: ##brella): give one of them.",
        ),
    ],
)
def test_what_is_not_plain_is_refused_with_what_would_be(name: str, message: str, hint: str) -> None:
    with pytest.raises(SelectionError) as caught:
        token_at(_tokens(), name)
    assert (caught.value.message, caught.value.hint) == (message, hint)


def test_a_name_that_is_nowhere_is_refused_with_the_tokens_there_are() -> None:
    with pytest.raises(SelectionError, match=r"“dog”.*0: \[CLS\], 1: The"):
        token_at(_tokens(), "dog")
    for position in (-1, 9):
        with pytest.raises(SelectionError, match=f"no token {position}"):
            token_at(_tokens(), position)
    for wrong in (1.5, None, True):
        with pytest.raises(ArgumentError, match=type(wrong).__name__):
            token_at(_tokens(), wrong)  # type: ignore[arg-type]
