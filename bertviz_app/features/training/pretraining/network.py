"""The network of a pre-training, its masked inputs, losses and gradients."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from threading import Barrier
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import cross_entropy

from bertviz_app.encoder.config import EncoderConfig, TaskHeadsConfig
from bertviz_app.encoder.dense import sinusoids
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.output import TaskHeads
from bertviz_app.features.training.loop import ModelInputs
from bertviz_app.types import Bools, Longs
from bertviz_app.values import dataclass

_ROWS = 16
"""At a time: 16 x 16,000 float32 are a megabyte."""


def mean_loss(scores: Tensor, answers: Tensor) -> Tensor:
    """Return the mean cross-entropy in nats, float32 [], of `scores` [M, V] with the right answers [M].

    On a CPU torch's own takes new memory for M x V numbers several times, which the system fills with zeros
    first: 13 % of the time of a step in bfloat16, where this takes 2 %.
    """
    if scores.device.type == "cpu" and len(scores):
        return _mean_of_rows(scores, answers)
    return cross_entropy(scores.float(), answers)


class _MeanLoss(torch.autograd.Function):
    """The mean loss of all rows; computes the gradient with it, since both need the exponentials."""

    @staticmethod
    def forward(ctx: Any, scores: Tensor, answers: Tensor) -> Tensor:
        n_rows = len(scores)
        gradient = torch.empty_like(scores) if ctx.needs_input_grad[0] else None
        total = torch.zeros((), dtype=torch.float32)
        for first in range(0, n_rows, _ROWS):
            part = slice(first, first + _ROWS)
            rows, answer = scores[part].to(torch.float32, copy=True), answers[part, None]
            rows -= rows.amax(1, keepdim=True)
            right = rows.gather(1, answer)
            sums = rows.exp_().sum(1, keepdim=True)
            total += (sums.log() - right).sum()
            if gradient is not None:
                rows *= 1 / (n_rows * sums)
                rows.scatter_add_(1, answer, torch.full_like(right, -1 / n_rows))
                gradient[part] = rows
        ctx.gradient = gradient
        return total / n_rows

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return ctx.gradient * gradients[0].to(ctx.gradient.dtype), None


_mean_of_rows: Callable[[Tensor, Tensor], Tensor] = _MeanLoss.apply


NO_PAIR = -100
"""In place of the answer where there is no second segment: torch's own `ignore_index`."""


@dataclass(frozen=True, eq=False)
class Batch(ModelInputs):
    """Inputs of the model, and the correct answers."""

    masked_positions: Tensor  # [M], positions of the masked tokens in the flattened batch
    answers: Tensor  # [M], their ids
    not_next: Tensor  # [B], 0 where B follows A, 1 where it does not (BERT's order), NO_PAIR without B

    @property
    def n_pairs(self) -> int:
        """Examples with a second segment."""
        return int((self.not_next != NO_PAIR).sum())


class Losses(NamedTuple):
    """Of one batch: mean cross-entropies in nats, 0 without any pair.

    The training loss is the sum of both (Devlin et al. 2019, appendix A.2).
    """

    masked: Tensor  # []
    next_sentence: Tensor  # []


class NetworkScores(NamedTuple):
    """What the network answers to one batch."""

    masked: Tensor  # [M, V], in autocast's type
    next_sentence: Tensor  # float32 [B, 2]

    def losses(self, batch: Batch) -> Losses:
        of_pairs = cross_entropy(self.next_sentence, batch.not_next, reduction="sum", ignore_index=NO_PAIR)
        return Losses(mean_loss(self.masked, batch.answers), of_pairs / max(1, batch.n_pairs))

    def n_right(self, batch: Batch) -> tuple[int, int]:
        """Return how many tokens of M, and how many pairs, were answered correctly."""
        found = zip((self.masked, self.next_sentence), (batch.answers, batch.not_next), strict=True)
        masked, pairs = (int((scores.argmax(-1) == answer).sum()) for scores, answer in found)
        return masked, pairs


class PretrainingNetwork(nn.Module):
    """An encoder, the head for masked tokens (tied to the token embeddings), and the head for pairs."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.encoder = Encoder(config)
        # One activation: config.json has the same for both.
        heads = TaskHeadsConfig(masked=True, next_sentence=True, masked_activation=config.activation)
        self.heads = TaskHeads(config, heads)
        assert self.heads.masked is not None
        # The masked head multiplies with the encoder's own table of token embeddings.
        self.heads.masked.decoder.weight = self.encoder.embeddings.token.weight
        self.encoder.embeddings.register_forward_hook(_lower_on_cpu)

    def forward(self, batch: Batch) -> Losses:
        return self.scores(batch).losses(batch)

    def scores(self, batch: Batch) -> NetworkScores:
        hidden, pooled = self.encoder(batch.ids, batch.segment_ids, batch.position_ids, seen=batch.seen)
        assert self.heads.masked is not None
        assert self.heads.next_sentence is not None
        # Of the masked tokens only: the product of all tokens would take most of the time.
        return NetworkScores(
            masked=self.heads.masked(hidden.flatten(0, 1)[batch.masked_positions]),  # [M, V]
            next_sentence=self.heads.next_sentence(pooled).float(),  # [B, 2]
        )


def _lower_on_cpu(module: nn.Module, inputs: object, hidden: Tensor) -> Tensor:
    """Give the hidden states autocast's type on a CPU, which otherwise converts them before every product."""
    if hidden.device.type != "cpu" or not torch.is_autocast_enabled("cpu"):
        return hidden
    return hidden.to(torch.get_autocast_dtype("cpu"))


