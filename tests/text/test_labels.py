"""Tests of how tokens are written on screen."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.text import Tokenizer
from bertviz_app.text.tokens import Spelling, label
from tests.support.families import write_tokenizer

LEFT_TO_RIGHT = "\u200e"


@pytest.mark.parametrize(
    "piece", ["cat", "##ing", "[CLS]", "고양이", "##é", "中", "🐈", "👩‍🚀", "Ġcat", "▁cat", "_", "￥"]
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


@pytest.mark.parametrize(
    ("piece", "spelling", "shown"),
    [
        ("Ġthe", "bytes", "␣the"),
        ("the", "bytes", "the"),
        ("Ġ", "bytes", "␣"),
        ("Ċ", "bytes", "⏎"),
        ("Ã©migrÃ©", "bytes", "émigré"),
        ("ê³łìĸĳìĿ´", "bytes", "고양이"),
        ("ðŁĲĪ", "bytes", "🐈"),
        ("ê³", "bytes", "⟨EA B3⟩"),
        ("ł", "bytes", "⟨A0⟩"),
        ("Ġê³", "bytes", "␣⟨EA B3⟩"),
        ("łìĸĳ", "bytes", "⟨A0⟩양"),
        ("[CLS]", "bytes", "[CLS]"),
        ("<s>", "bytes", "<s>"),
        ("  ", "bytes", "␣␣"),  # added to ModernBERT's vocabulary, as it is
        ("한국", "bytes", "한국"),
        ("▁the", "spaces", "␣the"),
        ("▁", "spaces", "␣"),
        ("한국", "spaces", "한국"),
        ("Ġthe", "spaces", "Ġthe"),
    ],
)
def test_pieces_of_other_spellings_can_be_read(piece: str, spelling: Spelling, shown: str) -> None:
    assert label(piece, spelling) == shown


def test_every_byte_has_its_letter() -> None:
    """The letters of the library of tokenizers, each alone: a sign of ASCII, or one byte in hexadecimal."""
    from tokenizers import pre_tokenizers

    letters = pre_tokenizers.ByteLevel.alphabet()
    high = [label(letter, "bytes") for letter in letters if label(letter, "bytes").startswith("⟨")]
    assert sorted(high) == [f"⟨{byte:02X}⟩" for byte in range(0x80, 0x100)]
    assert {label(letter, "bytes") for letter in letters} >= set("azAZ09~!") | {"␣", "␀", "‹7F›"}


@pytest.mark.parametrize(
    ("family", "spelling"),
    [
        ("bert", "plain"),
        ("mpnet", "plain"),
        ("roberta", "bytes"),
        ("modernbert", "bytes"),
        ("xlm-roberta", "spaces"),
        ("camembert", "spaces"),
        ("albert", "spaces"),
    ],
)
def test_a_tokenizer_knows_how_its_pieces_are_written(family: str, spelling: str, tmp_path: Path) -> None:
    write_tokenizer(tmp_path, family)
    tokenizer = Tokenizer.from_json(tmp_path / "tokenizer.json", 512)
    tokens = tokenizer.encode("The cat ate 고양이 🐈")
    assert tokens.spelling == spelling
    shown = "".join(tokens.labels)
    assert not {"Ġ", "▁", "ì", "ê"} & set(shown)
    assert ("␣" in shown) == (spelling != "plain")


def test_korean_of_bytes_is_read_piece_by_piece(tmp_path: Path) -> None:
    """Whole characters are as they are written; the bytes of the others are those of the text, in order."""
    write_tokenizer(tmp_path, "roberta")
    text = "고양이가 배가 고파서 먹었다 뷁 🐈"
    tokens = Tokenizer.from_json(tmp_path / "tokenizer.json", 512).encode(text)
    there = [shown for shown, special in zip(tokens.labels, tokens.is_special, strict=True) if not special]
    assert _bytes_of("".join(there)) == text.encode()
    assert any("가" in shown for shown in there)
    assert any("⟨" in shown for shown in there)


def _bytes_of(shown: str) -> bytes:
    """Return what labels stand for."""
    written = re.sub("⟨(.*?)⟩", lambda run: bytes.fromhex(run[1]).decode("latin-1"), shown.replace("␣", " "))
    return b"".join(sign.encode("latin-1") if ord(sign) < 0x100 else sign.encode() for sign in written)


def test_what_is_drawn_is_found_again(tmp_path: Path) -> None:
    write_tokenizer(tmp_path, "roberta")
    tokenizer = Tokenizer.from_json(tmp_path / "tokenizer.json", 512)
    tokens = tokenizer.encode("the 고양이가")
    for piece, drawn in zip(tokens.pieces, tokens.labels, strict=True):
        assert tokenizer.piece(piece)[0] == piece
        assert label(tokenizer.piece(drawn)[0], "bytes") == drawn
