"""Tokens: characters, labels, pairs cut to length, and texts that are aligned or summed up."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, strategies as st

from bertviz_app.checkpoint.config import read_config
from bertviz_app.checkpoint.loader import read_tokenizer
from bertviz_app.errors import ArgumentError, SelectionError, TextError
from bertviz_app.text import Tokenizer, Tokens
from bertviz_app.text.cutter import Cut, fitted
from bertviz_app.text.tokens import (
    BERT_NAMES,
    MAX_CHARACTERS,
    SPECIAL,
    Aligned,
    NormalForm,
    SpecialNames,
    Spelling,
    controls,
    facts_html,
    label,
    numbered,
    token_at,
    tokens_named,
    validate,
    word_numbers,
)
from tests.support.factories import make_tokens
from tests.support.families import write_tokenizer
from tests.support.older_tokenizers import of_vocabulary
from tests.support.tokenizer_files import LINES, WRITERS


def test_the_names_of_special_tokens_are_the_texts_own() -> None:
    tokens = make_tokens(6, pair=True)
    assert tokens.special_names == SpecialNames("[CLS]", "[SEP]")
    roberta = replace(tokens, pieces=("<s>", *tokens.pieces[1:-1], "</s>"))
    assert roberta.special_names == SpecialNames("<s>", "</s>")
    bare = replace(tokens, sentences=np.zeros(6, np.int32))
    assert bare.special_names == BERT_NAMES
    alone = replace(roberta, sentences=np.array([SPECIAL, 0, 0, 0, 0, 0], np.int32))
    assert alone.special_names == SpecialNames("<s>", "[SEP]")


def test_nothing_but_space_is_no_text() -> None:
    for text in ("", " ", "\n\t  \r\n", "\u3000", "\u00a0\u2003"):
        with pytest.raises(TextError, match=r"^Sentence 2 is empty\. Type a sentence\.$") as caught:
            validate(text, "pair", "Sentence 2")
        assert caught.value.field == "pair"


def test_half_a_character_is_no_text() -> None:
    for text, fault in (("고양\ud83d이", "U+D83D) at character 3"), ("\udc80", "U+DC80) at character 1")):
        words = f"half a character (the unpaired surrogate {fault}"
        with pytest.raises(TextError, match=rf"^The text has {re.escape(words)}\. Take it out\.$"):
            validate(text)


def test_validating_any_other_text_raises_nothing_and_finds_what_a_tokenizer_may_drop() -> None:
    dropped = {
        "line one\nline two\r\n\ttabbed": "",
        "고양이 \u3000\u2028é\u0301 שלום \U0010ffff": "\U0010ffff",
        "a\0\x0b\x0c\x1b[31m\x7f\x85": "\0\x0b\x0c\x1b\x7f\x85",
        "\u200b\u00ad\ufeff👩\u200d🚀\ufffd\ue000": "\u200b\u00ad\ufeff\u200d\ufffd\ue000",
    }
    for text, expected in dropped.items():
        validate(text)
        assert controls(text) == set(expected), text


def test_a_text_may_be_long_but_not_endless() -> None:
    validate("가" * MAX_CHARACTERS)
    with pytest.raises(TextError, match="The text has 1,000,001 characters"):
        validate("가" * (MAX_CHARACTERS + 1))


LEFT_TO_RIGHT = "\u200e"


def test_a_label_can_be_read() -> None:
    for piece in ("cat", "##ing", "[CLS]", "고양이", "##é", "中", "🐈", "👩‍🚀", "Ġcat", "▁cat", "_", "￥"):
        assert label(piece) == piece
    for word in ("고양이", "한국어", "뷁", "각"):  # a word that is taken apart is composed
        assert label(unicodedata.normalize("NFD", word)) == word
        assert label("##" + unicodedata.normalize("NFD", word)) == "##" + word
    for piece in ("##שלום", "مرحبا", "##ا"):
        assert label(piece) == LEFT_TO_RIGHT + piece


ALONE = dict(zip("\u1100\u1112\u1161\u1175\u11a8\u11c2", "ㄱㅎㅏㅣㄱㅎ", strict=True))
"""Letters of Hangul that stand alone, each as in a dictionary."""
SIGNS = {
    **dict(zip("\n\t\r \u00a0\0\x1b", "⏎⇥␍␣⍽␀␛", strict=True)),
    "\x7f": "‹7F›",
    "\x85": "‹85›",
    "a\u200bb": "a‹200B›b",
    "\u00ad": "‹00AD›",
    "\u202ecat": "‹202E›cat",
    "\u2028": "‹2028›",
    "\ue000": "‹E000›",
    "\U000e0001": "‹E0001›",
}
"""What cannot be seen."""


def test_letters_alone_and_what_cannot_be_seen_are_shown_as_signs() -> None:
    assert {letter: label("##" + letter) for letter in ALONE} == {
        letter: "##" + shown for letter, shown in ALONE.items()
    }
    assert {piece: label(piece) for piece in SIGNS} == SIGNS


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


SPELT: dict[Spelling, dict[str, str]] = {
    "bytes": {
        "Ġthe": "␣the",
        "the": "the",
        "Ġ": "␣",
        "Ċ": "⏎",
        "Ã©migrÃ©": "émigré",
        "ê³łìĸĳìĿ´": "고양이",
        "ðŁĲĪ": "🐈",
        "ê³": "⟨EA B3⟩",
        "ł": "⟨A0⟩",
        "Ġê³": "␣⟨EA B3⟩",
        "łìĸĳ": "⟨A0⟩양",
        "[CLS]": "[CLS]",
        "<s>": "<s>",
        "  ": "␣␣",  # added to ModernBERT's vocabulary, as it is
        "한국": "한국",
    },
    "spaces": {
        "▁the": "␣the",
        "▁": "␣",
        "한국": "한국",
        "Ġthe": "Ġthe",
    },
}


def test_pieces_of_other_spellings_can_be_read() -> None:
    assert {
        spelling: {piece: label(piece, spelling) for piece in pieces} for spelling, pieces in SPELT.items()
    } == SPELT


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


def _cuts(count: int) -> list[Cut]:
    return [Cut(str(number), number, number + 1) for number in range(count)]


@pytest.mark.parametrize(
    ("lengths", "room", "left"),
    [
        ((5,), 3, (3,)),
        ((5,), 5, (5,)),
        ((7, 3), 8, (5, 3)),
        ((3, 7), 8, (3, 5)),
        ((7, 3), 5, (3, 2)),  # the odd piece stays with the first text, whichever was the longer one
        ((3, 7), 5, (3, 2)),
        ((4, 4), 7, (4, 3)),
        ((0, 4), 3, (0, 3)),
        ((1, 9), 1, (1, 0)),
    ],
)
@pytest.mark.parametrize("cuts_left", [False, True])
def test_the_longer_text_is_cut_first_then_both(
    lengths: tuple[int, ...], room: int, left: tuple[int, ...], cuts_left: bool
) -> None:
    found = fitted([_cuts(length) for length in lengths], room, cuts_left)
    for whole, rest, count in zip(map(_cuts, lengths), found, left, strict=True):
        assert rest == (whole[len(whole) - count :] if cuts_left else whole[:count])


def _opened(name: str, folder: Path) -> Tokenizer:
    WRITERS[name](folder)
    return read_tokenizer(folder, read_config(folder / "config.json"))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "least"),
    [
        ("bert, other names", 0.98),
        ("mpnet", 0.99),
        ("roberta", 0.99),
        ("deberta", 0.99),
        ("herbert", 0.99),
        ("xlm-roberta", 0.99),
        ("albert", 0.99),
        ("deberta-v2", 0.99),
        ("big bird", 0.99),
    ],
)
def test_the_steps_end_in_the_pieces_of_the_encoding(name: str, least: float, tmp_path: Path) -> None:
    tokenizer = _opened(name, tmp_path)
    n_words = n_explained = 0
    for line in LINES[:120]:
        try:
            tokens = tokenizer.encode(line)
        except TextError:
            continue
        for position in np.flatnonzero(~tokens.is_special):
            n_words += 1
            why = tokenizer.why_cut(tokens, int(position))
            if why is None:
                continue
            n_explained += 1
            is_word = tokens.words == tokens.words[position]
            assert why.pieces == tuple(tokens.pieces[at] for at in np.flatnonzero(is_word))
            if why.kind == "merges":
                assert (why.merges[-1].parts if why.merges else why.begins) or not why.pieces
                assert all(one.pair[0] and one.pair[1] for one in why.merges)
    assert n_explained >= least * n_words > 1_000


def _vocabulary(folder: Path, *pieces: str) -> Path:
    path = folder / "vocab.txt"
    special = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
    path.write_text("".join(f"{piece}\n" for piece in (*special, *pieces)), "utf-8")
    return path


def test_word_pieces_are_tried_from_the_longest(tmp_path: Path) -> None:
    tokenizer = of_vocabulary(_vocabulary(tmp_path, "un", "##fair", "##a"), 64, do_lower_case=True)
    why = tokenizer.why_cut(tokenizer.encode("so Unfair"), 2)
    assert why is not None
    assert (why.typed, why.normal, why.word, why.kind) == ("Unfair", "unfair", "unfair", "pieces")
    tries = [(one.piece, one.is_found) for one in why.tries]
    begin = [(name, False) for name in ("unfair", "unfai", "unfa", "unf")]
    assert tries == [*begin, ("un", True), ("##fair", True)]
    assert why.pieces == ("un", "##fair")


def test_what_has_no_piece_at_some_place_is_unknown_as_a_whole(tmp_path: Path) -> None:
    tokenizer = of_vocabulary(_vocabulary(tmp_path, "un", "##a"), 64, do_lower_case=True)
    why = tokenizer.why_cut(tokenizer.encode("unq"), 1)
    assert why is not None
    assert [one.piece for one in why.tries] == ["unq", "un", "##q"]
    assert why.pieces == ("[UNK]",)
    too_long = tokenizer.why_cut(tokenizer.encode("u" * 101), 1)
    assert too_long is not None
    assert too_long.is_too_long


def test_an_uncased_model_takes_syllables_apart(tmp_path: Path) -> None:
    tokenizer = of_vocabulary(_vocabulary(tmp_path, "\u1112", "##\u1161", "##\u11ab"), 64, do_lower_case=True)
    why = tokenizer.why_cut(tokenizer.encode("\ud55c"), 1)  # T5: 한
    assert why is not None
    assert why.syllables == (("\ud55c", "\u1112 \u1161 \u11ab"),)
    assert why.pieces == ("\u1112", "##\u1161", "##\u11ab")
    cased = of_vocabulary(_vocabulary(tmp_path, "\ud55c"), 64, do_lower_case=False)
    kept = cased.why_cut(cased.encode("\ud55c"), 1)
    assert kept is not None
    assert (kept.syllables, kept.pieces) == ((), ("\ud55c",))


def test_special_tokens_and_tokenizers_in_python_have_no_steps(tmp_path: Path) -> None:
    tokenizer = of_vocabulary(_vocabulary(tmp_path, "a"), 64)
    tokens = tokenizer.encode("a [MASK]")
    assert tokenizer.why_cut(tokens, 0) is None
    mask = tokenizer.why_cut(tokens, 2)
    assert mask is not None
    assert mask.kind == "added"
    (tmp_path / "phobert").mkdir()
    other = _opened("phobert", tmp_path / "phobert")
    assert other.why_cut(other.encode("cat"), 1) is None


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


def _cells(page: str) -> list[list[str]]:
    """Return the cells of each row, its name first."""
    rows = re.findall(r"<tr>(.*?)</tr>", page)
    return [re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in rows]


def test_markup_in_a_text_is_text() -> None:
    page = facts_html("<b>Model</b>", [("a & b", "<i>"), ("c", "1")])
    assert page.startswith("<p><b>&lt;b&gt;Model&lt;/b&gt;</b></p>")
    assert _cells(page) == [["a &amp; b", "&lt;i&gt;"], ["c", "1"]]


FORMS: tuple[NormalForm, ...] = get_args(NormalForm)
LETTERS = st.sampled_from("aAbß Σσς.가각ᄀ́̈ ﬁÅ½\u1fec\u0345\t")
TEXTS = st.text(LETTERS, max_size=12) | st.text(max_size=8)


def _validate(found: Aligned, text: str, typed: str) -> None:
    """It is `text`, with one span for each character, inside the typed text and never backwards."""
    assert found.text == text
    assert len(found.spans) == len(text)
    assert all(0 <= start <= end <= len(typed) for start, end in found.spans)
    starts = [start for start, _ in found.spans]
    assert starts == sorted(starts)


@given(TEXTS, st.sampled_from(FORMS))
def test_a_normal_form_is_that_of_unicode(typed: str, form: NormalForm) -> None:
    found = Aligned.typed(typed).normalised(form)
    _validate(found, unicodedata.normalize(form, typed), typed)
    if typed:
        assert found.span() == (0, len(typed))


@given(TEXTS)
def test_small_letters_are_those_of_the_whole_text(typed: str) -> None:
    _validate(Aligned.typed(typed).lower(), typed.lower(), typed)


@given(TEXTS)
def test_each_character_may_become_any_number_of_them(typed: str) -> None:
    found = Aligned.typed(typed).mapped(lambda letter: letter * (ord(letter) % 3))
    _validate(found, "".join(letter * (ord(letter) % 3) for letter in typed), typed)
    assert [typed[start:end] for start, end in found.spans] == list(found.text)


@given(TEXTS, TEXTS.filter(bool), TEXTS)
def test_what_is_replaced_is_replaced_as_in_a_text(typed: str, theirs: str, ours: str) -> None:
    found = Aligned.typed(typed).replaced(theirs, ours)
    _validate(found, typed.replace(theirs, ours), typed)


def test_what_replaces_a_match_stands_for_all_of_it() -> None:
    found = Aligned.typed("a12b3").substituted(re.compile(r"\d+"), lambda match: f"<{match[0]}>")
    assert found.text == "a<12>b<3>"
    assert found.spans == [(0, 1), *[(1, 3)] * 4, (3, 4), *[(4, 5)] * 3]


@given(TEXTS)
def test_words_are_those_of_split_where_they_were_typed(typed: str) -> None:
    words = list(Aligned.typed(typed).words())
    assert [word.text for word in words] == typed.split()
    assert [typed[slice(*word.span())] for word in words] == typed.split()


@pytest.mark.parametrize(("left", "right"), [(True, True), (True, False), (False, True), (False, False)])
@given(typed=TEXTS)
def test_white_space_goes_from_the_chosen_ends(left: bool, right: bool, typed: str) -> None:
    found = Aligned.typed(typed).stripped(left, right)
    expected = typed.lstrip() if left else typed
    _validate(found, expected.rstrip() if right else expected, typed)
    assert typed[slice(*found.span())] == found.text


def test_letters_that_are_composed_stand_for_all_of_them() -> None:
    found = Aligned.typed("e\u0301x").normalised("NFC")
    assert (found.text, found.spans) == ("éx", [(0, 2), (2, 3)])
    back = found.normalised("NFD")
    assert (back.text, back.spans) == ("e\u0301x", [(0, 2), (0, 2), (2, 3)])


def test_a_mark_stands_with_its_letter_where_nothing_composes_them() -> None:
    found = Aligned.typed("x\u0323e\u0301").normalised("NFC")
    assert (found.text, found.spans) == ("x\u0323é", [(0, 2), (0, 2), (2, 4)])
