"""Tests of what counts as a text, and of the sentences about what does not."""

from __future__ import annotations

import re

import pytest

from bertviz_app.errors import TextError
from bertviz_app.text.tokens import MAX_CHARACTERS, controls, validate


@pytest.mark.parametrize("text", ["", " ", "\n\t  \r\n", "\u3000", "\u00a0\u2003"])
def test_nothing_but_space_is_no_text(text: str) -> None:
    with pytest.raises(TextError, match=r"^Sentence 2 is empty\. Type a sentence\.$") as caught:
        validate(text, "pair", "Sentence 2")
    assert caught.value.field == "pair"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("고양\ud83d이", "half a character (the unpaired surrogate U+D83D) at character 3"),
        ("\udc80", "half a character (the unpaired surrogate U+DC80) at character 1"),
    ],
)
def test_half_a_character_is_no_text(text: str, fault: str) -> None:
    with pytest.raises(TextError, match=rf"^The text has {re.escape(fault)}\. Take it out\.$"):
        validate(text)


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "line one\nline two\r\n\ttabbed",
        "고양이",
        "🐈‍⬛",
        "\u200bx",
        "שלום",
        "\ue000",
        "\U0010ffff",
        "é\u0301",
        "page one\x0cpage two\0",
        "a\x1b[31m\x7f\x85",
    ],
)
def test_validating_any_other_text_raises_nothing(text: str) -> None:
    validate(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain text\r\n\ttoo", ""),
        ("고양이 \u3000\u2028é", ""),
        ("a\0\x0b\x0c\x7f\x85", "\0\x0b\x0c\x7f\x85"),
        ("\u200b\u00ad\ufeff👩\u200d🚀\ufffd\ue000", "\u200b\u00ad\ufeff\u200d\ufffd\ue000"),
    ],
)
def test_characters_that_a_tokenizer_may_drop(text: str, expected: str) -> None:
    assert controls(text) == set(expected)


def test_a_text_may_be_long_but_not_endless() -> None:
    validate("가" * MAX_CHARACTERS)
    with pytest.raises(TextError, match="The text has 1,000,001 characters"):
        validate("가" * (MAX_CHARACTERS + 1))
