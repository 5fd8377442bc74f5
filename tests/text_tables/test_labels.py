"""Tables with labels of tokens and of spans."""

from __future__ import annotations

import gzip
import lzma
from pathlib import Path

import pytest

from bertviz_app.errors import FileError
from bertviz_app.text_tables.table import TableChoices, TableError
from bertviz_app.text_tables.token_labels import (
    LabelledSpan,
    Mark,
    TokenTable,
    find_token_form,
    marks_of,
    misplaced,
    only_known,
    read_token_table,
    scheme_of,
    spans_of,
    tag_names,
)
from tests.support.refusals import not_refused

CONLL_2003 = """\
-DOCSTART- -X- -X- O

EU NNP B-NP I-ORG
rejects VBZ B-VP O
German JJ B-NP I-MISC
call NN I-NP O
. . O O

Peter NNP B-NP I-PER
Blackburn NNP I-NP I-PER
# # O O
"""
KLUE = """\
## 토큰, 레이블 구분자 : \\t
## 토큰 구분자 : \\n
## 컬럼명 : CHAR\tNE_TAG
## klue-ner-v1_train_00000_wikitree\t특히 <영동:LC> #
특\tO
히\tO
 \tO
영\tB-LC
동\tI-LC
 \tO
#\tO

## klue-ner-v1_train_00001_nsmc\t<한군데:QT>서
한\tB-QT
군\tI-QT
데\tI-QT
서\tO
"""
CONLL_U = """\
# sent_id = 1
# text = Vámonos ya
1-2\tVámonos\t_\t_\t_\t_\t_\t_\t_\t_
1\tVamos\tir\tVERB\tV\t_\t0\troot\t_\t_
2\tnos\tnos\tPRON\tP\t_\t1\tobj\t_\t_
2.1\tx\tx\tX\tX\t_\t_\t_\t_\t_
3\tya\tya\tADV\tA\t_\t1\tadvmod\t_\t_
"""


def _read(folder: Path, content: str | bytes, name: str = "data.txt", **choices: str) -> TokenTable:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_token_table(path, TableChoices(**choices))


def _form(content: str, **choices: str) -> str:
    form = find_token_form("data.txt", content.split("\n"), TableChoices(**choices), is_sure=False)
    return "" if form is None else form.format


def test_conll_2003_has_its_labels_in_the_last_column(tmp_path: Path) -> None:
    table = _read(tmp_path, CONLL_2003)
    assert [" ".join(one.units) for one in table.sentences] == [
        "EU rejects German call .",
        "Peter Blackburn #",
    ]
    assert table.sentences[0].labels == ("I-ORG", "O", "I-MISC", "O", "O")
    assert table.sentences[1].labels == ("I-PER", "I-PER", "O")
    assert (table.scheme, table.notices) == ("IOB1", ())
    assert table.about == (
        "data.txt is read as UTF-8, CoNLL: a label for each word, in column 4 of 4, 2 sentences. "
        "They mark spans by IOB1: MISC, ORG, PER."
    )


def test_another_column_can_be_given(tmp_path: Path) -> None:
    table = _read(tmp_path, CONLL_2003, label_column="2")
    assert table.sentences[1].labels == ("NNP", "NNP", "#")
    assert table.scheme == ""
    assert "The 6 labels mark no spans." in table.about
    with pytest.raises(TableError, match="has no column “9”") as caught:
        _read(tmp_path, CONLL_2003, label_column="9")
    assert caught.value.unclear == ("label_column",)
    assert "4 “I-ORG”" in caught.value.hint
    with pytest.raises(TableError, match="given for two columns"):
        _read(tmp_path, CONLL_2003, label_column="1")


def test_klue_ner_is_read_by_characters_and_blanks_are_lines(tmp_path: Path) -> None:
    table = _read(tmp_path, KLUE)
    assert ["".join(one.units) for one in table.sentences] == ["특히 영동 #", "한군데서"]
    assert table.sentences[0].labels == ("O", "O", "O", "B-LC", "I-LC", "O", "O")
    assert table.form.are_characters
    assert table.about == (
        "data.txt is read as UTF-8, KLUE-NER: a label for each character, 2 sentences. "
        "They mark spans by IOB2: LC, QT."
    )


def test_packed_files_and_other_encodings(tmp_path: Path) -> None:
    expected = _read(tmp_path, KLUE).sentences
    for encoding in ("utf-16", "utf-8-sig", "cp949"):
        assert _read(tmp_path, KLUE.encode(encoding), "ner.tsv").sentences == expected, encoding
    packed = gzip.compress(KLUE.encode()), lzma.compress(KLUE.replace("\n", "\r\n").encode())
    for name, content in zip(("ner.tsv.gz", "ner.tsv.xz"), packed, strict=True):
        assert _read(tmp_path, content, name).sentences == expected, name