def fill_positions(encoder: Encoder, std: float) -> None:
    """Initialise the position embeddings as sinusoids (Vaswani et al. 2017, section 3.5) scaled to `std`.

    They are trained like any other parameter; a head finds the token before or after from the first step on.
    """
    table = encoder.embeddings.position
    assert table is not None
    n_positions, width = table.weight.shape
    with torch.no_grad():
        table.weight.copy_(std * math.sqrt(2) * sinusoids(torch.arange(n_positions), width))


Cast = Callable[[], AbstractContextManager[object]]
Sums = tuple[list[Tensor], Tensor]
"""Of some parts: the gradients of all parameters, and the losses [2]."""
Workers = tuple[ThreadPoolExecutor, int]
"""Threads that compute parts of a batch side by side, and how many there are."""


class Gradients:
    """Adds up the gradients of the parts of a batch in `parameter.grad`.

    Each part is weighted by its number of masked tokens and pairs, so that gradients and losses are those of
    the whole batch. The parts are dealt to the workers in turn and their sums are added in the same order
    every time: the numbers do not depend on which worker is faster.
    """

    def __init__(self, network: PretrainingNetwork, cast: Cast, pool: Workers | None = None) -> None:
        self._network = network
        self._cast = cast
        self._pool = pool
        self._parameters = list(network.parameters())
        self._device = self._parameters[0].device

    def add(self, parts: Sequence[Batch]) -> tuple[float, float]:
        """Return the losses of both tasks in nats."""
        n_masked = sum(len(part.answers) for part in parts)
        n_pairs = max(1, sum(part.n_pairs for part in parts))
        pool, most = self._pool or (None, 1)
        n_workers = min(len(parts), most)
        shares = [parts[first::n_workers] for first in range(n_workers)]
        sums = partial(self._sums, n_masked=n_masked, n_pairs=n_pairs)
        found = list(map(sums, shares) if pool is None or n_workers == 1 else pool.map(sums, shares))
        for gradients, _ in found:
            for parameter, gradient in zip(self._parameters, gradients, strict=True):
                parameter.grad = gradient if parameter.grad is None else parameter.grad.add_(gradient)
        losses = torch.stack([losses for _, losses in found]).sum(0)
        return float(losses[0]), float(losses[1])

    def _sums(self, parts: Sequence[Batch], n_masked: int, n_pairs: int) -> Sums:
        """Return the summed gradients of `parts` and their summed losses [2]."""
        sums: list[Tensor] = []
        totals = torch.zeros(2)
        with self._cast():  # around all parts: the parameters are cast to bfloat16 once
            for part in parts:
                losses: Losses = self._network(part.to(self._device))
                masked = losses.masked * (len(part.answers) / n_masked)
                next_sentence = losses.next_sentence * (part.n_pairs / n_pairs)
                gradients = torch.autograd.grad(masked + next_sentence, self._parameters)
                if sums:
                    torch._foreach_add_(sums, gradients)
                else:
                    sums = list(gradients)
                totals += torch.stack((masked.detach(), next_sentence.detach())).cpu()
        return sums, totals


@contextmanager
def workers(most: int, device: torch.device) -> Iterator[Workers | None]:
    """Yield as many workers as torch would use threads, at most `most`; None where one is enough.

    The operations of each worker share what is left of the threads. One operation on 2,048 tokens is too
    short for two threads: they wait for each other, above all on a busy machine.
    """
    n_threads = torch.get_num_threads()
    count = min(n_threads, most) if device.type == "cpu" else 1
    if count < 2:
        yield None
        return
    ready = Barrier(count + 1)

    def start() -> None:
        torch.set_num_threads(n_threads // count)
        torch.get_num_threads()  # takes the number over as that of this thread, whatever is set later
        ready.wait()

    with ThreadPoolExecutor(count, thread_name_prefix="part") as pool:
        for _ in range(count):
            pool.submit(start)
        ready.wait()
        torch.set_num_threads(n_threads)
        yield pool, count


SHARE, SHARE_MASKED, SHARE_RANDOM = 0.15, 0.8, 0.1
Integers = Longs


class Masked(NamedTuple):
    """A batch as the model reads it, and the correct answers."""

    ids: Integers  # [B, T]
    positions: Integers  # [M], positions of the chosen tokens in the flattened batch, rising
    answers: Integers  # [M], their ids


def mask(ids: Integers, is_special: Bools, mask_id: int, ordinary: Integers, seed: list[int]) -> Masked:
    """Return `ids` [B, T] with the tokens to predict replaced.

    Of every row 15 % of the tokens are chosen, rounded, but at least one; never those that are `is_special`
    [B, T], padding among them. Random pieces are drawn from the ids `ordinary`, which has no special ones.
    The same `seed` gives the same choice.
    """
    rng = np.random.default_rng(seed)
    draws = np.where(is_special, 2.0, rng.random(ids.shape))  # [B, T]
    ranks = draws.argsort(axis=1).argsort(axis=1)  # [B, T], 0 for the smallest draw
    n_free = (~is_special).sum(axis=1)  # [B]
    n_chosen = np.minimum(np.maximum(1, np.round(SHARE * n_free)), n_free)  # [B]
    is_chosen = ranks < n_chosen[:, None]  # [B, T]
    fate = rng.random(ids.shape)
    others = ordinary[rng.integers(0, len(ordinary), ids.shape)]
    seen = np.where(is_chosen & (fate < SHARE_MASKED), mask_id, ids)
    is_random = is_chosen & (fate >= SHARE_MASKED) & (fate < SHARE_MASKED + SHARE_RANDOM)
    seen = np.where(is_random, others, seen)
    positions = np.flatnonzero(is_chosen)
    return Masked(seen, positions, ids.reshape(-1)[positions])
