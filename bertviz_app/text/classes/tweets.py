"""`Tweets`: BERTweet's normalisation of tweets: user names, links and emoji become words."""

from __future__ import annotations

import html.entities
import re
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from bertviz_app.errors import Message, TokenizerError
from bertviz_app.text.aligned import Aligned, Span

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
        words = [self._word(tweet[slice(*match.span())]) for match in _words().finditer(tweet.text)]
        found = _joined(words)
        for theirs, ours in _PARTED:
            found = found.replaced(theirs, ours)
        return _joined(list(found.words()))

    def _word(self, word: Aligned) -> Aligned:
        small = word.text.lower()
        if word.text.startswith("@"):
            written = "@USER"
        elif small.startswith(("http", "www")):
            written = "HTTPURL"
        elif len(word.text) == 1:
            written = dict(_SIGNS).get(word.text) or self.demojize(word.text)
        else:
            return word
        return Aligned(written, [word.span()] * len(written))


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
