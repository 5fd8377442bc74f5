"""The network that is fine-tuned, against `transformers` on the same batch, and what of it learns."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from bertviz_app.encoder.config import TaskHeadsConfig
from bertviz_app.training.finetuning.labelled import (
    ClassifierNetwork,
    LabelledBatch,
    dropout,
    labelled,
    network_on,
    numbers_of,
)
from bertviz_app.training.finetuning.settings import read_rows
from bertviz_app.training.loop import change, named, optimiser
from tests.support.checkpoint_folders import opened
from tests.support.checkpoints import random_bert, write_bert
from tests.support.reviews import base_of, write_reviews

NAMES = ("bad", "good", "so so")


@pytest.fixture(scope="module")
def batch(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> LabelledBatch:
    """Return rows of many lengths, pairs."""
    path = write_reviews(tmp_path_factory.mktemp("rows") / "rows.tsv", 12, has_pairs=True)
    rows = read_rows(path).rows
    return labelled(rows, numbers_of(rows, NAMES), opened(tiny_bert).tokenizer, lambda: None).batch(
        np.arange(12)
    )


def _network(folder: Path, n_outputs: int = len(NAMES)) -> ClassifierNetwork:
    return network_on(base_of(folder).encoder, TaskHeadsConfig(n_classes=n_outputs), seed=0)


@pytest.mark.parametrize("has_scores", [False, True])
def test_loss_and_gradients_are_those_of_transformers(
    tiny_bert: Path, batch: LabelledBatch, has_scores: bool
) -> None:
    from transformers import BertConfig, BertForSequenceClassification

    n_outputs = 1 if has_scores else len(NAMES)
    if has_scores:
        batch = replace(batch, labels=torch.linspace(0, 5, 12))
    network = _network(tiny_bert, n_outputs)
    config = BertConfig.from_pretrained(tiny_bert, num_labels=n_outputs)
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
    theirs = BertForSequenceClassification(config).train()
    theirs.load_state_dict(named(network.encoder, network.heads))
    expected = theirs(
        input_ids=batch.ids,
        token_type_ids=batch.segment_ids,
        attention_mask=batch.seen.long(),
        labels=batch.labels,
    )
    found = network(batch)
    assert not batch.seen.all()  # there is padding to be told apart
    torch.testing.assert_close(found.logits, expected.logits, atol=1e-5, rtol=0)
    torch.testing.assert_close(found.loss, expected.loss, atol=1e-5, rtol=0)
    torch.autograd.backward(found.loss)
    torch.autograd.backward(expected.loss)
    gradients = dict(theirs.named_parameters())
    ours = {name: number.grad for name, number in _by_their_names(network).items()}
    assert ours.keys() == gradients.keys()
    for name, gradient in ours.items():
        torch.testing.assert_close(gradient, gradients[name].grad, atol=1e-5, rtol=1e-4)


def _by_their_names(network: ClassifierNetwork) -> dict[str, Tensor]:
    theirs = named(network.encoder, network.heads)
    name_of = {number.data_ptr(): number for number in network.parameters()}
    return {name: name_of[tensor.data_ptr()] for name, tensor in theirs.items()}


def test_the_base_is_copied(tiny_bert: Path, batch: LabelledBatch) -> None:
    base = base_of(tiny_bert)
    before = {name: number.clone() for name, number in base.encoder.state_dict().items()}
    network = network_on(base.encoder, TaskHeadsConfig(n_classes=len(NAMES)), seed=0)
    assert all(torch.equal(number, before[name]) for name, number in network.encoder.state_dict().items())
    _learn(network, batch)
    assert all(torch.equal(number, before[name]) for name, number in base.encoder.state_dict().items())
    assert not torch.equal(network.encoder.embeddings.token.weight, before["embeddings.token.weight"])


def test_only_pooler_and_classifier_of_a_frozen_encoder_learn(tiny_bert: Path, batch: LabelledBatch) -> None:
    network = _network(tiny_bert)
    network.freeze_encoder()
    before = {name: number.clone() for name, number in network.named_parameters()}
    _learn(network, batch)
    changed = {name for name, number in network.named_parameters() if not torch.equal(number, before[name])}
    assert changed == {
        "encoder.pooler.dense.weight",
        "encoder.pooler.dense.bias",
        "heads.classifier.output.weight",
        "heads.classifier.output.bias",
    }


def test_a_pooler_is_made_where_there_is_none(tmp_path: Path, batch: LabelledBatch) -> None:
    write_bert(tmp_path, random_bert(has_pooler=False))
    assert base_of(tmp_path).encoder.pooler is None
    network = _network(tmp_path)
    assert network.encoder.pooler is not None
    assert network(batch).logits.shape == (12, len(NAMES))
    assert 0 < float(network.encoder.pooler.dense.weight.detach().std()) < 0.03


def test_dropout_keeps_the_mean_and_goes_by_its_seed() -> None:
    dropped_out = dropout((400, 100), 0.1, [0, 3])
    assert sorted(set(dropped_out.flatten().tolist())) == [0.0, pytest.approx(1 / 0.9)]
    assert float((dropped_out == 0).float().mean()) == pytest.approx(0.1, abs=0.01)
    assert torch.equal(dropped_out, dropout((400, 100), 0.1, [0, 3]))
    assert not torch.equal(dropped_out, dropout((400, 100), 0.1, [0, 4]))
    assert torch.equal(dropout((2, 3), 0.0, [0, 0]), torch.ones(2, 3))


def test_dropout_multiplies_the_pooled_vectors(tiny_bert: Path, batch: LabelledBatch) -> None:
    network = _network(tiny_bert)
    classifier = network.heads.classifier
    assert classifier is not None
    nothing = network(batch, torch.zeros(12, 32)).logits
    assert torch.equal(nothing, classifier.output.bias.expand(12, -1))


def _learn(network: ClassifierNetwork, batch: LabelledBatch) -> None:
    own = [number for number in network.parameters() if number.requires_grad]
    steps = optimiser(network, 1e-2, 0.01)
    torch.autograd.backward(network(batch).loss)
    change(steps, own, 1e-2, 1.0)
