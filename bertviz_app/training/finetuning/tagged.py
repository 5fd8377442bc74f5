"""Sentences with a label for each word or character, as numbers: which piece learns which label.

A word's label is learnt at its first piece (Devlin et al. 2019, arXiv:1810.04805, section 5.3). Of characters
a piece has the label of the one it begins with, as in KLUE's baseline (Park et al. 2021, arXiv:2105.09680,
section 3.4). Both are one rule: a piece has the label of the word or character within which it begins, unless
an earlier piece began there already. Other pieces are not counted.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from bertviz_app.errors import Message
from bertviz_app.text import Tokenizer
from bertviz_app.text.tokenizer import EncodedSpans
from bertviz_app.text_tables.token_labels import LabelledSentence
from bertviz_app.training.finetuning.classifier import NOT_COUNTED, LabelledBatch
from bertviz_app.training.finetuning.labelled import Integers, Labelled
from bertviz_app.training.settings import TrainingError

_NO_PIECE = -1
_AT_ONCE = 1_000  # sentences


@dataclass(frozen=True, eq=False)
class Tagged(Labelled):
    """N sentences as the ids of their tokens; `labels` [n tokens] are those of pieces, or NOT_COUNTED.

    Of all words or characters, U in all, there are the labels and the pieces by which they are predicted.
    Where one `continues`, its piece began within an earlier one, whose span it belongs to. Blanks between the
    words of a text by characters are not counted.
    """

    unit_starts: Integers  # [N + 1], indices into the words or characters, the last one their end
    unit_labels: Integers  # [U], by the number of the label
    unit_pieces: Integers  # [U], indices into the ids; -1 for one that is not read
    continues: NDArray[np.bool_]  # [U]
    is_counted: NDArray[np.bool_]  # [U]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def is_read(self) -> NDArray[np.bool_]:
        """Whether a word or character is counted, and has a piece that predicts its label: [U]."""
        has_piece: NDArray[np.bool_] = np.not_equal(self.unit_pieces, _NO_PIECE)
        return self.is_counted & has_piece

    @property
    def n_unread(self) -> int:
        """The words or characters that no piece predicts: cut off, or nothing to the tokenizer."""
        return int((self.is_counted & (self.unit_pieces == _NO_PIECE)).sum())

    @property
    def learnable(self) -> Integers:
        """The numbers of the sentences that have a piece with a label."""
        n_before = np.concatenate([[0], np.cumsum(self.labels != NOT_COUNTED)])  # [n tokens + 1]
        return np.flatnonzero(np.diff(n_before[self.starts]))

    def counts(self, rows: Integers, n_labels: int) -> Integers:
        """Return how many words or characters of the sentences `rows` have each label: [N]."""
        chosen = np.zeros(len(self.unit_labels), np.bool_)
        for row in rows.tolist():
            chosen[self.units(row)] = True
        return np.bincount(self.unit_labels[chosen & self.is_counted], minlength=n_labels)

    def units(self, row: int) -> slice:
        """Return the words or characters of a sentence."""
        return slice(int(self.unit_starts[row]), int(self.unit_starts[row + 1]))

    def mark(self) -> int:
        """Return a checksum of the sentences."""
        return zlib.crc32(self.unit_labels.tobytes(), super().mark())

    def batch(self, chosen: Integers) -> LabelledBatch:
        """Return the sentences of the numbers `chosen`, padded to the longest of them."""
        ids, segment_ids, seen, indices = self.padded(chosen)
        labels = np.full(ids.shape, NOT_COUNTED, np.int64)  # [B, T]
        labels[seen] = self.labels[indices]
        return LabelledBatch(*map(torch.from_numpy, (ids, segment_ids, seen, labels)))


class _Places(NamedTuple):
    """Of the words or characters of one sentence: the piece of each, or -1, and whether it continues."""

    pieces: list[int]
    continues: list[bool]


def tagged(
    sentences: Sequence[LabelledSentence],
    names: Sequence[str],
    tokenizer: Tokenizer,
    check: Callable[[], None],
    *,
    are_characters: bool,
) -> Tagged:
    """Return `sentences` as numbers, those of labels by `names`. `check` is called often and may raise."""
    numbers = {name: number for number, name in enumerate(names)}
    ids: list[int] = []
    segment_ids: list[int] = []
    starts, unit_starts, n_cut = [0], [0], 0
    unit_labels: list[int] = []
    unit_pieces: list[int] = []
    continues: list[bool] = []
    is_counted: list[bool] = []
    for first in range(0, len(sentences), _AT_ONCE):
        check()
        some = sentences[first : first + _AT_ONCE]
        texts = [("" if are_characters else " ").join(one.units) for one in some]
        for sentence, text, one in zip(some, texts, tokenizer.encode_with_spans(texts), strict=True):
            places = _places(sentence.units, text, one, 0 if are_characters else 1)
            unit_pieces += [at if at == _NO_PIECE else at + starts[-1] for at in places.pieces]
            continues += places.continues
            unit_labels += [numbers[label] for label in sentence.labels]
            is_counted += [bool(unit.strip()) for unit in sentence.units]
            ids += one.ids
            segment_ids += one.segment_ids
            starts.append(len(ids))
            unit_starts.append(len(unit_labels))
            n_cut += one.is_cut
    units = np.array(unit_labels, np.int64), np.array(unit_pieces, np.int64)
    flags = np.array(continues, np.bool_), np.array(is_counted, np.bool_)
    return Tagged(
        ids=np.array(ids, np.int32),
        segment_ids=np.array(segment_ids, np.int32),
        starts=np.array(starts, np.int64),
        labels=_labels_of_pieces(len(ids), *units, flags[1] & ~flags[0]),
        n_cut=n_cut,
        unit_starts=np.array(unit_starts, np.int64),
        unit_labels=units[0],
        unit_pieces=units[1],
        continues=flags[0],
        is_counted=flags[1],
    )


def split_sentences(sentences: Integers, share: float, seed: int) -> tuple[Integers, Integers]:
    """Return the numbers of the sentences to train on, and of those held out: a `share` drawn at random.

    Raises TrainingError where there is but one.
    """
    if len(sentences) < 2:
        message = Message("There is one sentence only: none can be held out.")
        raise TrainingError(message, Message("Give more sentences, or a file to evaluate on."))
    n_held_out = min(len(sentences) - 1, max(1, round(share * len(sentences))))
    drawn = np.random.default_rng([seed, 7]).permutation(sentences)
    return np.sort(drawn[n_held_out:]), np.sort(drawn[:n_held_out])


def _labels_of_pieces(
    n_pieces: int, unit_labels: Integers, unit_pieces: Integers, is_leading: NDArray[np.bool_]
) -> Integers:
    chosen = is_leading & (unit_pieces != _NO_PIECE)
    labels = np.full(n_pieces, NOT_COUNTED, np.int64)
    labels[unit_pieces[chosen]] = unit_labels[chosen]
    return labels


def _places(units: Sequence[str], text: str, one: EncodedSpans, gap: int) -> _Places:
    """Return which piece predicts each of `units`, which are `gap` characters apart in `text`."""
    lengths = np.array([len(unit) for unit in units], np.int64)
    ends = np.cumsum(lengths + gap) - gap
    first = (ends - lengths).tolist()
    pieces, continues = [_NO_PIECE] * len(units), [False] * len(units)
    for piece, (begin, end) in enumerate(one.spans.tolist()):
        while begin < end and text[begin].isspace():  # a piece may have the blank before its word
            begin += 1
        if begin == end:
            continue
        unit = int(np.searchsorted(ends, begin, side="right"))
        if pieces[unit] == _NO_PIECE:
            pieces[unit] = piece
        later = unit + 1
        while later < len(units) and first[later] < end:
            if pieces[later] == _NO_PIECE:
                pieces[later], continues[later] = pieces[unit], True
            later += 1
    return _Places(pieces, continues)
