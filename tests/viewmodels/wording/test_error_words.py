"""What the layers without Qt write for people, in Korean."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.errors import AppError, FileError, Message, TextError
from bertviz_app.text.characters import validate
from bertviz_app.viewmodels.wording.error_words import SYSTEM_WORDS, error_text, in_language, translated


def test_an_error_is_translated_with_its_fields(korean: None) -> None:
    error = AppError(
        Message("This computer has no device “{0}”.", "cuda:9"),
        Message("Those it has: {0}; auto takes the best.", "cpu, mps"),
    )
    assert in_language(error) == (
        "이 컴퓨터에는 “cuda:9” 장치가 없습니다.",
        "쓸 수 있는 장치: cpu, mps. auto는 가장 좋은 것을 고릅니다.",
    )
    assert error_text(error) == " ".join(in_language(error))


def test_a_real_error_is_found(korean: None) -> None:
    with pytest.raises(TextError) as caught:
        validate("a\ud83db")
    assert (
        error_text(caught.value)
        == "문장의 2번째 글자는 반쪽 문자(짝 없는 서로게이트 U+D83D)입니다. 빼 주세요."
    )


def test_a_message_is_translated_with_the_messages_in_it(korean: None) -> None:
    message = Message("{0} is empty.", Message("Sentence 2"))
    assert translated(message) == "문장 2에 내용이 없습니다."
    assert translated(Message.joined([message, Message("Type a sentence.")])).startswith(translated(message))


def test_a_quoted_argument_is_not_translated(korean: None) -> None:
    message = Message("“{0}” is no piece of this model's vocabulary.", "Sentence 2")
    assert "“Sentence 2”" in translated(message)


def test_what_the_operating_system_reports_is_translated_within_a_message(korean: None) -> None:
    message = Message("{0} could not be written: {1}.", "/a/b", "No space left on device")
    assert translated(message) == "/a/b 파일을 쓰지 못했습니다: 장치에 남은 공간이 없습니다."


def test_what_is_unknown_stays_english(korean: None) -> None:
    error = FileError("Nobody wrote this. Nor this!", Message("Take it out."))
    assert error_text(error) == "Nobody wrote this. Nor this! 빼 주세요."
    assert error_text(ValueError("a {0} b")) == "a {0} b"
    assert translated("") == ""


def test_what_the_operating_system_reports_is_korean(korean: None) -> None:
    for words in map(str, SYSTEM_WORDS):
        assert any("가" <= character <= "힣" for character in translated(words)), words


def test_english_is_what_was_written(qapp: QApplication) -> None:
    message = Message("{0} could not be written: {1}.", "/a/b", "Permission denied")
    assert translated(message) == message
