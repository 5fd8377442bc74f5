"""Outcomes before and after interventions are those of two separate runs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app.api import (
    CellIntervention,
    HeadIntervention,
    Intervention,
    Model,
    Outcome,
    Predictions,
    TokenIntervention,
    open_model,
)
from bertviz_app.types import Floats
from tests.support.families import write_family

TEXT, PAIR = "the cat ate the fish", "it was hungry"
HEADS: list[Intervention] = [
    HeadIntervention(0, 1),
    HeadIntervention(1, 1, "mean", "a mat sat on the hat"),
    HeadIntervention(1, 0, "uniform"),
    CellIntervention(0, 2, 3, 1, 0.8),
]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("bert")
    write_family(folder, "bert", "AutoModelForPreTraining")
    return open_model(str(folder), "cpu")


def _by_kind(found: tuple[Outcome, ...], kind: str) -> list[Outcome]:
    return [one for one in found if one.kind == kind]


def _probability(found: Predictions, piece: str) -> float:
    return next(one.probability for one in found.fillings[0].fillers if one.piece == piece)


def test_masked_tokens_and_next_sentences(model: Model) -> None:
    mask: Intervention = TokenIntervention(3)
    drop: Intervention = TokenIntervention(2, "drop")
    after = model.trace(TEXT, PAIR, interventions=[mask, drop, *HEADS])
    found = model.outcomes(after)
    with_mask, plain = model.trace(TEXT, PAIR, interventions=[mask]), model.trace(TEXT, PAIR)
    size = model.facts.vocabulary_size
    one, two = model.predict(with_mask, [3], top=size), model.predict(after, [2], top=size)
    masked = _by_kind(found, "masked")
    assert masked
    for each in masked:
        assert each.token == 3
        assert each.before == pytest.approx(_probability(one, each.name), abs=1e-6)
        assert each.after == pytest.approx(_probability(two, each.name), abs=1e-6)
    assert {one.fillings[0].fillers[0].piece, two.fillings[0].fillers[0].piece} == {x.name for x in masked}
    (follows,) = _by_kind(found, "next-sentence")
    before, now = model.predict(plain).next_sentence, model.predict(after).next_sentence
    assert before is not None
    assert now is not None
    assert (follows.before, follows.after) == pytest.approx((before.probability, now.probability), abs=1e-6)
    assert abs(follows.after - follows.before) > 1e-4


def _cosine(one: Floats | None, two: Floats | None) -> float:
    assert one is not None
    assert two is not None
    return float(one @ two / (np.linalg.norm(one) * np.linalg.norm(two)))


def test_vectors_before_and_after_and_beside_a_second_run(model: Model) -> None:
    before, after = model.trace(TEXT), model.trace(TEXT, interventions=HEADS)
    other = model.trace("a mat")
    found = model.outcomes(after, other)
    (vector,) = _by_kind(found, "vector")
    assert (vector.name, vector.before) == ("pooled", 1.0)
    assert vector.after == pytest.approx(_cosine(before.pooled, after.pooled), abs=1e-6)
    (beside,) = _by_kind(found, "other")
    assert beside.before == pytest.approx(_cosine(before.pooled, other.pooled), abs=1e-6)
    assert beside.after == pytest.approx(_cosine(after.pooled, other.pooled), abs=1e-6)
    assert not _by_kind(found, "masked")
    assert not _by_kind(found, "next-sentence")


def test_classes(tmp_path: Path) -> None:
    write_family(tmp_path, "bert", "AutoModelForSequenceClassification", num_labels=3)
    model = open_model(str(tmp_path), "cpu")
    after = model.trace(TEXT, interventions=HEADS)
    one, two = model.predict(model.trace(TEXT)).classes, model.predict(after).classes
    assert one is not None
    assert two is not None
    values = ({label.name: label.value for label in classes.labels} for classes in (one, two))
    before, now = values
    found = _by_kind(model.outcomes(after), "class")
    assert found[0].name == one.labels[0].name
    assert {each.name for each in found} == set(before)
    for each in found:
        assert (each.before, each.after) == pytest.approx((before[each.name], now[each.name]), abs=1e-6)


def test_a_sentence_vector(minilm: Path) -> None:
    model = open_model(str(minilm), "cpu")
    before, after = model.trace("A cat ate the fish"), model.trace("A cat ate the fish", muted=[(5, 2)])
    (vector,) = model.outcomes(after)
    if before.sentence_vector is not None:
        assert vector.name == "sentence"
        assert vector.after == pytest.approx(_cosine(before.sentence_vector, after.sentence_vector), abs=1e-6)
    assert vector.after < 1 - 1e-6
