"""A corpus as numbers: the ids of all its tokens, and where its sentences and documents begin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import tokenizers
from numpy.typing import NDArray

from bertviz_app.archives import refuse_swelling
from bertviz_app.errors import FileError, Message
from bertviz_app.paths import replacing
from bertviz_app.training.corpus import sentences
from bertviz_app.types import Check

Ids = NDArray[np.uint16] | NDArray[np.int32]
_SENTENCES_AT_ONCE = 20_000
_SMALL = 1 << 16


@dataclass(frozen=True, eq=False)
class Tokenised:
    """The documents of one file, one after the other."""

    ids: Ids  # [n tokens], without special tokens
    sentence_starts: NDArray[np.int64]  # [n sentences + 1], indices into `ids`, the last one its end
    document_starts: NDArray[np.int64]  # [n documents + 1], indices into `sentence_starts`

    @property
    def n_documents(self) -> int:
        """How many documents there are."""
        return len(self.document_starts) - 1

    def part(self, documents: NDArray[np.int64]) -> Tokenised:
        """Return some of the documents, by their numbers in rising order."""
        firsts, lasts = self.document_starts[documents], self.document_starts[documents + 1]
        sentences_of = _stretches(firsts, lasts)
        starts, ends = self.sentence_starts[sentences_of], self.sentence_starts[sentences_of + 1]
        return Tokenised(
            ids=self.ids[_stretches(starts, ends)],
            sentence_starts=_offsets(ends - starts),
            document_starts=_offsets(lasts - firsts),
        )


def tokenise(
    documents: Sequence[str], backend: tokenizers.Tokenizer, check: Check | None = None
) -> Tokenised:
    """Return `documents` as ids. `check` is called every few thousand sentences and may raise.

    Sentences of which nothing is left, and documents without any, are left out.
    """
    is_small = backend.get_vocab_size() <= _SMALL
    ids, lengths, owners = [], [], []
    for batch, numbers in _batches(documents):
        if check is not None:
            check()
        found = [encoding.ids for encoding in backend.encode_batch_fast(batch, add_special_tokens=False)]
        ids.append(np.array(list(chain.from_iterable(found)), np.int32))
        lengths.append(np.array([len(sentence) for sentence in found], np.int64))
        owners.append(np.array(numbers, np.int64))
    all_lengths = np.concatenate(lengths)
    is_there = all_lengths > 0
    counts = np.bincount(np.concatenate(owners)[is_there], minlength=1)
    every: NDArray[np.int32] = np.concatenate(ids)
    return Tokenised(
        ids=every.astype(np.uint16) if is_small else every,
        sentence_starts=_offsets(all_lengths[is_there]),
        document_starts=_offsets(counts[counts > 0]),
    )


def save_tokenised(corpus: Tokenised, path: Path) -> None:
    """Write `corpus` to `path`, an .npz. Raises FileError."""
    with replacing(path) as beside:
        np.savez(
            beside,
            ids=corpus.ids,
            sentence_starts=corpus.sentence_starts,
            document_starts=corpus.document_starts,
        )


def load_tokenised(path: Path) -> Tokenised:
    """Return what `save_tokenised` wrote. Raises FileError for a file that is missing or damaged."""
    try:
        refuse_swelling(path)
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return Tokenised(arrays["ids"], arrays["sentence_starts"], arrays["document_starts"])
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        message = Message("{0} is not a tokenised corpus that can be read.", path.name)
        raise FileError(message, Message("Delete it: it is made again from the texts.")) from error


def _offsets(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where stretches of `counts` begin, one after the other, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def _stretches(firsts: NDArray[np.int64], lasts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the numbers from each of `firsts` to before each of `lasts`, one after the other."""
    counts = lasts - firsts
    shifts = np.repeat(firsts - _offsets(counts)[:-1], counts)
    return np.arange(len(shifts)) + shifts


def _batches(documents: Sequence[str]) -> Iterator[tuple[list[str], list[int]]]:
    """Yield sentences, some thousands at a time, with the numbers of their documents."""
    batch: list[str] = []
    numbers: list[int] = []
    for number, document in enumerate(documents):
        for sentence in sentences(document):
            batch.append(sentence)
            numbers.append(number)
            if len(batch) == _SENTENCES_AT_ONCE:
                yield batch, numbers
                batch, numbers = [], []
    if batch:
        yield batch, numbers
