"""What is trained is BERT: its losses are those of `transformers` on the same batch, saved and read again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import torch

from bertviz_app.checkpoint.loader import open_checkpoint
from bertviz_app.checkpoint.sources.source import find
from bertviz_app.training.loop import change, constant_rate, fill, linear_rate, named, optimiser, save_model
from bertviz_app.training.pretraining.network import NO_PAIR, Batch, PretrainingNetwork, fill_positions
from bertviz_app.training.pretraining.vocabulary import save_tokenizer, train_tokenizer
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
    assert float(ours.total.detach()) == pytest.approx(float(out.loss.detach()), abs=1e-5)
    out.loss.backward()
    torch.autograd.backward(ours.total)
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
    exact = float(network(batch).total.detach())
    with torch.autocast("cpu", torch.bfloat16):
        low = network(batch).total
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
        torch.autograd.backward(found.total)
        change(optimizer, list(network.parameters()), 1e-2, 1.0)
        losses.append(float(found.total.detach()))
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
    torch.autograd.backward(1000 * network(_batch()).total)
    assert change(optimizer, list(network.parameters()), 1e-3, 1.0) > 1000
    assert all(parameter.grad is None for parameter in network.parameters())
