"""The evaluation of predicted labels of words or characters on held-out sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from bertviz_app.text_tables.token_labels import LabelledSpan, Mark, marks_of, spans_of
from bertviz_app.training.finetuning.classifier import NOT_COUNTED
from bertviz_app.training.finetuning.entities import SpanCounts, count_spans
from bertviz_app.training.finetuning.evaluation import HeldOut
from bertviz_app.training.finetuning.labelled import Integers
from bertviz_app.training.finetuning.settings import TagEvaluation, Unit
from bertviz_app.training.finetuning.tagged import Tagged


class _Answers(NamedTuple):
    """Of all pieces: the number of the predicted label; the mean cross-entropy of those counted, in nats."""

    labels: Integers  # [n pieces]; those of sentences that are not evaluated mean nothing
    loss: float


def evaluate_tags(
    held_out: HeldOut, examples: Tagged, labels: Sequence[str], step: int, commonest: int, unit: Unit
) -> TagEvaluation:
    """Return the evaluation of a classifier of tokens; `examples` are those of `held_out`.

    Words and characters that no piece predicts have no answer: they are left out of the accuracy, and spans
    with one of them are not found. `commonest` is the label that the baseline always answers.
    """
    answers = _answers(held_out, examples)
    chosen = np.zeros(len(examples.unit_labels), np.bool_)
    for row in held_out.rows.tolist():
        chosen[examples.units(row)] = True
    chosen &= examples.is_read
    predicted = answers.labels[examples.unit_pieces[chosen]]
    predicted = np.where(examples.continues[chosen], _inside(labels)[predicted], predicted)
    confusion = np.zeros((len(labels), len(labels)), np.int64)
    np.add.at(confusion, (examples.unit_labels[chosen], predicted), 1)
    n_units = int(chosen.sum())
    return TagEvaluation(
        step=step,
        n_rows=len(held_out.rows),
        n_units=n_units,
        unit=unit,
        loss=answers.loss,
        accuracy=float(np.trace(confusion)) / max(1, n_units),
        baseline=float(confusion[commonest].sum()) / max(1, n_units),
        labels=tuple(labels),
        confusion=tuple(tuple(row) for row in confusion.tolist()),
        spans=_span_counts(examples, held_out.rows, answers.labels, labels),
    )


def _answers(held_out: HeldOut, examples: Tagged) -> _Answers:
    found = np.zeros(len(examples.ids), np.int64)
    loss, n_counted = 0.0, 0
    for chosen, predicted in held_out.predictions():
        best = predicted.logits.argmax(-1).cpu().numpy()  # [B, T]
        n_labels = 0
        for row, answer in zip(chosen.tolist(), best, strict=True):
            own = slice(examples.starts[row], examples.starts[row + 1])
            found[own] = answer[: own.stop - own.start]
            n_labels += int((examples.labels[own] != NOT_COUNTED).sum())
        loss += float(predicted.loss) * n_labels if n_labels else 0.0  # of none it is no number
        n_counted += n_labels
    return _Answers(found, loss / max(1, n_counted))


def _span_counts(
    examples: Tagged, rows: Integers, answers: Integers, labels: Sequence[str]
) -> tuple[SpanCounts, ...] | None:
    """Return the counts of spans of each type; None where the labels mark none."""
    named = marks_of(labels)
    if named is None:
        return None
    marks = [named[label] for label in labels]
    return count_spans(_true_and_predicted(examples, row, answers, marks) for row in rows.tolist())


def _true_and_predicted(
    examples: Tagged, row: int, answers: Integers, marks: Sequence[Mark]
) -> tuple[list[LabelledSpan], list[LabelledSpan]]:
    units = examples.units(row)
    counted = examples.is_counted[units]
    true = [marks[label] for label in examples.unit_labels[units][counted].tolist()]
    pieces = examples.unit_pieces[units][counted].tolist()
    predicted = [marks[answers[piece]] if piece >= 0 else None for piece in pieces]
    return spans_of(true), spans_of(predicted, examples.continues[units][counted].tolist())


def _inside(labels: Sequence[str]) -> Integers:
    """Return, for each label, the one of the rest of a piece that begins with it: I-PS for B-PS, else itself.

    Park et al. 2021, arXiv:2105.09680, as KLUE's baseline evaluates KLUE-NER.
    """
    marks = marks_of(labels) or {}
    inside = {
        mark.type: number
        for number, label in enumerate(labels)
        if (mark := marks.get(label)) is not None and mark.letter == "I"
    }
    found = [
        inside.get(marks[label].type, number) if label in marks and marks[label].type else number
        for number, label in enumerate(labels)
    ]
    return np.array(found, np.int64)
