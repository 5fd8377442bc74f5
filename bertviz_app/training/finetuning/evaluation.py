"""The evaluation of a classifier on held-out rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import numpy as np
import torch

from bertviz_app.training.finetuning.classifier import ClassifierNetwork
from bertviz_app.training.finetuning.labelled import Integers, Labelled, evaluation_batches
from bertviz_app.training.finetuning.settings import TuningEvaluation

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
            np.add.at(confusion, (examples.labels[chosen], answers), 1)
    return TuningEvaluation(
        step=step,
        n_rows=len(rows),
        loss=loss / len(rows),
        accuracy=float(np.trace(confusion)) / len(rows),
        baseline=float(confusion[commonest].sum()) / len(rows),
        labels=tuple(labels),
        confusion=tuple(tuple(row) for row in confusion.tolist()),
    )
