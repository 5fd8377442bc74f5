"""`NameSearch`: finds things by what people type: in any order, with typing errors, mid-syllable."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

_FINALS = "ㄱ ㄲ ㄱㅅ ㄴ ㄴㅈ ㄴㅎ ㄷ ㄹ ㄹㄱ ㄹㅁ ㄹㅂ ㄹㅅ ㄹㅌ ㄹㅍ ㄹㅎ"
_MORE_FINALS = "ㅁ ㅂ ㅂㅅ ㅅ ㅆ ㅇ ㅈ ㅊ ㅋ ㅌ ㅍ ㅎ"
_INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
_VOWELS = "ㅏ,ㅐ,ㅑ,ㅒ,ㅓ,ㅔ,ㅕ,ㅖ,ㅗ,ㅗㅏ,ㅗㅐ,ㅗㅣ,ㅛ,ㅜ,ㅜㅓ,ㅜㅔ,ㅜㅣ,ㅠ,ㅡ,ㅡㅣ,ㅣ"
_KEYSTROKES = {
    **dict(zip(range(0x1100, 0x1113), _INITIALS, strict=True)),
    **dict(zip(range(0x1161, 0x1176), _VOWELS.split(","), strict=True)),
    **dict(zip(range(0x11A8, 0x11C3), f"{_FINALS} {_MORE_FINALS}".split(), strict=True)),
}
_MISTYPED = 5
"""The rank of a mistyped word; those of one that is found are in `_Searched.rank`."""
_NOT_FOUND = 1000
"""The rank of a word that is not found: more than those of all others together."""


def keystrokes(text: str) -> str:
    """Return a text in the letters that one types: Hangul as single letters, no capitals, no accents.

    A syllable that is being composed then begins the finished one: "몰" is typed on the way to "모르".
    """
    letters = unicodedata.normalize("NFKD", text.casefold()).translate(_KEYSTROKES)
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def mistakes(typed: str, word: str) -> int:
    """Return how many letters of `typed` are wrong, missing, too many or swapped: `word` begins with it."""
    before, row = [0] * (len(word) + 1), list(range(len(word) + 1))
    for i, letter in enumerate(typed, start=1):
        earlier, before, row = before, row, [i]
        for j, other in enumerate(word, start=1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other)))
            if i > 1 < j and letter == word[j - 2] and typed[i - 2] == other:
                row[j] = min(row[j], earlier[j - 2] + 1)
    return min(row)


class Names(NamedTuple):
    """What is found: the name that is shown, and others that are found as well."""

    shown: str
    others: str = ""


class _Searched:
    def __init__(self, names: Names) -> None:
        self.parts = tuple(f" {' '.join(_words(part))} " for part in names)
        self.words = frozenset(word for part in names for word in _words(part))

    def rank(self, word: str) -> int | None:
        """Return how well the names hold a word, None where they do not.

        0: the shown name begins with it; 1: a word of it does; 2: one of the others; 3, 4: it is within a
        word there.
        """
        beginning, (shown, others) = f" {word}", self.parts
        is_first, is_begun = shown.startswith(beginning), beginning in shown
        is_found = (is_first, is_begun, beginning in others, word in shown, word in others)
        if not any(is_found) and not word.isascii():  # Korean is often typed without its spaces
            is_joined = word in shown.replace(" ", ""), word in others.replace(" ", "")
            is_found = (False, False, False, *is_joined)
        return next((rank for rank, is_so in enumerate(is_found) if is_so), None)


def _words(text: str) -> list[str]:
    """Return the words of a text; a number like that of station 2.1, version v1.5 or head 3·1 is one."""
    return re.findall(r"[^\W\d_]*\d+(?:\.\d+)+|[^\W_]+", keystrokes(text).replace("·", "."))


class NameSearch:
    """Finds which of some names fit what was typed."""

    def __init__(self, names: Sequence[Names]) -> None:
        self._names = [_Searched(each) for each in names]
        self._vocabulary = frozenset().union(*(each.words for each in self._names))

    def find(self, typed: str) -> list[int]:
        """Return the indices of the names that fit, the best first; all in their order for an empty text.

        Every word must be found, in any order, also within other words. A word that is in no name is taken
        for a mistyped one. Where no name has all words, those follow that miss one of them.
        """
        words, ranks = _words(typed), [0] * len(self._names)
        for word in words:
            found = [each.rank(word) for each in self._names]
            if all(rank is None for rank in found):
                allowed = min(2, len(word) // 4)  # short words are too much like others
                meant = {other for other in self._vocabulary if mistakes(word, other) <= allowed}
                found = [_MISTYPED if each.words & meant else None for each in self._names]
            ranks = [
                before + (_NOT_FOUND if rank is None else rank)
                for before, rank in zip(ranks, found, strict=True)
            ]
        best = [index for index, rank in enumerate(ranks) if rank < _NOT_FOUND]
        if not best and len(words) > 1:
            best = [index for index, rank in enumerate(ranks) if rank < 2 * _NOT_FOUND]
        return sorted(best, key=ranks.__getitem__)
