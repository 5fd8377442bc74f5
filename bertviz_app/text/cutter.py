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


def fitted(cuts: Sequence[list[Cut]], room: int, cuts_left: bool) -> list[list[Cut]]:
    """Return what is left of one text or two in `room` pieces, by the rule of the classes in Python.

    The longer text is cut to the length of the other one; then both are, the second by one piece more where
    the rest is odd. The library divides it otherwise: there the longer text keeps the odd piece.
    """
    too_many = sum(map(len, cuts)) - room
    if too_many <= 0:
        return [list(of_text) for of_text in cuts]
    if len(cuts) == 1:
        return [_without(cuts[0], too_many, cuts_left)]
    first, second = cuts
    difference = len(first) - len(second)
    one_sided = min(abs(difference), too_many)
    rest = too_many - one_sided
    of_first = rest // 2 + (one_sided if difference > 0 else 0)
    return [
        _without(first, of_first, cuts_left),
        _without(second, too_many - of_first, cuts_left),
    ]


def _without(cuts: list[Cut], count: int, cuts_left: bool) -> list[Cut]:
    """Return `cuts` without `count` of them, from the beginning or from the end."""
    return cuts[count:] if cuts_left else cuts[: len(cuts) - count]
