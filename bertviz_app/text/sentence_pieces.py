"""`SentencePieces`: splits text by a SentencePiece model, through its own library."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import tokenizers
from tokenizers import AddedToken

from bertviz_app.errors import Message, TokenizerError
from bertviz_app.text.classes.vocabulary import Declared, longest_of, split_by, with_added
from bertviz_app.text.cutter import Cut, numbering
from bertviz_app.text.numbering import PieceNumbering
from bertviz_app.values import dataclass

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor


SPACE = "\u2581"
"""What stands for a space in a piece."""
_TYPED = ("[CLS]", "[SEP]", "[MASK]", "[PAD]", "<s>", "</s>", "<mask>", "<pad>")
"""Pieces that a text may name, as it may with the other tokenizers."""
_AGAIN = Message("Fetch the file again; it comes with the checkpoint.")
_NUMBER = re.compile(r".*\d,")


@dataclass(frozen=True, eq=False)
class SentencePieces:
    """The model (Kudo & Richardson 2018), its pieces in the order of its ids, and the family's layout."""

    processor: SentencePieceProcessor
    names: tuple[str, ...]
    ids: Mapping[str, int]  # the family's
    ends: tuple[str, ...]  # before and after a text; empty: nothing is
    layout: PieceNumbering
    added: Mapping[str, AddedToken]  # found in a text before the model splits it

    def cut(self, text: str) -> list[Cut]:
        """Return the pieces of `text`; the name of a special token in the text becomes that token."""
        found: list[Cut] = []
        for first, last in split_by(self._typed, text):
            n_words = found[-1].word + 1 if found else 0
            if self._typed is not None and self._typed.fullmatch(text, first, last):
                found.append(Cut(text[first:last], first, last, n_words))
            else:
                plain, positions = self._plain(text, first, last)
                cuts = self._processed(plain)
                if self.layout.parts_numbers:
                    cuts = [part for cut in cuts for part in self._parted(cut)]
                cuts = [_in_typed_text(cut, text, positions) for cut in _widened(cuts)]
                found += _numbered(cuts, n_words)
        return found

    def backend(self) -> tokenizers.Tokenizer:
        """Return the tokenizer that numbers the pieces, adds special tokens and truncates."""
        unknown = self.names[self.processor.unk_id()]
        if not self.ends:
            return numbering(self.ids, unknown, ["$A:0"], ["$A:0", "$B:1"], ())
        begin, end = self.ends
        single = [*([f"{begin}:0"] if begin else []), "$A:0", f"{end}:0"]
        pair = [*single, *[f"{end}:0"] * (self.layout.n_between - 1), "$B:1", f"{end}:1"]
        return numbering(self.ids, unknown, single, pair, [piece for piece in self.ends if piece])

    @cached_property
    def _typed(self) -> re.Pattern[str] | None:
        """Special and added tokens that the model itself does not recognise in a text."""
        known = {name: number for number, name in enumerate(self.names)}
        typed = [
            name
            for name in _TYPED
            if name in self.ids and (name not in known or self.processor.is_control(known[name]))
        ]
        return longest_of({*typed, *self.added})

    def _plain(self, text: str, first: int, last: int) -> tuple[str, Sequence[int]]:
        """Return the normalised text for the model, and for each of its characters the position in `text`.

        One more position says where the last one ends.
        """
        if not (self.layout.lower_case or self.layout.drops_accents or self.layout.replaced):
            return text[first:last], range(first, last + 1)
        letters: list[str] = []
        positions: list[int] = []
        position = first
        while position < last:
            size, written = self._written(text, position)
            letters.append(written)
            positions += [position] * len(written)
            position += size
        return "".join(letters), [*positions, last]

    def _written(self, text: str, position: int) -> tuple[int, str]:
        """Return how many characters of `text` are consumed at `position`, and their normalised form."""
        for theirs, ours in self.layout.replaced:
            if text.startswith(theirs, position):
                return len(theirs), ours
        letters = text[position]
        if self.layout.drops_accents:
            apart = unicodedata.normalize("NFKD", letters)
            letters = "".join(letter for letter in apart if not unicodedata.combining(letter))
        return 1, letters.lower() if self.layout.lower_case else letters

    def _processed(self, plain: str) -> list[Cut]:
        found = self.processor.encode(plain, return_type="offset_mapping")
        pairs = zip(found["ids"], found["offsets"], strict=True)
        return [Cut(self.names[number], first, last) for number, (first, last) in pairs]

    def _parted(self, cut: Cut) -> list[Cut]:
        """Split a number from the comma after it, as ALBERT does."""
        if not _NUMBER.fullmatch(cut.piece) or "," not in self.ids:
            return [cut]
        parts = self._processed(cut.piece[:-1].removeprefix(SPACE))
        if not cut.piece.startswith(SPACE) and parts[0].piece.startswith(SPACE):
            parts[0] = parts[0]._replace(piece=parts[0].piece.removeprefix(SPACE))
        # All get the span of the number: normalisation may have moved its digits.
        inner = [part._replace(first=cut.first, last=cut.last) for part in parts if part.piece]
        return [*inner, cut._replace(piece=",")]


