"""Task heads and what they predict against `transformers`."""

from __future__ import annotations

from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from bertviz_app import api
from bertviz_app.analysis.predictions import Filling
from bertviz_app.errors import CheckpointError
from bertviz_app.trace.provenance import Logits
from tests.support.checkpoint_folders import change_config, opened
from tests.support.exactness import passes
from tests.support.families import (
    FAMILIES,
    WITH_SEGMENTS,
    WITHOUT_CLASSIFIER,
    WITHOUT_MASKED_HEAD,
    write_family,
)
from tests.support.peers import LIMIT, compare, outputs, tensors
from tests.support.plugins import Difference, Note, largest

if TYPE_CHECKING:
    from transformers import PreTrainedModel

pytestmark = pytest.mark.filterwarnings("ignore::bertviz_app.errors.TruncationWarning")

TEXTS = [
    ("The cat ate the fish because it was hungry", None),
    ("The cat ate the fish", "It was hungry."),
    (" ".join(["a cat ate the fish"] * 30), None),
]
MASKED, CLASSES = ("masked", "AutoModelForMaskedLM"), ("classes", "AutoModelForSequenceClassification")
LABELS = ("token_labels", "AutoModelForTokenClassification")
ANSWER = ("answer", "AutoModelForQuestionAnswering")
OTHER_BIASES = {
    "classifier_bias": True,
    "decoder_bias": False,
    "norm_bias": True,
    "classifier_activation": "silu",
}
ABSENT = {
    *(("nomic_bert", "answer"), ("esm", "answer"), ("gte", "answer")),  # transformers has no such model
    ("big_bird", "answer"),  # a feed-forward part of its own, which is not read
    ("longformer", "answer"),  # transformers reads pairs alone; see below
}
KINDS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    f"{family}, {kind}": (
        family,
        kind,
        made_by,
        {"num_labels": 5} if kind in ("classes", "token_labels") else {},
    )
    for family in FAMILIES
    for kind, made_by in (MASKED, CLASSES, LABELS, ANSWER)
    if family not in (WITHOUT_MASKED_HEAD if kind == "masked" else WITHOUT_CLASSIFIER)
    if (family, kind) not in ABSENT
} | {
    "bert, pre-training": ("bert", "next_sentence", "AutoModelForPreTraining", {}),
    "bert, next sentence": ("bert", "next_sentence", "AutoModelForNextSentencePrediction", {}),
    "bert, masked, own table": ("bert", *MASKED, {"tie_word_embeddings": False}),
    "deberta-v2, masked, layout of its authors": ("deberta-v2", *MASKED, {"legacy": False}),
    "deberta-v2, masked, own table": ("deberta-v2", *MASKED, {"tie_word_embeddings": False}),
    "deberta-v2, classes, tanh": ("deberta-v2", *CLASSES, {"pooler_hidden_act": "tanh", "num_labels": 3}),
    "albert, sentence order": ("albert", "next_sentence", "AutoModelForPreTraining", {}),
    "modernbert, masked, other biases": ("modernbert", *MASKED, OTHER_BIASES),
    "modernbert, masked, own table": ("modernbert", *MASKED, {"tie_word_embeddings": False}),
    "modernbert, classes, other biases": ("modernbert", *CLASSES, OTHER_BIASES | {"num_labels": 3}),
    # The error of two small numbers, as means are, is a matter of chance; that of forty is not.
    "modernbert, classes of the mean": (
        "modernbert",
        *CLASSES,
        {"classifier_pooling": "mean", "num_labels": 40},
    ),
    "modernbert, token labels, other biases": ("modernbert", *LABELS, OTHER_BIASES | {"num_labels": 3}),
    "modernbert, answer, other biases": ("modernbert", *ANSWER, OTHER_BIASES),
    "mobilebert, pre-training": ("mobilebert", "next_sentence", "AutoModelForPreTraining", {}),
    "mobilebert, next sentence": ("mobilebert", "next_sentence", "AutoModelForNextSentencePrediction", {}),
    "mobilebert, masked, own table": ("mobilebert", *MASKED, {"tie_word_embeddings": False}),
    "electra, replaced": ("electra", "replaced", "AutoModelForPreTraining", {}),
}
THEIRS = {
    "masked": ("logits", "prediction_logits"),
    "next_sentence": ("seq_relationship_logits", "sop_logits", "logits"),
    "classes": ("logits",),
    "replaced": ("logits",),
    "token_labels": ("logits",),
}


@pytest.mark.parametrize("kind", KINDS)
def test_logits(kind: str, tmp_path: Path, note: Note) -> None:
    family, head, made_by, sizes = KINDS[kind]
    model = write_family(tmp_path, family, made_by, **sizes)
    ours = api.open_model(str(tmp_path), "cpu")
    assert head in ours.facts.task_heads
    unused = [remark for remark in ours.facts.remarks if "Task heads" in remark]
    assert len(unused) == (family == "esm")  # which also has a head for contacts
    found = []
    for text, pair in TEXTS:
        trace = ours.trace(text, pair)
        logits, both = ours.logits(trace), _both(model, trace)
        found.append(_compare(trace, both, logits, head))
        if made_by == "AutoModelForPreTraining" and family != "electra":
            found.append(_compare(trace, both, logits, "masked", "prediction_logits"))
    apart = reduce(largest, found)
    note(kind, apart)
    assert apart.of_bound <= 1


