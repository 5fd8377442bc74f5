"""The evaluation of spans, against numbers worked out by hand."""

from __future__ import annotations

import pytest

from bertviz_app.text_tables.token_labels import marks_of, spans_of
from bertviz_app.training.finetuning.settings import SpanCounts, count_spans, in_all, mean_f1

PAIRS = (
    # three spans; one is right, one has another type, one another end
    ("B-PER I-PER O B-LOC O B-ORG I-ORG", "B-PER I-PER O B-ORG O B-ORG O"),
    # two spans beside each other: predicted as one
    ("B-LOC B-LOC O", "B-LOC I-LOC O"),
    # nothing to find, one found
    ("O O", "I-PER O"),
    ("B-LOC O", "B-LOC O"),
)
"""True labels and predicted ones of four sentences."""


def _counts() -> tuple[SpanCounts, ...]:
    marks = marks_of({label for pair in PAIRS for labels in pair for label in labels.split()})
    assert marks is not None
    found = [[spans_of([marks[label] for label in labels.split()]) for labels in pair] for pair in PAIRS]
    return count_spans((true, predicted) for true, predicted in found)


def test_the_counts_of_each_type() -> None:
    assert _counts() == (
        SpanCounts("LOC", n_true=4, n_predicted=2, n_right=1),
        SpanCounts("ORG", n_true=1, n_predicted=2, n_right=0),
        SpanCounts("PER", n_true=1, n_predicted=2, n_right=1),
    )


def test_precision_recall_and_f1() -> None:
    whole = in_all(_counts())
    assert (whole.n_true, whole.n_predicted, whole.n_right) == (6, 6, 2)
    assert whole.precision == pytest.approx(2 / 6)
    assert whole.recall == pytest.approx(2 / 6)
    assert whole.f1 == pytest.approx(2 / 6)
    place, _, person = _counts()
    assert (place.precision, place.recall) == (0.5, 0.25)
    assert place.f1 == pytest.approx(2 * 0.5 * 0.25 / 0.75)
    assert person.f1 == pytest.approx(2 * 0.5 * 1 / 1.5)
    assert mean_f1(_counts()) == pytest.approx((1 / 3 + 0 + 2 / 3) / 3)


def test_nothing_to_find_and_nothing_found() -> None:
    nothing = in_all(count_spans([([], [])]))
    assert (nothing.precision, nothing.recall, nothing.f1, mean_f1(())) == (0.0, 0.0, 0.0, 0.0)
