"""From the numbers of some pairs to the batch that the network is given."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray

from bertviz_app.training.pretraining.examples import Integers, Pairs
from bertviz_app.training.pretraining.masking import mask
from bertviz_app.training.pretraining.network import Batch
from bertviz_app.training.pretraining.tokenised import Tokenised
from bertviz_app.training.pretraining.vocabulary import SPECIAL_PIECES

PAD_ID, CLS_ID, SEP_ID, MASK_ID = 0, 2, 3, 4
"""The ids that `train_tokenizer` gives the special pieces."""


def batch_of(
    corpora: Sequence[Tokenised], every: Pairs, chosen: Integers, n_pieces: int, seed: list[int]
) -> Batch:
    """Return the pairs of the numbers `chosen` as a batch, its tokens masked by `seed`."""
    ids, segment_ids = _filled(corpora, every, chosen)
    is_special = (ids == PAD_ID) | (ids == CLS_ID) | (ids == SEP_ID)
    masked = mask(ids, is_special, MASK_ID, len(SPECIAL_PIECES), n_pieces, seed)
    return Batch(
        ids=torch.from_numpy(masked.ids),
        segment_ids=torch.from_numpy(segment_ids),
        seen=torch.from_numpy(ids != PAD_ID),
        places=torch.from_numpy(masked.places),
        wanted=torch.from_numpy(masked.wanted),
        not_next=torch.from_numpy((~every.is_next[chosen]).astype(np.int64)),
    )


def _filled(
    corpora: Sequence[Tokenised], every: Pairs, chosen: Integers
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return ids and segment ids [B, T] of [CLS] A [SEP] B [SEP], padded to the longest."""
    n_tokens = int(every.lengths[chosen].max())
    ids = np.full((len(chosen), n_tokens), PAD_ID, np.int64)
    segment_ids = np.zeros_like(ids)
    fields = (every.corpus, every.first, every.n_first, every.second, every.n_second)
    rows = zip(*(field[chosen].tolist() for field in fields), strict=True)
    for row, (corpus, first, n_first, second, n_second) in enumerate(rows):
        source = corpora[corpus].ids
        between, end = n_first + 1, n_first + n_second + 2
        ids[row, 0], ids[row, between], ids[row, end] = CLS_ID, SEP_ID, SEP_ID
        ids[row, 1:between] = source[first : first + n_first]
        ids[row, between + 1 : end] = source[second : second + n_second]
        segment_ids[row, between + 1 : end + 1] = 1
    return ids, segment_ids
