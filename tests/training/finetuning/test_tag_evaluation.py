"""The evaluation of labels of words and characters, against counts worked out by hand."""

from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path
from typing import cast

import numpy as np
import pytest
import torch
from torch import nn

from bertviz_app.errors import Cancelled
from bertviz_app.text import Tokenizer
from bertviz_app.text_tables.token_labels import LabelledSentence
from bertviz_app.training.finetuning.labelled import (
    ClassifierNetwork,
    HeldOut,
    LabelledBatch,
    Predicted,
    loss_of,
    tagged,
)
from bertviz_app.training.finetuning.run import evaluate_tags
from bertviz_app.training.finetuning.settings import SpanCounts, TagEvaluation, Unit
from tests.support.checkpoint_folders import opened

NAMES = ("O", "B-P", "I-P", "B-Q")


class _ByPiece(nn.Module):
    """Gives each piece the label that `answers` has for it, else the first one."""

    def __init__(self, tokenizer: Tokenizer, answers: dict[str, str]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1))
        self._answers = {tokenizer.piece(piece)[1]: NAMES.index(label) for piece, label in answers.items()}

    def forward(self, batch: LabelledBatch) -> Predicted:
        labels = [[self._answers.get(number, 0) for number in row] for row in batch.ids.tolist()]
        logits = 2.0 * nn.functional.one_hot(torch.tensor(labels), len(NAMES)).float()
        return Predicted(logits, loss_of(logits, batch.labels))


@pytest.fixture(scope="module")
def tokenizer(tiny_bert: Path) -> Tokenizer:
    return opened(tiny_bert).tokenizer


def _evaluated(
    tokenizer: Tokenizer, sentences: list[LabelledSentence], answers: dict[str, str], unit: Unit = "words"
) -> TagEvaluation:
    are_characters = unit == "characters"
    examples = tagged(sentences, NAMES, tokenizer, lambda: None, are_characters=are_characters)
    network = cast("ClassifierNetwork", _ByPiece(tokenizer, answers))
    held_out = HeldOut(network, examples, np.arange(len(examples)), nullcontext, lambda: None)
    return evaluate_tags(held_out, examples, NAMES, 3, 0, unit)


def _sentence(units: list[str], labels: str) -> LabelledSentence:
    return LabelledSentence(tuple(units), tuple(labels.split()))


def test_words(tokenizer: Tokenizer) -> None:
    sentences = [
        _sentence(["the", "cater", "fish", "was"], "O B-P I-P O"),
        _sentence(["fish", "it"], "B-Q O"),
    ]
    found = _evaluated(tokenizer, sentences, {"cat": "B-P", "fish": "I-P", "it": "B-Q", "##er": "B-Q"})
    assert found.confusion == ((2, 0, 0, 1), (0, 1, 0, 0), (0, 0, 1, 0), (0, 0, 1, 0))
    assert (found.n_rows, found.n_units, found.accuracy, found.baseline) == (2, 6, 4 / 6, 3 / 6)
    assert found.spans == (SpanCounts("P", 1, 2, 1), SpanCounts("Q", 1, 1, 0))
    assert found.f1 == pytest.approx(2 * 1 / (2 + 3))
    assert found.macro_f1 == pytest.approx((2 / 3 + 0) / 2)
    # F1 of O: 2 of 3 there and 2 given; of B-P: 1 of 1 and 1; of I-P: 1 of 1 and 2; of B-Q: none
    assert found.label_f1 == pytest.approx((4 / 5 + 1 + 2 / 3 + 0) / 4)
    right, wrong = (-np.log(np.exp(2) / (np.exp(2) + 3)), -np.log(1 / (np.exp(2) + 3)))
    assert found.loss == pytest.approx((4 * right + 2 * wrong) / 6)


def test_the_rest_of_a_piece_continues_its_label(tokenizer: Tokenizer) -> None:
    sentences = [_sentence(list("cat fish"), "B-P I-P I-P O B-P I-P I-P I-P")]
    found = _evaluated(tokenizer, sentences, {"cat": "B-P"}, "characters")
    assert found.confusion == ((0, 0, 0, 0), (1, 1, 0, 0), (3, 0, 2, 0), (0, 0, 0, 0))
    assert (found.n_units, found.accuracy) == (7, 3 / 7)  # the blank is not counted
    assert found.spans == (SpanCounts("P", 2, 1, 1),)


def test_a_span_over_a_blank_is_one(tokenizer: Tokenizer) -> None:
    sentences = [_sentence(list("cat fish"), "B-P I-P I-P I-P I-P I-P I-P I-P")]
    found = _evaluated(tokenizer, sentences, {"cat": "B-P", "fish": "I-P"}, "characters")
    assert found.spans == (SpanCounts("P", 1, 1, 1),)


def test_a_span_that_is_cut_off_is_not_found(tokenizer: Tokenizer) -> None:
    sentences = [_sentence(["cat", "it", "fish", "fish"], "B-P O B-P I-P")]
    found = _evaluated(tokenizer.limited(5), sentences, {"cat": "B-P", "fish": "B-P"})
    assert found.n_units == 3
    assert found.accuracy == 1.0
    assert found.spans == (SpanCounts("P", 2, 2, 1),)


def test_an_evaluation_can_be_cancelled(tokenizer: Tokenizer) -> None:
    def stop() -> None:
        raise Cancelled

    examples = tagged([_sentence(["a"], "O")], NAMES, tokenizer, lambda: None, are_characters=False)
    network = cast("ClassifierNetwork", _ByPiece(tokenizer, {}))
    with pytest.raises(Cancelled):
        evaluate_tags(
            HeldOut(network, examples, np.arange(1), nullcontext, stop), examples, NAMES, 0, 0, "words"
        )
