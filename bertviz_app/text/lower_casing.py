"""Tokenizers that lower-case a text before anything else, as sentence-transformers may declare."""

from __future__ import annotations

import json
from dataclasses import dataclass

import tokenizers
from tokenizers import normalizers

from bertviz_app.text.aligned import Aligned
from bertviz_app.text.cutter import Cut, Cutter


@dataclass(frozen=True, eq=False)
class LowerCasing:
    """Lower-cases a text for another cutter; the spans are those of the text as typed."""

    inner: Cutter

    def cut(self, text: str) -> list[Cut]:
        """Return the pieces of `text` in small letters."""
        small = Aligned.typed(text).lower()
        found = []
        for cut in self.inner.cut(small.text):
            first, last = small.span(cut.first, cut.last) if cut.last > cut.first else (0, 0)
            if cut.last == cut.first:  # stands for nothing in the text
                first = last = small.span(0, cut.first)[1]
            found.append(cut._replace(first=first, last=last))
        return found


def lower_casing(backend: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    """Return a copy of `backend` that lower-cases texts; special tokens in them are found before that."""
    copy = tokenizers.Tokenizer.from_str(backend.to_str())
    copy.encode_special_tokens = backend.encode_special_tokens  # not in the text form
    before = copy.normalizer
    if not _lower_cases(json.loads(copy.to_str())["normalizer"]):
        first = normalizers.Lowercase()
        copy.normalizer = first if before is None else normalizers.Sequence([first, before])
    return copy


def _lower_cases(normalizer: object) -> bool:
    """Return whether a normalizer, as tokenizer.json has it, lower-cases already."""
    if not isinstance(normalizer, dict):
        return False
    inner = normalizer.get("normalizers", [])
    is_own = normalizer.get("type") == "Lowercase" or normalizer.get("lowercase") is True
    return is_own or any(_lower_cases(one) for one in inner)
