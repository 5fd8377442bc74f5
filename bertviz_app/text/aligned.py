"""`Aligned`: a text while it is normalised, each character with the span of the typed text it stands for."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

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
