"""From the numbers of some pairs to the batch that the network is given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from bertviz_app.training.pretraining.examples import N_SPECIAL, N_SPECIAL_SINGLE, Integers, Pairs, Pieces
from bertviz_app.training.pretraining.masking import mask
from bertviz_app.training.pretraining.network import NO_PAIR, Batch
from bertviz_app.training.pretraining.tokenised import Tokenised
from bertviz_app.training.pretraining.vocabulary import SpecialIds


def batch_of(
    corpora: Sequence[Tokenised],
    every: Pairs,
    chosen: Integers,
    pieces: Pieces,
    seed: list[int],
    open_share: float = 0.0,
) -> Batch:
    """Return the pairs of the numbers `chosen` as a batch, its tokens masked by `seed`.

    An `open_share` of the segments, 0 to 1, lose the piece that ends their last sentence, as texts are typed.
    """
    lengths = _lengths(corpora, every, chosen, pieces, seed, open_share)
    special = pieces.special
    ids, segment_ids = _filled(corpora, every, chosen, lengths, special)
    is_special = (ids == special.pad) | (ids == special.cls) | (ids == special.sep)
    masked = mask(ids, is_special, special.mask, pieces.ordinary, seed)
    not_next = np.where(every.n_second[chosen] > 0, ~every.is_next[chosen], NO_PAIR)
    return Batch(
        ids=torch.from_numpy(masked.ids),
        segment_ids=torch.from_numpy(segment_ids),
        seen=torch.from_numpy(ids != special.pad),
        masked_positions=torch.from_numpy(masked.positions),
        answers=torch.from_numpy(masked.answers),
        not_next=torch.from_numpy(not_next.astype(np.int64)),
    )


def _lengths(
    corpora: Sequence[Tokenised],
    every: Pairs,
    chosen: Integers,
    pieces: Pieces,
    seed: list[int],
    open_share: float,
) -> Integers:
    """Return [B, 2], how many tokens of each first and second segment are used."""
    lengths = np.stack((every.n_first[chosen], every.n_second[chosen]), axis=1)
    is_open = np.random.default_rng([*seed, 6]).random(lengths.shape) < open_share
    starts = np.stack((every.first[chosen], every.second[chosen]), axis=1)
    for row, side in np.argwhere(is_open & (lengths > 1)).tolist():
        last = corpora[every.corpus[chosen[row]]].ids[starts[row, side] + lengths[row, side] - 1]
        lengths[row, side] -= int(pieces.is_end[last])
    return lengths


def _filled(
    corpora: Sequence[Tokenised], every: Pairs, chosen: Integers, lengths: Integers, special: SpecialIds
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return ids and segment ids [B, T] of [CLS] A [SEP] B [SEP], or [CLS] A [SEP], padded to the longest."""
    has_second = lengths[:, 1] > 0
    n_tokens = int((lengths.sum(axis=1) + np.where(has_second, N_SPECIAL, N_SPECIAL_SINGLE)).max())
    ids = np.full((len(chosen), n_tokens), special.pad, np.int64)
    segment_ids = np.zeros_like(ids)
    fields = (every.corpus, every.first, every.second)
    rows = zip(*(field[chosen].tolist() for field in fields), lengths.tolist(), strict=True)
    for row, (corpus, first, second, (n_first, n_second)) in enumerate(rows):
        source = corpora[corpus].ids
        between, end = n_first + 1, n_first + n_second + 2
        ids[row, 0], ids[row, between] = special.cls, special.sep
        ids[row, 1:between] = source[first : first + n_first]
        if not n_second:
            continue
        ids[row, end] = special.sep
        ids[row, between + 1 : end] = source[second : second + n_second]
        segment_ids[row, between + 1 : end + 1] = 1
    return ids, segment_ids
