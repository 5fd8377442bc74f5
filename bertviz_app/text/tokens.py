"""`Tokens`: one encoded text or pair, as the model reads it; its words, and how pieces are written."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from html import escape
from typing import Literal, get_args

import numpy as np

from bertviz_app.errors import ArgumentError, Message, SelectionError, TextError
from bertviz_app.types import Bools, Doubles, Floats, Indices, Ints
from bertviz_app.values import dataclass

MAX_CHARACTERS = 1_000_000
"""Longer texts are refused: the tokenizer would work for many seconds on what the model cannot hold."""


def validate(text: str, field: str = "text", name: str = "The text") -> None:
    """Raise TextError if `text`, called `name` in the message, cannot be encoded."""
    if not text.strip():
        raise TextError(Message("{0} is empty.", name), Message("Type a sentence."), field)
    if len(text) > MAX_CHARACTERS:
        message = Message(
            "{0} has {1} characters; at most {2} can be read.", name, f"{len(text):,}", f"{MAX_CHARACTERS:,}"
        )
        raise TextError(message, Message("Give a shorter part of it."), field)
    if text.isascii():
        return
    for position, character in enumerate(text):
        if is_unreadable(character):
            code = Message("half a character (the unpaired surrogate {0})", name_of(character))
            message = Message("{0} has {1} at character {2}.", name, code, position + 1)
            raise TextError(message, Message("Take it out."), field)


def is_unreadable(character: str) -> bool:
    """Return whether `character` is half of a surrogate pair, which no encoding of a text holds."""
    return "\ud800" <= character <= "\udfff"


def controls(text: str) -> set[str]:
    """Return the characters of `text` that a tokenizer may drop although they are no white space.

    These are Unicode's category C, which BERT's own tokenizer calls control characters (such as NUL, the form
    feed of a page and the joiner of an emoji), and the replacement character U+FFFD. Tab and line breaks are
    white space to every tokenizer.
    """
    if text.isascii() and text.isprintable():
        return set()
    found = set(text) - {"\t", "\n", "\r"}
    return {letter for letter in found if unicodedata.category(letter)[0] == "C" or letter == "\ufffd"}


def name_of(character: str) -> str:
    """Return how Unicode writes the number of `character`, such as U+000C."""
    return f"U+{ord(character):04X}"


Spelling = Literal["plain", "bytes", "spaces"]
"""How a vocabulary writes its pieces: as they are; each byte of UTF-8 as a letter (Radford et al. 2019,
section 2.2); or with SentencePiece's ▁ for a space (Kudo & Richardson 2018, arXiv:1808.06226)."""

UNKNOWN = ("[UNK]", "<unk>")
"""The pieces that stand for what a vocabulary lacks."""

LEFT_TO_RIGHT_MARK = "\u200e"
"""Before a label with right-to-left letters."""
_NAMED = {"\t": "⇥", "\n": "⏎", "\r": "␍", " ": "␣", "\u00a0": "⍽", "\u3000": "□"}
_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_FINALS = "ㄱㄲㄳㄴㄵㄶㄷㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅄㅅㅆㅇㅈㅊㅋㅌㅍㅎ"
_LETTERS = {
    first + position: letter
    for first, letters in ((0x1100, _INITIALS), (0x1161, _VOWELS), (0x11A8, _FINALS))
    for position, letter in enumerate(letters)
}
"""Conjoining Hangul letters -> the same letters standing alone."""
_PRINTABLE = (*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100))
_BYTES = {chr(byte): byte for byte in _PRINTABLE} | {
    chr(0x100 + position): byte
    for position, byte in enumerate(byte for byte in range(0x100) if byte not in _PRINTABLE)
}
"""Letters of byte-level pieces -> the bytes they stand for: those that cannot be printed have letters from
U+0100 on, so that a space is Ġ."""
_BROKEN = re.compile("[\udc80-\udcff]+")
"""Bytes that are no whole character, as Python's "surrogateescape" writes them."""


