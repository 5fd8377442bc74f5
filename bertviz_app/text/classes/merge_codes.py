"""PhoBERT's and BERTweet's tokenizers: fastBPE's vocab.txt (a piece and a count a line) and bpe.codes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

from bertviz_app.errors import Message, TokenizerError
from bertviz_app.text.aligned import Aligned
from bertviz_app.text.classes.declared import ROBERTA_ROLES, Declared
from bertviz_app.text.classes.marked import Marked, template, with_added
from bertviz_app.text.classes.tweets import Tweets
from bertviz_app.text.cutter import Cut, numbering

if TYPE_CHECKING:
    import tokenizers

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
            symbols = self._symbols(word.text)
            for symbol in symbols:
                last = position + len(symbol)
                goes_on = _CONTINUES if last < len(word.text) else ""
                found.append(Cut(symbol + goes_on, *word.span(position, last), number))
                position = last
        return found

    def _symbols(self, word: str) -> list[str]:
        """Return the parts of `word` after all merges."""
        known = self._cache.get(word)
        if known is None:
            known = self._merged(word)
            if len(self._cache) < _MAX_CACHED:
                self._cache[word] = known
        return known

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


def phobert(
    lines: Sequence[str], codes: str, declared: Declared, files: str
) -> tuple[tokenizers.Tokenizer, Marked]:
    """Return PhobertTokenizer (Nguyen & Nguyen 2020); its texts are words joined by underscores already."""
    return _merge_codes(lines, codes, declared, files, None)


def bertweet(
    lines: Sequence[str], codes: str, declared: Declared, files: str
) -> tuple[tokenizers.Tokenizer, Marked]:
    """Return BertweetTokenizer (Nguyen et al. 2020); normalises tweets if the checkpoint declares it."""
    tweets = Tweets.installed() if declared.flag("normalization", False) else None
    return _merge_codes(lines, codes, declared, files, tweets)


def _merge_codes(
    lines: Sequence[str], codes: str, declared: Declared, files: str, tweets: Tweets | None
) -> tuple[tokenizers.Tokenizer, Marked]:
    specials = declared.with_defaults(**ROBERTA_ROLES)
    first = [str(specials[f"{role}_token"]) for role in ("bos", "pad", "eos", "unk")]
    vocabulary = _vocabulary(lines, first, files)
    merges = [tuple(line.split()[:-1]) for line in codes.split("\n")[:-1]]
    if not lines or any(len(merge) != 2 for merge in merges):
        raise TokenizerError(Message("A tokenizer cannot be made from {0}.", files), _AGAIN)
    ranks = {(merge[0], merge[1]): rank for rank, merge in enumerate(merges)}
    ids, added = with_added(vocabulary, specials, declared)
    begin, end = str(specials["cls_token"]), str(specials["sep_token"])
    single, pair = template(begin, end, n_between=2, segments=False)
    backend = numbering(ids, str(specials["unk_token"]), single, pair, (begin, end))
    return backend, Marked(MergedPairs(ranks, tweets), added)


def _vocabulary(lines: Sequence[str], first: Sequence[str], files: str) -> dict[str, int]:
    """Return the ids: four special tokens, then the pieces of `lines`, each of which ends in a count."""
    ids: dict[str, int] = {}
    for number, piece in enumerate(first):
        ids[piece] = number
    for line in lines:
        piece, space, _ = line.strip().rpartition(" ")
        if not space:
            raise TokenizerError(Message("A tokenizer cannot be made from {0}.", files), _AGAIN)
        ids[piece] = len(ids)
    return ids