def read_sentence_pieces(
    path: Path,
    layout: PieceNumbering,
    numbers: Mapping[str, int] | None = None,
    declared: Declared | None = None,
) -> SentencePieces:
    """Return the model in the file at `path`, its pieces numbered by `numbers`, else by `layout`.

    Raises TokenizerError, also without sentencepiece.
    """
    try:
        from sentencepiece import SentencePieceProcessor
    except ImportError as error:
        raise TokenizerError(
            Message(
                "{0} is a SentencePiece model, and the package that reads such is not installed.", path.name
            ),
            Message("Type: pip install sentencepiece. Then open it again."),
        ) from error
    try:
        processor = SentencePieceProcessor()
        processor.load_from_serialized_proto(path.read_bytes())
        names = tuple(processor.id_to_piece(list(range(processor.get_piece_size()))))
    except (RuntimeError, ValueError, IndexError, OSError, MemoryError) as error:
        raise TokenizerError(
            Message("{0} is no SentencePiece model, or damaged.", path.name), _AGAIN
        ) from error
    declared = declared or Declared()
    specials = declared.with_defaults(**dict(layout.specials)) if layout.specials else declared.specials
    ids, added = with_added(layout.ids(names) if numbers is None else numbers, specials, declared)
    ends = next((ends for ends in layout.ends if all(end in ids for end in ends if end)), None)
    unknown = names[processor.unk_id()] if 0 <= processor.unk_id() < len(names) else None
    if ends is None or unknown not in ids:
        raise TokenizerError(
            Message(
                "{0} is no vocabulary for this model: it has no {1}.",
                path.name,
                " and ".join(filter(None, layout.ends[0])),
            ),
            Message("Put the vocabulary that the model was trained with into its folder."),
        )
    if len(set(ids.values())) < len(ids) or len(set(names)) < len(names):
        raise TokenizerError(Message("{0} numbers several pieces alike.", path.name), _AGAIN)
    return SentencePieces(processor, names, ids, ends, layout, added)


def _numbered(cuts: Sequence[Cut], word: int) -> Iterator[Cut]:
    """Yield `cuts` with word numbers from `word` on: a space separates words."""
    before = ""
    for cut in cuts:
        has_ended = before.endswith(SPACE) and before != SPACE
        word += bool(before) and (has_ended or cut.piece.startswith(SPACE))
        before = cut.piece
        yield cut._replace(word=word)


def _widened(cuts: Sequence[Cut]) -> list[Cut]:
    """Return `cuts` in which pieces of one character all have the span of that character."""
    found: list[Cut] = []
    for cut in reversed(cuts):
        is_part = cut.first == cut.last and cut.piece != SPACE
        if is_part and found and found[-1].first == cut.first:
            cut = cut._replace(last=found[-1].last)
        found.append(cut)
    return found[::-1]


def _in_typed_text(cut: Cut, text: str, positions: Sequence[int]) -> Cut:
    """Return `cut` with its span in `text`, without the spaces around it."""
    first, last = positions[cut.first], positions[cut.last]
    if cut.last > cut.first and last == first:  # several letters of one character
        last = next((position for position in positions[cut.last :] if position > first), first)
    inner = text[first:last]
    if not inner.strip():
        # The first letters of a character that is several begin with the space before it.
        is_part = cut.piece != SPACE and last < positions[-1]
        return cut._replace(first=last, last=last + 1) if is_part else cut._replace(first=first, last=last)
    return cut._replace(first=first + len(inner) - len(inner.lstrip()), last=first + len(inner.rstrip()))
