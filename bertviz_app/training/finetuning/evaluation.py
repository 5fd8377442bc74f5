"""The evaluation of a classifier, or of predicted scores, on held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import numpy as np
import torch
from numpy.typing import NDArray

from bertviz_app.training.finetuning.classifier import ClassifierNetwork
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


def evaluate_classes(  # noqa: PLR0913 - each is named by its callers
    network: ClassifierNetwork,
    examples: Labelled,
    rows: Integers,
    labels: Sequence[str],
    cast: Callable[[], AbstractContextManager[object]],
    check: Callable[[], None],
    step: int,
    commonest: int,
) -> TuningEvaluation:
    """Return the evaluation of `network` on `rows` of `examples`; `cast` sets the precision.

    `commonest` is the number of the label that the baseline always answers. `check` is called
    before each batch and may raise.
    """
    confusion = np.zeros((len(labels), len(labels)), np.int64)
    loss = 0.0
    device = next(network.parameters()).device
    with torch.no_grad():
        for chosen in evaluation_batches(rows, examples.lengths, N_AT_ONCE):
            check()
            with cast():
                predicted = network(examples.batch(chosen).to(device))
            loss += float(predicted.loss) * len(chosen)
            answers = predicted.logits.argmax(-1).cpu().numpy()
            np.add.at(confusion, (examples.labels[chosen].astype(np.int64), answers), 1)
    return TuningEvaluation(
        step=step,
        n_rows=len(rows),
        loss=loss / len(rows),
        accuracy=float(np.trace(confusion)) / len(rows),
        baseline=float(confusion[commonest].sum()) / len(rows),
        labels=tuple(labels),
        confusion=tuple(tuple(row) for row in confusion.tolist()),
    )


def evaluate_scores(  # noqa: PLR0913 - each is named by its callers
    network: ClassifierNetwork,
    examples: Labelled,
    rows: Integers,
    cast: Callable[[], AbstractContextManager[object]],
    check: Callable[[], None],
    step: int,
    mean: float,
) -> ScoreEvaluation:
    """Return the evaluation of `network`, which predicts scores, on `rows` of `examples`.

    `mean` is what the baseline always answers. `check` is called before each batch and may raise.
    """
    scores: list[float] = []
    predicted: list[float] = []
    device = next(network.parameters()).device
    with torch.no_grad():
        for chosen in evaluation_batches(rows, examples.lengths, N_AT_ONCE):
            check()
            with cast():
                logits = network(examples.batch(chosen).to(device)).logits
            predicted += logits[:, 0].cpu().tolist()
            scores += examples.labels[chosen].tolist()
    expected, answers = np.array(scores), np.array(predicted)
    return ScoreEvaluation(
        step=step,
        n_rows=len(rows),
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
