"""The evaluation of a classifier, or of predicted scores, on held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from bertviz_app.training.finetuning.classifier import ClassifierNetwork, Predicted
from bertviz_app.training.finetuning.labelled import Integers, Labelled, evaluation_batches
from bertviz_app.training.finetuning.settings import ScoreEvaluation, TuningEvaluation
from bertviz_app.types import Doubles

N_AT_ONCE = 64
"""Rows of a batch that needs no gradients."""
N_SAMPLE = 1_000
"""Rows of an evaluation during the run, drawn once; the last evaluation is on all rows."""


def sample(rows: Integers, seed: int) -> Integers:
    """Return at most N_SAMPLE of `rows`."""
    return np.random.default_rng([seed, 9]).permutation(rows)[:N_SAMPLE]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """A network, and the `rows` of `examples` that it is evaluated on.

    `cast` sets the precision; `check` is called before each batch and may raise.
    """

    network: ClassifierNetwork
    examples: Labelled
    rows: Integers
    cast: Callable[[], AbstractContextManager[object]]
    check: Callable[[], None]

    def predictions(self) -> Iterator[tuple[Integers, Predicted]]:
        """Yield the numbers of the rows of each batch, and what is predicted for them."""
        device = next(self.network.parameters()).device
        for chosen in evaluation_batches(self.rows, self.examples.lengths, N_AT_ONCE):
            self.check()
            with torch.no_grad(), self.cast():
                predicted = self.network(self.examples.batch(chosen).to(device))
            yield chosen, predicted


def evaluate_classes(held_out: HeldOut, labels: Sequence[str], step: int, commonest: int) -> TuningEvaluation:
    """Return the evaluation of a classifier; `commonest` is the label that the baseline always answers."""
    confusion = np.zeros((len(labels), len(labels)), np.int64)
    loss, n_rows = 0.0, len(held_out.rows)
    for chosen, predicted in held_out.predictions():
        loss += float(predicted.loss) * len(chosen)
        answers = predicted.logits.argmax(-1).cpu().numpy()
        np.add.at(confusion, (held_out.examples.labels[chosen].astype(np.int64), answers), 1)
    return TuningEvaluation(
        step=step,
        n_rows=n_rows,
        loss=loss / n_rows,
        accuracy=float(np.trace(confusion)) / n_rows,
        baseline=float(confusion[commonest].sum()) / n_rows,
        labels=tuple(labels),
        confusion=tuple(tuple(row) for row in confusion.tolist()),
    )


def evaluate_scores(held_out: HeldOut, step: int, mean: float) -> ScoreEvaluation:
    """Return the evaluation of a network that predicts scores; `mean` is what the baseline always answers."""
    scores: list[float] = []
    predicted: list[float] = []
    for chosen, found in held_out.predictions():
        predicted += found.logits[:, 0].cpu().tolist()
        scores += held_out.examples.labels[chosen].tolist()
    expected, answers = np.array(scores), np.array(predicted)
    return ScoreEvaluation(
        step=step,
        n_rows=len(held_out.rows),
        loss=float(((answers - expected) ** 2).mean()),
        baseline=float(((mean - expected) ** 2).mean()),
        pearson=correlation(expected, answers),
        spearman=correlation(ranks(expected), ranks(answers)),
    )


def correlation(one: Doubles, other: Doubles) -> float | None:
    """Return Pearson's correlation of two sequences of numbers [N]; None where one does not vary."""
    x, y = one - one.mean(), other - other.mean()
    scale = float(np.sqrt((x**2).sum() * (y**2).sum()))
    return float((x * y).sum()) / scale if scale > 0 else None


def ranks(values: NDArray[np.float64]) -> Doubles:
    """Return the rank of each value [N] from 1; equal ones have the mean of their ranks."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return (last - (counts - 1) / 2)[inverse]