def test_conll_u_is_named_and_read_by_the_column_that_is_given(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="is CoNLL-U: it has several columns of labels") as caught:
        _read(tmp_path, CONLL_U)
    assert caught.value.hint == "Give --label-column as one of UPOS, XPOS, DEPREL."
    table = _read(tmp_path, CONLL_U, label_column="upos")
    assert table.sentences == ((("Vamos", "nos", "ya"), ("VERB", "PRON", "ADV")),)
    assert _read(tmp_path, CONLL_U, label_column="DEPREL").labels == ("advmod", "obj", "root")


def test_a_header_names_the_columns(tmp_path: Path) -> None:
    two = "word\tpos\tscore\tO's\nScore\tNN\t1\tx\nO\tNN\t2\ty\n\nword\tXX\t1\tz\n"
    table = _read(tmp_path, two, label_column="pos")
    assert [one.units for one in table.sentences] == [("Score", "O"), ("word",)]
    both = "word\tpos\tner\na\tX\tO\n\nb\tY\tB-P\n"
    with pytest.raises(TableError, match="several columns may be the label: pos, ner"):
        _read(tmp_path, both)
    assert _read(tmp_path, both, label_column="ner").labels == ("B-P", "O")


def test_words_that_are_numbered_and_types_before_the_letters(tmp_path: Path) -> None:
    table = _read(
        tmp_path, "1\t비토리오\tPER_B\n2\t양일\tDAT_B\n3\t만에\t-\n\n1\t감호\tCVL_B\n2\t씨\tCVL_I\n"
    )
    assert table.sentences[1] == (("감호", "씨"), ("CVL_B", "CVL_I"))
    assert table.scheme == "IOB2"
    assert "CVL, DAT, PER" in table.about


def test_comments_are_no_words(tmp_path: Path) -> None:
    comments = {"# id 12 domain=en\n": (), "# sent_id = 1 2\n": (), "# _ _ O\n": ("#",)}
    for comment, words in comments.items():
        table = _read(tmp_path, f"{comment}the _ _ O\nking _ _ B-PER\n\nthe _ _ O\nking _ _ B-PER\n")
        assert table.sentences[0].units == (*words, "the", "king")


def test_a_sentence_and_its_labels_in_a_line(tmp_path: Path) -> None:
    rows = "이동욱 님 재치도\tPER-B O O\n서울 갔다\tLOC-B O\n좋다\tO\n" * 9 + "두 단어\tO\n"
    table = _read(tmp_path, rows)
    assert table.sentences[0] == (("이동욱", "님", "재치도"), ("PER-B", "O", "O"))
    assert table.notices == ("data.txt: 1 of 28 sentences cannot be used.", "Line 28 has no label.")
    assert _form(rows) == table.form.format == "NAVER NER"
    assert table.scheme == "IOB2"
    assert _form("some words\tgood bad\nothers here\tgood good\n") == ""


def test_hashtags_are_words(tmp_path: Path) -> None:
    assert _read(tmp_path, "#Brexit\tO\n@a\tB-P\n# \tO\n").sentences[0].units == ("#Brexit", "@a", "#")


def test_sentences_with_bad_lines_are_left_out_and_named_by_their_lines(tmp_path: Path) -> None:
    good = "a\tO\nb\tB-P\n\n" * 20
    bad = b"a\n\na\tO\tO\n\na\t\n\n\tO\n\n" + b"a\tO\n\xff\tO\n\n"
    table = _read(tmp_path, good.encode() + bad, encoding="utf-8")
    assert len(table.sentences) == 20
    assert table.notices == (
        "data.txt: 5 of 25 sentences cannot be used.",
        "Line 61 has 1 column instead of 2.",
        "Line 63 has 3 columns instead of 2.",
        "Line 65 has no label.",
        "Line 67 has no word.",
        "Line 70 is not UTF-8.",
    )


def test_spans_that_do_not_begin_with_b_are_counted(tmp_path: Path) -> None:
    table = _read(tmp_path, "a\tB-P\nb\tI-P\nc\tI-Q\n\na\tI-P\nb\tO\n")
    assert table.scheme == "IOB2"
    assert table.notices == ("data.txt: spans that begin with I, not with B: 2.",)


def test_what_is_no_such_file_is_an_error(tmp_path: Path) -> None:
    refused = {
        "word\nonly\n": "has no label for each word or character",
        "a\tO\n" * 2_001: "has no blank lines: all 2,001 words would be one sentence",
        "".join(f"w{number}\tx{number}\n\n" for number in range(300)): "has 300 different values",
        "-DOCSTART- O\n\n\n": "no label for each word",
    }
    assert not_refused(refused.items(), lambda content: _read(tmp_path, content), FileError) == []


