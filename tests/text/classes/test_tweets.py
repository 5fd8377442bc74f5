"""BERTweet's normalisation of tweets, of links above all: what is one, and that it ends."""

from __future__ import annotations

import pytest

from bertviz_app.text.classes.in_python import Tweets
from bertviz_app.text.tokens import Aligned


def _normalised(text: str) -> str:
    return Tweets(demojize=str).normalised(Aligned.typed(text)).text


@pytest.mark.parametrize(
    ("tweet", "expected"),
    [
        ("see https://t.co/abc now", "see HTTPURL now"),
        ("see https://t.co/abc!? @you", "see HTTPURL ! ? @USER"),
        ("(http://a.b/c_(d)) ok", "( HTTPURL ) ok"),
        ("Wow =OD :o) (O: 8O)", "Wow =OD :o) (O: 8O)"),
    ],
)
def test_a_link_and_a_user_become_words(tweet: str, expected: str) -> None:
    assert _normalised(tweet) == expected


def test_a_link_before_thousands_of_signs_is_found_without_trying_every_way_to_part_them() -> None:
    words = _normalised("see https://t.co/abc" + "?!" * 1000).split()
    assert words == ["see", "HTTPURL", *["?", "!"] * 1000]
