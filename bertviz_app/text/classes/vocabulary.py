"""`Vocabulary`: pieces, merges and scores out of a tokenizer's files, before a class is made of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tokenizers import AddedToken, processors


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """The pieces with their ids, or in the order of their ids with scores; what else a file says of them.

    `merges` are those of byte-pair encoding. `charsmap` is SentencePiece's table of normalised characters,
    `special` its control and user-defined pieces. `post_processor` is that of a tokenizer.json.
    `source` names the file, for messages.
    """

    source: str
    ids: Mapping[str, int]
    scores: Sequence[tuple[str, float]] = ()
    merges: Sequence[tuple[str, str]] = ()
    charsmap: bytes | None = None
    special: tuple[AddedToken, ...] | None = None
    post_processor: processors.PostProcessor | None = None
