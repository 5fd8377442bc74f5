"""RoFormerTokenizer's cutter of Chinese words, called by the Rust tokenizer."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from tokenizers import NormalizedString, PreTokenizedString, normalizers

from bertviz_app.errors import Message, TokenizerError


class JiebaWords:
    """Splits a text with Jieba; a word that the vocabulary lacks is split into its Chinese characters."""

    def __init__(self, vocabulary: Set[str]) -> None:
        self._vocabulary = vocabulary
        self._jieba = _import()
        self._characters = normalizers.BertNormalizer(
            clean_text=False, handle_chinese_chars=True, strip_accents=False, lowercase=False
        )

    def __reduce__(self) -> tuple[type[JiebaWords], tuple[Set[str]]]:
        """Copy and pickle it by what it was made from."""
        return JiebaWords, (self._vocabulary,)

    def pre_tokenize(self, text: PreTokenizedString) -> None:
        """Split `text` in place: the protocol of a custom pre-tokenizer."""
        text.split(self._split)

    def _split(self, _: int, text: NormalizedString) -> list[NormalizedString]:
        found: list[NormalizedString | None] = []
        for word, first, last in self._jieba.tokenize(str(text), hmm=False):
            if word in self._vocabulary:
                found.append(text[first:last])
                continue
            for part in self._characters.normalize_str(word).split():
                found.append(text[first : first + len(part)])
                first += len(part)
        return [part for part in found if part is not None]


def _import() -> Any:
    """Return the package rjieba. Raises TokenizerError that says what to install."""
    try:
        import rjieba
    except ImportError as error:
        raise TokenizerError(
            Message("The texts of this checkpoint are cut by Jieba, and {0} is not installed.", "rjieba"),
            Message("Type: {0}. Then open it again.", "pip install rjieba"),
        ) from error
    return rjieba
