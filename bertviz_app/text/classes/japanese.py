"""BertJapaneseTokenizer: words from MeCab or white space, then word pieces or characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tokenizers.models import WordPiece

from bertviz_app.errors import Message, TextError, TokenizerError
from bertviz_app.text.aligned import Aligned
from bertviz_app.text.classes.declared import Declared, brief, unreadable
from bertviz_app.text.classes.marked import Marked, template, with_added
from bertviz_app.text.classes.vocabulary import Vocabulary
from bertviz_app.text.classes.word_piece import validate_has
from bertviz_app.text.cutter import Cut, numbering

if TYPE_CHECKING:
    import tokenizers

_DICTIONARIES = MappingProxyType({"unidic_lite": "unidic-lite", "ipadic": "ipadic", "unidic": "unidic"})
"""MeCab's dictionaries as Python modules, and what to install."""


@dataclass(frozen=True, eq=False)
class Mecab:
    """MeCab (Kudo et al. 2004) with one dictionary; splits a text into words and leaves out white space."""

    dictionary: str | None
    _lock: Any = field(default_factory=Lock, repr=False)

    def words(self, text: Aligned) -> Iterator[Aligned]:
        """Yield the words of `text`. Raises TextError for a NUL, at which MeCab ends a text."""
        if "\0" in text.text:
            message = Message("MeCab reads a text up to a NUL (U+0000) only, and this one has a NUL.")
            raise TextError(message, Message("Take it out."))
        position = 0
        with self._lock:  # one analysis at a time: the tagger reuses its memory
            surfaces = [word.surface for word in self._tagger(text.text)]
        for surface in surfaces:
            first = text.text.index(surface, position)
            position = first + len(surface)
            yield text[first:position]

    @cached_property
    def _tagger(self) -> Any:
        """The tagger. Raises TokenizerError that says what to install."""
        module = _import("fugashi")
        option = ""
        if self.dictionary is not None:
            folder = Path(_import(self.dictionary).DICDIR)
            option = f'-d "{folder}" -r "{folder / "mecabrc"}" '
        try:
            return module.GenericTagger(option)
        except RuntimeError as error:
            raise TokenizerError(
                Message("MeCab cannot open its dictionary “{0}”.", self.dictionary or option),
                Message("Install it: {0}.", "pip install fugashi unidic-lite ipadic"),
            ) from error

    def validate(self) -> None:
        """Raise TokenizerError if MeCab or its dictionary is not installed."""
        _ = self._tagger

    def __reduce__(self) -> tuple[type[Mecab], tuple[str | None]]:
        """Copy and pickle it by what it was made from."""
        return Mecab, (self.dictionary,)


@dataclass(frozen=True, eq=False)
class JapaneseWords:
    """BertJapaneseTokenizer's two steps: a text into words, each word into pieces."""

    ids: Mapping[str, int]
    unknown: str
    mecab: Mecab | None  # else words are what white space and signs separate, if `splits_words`
    splits_words: bool
    subwords: str  # "wordpiece", "character" or "none"
    lower_case: bool
    never_split: frozenset[str]
    composes: bool  # before MeCab

    def pieces(self, stretch: Aligned) -> list[Cut]:
        """Return the pieces of `stretch`."""
        found: list[Cut] = []
        for number, word in enumerate(self._words(stretch)):
            if self.subwords == "character":
                found += self._characters(word, number)
            elif self.subwords == "wordpiece":
                found += [cut for part in word.words() for cut in self._word_pieces(part, number)]
            else:
                found.append(Cut(word.text, *word.span(), number))
        return found

    def _words(self, text: Aligned) -> Iterator[Aligned]:
        if not self.splits_words:
            yield text
        elif self.mecab is None:
            yield from self._basic(text)
        else:
            composed = text.normalised("NFKC") if self.composes else text
            for word in self.mecab.words(composed):
                yield word.lower() if self.lower_case and word.text not in self.never_split else word

    def _basic(self, text: Aligned) -> Iterator[Aligned]:
        """Yield words as BERT's own rules make them, but for Chinese characters, which stay together."""
        for word in text.mapped(_cleaned).normalised("NFC").words():
            if word.text in self.never_split:
                yield word
                continue
            if self.lower_case:
                decomposed = word.lower().normalised("NFD")
                word = decomposed.mapped(
                    lambda letter: "" if unicodedata.category(letter) == "Mn" else letter
                )
            # What is left may contain new white space, or itself be one of those that are not split.
            parts = [word] if word.text in self.never_split else _at_signs(word)
            for part in parts:
                yield from part.words()

    def _characters(self, word: Aligned, number: int) -> Iterator[Cut]:
        composed = word.normalised("NFKC")
        for position, letter in enumerate(composed.text):
            piece = letter if letter in self.ids else self.unknown
            yield Cut(piece, *composed.span(position, position + 1), number)

    def _word_pieces(self, word: Aligned, number: int) -> Iterator[Cut]:
        position = 0
        for token in self._model.tokenize(word.text):
            if token.value == self.unknown and token.value != word.text:
                yield Cut(self.unknown, *word.span(), number)
                return
            length = len(token.value) - (2 if position else 0)
            yield Cut(token.value, *word.span(position, position + length), number)
            position += length

    @cached_property
    def _model(self) -> WordPiece:
        return WordPiece(dict(self.ids), unk_token=self.unknown)


