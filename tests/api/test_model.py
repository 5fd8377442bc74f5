"""A model of the Python interface: predictions, batches and training."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bertviz_app
from bertviz_app import compare
from bertviz_app.api import Model, open_model
from bertviz_app.errors import (
    AppError,
    ArgumentError,
    CheckpointError,
    DeviceError,
    SelectionError,
    TextError,
    TruncationWarning,
)
from bertviz_app.features.training.base import training_memory
from bertviz_app.trace import Trace
from tests.support.exactness import of_bound
from tests.support.families import WITH_SEGMENTS, write_family
from tests.support.training_texts import TINY, TUNING, of_classes, write_reviews, write_texts


@pytest.fixture(scope="module")
def model(tiny_bert: Path) -> bertviz_app.Model:
    return bertviz_app.open_model(str(tiny_bert), device="cpu")


def test_a_run_is_edited(model: bertviz_app.Model) -> None:
    plain = model.trace("the cat ate", pair="fish")
    edited = model.trace(
        "the cat ate", pair="fish", muted=[(1, 3), (0, 2)], replaced={2: "Fish", 3: "[MASK]"}
    )
    assert edited.tokens.pieces == ("[CLS]", "the", "fish", "[MASK]", "[SEP]", "fish", "[SEP]")
    assert edited.tokens.ids[2] == plain.tokens.ids[5]
    for name in ("segment_ids", "position_ids", "sentences", "words", "spans"):
        np.testing.assert_array_equal(getattr(edited.tokens, name), getattr(plain.tokens, name))
    assert edited.muted == ((0, 2), (1, 3))
    muted = model.encode("the cat ate", "fish", muted=[(1, 3)]).trace
    np.testing.assert_array_equal(muted.attention(), plain.attention())
    assert np.abs(muted.hidden[2] - plain.hidden[2]).max() > 1e-3


@pytest.mark.parametrize(
    ("edits", "kind", "message"),
    [
        ({"muted": [(2, 0)]}, SelectionError, "no head 2 · 0: this model's last is 1 · 3"),
        ({"muted": [(0, -1)]}, SelectionError, "no head 0 · -1"),
        ({"replaced": {4: "cat"}}, TextError, "no token 4: this text has tokens 0 to 3"),
        ({"replaced": {-1: "cat"}}, TextError, "no token -1"),
        ({"replaced": {0: "cat"}}, TextError, r"Token 0 is \[CLS\]"),
        ({"replaced": {1: "catfish"}}, TextError, "“catfish” is no piece"),
        ({"replaced": {1: " "}}, TextError, "No piece is given"),
    ],
)
def test_an_edit_that_cannot_be_done_is_an_error(
    model: bertviz_app.Model, edits: dict[str, Any], kind: type[AppError], message: str
) -> None:
    with pytest.raises(kind, match=message) as caught:
        model.trace("the cat", **edits)
    assert caught.value.hint


def test_details_of_a_layer_end_in_the_hidden_states_of_the_trace(model: bertviz_app.Model) -> None:
    trace = model.trace("the cat ate the fish", muted=[(1, 0)])
    details = model.details(trace, 1)
    np.testing.assert_array_equal(details.output, trace.hidden[2])
    assert not details.mixed[0].any()
    assert details.pooler_dense is not None
    with pytest.raises(SelectionError):
        model.details(trace, 2)


def test_a_text_is_aligned_with_itself_whatever_is_replaced(model: bertviz_app.Model) -> None:
    a = model.trace("the cat ate the fish")
    b = model.trace("the cat ate the fish", replaced={1: "cat", 2: "ate", 3: "the", 4: "fish"})
    assert compare(a, b).alignment.pairs.tolist() == [[position, position] for position in range(7)]


def test_parameters_are_listed_read_and_multiplied(tiny_bert: Path) -> None:
    model = bertviz_app.open_model(tiny_bert)
    table = model.parameters()
    name = "encoder.layer.1.attention.self.query.weight"
    matrix = model.parameter(name)
    trace = model.trace("the cat ate the fish")
    found = model.linear_product(trace, name, token=3, output=9)
    np.testing.assert_array_equal(found.weights, matrix[9])
    np.testing.assert_array_equal(found.inputs, trace.hidden[1, 3])
    assert found.total == pytest.approx(float(trace.queries[1, 1, 3, 1]), abs=1e-6)
    assert table[name].n_numbers == matrix.size
    assert repr(table) == f"<ParameterTable: {len(table)} matrices and vectors, {table.total:,} numbers>"
    assert name in table._repr_html_()
    with pytest.raises(AppError, match="named by a text"):
        model.parameter(3)  # type: ignore[arg-type]


def test_a_trace_that_is_cut_warns_and_shows_it(model: bertviz_app.Model) -> None:
    with pytest.warns(TruncationWarning, match=r"tokens were left out: this model reads at most") as caught:
        trace = model.trace("cat " * 2_000)
    assert [one.filename for one in caught] == [__file__]
    cut = f"{trace.n_tokens} tokens ({trace.tokens.n_left_out} more left out)"
    assert cut in repr(trace)
    assert cut.replace(" tokens", "") in repr(trace.tokens)
    with pytest.warns(TruncationWarning) as caught:
        list(model.trace_many(["cat", "cat " * 2_000]))
    assert [one.filename for one in caught] == [__file__]


PREDICTED, PAIR = "the cat ate the fish", "it was hungry"


@pytest.fixture(scope="module")
def predictor(tmp_path_factory: pytest.TempPathFactory) -> Model:
    folder = tmp_path_factory.mktemp("pretrained")
    write_family(folder, "bert", "AutoModelForPreTraining")
    return open_model(str(folder), "cpu")


def test_predictions_are_of_masked_tokens_or_of_given_positions(predictor: Model) -> None:
    trace = predictor.trace(PREDICTED, PAIR, replaced={2: "[MASK]", 5: "hungry"})
    found = predictor.predict(trace)
    assert [(one.position, one.is_masked) for one in found.fillings] == [(2, True)]
    assert found.next_sentence is not None
    found = predictor.predict(trace, [2, 5, 0], top=2)
    assert [(one.position, one.is_masked) for one in found.fillings] == [(2, True), (5, False), (0, False)]
    written = [one.written.piece for one in found.fillings if one.written is not None]
    assert written == ["cat", "fish", "[CLS]"], "what the text has, whatever is read there"
    assert all(len(one.fillers) == 2 for one in found.fillings)


def test_positions_that_cannot_be_predicted_are_refused(predictor: Model) -> None:
    with pytest.raises(TextError, match="no masked token in the text"):
        predictor.fill_mask(PREDICTED)
    with pytest.raises(TextError, match="cannot be replaced"):
        predictor.fill_mask(PREDICTED, position=0)
    with pytest.raises(TextError, match="no token 9"):
        predictor.fill_mask(PREDICTED, position=9)
    with pytest.raises(SelectionError, match="no token 9"):
        predictor.predict(predictor.trace(PREDICTED), [9])
    with pytest.raises(SelectionError, match="likeliest"):
        predictor.fill_mask("the [MASK]", top=0)


def test_a_task_without_its_head_is_refused_by_name(predictor: Model, tiny_bert: Path) -> None:
    for ask, task in (
        (predictor.classify, "classes of texts"),
        (predictor.replaced_tokens, "replaced tokens"),
    ):
        with pytest.raises(CheckpointError, match=f"{task}. It has a head for: masked tokens"):
            ask(PREDICTED)
    headless = open_model(str(tiny_bert), "cpu")
    with pytest.raises(CheckpointError, match="no task head at all"):
        headless.fill_mask(PREDICTED, position=2)
    with pytest.raises(CheckpointError, match="no head for next sentences"):
        headless.next_sentence(PREDICTED, PAIR)
    for ask_of_two in (headless.label_tokens, headless.answer):
        with pytest.raises(CheckpointError, match="has no head for"):
            ask_of_two(PREDICTED, PAIR)
    assert headless.predict(headless.trace(PREDICTED), [1]).fillings == ()


TEXTS: tuple[str | tuple[str, str], ...] = (
    "the cat ate the fish",
    "fish",
    "a cat ate the fish because it was hungry and the fish was there",
    "the cat",
    "the cat ate fish because the fish",
)


@pytest.mark.parametrize("family", ["bert", "roberta", "deberta-v2", "longformer", "t5", "esm", "modernbert"])
def test_each_trace_is_that_of_the_text_alone(
    family: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bertviz_app.inference.opened_checkpoint._MOST_PADDING", 100)
    write_family(tmp_path, family, "AutoModel")
    model = bertviz_app.open_model(str(tmp_path), device="cpu")
    pair: tuple[tuple[str, str], ...] = (("the cat", "the fish"),) if family in WITH_SEGMENTS else ()
    texts = (*TEXTS, *pair)
    traces = list(model.trace_many(texts))
    assert len(traces) == len(texts)
    for text, trace in zip(texts, traces, strict=True):
        alone = model.trace(text) if isinstance(text, str) else model.trace(*text)
        assert trace.tokens.pieces == alone.tokens.pieces
        assert trace.fingerprint == alone.fingerprint
        assert_same_numbers(trace, alone)


def assert_same_numbers(trace: Trace, alone: Trace) -> None:
    for field in fields(Trace):
        ours, theirs = getattr(trace, field.name), getattr(alone, field.name)
        if isinstance(theirs, np.ndarray):
            assert of_bound([ours], [theirs]) <= 1, field.name
        else:
            assert type(ours) is type(theirs)
    assert of_bound(list(trace.attention()), list(alone.attention())) <= 1
    np.testing.assert_allclose(trace.attention().sum(-1), 1, atol=1e-5)


def test_texts_are_read_as_they_are_needed(tiny_bert: Path) -> None:
    read = 0

    def endless() -> Iterator[str]:
        nonlocal read
        while True:
            read += 1
            yield "the cat " * (read % 5 + 1)

    model = bertviz_app.open_model(str(tiny_bert), device="cpu")
    traces = list(islice(model.trace_many(endless()), 70))
    assert [trace.n_tokens for trace in traces[:6]] == [6, 8, 10, 12, 4, 6]
    assert read == 128


def test_the_traces_before_a_wrong_text_are_there(tiny_bert: Path) -> None:
    model = bertviz_app.open_model(str(tiny_bert), device="cpu")
    traces = model.trace_many(["the cat", "fish", "", "the"])
    assert [next(traces).n_tokens for _ in range(2)] == [4, 3]
    with pytest.raises(TextError):
        next(traces)


@pytest.mark.parametrize("texts", ["the cat", None, [["the", "cat"]], [3]])
def test_what_is_no_list_of_texts_is_refused(texts: object, tiny_bert: Path) -> None:
    model = bertviz_app.open_model(str(tiny_bert), device="cpu")
    with pytest.raises(ArgumentError):
        list(model.trace_many(texts))  # type: ignore[arg-type]  # what a user might give


def test_a_model_is_made_of_texts_and_a_classifier_of_the_model(tmp_path: Path) -> None:
    texts = [str(path) for path in write_texts(tmp_path)]
    made = bertviz_app.pretrain(texts, str(tmp_path / "base"), TINY, device="cpu")
    assert made.step == TINY.steps
    data = write_reviews(tmp_path / "reviews.tsv", 24)
    evaluation = bertviz_app.finetune(
        str(tmp_path / "base"), str(data), str(tmp_path / "tuned"), TUNING, device="cpu", command="by hand"
    )
    assert of_classes(evaluation).labels == ("bad", "good")
    model = bertviz_app.open_model(str(tmp_path / "tuned"), "cpu")
    assert {label.name for label in model.classify("the cat").labels} == {"bad", "good"}
    assert "fine-tuned from base" in (tmp_path / "tuned" / "README.md").read_text("utf-8")


def test_a_full_memory_is_no_defect() -> None:
    with pytest.raises(DeviceError, match="not enough memory to train"), training_memory():
        raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
    with pytest.raises(RuntimeError, match="shape"), training_memory():
        raise RuntimeError("shape mismatch")
