"""Parsed sentences: words, spaces, words written as one, empty nodes, and every fault by its line."""

from __future__ import annotations

import gzip
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from bertviz_app.errors import FileError
from bertviz_app.features.corpora.studies.marked_texts import main_relation, read_labelled_words, read_parses
from bertviz_app.paths import resources
from bertviz_app.text_tables.items import ROOT, Item
from bertviz_app.text_tables.table import TableChoices, TableError

EXAMPLES = resources() / "examples"


def _line(number: int, form: str, head: int | str, relation: str, misc: str = "_", upos: str = "X") -> str:
    return "\t".join([str(number), form, "_", upos, "_", "_", str(head), relation, "_", misc])


def _file(tmp_path: Path, *lines: str, name: str = "a.conllu") -> Path:
    path = tmp_path / name
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _words(item: Item) -> list[str]:
    return [item.text[start:end] for start, end, _ in item.marks]


GOOD = (
    _line(1, "Cats", 2, "nsubj"),
    _line(2, "sleep", 0, "root", "SpaceAfter=No"),
    _line(3, ".", 2, "punct"),
)


def test_text_is_made_of_words_and_spaces(tmp_path: Path) -> None:
    (item,) = read_parses(_file(tmp_path, "# sent_id = 1", *GOOD))
    assert (item.text, item.line, item.fault) == ("Cats sleep.", 1, "")
    assert _words(item) == ["Cats", "sleep", "."]
    assert item.heads == (1, ROOT, 1)
    assert [label for *_, label in item.marks] == ["nsubj", "root", "punct"]


def test_second_sentence_has_its_line(tmp_path: Path) -> None:
    one, two = read_parses(_file(tmp_path, *GOOD, "", "", "# c", *GOOD))
    assert (one.line, two.line) == (1, 6)


APART = (
    "1-2\tdon't" + "\t_" * 8,
    _line(1, "do", 3, "aux"),
    _line(2, "n't", 3, "advmod"),
    _line(3, "go", 0, "root"),
    "4-5\tdu" + "\t_" * 7 + "\tSpaceAfter=No",
    _line(4, "de", 3, "case"),
    _line(5, "le", 3, "det"),
    _line(6, ".", 3, "punct"),
)
NODE = "2.1\tlikes" + "\t_" * 6 + "\t2:conj\t_"
DECOMPOSED = unicodedata.normalize("NFD", "고양이가")


@pytest.mark.parametrize(
    ("lines", "text", "words"),
    [
        (("# text = Cats  sleep.", *GOOD), "Cats  sleep.", "Cats sleep ."),
        (APART, "don't go du.", "do n't go du du ."),
        ((*GOOD[:2], NODE, GOOD[2]), "Cats sleep.", "Cats sleep ."),
        ((_line(1, DECOMPOSED, 2, "nsubj"), _line(2, "잔다", 0, "root")), "고양이가 잔다", "고양이가 잔다"),
    ],
    ids=["text of the comment", "words written as one", "an empty node", "decomposed Hangul"],
)
def test_words_have_their_spans_in_the_text(
    tmp_path: Path, lines: tuple[str, ...], text: str, words: str
) -> None:
    (item,) = read_parses(_file(tmp_path, *lines))
    assert item.text == text
    assert _words(item) == words.split()


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ((GOOD[0], "2\tsleep\t0"), "Line 2 has 3 columns instead of 10."),
        ((GOOD[0], "sleep"), "Line 2 has 1 column instead of 10."),
        ((GOOD[0], _line(3, "sleep", 0, "root")), "Line 2 has the number 3 instead of 2."),
        ((GOOD[0], _line(2, " ", 0, "root")), "Line 2 has no word."),
        ((GOOD[0], _line(2, "sleep", 0, "_")), "Line 2 has no relation."),
        ((GOOD[0], _line(2, "sleep", "x", "root")), "Line 2: its head cannot be “x”."),
        ((GOOD[0], _line(2, "sleep", 2, "root")), "Line 2: its head cannot be “2”."),
        ((GOOD[0], _line(2, "sleep", 7, "root")), "Line 2: its head cannot be “7”."),
        ((GOOD[0], _line(2, "sleep", 1, "obj")), "Line 1: the sentence has no root."),
        ((_line(1, "Cats", 0, "root"), _line(2, "sleep", 0, "root")), "Line 2: a second root."),
        (
            (_line(1, "a", 0, "root"), _line(2, "b", 3, "x"), _line(3, "c", 2, "x")),
            "Line 2: its heads lead in a circle, not to the root.",
        ),
        (
            ("# text = Cats slept.", *GOOD),
            "Line 3 has “sleep” where the text of the sentence has “slept”.",
        ),
        (("# text = Cats sleep. No", *GOOD), "Line 1: no word of the sentence is “No”."),
        (("2-3\tab" + "\t_" * 8, *GOOD), "Line 1: the range 2-3 is not of the words after it."),
        (("1-4\tab" + "\t_" * 8, *GOOD), "Line 4 ends the sentence before all its words are there."),
    ],
)
def test_fault_is_named_with_its_line_and_the_others_are_read(
    tmp_path: Path, lines: tuple[str, ...], fault: str
) -> None:
    damaged, good = read_parses(_file(tmp_path, *lines, "", *GOOD))
    assert damaged.fault == fault
    assert damaged.text == ""
    assert good.text == "Cats sleep."