def japanese(vocabulary: Vocabulary, declared: Declared) -> tuple[tokenizers.Tokenizer, Marked]:
    """Return BertJapaneseTokenizer: what numbers its pieces, and what splits a text into them.

    Raises TokenizerError for a word cutter that is not installed or not supported.
    """
    specials = declared.with_defaults(
        unk_token="[UNK]", sep_token="[SEP]", pad_token="[PAD]", cls_token="[CLS]", mask_token="[MASK]"
    )
    begin, end, unknown = (str(specials[f"{role}_token"]) for role in ("cls", "sep", "unk"))
    validate_has(vocabulary, declared, (begin, end, unknown))
    ids, added = with_added(vocabulary.ids, specials, declared)
    splits_words = declared.flag("do_word_tokenize", True)
    words = declared.word("word_tokenizer_type", "basic") if splits_words else "basic"
    subwords = declared.word("subword_tokenizer_type", "wordpiece")
    if not declared.flag("do_subword_tokenize", True):
        subwords = "none"
    _validate_kinds(words, subwords)
    options = _options(declared, "mecab_kwargs") if words == "mecab" else {}
    mecab = _mecab(options) if words == "mecab" else None
    if mecab is not None:
        mecab.validate()
    inner = JapaneseWords(
        vocabulary.ids,
        unknown,
        mecab,
        splits_words,
        subwords,
        declared.flag("do_lower_case", False),
        frozenset(
            [*_never_split(declared), *map(str, specials.values()), *map(str, declared.without_roles())]
        ),
        options.get("normalize_text") is not False,
    )
    single, pair = template(begin, end)
    return numbering(ids, unknown, single, pair, (begin, end)), Marked(inner, added)


def _validate_kinds(words: str, subwords: str) -> None:
    if words not in ("basic", "mecab"):
        raise TokenizerError(
            Message(
                "The words of this checkpoint's texts are cut by “{0}”, which is not supported.", brief(words)
            ),
            Message("Supported are {0}. Choose a checkpoint that uses one of them.", "basic, mecab"),
        )
    if subwords not in ("wordpiece", "character", "none"):
        raise TokenizerError(
            Message(
                "The pieces of this checkpoint's words are cut by “{0}”, which is not supported.",
                brief(subwords),
            ),
            Message("Supported are {0}. Choose a checkpoint that uses one of them.", "wordpiece, character"),
        )


def _mecab(options: Mapping[str, object]) -> Mecab:
    """Return MeCab with the declared dictionary, unidic-lite unless another is named; null: the system's.

    Its other options could make it open any file of this computer: they are refused.
    """
    dictionary = options.get("mecab_dic", "unidic_lite")
    if options.get("mecab_option"):
        raise unreadable("mecab_option", Message("empty"))
    if dictionary is not None and dictionary not in _DICTIONARIES:
        raise unreadable("mecab_dic", ", ".join(_DICTIONARIES))
    return Mecab(None if dictionary is None else str(dictionary))


def _options(declared: Declared, key: str) -> Mapping[str, object]:
    value = declared.options.get(key)
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise unreadable(key, Message("an object"))
    return value


def _never_split(declared: Declared) -> list[str]:
    value = declared.options.get("never_split")
    if value is None:
        return []
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise unreadable("never_split", Message("a list"))
    return value


def _import(module: str) -> Any:
    """Return one of the packages of the extra `japanese`. Raises TokenizerError that says what to install."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        message = Message("The texts of this checkpoint are cut by MeCab, and {0} is not installed.", module)
        raise TokenizerError(
            message,
            Message(
                "Type: {0}. Then open it again.",
                f"pip install fugashi {_DICTIONARIES.get(module, 'unidic-lite ipadic')}",
            ),
        ) from error


def _cleaned(letter: str) -> str:
    """Return a character without what BERT drops; white space as a space."""
    category = unicodedata.category(letter)
    if letter in " \t\n\r" or category == "Zs":
        return " "
    return "" if letter in "\0\ufffd" or category.startswith("C") else letter


def _at_signs(word: Aligned) -> list[Aligned]:
    """Return `word` split at its punctuation, each sign on its own."""
    found, first = [], 0
    for position, letter in enumerate(word.text):
        if _is_sign(letter):
            found += [word[first:position], word[position : position + 1]]
            first = position + 1
    return [part for part in (*found, word[first:]) if part]


def _is_sign(letter: str) -> bool:
    """Return whether BERT's rules split at `letter`: in ASCII all but letters, digits and controls."""
    return bool(re.fullmatch(r"[!-/:-@\[-`{-~]", letter)) or unicodedata.category(letter).startswith("P")