def label(piece: str, spelling: Spelling = "plain") -> str:
    """Return `piece` for drawing, out of a vocabulary that is written in `spelling`.

    A space before a word is ␣ in all of them. Of bytes whole characters are shown; those of a part of one
    are hexadecimal, as ⟨EA B3⟩.

    Uncased BERT splits Hangul into letters (NFD): they are composed again, and a letter that is left
    alone is written as the letter one reads in a dictionary, since fonts draw the conjoining one
    off its place. Control and formatting characters are invisible or reorder the text around them, so
    they are shown as signs; a right-to-left piece would move its "##" to the other end.
    """
    if spelling == "plain" and piece.isascii() and piece.isprintable() and " " not in piece:
        return piece
    composed = unicodedata.normalize("NFC", _text(piece, spelling)).translate(_LETTERS)
    visible = _BROKEN.sub(_hexadecimal, "".join(_visible(character) for character in composed))
    if any(unicodedata.bidirectional(character) in {"R", "AL"} for character in visible):
        return LEFT_TO_RIGHT_MARK + visible
    return visible


def _text(piece: str, spelling: Spelling) -> str:
    """Return the text of a piece; bytes that do not form a whole character become surrogates."""
    if spelling == "spaces":
        return piece.replace("▁", " ")
    numbers = [_BYTES.get(letter) for letter in piece] if spelling == "bytes" else [None]
    known = [number for number in numbers if number is not None]
    if len(known) < len(numbers):  # such as an added token, which is stored as plain text
        return piece
    return bytes(known).decode("utf-8", "surrogateescape")


def _hexadecimal(found: re.Match[str]) -> str:
    return f"⟨{' '.join(f'{ord(byte) - 0xDC00:02X}' for byte in found[0])}⟩"


def _visible(character: str) -> str:
    if character in _NAMED:
        return _NAMED[character]
    category = unicodedata.category(character)
    if category == "Cc":
        code = ord(character)
        return chr(0x2400 + code) if code < 0x20 else f"‹{code:02X}›"
    if category in {"Cf", "Co", "Cn", "Zs", "Zl", "Zp"} and character != "\u200d":
        return f"‹{ord(character):04X}›"
    return character


_MOST_WORDS = 12
_MOST_COLUMNS = 32


def shortened(labels: Sequence[str]) -> str:
    """Return the labels of tokens in one line, the middle of many left out."""
    if len(labels) > _MOST_WORDS:
        half = _MOST_WORDS // 2
        labels = [*labels[:half], "…", *labels[-half:]]
    return " ".join(labels)


def tokens_html(tokens: Tokens) -> str:
    """Return a table of the first tokens with their ids."""
    rows: dict[str, Sequence[object]] = {"token": tokens.labels}
    if tokens.has_ids:
        rows["id"] = tokens.ids.tolist()
    if tokens.has_segments:
        rows["segment"] = tokens.segment_ids.tolist()
    rows["position"] = tokens.position_ids.tolist()
    n_more = len(tokens) - _MOST_COLUMNS
    more = [f"… {n_more} more"] if n_more > 0 else []
    lines = (_row(name, [*map(str, row[:_MOST_COLUMNS]), *more]) for name, row in rows.items())
    left_out = f"<p>{tokens.n_left_out} tokens were left out.</p>" if tokens.n_left_out else ""
    return f"<table>{''.join(lines)}</table>{left_out}"


def facts_html(title: str, facts: Sequence[tuple[str, str]]) -> str:
    """Return a title over a table of facts: name, value."""
    lines = "".join(_row(name, [value]) for name, value in facts)
    return f"<p><b>{escape(title)}</b></p><table>{lines}</table>"


def _row(name: str, cells: Sequence[str]) -> str:
    return f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"


_MOST_NAMES = 4

SPECIAL = -1
"""The value of `Tokens.sentences` for a token that belongs to neither sentence: [CLS], [SEP]."""


@dataclass(frozen=True)
class SpecialNames:
    """The names of the first token, whose vector stands for the text, and of the separator."""

    first: str = "[CLS]"
    separator: str = "[SEP]"


BERT_NAMES = SpecialNames()


