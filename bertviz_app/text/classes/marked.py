"""`Marked`: finds added and special tokens in a text, for the classes that are written in Python."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from tokenizers import AddedToken

from bertviz_app.text.aligned import Aligned
from bertviz_app.text.classes.declared import Declared, Piece
from bertviz_app.text.cutter import Cut


class WordPieces(Protocol):
    """Splits a stretch of text without added tokens; the words that it numbers begin with 0."""

    def pieces(self, stretch: Aligned) -> list[Cut]:
        """Return the pieces of `stretch`, with their spans in the typed text."""


@dataclass(frozen=True, eq=False)
class Marked:
    """Splits a text at its added tokens, and what is between them with `inner`."""

    inner: WordPieces
    added: Mapping[str, AddedToken]

    def cut(self, text: str) -> list[Cut]:
        """Return the pieces of `text`; an added token in it is a piece of its own."""
        found: list[Cut] = []
        for stretch in self._stretches(text):
            n_words = found[-1].word + 1 if found else 0
            if stretch.text in self.added:
                found.append(Cut(stretch.text, *stretch.span(), n_words))
            elif stretch:
                cuts = self.inner.pieces(stretch)
                found += [cut._replace(word=cut.word + n_words) for cut in cuts]
        return found

    @cached_property
    def _pattern(self) -> re.Pattern[str] | None:
        """Matches the longest of the added tokens that begin at a position."""
        texts = sorted((text for text in self.added if text), key=len, reverse=True)
        return re.compile("|".join(map(re.escape, texts))) if texts else None

    def _stretches(self, text: str) -> list[Aligned]:
        """Return the added tokens and what is between them, without the white space that tokens take."""
        whole = Aligned.typed(text)
        found: list[Aligned] = []
        end = 0
        for match in self._pattern.finditer(text) if self._pattern is not None else ():
            found += [whole[end : match.start()], whole[slice(*match.span())]]
            end = match.end()
        found = [stretch for stretch in (*found, whole[end:]) if stretch]
        for position, stretch in enumerate(found):
            token = self.added.get(stretch.text)
            if token is not None:
                _apply(token, found, position)
        return found


def _apply(token: AddedToken, found: list[Aligned], position: int) -> None:
    """Let one added token take white space from its neighbours, or be a part of the word around it."""
    nothing = Aligned("", [])
    left = found[position - 1] if position > 0 else nothing
    right = found[position + 1] if position + 1 < len(found) else nothing
    if token.rstrip and right:
        found[position + 1] = right.stripped(right=False)
    if token.lstrip and left:
        found[position - 1] = left.stripped(left=False)
    if token.single_word:
        if left and not left.text.endswith(" "):
            found[position - 1] = found[position - 1].joined(found[position])
            found[position] = nothing
        elif right and not right.text.startswith(" "):
            found[position + 1] = found[position].joined(found[position + 1])
            found[position] = nothing


def with_added(
    vocabulary: Mapping[str, int], specials: Mapping[str, Piece], declared: Declared
) -> tuple[dict[str, int], dict[str, AddedToken]]:
    """Return the ids of all pieces, and the added tokens by their text.

    A declared added token has its declared id; a special token that is neither there nor in the vocabulary
    gets the next one.
    """
    added = {token.content: token for _, token in sorted(declared.added.items())}
    ids = {**vocabulary, **{token.content: number for number, token in declared.added.items()}}
    new = len(ids)
    for role, piece in (*specials.items(), *(("", piece) for piece in declared.without_roles())):
        text = str(piece)
        if not text or text in added:
            continue
        if text not in ids:
            if role and declared.leaves_out(role, new):
                continue
            ids[text] = new
            new += 1
        added[text] = AddedToken(text, rstrip=False, lstrip=False, normalized=False, special=True)
    return ids, added


def template(begin: str, end: str, n_between: int = 1, segments: bool = True) -> tuple[list[str], list[str]]:
    """Return what is written around one text, and around a pair with `n_between` ends between its texts."""
    second = 1 if segments else 0
    single = [f"{begin}:0", "$A:0", f"{end}:0"]
    # Only the first end belongs to sentence 1.
    more: Sequence[str] = [f"{end}:{second}"] * (n_between - 1)
    return single, [*single, *more, f"$B:{second}", f"{end}:{second}"]
