"""Tokenizer classes that are Python: BertJapanese, PhoBERT, BERTweet and ESM."""

from __future__ import annotations

import html.entities
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import pairwise
from pathlib import Path
from threading import Lock
from types import MappingProxyType
from typing import Any

import tokenizers
from tokenizers import AddedToken
from tokenizers.models import WordPiece

from bertviz_app.checkpoint.folder import MERGE_CODES, VOCABULARY, file_in
from bertviz_app.checkpoint.tokenizer_files import lines_of, validate_size, without
from bertviz_app.errors import Message, TextError, TokenizerError
from bertviz_app.text.classes.vocabulary import (
    ROBERTA_ROLES,
    Declared,
    Marked,
    Vocabulary,
    brief,
    template,
    validate_has,
    with_added,
    wrong_option,
)
from bertviz_app.text.cutter import Backend, Cut, numbering
from bertviz_app.text.tokens import Aligned, Span
from bertviz_app.values import dataclass, field

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
            surfaces = [word.surface for word in self.tagger(text.text)]
        for surface in surfaces:
            first = text.text.index(surface, position)
            position = first + len(surface)
            yield text[first:position]

    @cached_property
    def tagger(self) -> Any:
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
                composed = word.normalised("NFKC")
                found += [
                    Cut(letter if letter in self.ids else self.unknown, *composed.span(at, at + 1), number)
                    for at, letter in enumerate(composed.text)
                ]
            elif self.subwords == "wordpiece":
                found += [cut for part in word.words() for cut in self._word_pieces(part, number)]
            else:
                found.append(Cut(word.text, *word.span(), number))
        return found

    def _words(self, text: Aligned) -> Iterator[Aligned]:
        if not self.splits_words:
            yield text
            return
        if self.mecab is not None:
            for word in self.mecab.words(text.normalised("NFKC") if self.composes else text):
                yield word.lower() if self.lower_case and word.text not in self.never_split else word
            return
        # As BERT's own rules make them, but for Chinese characters, which stay together.
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
            for part in [word] if word.text in self.never_split else _at_signs(word):
                yield from part.words()

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
    mecab, composes = _mecab(declared) if words == "mecab" else (None, False)
    never_split: Any = declared.options.get("never_split")
    if never_split is None:
        never_split = []
    if not isinstance(never_split, list) or not all(isinstance(one, str) for one in never_split):
        raise wrong_option("never_split", Message("a list"))
    inner = JapaneseWords(
        vocabulary.ids,
        unknown,
        mecab,
        splits_words,
        subwords,
        declared.flag("do_lower_case", False),
        frozenset([*never_split, *map(str, specials.values()), *map(str, declared.without_roles())]),
        composes,
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


def _mecab(declared: Declared) -> tuple[Mecab, bool]:
    """Return MeCab with the declared dictionary, and whether a text is composed before it.

    The dictionary is unidic-lite unless another is named; null: the system's. MeCab's other options could
    make it open any file of this computer: they are refused.
    """
    options: Any = declared.options.get("mecab_kwargs")
    if options is None:
        options = {}
    if not isinstance(options, Mapping):
        raise wrong_option("mecab_kwargs", Message("an object"))
    dictionary = options.get("mecab_dic", "unidic_lite")
    if options.get("mecab_option"):
        raise wrong_option("mecab_option", Message("empty"))
    if dictionary is not None and dictionary not in _DICTIONARIES:
        raise wrong_option("mecab_dic", ", ".join(_DICTIONARIES))
    mecab = Mecab(None if dictionary is None else str(dictionary))
    _ = mecab.tagger  # raises TokenizerError where it is not installed
    return mecab, options.get("normalize_text") is not False


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
        # In ASCII all but letters, digits and controls.
        if re.fullmatch(r"[!-/:-@\[-`{-~]", letter) or unicodedata.category(letter).startswith("P"):
            found += [word[first:position], word[position : position + 1]]
            first = position + 1
    return [part for part in (*found, word[first:]) if part]


class Residues:
    """What is left between the pieces of the vocabulary: unknown words, separated by white space."""

    def pieces(self, stretch: Aligned) -> list[Cut]:
        """Return the words of `stretch`."""
        return [Cut(word.text, *word.span(), number) for number, word in enumerate(stretch.words())]


def esm(vocabulary: Vocabulary, declared: Declared) -> tuple[tokenizers.Tokenizer, Marked]:
    """Return EsmTokenizer (Rives et al. 2021), which finds all pieces of its vocabulary in a text."""
    specials = declared.with_defaults(
        unk_token="<unk>", cls_token="<cls>", pad_token="<pad>", mask_token="<mask>", eos_token="<eos>"
    )
    has_end = not declared.is_given_up("eos_token")  # as where the letters are of DNA
    if not has_end:
        del specials["eos_token"]
    begin, unknown = str(specials["cls_token"]), str(specials["unk_token"])
    ends = (str(specials["eos_token"]),) if has_end else ()
    validate_has(vocabulary, declared, (begin, *ends, unknown))
    ids, added = with_added(vocabulary.ids, specials, declared)
    found = {text: AddedToken(text) for text in vocabulary.ids} | added
    # Without an end the template of pairs is never used: such a tokenizer has none.
    text = [f"{begin}:0", "$A:0"]
    single, pair = template(begin, *ends) if has_end else (text, [*text, "$B:0"])
    return numbering(ids, unknown, single, pair, (begin, *ends)), Marked(Residues(), found)


_EYES, _NOSE, _MOUTH = r"[:;=8]", r"[\-oO\*\']?", r"[\)\]\(\[dDpP/\:\}\{@\|\\]"
_EMOTICON = rf"(?:[<>]?{_EYES}{_NOSE}{_MOUTH}|{_MOUTH}{_NOSE}{_EYES}[<>]?|<3)"
_NESTED = r"\([^\s()]*?\([^\s()]+\)[^\s()]*?\)"
# The loop of a link takes one sign a round: a "+" within it would try every way to part a row of signs.
_LINK = (
    r"(?:[Hh][Tt][Tt][Pp][Ssſ]?:(?:/{1,3}|[LATIN0-9%])|[LATIN0-9.\-]+[.](?:[LATIN]{2,13})/)"
    rf"(?:[^\s()<>{{}}\[\]]|{_NESTED}|\([^\s]+?\))+"
    rf"(?:{_NESTED}|\([^\s]+?\)|[^\s`!()\[\]{{}};:'\".,<>?«»“”‘’])"
    r"|(?:(?<!@)[LATIN0-9]+(?:[.\-][LATIN0-9]+)*[.](?:[LATIN]{2,13})(?![WORD])/?(?!@))"
)
_PATTERNS = (
    _LINK,
    r"(?:(?:\+?[01][ *\-.\)]*)?(?:[\(]?\d{3}[ *\-.\)]*)?\d{3}[ *\-.\)]*\d{4})",  # telephone numbers
    _EMOTICON,
    r"<[^>\s]+>",  # marks
    r"[\-]+>|<[\-]+",  # arrows
    r"(?:@[WORD]+)",  # users
    r"(?:\#+[WORD]+[WORD\'\-]*[WORD]+)",  # topics
    r"[WORD.+-]+@[WORD-]+\.(?:[WORD-]\.?)+[WORD-]",  # addresses
    r"(?:[LETTER](?:[LETTER]|['\-_])+[LETTER])",  # words with apostrophes or dashes
    r"(?:[+\-]?\d+[,/.:-]\d+[+\-]?)",  # numbers
    r"(?:[WORD]+)",
    r"(?:\.(?:\s*\.){1,})",  # dots
    r"(?:\S)",
)
"""The words of a tweet: NLTK's TweetTokenizer (Potts 2011), which BERTweet's texts were split with."""
_LETTERS = frozenset(("Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Mn", "Mc", "Me"))
_ALSO_LETTERS = (
    (0x200C, 0x200D),
    (0x24B6, 0x24E9),
    (0x1F130, 0x1F149),
    (0x1F150, 0x1F169),
    (0x1F170, 0x1F189),
)
"""Joiners, and letters in circles and squares (Unicode Technical Standard 18, annex C)."""
_REPEATED = re.compile(r"([^a-zA-Z0-9])\1{3,}")
_ENTITY = re.compile(r"&(#?(x?))([^&;\s]+);")
_SIGNS = (("’", "'"), ("…", "..."))
_PARTED = (
    ("cannot ", "can not "),
    ("n't ", " n't "),
    ("n 't ", " n't "),
    ("ca n't", "can't"),
    ("ai n't", "ain't"),
    *((f"'{end} ", f" '{end} ") for end in ("m", "re", "s", "ll", "d", "ve")),
    (" p . m .", "  p.m."),
    (" p . m ", " p.m "),
    (" a . m .", " a.m."),
    (" a . m ", " a.m "),
)


@dataclass(frozen=True, eq=False)
class Tweets:
    """Normalises tweets; `demojize` writes an emoji as its name."""

    demojize: Callable[[str], str]

    @classmethod
    def installed(cls) -> Tweets:
        """Return the normalisation with the package emoji. Raises TokenizerError if it is not installed."""
        try:
            from emoji import demojize
        except ImportError as error:
            message = Message("This checkpoint reads emoji as words, and {0} is not installed.", "emoji")
            hint = Message("Type: {0}. Then open it again.", "pip install emoji")
            raise TokenizerError(message, hint) from error
        return cls(demojize)

    def normalised(self, tweet: Aligned) -> Aligned:
        """Return `tweet` as BERTweet reads it: words and signs, separated by spaces."""
        for theirs, ours in _SIGNS:
            tweet = tweet.replaced(theirs, ours)
        tweet = tweet.substituted(_ENTITY, _character)
        tweet = tweet.substituted(_REPEATED, lambda match: match[1] * 3)
        words = []
        for match in _words().finditer(tweet.text):
            word = tweet[slice(*match.span())]
            written = None
            if word.text.startswith("@"):
                written = "@USER"
            elif word.text.lower().startswith(("http", "www")):
                written = "HTTPURL"
            elif len(word.text) == 1:
                written = dict(_SIGNS).get(word.text) or self.demojize(word.text)
            words.append(word if written is None else Aligned(written, [word.span()] * len(written)))
        found = _joined(words)
        for theirs, ours in _PARTED:
            found = found.replaced(theirs, ours)
        return _joined(list(found.words()))


@cache
def _words() -> re.Pattern[str]:
    """Return the pattern of a word; letters are those of Unicode, with combining marks.

    Characters that are newer than this Python's table of Unicode are no letters.
    """
    letters = [*_ALSO_LETTERS, *_ranges(_LETTERS)]
    classes = {"LETTER": letters, "WORD": [*letters, *_ranges(frozenset(("Nd", "Pc")))]}
    pattern = "|".join(_PATTERNS).replace("LATIN", "a-zA-Zİſ\N{KELVIN SIGN}")
    for name, ranges in classes.items():
        pattern = pattern.replace(name, "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges))
    return re.compile(pattern)


def _ranges(categories: frozenset[str]) -> list[tuple[int, int]]:
    """Return the first and the last of each run of code points that are of `categories`."""
    found: list[tuple[int, int]] = []
    for code in range(sys.maxunicode + 1):
        if unicodedata.category(chr(code)) in categories:
            if found and found[-1][1] == code - 1:
                found[-1] = (found[-1][0], code)
            else:
                found.append((code, code))
    return found


def _joined(words: list[Aligned]) -> Aligned:
    """Return `words` separated by spaces, which stand for nothing after the word before them."""
    letters: list[str] = []
    spans: list[Span] = []
    for word in words:
        if letters:
            letters.append(" ")
            spans.append((spans[-1][1], spans[-1][1]))
        letters.append(word.text)
        spans += word.spans
    return Aligned("".join(letters), spans)


def _character(entity: re.Match[str]) -> str:
    """Return the character that an HTML entity stands for; nothing if there is none."""
    body = entity[3]
    if not entity[1]:
        number = html.entities.name2codepoint.get(body)
    else:
        try:
            number = int(body, 16 if entity[2] else 10)
            if 0x80 <= number <= 0x9F:
                return bytes((number,)).decode("cp1252")
        except ValueError:
            number = None
    try:
        return "" if number is None else chr(number)
    except (ValueError, OverflowError):
        return ""


_WORD = re.compile(r"\S+\n?")
_END, _CONTINUES = "</w>", "@@"
_MAX_CACHED = 100_000
_AGAIN = Message("Fetch both files again; they come with the checkpoint.")


@dataclass(frozen=True, eq=False)
class MergedPairs:
    """Byte-pair encoding of characters (Sennrich et al. 2016); a piece that goes on ends in @@."""

    ranks: Mapping[tuple[str, str], int]
    tweets: Tweets | None  # how a tweet is normalised first
    _cache: dict[str, list[str]] = field(default_factory=dict, repr=False)

    def pieces(self, stretch: Aligned) -> list[Cut]:
        """Return the pieces of `stretch`."""
        if self.tweets is not None:
            stretch = self.tweets.normalised(stretch)
        found: list[Cut] = []
        for number, match in enumerate(_WORD.finditer(stretch.text)):
            word, position = stretch[slice(*match.span())], 0
            symbols = self._cache.get(word.text)
            if symbols is None:
                symbols = self._merged(word.text)
                if len(self._cache) < _MAX_CACHED:
                    self._cache[word.text] = symbols
            for symbol in symbols:
                last = position + len(symbol)
                goes_on = _CONTINUES if last < len(word.text) else ""
                found.append(Cut(symbol + goes_on, *word.span(position, last), number))
                position = last
        return found

    def _merged(self, word: str) -> list[str]:
        parts = [*word[:-1], word[-1] + _END]
        while len(parts) > 1:
            pairs = {pair: self.ranks[pair] for pair in pairwise(parts) if pair in self.ranks}
            if not pairs:
                break
            first, second = min(pairs, key=pairs.__getitem__)
            merged: list[str] = []
            position = 0
            while position < len(parts):
                is_pair = parts[position : position + 2] == [first, second]
                merged.append(first + second if is_pair else parts[position])
                position += 2 if is_pair else 1
            parts = merged
        return [*parts[:-1], parts[-1].removesuffix(_END)]


def merge_codes(
    lines: Sequence[str], codes: str, declared: Declared, files: str, tweets: Tweets | None
) -> tuple[tokenizers.Tokenizer, Marked]:
    """Return PhobertTokenizer (Nguyen & Nguyen 2020); with `tweets` BertweetTokenizer (Nguyen et al. 2020).

    Texts for the first are words joined by underscores already.
    """
    specials = declared.with_defaults(**ROBERTA_ROLES)
    first = [str(specials[f"{role}_token"]) for role in ("bos", "pad", "eos", "unk")]
    vocabulary = {piece: number for number, piece in enumerate(first)}
    for line in lines:
        piece, space, _ = line.strip().rpartition(" ")
        if not space:
            raise TokenizerError(Message("A tokenizer cannot be made from {0}.", files), _AGAIN)
        vocabulary[piece] = len(vocabulary)
    merges = [tuple(line.split()[:-1]) for line in codes.split("\n")[:-1]]
    if not lines or any(len(merge) != 2 for merge in merges):
        raise TokenizerError(Message("A tokenizer cannot be made from {0}.", files), _AGAIN)
    ranks = {(merge[0], merge[1]): rank for rank, merge in enumerate(merges)}
    ids, added = with_added(vocabulary, specials, declared)
    begin, end = str(specials["cls_token"]), str(specials["sep_token"])
    single, pair = template(begin, end, n_between=2, segments=False)
    backend = numbering(ids, str(specials["unk_token"]), single, pair, (begin, end))
    return backend, Marked(MergedPairs(ranks, tweets), added)


def in_python(kind: str, folder: Path, declared: Declared) -> Backend:
    """Return a tokenizer whose class splits texts in Python, see `InPython`."""
    path = file_in(folder, VOCABULARY)
    if path is None:
        raise without(f"{kind}Tokenizer", VOCABULARY, folder)
    validate_size(path)
    lines = lines_of(path)
    pieces = lines[: None if lines[-1] else -1]
    if kind in ("Bertweet", "Phobert"):
        codes = file_in(folder, MERGE_CODES)
        if codes is None:
            raise without(f"{kind}Tokenizer", MERGE_CODES, folder)
        normalises = kind == "Bertweet" and declared.flag("normalization", False)
        tweets = Tweets.installed() if normalises else None
        names = Message("{0} and {1}", VOCABULARY, MERGE_CODES)
        rust, cutter = merge_codes(pieces, "\n".join(lines_of(codes)), declared, names, tweets)
    else:
        if kind == "Esm":
            pieces = [line.strip() for line in "\n".join(lines).splitlines()]
        ids = {piece: number for number, piece in enumerate(pieces)}
        rust, cutter = (esm if kind == "Esm" else japanese)(Vocabulary(path.name, ids), declared)
    return Backend(rust, cutter, spelling="plain")
