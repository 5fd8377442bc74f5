"""Edits of a text and interventions: as they are typed, kept and refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bertviz_app.errors import InterventionError, TextError
from bertviz_app.json_store import decode, encode
from bertviz_app.text import Edits, Tokenizer, Tokens
from bertviz_app.text.edits import (
    MASK,
    CellIntervention,
    HeadIntervention,
    Intervention,
    StateIntervention,
    TokenIntervention,
    edited_lines,
    with_edits,
)
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


WRITTEN = {
    "cat": "cat",
    " cat ": "cat",
    "Cat": "cat",
    "##ing": "##ing",
    "[MASK]": "[MASK]",
    "[UNK]": "[UNK]",
    "배": "배",
    "ㄱ": "\u1100",  # typed as a letter of its own, in the vocabulary as the first of a syllable
    "##ㅏ": "##\u1161",
    "É": "e",
}


def test_a_piece_is_found_as_people_write_it(tokenizer: Tokenizer) -> None:
    assert {given: tokenizer.piece(given)[0] for given in WRITTEN} == WRITTEN


def test_a_cased_vocabulary_keeps_its_cases(tmp_path: Path) -> None:
    folder = write_bert(tmp_path / "cased", lower_case=False)
    cased = Tokenizer.from_json(folder / "tokenizer.json", 512)
    assert cased.piece("고양이")[0] == "고양이"
    with pytest.raises(TextError):
        cased.piece("Cat")


def test_what_is_no_piece_is_an_error_that_names_the_pieces(tokenizer: Tokenizer) -> None:
    hints = {
        "cats": "cat ##s",
        "cat fish": "cat fish",
        "한": "ㅎ ##ㅏ ##ㄴ",
        "🐈": "one piece",
        " ": "MASK",
    }
    for given, hint in hints.items():
        with pytest.raises(TextError) as caught:
            tokenizer.piece(given)
        assert hint in caught.value.hint


def test_the_tokens_given_are_left_alone() -> None:
    tokens = make_tokens(5)
    edited = with_edits(tokens, Edits(replaced=((2, "x"), (3, "y"))), lambda given: (f"<{given}>", 7))
    assert edited.pieces == ("[CLS]", "w1", "<x>", "<y>", "[SEP]")
    assert edited.ids.tolist() == [1000, 1001, 7, 7, 1004]
    assert tokens.ids.tolist() == [1000, 1001, 1002, 1003, 1004]
    assert tokens.pieces[2] == "w2"


MEAN = HeadIntervention(2, 1, "mean", "a text")
EVERYTHING: list[Intervention] = [
    HeadIntervention(3, 5),
    MEAN,
    HeadIntervention(0, 0, "uniform"),
    TokenIntervention(1),
    TokenIntervention(2, "replace", "dog"),
    TokenIntervention(3, "drop"),
    TokenIntervention(1, "segment", 1),
    TokenIntervention(4, "position", 7),
    CellIntervention(1, 2, 3, 4, 0.5),
    StateIntervention(2, 3, 1, "another text"),
]


NO_INTERVENTIONS: tuple[tuple[Callable[[], Intervention], str], ...] = (
    (lambda: HeadIntervention(0, 1, "median"), "There is no intervention “median”."),  # type: ignore[arg-type]
    (lambda: HeadIntervention(0, 1, "mean"), "needs a reference text"),
    (lambda: HeadIntervention(0, 1, "mean", "  "), "needs a reference text"),
    (lambda: HeadIntervention(0, 1, "zero", "text"), "A reference text belongs to a mean"),
    (lambda: TokenIntervention(1, "delete"), "There is no intervention “delete”."),  # type: ignore[arg-type]
    (lambda: TokenIntervention(1, "replace"), "takes a piece of the vocabulary"),
    (lambda: TokenIntervention(1, "segment", "1"), "takes a segment ID"),
    (lambda: TokenIntervention(1, "position", -1), "takes a position ID"),
    (lambda: TokenIntervention(1, "position", True), "takes a position ID"),
    (lambda: TokenIntervention(1, "drop", 3), "“drop” takes no value."),
    (lambda: CellIntervention(0, 1, 2, 3, 1.5), "between 0 and 1, not 1.5"),
    (lambda: CellIntervention(0, 1, 2, 3, float("nan")), "between 0 and 1, not nan"),
    (lambda: StateIntervention(1, 2, 3, " "), "needs that text"),
    (lambda: CellIntervention(0, 1, 2, 3, "0.5"), "between 0 and 1, not 0.5"),  # type: ignore[arg-type]
)


def test_what_an_intervention_may_be() -> None:
    for make, words in NO_INTERVENTIONS:
        with pytest.raises(InterventionError) as error:
            make()
        assert words in str(error.value)


def test_edits_have_all_interventions_in_an_order_of_their_own() -> None:
    edits = Edits.of(EVERYTHING)
    assert edits == Edits.of(reversed(EVERYTHING))
    assert set(edits.interventions) == set(EVERYTHING)
    assert edits.muted == ((3, 5),)
    assert edits.replaced == ((1, MASK), (2, "dog"))
    assert edits.constant_heads == {(3, 5), (2, 1)}
    assert edits.references == ("a text",)
    assert decode(Edits, encode(edits)) == edits


def test_two_on_the_same_contradict() -> None:
    with pytest.raises(InterventionError, match=r"head 2.1 mean over “a text”, head 2.1 zero"):
        Edits.of([MEAN, HeadIntervention(2, 1)])
    with pytest.raises(InterventionError, match="token 1 mask, token 1 drop"):
        Edits.of([TokenIntervention(1), TokenIntervention(1, "drop")])
    assert Edits.of([MEAN, MEAN]) == Edits.of([MEAN])


def test_a_new_one_takes_the_room_of_the_old_one() -> None:
    edits = Edits.of([MEAN]).with_intervention(HeadIntervention(2, 1, "uniform"))
    assert edits.interventions == (HeadIntervention(2, 1, "uniform"),)
    assert not edits.with_head_toggled(2, 1)
    dropped = Edits.of([TokenIntervention(1, "drop"), TokenIntervention(1, "segment", 1)])
    assert dropped.with_token(1, "dog").interventions == (
        TokenIntervention(1, "replace", "dog"),
        TokenIntervention(1, "segment", 1),
    )
    assert Edits.of(EVERYTHING).merged(edits).head_at(2, 1) == HeadIntervention(2, 1, "uniform")


def test_interventions_are_taken_back_one_by_one() -> None:
    edits = Edits.of(EVERYTHING)
    assert edits.without(HeadIntervention(9, 9)) == edits
    for one in EVERYTHING:
        assert one not in edits.without(one).interventions
        edits = edits.without(one)
    assert not edits
    assert Edits.of(EVERYTHING).without_tokens() == Edits.of(EVERYTHING[:3])


def _read(tokens: Tokens, *given: Intervention) -> Tokens:
    return with_edits(tokens, Edits.of(given), lambda piece: (f"<{piece}>", 7))


def test_tokens_as_they_are_read() -> None:
    tokens = make_tokens(7)
    read = _read(
        tokens,
        TokenIntervention(2, "drop"),
        TokenIntervention(3, "replace", "x"),
        TokenIntervention(4, "segment", 1),
        TokenIntervention(5, "position", 20),
        TokenIntervention(0, "position", 3),
    )
    assert read.pieces == ("[CLS]", "w1", "<x>", "w4", "w5", "[SEP]")
    assert read.ids.tolist() == [1000, 1001, 7, 1004, 1005, 1006]
    assert read.segment_ids.tolist() == [0, 0, 0, 1, 0, 0]
    assert read.position_ids.tolist() == [3, 1, 2, 3, 20, 5]
    assert read.spans.tolist() == tokens.spans[[0, 1, 3, 4, 5, 6]].tolist()


def test_positions_before_and_after_dropped_tokens() -> None:
    edits = Edits.of(
        [TokenIntervention(2, "drop"), TokenIntervention(3, "drop"), TokenIntervention(6, "drop")]
    )
    assert [edits.position_written(at) for at in range(5)] == [0, 1, 4, 5, 7]
    assert [edits.position_read(at) for at in range(8)] == [0, 1, None, None, 2, 3, None, 4]


UNCHANGEABLE: tuple[tuple[list[Intervention], str], ...] = (
    ([TokenIntervention(0, "drop")], "Token 0 is [CLS], which cannot be dropped."),
    ([TokenIntervention(0)], "Token 0 is [CLS], which cannot be replaced."),
    ([TokenIntervention(9, "segment", 1)], "There is no token 9: this text has tokens 0 to 4."),
    ([TokenIntervention(at, "drop") for at in (1, 2, 3)], "Every token of the text is dropped."),
)


def test_tokens_that_cannot_be_changed() -> None:
    for given, words in UNCHANGEABLE:
        with pytest.raises((InterventionError, TextError)) as error:
            _read(make_tokens(5), *given)
        assert error.value.message == words


def test_each_line_of_a_chip_that_is_changed_is_known_where_the_token_is_read() -> None:
    segment, position = TokenIntervention(3, "segment", 1), TokenIntervention(3, "position", 7)
    dropped = [TokenIntervention(1, "drop"), TokenIntervention(4, "drop")]
    edits = Edits.of(
        [*dropped, TokenIntervention(3), segment, position, TokenIntervention(5, "replace", "x")]
    )
    assert edited_lines(edits) == {2: {0, 1, 2, 3}, 3: {0, 1}}
    assert edited_lines(Edits.of(dropped)) == {}
