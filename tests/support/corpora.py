"""Corpora of random ids, for what does not ask what is said."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bertviz_app.training.pretraining.vocabulary import Tokenised


def random_corpus(
    n_documents: int, n_sentences: int, n_pieces: int, seed: int, longest: int = 14
) -> Tokenised:
    """Return documents of `n_sentences` each, of 1 to `longest` - 1 tokens."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, longest, n_documents * n_sentences)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    ids = rng.integers(5, n_pieces, starts[-1]).astype(np.uint16)
    return Tokenised(ids, starts, np.arange(n_documents + 1) * n_sentences)


def random_corpora(n_pieces: int) -> tuple[tuple[Tokenised, ...], NDArray[np.bool_]]:
    """Return one of long documents and one of short ones, and which pieces begin a word."""
    corpora = (
        random_corpus(20, 600, n_pieces, 1, longest=40),
        random_corpus(3_000, 3, n_pieces, 2, longest=12),
    )
    return corpora, np.arange(n_pieces) % 3 > 0
