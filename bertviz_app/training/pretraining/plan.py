"""Which examples a run is trained on, in which order: the same for the same seed, however often it stops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bertviz_app.errors import FileError, Message
from bertviz_app.training.pretraining.batching import batch_of
from bertviz_app.training.pretraining.examples import (
    Integers,
    Pairs,
    Pieces,
    batches,
    pairs,
    repeated,
    windows,
)
from bertviz_app.training.pretraining.network import Batch
from bertviz_app.training.pretraining.tokenised import Tokenised
from bertviz_app.training.state import DataPosition


class Plan:
    """All batches of all passes, of which one pass at a time is laid out."""

    def __init__(
        self,
        corpora: Sequence[Tokenised],
        pieces: Pieces,
        part_tokens: int,
        seed: int,
        single_share: float = 0.0,
        open_share: float = 0.0,
    ) -> None:
        self._corpora = corpora
        self._pieces = pieces
        self._part_tokens = part_tokens
        self._seed = seed
        self._single_share = single_share
        self._open_share = open_share
        self._laid_out: tuple[int, int] | None = None  # length and turn of what follows
        self._pairs: Pairs
        self._batches: list[Integers]

    def batch(self, position: DataPosition) -> tuple[Batch, DataPosition]:
        """Return the batch at `position`, and the position of the next one.

        Raises FileError where the texts are too short for any pair.
        """
        if self._laid_out != (position.length, position.turn):
            self._lay_out(position)
        seed = [self._seed, position.length, position.turn, position.batch]
        chosen = self._batches[position.batch]
        batch = batch_of(self._corpora, self._pairs, chosen, self._pieces, seed, self._open_share)
        if position.batch + 1 < len(self._batches):
            return batch, DataPosition(position.length, position.turn, position.batch + 1)
        return batch, DataPosition(position.length, position.turn + 1, 0)

    def _lay_out(self, position: DataPosition) -> None:
        seed = self._seed + 1_000_003 * position.turn + position.length
        every = windows(self._corpora, self._pieces.is_start, position.length, seed)
        if not len(every):
            raise FileError(
                Message("The texts are too short to learn from."),
                Message("Give sentences of five words or more."),
            )
        self._pairs = pairs(repeated(every, seed), position.length, seed, self._single_share)
        self._batches = batches(self._pairs.lengths, self._part_tokens, seed)
        self._laid_out = (position.length, position.turn)


def split_documents(corpus: Tokenised, share: float, seed: int) -> tuple[Tokenised, Tokenised]:
    """Return the documents to train on, and `share` of the documents, at least one, that are held out.

    Of a corpus of one document the last sentences are held out.
    """
    if corpus.n_documents < 2:
        return _split_document(corpus, share)
    rng = np.random.default_rng([seed, 5])
    n_held_out = max(1, round(share * corpus.n_documents))
    is_held_out = rng.permutation(corpus.n_documents) < n_held_out
    return corpus.part(np.flatnonzero(~is_held_out)), corpus.part(np.flatnonzero(is_held_out))


def _split_document(corpus: Tokenised, share: float) -> tuple[Tokenised, Tokenised]:
    n_sentences = len(corpus.sentence_starts) - 1
    first = max(1, n_sentences - max(1, round(share * n_sentences)))
    position = corpus.sentence_starts[first]
    ends = [np.array([0, count], np.int64) for count in (first, n_sentences - first)]
    training = Tokenised(corpus.ids[:position], corpus.sentence_starts[: first + 1], ends[0])
    return training, Tokenised(corpus.ids[position:], corpus.sentence_starts[first:] - position, ends[1])
