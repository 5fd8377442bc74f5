"""The gradient of a batch, computed part by part: small parts stay in the cache, several run at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from threading import Barrier

import torch
from torch import Tensor

from bertviz_app.training.pretraining.network import Batch, Losses, PretrainingNetwork

Cast = Callable[[], AbstractContextManager[object]]
Sums = tuple[list[Tensor], Tensor]
"""Of some parts: the gradients of all parameters, and the losses [2]."""


class Gradients:
    """Adds up the gradients of the parts of a batch in `parameter.grad`.

    Each part is weighted by its number of masked tokens and pairs, so that gradients and losses are those of
    the whole batch. The parts are dealt to the workers in turn and their sums are added in the same order
    every time: the numbers do not depend on which worker is faster.
    """

    def __init__(self, network: PretrainingNetwork, cast: Cast, pool: PartWorkers | None = None) -> None:
        self._network = network
        self._cast = cast
        self._pool = pool
        self._parameters = list(network.parameters())
        self._device = self._parameters[0].device

    def add(self, parts: Sequence[Batch]) -> tuple[float, float]:
        """Return the losses of both tasks in nats."""
        n_masked = sum(len(part.answers) for part in parts)
        n_pairs = max(1, sum(part.n_pairs for part in parts))
        n_workers = min(len(parts), self._pool.count if self._pool is not None else 1)
        shares = [parts[first::n_workers] for first in range(n_workers)]
        if self._pool is None or n_workers == 1:
            found = [self._sums(share, n_masked, n_pairs) for share in shares]
        else:
            found = self._pool.run([partial(self._sums, share, n_masked, n_pairs) for share in shares])
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


class PartWorkers:
    """Threads that compute parts of a batch side by side."""

    def __init__(self, pool: ThreadPoolExecutor, count: int) -> None:
        self._pool = pool
        self.count = count

    def run(self, tasks: Sequence[Callable[[], Sums]]) -> list[Sums]:
        """Return the results of `tasks`, in their order, once all are done. Raises what a task raised."""
        futures = [self._pool.submit(task) for task in tasks]
        return [future.result() for future in futures]


@contextmanager
def workers(most: int, device: torch.device) -> Iterator[PartWorkers | None]:
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
        yield PartWorkers(pool, count)
