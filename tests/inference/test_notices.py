"""What the user is told of an encoded text: what is unknown, left out, or beyond what was trained."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bertviz_app.inference.engine import notices
from tests.support.fakes import FACTS, tokens_of


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ("the cat sat", ()),
        ("the [UNK] sat", ("1 of 3 words is unknown to this model, which reads [UNK] instead.",)),
        ("[UNK] [UNK] [UNK]", ("3 of 3 words are unknown to this model, which reads [UNK] instead.",)),
    ],
)
def test_the_words_that_the_vocabulary_lacks_are_counted(pieces: str, expected: tuple[str, ...]) -> None:
    assert notices(tokens_of(pieces), FACTS, 512) == expected


def test_invisible_characters_that_the_tokenizer_drops_are_counted_and_named() -> None:
    tokens = replace(tokens_of("a b"), dropped="\x0c\0\x0c")
    (words,) = notices(tokens, FACTS, 512)
    assert words == ("3 invisible characters were dropped, as this model's tokenizer does: U+000C, U+0000.")
    (words,) = notices(replace(tokens, dropped="\u200b"), FACTS, 512)
    assert words == "1 invisible character was dropped, as this model's tokenizer does: U+200B."


def test_positions_that_were_hardly_trained_are_named() -> None:
    facts = replace(FACTS, n_trained_positions=5)
    assert notices(tokens_of("a b c"), facts, 512) == ()
    (words,) = notices(tokens_of("a b c d"), facts, 512)
    assert words == "Positions from 5 on were hardly trained: attention there is unreliable."
