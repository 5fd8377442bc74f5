"""Probabilities of the task heads against those that `transformers` gives: fillers, sentences, classes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch

from bertviz_app import api
from bertviz_app.analysis.predictions import Filling
from tests.support.families import WITH_SEGMENTS, write_family
from tests.support.peers import LIMIT, tensors

if TYPE_CHECKING:
    from transformers import PreTrainedModel

TEXT, PAIR = "The cat ate the fish", "It was hungry"
FAMILIES = (
    "bert",
    "roberta",
    "xlm-roberta",
    "camembert",
    "distilbert",
    "electra",
    "albert",
    "mpnet",
    "modernbert",
)


def _theirs(model: PreTrainedModel, trace: api.Trace) -> Any:
    ids, segment_ids, _ = tensors(trace.tokens)
    segments = {"token_type_ids": segment_ids} if model.config.model_type in WITH_SEGMENTS else {}
    with torch.inference_mode():
        return model(input_ids=ids, **segments)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("pair", [None, PAIR])
def test_fillers(family: str, pair: str | None, tmp_path: Path) -> None:
    theirs = write_family(tmp_path, family, "AutoModelForMaskedLM")
    model = api.open_model(str(tmp_path), "cpu")
    (filling,) = model.fill_mask(TEXT, pair, position=2, top=7)
    trace = model.trace(TEXT, pair, replaced={2: "[MASK]"})
    shares = _theirs(theirs, trace).logits[0, 2].softmax(-1)
    _compare_fillers(filling, shares, trace)
    plain = model.trace(TEXT, pair)
    written = int(plain.tokens.ids[2])
    assert filling.written is not None
    assert (filling.written.id, filling.written.piece) == (written, plain.tokens.pieces[2])
    assert filling.written.rank == int((shares > shares[written]).sum()) + 1
    assert filling.written.probability == pytest.approx(float(shares[written]), abs=LIMIT)


def _compare_fillers(filling: Filling, shares: torch.Tensor, trace: api.Trace) -> None:
    best = shares.topk(7)
    assert filling.is_masked
    assert [one.rank for one in filling.fillers] == list(range(1, 8))
    assert [one.probability for one in filling.fillers] == pytest.approx(best.values.tolist(), abs=LIMIT)
    assert [one.id for one in filling.fillers] == best.indices.tolist()


@pytest.mark.parametrize("family", FAMILIES)
def test_a_mask_in_the_text_is_the_tokenizers_own(family: str, tmp_path: Path) -> None:
    theirs = write_family(tmp_path, family, "AutoModelForMaskedLM")
    model = api.open_model(str(tmp_path), "cpu")
    fillings = model.fill_mask("The [MASK] ate the [MASK]", top=3)
    trace = model.trace(*model.with_own_mask("The [MASK] ate the [MASK]"))
    assert len(fillings) == 2
    logits = _theirs(theirs, trace).logits[0]
    for filling in fillings:
        assert "mask" in trace.tokens.pieces[filling.position].lower()
        assert filling.written is None
        best = logits[filling.position].softmax(-1).topk(3)
        assert [one.probability for one in filling.fillers] == pytest.approx(best.values.tolist(), abs=LIMIT)


@pytest.mark.parametrize(
    ("family", "kind", "is_order"),
    [
        ("bert", "AutoModelForNextSentencePrediction", False),
        ("bert", "AutoModelForPreTraining", False),
        ("albert", "AutoModelForPreTraining", True),
    ],
)
def test_next_sentence(family: str, kind: str, is_order: bool, tmp_path: Path) -> None:
    theirs = write_family(tmp_path, family, kind)
    model = api.open_model(str(tmp_path), "cpu")
    found = model.next_sentence(TEXT, PAIR)
    output = _theirs(theirs, model.trace(TEXT, PAIR))
    logits = next(
        output[name] for name in ("seq_relationship_logits", "sop_logits", "logits") if name in output
    )
    assert found.is_order is is_order
    assert found.probability == pytest.approx(float(logits.softmax(-1)[0, 0]), abs=LIMIT)


@pytest.mark.parametrize(
    ("problem_type", "n_labels", "problem"),
    [
        (None, 3, "single_label_classification"),
        ("single_label_classification", 3, "single_label_classification"),
        ("multi_label_classification", 3, "multi_label_classification"),
        ("multi_label_classification", 1, "multi_label_classification"),
        ("regression", 3, "regression"),
        (None, 1, "regression"),
    ],
)
def test_classes(problem_type: str | None, n_labels: int, problem: str, tmp_path: Path) -> None:
    names = {number: f"class {number}" for number in range(n_labels)}
    settings: dict[str, Any] = {"problem_type": problem_type, "num_labels": n_labels, "id2label": names}
    theirs = write_family(tmp_path, "bert", "AutoModelForSequenceClassification", **settings)
    model = api.open_model(str(tmp_path), "cpu")
    found = model.classify(TEXT, PAIR)
    logits = _theirs(theirs, model.trace(TEXT, PAIR)).logits[0]
    ways = {
        "single_label_classification": logits.softmax(-1),
        "multi_label_classification": logits.sigmoid(),
        "regression": logits,
    }
    values = {names[number]: float(value) for number, value in enumerate(ways[problem])}
    assert found.problem == problem
    assert {label.name: label.value for label in found.labels} == pytest.approx(values, abs=LIMIT)
    if problem != "regression":
        ours = [label.value for label in found.labels]
        assert ours == sorted(ours, reverse=True)


def test_replaced_tokens(tmp_path: Path) -> None:
    theirs = write_family(tmp_path, "electra", "AutoModelForPreTraining")
    model = api.open_model(str(tmp_path), "cpu")
    found = model.replaced_tokens(TEXT, PAIR)
    trace = model.trace(TEXT, PAIR)
    shares = _theirs(theirs, trace).logits[0].sigmoid().tolist()
    assert [one.piece for one in found] == list(trace.tokens.pieces)
    assert [one.position for one in found] == list(range(trace.n_tokens))
    assert [one.probability for one in found] == pytest.approx(shares, abs=LIMIT)