@dataclass(frozen=True, eq=False, repr=False)
class Tokens:
    """The T tokens of one text or pair, special tokens included.

    Shapes: `ids`, `segment_ids`, `position_ids`, `sentences`, `words` int32 [T]; `spans` int32 [T, 2].
    `sentences` is 0 for sentence 1, 1 for sentence 2, SPECIAL for tokens the tokenizer added.
    `words` numbers the words of a sentence from 0 (pieces of one word share a number), SPECIAL likewise.
    `spans` are character positions in the token's own sentence; [0, 0] for special tokens.
    `n_left_out` counts the tokens that did not fit into the model. `has_segments` is false for a model
    that has none: `segment_ids` are all 0 then, and mean nothing. `spelling` is that of the vocabulary.
    `dropped` are the characters of the texts, in their order, that the tokenizer drops before it reads them.
    `has_ids` is false for pieces from another program: `ids` are all 0 then, and mean nothing.
    """

    text: str
    pair: str | None
    pieces: tuple[str, ...]
    ids: Ints
    segment_ids: Ints
    position_ids: Ints
    sentences: Ints
    words: Ints
    spans: Ints
    n_left_out: int = 0
    has_segments: bool = True
    spelling: Spelling = "plain"
    dropped: str = ""
    has_ids: bool = True

    def __post_init__(self) -> None:
        n_tokens = len(self.pieces)
        for name in ("ids", "segment_ids", "position_ids", "sentences", "words", "spans"):
            array = getattr(self, name)
            shape = (n_tokens, 2) if name == "spans" else (n_tokens,)
            if array.dtype != np.int32 or array.shape != shape:
                raise ValueError(f"{name} must be int32 {list(shape)}, not {array.dtype} {list(array.shape)}")
            array.flags.writeable = False
        if self.spelling not in get_args(Spelling):
            raise ValueError(f"no spelling: {self.spelling}")

    def __len__(self) -> int:
        return len(self.pieces)

    def __iter__(self) -> Iterator[str]:
        """Return an iterator over the pieces."""
        return iter(self.pieces)

    def __repr__(self) -> str:
        cut = f" ({self.n_left_out} more left out)" if self.n_left_out else ""
        return f"<Tokens: {len(self)}{cut}: {shortened(self.labels)}>"

    def _repr_html_(self) -> str:
        return tokens_html(self)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The pieces as labels: composed, visible, and without characters that reorder their neighbours."""
        return tuple(label(piece, self.spelling) for piece in self.pieces)

    def label_of(self, piece: str) -> str:
        """Return the label of any piece of the same vocabulary."""
        return label(piece, self.spelling)

    @cached_property
    def special_names(self) -> SpecialNames:
        """The names of the special tokens, BERT's where this text has none.

        Of pieces from another program the first one is what it is.
        """
        special = np.flatnonzero(self.is_special)
        if not len(special) or special[0] != 0:
            return BERT_NAMES if self.has_ids else SpecialNames(self.labels[0])
        last = int(special[-1])
        return SpecialNames(self.labels[0], self.labels[last] if last else BERT_NAMES.separator)

    @property
    def is_special(self) -> Bools:
        """[T] bool, true for the special tokens that the tokenizer added."""
        return np.equal(self.sentences, SPECIAL)

    @cached_property
    def is_unknown(self) -> Bools:
        """[T] bool, true for the tokens that stand for something the vocabulary lacks."""
        return np.array([label in UNKNOWN for label in self.labels], bool) & ~self.is_special

    @property
    def dropped_names(self) -> str:
        """The different characters of `dropped`, as U+000C, U+0000; the first few of many."""
        names = [name_of(character) for character in dict.fromkeys(self.dropped)]
        return ", ".join([*names[:_MOST_NAMES], *["…"] * (len(names) > _MOST_NAMES)])

    @cached_property
    def space_words(self) -> Ints:
        """[T] int32, the numbers of the words between white space, SPECIAL for special tokens.

        These are Korean's eojeol, "can't" and "3.14", and have their punctuation. `words` are the
        tokenizer's, which splits most of these.
        """
        found = np.full(len(self), SPECIAL, np.int32)
        begun = [_words_begun(text) for text in (self.text, self.pair or "")]
        for token in np.flatnonzero(~self.is_special).tolist():
            last = max(0, int(self.spans[token, 1]) - 1)
            numbers = begun[int(self.sentences[token])]
            found[token] = numbers[min(last, len(numbers) - 1)]
        return found

    @property
    def n_words(self) -> int:
        """The count of words in both sentences."""
        return self._n_distinct_words(~self.is_special)

    @property
    def n_unknown_words(self) -> int:
        """The count of words with a token that the vocabulary lacks."""
        return self._n_distinct_words(self.is_unknown)

    def _n_distinct_words(self, selected: Bools) -> int:
        return len(set(zip(self.sentences[selected].tolist(), self.words[selected].tolist(), strict=True)))


def _words_begun(text: str) -> Ints:
    """Return for each character of `text` how many words between white space began up to it, less one."""
    is_space = np.array([letter.isspace() for letter in text], bool)
    begins = ~is_space & np.concatenate(([True], is_space))[: len(is_space)]
    numbers: Ints = np.maximum(np.cumsum(begins) - 1, 0).astype(np.int32)
    return numbers


_MOST_LISTED = 6


def word_numbers(tokens: Tokens) -> Ints:
    """Return int32 [T]: tokens of the same word have the same number.

    A word is all of its pieces, as the model reads them, whether upper or lower case: the pieces of one word
    have its number, and so have those of the same word elsewhere. A special token has a number of its own.
    """
    words: dict[tuple[int, int], str] = {}
    word_of_token = list(zip(tokens.sentences.tolist(), tokens.words.tolist(), strict=True))
    for word, label in zip(word_of_token, tokens.labels, strict=True):
        words[word] = words.get(word, "") + _bare(label).casefold()
    numbers: dict[str, int] = {}
    found = [
        -1 - at if is_special else numbers.setdefault(words[word], len(numbers))
        for at, (word, is_special) in enumerate(zip(word_of_token, tokens.is_special.tolist(), strict=True))
    ]
    return np.array(found, np.int32)


def tokens_named(tokens: Tokens, name: str) -> list[int]:
    """Return the positions of the tokens that are `name`, by their piece or by what the text has there.

    Upper and lower case are the same. A token that is read as another one is found by both.
    """
    folded = name.casefold()
    if not folded:
        return []
    return [
        at
        for at, label in enumerate(map(str.casefold, tokens.labels))
        if folded in (label, _bare(label), written_at(tokens, at).casefold())
    ]


def _bare(label: str) -> str:
    """Return a label without the marks that are only drawn: the sign of a space, and the direction."""
    return label.removeprefix(LEFT_TO_RIGHT_MARK).strip("␣")


def numbered(name: str) -> tuple[str, int | None]:
    """Return the name and the number of "it#2", which is the second token "it"; None where it has none."""
    text, sign, number = name.rpartition("#")
    return (text, int(number)) if sign and text and number.isdecimal() else (name, None)


def token_at(tokens: Tokens, token: int | str) -> int:
    """Return the position of a token.

    Parameters
    ----------
    tokens : Tokens
    token : int or str
        Its position, from 0, or its text, such as "it"; "it#2" is the second one of several.

    Returns
    -------
    int

    Raises
    ------
    SelectionError
        For a position or a text that there is not, and for a text that several tokens have.
    ArgumentError
        For anything else.
    """
    if isinstance(token, str):
        return _named(tokens, token)
    if isinstance(token, bool) or not isinstance(token, int | np.integer):
        message = Message("A token is a position or a text, not {0}.", type(token).__name__)
        raise ArgumentError(message, Message("Give 7, or “it”."))
    if not 0 <= token < len(tokens):
        message = Message("There is no token {0}: this text has tokens 0 to {1}.", token, len(tokens) - 1)
        raise SelectionError(message, Message("Tokens count from 0, special ones among them."))
    return int(token)


def _named(tokens: Tokens, given: str) -> int:
    name, number = given, None
    found = tokens_named(tokens, name)
    if not found:  # a name may itself end in a number sign and digits
        name, number = numbered(given)
        found = tokens_named(tokens, name) if name else []
    if not found:
        raise SelectionError(Message("There is no token “{0}”.", name), _where_it_may_be(tokens, name))
    if number is not None and not 1 <= number <= len(found):
        message = Message("There is no token “{0}”: the text has {1} of “{2}”.", given, len(found), name)
        raise SelectionError(message, Message("They are at {0}.", _listed(found)))
    if number is None and len(found) > 1:
        message = Message("Several tokens are “{0}”: at {1}.", name, _listed(found))
        raise SelectionError(message, Message("Give one of the positions, or “{0}#2” for the second.", name))
    return found[0 if number is None else number - 1]


def _where_it_may_be(tokens: Tokens, name: str) -> Message:
    """Return a hint: the pieces of the word `name` if the text has it, else all tokens."""
    for at in np.flatnonzero(~tokens.is_special):
        is_same = (tokens.words == tokens.words[at]) & (tokens.sentences == tokens.sentences[at])
        pieces = np.flatnonzero(is_same).tolist()
        if len(pieces) > 1 and _span(tokens, pieces[0], pieces[-1]).casefold() == name.casefold():
            parts = ", ".join(f"{piece}: {tokens.labels[piece]}" for piece in pieces)
            return Message("The word is several tokens ({0}): give one of them.", parts)
    shown = [f"{at}: {label}" for at, label in enumerate(tokens.labels)]
    if len(shown) > 2 * _MOST_LISTED:
        shown = [*shown[: 2 * _MOST_LISTED], "…"]
    return Message("The tokens are: {0}.", ", ".join(shown))


def _listed(positions: list[int]) -> str:
    """Return positions as a short list."""
    more = ["…"] if len(positions) > _MOST_LISTED else []
    return ", ".join([*map(str, positions[:_MOST_LISTED]), *more])


def written_at(tokens: Tokens, at: int) -> str:
    """Return the part of the text that a token stands for; "" for one that the tokenizer added."""
    return "" if tokens.is_special[at] else _span(tokens, at, at)


def _span(tokens: Tokens, first: int, last: int) -> str:
    """Return the text from one token to another of the same sentence."""
    text = tokens.text if tokens.sentences[first] == 0 else tokens.pair or ""
    return text[int(tokens.spans[first, 0]) : int(tokens.spans[last, 1])].strip()


NO_UNIT = -1
"""The unit of a word without any token, and of a token that belongs to no word."""


@dataclass(frozen=True, eq=False)
class WordUnits:
    """U units: the words of a text, of which those that share a token are one unit.

    `of_word` [N] and `of_token` [T] are the units, NO_UNIT where there is none: special tokens belong to no
    word, and a word has no token that was cut from the end of the text, or that the tokenizer drops.
    """

    of_word: Indices
    of_token: Indices

    @property
    def count(self) -> int:
        """U, the number of units."""
        return int(self.of_token.max(initial=NO_UNIT)) + 1

    def tokens_of(self, word: int) -> Indices:
        """Return the positions of the tokens of a word, none where it has no unit."""
        unit = self.of_word[word]
        return np.flatnonzero(self.of_token == unit) if unit != NO_UNIT else np.zeros(0, np.intp)

    def between(self, weights: Floats) -> Doubles:
        """Return the attention [..., U, U] between units by that between tokens [..., T, T].

        To a unit it is the sum over its tokens, from a unit the mean over its tokens (Clark et al. 2019,
        arXiv:1906.04341, section 4.1). Weights on special tokens are left out, so rows add up to 1 or less.
        """
        keys = (self.of_token[:, None] == np.arange(self.count)).astype(np.float64)
        found: Doubles = (keys / keys.sum(0)).T @ (weights.astype(np.float64) @ keys)
        return found


def word_units(tokens: Tokens, words: Sequence[tuple[int, int]]) -> WordUnits:
    """Return the units of words, which are spans of the first text of `tokens`."""
    starts, ends = np.array(words, np.intp).reshape(-1, 2).T
    first_of = np.full(len(tokens), NO_UNIT, np.intp)  # the first word of each token
    joined_to = np.arange(len(words))  # the first word of the unit of each word
    has_token = np.zeros(len(words), bool)
    for token in np.flatnonzero(tokens.sentences == 0):
        start, end = tokens.spans[token].tolist()
        # Without the white space at its ends, which a vocabulary may count to its pieces.
        inner = tokens.text[start:end].lstrip()
        start, end = end - len(inner), end - len(inner) + len(inner.rstrip())
        met = np.flatnonzero((starts < end) & (ends > start))
        if not len(met):
            continue
        has_token[met] = True
        roots = np.unique(joined_to[met])
        joined_to[np.isin(joined_to, roots)] = roots[0]
        first_of[token] = met[0]
    firsts = np.unique(joined_to[has_token])
    number = np.full(len(words), NO_UNIT, np.intp)
    number[firsts] = np.arange(len(firsts))
    of_word = np.where(has_token, number[joined_to], NO_UNIT).astype(np.intp)
    of_token = np.where(first_of == NO_UNIT, NO_UNIT, of_word[first_of]).astype(np.intp)
    return WordUnits(of_word, of_token)


NormalForm = Literal["NFC", "NFD", "NFKC", "NFKD"]
Span = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Aligned:
    """`text`, and for each of its characters the first and the last position in the text as typed."""

    text: str
    spans: Sequence[Span]

    @classmethod
    def typed(cls, text: str) -> Aligned:
        """Return `text` as it was typed: each character stands for itself."""
        return cls(text, [(position, position + 1) for position in range(len(text))])

    def __getitem__(self, part: slice) -> Aligned:
        return Aligned(self.text[part], self.spans[part])

    def __bool__(self) -> bool:
        return bool(self.text)

    def span(self, first: int = 0, last: int | None = None) -> Span:
        """Return the span in the typed text of the characters from `first` to `last`."""
        inner = self.spans[first:last]
        if not inner:
            return (0, 0)
        return min(start for start, _ in inner), max(end for _, end in inner)

    def joined(self, other: Aligned) -> Aligned:
        """Return this text with `other` after it."""
        return Aligned(self.text + other.text, [*self.spans, *other.spans])

    def stripped(self, left: bool = True, right: bool = True) -> Aligned:
        """Return it without the white space at its ends."""
        first = len(self.text) - len(self.text.lstrip()) if left else 0
        last = len(self.text.rstrip()) if right else len(self.text)
        return self[first : max(first, last)]

    def words(self) -> Iterator[Aligned]:
        """Yield what white space separates, as `str.split()` does."""
        position = 0
        for word in self.text.split():
            first = self.text.index(word, position)
            position = first + len(word)
            yield self[first:position]

    def mapped(self, change: Callable[[str], str]) -> Aligned:
        """Return it with each character replaced by what `change` makes of it, of any length."""
        letters, spans = [], []
        for letter, span in zip(self.text, self.spans, strict=True):
            written = change(letter)
            letters.append(written)
            spans += [span] * len(written)
        return Aligned("".join(letters), spans)

    def lower(self) -> Aligned:
        """Return it in small letters, by the rules of `str.lower()` for the whole text."""
        letters, whole = self.mapped(str.lower), self.text.lower()
        # The small sigma depends on its neighbours; it is one character in any case.
        return Aligned(whole, letters.spans) if len(whole) == len(letters.text) else letters

    def replaced(self, theirs: str, ours: str) -> Aligned:
        """Return it with each `theirs` replaced by `ours`, as `str.replace` does."""
        return self.substituted(re.compile(re.escape(theirs)), lambda _: ours)

    def substituted(self, pattern: re.Pattern[str], ours: Callable[[re.Match[str]], str]) -> Aligned:
        """Return it with each match replaced; what replaces a match stands for all of it."""
        letters, spans, end = [], [], 0
        for match in pattern.finditer(self.text):
            written = ours(match)
            letters += [self.text[end : match.start()], written]
            spans += [*self.spans[end : match.start()], *[self.span(*match.span())] * len(written)]
            end = match.end()
        return Aligned("".join([*letters, self.text[end:]]), [*spans, *self.spans[end:]])

    def normalised(self, form: NormalForm) -> Aligned:
        """Return it in a normal form of Unicode.

        Characters that are composed or decomposed together stand for all of them together.
        """
        if unicodedata.is_normalized(form, self.text):
            return self
        letters, spans, first = [], [], 0
        for last in (*self._boundaries(form), len(self.text)):
            written = unicodedata.normalize(form, self.text[first:last])
            letters.append(written)
            spans += [self.span(first, last)] * len(written)
            first = last
        whole = unicodedata.normalize(form, self.text)
        if "".join(letters) != whole:
            return Aligned(whole, [self.span()] * len(whole))
        return Aligned(whole, spans)

    def _boundaries(self, form: NormalForm) -> Iterator[int]:
        """Yield the positions before which and after which the text can be normalised independently."""
        first, before = 0, unicodedata.normalize(form, self.text[:1])
        for position in range(1, len(self.text)):
            letter = self.text[position]
            alone = unicodedata.normalize(form, letter)
            if not (letter.isascii() and self.text[position - 1].isascii()):
                together = unicodedata.normalize(form, self.text[first : position + 1])
                if together != before + alone or unicodedata.combining(alone[:1] or " "):
                    before = together
                    continue
            yield position
            first, before = position, alone


def is_same_text(a: Tokens, b: Tokens) -> bool:
    """Return whether two runs read the same text in the same pieces, whatever was replaced in them."""
    return (len(a), a.text, a.pair) == (len(b), b.text, b.pair) and np.array_equal(a.spans, b.spans)


def same_tokens(a: Tokens, b: Tokens) -> frozenset[int]:
    """Return the positions at which two runs have the same token; all, where they read the same text."""
    if is_same_text(a, b):
        return frozenset(range(len(a)))
    pairs = zip(a.pieces, b.pieces, strict=False)
    return frozenset(at for at, (one, other) in enumerate(pairs) if one == other)
