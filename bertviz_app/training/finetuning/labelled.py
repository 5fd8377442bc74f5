"""Rows as numbers, split into rows to train on and to evaluate on, in batches of similar length."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from bertviz_app.errors import Message
from bertviz_app.text import Tokenizer
from bertviz_app.training.finetuning.classifier import LabelledBatch
from bertviz_app.training.finetuning.rows import Row
from bertviz_app.training.settings import TrainingError

Integers = NDArray[np.int64]
Scores = NDArray[np.float32]
_AT_ONCE = 1_000  # rows
_BATCHES_IN_POOL = 64


@dataclass(frozen=True, eq=False)
class Labelled:
    """N rows as the ids of their tokens, one row after the other, special tokens included."""

    ids: NDArray[np.int32]  # [n tokens]
    segment_ids: NDArray[np.int32]  # [n tokens]
    starts: Integers  # [N + 1], indices into the ids, the last one their end
    labels: Integers | Scores  # [N], the numbers of the labels, or the scores themselves
    n_cut: int  # rows whose ends were left out

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def lengths(self) -> Integers:
        """The tokens of each row: [N]."""
        return np.diff(self.starts)

    def counts(self, rows: Integers, n_labels: int) -> Integers:
        """Return how many of `rows` have each label: [N]."""
        return np.bincount(self.labels[rows].astype(np.int64), minlength=n_labels)

    def mark(self) -> int:
        """Return a checksum of the rows."""
        parts = (self.ids.tobytes(), self.starts.tobytes(), self.labels.tobytes())
        return zlib.crc32(b"".join(parts))

    def batch(self, chosen: Integers) -> LabelledBatch:
        """Return the rows of the numbers `chosen`, padded to the longest of them."""
        ids, segment_ids, seen, _ = self.padded(chosen)
        return LabelledBatch(*map(torch.from_numpy, (ids, segment_ids, seen, self.labels[chosen])))

    def padded(
        self, chosen: Integers
    ) -> tuple[Integers, Integers, NDArray[np.bool_], NDArray[np.integer[Any]]]:
        """Return the ids, the segments, where no padding is, [B, T] each, and the indices of the ids."""
        lengths = self.lengths[chosen]  # [B]
        seen = np.arange(int(lengths.max())) < lengths[:, None]  # [B, T]
        indices = np.concatenate([np.arange(self.starts[row], self.starts[row + 1]) for row in chosen])
        ids, segment_ids = np.zeros((2, *seen.shape), np.int64)
        ids[seen], segment_ids[seen] = self.ids[indices], self.segment_ids[indices]
        return ids, segment_ids, seen, indices


def labelled(
    rows: Sequence[Row], labels: Integers | Scores, tokenizer: Tokenizer, check: Callable[[], None]
) -> Labelled:
    """Return `rows` as numbers, with their `labels` [N]. `check` is called often and may raise."""
    ids: list[int] = []
    segment_ids: list[int] = []
    lengths: list[int] = []
    n_cut = 0
    for first in range(0, len(rows), _AT_ONCE):
        check()
        for one in tokenizer.encode_many([(row.text, row.pair) for row in rows[first : first + _AT_ONCE]]):
            ids += one.ids
            segment_ids += one.segment_ids
            lengths.append(len(one.ids))
            n_cut += one.is_cut
    return Labelled(
        ids=np.array(ids, np.int32),
        segment_ids=np.array(segment_ids, np.int32),
        starts=np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths, dtype=np.int64)]),
        labels=labels,
        n_cut=n_cut,
    )


def numbers_of(rows: Sequence[Row], names: Sequence[str]) -> Integers:
    """Return the numbers of the labels of `rows` [N] by `names`."""
    numbers = {name: number for number, name in enumerate(names)}
    return np.array([numbers[row.label] for row in rows], np.int64)


def split_rows(
    labels: Integers | Scores, share: float, seed: int, column: str = "label"
) -> tuple[Integers, Integers]:
    """Return the numbers of the rows to train on, and of those held out: `share` of each label.

    Of every label at least one row is trained on and, where it has two, one is held out; scores are held out
    whatever they are. Raises TrainingError where no row can be held out, with the `column` of the labels.
    """
    rng = np.random.default_rng([seed, 7])
    is_held_out = np.zeros(len(labels), np.bool_)
    groups = labels if labels.dtype.kind == "i" else np.zeros(len(labels), np.int64)
    for label in np.unique(groups):
        own = rng.permutation(np.flatnonzero(groups == label))
        n_held_out = min(len(own) - 1, max(1, round(share * len(own))))
        is_held_out[own[:n_held_out]] = True
    if not is_held_out.any():
        message = Message("Every label in column {0} has one row only: none can be held out.", column)
        hint = Message("Is it the column of the labels? Otherwise give more rows, or rows to evaluate on.")
        raise TrainingError(message, hint)
    return np.flatnonzero(~is_held_out), np.flatnonzero(is_held_out)


def training_batches(rows: Integers, lengths: Integers, size: int, seed: list[int]) -> list[Integers]:
    """Return `rows` in an order that depends on `seed`, in batches of `size` rows of similar length.

    `lengths` are those of all rows.
    """
    rng = np.random.default_rng([*seed, 8])
    order = rng.permutation(rows)
    n_pool = _BATCHES_IN_POOL * size
    found: list[Integers] = []
    for first in range(0, len(order), n_pool):
        found += evaluation_batches(order[first : first + n_pool], lengths, size)
    return [found[number] for number in rng.permutation(len(found))]


def evaluation_batches(rows: Integers, lengths: Integers, size: int) -> list[Integers]:
    """Return `rows` in batches of `size`, shortest first."""
    order = rows[np.argsort(lengths[rows], kind="stable")]
    return [order[first : first + size] for first in range(0, len(order), size)]
