"""Predictions and the steps towards them."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

from bertviz_app.analysis.pairs import head_steps
from bertviz_app.analysis.predictions import (
    COLUMNS,
    Classes,
    Label,
    LabelledToken,
    NextSentence,
    PredictionInput,
    Predictions,
    as_csv,
    as_json,
    lacking,
    predictions,
    rows,
    save_predictions,
    sigmoid,
    softmax,
)
from bertviz_app.errors import SelectionError
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import UNANSWERED, Logits, Meaning
from bertviz_app.types import Floats
from tests.support.factories import (
    biased_trace,
    by_distance,
    disentangled_trace,
    make_tokens,
    make_trace,
    windowed_trace,
)

MASK = 3


def _logits(
    masked: Floats | None = None,
    next_sentence: Floats | None = None,
    replaced: Floats | None = None,
    classes: Floats | None = None,
    meaning: Meaning = UNANSWERED,
    token_labels: Floats | None = None,
    answer: Floats | None = None,
) -> Logits:
    return Logits(masked, next_sentence, replaced, classes, meaning, token_labels, answer)


def _reading(ids: list[int], written: list[int] | None = None, *, pair: bool = False) -> PredictionInput:
    tokens = replace(make_tokens(len(ids), pair=pair), ids=np.array(ids, np.int32))
    return PredictionInput(tokens, np.array(written or ids, np.int32), lambda number: f"piece {number}", MASK)


def _some(*numbers: float) -> Floats:
    return np.array(numbers, np.float32)


def test_fillers_are_the_likeliest_in_order_and_equal_ones_by_their_id() -> None:
    row = _some(0, 2, 1, 2, -50, 1)
    found = predictions(_logits(masked=row[None]), _reading([0, MASK, 5], [0, 5, 5]), [1], top=4)
    (filling,) = found.fillings
    shares = np.exp(row.astype(float)) / np.exp(row.astype(float)).sum()
    assert [one.id for one in filling.fillers] == [1, 3, 2, 5]
    assert [one.piece for one in filling.fillers] == ["piece 1", "piece 3", "piece 2", "piece 5"]
    assert [one.probability for one in filling.fillers] == pytest.approx(shares[[1, 3, 2, 5]].tolist())
    assert (filling.position, filling.is_masked) == (1, True)
    assert filling.written is not None
    assert (filling.written.id, filling.written.rank) == (5, 3)


def test_a_mask_of_the_text_hides_nothing_that_is_written() -> None:
    (filling,) = predictions(_logits(masked=_some(1, 2, 3, 4)[None]), _reading([0, MASK, 2]), [1]).fillings
    assert filling.is_masked
    assert filling.written is None
    (filling,) = predictions(_logits(masked=_some(1, 2, 3, 4)[None]), _reading([0, 1, 2]), [1]).fillings
    assert not filling.is_masked
    assert filling.written is not None
    assert filling.written.rank == 3


def test_masked_tokens_are_found_and_positions_outside_of_the_text_refused() -> None:
    reading = _reading([0, MASK, 5, MASK])
    assert reading.masked() == (1, 3)
    reading.validate([0, 3])
    for position in (-1, 4):
        with pytest.raises(SelectionError, match=f"no token {position}: this text has tokens 0 to 3"):
            reading.validate([position])


def test_a_second_text_is_needed_for_it_to_follow() -> None:
    logits = _logits(next_sentence=_some(2, 0))
    assert predictions(logits, _reading([0, 1, 2]), []).next_sentence is None
    found = predictions(logits, _reading([0, 1, 2, 4, 5], pair=True), []).next_sentence
    assert found is not None
    assert found.probability == pytest.approx(1 / (1 + np.exp(-2)))
    assert not found.is_order


def test_classes_without_names_are_numbered() -> None:
    found = predictions(_logits(classes=_some(0, 3), meaning=Meaning(("one",))), _reading([0, 1]), []).classes
    assert found is not None
    assert [label.name for label in found.labels] == ["LABEL_1", "LABEL_0"]


@pytest.mark.parametrize(
    ("activation", "logits", "values", "problem"),
    [
        ("Sigmoid", (0.5,), (1 / (1 + math.exp(-0.5)),), "regression"),
        ("Tanh", (0.5,), (math.tanh(0.5),), "regression"),
        (None, (0.5,), (0.5,), "regression"),
        (
            "Sigmoid",
            (2.0, -1.0),
            (1 / (1 + math.exp(-2)), 1 / (1 + math.exp(1))),
            "multi_label_classification",
        ),
    ],
)
def test_scores_of_a_cross_encoder_go_through_its_function(
    activation: str | None, logits: tuple[float, ...], values: tuple[float, ...], problem: str
) -> None:
    meaning = Meaning(activation=activation)
    found = predictions(_logits(classes=_some(*logits), meaning=meaning), _reading([0, 1]), []).classes
    assert found is not None
    assert found.problem == problem
    assert [label.value for label in found.labels] == pytest.approx(values)


def test_large_logits_overflow_nothing() -> None:
    with np.errstate(all="raise", under="ignore"):
        assert softmax(_some(1e4, 0, -1e4)).tolist() == [1, 0, 0]
        assert sigmoid(_some(1e4, 0, -1e4)).tolist() == [1, 0.5, 0]


def test_labels_of_a_token_are_the_likeliest_in_order() -> None:
    logits = np.log(np.array([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7], [0.25, 0.5, 0.25]], np.float32))
    meaning = Meaning(("O", "B-LOC", "I-LOC"))
    found = predictions(
        _logits(token_labels=logits, meaning=meaning), _reading([0, 1, 2]), [], 2
    ).token_labels
    assert [(token.position, token.piece) for token in found] == list(
        enumerate(_reading([0, 1, 2]).tokens.pieces)
    )
    assert [[label.name for label in token.labels] for token in found] == [
        ["O", "B-LOC"],
        ["I-LOC", "B-LOC"],
        ["B-LOC", "O"],
    ]
    assert [token.labels[0].value for token in found] == pytest.approx([0.5, 0.7, 0.5])


def test_spans_lie_within_the_second_text_and_do_not_end_before_they_begin() -> None:
    reading = _reading(list(range(8)), pair=True)
    inside = np.flatnonzero(reading.tokens.sentences == 1).tolist()
    chances = np.full((8, 2), 1e-9)
    chances[0] = 0.2, 0.5  # no answer
    chances[inside[0]], chances[inside[-1]] = (0.3, 0.4), (0.5, 0.1)
    answer = predictions(_logits(answer=np.log(chances).astype(np.float32)), reading, [], 2).answer
    assert answer is not None
    assert answer.nothing == pytest.approx(0.1)
    best = (inside[0], inside[0], 0.3 * 0.4), (inside[-1], inside[-1], 0.5 * 0.1)
    assert [(span.first, span.last) for span in answer.spans] == [one[:2] for one in best]
    assert [span.probability for span in answer.spans] == pytest.approx([one[2] for one in best])


def test_a_text_alone_is_searched_for_answers_itself() -> None:
    reading = _reading([0, 1, 2, 3])
    answer = predictions(_logits(answer=np.zeros((4, 2), np.float32)), reading, [], 9).answer
    assert answer is not None
    inside = np.flatnonzero(reading.tokens.sentences == 0)
    assert len(answer.spans) == len(inside) * (len(inside) + 1) // 2
    assert sum(span.probability for span in answer.spans) < 1


def test_the_error_for_a_missing_task_head_lists_the_heads_that_are_there() -> None:
    error = lacking("tiny", "masked", ("next_sentence", "classes"))
    assert error.message == "tiny has no head for masked tokens."
    assert error.hint == (
        "It has a head for: next sentences, classes of texts. "
        "Open one that was saved with such a head, as a BertForMaskedLM."
    )
    assert "no task head at all" in lacking("tiny", "classes", ()).hint


def _all() -> Predictions:
    logits = _logits(
        _some(1, 2, 3, 4, 5)[None],
        _some(2, 0),
        _some(0, 1, 2, -1, 0),
        _some(1, 2),
        token_labels=np.eye(5, 3, dtype=np.float32),
        answer=np.arange(10, dtype=np.float32).reshape(5, 2),
    )
    return predictions(logits, _reading([0, MASK, 2, 4, 4], [0, 1, 2, 4, 4], pair=True), [1], 2)


def test_the_table_reads_back_as_it_was(tmp_path: Path) -> None:
    found = _all()
    save_predictions(found, tmp_path / "a.csv")
    read = list(csv.reader(io.StringIO((tmp_path / "a.csv").read_text("utf-8"))))
    assert tuple(read[0]) == COLUMNS
    assert [float(line[4]) for line in read[1:]] == [row.value for row in rows(found)]
    assert [line[:4] for line in read[1:4]] == [
        ["masked", "1", "1", "piece 4"],
        ["masked", "1", "2", "piece 3"],
        ["written", "1", "4", "piece 1"],
    ]
    others = ["next_sentence", "classes", "classes", *["replaced"] * 5, *["token_labels"] * 10]
    assert [line[0] for line in read[4:]] == [*others, "answer", "no_answer"]
    assert [read[-2][column] for column in (1, 2, 5)] == ["3", "1", "3"]
    assert as_csv(found) == (tmp_path / "a.csv").read_text("utf-8")
    save_predictions(found, tmp_path / "a.json")
    assert json.loads((tmp_path / "a.json").read_text("utf-8")) == json.loads(json.dumps(asdict(found)))
    assert as_json(found).endswith("}\n")


def test_rows_name_what_a_pair_is_to_the_head_and_rank_classes_and_labels() -> None:
    classes = Classes("single_label_classification", (Label("good", 0.75), Label("bad", 0.25)))
    labelled = (LabelledToken(2, "a", (Label("O", 0.5), Label("B", 0.25))),)
    for is_order, name in ((True, "in order"), (False, "follows")):
        following, *others = rows(Predictions((), NextSentence(0.5, is_order), classes, (), labelled))
        assert (following.name, following.rank) == (name, None)
        assert [(row.rank, row.name) for row in others] == [(1, "good"), (2, "bad"), (1, "O"), (2, "B")]


def test_files_name_the_interventions_of_the_run_where_there_are_any() -> None:
    found = Predictions(classes=Classes("regression", (Label("별점", 4.5),)))
    assert as_csv(found, "head 1.2 off") != as_csv(found)
    assert "head 1.2 off" in as_csv(found, "head 1.2 off")
    assert json.loads(as_json(found, "head 1.2 off"))["interventions"] == "head 1.2 off"
    assert "interventions" not in json.loads(as_json(found))
    assert "별점" in as_json(found), "written as it is, not as escapes"


@pytest.mark.parametrize(("layer", "head", "query"), [(0, 0, 0), (1, 2, 4), (0, 1, 8)])
def test_every_step_is_what_one_computes_by_hand(layer: int, head: int, query: int) -> None:
    trace = make_trace(9)
    steps = head_steps(trace, layer, head, query)
    row = [float(number) for number in trace.queries[layer, head, query]]
    keys, values = trace.keys[layer, head].tolist(), trace.values[layer, head].tolist()
    products = [sum(a * b for a, b in zip(row, key, strict=True)) for key in keys]
    scaled = [product / math.sqrt(8) for product in products]
    largest = max(scaled)
    exponentials = [math.exp(score - largest) for score in scaled]
    weights = [number / sum(exponentials) for number in exponentials]
    weighted = [[w * v for v in value] for w, value in zip(weights, values, strict=True)]
    gathered = [sum(column) for column in zip(*weighted, strict=True)]
    np.testing.assert_allclose(steps.products, products, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(steps.scaled, scaled, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(steps.maxima, [max(scaled[: n + 1]) for n in range(9)], rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(steps.exponentials, exponentials, rtol=1e-5)
    np.testing.assert_allclose(steps.weights, weights, rtol=1e-5)
    np.testing.assert_allclose(steps.weighted, weighted, atol=1e-6)
    np.testing.assert_allclose(steps.gathered, gathered, atol=1e-6)
    assert steps.maximum == pytest.approx(largest)
    assert steps.total == pytest.approx(sum(exponentials))


@pytest.mark.parametrize("make", [make_trace, biased_trace, disentangled_trace])
def test_the_products_of_the_dimensions_sum_to_the_score(make: Callable[..., Trace]) -> None:
    trace = make(9)
    steps = head_steps(trace, 1, 2, 4)
    for key in range(9):
        products = steps.products_with(key)
        for dimension in range(8):
            by_hand = float(trace.queries[1, 2, 4, dimension]) * float(trace.keys[1, 2, key, dimension])
            assert products[dimension] == by_hand  # exact: two float32 have a product in float64
        # The trace multiplies in float32: at most one rounding for each product and each sum.
        allowed = 2 * 8 * np.finfo(np.float32).eps * np.abs(products).sum()
        assert abs(products.sum() - steps.products[key]) <= allowed


@pytest.mark.parametrize(
    "trace", [make_trace(9), biased_trace(9), disentangled_trace(9), windowed_trace(9, reach=2)]
)
def test_another_divisor_moves_the_weights_of_the_row_alone(trace: Trace) -> None:
    steps = head_steps(trace, 1, 2, 4)
    own = math.sqrt(steps.radicand)
    np.testing.assert_allclose(steps.weights_divided_by(own), steps.weights, rtol=1e-5, atol=1e-7)
    bias = steps.added.get("distance", np.zeros(9)).astype(float)
    for divisor in (1.0, 40.0):
        scores = [
            -math.inf if math.isinf(score) else (score - plus) * own / divisor + plus
            for score, plus in zip(steps.biased.astype(float).tolist(), bias.tolist(), strict=True)
        ]
        exponentials = [math.exp(score - max(scores)) for score in scores]
        expected = [number / sum(exponentials) for number in exponentials]
        np.testing.assert_allclose(steps.weights_divided_by(divisor), expected, rtol=1e-6, atol=1e-12)


def test_a_bias_is_added_before_the_softmax() -> None:
    trace = biased_trace(9)
    steps = head_steps(trace, 1, 2, 4)
    assert list(steps.added) == ["distance"]
    np.testing.assert_array_equal(steps.added["distance"], by_distance(trace)[1, 2, 4:13])
    np.testing.assert_allclose(steps.scaled, steps.products / math.sqrt(8), rtol=1e-6)
    np.testing.assert_allclose(steps.biased, steps.scaled + steps.added["distance"], rtol=1e-6)
    np.testing.assert_allclose(steps.exponentials / steps.total, steps.weights, rtol=2e-5)
    plain = head_steps(make_trace(9), 1, 2, 4)
    assert plain.added == {}
    np.testing.assert_array_equal(plain.biased, plain.scaled)


def test_content_and_position_add_up_before_the_softmax() -> None:
    trace = disentangled_trace(9)
    steps = head_steps(trace, 1, 2, 4)
    assert list(steps.added) == ["content_to_position", "position_to_content"]
    assert steps.radicand == 24
    np.testing.assert_allclose(steps.scaled, steps.products / math.sqrt(24), rtol=1e-6)
    np.testing.assert_allclose(steps.scaled + sum(steps.added.values()), steps.biased, atol=1e-5)
    np.testing.assert_allclose(steps.exponentials / steps.total, steps.weights, rtol=2e-5)


def test_a_key_beyond_the_window_has_a_score_of_minus_infinity_and_no_weight() -> None:
    steps = head_steps(windowed_trace(9, 2), 1, 0, 6)
    assert np.isneginf(steps.biased[:4]).all()
    assert not steps.exponentials[:4].any()
    assert not steps.weights[:4].any()
    np.testing.assert_allclose(steps.exponentials / steps.total, steps.weights, rtol=2e-5)
    assert steps.maximum == steps.biased[4:].max()
