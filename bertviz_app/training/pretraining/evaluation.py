"""The evaluation of a model on held-out text, and the baseline of predicting the most frequent piece."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager

import numpy as np
import torch

from bertviz_app.training.pretraining.network import Batch, PretrainingNetwork
from bertviz_app.training.pretraining.plan import Plan
from bertviz_app.training.pretraining.settings import Evaluation
from bertviz_app.training.pretraining.tokenised import Tokenised
from bertviz_app.training.state import DataPosition
from bertviz_app.types import Check

N_TOKENS = 200_000
"""The largest number of held-out tokens that are evaluated each time."""


def evaluation_batches(plan: Plan, length: int) -> list[Batch]:
    """Return the batches of every evaluation: always the same, at most N_TOKENS of one pass."""
    found: list[Batch] = []
    position, n_tokens = DataPosition(length), 0
    while position.turn == 0 and n_tokens < N_TOKENS:
        batch, position = plan.batch(position)
        found.append(batch)
        n_tokens += batch.n_tokens
    return found


def baseline(corpora: Sequence[Tokenised], batches: Sequence[Batch], n_pieces: int) -> float:
    """Return the accuracy in `batches` of the most frequent piece of `corpora`: the unigram baseline."""
    counts = sum(np.bincount(corpus.ids, minlength=n_pieces) for corpus in corpora)
    commonest = int(np.argmax(counts))
    answers = torch.cat([batch.answers for batch in batches])
    return float((answers == commonest).double().mean())


def evaluate(
    network: PretrainingNetwork,
    batches: Sequence[Batch],
    cast: Callable[[], AbstractContextManager[object]],
    step: int,
    baseline_accuracy: float,
    check: Check,
) -> Evaluation:
    """Return the losses and accuracies over all of `batches`.

    `cast` sets the precision, `baseline_accuracy` is what `baseline` returned. `check` is called before each
    batch and may raise.
    """
    sums = np.zeros(4)
    n_masked = n_pairs = 0
    device = next(network.parameters()).device
    with torch.no_grad():
        for batch in batches:
            check()
            with cast():
                own = batch.to(device)
                scores = network.scores(own)
                losses = scores.losses(own)
            counts = (len(batch.answers), batch.n_pairs)
            sums[:2] += [float(loss) * count for loss, count in zip(losses, counts, strict=True)]
            sums[2:] += scores.n_right(own)
            n_masked, n_pairs = n_masked + counts[0], n_pairs + counts[1]
    return Evaluation(
        step=step,
        n_tokens=sum(batch.n_tokens for batch in batches),
        masked_loss=float(sums[0]) / n_masked,
        masked_accuracy=float(sums[2]) / n_masked,
        next_loss=float(sums[1]) / n_pairs,
        next_accuracy=float(sums[3]) / n_pairs,
        baseline=baseline_accuracy,
        n_masked=n_masked,
        n_pairs=n_pairs,
    )
