"""Pre-training against the same loop around `transformers`: `python -m tests.bench.training`.

Both take the same batches in turn, in the same parts, with the same optimiser and precision, so that a busy
machine slows them alike; the ratio is the median of the steps' own ratios. Ours computes the parts of a batch
side by side, the loop around `transformers` one after the other, its operations on all threads.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

import numpy as np
import torch
from transformers import BertConfig, BertForPreTraining

from bertviz_app.features.training.loop import change, fill, optimiser, precision
from bertviz_app.features.training.pretraining.network import (
    Batch,
    Cast,
    Gradients,
    PretrainingNetwork,
    Workers,
    workers,
)
from bertviz_app.features.training.pretraining.run import batch_of
from bertviz_app.features.training.pretraining.settings import PretrainingSettings
from bertviz_app.features.training.pretraining.vocabulary import Pieces, SpecialIds, batches, pairs, windows
from tests.bench.rows import write_line
from tests.support.training_texts import random_corpora

N_THREADS = 2
ROUNDS = 12
BUDGET = 0.9
N_PIECES = 16_000
LENGTHS = (64, 128, 256)
CPU = torch.device("cpu")
Step = Callable[[list[Batch]], object]


def main() -> None:
    torch.set_num_threads(N_THREADS)
    settings = PretrainingSettings()
    write_line(
        f"pre-training, {settings.n_layers} layers x {settings.width}, {N_THREADS} threads; tokens a second"
    )
    write_line("precision   length    ours  theirs   ours/theirs (budget)")
    for name in ("bfloat16", "float32"):
        for length in LENGTHS:
            _race(settings, name, length)


def _race(settings: PretrainingSettings, name: str, length: int) -> None:
    cast = precision(name, CPU)
    network = PretrainingNetwork(settings.encoder(N_PIECES))
    fill(network, 0)
    with workers(settings.batch_tokens // settings.part_tokens, CPU) as pool:
        steps = [_ours(network, settings, cast, pool), _theirs(_peer(settings), settings, cast)]
        rows = [[_timed(step, parts) for step in steps] for parts in _batches(settings, length)]
    _print(name, length, rows)


def _ours(
    network: PretrainingNetwork, settings: PretrainingSettings, cast: Cast, pool: Workers | None
) -> Step:
    optimizer, parameters = optimiser(network, settings.rate, settings.decay), list(network.parameters())
    gradients = Gradients(network, cast, pool)

    def step(parts: list[Batch]) -> None:
        gradients.add(parts)
        change(optimizer, parameters, 1e-4, settings.clip)

    return step


def _theirs(model: BertForPreTraining, settings: PretrainingSettings, cast: Cast) -> Step:
    optimizer, parameters = optimiser(model, settings.rate, settings.decay), list(model.parameters())

    def step(parts: list[Batch]) -> None:
        for part in parts:
            with cast():
                loss = _loss(model, part)
            torch.autograd.backward(loss)
        change(optimizer, parameters, 1e-4, settings.clip)

    return step


def _loss(model: BertForPreTraining, batch: Batch) -> torch.Tensor:
    labels = torch.full_like(batch.ids, -100).flatten()
    labels[batch.masked_positions] = batch.answers
    theirs: torch.Tensor = model(
        input_ids=batch.ids,
        token_type_ids=batch.segment_ids,
        position_ids=batch.position_ids,
        attention_mask=batch.seen.long(),
        labels=labels.view_as(batch.ids),
        next_sentence_label=batch.not_next,
    ).loss
    return theirs


def _peer(settings: PretrainingSettings) -> BertForPreTraining:
    config = BertConfig(
        vocab_size=N_PIECES,
        hidden_size=settings.width,
        num_hidden_layers=settings.n_layers,
        num_attention_heads=settings.n_heads,
        intermediate_size=4 * settings.width,
        max_position_embeddings=settings.n_positions,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    return BertForPreTraining(config).train()


def _batches(settings: PretrainingSettings, length: int) -> list[list[Batch]]:
    """Return batches, each of as many parts as the settings give it."""
    corpora, is_start = random_corpora(N_PIECES)
    every = pairs(windows(corpora, is_start, length, 0), length, 0)
    pieces = Pieces(is_start, np.zeros(N_PIECES, bool), SpecialIds(0, 1, 2, 3, 4))
    n_parts = settings.batch_tokens // settings.part_tokens
    chosen = batches(every.lengths, settings.part_tokens, 0)[: (ROUNDS + 2) * n_parts]
    parts = [batch_of(corpora, every, one, pieces, [number]) for number, one in enumerate(chosen)]
    return [parts[first : first + n_parts] for first in range(0, len(parts), n_parts)]


def _timed(step: Step, parts: list[Batch]) -> float:
    """Return tokens per second."""
    started = time.perf_counter()
    step(parts)
    return sum(part.n_tokens for part in parts) / (time.perf_counter() - started)


def _print(name: str, length: int, rows: list[list[float]]) -> None:
    warm = rows[2:]
    ours, theirs = (statistics.median(column) for column in zip(*warm, strict=True))
    ratio = statistics.median(row[0] / row[1] for row in warm)
    write_line(f"{name:9} {length:8} {ours:7,.0f} {theirs:7,.0f}   {ratio:.2f} ({BUDGET})")


if __name__ == "__main__":
    main()
