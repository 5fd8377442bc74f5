"""The gradient of a batch is the same in one part, in several, and on several threads."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from bertviz_app.training.loop import fill, precision
from bertviz_app.training.pretraining.network import NO_PAIR, Batch, Gradients, PretrainingNetwork, workers
from tests.support.training_texts import TINY

N_PIECES, N_TOKENS = 60, 10
CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def network() -> PretrainingNetwork:
    made = PretrainingNetwork(TINY.encoder(N_PIECES))
    fill(made, 0, 0.3)
    return made


def _batch() -> Batch:
    draw = torch.Generator().manual_seed(1)
    return Batch(
        ids=torch.randint(5, N_PIECES, (6, N_TOKENS), generator=draw),
        segment_ids=torch.zeros(6, N_TOKENS, dtype=torch.long),
        seen=torch.ones(6, N_TOKENS, dtype=torch.bool),
        masked_positions=torch.tensor([1, 5, 13, 22, 41, 55, 58]),
        answers=torch.randint(5, N_PIECES, (7,), generator=draw),
        not_next=torch.tensor([0, 1, NO_PAIR, 1, NO_PAIR, NO_PAIR]),
    )


def _parts(batch: Batch) -> list[Batch]:
    """Return the batch in three parts of different sizes, the last one without any pair."""
    cuts = (slice(0, 2), slice(2, 4), slice(4, 6))
    return [_part(batch, rows) for rows in cuts]


def _part(batch: Batch, rows: slice) -> Batch:
    chosen = (batch.masked_positions >= N_TOKENS * rows.start) & (
        batch.masked_positions < N_TOKENS * rows.stop
    )
    return Batch(
        batch.ids[rows],
        batch.segment_ids[rows],
        batch.seen[rows],
        batch.masked_positions[chosen] - N_TOKENS * rows.start,
        batch.answers[chosen],
        batch.not_next[rows],
    )


def _found(network: PretrainingNetwork, parts: list[Batch], most: int, name: str = "float32") -> list[Tensor]:
    """Return the losses and all gradients, computed by at most `most` workers."""
    network.zero_grad(set_to_none=True)
    with workers(most, CPU) as pool:
        losses = Gradients(network, precision(name, CPU), pool).add(parts)
    gradients = [parameter.grad for parameter in network.parameters() if parameter.grad is not None]
    return [torch.tensor(losses), *gradients]


@pytest.mark.parametrize("most", [1, 2, 3])
@pytest.mark.parametrize("name", ["float32", "bfloat16"])
def test_parts_and_threads_change_nothing(network: PretrainingNetwork, most: int, name: str) -> None:
    whole = _found(network, [_batch()], 1, name)
    assert len(whole) == 1 + len(list(network.parameters()))
    parted = _found(network, _parts(_batch()), most, name)
    tolerance = 1e-6 if name == "float32" else 0.02
    assert all(torch.allclose(*pair, atol=tolerance) for pair in zip(parted, whole, strict=True))


def test_the_losses_are_those_that_the_network_returns(network: PretrainingNetwork) -> None:
    losses = _found(network, _parts(_batch()), 2)[0]
    expected = network(_batch())
    assert losses.tolist() == pytest.approx([float(loss.detach()) for loss in expected], abs=1e-6)


def test_two_calls_add_up(network: PretrainingNetwork) -> None:
    once = [tensor.clone() for tensor in _found(network, [_batch()], 1)]
    Gradients(network, precision("float32", CPU)).add([_batch()])
    twice = [parameter.grad for parameter in network.parameters() if parameter.grad is not None]
    assert all(torch.allclose(2 * one, two, atol=1e-6) for one, two in zip(once[1:], twice, strict=True))


def test_threads_give_the_same_numbers_every_time(network: PretrainingNetwork) -> None:
    first = _found(network, _parts(_batch()), 2)
    again = _found(network, _parts(_batch()), 2)
    assert all(torch.equal(*pair) for pair in zip(first, again, strict=True))


def test_every_worker_has_its_share_of_the_threads() -> None:
    with workers(2, CPU) as pool:
        assert pool is not None
        assert pool.count == 2
        shares = [int(losses) for _, losses in pool.run([_threads, _threads])]
        assert torch.get_num_threads() == 4
    assert shares == [2, 2]
    assert torch.get_num_threads() == 4


@pytest.mark.parametrize(("n_threads", "most"), [(1, 4), (4, 1), (4, 0)])
def test_one_is_enough(n_threads: int, most: int) -> None:
    torch.set_num_threads(n_threads)
    with workers(most, CPU) as pool:
        assert pool is None


def test_what_fails_on_a_thread_is_raised(network: PretrainingNetwork) -> None:
    first, second, third = _parts(_batch())
    broken = Batch(first.ids + N_PIECES, *(getattr(first, name) for name in list(vars(first))[1:]))
    with pytest.raises(IndexError):
        _found(network, [broken, second, third], 2)


def _threads() -> tuple[list[Tensor], Tensor]:
    return [], torch.tensor(torch.get_num_threads())