def test_line_of_another_encoding_is_a_fault(tmp_path: Path) -> None:
    path = _file(tmp_path, *GOOD, "", *GOOD)
    text = path.read_bytes()
    path.write_bytes(text.replace(b"Cats", b"C\xe4ts", 1) + (b"\n" + text) * 9)
    first, *others = read_parses(path)
    assert first.fault == "Line 1 is not UTF-8."
    assert not any(item.fault for item in others)


def test_packed_and_cp949_are_read(tmp_path: Path) -> None:
    path = tmp_path / "ko.conllu.gz"
    path.write_bytes(gzip.compress((EXAMPLES / "parses_ko.conllu").read_text("utf-8").encode("cp949")))
    assert [item.text for item in read_parses(path)] == [
        item.text for item in read_parses(EXAMPLES / "parses_ko.conllu")
    ]


@pytest.mark.parametrize("content", ["The cat sat.\nIt slept.\n", "a\tb\nc\td\n"])
def test_other_files_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "texts.txt"
    path.write_text(content)
    with pytest.raises(FileError, match="is no CoNLL-U file"):
        list(read_parses(path))
    with pytest.raises(FileError):
        list(read_parses(tmp_path / "none.conllu"))


@pytest.mark.parametrize(("name", "n_words"), [("en", 101), ("ko", 58)])
def test_own_examples_are_without_faults(name: str, n_words: int) -> None:
    items = list(read_parses(EXAMPLES / f"parses_{name}.conllu"))
    assert not [item.fault for item in items if item.fault]
    assert sum(len(item.marks) for item in items) == n_words


def test_subtypes() -> None:
    assert main_relation("nsubj:pass") == main_relation("nsubj") == "nsubj"


# labels of words


def test_labels_of_a_column_of_conllu() -> None:
    path = EXAMPLES / "parses_en.conllu"
    item = next(read_labelled_words(path, TableChoices(label_column="UPOS")))
    assert [label for *_, label in item.marks] == ["DET", "NOUN", "VERB", "ADP", "DET", "NOUN", "PUNCT"]
    assert item.heads == ()
    with pytest.raises(TableError, match="several columns of labels"):
        next(read_labelled_words(path))


def test_word_without_a_label_is_a_fault(tmp_path: Path) -> None:
    path = _file(tmp_path, *GOOD, "", _line(1, "Sleep", 0, "root", upos="_"))
    one, two = read_labelled_words(path, TableChoices(label_column="UPOS"))
    assert (one.fault, two.fault) == ("", "Line 5 has no label.")


def test_columns_of_words_and_labels(tmp_path: Path) -> None:
    path = _file(tmp_path, "EU B-ORG", "rejects O", "", "Peter B-PER", "sleeps", "", "Ann B-PER", "ate O")
    items = list(read_labelled_words(path))
    good = [item for item in items if not item.fault]
    assert [item.text for item in good] == ["EU rejects", "Ann ate"]
    assert [item.line for item in good] == [1, 7]
    assert _words(good[0]) == ["EU", "rejects"]
    assert [item.fault for item in items if item.fault] == ["Line 5 has 1 column instead of 2."]


def test_labels_of_characters_are_refused(tmp_path: Path) -> None:
    lines = [f"{letter}\tO" for letter in "특히 영동 서울 가 나"]
    with pytest.raises(FileError, match="labels of characters"):
        list(read_labelled_words(_file(tmp_path, "## klue-ner", *lines)))


@given(st.data())
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_files_give_sentences_or_faults(tmp_path: Path, data: st.DataObject) -> None:
    """Whatever a line has become: each sentence is right in itself, or a fault that names a line."""
    lines = (EXAMPLES / "parses_en.conllu").read_text("utf-8").split("\n")[:40]
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(lines) - 1))
        cells = lines[at].split("\t")
        cells[data.draw(st.integers(0, len(cells) - 1))] = data.draw(
            st.sampled_from(
                ["", "_", "0", "7", "1-2", "2.1", "-1", "x y", "é", "#", "\u0661", "999999999999"]
            )
        )
        lines[at] = "\t".join(cells)
    for item in read_parses(_file(tmp_path, *lines)):
        if item.fault:
            assert item.fault.startswith("Line ")
            continue
        assert len(item.heads) == len(item.marks)
        assert item.heads.count(ROOT) == 1
        assert all(item.text[start:end].strip() for start, end, _ in item.marks)
