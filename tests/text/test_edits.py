"""Edits of a run: equal ones are equal, and a piece is found as people write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from bertviz_app.errors import TextError
from bertviz_app.text import Edits, Tokenizer
from bertviz_app.text.edits import MASK, with_edits
from tests.support.checkpoints import write_bert
from tests.support.factories import make_tokens


@pytest.fixture(scope="module")
def tokenizer(tiny_bert: Path) -> Tokenizer:
    return Tokenizer.from_json(tiny_bert / "tokenizer.json", 512)


def test_edits_made_in_another_order_are_equal() -> None:
    one = Edits().with_head_toggled(3, 5).with_head_toggled(0, 7).with_token(4, "a").with_token(2, MASK)
    other = Edits().with_token(2, MASK).with_head_toggled(0, 7).with_token(4, "a").with_head_toggled(3, 5)
    assert one == other == Edits(((0, 7), (3, 5)), ((2, MASK), (4, "a")))
    assert hash(one) == hash(other)


def test_edits_are_taken_back() -> None:
    edits = Edits(((0, 7),), ((2, MASK), (4, "a")))
    assert edits.with_head_toggled(0, 7).muted == ()
    assert edits.with_token(2, None).replaced == ((4, "a"),)
    assert edits.with_token(2, "b").replaced == ((2, "b"), (4, "a"))
    assert edits.without_tokens() == Edits(((0, 7),))
    assert edits.piece_at(4) == "a"
    assert edits.piece_at(3) is None
    assert edits
    assert not Edits()


@pytest.mark.parametrize(
    ("given", "piece"),
    [
        ("cat", "cat"),
        (" cat ", "cat"),
        ("Cat", "cat"),
        ("##ing", "##ing"),
        ("[MASK]", "[MASK]"),
        ("[UNK]", "[UNK]"),
        ("배", "배"),
        ("ㄱ", "\u1100"),  # typed as a letter of its own, in the vocabulary as the first of a syllable
        ("##ㅏ", "##\u1161"),
        ("É", "e"),
    ],
)
def test_a_piece_is_found_as_people_write_it(tokenizer: Tokenizer, given: str, piece: str) -> None:
    assert tokenizer.piece(given)[0] == piece


def test_a_piece_has_the_id_of_the_vocabulary(tokenizer: Tokenizer, tiny_bert: Path) -> None:
    lines = (tiny_bert / "vocab.txt").read_text("utf-8").split("\n")
    assert tokenizer.piece("Hungry") == ("hungry", lines.index("hungry"))


def test_a_cased_vocabulary_keeps_its_cases(tmp_path: Path) -> None:
    folder = write_bert(tmp_path / "cased", lower_case=False)
    cased = Tokenizer.from_json(folder / "tokenizer.json", 512)
    assert cased.piece("고양이")[0] == "고양이"
    with pytest.raises(TextError):
        cased.piece("Cat")


@pytest.mark.parametrize(
    ("given", "hint"),
    [
        ("cats", "cat ##s"),
        ("cat fish", "cat fish"),
        ("한", "ㅎ ##ㅏ ##ㄴ"),
        ("🐈", "one piece"),
        (" ", "MASK"),
    ],
)
def test_what_is_no_piece_is_an_error_that_names_the_pieces(
    tokenizer: Tokenizer, given: str, hint: str
) -> None:
    with pytest.raises(TextError) as caught:
        tokenizer.piece(given)
    assert hint in caught.value.hint


def test_what_is_no_text_is_an_error(tokenizer: Tokenizer) -> None:
    with pytest.raises(TextError, match="The piece has"):
        tokenizer.piece("\ud800")


def test_nothing_replaced_is_the_same_tokens() -> None:
    tokens = make_tokens(5)
    assert with_edits(tokens, Edits(), lambda given: (given, 0)) is tokens


def test_the_tokens_given_are_left_alone() -> None:
    tokens = make_tokens(5)
    edited = with_edits(tokens, Edits(replaced=((2, "x"), (3, "y"))), lambda given: (f"<{given}>", 7))
    assert edited.pieces == ("[CLS]", "w1", "<x>", "<y>", "[SEP]")
    assert edited.ids.tolist() == [1000, 1001, 7, 7, 1004]
    assert tokens.ids.tolist() == [1000, 1001, 1002, 1003, 1004]
    assert tokens.pieces[2] == "w2"
