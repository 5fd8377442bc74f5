"""Why a word is cut where it is: the steps of its tokenizer, computed from the tokenizer's own parts."""

from __future__ import annotations

import json
import math
import unicodedata
from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from bertviz_app.text.tokens import Tokens
from bertviz_app.values import dataclass, field

if TYPE_CHECKING:
    import tokenizers

Kind = Literal["pieces", "merges", "scores", "added"]
"""Longest pieces from the left (WordPiece), merges in their order (BPE), the best sum of scores (unigram),
or a token that is found whole before anything is split."""


@dataclass(frozen=True)
class Try:
    """A candidate from the left, and whether the vocabulary has it."""

    piece: str
    is_found: bool


@dataclass(frozen=True)
class Merge:
    """Two neighbours that were joined, the number of the rule from 1, and all parts after it."""

    pair: tuple[str, str]
    rule: int
    parts: tuple[str, ...]


@dataclass(frozen=True)
class Scored:
    """A piece of the best path with its score, a logarithm of a probability."""

    piece: str
    score: float


@dataclass(frozen=True)
class WhyCut:
    """How one word became its pieces.

    `typed` is the word in the text, `normal` what the normaliser makes of it, `syllables` the Hangul
    syllables that it takes apart, with their letters, `word` what the pre-tokeniser hands to the model.
    `tries`, `merges` or `path` are the steps, by the `kind`; `begins` the parts before the first merge.
    `pieces` are the result, those of the encoding.
    """

    kind: Kind
    typed: str
    normal: str
    word: str
    pieces: tuple[str, ...]
    syllables: tuple[tuple[str, str], ...] = ()
    tries: tuple[Try, ...] = ()
    begins: tuple[str, ...] = ()
    merges: tuple[Merge, ...] = ()
    path: tuple[Scored, ...] = ()
    is_too_long: bool = False  # more characters than the tokenizer looks up


