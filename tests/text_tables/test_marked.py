"""Spans of doccano and lists of words: read as labels of characters and of words."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from bertviz_app.errors import FileError
from bertviz_app.features.corpora.studies.marked_texts import read_labelled_words
from bertviz_app.text_tables.table import BY_CONTENT, TableChoices, TableError
from bertviz_app.text_tables.token_labels import TokenTable, has_token_labels, read_token_table, spans_of

TEXT = "Ann met Jo An."


def _write(path: Path, *rows: object) -> Path:
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), encoding="utf-8")
    return path


def _spans(table: TokenTable, at: int) -> list[tuple[str, str]]:
    """Return the text and the type of each span of a sentence."""
    sentence = table.sentences[at]
    found = spans_of([(table.marks or {})[label] for label in sentence.labels])
    return [("".join(sentence.units[first:last]), kind) for first, last, kind in found]


@pytest.mark.parametrize(
    "row",
    [
        {"text": TEXT, "label": [[8, 13, "PER"], [0, 3, "PER"], [4, 7, "ACT"]]},
        {
            "id": 3,
            "text": TEXT,
            "entities": [
                {"id": 1, "label": "PER", "start_offset": 8, "end_offset": 13},
                {"id": 2, "label": "PER", "start_offset": 0, "end_offset": 3},
                {"id": 4, "label": "ACT", "start_offset": 3, "end_offset": 7},
            ],
            "relations": [],
        },
        {
            "text": TEXT,
            "label": [
                {"start": 8, "end": 13, "text": "Jo An", "labels": ["PER"]},
                {"start": 0, "end": 3, "text": "Ann", "labels": ["PER"]},
                {"start": 4, "end": 7, "text": "met", "labels": ["ACT"]},
            ],
        },
    ],
)
def test_spans_are_labels_of_characters(row: dict[str, object], tmp_path: Path) -> None:
    empty = {name: [] if isinstance(value, list) else value for name, value in row.items()}
    path = _write(tmp_path / "rows.jsonl", row, empty)
    assert has_token_labels(path)
    table = read_token_table(path)
    assert _spans(table, 0) == [("Ann", "PER"), ("met", "ACT"), ("Jo An", "PER")]
    assert set(table.sentences[1].labels) == {"O"}
    assert "".join(table.sentences[0].units) == TEXT
    column = "entities" if "entities" in row else "label"
    assert table.about == (
        f"rows.jsonl is read as UTF-8: spans in column {column}, 2 texts. They mark spans by IOB2: ACT, PER."
    )
    with pytest.raises(FileError, match="has labels of characters; labels of words are needed"):
        list(read_labelled_words(path))


def test_spans_that_no_tagger_learns_are_counted(tmp_path: Path) -> None:
    bad = [[[0, 99, "A"]], [[3, 3, "A"]], [[0, 3, "A"], [2, 7, "B"]], [[3, 4, "A"]], [[-3, 3, "A"]]]
    rows = [{"text": TEXT, "label": spans} for spans in [[[0, 3, "A"]], *bad]]
    table = read_token_table(_write(tmp_path / "rows.jsonl", *rows, {"text": "", "label": []}))
    assert len(table.sentences) == 1
    assert table.faults == (
        "Line 2: no word of the text is at 0:99.",
        "Line 3: no word of the text is at 3:3.",
        "Line 4: the span 2:7 overlaps another; a token has one label.",
        "Line 5: no word of the text is at 3:4.",
        "Line 6: no word of the text is at -3:3.",
        "Line 7 has no text.",
    )


def test_lists_of_words_have_a_label_for_each(tmp_path: Path) -> None:
    columns = {"tokens": [["Ann", "met", "Jo"], ["so"]], "ner_tags": [[1, 0, 1], [0]]}
    names = {"ner_tags": {"_type": "List", "feature": {"_type": "ClassLabel", "names": ["O", "B-PER"]}}}
    facts = {"huggingface": json.dumps({"info": {"features": names}})}
    path = tmp_path / "rows.parquet"
    parquet.write_table(pa.table(columns).replace_schema_metadata(facts), path)
    assert has_token_labels(path)
    table = read_token_table(path)
    assert table.sentences[0] == (("Ann", "met", "Jo"), ("B-PER", "O", "B-PER"))
    assert table.about.startswith(
        "rows.parquet is read as Parquet, lists: a label for each word, in column ner_tags of 2, 2 sentences."
    )
    items = list(read_labelled_words(path))
    assert [(item.line, item.text, item.marks) for item in items] == [
        (1, "Ann met Jo", ((0, 3, "B-PER"), (4, 7, "O"), (8, 10, "B-PER"))),
        (2, "so", ((0, 2, "O"),)),
    ]


def test_the_column_of_several_is_asked_for(tmp_path: Path) -> None:
    row = {"tokens": ["Ann", "met"], "pos_tags": ["N", "V"], "ner_tags": ["B-PER", "O"]}
    short = {"tokens": ["Ann", "met"], "pos_tags": ["N", "V"], "ner_tags": ["O"]}
    path = _write(tmp_path / "rows.jsonl", row, short)
    with pytest.raises(TableError, match="several columns may be the label: pos_tags, ner_tags") as raised:
        has_token_labels(path)
    assert raised.value.unclear == ("label_column",)
    table = read_token_table(path, TableChoices("ner_tags"))
    assert table.sentences == ((("Ann", "met"), ("B-PER", "O")),)
    assert table.faults == ("Line 2 has 2 words and 1 labels.",)
    unnamed = _write(tmp_path / "unnamed.jsonl", {"essay": TEXT, "label": [[0, 3, "PER"]]})
    with pytest.raises(TableError, match="does not show which column has the texts"):
        has_token_labels(unnamed)
    assert _spans(read_token_table(unnamed, TableChoices(text_column="essay")), 0) == [("Ann", "PER")]


def test_labels_of_texts_are_none_of_tokens(tmp_path: Path) -> None:
    path = _write(
        tmp_path / "rows.jsonl", {"text": TEXT, "label": ["pos", "neg"]}, {"text": "b", "label": []}
    )
    assert not has_token_labels(path, BY_CONTENT)
