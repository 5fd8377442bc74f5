"""What the layers without Qt write for people, in Korean, and what interventions are called."""

from __future__ import annotations

import pytest

from bertviz_app import open_model
from bertviz_app.errors import AppError, FileError, Message
from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import TokenIntervention, with_edits
from bertviz_app.viewmodels.wording import (
    SYSTEM_WORDS,
    class_words,
    error_text,
    in_language,
    rest_texts,
    short_head_change_text,
    token_name,
    translated,
    with_particles,
)
from tests.support.fakes import tokens_of

PAIR = tokens_of("the cat sat", "it  slept well")
"""[CLS] the cat sat [SEP] it slept well [SEP]"""


def _dropped(tokens: Tokens, *dropped: int) -> list[str]:
    edits = Edits.of([TokenIntervention(token, "drop") for token in dropped])
    return rest_texts(edits, with_edits(tokens, edits, lambda given: (given, 0)))


def test_errors_messages_and_words_of_the_system_are_translated(korean: None) -> None:
    # errors and messages are translated with what is in them
    # an error is translated with its fields
    error = AppError(
        Message("This computer has no device “{0}”.", "cuda:9"),
        Message("Those it has: {0}; auto takes the best.", "cpu, mps"),
    )
    assert in_language(error) == (
        "이 컴퓨터에는 “cuda:9” 장치가 없습니다.",
        "쓸 수 있는 장치: cpu, mps. auto는 가장 좋은 것을 고릅니다.",
    )
    assert error_text(error) == " ".join(in_language(error))
    # a message is translated with the messages in it
    message = Message("{0} is empty.", Message("Sentence 2"))
    assert translated(message) == "문장 2에 내용이 없습니다."
    assert translated(Message.joined([message, Message("Type a sentence.")])).startswith(translated(message))
    # a quoted argument is not translated
    message = Message("“{0}” is no piece of this model's vocabulary.", "Sentence 2")
    assert "“Sentence 2”" in translated(message)
    # neither is the name of a column
    message = Message("{0} is read as {1}: column {2}.", "a.parquet", "Parquet", "text")
    assert "읽는 열은 text" in translated(message)
    # what the operating system reports is translated within a message
    message = Message("{0} could not be written: {1}.", "/a/b", "No space left on device")
    assert translated(message) == "/a/b 파일을 쓰지 못했습니다: 장치에 남은 공간이 없습니다."
    # what is unknown stays english
    error = FileError("Nobody wrote this. Nor this!", Message("Take it out."))
    assert error_text(error) == "Nobody wrote this. Nor this! 빼 주세요."
    assert error_text(ValueError("a {0} b")) == "a {0} b"
    assert translated("") == ""
    # what the operating system reports is korean
    for words in map(str, SYSTEM_WORDS):
        assert any("가" <= character <= "힣" for character in translated(words)), words


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (10, "토큰 10은 빠져 있어 상태가 없습니다."),
        (12, "토큰 12는 빠져 있어 상태가 없습니다."),
        (3, "토큰 3은 빠져 있어 상태가 없습니다."),
        ("층", "토큰 층은 빠져 있어 상태가 없습니다."),
        ("‘고양이’", "토큰 ‘고양이’는 빠져 있어 상태가 없습니다."),
        ("cat", "토큰 cat은(는) 빠져 있어 상태가 없습니다."),
    ],
)
def test_a_korean_particle_follows_the_last_syllable(korean: None, number: object, words: str) -> None:
    assert translated(Message("Token {0} is dropped, and has no state.", number)) == words


@pytest.mark.parametrize(
    ("text", "fitting"),
    [
        ("6(으)로, 7(으)로, 2(으)로", "6으로, 7로, 2로"),
        ("45 %을(를) 책과(와) 나무과(와)", "45 %를 책과 나무와"),
        ("‘법’(이)라는 ‘소’(이)라는", "‘법’이라는 ‘소’라는"),
        ("[CLS]은(는) BERT을(를) MLM과(와)", "[CLS]는 BERT를 MLM과"),
        ("token을(를) padding(으)로 label(으)로 layer이(가)", "token을 padding으로 label로 layer가"),
        ("cat은(는) base을(를) R이(가) MiniLM과(와)", "cat은(는) base을(를) R이(가) MiniLM과(와)"),
    ],
)
def test_all_pairs_of_korean_particles_are_known(text: str, fitting: str) -> None:
    assert with_particles(text) == fitting


def test_classes_of_the_program_s_own_models_are_named_in_korean(korean: None) -> None:
    assert class_words("positive", is_bundled=True) == "긍정"
    assert class_words("positive", is_bundled=False) == "positive"


@pytest.mark.parametrize(
    ("dropped", "words"),
    [
        ((2,), ["cat (2)"]),
        ((1, 2, 3), ["the (1)", "cat (2)", "sat (3)"]),
        ((5, 6, 7), ["it (5)", "slept (6)", "well (7)"]),
    ],
)
def test_a_dropped_token_is_called_by_its_word(dropped: tuple[int, ...], words: list[str]) -> None:
    assert _dropped(PAIR, *dropped) == [f"{word}: dropped" for word in words]


def test_interventions_are_called_what_they_are() -> None:
    # a word that is not known is a number
    cut = tokens_of("the cat sat on the mat", most=5)
    assert cut.n_left_out
    assert _dropped(cut, 3) == ["token 3: dropped"]  # of the text after it not all was read
    assert _dropped(cut, 2) == ["cat (2): dropped"]
    assert rest_texts(Edits.of([TokenIntervention(2, "drop")]), None) == ["token 2: dropped"]
    # a muted head is called muted where a zero would be taken for a number
    edits = Edits(muted=((0, 1),))
    assert short_head_change_text(edits, 0, 1) == "muted"
    assert short_head_change_text(edits, 0, 0) == ""


def test_a_piece_is_named_with_the_word_that_it_is_of() -> None:
    tokens = open_model("bert-mini-en-ko").trace("고양이가 생선을 hello").tokens
    names = {piece: token_name(tokens, at) for at, piece in enumerate(tokens.pieces)}
    assert names["[CLS]"] == "“[CLS]”"
    assert names["##가"] == "“가” of “고양이가”"
    assert not any("##" in name for name in names.values())
