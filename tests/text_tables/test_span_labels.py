"""Labels that mark spans: the schemes, and which spans they mean, worked out by hand."""

from __future__ import annotations

import pytest

from bertviz_app.text_tables.token_labels import LabelledSpan, Mark, marks_of, misplaced, scheme_of, spans_of


def _spans(labels: str, continues: str = "") -> list[LabelledSpan]:
    marks = marks_of(set(labels.split()))
    assert marks is not None
    flags = [letter == "1" for letter in continues] or None
    return spans_of([marks[label] for label in labels.split()], flags)


@pytest.mark.parametrize(
    ("labels", "spans"),
    [
        ("O O B-X", [(2, 3, "X")]),
        ("B-X I-X O I-X", [(0, 2, "X"), (3, 4, "X")]),  # IOB1: I after outside begins one
        ("I-X B-X I-X", [(0, 1, "X"), (1, 3, "X")]),  # IOB1: B divides two of a type
        ("B-X I-Y I-Y", [(0, 1, "X"), (1, 3, "Y")]),  # another type begins one
        ("B-X I-X E-X S-X S-X O", [(0, 3, "X"), (3, 4, "X"), (4, 5, "X")]),
        ("S-X I-X E-X", [(0, 1, "X"), (1, 3, "X")]),
        ("B-X E-X I-X", [(0, 2, "X"), (2, 3, "X")]),
        ("B-X L-X U-Y", [(0, 2, "X"), (2, 3, "Y")]),  # BILOU
        ("B-X M-X E-X", [(0, 3, "X")]),  # BMES
        ("PER_B PER_I - DAT_B", [(0, 2, "PER"), (3, 4, "DAT")]),
        ("B-AF_ROAD I-AF_ROAD", [(0, 2, "AF_ROAD")]),
        ("B-A-B I-A-B", [(0, 2, "A-B")]),
    ],
)
def test_spans(labels: str, spans: list[tuple[int, int, str]]) -> None:
    assert _spans(labels) == spans


def test_what_continues_belongs_to_the_span_before() -> None:
    assert _spans("B-X B-X O", "010") == [(0, 2, "X")]
    assert _spans("S-X B-X B-X", "010") == [(0, 2, "X"), (2, 3, "X")]
    assert _spans("O B-X", "01") == []


def test_a_word_without_a_label_is_outside() -> None:
    mark = Mark("I", "X")
    assert spans_of([mark, None, mark]) == [(0, 1, "X"), (2, 3, "X")]


@pytest.mark.parametrize(
    ("sentences", "scheme"),
    [
        (["I-X O I-Y", "I-X B-X"], "IOB1"),
        (["B-X I-X O", "O B-Y"], "IOB2"),
        (["B-X I-X O", "I-X O B-Y"], "IOB2"),
        (["S-X O B-X E-X"], "BIOES"),
        (["B-X L-X U-Y"], "BIOES"),
        (["NOUN VERB O"], ""),
        (["O O"], ""),
        (["B-X NOUN"], ""),
        (["0 1"], ""),
    ],
)
def test_schemes(sentences: list[str], scheme: str) -> None:
    rows = [sentence.split() for sentence in sentences]
    assert scheme_of(rows, marks_of({label for row in rows for label in row})) == scheme


def test_spans_that_begin_with_i_are_counted() -> None:
    rows = [["B-X", "I-X"], ["I-X", "O", "I-Y", "B-Y"]]
    marks = marks_of({label for row in rows for label in row})
    assert marks is not None
    assert misplaced(rows, marks) == 2
