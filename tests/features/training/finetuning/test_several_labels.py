"""Several labels a row: read, asked about, trained with a sigmoid for each, and read by transformers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from bertviz_app import api
from bertviz_app.features.corpora.process.studies import read_labelled
from bertviz_app.features.training.finetuning.run import finetune
from bertviz_app.features.training.finetuning.settings import (
    MultiLabelEvaluation,
    Rows,
    SpanCounts,
    label_names,
    label_notices,
    read_rows,
)
from bertviz_app.features.training.process.job import as_held_out
from bertviz_app.features.training.settings import TrainingError, read_record
from bertviz_app.text_tables.table import BY_CONTENT, TableChoices, TableError
from tests.support.checkpoint_folders import opened
from tests.support.training_texts import TUNING, TuningFollower, base_of

JIGSAW = "id,comment_text,toxic,threat,insult\n1,a,1,0,1\n2,b,0,0,0\n3,c,0,1,-1\n4,d,0,1,0\n"
GO_EMOTIONS = "nice,14\nodd text,2\t14\n".replace(",", "\t").replace("2\t14", "2,14")


def _read(tmp_path: Path, content: str, choices: TableChoices = BY_CONTENT) -> Rows:
    path = tmp_path / "rows.txt"
    path.write_text(content, encoding="utf-8")
    return read_rows(path, choices)


def _lines(*labels: object, key: str = "label") -> str:
    return "".join(json.dumps({"text": f"text {at}", key: one}) + "\n" for at, one in enumerate(labels))


def _labels(rows: Rows) -> list[tuple[str, ...] | None]:
    return [row.labels for row in rows.rows]


def test_a_list_of_one_label_is_that_label(tmp_path: Path) -> None:
    rows = _read(tmp_path, _lines(["pos"], ["neg"], ["pos"]))
    assert rows.kind == "classes"
    assert [row.label for row in rows.rows] == ["pos", "neg", "pos"]
    assert label_names(rows) == ("neg", "pos")
    assert [item.label for item in read_labelled(tmp_path / "rows.txt")] == ["pos", "neg", "pos"]


@pytest.mark.parametrize(
    ("content", "choices", "expected"),
    [
        (_lines(["pos", "neg"], [], ["neg"]), BY_CONTENT, [("pos", "neg"), (), ("neg",)]),
        (_lines([2, 14], [3], key="labels"), BY_CONTENT, [("2", "14"), ("3",)]),
        ("text\tlabels\na\t['x', 'y']\nb\t[]\n", BY_CONTENT, [("x", "y"), ()]),
        ("__label__x __label__y a text\n__label__y more\n", BY_CONTENT, [("x", "y"), ("y",)]),
        (GO_EMOTIONS, TableChoices("2", "1", target="multi_label"), [("14",), ("2", "14")]),
        ("text\tlabel\na\tx|y, z\nb\tz\n", TableChoices(target="multi_label"), [("x", "y, z"), ("z",)]),
        (_lines(["pos"], ["neg"]), TableChoices(target="multi_label"), [("pos",), ("neg",)]),
    ],
)
def test_several_labels_are_read(
    content: str, choices: TableChoices, expected: list[tuple[str, ...]], tmp_path: Path
) -> None:
    rows = _read(tmp_path, content, choices)
    assert _labels(rows) == expected
    assert rows.kind == "multi_label"
    (said,) = [one for one in label_notices(rows) if "of which a row may have several or none" in one]
    assert said.endswith("predicted from a probability of 0.5 on, which is not chosen on any rows.")


def test_columns_of_0_and_1_are_given_together(tmp_path: Path) -> None:
    with pytest.raises(TableError, match="does not show which column") as raised:
        _read(tmp_path, JIGSAW.replace("-1", "0"))
    way_out = "Columns of 0 and 1 are given together: --label-column toxic,threat,insult."
    assert raised.value.hint.endswith(way_out)
    assert raised.value.preview.flags == (2, 3, 4)
    rows = _read(tmp_path, JIGSAW, TableChoices("toxic, threat,insult", "comment_text"))
    assert _labels(rows) == [("toxic", "insult"), (), ("threat",)]
    assert rows.columns == ("toxic, threat, insult", "comment_text", "")
    assert rows.notices[-1] == "Line 4: “-1” in column insult is neither 0 nor 1."
    rows = _read(tmp_path, JIGSAW, TableChoices("toxic,insult", "comment_text"))
    assert label_names(rows) == ("insult", "toxic")
    with pytest.raises(TableError, match="has no column “toxid”"):
        _read(tmp_path, JIGSAW, TableChoices("toxid,threat", "comment_text"))
    items = list(read_labelled(tmp_path / "rows.txt", TableChoices("toxic,insult", "comment_text")))
    assert items[0].label == '{"toxic": true, "insult": true}'
    assert items[1].label == '{"toxic": false, "insult": false}'
    assert (items[2].label, items[2].fault) == ("", "Line 4: “-1” in column insult is neither 0 nor 1.")


SCORES = "sentence1\tsentence2\tscore\na\tb\t0\nc\td\t5\ne\tf\t3\ng\th\t5\n"


@pytest.mark.parametrize(
    ("content", "choices", "message", "answers"),
    [
        (
            GO_EMOTIONS,
            TableChoices("2", "1"),
            "column 2 has labels such as “2,14”: one label, or several.",
            {"multi_label": ["14", "2, 14"], "classes": ["14", "2,14"]},
        ),
        (
            SCORES,
            BY_CONTENT,
            "column score has 3 whole numbers: classes, or scores.",
            {"scores": ["0", "5", "3", "5"], "classes": ["0", "5", "3", "5"]},
        ),
    ],
)
def test_what_is_not_plain_is_asked(
    content: str, choices: TableChoices, message: str, answers: dict[str, list[str]], tmp_path: Path
) -> None:
    with pytest.raises(TableError) as raised:
        _read(tmp_path, content, choices)
    assert raised.value.unclear == ("target",)
    assert raised.value.message.endswith(message)
    for target, labels in answers.items():
        assert f"--task {target}" in raised.value.hint
        rows = _read(tmp_path, content, replace(choices, target=target))
        assert [row.label for row in rows.rows] == labels
        assert rows.kind == target
        assert rows.has_scores == (target == "scores")


def test_classes_of_pairs_and_stars_are_not_asked_about(tmp_path: Path) -> None:
    assert not _read(tmp_path, SCORES.replace("score", "label").replace("\t5\n", "\t1\n")).has_scores
    stars = "text\tstars\n" + "".join(f"text {at}\t{at % 5 + 1}\n" for at in range(10))
    assert len(label_names(_read(tmp_path, stars))) == 5


def test_a_row_with_two_labels_is_no_class(tmp_path: Path) -> None:
    rows = _read(tmp_path, _lines(["pos"], ["pos", "neg"], ["neg"], []), TableChoices(target="classes"))
    assert [row.label for row in rows.rows] == ["pos", "neg"]
    assert rows.notices[2:] == ("Line 2 has 2 labels instead of one.", "Line 4 has 0 labels instead of one.")


def test_one_label_that_some_rows_lack_can_be_learnt(tmp_path: Path) -> None:
    assert label_names(_read(tmp_path, _lines(["spam"], []))) == ("spam",)
    with pytest.raises(TrainingError, match="have the label “spam”"):
        label_names(_read(tmp_path, _lines(["spam"], ["spam"]), TableChoices(target="multi_label")))


NAMES = ("cat", "fish", "was")


def _write(path: Path, n_rows: int, seed: int) -> Path:
    """Write texts whose labels are those of NAMES that are words of them."""
    source = np.random.default_rng(seed)
    words = ("the", "cat", "fish", "was", "hungry", "it", "ate", "a")
    texts = [" ".join(source.choice(words, 4)) for _ in range(n_rows)]
    rows = [{"text": text, "label": [name for name in NAMES if name in text.split()]} for text in texts]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def _f1(true: Sequence[bool], found: Sequence[bool]) -> float:
    both, some = sum(a and b for a, b in zip(true, found, strict=True)), sum(true) + sum(found)
    return 2 * both / some if both else 0.0


def test_it_is_trained_saved_and_read_as_by_transformers(tiny_bert: Path, tmp_path: Path) -> None:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    data, test = _write(tmp_path / "data.jsonl", 120, 1), _write(tmp_path / "test.jsonl", 40, 2)
    settings = replace(TUNING, epochs=8, rate=3e-3, evaluate_every=1_000)
    follower, out = TuningFollower(), tmp_path / "out"
    last = finetune(base_of(tiny_bert), data, out, settings, follower, test=test)
    assert isinstance(last, MultiLabelEvaluation)
    assert tuple(one.type for one in last.counts) == NAMES
    assert last.thresholds == (0.5, 0.5, 0.5)
    assert last.micro_f1 > 0.75 > 0.5 > last.baseline > 0
    lines = [line for line in read_record(out) if line["kind"] == "held-out"]
    assert as_held_out(lines[-1]) == last

    theirs, tokenizer = (
        AutoModelForSequenceClassification.from_pretrained(out),
        AutoTokenizer.from_pretrained(out),
    )
    assert theirs.config.problem_type == "multi_label_classification"
    rows = read_rows(test, TableChoices(target="multi_label")).rows
    true = np.array([[name in (row.labels or ()) for name in NAMES] for row in rows])
    with torch.inference_mode():
        inputs = tokenizer([row.text for row in rows], padding=True, return_tensors="pt")
        output = theirs.eval()(**inputs, labels=torch.from_numpy(true).float())
    found = torch.sigmoid(output.logits).numpy() >= 0.5
    by_label = [_f1(true[:, at].tolist(), found[:, at].tolist()) for at in range(3)]
    assert [one.f1 for one in last.counts] == pytest.approx(by_label)
    assert last.macro_f1 == pytest.approx(np.mean(by_label))
    assert last.micro_f1 == pytest.approx(_f1(true.ravel().tolist(), found.ravel().tolist()))
    assert last.loss == pytest.approx(float(output.loss), abs=1e-5)

    model = api.open_model(str(out), "cpu")
    classes = model.classify(rows[0].text)
    assert classes.problem == "multi_label_classification"
    expected = dict(zip(NAMES, torch.sigmoid(output.logits[0]).tolist(), strict=True))
    assert {one.name: one.value for one in classes.labels} == pytest.approx(expected, abs=1e-5)
    card = (out / "README.md").read_text("utf-8")
    assert f"micro F1 **{last.micro_f1:.1%}**, macro F1 {last.macro_f1:.1%}" in card
    assert "The thresholds are stated, and not chosen on any rows." in card


def test_labels_that_are_never_there_count_as_sklearn_counts_them() -> None:
    """sklearn.metrics.f1_score(y, p, average=…, zero_division=0), y = 101, 100, 000, p = 110, 110, 000."""
    counts = SpanCounts("a", 2, 2, 2), SpanCounts("b", 0, 2, 0), SpanCounts("c", 1, 0, 0)
    found = MultiLabelEvaluation(1, 3, 0.5, 0.5, counts, (0.5,) * 3)
    assert found.macro_f1 == pytest.approx(1 / 3)
    assert found.micro_f1 == pytest.approx(4 / 7)


def test_one_label_alone_is_a_class_and_no_number(tiny_bert: Path, tmp_path: Path) -> None:
    data = _write(tmp_path / "data.jsonl", 24, 3)
    rows = [json.loads(line) for line in data.read_text("utf-8").splitlines()]
    data.write_text(_lines(*(["cat"] if "cat" in row["label"] else [] for row in rows)), encoding="utf-8")
    finetune(base_of(tiny_bert), data, tmp_path / "out", replace(TUNING, epochs=1), TuningFollower())
    assert opened(tmp_path / "out").task_heads is not None
    classes = api.open_model(str(tmp_path / "out"), "cpu").classify("a cat")
    assert classes.problem == "multi_label_classification"
    assert 0 < classes.labels[0].value < 1
