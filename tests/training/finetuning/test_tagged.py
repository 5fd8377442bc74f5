"""Labels of words and characters at the pieces that learn them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from bertviz_app.encoder.config import TaskHeadsConfig
from bertviz_app.errors import Cancelled
from bertviz_app.text import Tokenizer
from bertviz_app.text_tables.token_labels import LabelledSentence
from bertviz_app.training.finetuning.labelled import (
    NOT_COUNTED,
    Tagged,
    accuracy_of,
    network_on,
    split_sentences,
    tagged,
)
from bertviz_app.training.loop import named
from bertviz_app.training.settings import TrainingError
from tests.support.checkpoint_folders import opened
from tests.support.reviews import base_of

NAMES = ("O", "B-P", "I-P")
_ = NOT_COUNTED


@pytest.fixture(scope="module")
def tokenizer(tiny_bert: Path) -> Tokenizer:
    return opened(tiny_bert).tokenizer


def _tagged(
    tokenizer: Tokenizer, *sentences: tuple[str, str], are_characters: bool = False, gap: str = " "
) -> Tagged:
    rows = [
        LabelledSentence(tuple(units if are_characters else units.split(gap)), tuple(labels.split()))
        for units, labels in sentences
    ]
    return tagged(rows, NAMES, tokenizer, lambda: None, are_characters=are_characters)


def test_a_word_is_learnt_at_its_first_piece(tokenizer: Tokenizer) -> None:
    found = _tagged(tokenizer, ("the cater was", "O B-P O"), ("cats", "B-P"))
    pieces = [tokenizer.piece_of(number) for number in found.ids]
    assert pieces == ["[CLS]", "the", "cat", "##er", "was", "[SEP]", "[CLS]", "cat", "##s", "[SEP]"]
    assert found.labels.tolist() == [_, 0, 1, _, 0, _, _, 1, _, _]
    assert found.unit_pieces.tolist() == [1, 2, 4, 7]
    assert (found.n_cut, found.n_unread, len(found)) == (0, 0, 2)
    assert not found.continues.any()


def test_a_word_with_punctuation_is_one_word(tokenizer: Tokenizer) -> None:
    found = _tagged(tokenizer, ("(cat) !", "B-P O"))
    assert [tokenizer.piece_of(number) for number in found.ids] == ["[CLS]", "(", "cat", ")", "!", "[SEP]"]
    assert found.labels.tolist() == [_, 1, _, _, 0, _]


def test_a_piece_has_the_label_of_the_character_that_it_begins_with(tokenizer: Tokenizer) -> None:
    found = _tagged(tokenizer, ("cat fish", "B-P I-P I-P I-P O O O O"), are_characters=True)
    assert [tokenizer.piece_of(number) for number in found.ids] == ["[CLS]", "cat", "fish", "[SEP]"]
    assert found.labels.tolist() == [_, 1, 0, _]
    assert found.unit_pieces.tolist() == [1, 1, 1, -1, 2, 2, 2, 2]
    assert found.continues.tolist() == [False, True, True, False, False, True, True, True]
    assert found.is_counted.tolist() == [True, True, True, False, True, True, True, True]
    assert found.n_unread == 0


def test_a_character_of_several_pieces_is_learnt_at_the_first(tokenizer: Tokenizer) -> None:
    found = _tagged(tokenizer, ("는", "B-P"), are_characters=True)  # an uncased BERT takes it apart
    pieces = [tokenizer.piece_of(number) for number in found.ids][1:-1]
    assert len(pieces) == 3
    assert found.labels.tolist() == [_, 1, _, _, _]


def test_words_that_are_cut_off_or_nothing_are_counted(tokenizer: Tokenizer) -> None:
    found = _tagged(tokenizer.limited(8), ("the " * 9 + "cat", "O " * 9 + "B-P"), ("the \u0301 cat", "O O O"))
    assert found.n_cut == 1
    assert found.n_unread == 4 + 1  # an accent alone is nothing to an uncased tokenizer
    assert found.unit_pieces[6:10].tolist() == [-1] * 4


def test_batches_are_padded_with_labels_that_are_not_counted(tokenizer: Tokenizer) -> None:
    found = _tagged(tokenizer, ("the cater was", "O B-P O"), ("cat", "B-P"))
    batch = found.batch(np.array([1, 0]))
    assert batch.labels.tolist() == [[_, 1, _, _, _, _], [_, 0, 1, _, 0, _]]
    assert batch.seen.sum(1).tolist() == [3, 6]
    assert accuracy_of(torch.eye(3)[torch.tensor([[0, 1, 1, 1, 1, 1], [1] * 6])], batch.labels) == 0.5


def test_loss_and_gradients_are_those_of_transformers(tiny_bert: Path, tokenizer: Tokenizer) -> None:
    from transformers import BertConfig, BertForTokenClassification

    batch = _tagged(tokenizer, ("the cater was", "O B-P O"), ("cats it", "B-P O")).batch(np.array([0, 1]))
    network = network_on(base_of(tiny_bert).encoder, TaskHeadsConfig(n_token_labels=3), seed=0)
    assert network.encoder.pooler is None
    config = BertConfig.from_pretrained(tiny_bert, num_labels=3)
    config.hidden_dropout_prob = config.attention_probs_dropout_prob = 0.0
    theirs = BertForTokenClassification(config).train()
    theirs.load_state_dict(named(network.encoder, network.heads))
    expected = theirs(
        input_ids=batch.ids,
        token_type_ids=batch.segment_ids,
        attention_mask=batch.seen.long(),
        labels=batch.labels,
    )
    found = network(batch)
    torch.testing.assert_close(found.logits[batch.seen], expected.logits[batch.seen], atol=1e-5, rtol=0)
    torch.testing.assert_close(found.loss, expected.loss, atol=1e-5, rtol=0)
    torch.autograd.backward(found.loss)
    torch.autograd.backward(expected.loss)
    ours = {
        name: next(one.grad for one in network.parameters() if one.data_ptr() == tensor.data_ptr())
        for name, tensor in named(network.encoder, network.heads).items()
    }
    gradients = dict(theirs.named_parameters())
    assert ours.keys() == gradients.keys()
    for name, gradient in ours.items():
        torch.testing.assert_close(gradient, gradients[name].grad, atol=1e-5, rtol=1e-4)


def test_dropout_multiplies_the_vectors_of_tokens(tiny_bert: Path, tokenizer: Tokenizer) -> None:
    batch = _tagged(tokenizer, ("the cat", "O B-P")).batch(np.array([0]))
    network = network_on(base_of(tiny_bert).encoder, TaskHeadsConfig(n_token_labels=3), seed=0)
    nothing = torch.zeros(1, 4, 32)
    assert torch.equal(network(batch, nothing).logits, torch.zeros(1, 4, 3))  # the biases begin at 0


def test_other_labels_have_another_mark(tokenizer: Tokenizer) -> None:
    texts = (("the cat", "O B-P"), ("the cat", "O O"), ("the fish", "O B-P"), ("the \u0301", "O B-P"))
    assert len({_tagged(tokenizer, text).mark() for text in texts}) == 4


def test_tokenising_can_be_cancelled(tokenizer: Tokenizer) -> None:
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        tagged([LabelledSentence(("a",), ("O",))], NAMES, tokenizer, stop, are_characters=False)


def test_a_share_of_the_sentences_is_held_out() -> None:
    learnt, held_out = split_sentences(np.array([0, 2, 4, 6, 8, 9]), 0.34, seed=0)
    assert sorted([*learnt, *held_out]) == [0, 2, 4, 6, 8, 9]
    assert len(held_out) == 2
    assert [len(part) for part in split_sentences(np.array([3, 4]), 0.01, seed=1)] == [1, 1]
    with pytest.raises(TrainingError, match="one sentence only"):
        split_sentences(np.array([3]), 0.5, seed=0)
