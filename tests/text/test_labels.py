"""Tests of how tokens are written on screen."""

from __future__ import annotations

import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.text import Tokenizer
from bertviz_app.text.labels import label

LEFT_TO_RIGHT = "\u200e"


@pytest.mark.parametrize(
    "piece", ["cat", "##ing", "[CLS]", "고양이", "##é", "中", "🐈", "👩‍🚀", "Ġcat", "_", "￥"]
)
def test_what_can_be_read_stays(piece: str) -> None:
    assert label(piece) == piece


@pytest.mark.parametrize("word", ["고양이", "한국어", "뷁", "각"])
def test_hangul_taken_apart_is_composed(word: str) -> None:
    assert label(unicodedata.normalize("NFD", word)) == word
    assert label("##" + unicodedata.normalize("NFD", word)) == "##" + word


@pytest.mark.parametrize(
    ("letter", "shown"),
    [
        ("\u1100", "ㄱ"),
        ("\u1112", "ㅎ"),
        ("\u1161", "ㅏ"),
        ("\u1175", "ㅣ"),
        ("\u11a8", "ㄱ"),
        ("\u11c2", "ㅎ"),
    ],
)
def test_a_letter_left_alone_is_the_dictionarys(letter: str, shown: str) -> None:
    assert label("##" + letter) == "##" + shown


@pytest.mark.parametrize(
    ("piece", "shown"),
    [
        ("\n", "⏎"),
        ("\t", "⇥"),
        ("\r", "␍"),
        (" ", "␣"),
        ("\u00a0", "⍽"),
        ("\0", "␀"),
        ("\x1b", "␛"),
        ("\x7f", "‹7F›"),
        ("\x85", "‹85›"),
        ("a\u200bb", "a‹200B›b"),
        ("\u00ad", "‹00AD›"),
        ("\u202ecat", "‹202E›cat"),
        ("\u2028", "‹2028›"),
        ("\ue000", "‹E000›"),
        ("\U000e0001", "‹E0001›"),
    ],
)
def test_what_cannot_be_seen_is_shown_as_a_sign(piece: str, shown: str) -> None:
    assert label(piece) == shown


@pytest.mark.parametrize("piece", ["##שלום", "مرحبا", "##ا"])
def test_right_to_left_text_keeps_its_mark_in_front(piece: str) -> None:
    assert label(piece) == LEFT_TO_RIGHT + piece


@given(st.text(max_size=20))
def test_a_label_hides_and_reorders_nothing(piece: str) -> None:
    shown = label(piece).removeprefix(LEFT_TO_RIGHT)
    hidden = {"Cc", "Cf", "Zs", "Zl", "Zp"}
    assert all(unicodedata.category(sign) not in hidden or sign == "\u200d" for sign in shown)
    assert bool(shown) == bool(piece)


def test_the_labels_of_tokens(tiny_bert: Path) -> None:
    tokens = Tokenizer.from_json(tiny_bert / "tokenizer.json", 512).encode("가 cats")
    assert tokens.labels == ("[CLS]", "ㄱ", "##ㅏ", "cat", "##s", "[SEP]")
    assert tokens.pieces[1] == "\u1100"