@dataclass(frozen=True, eq=False)
class Explainer:
    """Explains the words of one tokenizer of the library; `model` is its part "model" as JSON."""

    rust: tokenizers.Tokenizer
    model: Mapping[str, Any]
    ranks: Mapping[tuple[str, str], int] = field(default_factory=dict)
    scores: Mapping[str, float] = field(default_factory=dict)

    @cached_property
    def added(self) -> frozenset[str]:
        """The tokens that are found whole."""
        return frozenset(token.content for token in self.rust.get_added_tokens_decoder().values())

    @classmethod
    def of(cls, rust: tokenizers.Tokenizer) -> Explainer | None:
        """Return the explainer of a tokenizer; None for a kind of model that is not known here."""
        model = json.loads(rust.to_str())["model"]
        if model.get("type") == "WordPiece":
            return cls(rust, model)
        if model.get("type") == "BPE":
            merges = [rule.split(" ") if isinstance(rule, str) else rule for rule in model["merges"]]
            return cls(rust, model, ranks={(one, two): at for at, (one, two) in enumerate(merges)})
        if model.get("type") == "Unigram":
            return cls(rust, model, scores=dict(map(tuple, model["vocab"])))
        return None

    def why(self, tokens: Tokens, position: int) -> WhyCut | None:
        """Return how the word of a token was cut; None for a special token, or where no step explains it."""
        sentence, word = tokens.sentences[position], tokens.words[position]
        mine = np.flatnonzero((tokens.sentences == sentence) & (tokens.words == word))
        text = tokens.text if sentence == 0 else tokens.pair
        if sentence < 0 or text is None:
            return None
        pieces = tuple(tokens.pieces[at] for at in mine)
        first, last = int(tokens.spans[mine, 0].min()), int(tokens.spans[mine, 1].max())
        if len(pieces) == 1 and pieces[0] in self.added and text[first:last].strip() == pieces[0]:
            return WhyCut("added", pieces[0], pieces[0], pieces[0], pieces)
        # Some tokenizers keep the space before a word, or write one there.
        for given in (text[first:last], text[max(0, first - 1) : last], f" {text[first:last]}"):
            normalizer, splitter = self.rust.normalizer, self.rust.pre_tokenizer
            normal = given if normalizer is None else str(normalizer.normalize_str(given))
            words = [normal] if splitter is None else [part for part, _ in splitter.pre_tokenize_str(normal)]
            for part in words:
                found = self._explained(text[first:last], normal, part)
                if found.pieces == pieces:
                    return found
        return None

    def _explained(self, typed: str, normal: str, word: str) -> WhyCut:
        letters = syllables_apart(typed, normal)
        if self.model["type"] == "WordPiece":
            is_too_long = len(word) > self.model["max_input_chars_per_word"]
            pieces, tries = ((self.model["unk_token"],), ()) if is_too_long else self._longest(word)
            return WhyCut("pieces", typed, normal, word, pieces, letters, tries, is_too_long=is_too_long)
        if self.model["type"] == "BPE":
            begins, merges = self._merged(word)
            parts = merges[-1].parts if merges else begins
            unknown, found = self.model.get("unk_token"), list[str]()
            for part in parts:
                if part in self.model["vocab"]:
                    found.append(part)
                elif unknown and not (self.model.get("fuse_unk") and found and found[-1] == unknown):
                    found.append(unknown)
            return WhyCut("merges", typed, normal, word, tuple(found), letters, begins=begins, merges=merges)
        path = self._best(word)
        return WhyCut("scores", typed, normal, word, tuple(one.piece for one in path), letters, path=path)

    def _longest(self, word: str) -> tuple[tuple[str, ...], tuple[Try, ...]]:
        """Return the longest pieces from the left, and all that was tried (Wu et al. 2016, section 4.1)."""
        vocabulary, prefix = self.model["vocab"], self.model["continuing_subword_prefix"]
        pieces, tries, first = list[str](), list[Try](), 0
        while first < len(word):
            for last in range(len(word), first, -1):
                candidate = (prefix if first else "") + word[first:last]
                tries.append(Try(candidate, candidate in vocabulary))
                if tries[-1].is_found:
                    pieces.append(candidate)
                    first = last
                    break
            else:
                return (self.model["unk_token"],), tuple(tries)
        return tuple(pieces), tuple(tries)

    def _merged(self, word: str) -> tuple[tuple[str, ...], tuple[Merge, ...]]:
        """Return the letters of `word`, and the merges of neighbours, by the number of the rule."""
        if self.model.get("ignore_merges") and word in self.model["vocab"]:
            return (word,), ()
        prefix = self.model.get("continuing_subword_prefix") or ""
        suffix = self.model.get("end_of_word_suffix") or ""
        parts = [prefix * bool(at) + letter for at, letter in enumerate(word)]
        parts[-1:] = [parts[-1] + suffix] if parts else []
        parts = [name for part in parts for name in self._letters(part)]
        begins, merges = tuple(parts), list[Merge]()
        while True:
            pairs = [(self.ranks[pair], at) for at, pair in enumerate(pairwise(parts)) if pair in self.ranks]
            if not pairs:
                return begins, tuple(merges)
            rank, at = min(pairs)
            pair = parts[at], parts[at + 1]
            parts[at : at + 2] = [pair[0] + pair[1].removeprefix(prefix)]
            merges.append(Merge(pair, rank + 1, tuple(parts)))

    def _letters(self, part: str) -> list[str]:
        """Return a letter as it is, as its bytes where the vocabulary lacks it and falls back to these."""
        if part in self.model["vocab"] or not self.model.get("byte_fallback"):
            return [part]
        names = [f"<0x{byte:02X}>" for byte in part.encode("utf-8")]
        return names if all(name in self.model["vocab"] for name in names) else [part]

    def _best(self, word: str) -> tuple[Scored, ...]:
        """Return the pieces with the largest sum of scores (Kudo 2018, section 3.2).

        A letter that the vocabulary lacks counts less than any piece; neighbours of these are one piece.
        """
        number = self.model["unk_id"]
        names = [piece for piece, _ in self.model["vocab"]]
        least = min(self.scores.values(), default=0.0) - 10.0  # of an unknown letter, as in the library
        most = max(map(len, names), default=1)
        best: list[tuple[float, int, bool]] = [(0.0, 0, True)]
        for last in range(1, len(word) + 1):
            options = [
                (best[first][0] + self.scores[word[first:last]], first, True)
                for first in range(max(0, last - most), last)
                if word[first:last] in self.scores
            ]
            if word[last - 1] not in self.scores:
                options.append((best[last - 1][0] + least, last - 1, False))
            best.append(max(options, key=lambda option: option[0], default=(-math.inf, last - 1, False)))
        path, last = list[Scored](), len(word)
        while last:
            _, first, is_known = best[last]
            if is_known:
                path.append(Scored(word[first:last], self.scores[word[first:last]]))
            elif path and number is not None and path[-1].piece == names[number]:
                path[-1] = Scored(names[number], path[-1].score + least)
            else:
                path.append(Scored("" if number is None else names[number], least))
            last = first
        return tuple(reversed(path))


def syllables_apart(typed: str, normal: str) -> tuple[tuple[str, str], ...]:
    """Return the Hangul syllables of `typed` that are letters in `normal`: (한, ᄒ ᅡ ᆫ)."""
    syllables = (letter for letter in unicodedata.normalize("NFC", typed) if "가" <= letter <= "힣")
    apart = {syllable: unicodedata.normalize("NFD", syllable) for syllable in syllables}
    return tuple(
        (one, " ".join(letters)) for one, letters in apart.items() if one not in normal and letters in normal
    )
