"""A classifier on a file: predictions against `transformers`, and what they add up to by hand."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bertviz_app.analysis.model_access import ModelAccess
from bertviz_app.analysis.parameters import Reporter
from bertviz_app.api import open_model
from bertviz_app.errors import AnalysisError
from bertviz_app.features.corpora.studies.classifier import (
    JudgedParameters,
    JudgedTexts,
    _by_class,
    _calibration,
    judged_texts,
)
from bertviz_app.features.corpora.studies.study import Measured, Unit
from bertviz_app.text import Tokens
from bertviz_app.text_tables.items import Item
from bertviz_app.trace import Trace
from tests.support.families import write_family
from tests.support.peers import EngineModel
from tests.support.studied import run_here

NAMES = {0: "bad", 1: "good", 2: "so so"}
TEXTS = (
    *("the cat ate it", "it was hungry", "the dog", "a mat sat on the hat", "fish", "the fish ate the cat"),
    *("it", "the cat was hungry because it ate", "dog and fish", "the hat", "a dog sat", "the mat was it"),
)
LABELS = ("good", "bad", "so so") * 4


def _write(folder: Path, **options: Any) -> Path:
    names: dict[str, Any] = {"id2label": NAMES, "label2id": {name: at for at, name in NAMES.items()}}
    write_family(folder, "bert", "AutoModelForSequenceClassification", num_labels=3, **names, **options)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _write(tmp_path_factory.mktemp("classes") / "bert")


def _items(labels: tuple[str, ...] = LABELS) -> list[Item]:
    return [
        Item(at + 1, text, None, label) for at, (text, label) in enumerate(zip(TEXTS, labels, strict=True))
    ]


def _found(folder: Path, items: list[Item], block: int = 32, **parameters: Any) -> JudgedTexts:
    model = EngineModel(folder)

    def record(tokens: Tokens) -> Trace:
        raise NotImplementedError

    def work(access: ModelAccess) -> JudgedTexts:
        units = [Unit(item, access.checkpoint.tokens(item.text, item.pair)) for item in items]
        measured = Measured(units, access, record)
        found: JudgedTexts = run_here(
            judged_texts, measured, JudgedParameters(**parameters), Reporter(), block
        )
        return found

    return model.with_model(model.trace("it"), work)


def _peer(folder: Path, text: str, pair: str | None = None) -> np.ndarray[Any, Any]:
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    model = AutoModelForSequenceClassification.from_pretrained(folder).double().eval()
    with torch.no_grad():
        inputs = AutoTokenizer.from_pretrained(folder)(text, pair, return_tensors="pt")
        found: np.ndarray[Any, Any] = model(**inputs).logits[0].softmax(-1).numpy()
    return found


def test_predictions_are_those_of_transformers_one_text_at_a_time(folder: Path) -> None:
    found = _found(folder, _items())
    expected = np.array([_peer(folder, text) for text in TEXTS])
    np.testing.assert_allclose(found.named["probabilities"], expected, atol=1e-5)
    confusion = np.zeros((3, 3))
    numbers = {name: at for at, name in NAMES.items()}
    for label, row in zip(LABELS, expected, strict=True):
        confusion[numbers[label], row.argmax()] += 1
    np.testing.assert_array_equal(found.named["values"], confusion)
    accuracy = float(found.facts["accuracy"])
    assert accuracy == pytest.approx(np.trace(confusion) / len(TEXTS))
    assert float(found.facts["low"]) < accuracy < float(found.facts["high"])
    assert found.facts["commonest"] == pytest.approx(4 / 12)
    blocks = _found(folder, _items(), block=5)
    np.testing.assert_allclose(blocks.named["probabilities"], found.named["probabilities"], atol=1e-6)
    np.testing.assert_array_equal(blocks.named["values"], found.named["values"])


def test_errors_stand_first_the_surest_before_the_others(folder: Path) -> None:
    found = _found(folder, _items())
    rows: list[Any] = list(found.as_table().rows)
    assert found.as_table().columns[:4] == ("line", "text", "label", "predicted")
    is_wrong = [row[2] != row[3] for row in rows]
    assert is_wrong == sorted(is_wrong, reverse=True)
    assert {True, False} == set(is_wrong)
    sure = [max(row[4:]) for row, wrong in zip(rows, is_wrong, strict=True) if wrong]
    assert sure == sorted(sure, reverse=True)
    assert {row[0] for row in rows} == set(range(1, 13))


def test_pairs_are_read_as_pairs(folder: Path) -> None:
    found = _found(folder, [Item(1, "the cat", "it ate", "bad")])
    np.testing.assert_allclose(found.named["probabilities"][0], _peer(folder, "the cat", "it ate"), atol=1e-5)
    assert found.as_table().columns[2] == "second_text"


def test_labels_are_names_or_numbers_of_classes_or_as_the_user_says(folder: Path) -> None:
    by_name = _found(folder, _items())
    by_number = _found(folder, _items(("1", "0", "2") * 4))
    np.testing.assert_array_equal(by_name.named["values"], by_number.named["values"])
    given = _found(folder, _items(("pos", "neg", "x") * 4), labels="pos=good, neg = bad, x=2")
    np.testing.assert_array_equal(by_name.named["values"], given.named["values"])
    with pytest.raises(AnalysisError, match=r"The labels pos, neg, x are no classes .*: bad, good, so so"):
        _found(folder, _items(("pos", "neg", "x") * 4))
    for wrong in ("pos", "pos=", "pos=fine", "=good"):
        with pytest.raises(AnalysisError, match="does not say which class"):
            _found(folder, _items(), labels=wrong)
    assert by_number.facts["labels"] == "0=bad, 1=good, 2=so so"
    assert given.facts["labels"] == "pos=good, neg=bad, x=so so"
    assert "labels" not in by_name.facts


def test_stars_are_those_of_the_names(tmp_path: Path) -> None:
    stars = {0: "1 star", 1: "2 stars", 2: "3 stars"}
    folder = tmp_path / "bert"
    names: dict[str, Any] = {"id2label": stars, "label2id": {name: at for at, name in stars.items()}}
    write_family(folder, "bert", "AutoModelForSequenceClassification", num_labels=3, **names)
    by_name = _found(folder, _items(("1 star", "2 stars", "2 stars") * 4))
    by_number = _found(folder, _items(("1", "2", "2") * 4))
    np.testing.assert_array_equal(by_number.named["values"], by_name.named["values"])
    assert by_number.facts["labels"] == "1=1 star, 2=2 stars, 3=3 stars"
    with pytest.raises(AnalysisError, match=r"label 0 .* parameter labels"):
        _found(folder, _items(("0", "1", "2") * 4))


def test_a_hand_computed_calibration_and_f1() -> None:
    confidence, is_right = np.array([0.55, 0.95, 1.0, 0.58]), np.array([False, True, True, True])
    found = _calibration(confidence, is_right, 10)
    np.testing.assert_allclose(found[5], [2, 0.565, 0.5])
    np.testing.assert_allclose(found[9], [2, 0.975, 1.0], err_msg="1 is in the last part")
    assert np.isnan(found[0, 1:]).all()
    by_class = _by_class(np.array([[3.0, 1.0], [2.0, 4.0]]))
    np.testing.assert_allclose(by_class[0], [3 / 5, 3 / 4, 2 * 3 / 9])
    empty = _by_class(np.array([[2.0, 0.0], [0.0, 0.0]]))
    assert math.isnan(empty[1, 0])


def test_the_calibration_error_is_that_of_its_parts(folder: Path) -> None:
    found = _found(folder, _items(), bins=4)
    count, mean, right = np.nan_to_num(found.named["calibration"]).T
    assert count.sum() == len(TEXTS)
    assert found.facts["calibration error"] == pytest.approx((count * abs(mean - right)).sum() / 12, abs=1e-6)


def test_slices_are_by_words_and_by_length(folder: Path) -> None:
    found = _found(folder, _items(), slices="CAT, zebra")
    cat, zebra, *by_length = found.named["slices"].tolist()
    assert found.slices[0].name == "“CAT”"
    assert cat[0] == sum("cat" in text for text in TEXTS)
    assert zebra[0] == 0
    assert math.isnan(zebra[1])
    assert sum(row[0] for row in by_length) == len(TEXTS), "every text has one length"


def test_what_is_no_classifier_is_refused(tmp_path: Path) -> None:
    several = _write(tmp_path / "several", problem_type="multi_label_classification")
    with pytest.raises(AnalysisError, match="does not choose one of several"):
        _found(several, _items())
    model = open_model()
    refusal = judged_texts.refuses(model.trace("it").form, model.facts.task_heads)
    assert refusal is not None
    assert "does not tell classes" in refusal.message


def test_a_file_without_labels_is_refused(folder: Path) -> None:
    with pytest.raises(AnalysisError, match="No text of this file has a label"):
        _found(folder, [])
