"""Rows as numbers and in batches: all of them, once, with nothing but their own tokens."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app.errors import Cancelled
from bertviz_app.text import Tokenizer
from bertviz_app.training.finetuning.labelled import (
    evaluation_batches,
    labelled,
    numbers_of,
    split_rows,
    training_batches,
)
from bertviz_app.training.finetuning.settings import Row
from bertviz_app.training.settings import TrainingError
from tests.support.checkpoint_folders import opened

NAMES = ("bad", "good")
ROWS = (
    Row("bad", "the cat ate"),
    Row("good", "fish", "it was hungry"),
    Row("bad", "고양이 " * 40),
    Row("good", "the fish"),
)


@pytest.fixture(scope="module")
def tokenizer(tiny_bert: Path) -> Tokenizer:
    return opened(tiny_bert).tokenizer


def _nothing() -> None: ...


def test_rows_have_the_numbers_that_the_window_shows(tokenizer: Tokenizer) -> None:
    limited = tokenizer.limited(12)
    found = labelled(ROWS, numbers_of(ROWS, NAMES), limited, _nothing)
    for number, row in enumerate(ROWS):
        tokens = limited.encode(row.text, row.pair)
        own = slice(found.starts[number], found.starts[number + 1])
        assert found.ids[own].tolist() == tokens.ids.tolist()
        assert found.segment_ids[own].tolist() == tokens.segment_ids.tolist()
    assert found.labels.tolist() == [0, 1, 0, 1]
    assert (int(found.lengths.max()), found.n_cut) == (12, 1)
    assert tokenizer.max_tokens > 12
    assert tokenizer.limited(10**6).max_tokens == tokenizer.max_tokens


def test_a_batch_is_padded_where_nothing_is_seen(tokenizer: Tokenizer) -> None:
    found = labelled(ROWS, numbers_of(ROWS, NAMES), tokenizer, _nothing)
    batch = found.batch(np.array([3, 1]))
    lengths = found.lengths[[3, 1]]
    assert batch.ids.shape == (2, lengths.max())
    assert batch.seen.sum(1).tolist() == lengths.tolist()
    assert batch.n_tokens == lengths.sum()
    assert not batch.ids[~batch.seen].any()
    assert batch.ids[0][batch.seen[0]].tolist() == tokenizer.encode("the fish").ids.tolist()
    assert batch.segment_ids[1].tolist() == tokenizer.encode("fish", "it was hungry").segment_ids.tolist()
    assert batch.labels.tolist() == [1, 1]


def test_other_rows_have_another_mark(tokenizer: Tokenizer) -> None:
    marks = {
        labelled(rows, numbers_of(rows, NAMES), tokenizer, _nothing).mark()
        for rows in (ROWS, ROWS[:3], ROWS[::-1], (Row("good", "the cat ate"), *ROWS[1:]))
    }
    assert len(marks) == 4


def test_tokenising_can_be_cancelled(tokenizer: Tokenizer) -> None:
    def stop() -> None:
        raise Cancelled

    with pytest.raises(Cancelled):
        labelled(ROWS, numbers_of(ROWS, NAMES), tokenizer, stop)


def test_a_share_of_each_label_is_kept() -> None:
    labels = np.array([0] * 50 + [1] * 10 + [2] * 2 + [3])
    learnt, held_out = split_rows(labels, 0.1, seed=0)
    assert sorted([*learnt, *held_out]) == list(range(len(labels)))
    assert np.bincount(labels[held_out], minlength=4).tolist() == [5, 1, 1, 0]
    assert held_out.tolist() != split_rows(labels, 0.1, seed=1)[1].tolist()


def test_labels_with_one_row_each_cannot_be_split() -> None:
    with pytest.raises(TrainingError, match="in column id has one row only"):
        split_rows(np.array([0, 1, 2]), 0.1, seed=0, column="id")


def test_a_share_of_scores_is_kept_whatever_they_are() -> None:
    scores = np.linspace(0, 5, 40, dtype=np.float32)
    learnt, held_out = split_rows(scores, 0.1, seed=0)
    assert sorted([*learnt, *held_out]) == list(range(40))
    assert len(held_out) == 4


def test_every_row_is_learnt_once_beside_rows_of_its_length() -> None:
    lengths = np.random.default_rng(0).integers(3, 100, 1_000)
    rows = np.arange(0, 1_000, 2)
    batches = training_batches(rows, lengths, 32, [0, 0])
    assert sorted(np.concatenate(batches)) == rows.tolist()
    assert sorted({len(batch) for batch in batches}) == [500 % 32, 32]
    n_padded = sum(lengths[batch].max() * len(batch) for batch in batches)
    assert n_padded < 1.1 * lengths[rows].sum()
    again, other = (training_batches(rows, lengths, 32, [0, turn]) for turn in (0, 1))
    assert all(np.array_equal(one, two) for one, two in zip(batches, again, strict=True))
    assert not all(np.array_equal(one, two) for one, two in zip(batches, other, strict=True))


def test_evaluation_batches_go_from_short_to_long() -> None:
    lengths = np.array([5, 3, 9, 4, 7])
    batches = evaluation_batches(np.array([0, 2, 3, 4]), lengths, 2)
    assert [batch.tolist() for batch in batches] == [[3, 0], [4, 2]]
