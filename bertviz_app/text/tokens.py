"""`Tokens`: one encoded text, or pair of texts, as the model reads it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bertviz_app.text.characters import name_of
from bertviz_app.text.labels import SPELLINGS, UNKNOWN, Spelling, label
from bertviz_app.text.summary import shortened, tokens_html

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
    """

    text: str
    pair: str | None
    pieces: tuple[str, ...]
    ids: NDArray[np.int32]
    segment_ids: NDArray[np.int32]
    position_ids: NDArray[np.int32]
    sentences: NDArray[np.int32]
    words: NDArray[np.int32]
    spans: NDArray[np.int32]
    n_left_out: int = 0
    has_segments: bool = True
    spelling: Spelling = "plain"
    dropped: str = ""

    def __post_init__(self) -> None:
        n_tokens = len(self.pieces)
        for name in ("ids", "segment_ids", "position_ids", "sentences", "words", "spans"):
            array = getattr(self, name)
            shape = (n_tokens, 2) if name == "spans" else (n_tokens,)
            if array.dtype != np.int32 or array.shape != shape:
                raise ValueError(f"{name} must be int32 {list(shape)}, not {array.dtype} {list(array.shape)}")
            array.flags.writeable = False
        if self.spelling not in SPELLINGS:
            raise ValueError(f"no spelling: {self.spelling}")

    def __len__(self) -> int:
        return len(self.pieces)

    def __repr__(self) -> str:
        cut = f" ({self.n_left_out} more left out)" if self.n_left_out else ""
        return f"<Tokens: {len(self)}{cut}: {shortened(self.labels)}>"

    def _repr_html_(self) -> str:
        return tokens_html(self)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The pieces as labels: composed, visible, and without characters that reorder their neighbours."""
        return tuple(self.label_of(piece) for piece in self.pieces)

    def label_of(self, piece: str) -> str:
        """Return the label of any piece of the same vocabulary."""
        return label(piece, self.spelling)

    @cached_property
    def special_names(self) -> SpecialNames:
        """The names of the special tokens, BERT's where this text has none."""
        special = np.flatnonzero(self.is_special)
        if not len(special) or special[0] != 0:
            return BERT_NAMES
        last = int(special[-1])
        return SpecialNames(self.labels[0], self.labels[last] if last else BERT_NAMES.separator)

    @property
    def is_special(self) -> NDArray[np.bool_]:
        """[T] bool, true for the special tokens that the tokenizer added."""
        return np.equal(self.sentences, SPECIAL)

    @cached_property
    def is_unknown(self) -> NDArray[np.bool_]:
        """[T] bool, true for the tokens that stand for something the vocabulary lacks."""
        return np.array([label in UNKNOWN for label in self.labels], bool) & ~self.is_special

    @property
    def dropped_names(self) -> str:
        """The different characters of `dropped`, as U+000C, U+0000; the first few of many."""
        names = [name_of(character) for character in dict.fromkeys(self.dropped)]
        return ", ".join([*names[:_MOST_NAMES], *["…"] * (len(names) > _MOST_NAMES)])

    @cached_property
    def space_words(self) -> NDArray[np.int32]:
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

    def _n_distinct_words(self, selected: NDArray[np.bool_]) -> int:
        pairs = zip(self.sentences[selected].tolist(), self.words[selected].tolist(), strict=True)
        return len(set(pairs))


def _words_begun(text: str) -> NDArray[np.int32]:
    """Return for each character of `text` how many words between white space began up to it, less one."""
    is_space = np.array([letter.isspace() for letter in text], bool)
    begins = ~is_space & np.concatenate(([True], is_space))[: len(is_space)]
    numbers: NDArray[np.int32] = np.maximum(np.cumsum(begins) - 1, 0).astype(np.int32)
    return numbers
