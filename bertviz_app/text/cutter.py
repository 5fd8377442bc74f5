"""`Cutter`: what splits a text into pieces in Python, before the library numbers and truncates them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import tokenizers
from tokenizers import processors
from tokenizers.models import WordLevel


class Cut(NamedTuple):
    """One piece of a text, the characters that it stands for, and the number of its word."""

    piece: str
    first: int
    last: int
    word: int = 0


class Cutter(Protocol):
    """Splits a text into pieces; may be called from several threads at once."""

    def cut(self, text: str) -> list[Cut]:
        """Return the pieces of `text`, in order."""


def numbering(
    ids: Mapping[str, int], unknown: str, single: Sequence[str], pair: Sequence[str], specials: Sequence[str]
) -> tokenizers.Tokenizer:
    """Return the tokenizer that numbers pieces, adds special tokens and truncates.

    `single` and `pair` are the templates of the special tokens around one text and around two.
    """
    backend = tokenizers.Tokenizer(WordLevel(dict(ids), unk_token=unknown))
    backend.post_processor = processors.TemplateProcessing(
        single=list(single),
        pair=list(pair),
        special_tokens=[(piece, ids[piece]) for piece in dict.fromkeys(specials)],
    )
    return backend
