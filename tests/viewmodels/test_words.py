"""What the layers without Qt write for people, and names found by what people type."""

from __future__ import annotations

import ast
import io
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from pytestqt.qtbot import QtBot

from bertviz_app import open_model, text_tables
from bertviz_app.errors import AppError, FileError, Message
from bertviz_app.features.corpora.process.measuring import LineReader, TextReading
from bertviz_app.features.corpora.process.run import MeasuredBlocks, nothing_measured
from bertviz_app.features.corpora.process.studies import READERS
from bertviz_app.features.corpora.views.history import TrainingTime
from bertviz_app.features.training.settings import read_documents
from bertviz_app.features.training.state import look_at
from bertviz_app.inference.jobs import Jobs
from bertviz_app.text import Edits, Tokens
from bertviz_app.text.edits import TokenIntervention, with_edits
from bertviz_app.text_tables.table import BY_CONTENT, TableChoices, TableError
from bertviz_app.viewmodels.name_search import Names, NameSearch
from bertviz_app.viewmodels.results import Tasks
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


NAMES = (
    Names("수업 목록 …", "All lessons … list"),
    Names("패널의 수치 저장 …", "Save the panel's numbers …"),
    Names("어텐션 엔트로피", "Attention entropy"),
    Names("Head ablation", "How much does the outcome change with each head muted?"),
    Names("Larger text", "bigger font"),
    Names("모르는 낱말", "Unknown words"),
)


def found(typed: str) -> list[str]:
    return [NAMES[index].shown for index in NameSearch(NAMES).find(typed)]


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("lesson list", "수업 목록 …"),
        ("list lesson", "수업 목록 …"),
        ("each head muted", "Head ablation"),
        ("muted heads", "Head ablation"),  # "heads" is in no name: taken for "head"
        ("entrpoy", "어텐션 엔트로피"),
        ("Lagrer", "Larger text"),
        ("bigger", "Larger text"),
        ("수업목록", "수업 목록 …"),  # no space
        ("수엄", "수업 목록 …"),  # a wrong final consonant
        ("unknown zebra", "모르는 낱말"),  # the best there is: one word is nowhere
    ],
)
def test_words_are_found_in_any_order_and_with_typing_errors(typed: str, shown: str) -> None:
    assert found(typed) == [shown]


def test_every_state_of_a_syllable_that_is_being_composed_finds_the_finished_word() -> None:
    for typed in ("ㅁ", "모", "몰", "모르", "모른", "모르느", "모르는"):
        assert "모르는 낱말" in found(typed)
    assert found("수어") == found("수업") == ["수업 목록 …"]
    assert len(found("수")) == 2


def test_who_types_a_word_right_is_not_offered_similar_ones() -> None:
    names = NameSearch([Names("Next head"), Names("Heat map"), Names("Read a file")])
    assert names.find("head") == [0]
    assert NameSearch(NAMES).find("xyzzy") == []
    assert NameSearch(NAMES).find("unknown larger xyzzy") == []


def test_the_best_is_first_and_nothing_typed_finds_all_in_their_order() -> None:
    names = NameSearch([Names("Overheads"), Names("Plain", "heads"), Names("All heads")])
    assert names.find("head") == [2, 1, 0]
    assert names.find("  …") == [0, 1, 2]
    assert NameSearch([]).find("head") == []


def test_the_number_of_a_station_is_one_word() -> None:
    names = NameSearch([Names("1 (lesson 4.2)"), Names("Pieces (lesson 1.2)"), Names("Ids (lesson 2.1)")])
    assert names.find("lesson 2.1") == names.find("2.1") == [2]
    models = NameSearch([Names("bge-small-en-v1.5"), Names("bge-small-en-v2.1")])
    assert models.find("v1.5") == models.find("1.5") == [0]
    heads = NameSearch([Names("Head 5·3"), Names("Head 3·5")])
    assert heads.find("3.5") == heads.find("3·5") == [1]


_WORDS = "".join(f"{at}\tword\t_\tNOUN\t_\t_\t0\troot\t_\t_\n" for at in range(1, 4)) + "\n"
_TAGS = "word\tner\tpos\n" + "the\tO\tDET\ncat\tB-X\tNOUN\n\n" * 20
_CHOSEN = "\n\n".join("the O\ncat B-X" for _ in range(20)) + "\n"
_ROWS = "label\ttext\n" + "a\tgood\nb\tbad\n" * 5
_FLAGS = "id,comment,toxic,threat\n1,a b,1,0\n2,c d,0,0\n"
_SCORES = "sentence1\tsentence2\tscore\n" + "".join(f"a {n}\tb {n}\t{n % 6}\n" for n in range(12))
_SPANS = '{"text": "a b", "label": [[0, 1, "X"]], "entities": [[0, 1, "Y"]]}\n'
_Read = Callable[[Path], object]


def _tuned(choices: TableChoices = BY_CONTENT) -> _Read:
    def read(path: Path) -> None:
        error = look_at(path, None, choices).error
        if error is not None:
            raise error

    return read


def _measured(reading: TextReading) -> _Read:
    return lambda path: LineReader((str(path),), reading).form(str(path))


def _parquet() -> bytes:
    content = io.BytesIO()
    parquet.write_table(pa.table({"title": ["a"], "text": ["b c"]}), content)
    return content.getvalue()