@pytest.mark.parametrize("question", ["Who ?", "What did the cat eat, and why did it eat that fish ?"])
@pytest.mark.parametrize("n_repeats", [1, 30])
def test_answers_of_longformer(question: str, n_repeats: int, tmp_path: Path, note: Note) -> None:
    model = write_family(tmp_path, "longformer", ANSWER[1])
    ours = api.open_model(str(tmp_path), "cpu")
    trace = ours.trace(question, " ".join(["a cat ate the fish"] * n_repeats))
    found = _compare(trace, _both(model, trace), ours.logits(trace), "answer")
    note("longformer, answer", found)
    assert found.of_bound <= 1


@pytest.mark.parametrize("n_repeats", [1, 30])
def test_the_choices_of_longformer_are_global(n_repeats: int, tmp_path: Path, note: Note) -> None:
    model = write_family(tmp_path, "longformer", "AutoModelForMultipleChoice")
    ours = api.open_model(str(tmp_path), "cpu")
    assert any("second text have global attention" in remark for remark in ours.facts.remarks)
    trace = ours.trace("What did the cat eat ?", " ".join(["a cat ate the fish"] * n_repeats))
    ids, _, _ = tensors(trace.tokens)
    found = compare(trace, *passes(model, lambda: outputs(model, input_ids=ids[None])))
    note("longformer, multiple choice", found)
    assert found.of_bound <= 1


def _both(model: PreTrainedModel, trace: api.Trace) -> tuple[Any, Any]:
    """Return what `model` computes of the tokens of `trace`, in float32 and in float64."""
    ids, segment_ids, _ = tensors(trace.tokens)
    segments = {"token_type_ids": segment_ids} if model.config.model_type in WITH_SEGMENTS else {}
    return passes(model, lambda: outputs(model, input_ids=ids, **segments))


def _compare(trace: api.Trace, both: tuple[Any, Any], logits: Logits, head: str, *names: str) -> Difference:
    theirs, exact = (_logits(output, head, *names) for output in both)
    return compare(trace, *both, (_of(logits, head), theirs, exact))


def _logits(theirs: Any, head: str, *names: str) -> NDArray[np.float32]:
    if head == "answer":
        return np.stack([theirs[name][0].numpy() for name in ("start_logits", "end_logits")], -1)
    found = next(theirs[name] for name in (names or THEIRS[head]) if name in theirs)
    array: NDArray[np.float32] = found[0].numpy()
    return array


def _of(logits: Logits, head: str) -> NDArray[np.float32]:
    array: NDArray[np.float32] = getattr(logits, head)
    assert not array.flags.writeable
    return array


def test_classes_have_their_names(tmp_path: Path) -> None:
    labels = {0: "bad", 1: "good", 2: "so so"}
    write_family(tmp_path, "bert", "AutoModelForSequenceClassification", id2label=labels, num_labels=3)
    model = api.open_model(str(tmp_path), "cpu")
    logits = model.logits(model.trace("The cat"))
    assert logits.labels == ("bad", "good", "so so")
    assert logits.masked is None
    assert logits.next_sentence is None
    assert logits.replaced is None


def test_a_model_without_task_heads_has_no_logits(tmp_path: Path) -> None:
    write_family(tmp_path, "roberta")
    model = api.open_model(str(tmp_path), "cpu")
    logits = model.logits(model.trace("The cat"))
    assert model.facts.task_heads == ()
    assert (logits.masked, logits.next_sentence, logits.replaced, logits.classes) == (None,) * 4


def test_a_classifier_without_a_task_and_answers_with_three_outputs_are_not_used(tmp_path: Path) -> None:
    write_family(tmp_path / "labels", "bert", "AutoModelForTokenClassification")
    change_config(tmp_path / "labels", architectures=["BertForMultipleChoice"])
    write_family(tmp_path / "answers", "bert", "AutoModelForQuestionAnswering", num_labels=3)
    for folder, head in (("labels", "classifier"), ("answers", "qa_outputs")):
        checkpoint = opened(tmp_path / folder)
        assert checkpoint.facts.task_heads == ()
        assert set(checkpoint.report.task_heads) == {f"{head}.weight", f"{head}.bias"}


