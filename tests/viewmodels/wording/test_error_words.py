"""What the layers without Qt say, found again among the templates and said in Korean."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication

from bertviz_app.errors import AppError, FileError, Message, TextError
from bertviz_app.shell.settings.language import Language
from bertviz_app.text.tokenizer import validate
from bertviz_app.viewmodels.wording.error_words import TEMPLATES, as_said, in_language, translated


@pytest.fixture
def korean(qapp: QApplication) -> Iterator[None]:
    language = Language(qapp)
    language.choose("ko")
    yield
    language.choose("en")


def test_an_error_is_said_with_its_fields(korean: None) -> None:
    error = AppError("This computer has no device “cuda:9”.", "Those it has: cpu, mps; auto takes the best.")
    assert in_language(error) == (
        "이 컴퓨터에는 “cuda:9” 장치가 없습니다.",
        "쓸 수 있는 장치: cpu, mps. auto는 가장 좋은 것을 고릅니다.",
    )
    assert as_said(error) == " ".join(in_language(error))


def test_a_real_error_is_found(korean: None) -> None:
    with pytest.raises(TextError) as caught:
        validate("a\x07b")
    assert as_said(caught.value) == "문장의 2번째 글자는 제어 문자 U+0007입니다. 빼 주세요."


def test_a_message_is_translated_with_the_messages_in_it(korean: None) -> None:
    message = Message("{0} is empty.", Message("Text B"))
    assert translated(message) == "문장 B에 내용이 없습니다."
    assert translated(Message.joined([message, Message("Type a sentence.")])).startswith(translated(message))


def test_a_quoted_argument_is_not_translated(korean: None) -> None:
    message = Message("“{0}” is no piece of this model's vocabulary.", "Text B")
    assert "“Text B”" in translated(message)


def test_the_template_that_says_most_is_taken(korean: None) -> None:
    """ "{0} cannot be read." and "{0} cannot be read: {1}." fit what a longer one is for."""
    assert translated("The arrays of this session, a.npz, cannot be read.").startswith(
        "이 세션의 배열 파일 a.npz"
    )
    assert translated("a b: c. D cannot be read.") == "a b: c. D을(를) 읽을 수 없습니다."


def test_what_is_known_within_a_field_is_said_too(korean: None) -> None:
    said = translated("/a/b could not be written: No space left on device.")
    assert said == "/a/b을(를) 쓰지 못했습니다: 장치에 남은 공간이 없습니다."
    hint = translated("Names are like org/name. There is no folder of that name either.")
    assert hint == "이름은 org/name 꼴입니다. 그런 이름의 폴더도 없습니다."


def test_a_quoted_name_stays_as_it_is(korean: None) -> None:
    assert "“Take it out.”" in translated("“Take it out.” is no piece of this model's vocabulary.")


def test_sentences_are_said_one_by_one(korean: None) -> None:
    said = translated(
        "model.safetensors does not fit config.json. Missing: a.b, c. Task heads that are not used: d."
    )
    assert (
        said
        == "model.safetensors이(가) config.json과 맞지 않습니다. 없는 것: a.b, c. 쓰지 않는 과제용 헤드: d."
    )


def test_what_is_unknown_stays_english(korean: None) -> None:
    assert as_said(FileError("Nobody wrote this. Nor this!", "Take it out.")) == (
        "Nobody wrote this. Nor this! 빼 주세요."
    )
    assert as_said(ValueError("a {0} b")) == "a {0} b"
    assert translated("") == ""


def test_every_template_is_found_again_and_is_korean(korean: None) -> None:
    for template in map(str, TEMPLATES):
        text = template.replace("{0}", "x1").replace("{1}", "y2").replace("{2}", "z3").replace("{3}", "w4")
        said = translated(text)
        assert any("가" <= character <= "힣" for character in said), template
        assert all((field in said) == (field in text) for field in ("x1", "y2", "z3", "w4")), said


def test_english_is_what_was_written(qapp: QApplication) -> None:
    for template in map(str, TEMPLATES):
        text = template.replace("{0}", "“a. B”").replace("{1}", "C. d")
        assert translated(text) == text
