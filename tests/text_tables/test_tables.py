"""Tables of texts: their encodings, columns, rows and what is refused."""

from __future__ import annotations

import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest

from bertviz_app.errors import FileError, Message
from bertviz_app.text_tables.columns import LabelledColumns, labelled_columns
from bertviz_app.text_tables.table import (
    TableChoices,
    TableError,
    TextTable,
    encoding_named,
    find_encoding,
    read_table,
    shown_encoding,
    unpacked,
)
from tests.support.published_tables import N_ROWS, TABLES

Write = Callable[[bytes | str], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def written(content: bytes | str) -> Path:
        path = tmp_path / "rows"
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return written


def _found(path: Path, choices: TableChoices) -> tuple[TextTable, LabelledColumns]:
    table = read_table(path, choices)
    return table, labelled_columns(table, choices)


COLUMNS: dict[str, tuple[str, str, str | None]] = {
    "nsmc": ("label", "document", None),
    "kornli": ("gold_label", "sentence1", "sentence2"),
    "korsts": ("score", "sentence1", "sentence2"),
    "sst2": ("label", "sentence", None),
    "mrpc": ("Quality", "#1 String", "#2 String"),
    "ynat": ("label", "title", None),
    "klue_nli": ("gold_label", "premise", "hypothesis"),
}
"""Of labels, of texts and of second texts."""


def test_names_decide(write: Write) -> None:
    for name, expected in COLUMNS.items():
        table, columns = _found(write(TABLES[name]), TableChoices())
        pair = None if columns.pair is None else table.columns[columns.pair]
        assert (table.columns[columns.label], table.columns[columns.text], pair) == expected, name
        assert not columns.is_by_place
        assert len(table.records) == N_ROWS
        assert not any(record.fault for record in table.records)


@pytest.mark.parametrize(
    ("name", "unclear", "answer"),
    [
        ("kor_hate", ("label_column",), TableChoices("bias")),
        ("cola", ("label_column", "text_column"), TableChoices("2", "4")),
        ("klue_sts", ("label_column",), TableChoices("labels.binary-label")),
    ],
)
def test_where_names_do_not_decide_it_asks(
    write: Write, name: str, unclear: tuple[str, ...], answer: TableChoices
) -> None:
    path = write(TABLES[name])
    with pytest.raises(TableError) as caught:
        _found(path, TableChoices())
    error = caught.value
    assert error.unclear == unclear
    assert isinstance(error.message, Message)
    assert isinstance(error.hint, Message)
    assert "--label-column" in error.hint
    assert all(column in error.hint for column in error.preview.columns)
    assert len(error.preview.rows) == 5
    table, columns = _found(path, answer)
    assert set(table.column(columns.label)) in ({"none", "gender", "others"}, {"0", "1"})


def test_any_encoding_packed_or_not(write: Write) -> None:
    packs: tuple[Callable[[bytes], bytes], ...] = (bytes, gzip.compress, lzma.compress)
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp949"):
        for pack in packs:
            table, columns = _found(write(pack(TABLES["nsmc"].encode(encoding))), TableChoices())
            assert (table.columns[columns.text], len(table.records)) == ("document", N_ROWS), encoding
            assert table.records[2].cells == ("9976972", "cat the 2", "0")
            assert table.records[7].cells[1] == '"fish the 7'


FORMATS = (
    'label,text\n1,"a cat, ""the"" cat"\n0,a fish\n',
    'label;text\n1;"a cat, ""the"" cat"\n0;a fish\n',
    'label\ttext\r\n1\ta cat, "the" cat\r\n0\ta fish',
    'label\ttext\n1\t"a cat, ""the"" cat"\n0\ta fish\n',
    'label␞text\n1␞a cat, "the" cat\n0␞a fish\n',
    'LABEL\tText\r1\ta cat, "the" cat\r0\ta fish\r',
    '{"label": 1, "text": "a cat, \\"the\\" cat"}\n{"text": "a fish", "label": 0}\n',
    '[{"label": 1, "text": "a cat, \\"the\\" cat"},\n {"text": "a fish", "label": 0}]',
    '{"data": [{"label": 1, "text": "a cat, \\"the\\" cat"}, {"text": "a fish", "label": 0}], "n": 2}',
)


def test_every_format_says_the_same(write: Write) -> None:
    for content in FORMATS:
        table, columns = _found(write(content), TableChoices())
        assert table.column(columns.label) == ["1", "0"], content
        assert table.column(columns.text) == ['a cat, "the" cat', "a fish"], content


def test_a_quoted_cell_may_have_several_lines(write: Write) -> None:
    table, columns = _found(write('text,label\n"a cat\nate it",1\na fish,0\n'), TableChoices())
    assert table.column(columns.text) == ["a cat\nate it", "a fish"]
    assert [record.line for record in table.records] == [3, 4]


def test_a_file_without_names_is_read_by_place_only_where_that_is_plain(write: Write) -> None:
    plain = "".join(f"a text of its own {number}\t{number % 2}\n" for number in range(12))
    table, columns = _found(write(plain), TableChoices())
    assert columns == LabelledColumns(1, 0, is_by_place=True)
    assert not table.has_header
    for unclear in (
        "1\ta cat\tate it\n0\ta fish\tate it\n",  # three columns
        "a cat\tate it\na fish\twas it\n",  # two columns of texts
        "yes\tno\nno\tyes\n",  # two columns of labels
        f"what it says\tkind\n{plain}",  # names, but unknown ones
    ):
        with pytest.raises(TableError) as caught:
            _found(write(unclear), TableChoices())
        assert caught.value.unclear == ("label_column", "text_column")
    named = f"what it says\tkind\n{plain}"
    table, columns = _found(write(named), TableChoices("kind", "what it says"))
    assert (table.has_header, len(table.records)) == (True, 12)


def test_columns_by_number_and_names_that_are_not_there(write: Write) -> None:
    path = write(TABLES["kor_hate"])
    table, columns = _found(path, TableChoices("4", "1"))
    assert (table.columns[columns.label], table.columns[columns.text]) == ("hate", "comments")
    for choices, field in (
        (TableChoices("sentiment"), "label_column"),
        (TableChoices("9"), "label_column"),
        (TableChoices("hate", "hate"), "text_column"),
        (TableChoices("hate", "comments", "comments"), "pair_column"),
    ):
        with pytest.raises(TableError) as caught:
            _found(path, choices)
        assert caught.value.unclear == (field,)


def test_one_text_of_a_pair_can_be_chosen(write: Write) -> None:
    _, columns = _found(write(TABLES["kornli"]), TableChoices(text_column="sentence2"))
    assert columns == LabelledColumns(2, 1)


def test_separators_and_encodings_can_be_given(write: Write) -> None:
    piped = "label|text\n1|a cat\n0|a fish\n"
    with pytest.raises(TableError) as caught:
        _found(write(piped), TableChoices())
    assert caught.value.unclear == ("separator",)
    assert "--task" not in caught.value.hint, "a study has no such option"
    with pytest.raises(TableError, match="or --task tokens for a label for each word"):
        labelled_columns(read_table(write(piped), TableChoices()), TableChoices(), of_training=True)
    table, columns = _found(write(piped), TableChoices(separator="|"))
    assert table.column(columns.text) == ["a cat", "a fish"]
    table, _ = _found(write("label\ttext\n1\t고양이\n0\t배\n".encode()), TableChoices(encoding="latin-1"))
    assert table.encoding == "iso8859-1"
    with pytest.raises(FileError, match="There is no encoding “none”"):
        read_table(write(piped), TableChoices(encoding="none"))


def test_rows_that_cannot_be_read_say_why(write: Write) -> None:
    table = read_table(write("label\ttext\n1\t고양이\n0\n1\ta\tb\n1\t".encode() + b"\xff\n"))
    assert [record.fault for record in table.records] == [
        "",
        "Line 3 has 1 column instead of 2.",
        "Line 4 has 3 columns instead of 2.",
        "Line 5 is not UTF-8.",
    ]
    rows = b"label\ttext\n1\ta\n1\tb\xff\n\xef\n0\tc\n"
    table = read_table(write(rows), TableChoices(encoding="utf-8-sig"))
    assert [record.line for record in table.records if "is not UTF-8-SIG" in record.fault] == [3, 4]
    table = read_table(write('{"label": 1, "text": "\\ud83d"}\n{"label": 2, "text": "a"}\n'))
    assert [bool(record.fault) for record in table.records] == [True, False]


def test_a_file_without_rows_is_an_error(write: Write) -> None:
    refused = {
        "": "rows is empty.",
        " \n\t\n": "rows is empty.",
        '{"label": 1}\n' * 9 + '{"label": \n': "rows cannot be read from line 10 on",
        json.dumps({"train": [{"a": 1}], "test": [{"a": 2}]}): "several tables: train, test",
        "[]": "rows is empty.",
    }

    for content, sentence in refused.items():
        with pytest.raises(FileError) as caught:
            read_table(write(content))
        assert sentence in caught.value.message
        assert isinstance(caught.value.message, Message)
        assert caught.value.hint


KOREAN = "id\tdocument\tlabel\n1\t재미있는 영화\t1\n2\t정말 지루했다\t0\n"
CHINESE = "这是一个很好的电影，我非常喜欢它。故事很感人。演员也很好。\n"
JAPANESE = "これはとても面白い映画でした。また見たいと思います。\n"
FRENCH = "Un film très réussi : l’été dernier, le garçon déjà âgé a été reçu à l’école. Où est-ce ? Ça va.\n"
RUSSIAN = "Это очень хороший фильм, мне понравилось.\n"


ENCODED = (
    (KOREAN, "utf-8", "utf-8"),
    (KOREAN, "utf-8-sig", "utf-8"),
    (KOREAN, "utf-16", "utf-16"),
    (KOREAN, "utf-16-le", "utf-16-le"),
    (KOREAN, "utf-16-be", "utf-16-be"),
    (KOREAN, "utf-32", "utf-32"),
    (KOREAN, "cp949", "cp949"),
    ("1\t뷁 똠방각하 펲시콜라 이다\n" * 9, "cp949", "cp949"),  # syllables that EUC-KR does not have
    ("label,text\n긍정,좋아요\n", "euc-kr", "cp949"),
    ("plain words\n", "ascii", "utf-8"),
    ("plain words\tand more\n", "utf-16-le", "utf-16-le"),
    (CHINESE, "gb18030", "gb18030"),
    (JAPANESE, "shift-jis", "cp932"),
    (JAPANESE, "euc-jp", "euc_jp"),
    (RUSSIAN, "cp1251", "cp1251"),
    (FRENCH, "cp1252", "cp1252"),
)


def test_it_is_found_by_the_bytes() -> None:
    found = [(text, encoding, find_encoding(text.encode(encoding))) for text, encoding, _ in ENCODED]
    assert found == list(ENCODED)


def test_a_beginning_may_end_within_a_character() -> None:
    content = KOREAN.encode()
    for size in range(20, len(content)):
        assert find_encoding(content[:size], is_whole=False) == "utf-8"


def test_a_few_damaged_lines_leave_the_rest_utf_8() -> None:
    assert find_encoding(KOREAN.encode() + b"3\tdamaged \xff\t1\n") == "utf-8"
    assert find_encoding("가".encode() + b"\0" * 3 + "나\n".encode()) == "utf-8"


def test_packed_files_are_known_by_their_bytes(tmp_path: Path) -> None:
    content = KOREAN.encode()
    for number, packed in enumerate((content, gzip.compress(content), lzma.compress(content))):
        path = tmp_path / f"{number}.tsv"
        path.write_bytes(packed)
        assert unpacked(path) == KOREAN.encode()
    (tmp_path / "cut.xz").write_bytes(lzma.compress(KOREAN.encode())[:40])
    with pytest.raises(FileError, match="could not be read"):
        unpacked(tmp_path / "cut.xz")


def test_encodings_have_names() -> None:
    assert encoding_named("CP949") == encoding_named("uhc") == "cp949"
    assert shown_encoding("utf-16-le") == "UTF-16-LE"
    for name in ("klingon", "base64", "rot13", ""):
        with pytest.raises(FileError, match="There is no encoding"):
            encoding_named(name)
