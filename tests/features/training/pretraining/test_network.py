"""The network that is pre-trained: its loss and its gradients against torch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from bertviz_app.checkpoint.loader import open_checkpoint
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.features.training.loop import (
    change,
    constant_rate,
    fill,
    linear_rate,
    named,
    optimiser,
    precision,
    save_model,
)
from bertviz_app.features.training.pretraining.network import (
    NO_PAIR,
    Batch,
    Gradients,
    PretrainingNetwork,
    fill_positions,
    mean_loss,
    workers,
)
from bertviz_app.features.training.pretraining.vocabulary import save_tokenizer, train_tokenizer
from tests.support.exactness import of_bound
from tests.support.training_texts import TINY, english, korean

if TYPE_CHECKING:
    from transformers import BertForPreTraining

N_PIECES = 120
CONFIG = TINY.encoder(N_PIECES)


def _network(seed: int = 0) -> PretrainingNetwork:
    network = PretrainingNetwork(CONFIG)
    fill(network, seed)
    with torch.no_grad():  # wide enough that a mistake shows
        for parameter in network.parameters():
            parameter.add_(0.3 * torch.randn(parameter.shape, generator=torch.Generator().manual_seed(seed)))
    return network


def _batch() -> Batch:
    draw = torch.Generator().manual_seed(3)
    ids = torch.randint(5, N_PIECES, (4, 20), generator=draw)
    seen = torch.ones(4, 20, dtype=torch.bool)
    seen[1, 12:] = seen[3, 7:] = False
    ids[~seen] = 0
    segments = (torch.arange(20) > 5).long().expand(4, 20).clone()
    segments[~seen] = 0
    positions = torch.tensor([1, 5, 23, 41, 66])
    answers = torch.randint(5, N_PIECES, (5,), generator=draw)
    return Batch(ids, segments, seen, positions, answers, torch.tensor([0, 1, 1, 0]))


def _theirs(network: PretrainingNetwork, folder: Path) -> BertForPreTraining:
    from transformers import BertForPreTraining

    save_model(network.encoder, network.heads, folder)
    found: BertForPreTraining = BertForPreTraining.from_pretrained(folder)
    return found.eval()


def test_the_losses_are_those_of_transformers(tmp_path: Path) -> None:
    network, batch = _network(), _batch()
    theirs = _theirs(network, tmp_path)
    labels = torch.full_like(batch.ids, -100).flatten()
    labels[batch.masked_positions] = batch.answers
    out = theirs(
        input_ids=batch.ids,
        token_type_ids=batch.segment_ids,
        attention_mask=batch.seen.long(),
        labels=labels.view_as(batch.ids),
        next_sentence_label=batch.not_next,
    )
    ours = network(batch)
    assert float(sum(ours).detach()) == pytest.approx(float(out.loss.detach()), abs=1e-5)
    out.loss.backward()
    torch.autograd.backward(sum(ours))
    by_address = {parameter.data_ptr(): parameter.grad for parameter in network.parameters()}
    names = named(network.encoder, network.heads)
    gradients = {name: by_address[tensor.data_ptr()] for name, tensor in names.items()}
    for name, parameter in theirs.named_parameters():
        ours, expected = gradients[name], parameter.grad
        assert ours is not None
        assert expected is not None
        assert torch.allclose(ours, expected, atol=1e-6), name


def test_right_answers_are_counted() -> None:
    network, batch = _network(), _batch()
    with torch.no_grad():
        hidden, pooled = network.encoder(
            batch.ids, batch.segment_ids, torch.arange(20).expand(4, 20), seen=batch.seen
        )
        out = network.heads(hidden, pooled)
    assert out.masked is not None
    assert out.next_sentence is not None
    guessed = out.masked.flatten(0, 1)[batch.masked_positions].argmax(-1)
    predicted = out.next_sentence.argmax(-1)
    scores = network.scores(batch)
    assert scores.n_right(replace(batch, answers=guessed, not_next=predicted)) == (5, 4)
    wrong = replace(batch, answers=(guessed + 1) % N_PIECES, not_next=1 - predicted)
    assert scores.n_right(wrong) == (0, 0)
    assert scores.n_right(replace(batch, not_next=torch.full((4,), NO_PAIR)))[1] == 0


def test_padding_changes_nothing() -> None:
    network, batch = _network(), _batch()
    alone = replace(
        batch, ids=batch.ids[3:, :7], segment_ids=batch.segment_ids[3:, :7], seen=batch.seen[3:, :7]
    )
    with torch.no_grad():
        all_four = network.encoder(
            batch.ids, batch.segment_ids, torch.arange(20).expand(4, 20), seen=batch.seen
        ).hidden
        one = network.encoder(alone.ids, alone.segment_ids, torch.arange(7)[None]).hidden  # the other way
    assert torch.allclose(all_four[3, :7], one[0], atol=2e-6)


def test_bfloat16_goes_the_other_way_to_nearly_the_same_loss() -> None:
    network, batch = _network(), _batch()
    exact = float(sum(network(batch)).detach())
    with torch.autocast("cpu", torch.bfloat16):
        low = sum(network(batch))
    assert float(low.detach()) == pytest.approx(exact, rel=0.03)
    torch.autograd.backward(low)
    gradients = [parameter.grad for parameter in network.parameters() if parameter.grad is not None]
    assert len(gradients) == len(list(network.parameters()))
    assert all(torch.isfinite(gradient).all() for gradient in gradients)


def test_what_is_saved_opens_with_the_heads(tmp_path: Path) -> None:
    network = _network()
    save_model(network.encoder, network.heads, tmp_path, dtype=torch.float16)
    backend = train_tokenizer([english(), korean()], N_PIECES)
    save_tokenizer(backend, tmp_path, CONFIG.n_positions)
    opened = open_checkpoint(find(str(tmp_path)))
    assert opened.task_heads.names() == ("masked", "next_sentence")
    assert opened.report.summary() == ""
    for name, tensor in network.encoder.state_dict().items():
        assert torch.equal(opened.encoder.state_dict()[name], tensor.half().float()), name


def test_ten_steps_on_one_batch_learn_it_by_heart() -> None:
    network = PretrainingNetwork(CONFIG)
    fill(network, 0)
    batch = _batch()
    optimizer = optimiser(network, 1e-2, 0.0)
    losses = []
    for _ in range(10):
        found = network(batch)
        torch.autograd.backward(sum(found))
        change(optimizer, list(network.parameters()), 1e-2, 1.0)
        losses.append(float(sum(found).detach()))
    assert losses[0] == pytest.approx(4.79 + 0.69, abs=0.2)  # ln 120 + ln 2: it knows nothing yet
    assert losses[-1] < 0.5 * losses[0]
    assert network.scores(batch).n_right(batch)[0] == 5


def test_the_rate_rises_and_falls_in_lines() -> None:
    assert [linear_rate(share, 0.1) for share in (0.0, 0.05, 0.1, 0.55, 1.0)] == pytest.approx(
        [0, 0.5, 1, 0.5, 0]
    )


def test_a_constant_rate_knows_its_end_only_in_the_last_part() -> None:
    shares = [0.0, 0.5, 0.9, 0.95, 1.0]
    assert [constant_rate(share, 1.0, 0.1) for share in shares] == pytest.approx([1, 1, 1, 0.5, 0])
    assert [constant_rate(0.2, warmed, 0.1) for warmed in (0.0, 0.25, 2.0)] == pytest.approx([0, 0.25, 1])
    assert constant_rate(1.2, 1.0, 0.1) == 0  # an end that was moved to before what is done


def test_without_any_pair_there_is_no_loss_of_pairs() -> None:
    network, batch = _network(), _batch()
    singles = replace(batch, not_next=torch.full((4,), NO_PAIR))
    losses = network(singles)
    assert float(losses.next_sentence.detach()) == 0
    mixed = network(replace(batch, not_next=torch.tensor([0, NO_PAIR, NO_PAIR, 0])))
    ends = network(
        replace(
            batch,
            **{name: getattr(batch, name)[[0, 3]] for name in ("ids", "segment_ids", "seen", "not_next")},
            masked_positions=batch.masked_positions[:1],
            answers=batch.answers[:1],
        )
    )
    assert float(mixed.next_sentence.detach()) == pytest.approx(float(ends.next_sentence.detach()), abs=1e-5)


def test_positions_that_start_as_sinusoids_show_who_is_beside_whom() -> None:
    network = PretrainingNetwork(CONFIG)
    fill(network, 0, 0.05)
    fill_positions(network.encoder, 0.05)
    assert network.encoder.embeddings.position is not None
    table = network.encoder.embeddings.position.weight.detach()
    assert float(table.square().mean().sqrt()) == pytest.approx(0.05, rel=0.05)
    products = table @ table.T
    by_distance = [float(products.diagonal(shift).mean()) for shift in (0, 1, 2)]
    assert by_distance == sorted(by_distance, reverse=True)


def test_a_step_is_clipped_and_norms_do_not_decay() -> None:
    network = _network()
    optimizer = optimiser(network, 1e-3, 0.01)
    kinds = {group["weight_decay"]: {one.ndim for one in group["params"]} for group in optimizer.param_groups}
    assert kinds == {0.01: {2}, 0.0: {1}}
    torch.autograd.backward(1000 * sum(network(_batch())))
    assert change(optimizer, list(network.parameters()), 1e-3, 1.0) > 1000
    assert all(parameter.grad is None for parameter in network.parameters())


N_ROWS, N_TOKENS = 60, 10
CPU = torch.device("cpu")


@pytest.fixture
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(4)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def network() -> PretrainingNetwork:
    made = PretrainingNetwork(TINY.encoder(N_ROWS))
    fill(made, 0, 0.3)
    return made


def _uneven_batch() -> Batch:
    draw = torch.Generator().manual_seed(1)
    return Batch(
        ids=torch.randint(5, N_ROWS, (6, N_TOKENS), generator=draw),
        segment_ids=torch.zeros(6, N_TOKENS, dtype=torch.long),
        seen=torch.ones(6, N_TOKENS, dtype=torch.bool),
        masked_positions=torch.tensor([1, 5, 13, 22, 41, 55, 58]),
        answers=torch.randint(5, N_ROWS, (7,), generator=draw),
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


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize(("most", "name"), [(1, "float32"), (2, "bfloat16"), (3, "float32")])
def test_parts_and_threads_change_nothing(network: PretrainingNetwork, most: int, name: str) -> None:
    whole = _found(network, [_uneven_batch()], 1, name)
    assert len(whole) == 1 + len(list(network.parameters()))
    parted = _found(network, _parts(_uneven_batch()), most, name)
    if name == "float32":
        assert all(torch.allclose(*pair, atol=1e-6) for pair in zip(parted, whole, strict=True))
    else:
        found = (parted, whole, _found(network, [_uneven_batch()], 1))
        assert of_bound(*([torch.cat([one.flatten() for one in of]).numpy()] for of in found)) <= 1


@pytest.mark.usefixtures("threads")
def test_the_losses_are_those_that_the_network_returns(network: PretrainingNetwork) -> None:
    losses = _found(network, _parts(_uneven_batch()), 2)[0]
    expected = network(_uneven_batch())
    assert losses.tolist() == pytest.approx([float(loss.detach()) for loss in expected], abs=1e-6)


@pytest.mark.usefixtures("threads")
def test_two_calls_add_up(network: PretrainingNetwork) -> None:
    once = [tensor.clone() for tensor in _found(network, [_uneven_batch()], 1)]
    Gradients(network, precision("float32", CPU)).add([_uneven_batch()])
    twice = [parameter.grad for parameter in network.parameters() if parameter.grad is not None]
    assert all(torch.allclose(2 * one, two, atol=1e-6) for one, two in zip(once[1:], twice, strict=True))


@pytest.mark.usefixtures("threads")
def test_threads_give_the_same_numbers_every_time(network: PretrainingNetwork) -> None:
    first = _found(network, _parts(_uneven_batch()), 2)
    again = _found(network, _parts(_uneven_batch()), 2)
    assert all(torch.equal(*pair) for pair in zip(first, again, strict=True))


@pytest.mark.usefixtures("threads")
def test_every_worker_has_its_share_of_the_threads() -> None:
    with workers(2, CPU) as found:
        assert found is not None
        pool, count = found
        assert count == 2
        shares = [int(losses) for _, losses in pool.map(lambda task: task(), [_threads, _threads])]
        assert torch.get_num_threads() == 4
    assert shares == [2, 2]
    assert torch.get_num_threads() == 4


@pytest.mark.usefixtures("threads")
@pytest.mark.parametrize(("n_threads", "most"), [(1, 4), (4, 1), (4, 0)])
def test_one_is_enough(n_threads: int, most: int) -> None:
    torch.set_num_threads(n_threads)
    with workers(most, CPU) as pool:
        assert pool is None


@pytest.mark.usefixtures("threads")
def test_what_fails_on_a_thread_is_raised(network: PretrainingNetwork) -> None:
    first, second, third = _parts(_uneven_batch())
    broken = Batch(first.ids + N_ROWS, *(getattr(first, name) for name in list(vars(first))[1:]))
    with pytest.raises(IndexError):
        _found(network, [broken, second, third], 2)


def _threads() -> tuple[list[Tensor], Tensor]:
    return [], torch.tensor(torch.get_num_threads())


def _examples(n_rows: int, dtype: torch.dtype, scale: float = 3.0) -> tuple[Tensor, Tensor]:
    generator = torch.Generator().manual_seed(n_rows)
    scores = scale * torch.randn(n_rows, 50, generator=generator)
    answers = torch.randint(50, (n_rows,), generator=generator)
    return scores.to(dtype).requires_grad_(), answers


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize(("n_rows", "scale"), [(1, 3.0), (15, 300.0), (16, 3.0), (17, 300.0), (100, 3.0)])
def test_loss_and_gradient_are_those_of_torch(n_rows: int, dtype: torch.dtype, scale: float) -> None:
    scores, answers = _examples(n_rows, dtype, scale)
    before = scores.detach().clone()
    loss = mean_loss(scores, answers)
    (gradient,) = torch.autograd.grad(0.25 * loss, scores)
    expected = cross_entropy(scores.float(), answers)
    (expected_gradient,) = torch.autograd.grad(0.25 * expected, scores)
    assert loss.dtype == torch.float32
    torch.testing.assert_close(loss, expected, rtol=1e-6, atol=1e-6)
    assert gradient.dtype == dtype
    rounding = 1e-7 if dtype == torch.float32 else 2**-8 / n_rows
    torch.testing.assert_close(gradient, expected_gradient, rtol=1e-5, atol=rounding)
    assert torch.equal(scores, before), "the scores are not written to"


def test_of_two_equal_scores_the_loss_is_the_logarithm_of_two() -> None:
    loss = mean_loss(torch.zeros(3, 2), torch.tensor([0, 1, 1]))
    assert loss.item() == pytest.approx(0.6931472)


def test_a_batch_without_masked_tokens_has_no_mean() -> None:
    assert mean_loss(torch.zeros(0, 5), torch.zeros(0, dtype=torch.int64)).isnan()
