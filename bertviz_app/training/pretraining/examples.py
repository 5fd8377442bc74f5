"""What one pass over the corpora is cut into: pairs of segments for the next-sentence task, in batches.

Devlin et al. 2019 (arXiv:1810.04805), section 3.1, task 2, and appendix A.2: half of the second segments
are those that follow the first, half come from another document. A share of the examples can be single texts.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bertviz_app.training.pretraining.tokenised import Tokenised
from bertviz_app.training.pretraining.vocabulary import SpecialIds

N_SPECIAL, N_SPECIAL_SINGLE = 3, 2
"""[CLS] and two [SEP] of every pair, [CLS] and [SEP] of a single text."""
_SHORTEST, _SHORTEST_TARGET = 4, 12
_EXPONENT = 0.5
_TRIES = 8
_BATCHES_IN_POOL = 64

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pieces:
    """What is known of the V pieces of a vocabulary."""

    is_start: NDArray[np.bool_]  # [V], begins a word
    is_end: NDArray[np.bool_]  # [V], ends a sentence: a full stop, question or exclamation mark
    special: SpecialIds

    def __len__(self) -> int:
        return len(self.is_start)

    @cached_property
    def ordinary(self) -> Integers:
        """The ids of the pieces that are not special, rising."""
        return np.setdiff1d(np.arange(len(self)), self.special)


@dataclass(frozen=True, eq=False)
class Windows:
    """N stretches of text without a gap, each with a position at which it may be cut in two. All [N]."""

    corpus: Integers  # number of the corpus
    document: Integers  # its number in the corpus
    start: Integers  # indices into the corpus's ids
    cut: Integers
    end: Integers

    def __len__(self) -> int:
        return len(self.start)

    def taken(self, chosen: Integers) -> Windows:
        """Return the windows of the numbers `chosen`."""
        fields = (self.corpus, self.document, self.start, self.cut, self.end)
        return Windows(*(field[chosen] for field in fields))


@dataclass(frozen=True, eq=False)
class Pairs:
    """N pairs of segments A and B, as stretches of the corpora's ids; a single text has no B. All [N]."""

    corpus: Integers
    first: Integers  # A from here
    n_first: Integers  # its tokens
    second: Integers  # B from here
    n_second: Integers  # 0 for a single text
    is_next: NDArray[np.bool_]  # whether B follows A; True for a single text

    def __len__(self) -> int:
        return len(self.first)

    @property
    def lengths(self) -> Integers:
        """The tokens of each pair, special ones included: [N]."""
        n_special = np.where(self.n_second > 0, N_SPECIAL, N_SPECIAL_SINGLE)
        return self.n_first + self.n_second + n_special


def windows(corpora: Sequence[Tokenised], is_start: NDArray[np.bool_], length: int, seed: int) -> Windows:
    """Return all text of the corpora in windows that fit into `length` tokens, special ones included.

    Half of them are as long as they can be in whole sentences, half of a random length below. `is_start`
    [V]: which pieces begin a word. Windows too short to be parted are left out.
    """
    rng = np.random.default_rng([seed, 1])
    found = [
        _windows(number, corpus, is_start, length - N_SPECIAL, rng) for number, corpus in enumerate(corpora)
    ]
    table = np.concatenate(found)  # [N, 5]
    return Windows(*np.ascontiguousarray(table.T))


def repeated(every: Windows, seed: int) -> Windows:
    """Return the windows with those of smaller corpora more than once, so that every corpus counts.

    A corpus with a share p of the tokens gets one in proportion to p^0.5 (Conneau and Lample 2019,
    arXiv:1901.07291, section 3.1); the windows of the largest come once.
    """
    rng = np.random.default_rng([seed, 2])
    sizes = np.bincount(every.corpus, every.end - every.start)  # in tokens
    chosen = [np.arange(len(every))]
    for number, size in enumerate(sizes):
        own = np.flatnonzero(every.corpus == number)
        if len(own):
            n_more = round(len(own) * ((sizes.max() / size) ** (1 - _EXPONENT) - 1))
            chosen += [rng.permutation(own)[:part] for part in _parts(n_more, len(own))]
    return every.taken(np.concatenate(chosen))