CASES: tuple[tuple[str | bytes, _Read], ...] = (
    ("a b c\td e f\tg h i\n" * 3, _tuned()),
    ("one\ntwo\n", _tuned(TableChoices(target="classes"))),
    ("one\ntwo\n", lambda path: list(READERS["labelled"](path, BY_CONTENT))),
    (_ROWS.replace("text", "what"), _tuned()),
    (_ROWS.replace("label", "what"), _tuned()),
    ("label\ttext\tcomment\n" + "a\tb c\td e\n" * 5, _tuned()),
    ("label\tintent\ttext\n" + "a\tb\td e\n" * 5, _tuned()),
    (_ROWS, _tuned(TableChoices(label_column="hate"))),
    (_ROWS, _tuned(TableChoices(text_column="label", label_column="label"))),
    (_ROWS, lambda path: list(READERS["pairs"](path, TableChoices(text_column="text")))),
    (_FLAGS, _tuned()),
    (_SCORES, _tuned()),
    ("text\tlabel\na b\t2,14\nc d\t2\n", _tuned()),
    ('text\tlabel\na b\t[{"a": 1}]\n', _tuned()),
    ('{"text": "a b"}\n' * 3, _tuned()),
    (_parquet(), _measured(TextReading())),
    (_parquet(), lambda path: read_documents(path)),
    (_WORDS * 5, _tuned()),
    (_WORDS * 5, _tuned(TableChoices(label_column="hate"))),
    (_TAGS, _tuned()),
    (_CHOSEN, _tuned(TableChoices(target="tokens", label_column="9"))),
    (_SPANS * 3, _tuned()),
    (bytes(range(128, 256)) * 3, _tuned()),
    (b"label\ttext\n" + "고양이\t배\n".encode("cp949") * 9, _tuned(TableChoices(encoding="utf-8"))),
    ("고양이\n배\n".encode("cp949"), _measured(TextReading(encoding="utf-8"))),
    (_FLAGS, _measured(TextReading())),
    (_FLAGS, _measured(TextReading(column="body"))),
    ('{"a": "x y", "b": "z"}\n' * 3, lambda path: read_documents(path, "c")),
    ('{"a": "x y", "b": "z"}\n' * 3, _measured(TextReading())),
)


def _errors(folder: Path) -> Iterator[AppError]:
    for number, (content, read) in enumerate(CASES):
        path = folder / f"{number}.txt"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        try:
            read(path)
        except AppError as error:
            yield error


def _hints_with_options() -> set[str]:
    """Return the templates of hints in each function of `text_tables` that names an option."""
    found = set()
    for file in Path(text_tables.__path__[0]).glob("*.py"):
        for function in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(function, ast.FunctionDef):
                texts = [one.value for one in ast.walk(function) if isinstance(one, ast.Constant)]
                if any(isinstance(text, str) and text.startswith("--") for text in texts):
                    found |= {text for text in texts if isinstance(text, str) and text.startswith("Give ")}
    return found


def _templates(hint: str) -> Iterator[str]:
    if isinstance(hint, Message):
        yield hint.template
        for part in hint.arguments:
            if isinstance(part, Message):
                yield from _templates(part)


def test_no_option_and_no_keyword_is_named_in_the_window(tmp_path: Path) -> None:
    errors = list(_errors(tmp_path))
    seen = {template for error in errors for template in _templates(error.hint)}
    expected = _hints_with_options()
    assert len(expected) >= 9
    assert expected <= seen, "each of them is among the cases"
    for error in errors:
        words = error_text(error)
        assert "--" not in words
        assert not re.search(r"\b[a-z_]+=", words), words
        if "--" in error.hint:
            assert isinstance(error, TableError)
            assert "Make your choice in “" in words
            assert words.endswith("”, below the first rows.")


def test_each_way_out_names_the_boxes_in_which_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(_FLAGS)
    look = look_at(path, None, BY_CONTENT)
    assert look.error is not None
    assert "--label-column toxic,threat" in look.error.hint
    assert error_text(look.error) == (
        "a.csv does not show which column has the labels. Make your choice in “Label”, below the first rows."
    )


def test_what_only_a_prompt_has_is_left_out() -> None:
    found = MeasuredBlocks([], "a.csv", Counter({"undecodable": 2, "long": 1, "damaged": 1}))
    error = nothing_measured(LineReader(("a.txt",), n_lines=4), found)
    assert "--truncate" in error.hint
    assert error_text(error).endswith(
        ": damaged 1, long 1, undecodable 2. All are named in a.csv. "
        "Make your choice in “Encoding”, below the first rows. Correct what is named there."
    )


def test_where_no_column_is_asked_for_a_text_is(qtbot: QtBot, tmp_path: Path) -> None:
    path, errors, jobs = tmp_path / "a.csv", list[Exception](), Jobs("test")
    path.write_text(_FLAGS)
    for step in (1, 2):
        (tmp_path / f"checkpoint-{step}").mkdir()
        (tmp_path / f"checkpoint-{step}" / "config.json").write_text("{}")
    jobs.start()
    TrainingTime(Tasks(jobs), errors.append).open(tmp_path, path)
    qtbot.waitUntil(lambda: bool(errors))
    jobs.close()
    (error,) = errors
    assert isinstance(error, FileError)
    assert "is a table (separated by comma" in error.message
    assert error.hint == "Give a file of text, a sentence a line."
