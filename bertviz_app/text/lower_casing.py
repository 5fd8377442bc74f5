"""`lower_casing`: a tokenizer of the library that lower-cases a text before anything else."""

from __future__ import annotations

import json

import tokenizers
from tokenizers import normalizers


def lower_casing(backend: tokenizers.Tokenizer) -> tokenizers.Tokenizer:
    """Return a copy of `backend` that lower-cases texts; special tokens in them are found before that."""
    copy = tokenizers.Tokenizer.from_str(backend.to_str())
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