def pairs(every: Windows, length: int, seed: int, single_share: float = 0.0) -> Pairs:
    """Return a pair of each window: of one half B follows A, of the other B is of another document.

    A `single_share` of the windows, 0 to 1, are single texts instead.

    The false second segments are those of other windows of the same corpus, of nearly the same length: the
    language or the length alone gives nothing away. Where a corpus has one document only, B follows A.
    """
    rng = np.random.default_rng([seed, 3])
    order = rng.permutation(len(every))
    n_single = round(single_share * len(every))
    is_single = order >= len(every) - n_single
    is_next = (order < (len(every) - n_single + 1) // 2) | is_single
    second = np.arange(len(every))  # the window that B is taken from
    for number in np.unique(every.corpus):
        false = np.flatnonzero((every.corpus == number) & ~is_next)
        second[false] = _strangers(every, false, rng)
    is_next = second == np.arange(len(every))
    n_first = np.where(is_single, every.end, every.cut) - every.start
    n_second = np.where(is_single, 0, (every.end - every.cut)[second])
    surplus = np.maximum(0, n_first + n_second + N_SPECIAL - length)
    # What is too long loses its end, the longer segment first.
    from_first = np.minimum(surplus, np.maximum(0, n_first - np.maximum(n_second, length // 2)))
    return Pairs(
        corpus=every.corpus,
        first=every.start,
        n_first=n_first - from_first,
        second=every.cut[second],
        n_second=n_second - (surplus - from_first),
        is_next=is_next,
    )


def batches(lengths: Integers, n_tokens: int, seed: int) -> list[Integers]:
    """Return which pairs go into each batch: of nearly the same length, at most `n_tokens` with padding."""
    rng = np.random.default_rng([seed, 4])
    order = rng.permutation(len(lengths))
    mean = max(1.0, float(lengths.mean()) if len(lengths) else 1.0)
    n_pool = max(1, round(_BATCHES_IN_POOL * n_tokens / mean))
    found: list[Integers] = []
    for first in range(0, len(order), n_pool):
        pool = order[first : first + n_pool]
        found += _cut(pool[np.argsort(lengths[pool], kind="stable")], lengths, n_tokens)
    return [found[number] for number in rng.permutation(len(found))]


def _parts(n_more: int, count: int) -> Iterator[int]:
    """Yield how many windows each further turn takes: whole turns of `count`, and what is left."""
    while n_more > 0:
        yield min(n_more, count)
        n_more -= count


def _windows(
    number: int, corpus: Tokenised, is_start: NDArray[np.bool_], room: int, rng: np.random.Generator
) -> Integers:
    """Return [N, 5]: corpus, document, start, cut and end of the windows of one corpus."""
    starts = corpus.sentence_starts.tolist()
    ends = corpus.document_starts.tolist()
    draws = _Draws(rng, room)
    rows = []
    for document in range(corpus.n_documents):
        sentence, last = ends[document], ends[document + 1]
        position, end = starts[sentence], starts[last]
        while position < end:
            most = position + draws.target()
            after = bisect_right(starts, most, sentence, last + 1)  # sentence starts up to `most`
            stop = starts[after - 1] if starts[after - 1] > position else min(most, end)
            cut = _cut_at(corpus, is_start, position, stop, starts[sentence + 1 : after - 1], draws.share())
            if stop - position >= _SHORTEST and position < cut < stop:
                rows.append((number, document, position, cut, stop))
            position = stop
            sentence = bisect_right(starts, position, sentence, last) - 1
    return np.array(rows, np.int64).reshape(-1, 5)


def _cut_at(
    corpus: Tokenised, is_start: NDArray[np.bool_], position: int, stop: int, inner: list[int], share: float
) -> int:
    """Return where the window from `position` to `stop` is parted: at a sentence, else in its middle half.

    `inner` are the sentence starts within; `share` in [0, 1) chooses.
    """
    inner = [start for start in inner if position < start < stop]
    if inner:
        return inner[int(share * len(inner))]
    middle = position + int((stop - position) * (0.25 + 0.5 * share))
    words = np.flatnonzero(is_start[corpus.ids[middle:stop]])
    return middle + int(words[0]) if len(words) else stop


class _Draws:
    """Random lengths and shares, drawn thousands at a time: one by one they would take most of the time."""

    _N = 4096

    def __init__(self, rng: np.random.Generator, room: int) -> None:
        self._rng = rng
        self._room = room
        self._targets: list[int] = []
        self._shares: list[float] = []

    def target(self) -> int:
        """Return how many tokens the next window may have."""
        if not self._targets:
            lengths = self._rng.integers(min(_SHORTEST_TARGET, self._room), self._room + 1, self._N)
            is_full = self._rng.random(self._N) < 0.5
            self._targets = np.where(is_full, self._room, lengths).tolist()
        return self._targets.pop()

    def share(self) -> float:
        """Return a number in [0, 1)."""
        if not self._shares:
            self._shares = self._rng.random(self._N).tolist()
        return self._shares.pop()


def _strangers(every: Windows, false: Integers, rng: np.random.Generator) -> Integers:
    """Return for each window of `false` another one of them, of another document; itself if none is found."""
    jitter = rng.random(len(false))
    order = false[np.lexsort((jitter, (every.end - every.cut)[false]))]
    partner = order.copy()
    for turn in range(1, min(_TRIES, len(order)) + 1 if len(order) > 1 else 1):
        is_own = every.document[partner] == every.document[order]
        partner = np.where(is_own, np.roll(order, turn), partner)
    partner = np.where(every.document[partner] == every.document[order], order, partner)
    by_window = dict(zip(order.tolist(), partner.tolist(), strict=True))
    return np.array([by_window[window] for window in false.tolist()], np.int64)


def _cut(order: Integers, lengths: Integers, n_tokens: int) -> list[Integers]:
    """Return `order`, rising in length, in pieces of at most `n_tokens` with padding."""
    found = []
    first = 0
    sizes = lengths[order].tolist()
    for index, size in enumerate(sizes):
        if index > first and size * (index - first + 1) > n_tokens:
            found.append(order[first:index])
            first = index
    return [*found, order[first:]] if len(order) else found