def test_labels_of_tokens_have_their_names(tmp_path: Path) -> None:
    labels = {0: "O", 1: "B-PER", 2: "I-PER"}
    model = write_family(tmp_path, "roberta", LABELS[1], id2label=labels, num_labels=3)
    ours = api.open_model(str(tmp_path), "cpu")
    found = ours.label_tokens("The cat ate the fish", top=2)
    trace = ours.trace("The cat ate the fish")
    shares = torch.from_numpy(_logits(_both(model, trace)[0], "token_labels")).softmax(-1)
    assert [token.position for token in found] == list(range(trace.n_tokens))
    for token, row in zip(found, shares, strict=True):
        values, ids = row.topk(2)
        assert [label.name for label in token.labels] == [labels[int(number)] for number in ids]
        assert [label.value for label in token.labels] == pytest.approx(values.tolist(), abs=1e-6)


def test_answers_are_the_likeliest_spans_of_the_second_text(tmp_path: Path) -> None:
    model = write_family(tmp_path, "roberta", ANSWER[1])
    ours = api.open_model(str(tmp_path), "cpu")
    question, text = "What did the cat eat ?", "The cat ate the fish because it was hungry."
    trace = ours.trace(question, text)
    starts, ends = torch.from_numpy(_logits(_both(model, trace)[0], "answer")).double().T
    inside = torch.from_numpy(trace.tokens.sentences == 1)
    allowed = inside.clone()
    allowed[0] = True
    starts, ends = (row.masked_fill(~allowed, -torch.inf).softmax(0) for row in (starts, ends))
    spans = {
        (first, last): float(starts[first] * ends[last])
        for first in range(trace.n_tokens)
        for last in range(first, trace.n_tokens)
        if inside[first] and inside[last]
    }
    expected = sorted(spans, key=lambda span: -spans[span])[:10]
    found = ours.answer(question, text)
    assert [(span.first, span.last) for span in found.spans] == expected
    assert [span.probability for span in found.spans] == pytest.approx(
        [spans[at] for at in expected], abs=1e-6
    )
    assert found.nothing == pytest.approx(float(starts[0] * ends[0]), abs=1e-6)
    for span in found.spans:
        begin, end = trace.tokens.spans[span.first, 0], trace.tokens.spans[span.last, 1]
        assert span.text == text[begin:end] != ""


def test_half_a_head_is_a_remark(tmp_path: Path) -> None:
    write_family(tmp_path, "roberta", "AutoModelForMaskedLM", tie_word_embeddings=True)
    assert opened(tmp_path).facts.task_heads == ("masked",)
    change_config(tmp_path, tie_word_embeddings=False)  # and the file holds no table of its own
    checkpoint = opened(tmp_path)
    assert checkpoint.facts.task_heads == ()
    assert "lm_head.dense.weight" in checkpoint.report.task_heads


def test_a_trace_of_another_model_is_refused(tmp_path: Path) -> None:
    write_family(tmp_path / "one", "bert")
    write_family(tmp_path / "other", "bert", num_hidden_layers=1)
    one, other = (api.open_model(str(tmp_path / name), "cpu") for name in ("one", "other"))
    with pytest.raises(CheckpointError, match="another checkpoint"):
        one.logits(other.trace("The cat"))


TEXT, PAIR = "The cat ate the fish", "It was hungry"
PREDICTING = ("bert", "roberta", "albert", "mpnet", "modernbert")


def _their_predictions(model: PreTrainedModel, trace: api.Trace) -> Any:
    ids, segment_ids, _ = tensors(trace.tokens)
    segments = {"token_type_ids": segment_ids} if model.config.model_type in WITH_SEGMENTS else {}
    with torch.inference_mode():
        return model(input_ids=ids, **segments)


@pytest.mark.parametrize("family", PREDICTING)
@pytest.mark.parametrize("pair", [None, PAIR])
def test_fillers(family: str, pair: str | None, tmp_path: Path) -> None:
    theirs = write_family(tmp_path, family, "AutoModelForMaskedLM")
    model = api.open_model(str(tmp_path), "cpu")
    (filling,) = model.fill_mask(TEXT, pair, position=2, top=7)
    trace = model.trace(TEXT, pair, replaced={2: "[MASK]"})
    shares = _their_predictions(theirs, trace).logits[0, 2].softmax(-1)
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


@pytest.mark.parametrize("family", PREDICTING)
def test_a_mask_in_the_text_is_the_tokenizers_own(family: str, tmp_path: Path) -> None:
    theirs = write_family(tmp_path, family, "AutoModelForMaskedLM")
    model = api.open_model(str(tmp_path), "cpu")
    fillings = model.fill_mask("The [MASK] ate the [MASK]", top=3)
    trace = model.trace(*model.with_own_mask("The [MASK] ate the [MASK]"))
    assert len(fillings) == 2
    logits = _their_predictions(theirs, trace).logits[0]
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
    output = _their_predictions(theirs, model.trace(TEXT, PAIR))
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
    logits = _their_predictions(theirs, model.trace(TEXT, PAIR)).logits[0]
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
    shares = _their_predictions(theirs, trace).logits[0].sigmoid().tolist()
    assert [one.piece for one in found] == list(trace.tokens.pieces)
    assert [one.position for one in found] == list(range(trace.n_tokens))
    assert [one.probability for one in found] == pytest.approx(shares, abs=LIMIT)