OF_TOKENS = (
    CONLL_2003,
    KLUE,
    "서울 B-LOC\n은 O\n\n나 O\n",
    "the\tDT\ncat\tNN\nate\tVB\n\nit\tDT\nate\tVB\nit\tDT\n",
    "단어\ttag\n서울\tB-LOC\n은\tO\n\n나\tO\n",
)
OF_TEXTS = (
    "1\ta cat\n0\ta fish\n",
    "text,label\na,1\nb,0\n",
    "id\tdocument\tlabel\n1\t좋다\t1\n2\t나쁘다\t0\n",
    "좋다\t1\n\n나쁘다\t0\n\n좋다\t1\n",
    "좋다\t1\n나쁘다\t0\n좋다\t1\n",
    '{"text": "a", "label": 1}\n',
    "gj04\t1\t\tOur friends.\ngj04\t0\t*\tOne more.\n",
    "",
)


def test_files_of_token_labels_are_recognised_and_tables_of_texts_are_not_taken_for_them() -> None:
    assert [content for content in OF_TOKENS if not _form(content)] == []
    assert {content: _form(content) for content in OF_TEXTS} == dict.fromkeys(OF_TEXTS, "")


def test_labels_outside_spans_come_first(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a B-P\nb O\n\nc I-P\n")
    table = read_token_table(tmp_path / "a.txt")
    assert tag_names(table) == ("O", "B-P", "I-P")
    (tmp_path / "b.txt").write_text("a O\nb O\n\nc O\n")
    with pytest.raises(FileError, match=r"All words of b\.txt have the label “O”"):
        tag_names(read_token_table(tmp_path / "b.txt"))


def test_sentences_with_unknown_labels_are_not_evaluated(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a B-P\nb O\n\nc B-Q\n")
    table = read_token_table(tmp_path / "a.txt")
    left = only_known(table, ("O", "B-P", "I-P"))
    assert len(left.sentences) == 1
    assert left.notices == (
        "a.txt: 1 of 2 sentences cannot be used.",
        "A sentence has the label “B-Q”, which is not among those learnt.",
    )
    with pytest.raises(
        FileError, match="every sentence has a label that is not among those learnt: B-P, B-Q, O"
    ):
        only_known(table, ("X",))


def _spans(labels: str, continues: str = "") -> list[LabelledSpan]:
    marks = marks_of(set(labels.split()))
    assert marks is not None
    flags = [letter == "1" for letter in continues] or None
    return spans_of([marks[label] for label in labels.split()], flags)


SPANS = {
    "O O B-X": [(2, 3, "X")],
    "B-X I-X O I-X": [(0, 2, "X"), (3, 4, "X")],  # IOB1: I after outside begins one
    "I-X B-X I-X": [(0, 1, "X"), (1, 3, "X")],  # IOB1: B divides two of a type
    "B-X I-Y I-Y": [(0, 1, "X"), (1, 3, "Y")],  # another type begins one
    "B-X I-X E-X S-X S-X O": [(0, 3, "X"), (3, 4, "X"), (4, 5, "X")],
    "S-X I-X E-X": [(0, 1, "X"), (1, 3, "X")],
    "B-X E-X I-X": [(0, 2, "X"), (2, 3, "X")],
    "B-X L-X U-Y": [(0, 2, "X"), (2, 3, "Y")],  # BILOU
    "B-X M-X E-X": [(0, 3, "X")],  # BMES
    "PER_B PER_I - DAT_B": [(0, 2, "PER"), (3, 4, "DAT")],
    "B-AF_ROAD I-AF_ROAD": [(0, 2, "AF_ROAD")],
    "B-A-B I-A-B": [(0, 2, "A-B")],
}


def test_spans() -> None:
    assert {labels: _spans(labels) for labels in SPANS} == SPANS


def test_what_continues_belongs_to_the_span_before() -> None:
    assert _spans("B-X B-X O", "010") == [(0, 2, "X")]
    assert _spans("S-X B-X B-X", "010") == [(0, 2, "X"), (2, 3, "X")]
    assert _spans("O B-X", "01") == []


def test_a_word_without_a_label_is_outside() -> None:
    mark = Mark("I", "X")
    assert spans_of([mark, None, mark]) == [(0, 1, "X"), (2, 3, "X")]


SCHEMES = {
    ("I-X O I-Y", "I-X B-X"): "IOB1",
    ("B-X I-X O", "O B-Y"): "IOB2",
    ("B-X I-X O", "I-X O B-Y"): "IOB2",
    ("S-X O B-X E-X",): "BIOES",
    ("B-X L-X U-Y",): "BIOES",
    ("NOUN VERB O",): "",
    ("O O",): "",
    ("B-X NOUN",): "",
    ("0 1",): "",
}


def test_schemes() -> None:
    rows = {sentences: [sentence.split() for sentence in sentences] for sentences in SCHEMES}
    assert {
        sentences: scheme_of(row, marks_of({label for labels in row for label in labels}))
        for sentences, row in rows.items()
    } == SCHEMES


def test_spans_that_begin_with_i_are_counted() -> None:
    rows = [["B-X", "I-X"], ["I-X", "O", "I-Y", "B-Y"]]
    marks = marks_of({label for row in rows for label in row})
    assert marks is not None
    assert misplaced(rows, marks) == 2
