"""The evaluation of the spans that labels of words or characters mark: precision, recall and F1.

A span counts as found where its beginning, its end and its type are right, as in the CoNLL 2000 evaluation
(Tjong Kim Sang and Buchholz 2000, Introduction to the CoNLL-2000 Shared Task: Chunking, section 4). Loads no
torch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bertviz_app.text_tables.token_labels import LabelledSpan


@dataclass(frozen=True)
class SpanCounts:
    """How many spans of a type there are, how many were predicted, and how many of these are right."""

    type: str
    n_true: int
    n_predicted: int
    n_right: int

    @property
    def precision(self) -> float:
        """The share of the predicted spans that are right; 0 where none is predicted."""
        return self.n_right / self.n_predicted if self.n_predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of the spans that are found; 0 where there is none."""
        return self.n_right / self.n_true if self.n_true else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 0 where nothing is right."""
        return 2 * self.n_right / (self.n_true + self.n_predicted) if self.n_right else 0.0


def count_spans(
    pairs: Iterable[tuple[Sequence[LabelledSpan], Sequence[LabelledSpan]]],
) -> tuple[SpanCounts, ...]:
    """Return the counts of each type, sorted, for the true and the predicted spans of each sentence."""
    n_true, n_predicted, n_right = Counter[str](), Counter[str](), Counter[str]()
    for true, predicted in pairs:
        n_true.update(span.type for span in true)
        n_predicted.update(span.type for span in predicted)
        n_right.update(span.type for span in set(true) & set(predicted))
    types = sorted(n_true.keys() | n_predicted.keys())
    return tuple(SpanCounts(name, n_true[name], n_predicted[name], n_right[name]) for name in types)


def in_all(counts: Sequence[SpanCounts]) -> SpanCounts:
    """Return the counts of all types together: their precision, recall and F1 are those of CoNLL."""
    return SpanCounts(
        "",
        sum(one.n_true for one in counts),
        sum(one.n_predicted for one in counts),
        sum(one.n_right for one in counts),
    )


def mean_f1(counts: Sequence[SpanCounts]) -> float:
    """Return the mean of the F1 of each type (macro F1, as KLUE reports); 0 without any type."""
    return sum(one.f1 for one in counts) / len(counts) if counts else 0.0
