"""The data of a pre-training: vocabulary, tokenised corpora, examples, cached in the run's folder."""

from __future__ import annotations

import hashlib
import json
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, cached_property
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple
from zipfile import BadZipFile

import numpy as np
import tokenizers
from numpy.typing import NDArray
from tokenizers import decoders, normalizers, pre_tokenizers, processors, trainers
from tokenizers.models import WordPiece

from bertviz_app.errors import Check, FileError, Message
from bertviz_app.features.training.pretraining.settings import PretrainingListener, PretrainingSettings
from bertviz_app.features.training.settings import SENTENCE_ENDS, WORK, read_documents, sentences
from bertviz_app.paths import refuse_swelling, replacing
from bertviz_app.text_tables.packages import files_in
from bertviz_app.types import Bools, Ints, Longs
from bertviz_app.values import dataclass

PAD, UNKNOWN, CLS, SEP, MASK = SPECIAL_PIECES = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")
"""The special pieces, to which `train_tokenizer` gives the ids 0 to 4."""
TOKENIZER, TOKENIZER_CONFIG, VOCABULARY = "tokenizer.json", "tokenizer_config.json", "vocab.txt"
_SMALLEST = 100
_AT_ONCE = 1_000


class SpecialIds(NamedTuple):
    """The ids of SPECIAL_PIECES."""

    pad: int
    unknown: int
    cls: int
    sep: int
    mask: int

    @classmethod
    def of(cls, backend: tokenizers.Tokenizer, name: str = TOKENIZER) -> SpecialIds:
        """Return the ids in a tokenizer that has all of SPECIAL_PIECES.

        Raises FileError, which says that it is the tokenizer of `name`, for another one.
        """
        ids = [backend.token_to_id(piece) for piece in SPECIAL_PIECES]
        missing = [piece for piece, number in zip(SPECIAL_PIECES, ids, strict=True) if number is None]
        if missing:
            message = Message("The vocabulary of {0} has no {1}.", name, ", ".join(missing))
            raise FileError(message, Message("Choose a checkpoint with a WordPiece tokenizer."))
        return cls(*(number for number in ids if number is not None))


def train_tokenizer(texts: Iterable[str], vocabulary_size: int) -> tokenizers.Tokenizer:
    """Return a WordPiece tokenizer of at most `vocabulary_size` pieces (Schuster and Nakajima 2012).

    Uncased for scripts that have cases; Hangul stays composed (NFC), which BERT's own rules take apart with
    the accents. Which of several equally common pieces comes in differs from run to run. Raises
    FileError where the texts have too few words for a vocabulary.
    """
    backend = tokenizers.Tokenizer(WordPiece(unk_token=UNKNOWN))
    cleaned = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=False, lowercase=True
    )
    backend.normalizer = normalizers.Sequence([normalizers.NFC(), cleaned])
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(
        vocab_size=vocabulary_size,
        min_frequency=2,
        limit_alphabet=max(_SMALLEST, vocabulary_size // 8),
        special_tokens=list(SPECIAL_PIECES),
        show_progress=False,
    )
    # Some at a time: a call from Rust for each would cost more than the text.
    rest = iter(texts)
    backend.train_from_iterator(iter(lambda: list(islice(rest, _AT_ONCE)), []), trainer)
    if backend.get_vocab_size() < _SMALLEST:
        message = Message("The texts give a vocabulary of {0} pieces only.", backend.get_vocab_size())
        raise FileError(message, Message("Give more text to train on."))
    backend.post_processor = processors.TemplateProcessing(
        single=f"{CLS} $A {SEP}",
        pair=f"{CLS} $A {SEP} $B:1 {SEP}:1",
        special_tokens=[(piece, backend.token_to_id(piece)) for piece in (CLS, SEP)],
    )
    return backend


def save_tokenizer(backend: tokenizers.Tokenizer, folder: Path, max_tokens: int) -> None:
    """Write tokenizer.json, vocab.txt and tokenizer_config.json into `folder`. Raises FileError."""
    vocabulary = backend.get_vocab()
    pieces = sorted(vocabulary, key=vocabulary.__getitem__)
    settings = {
        "tokenizer_class": "PreTrainedTokenizerFast",  # takes tokenizer.json as it is, in every release
        "model_max_length": max_tokens,
        "do_lower_case": True,
        "strip_accents": False,
        "pad_token": PAD,
        "unk_token": UNKNOWN,
        "cls_token": CLS,
        "sep_token": SEP,
        "mask_token": MASK,
        "model_input_names": ["input_ids", "token_type_ids", "attention_mask"],
    }
    for name, content in {
        TOKENIZER: backend.to_str(),
        VOCABULARY: "".join(f"{piece}\n" for piece in pieces),
        TOKENIZER_CONFIG: json.dumps(settings, indent=2) + "\n",
    }.items():
        with replacing(folder / name) as path:
            path.write_text(content, encoding="utf-8")


def balanced(corpora: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield documents of every corpus, of each at most twice the characters that the smallest has.

    Else the pieces of a vocabulary would nearly all go to the language that most of the text is in.
    """
    most = 2 * min(sum(map(len, documents)) for documents in corpora)
    for documents in corpora:
        left = most
        # Whole documents, evenly from first to last.
        step = max(1, sum(map(len, documents)) // max(1, most))
        for document in (one for first in range(step) for one in documents[first::step]):
            yield document[:left]
            left -= len(document)
            if left <= 0:
                break


Ids = NDArray[np.uint16] | Ints
_SENTENCES_AT_ONCE = 20_000
_SMALL = 1 << 16


@dataclass(frozen=True, eq=False)
class Tokenised:
    """The documents of one file, one after the other."""

    ids: Ids  # [n tokens], without special tokens
    sentence_starts: Longs  # [n sentences + 1], indices into `ids`, the last one its end
    document_starts: Longs  # [n documents + 1], indices into `sentence_starts`

    @property
    def n_documents(self) -> int:
        """How many documents there are."""
        return len(self.document_starts) - 1

    def part(self, documents: Longs) -> Tokenised:
        """Return some of the documents, by their numbers in rising order."""
        firsts, lasts = self.document_starts[documents], self.document_starts[documents + 1]
        sentences_of = _stretches(firsts, lasts)
        starts, ends = self.sentence_starts[sentences_of], self.sentence_starts[sentences_of + 1]
        return Tokenised(
            ids=self.ids[_stretches(starts, ends)],
            sentence_starts=_offsets(ends - starts),
            document_starts=_offsets(lasts - firsts),
        )


def tokenise(
    documents: Sequence[str], backend: tokenizers.Tokenizer, check: Check | None = None
) -> Tokenised:
    """Return `documents` as ids. `check` is called every few thousand sentences and may raise.

    Sentences of which nothing is left, and documents without any, are left out.
    """
    is_small = backend.get_vocab_size() <= _SMALL
    ids, lengths, owners = [], [], []
    rest = ((text, number) for number, document in enumerate(documents) for text in sentences(document))
    while batch := list(islice(rest, _SENTENCES_AT_ONCE)):
        if check is not None:
            check()
        texts, numbers = zip(*batch, strict=True)
        found = [encoding.ids for encoding in backend.encode_batch_fast(texts, add_special_tokens=False)]
        ids.append(np.array(list(chain.from_iterable(found)), np.int32))
        lengths.append(np.array([len(sentence) for sentence in found], np.int64))
        owners.append(np.array(numbers, np.int64))
    all_lengths = np.concatenate(lengths)
    is_there = all_lengths > 0
    counts = np.bincount(np.concatenate(owners)[is_there], minlength=1)
    every: Ints = np.concatenate(ids)
    return Tokenised(
        ids=every.astype(np.uint16) if is_small else every,
        sentence_starts=_offsets(all_lengths[is_there]),
        document_starts=_offsets(counts[counts > 0]),
    )


def save_tokenised(corpus: Tokenised, path: Path) -> None:
    """Write `corpus` to `path`, an .npz. Raises FileError."""
    with replacing(path) as beside:
        np.savez(
            beside,
            ids=corpus.ids,
            sentence_starts=corpus.sentence_starts,
            document_starts=corpus.document_starts,
        )


def load_tokenised(path: Path) -> Tokenised:
    """Return what `save_tokenised` wrote. Raises FileError for a file that is missing or damaged."""
    try:
        refuse_swelling(path)
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return Tokenised(arrays["ids"], arrays["sentence_starts"], arrays["document_starts"])
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        message = Message("{0} is not a tokenised corpus that can be read.", path.name)
        raise FileError(message, Message("Delete it: it is made again from the texts.")) from error


def _offsets(counts: Longs) -> Longs:
    """Return where stretches of `counts` begin, one after the other, and where the last one ends."""
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(counts, dtype=np.int64)])


def _stretches(firsts: Longs, lasts: Longs) -> Longs:
    """Return the numbers from each of `firsts` to before each of `lasts`, one after the other."""
    counts = lasts - firsts
    shifts = np.repeat(firsts - _offsets(counts)[:-1], counts)
    return np.arange(len(shifts)) + shifts


N_SPECIAL, N_SPECIAL_SINGLE = 3, 2
"""[CLS] and two [SEP] of every pair, [CLS] and [SEP] of a single text."""
_SHORTEST, _SHORTEST_TARGET = 4, 12
_EXPONENT = 0.5
_DRAWN = 4096

Integers = Longs


@dataclass(frozen=True, eq=False)
class Pieces:
    """What is known of the V pieces of a vocabulary."""

    is_start: Bools  # [V], begins a word
    is_end: Bools  # [V], ends a sentence: a full stop, question or exclamation mark
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
    is_next: Bools  # whether B follows A; True for a single text

    def __len__(self) -> int:
        return len(self.first)

    @property
    def lengths(self) -> Integers:
        """The tokens of each pair, special ones included: [N]."""
        return self.n_first + self.n_second + np.where(self.n_second > 0, N_SPECIAL, N_SPECIAL_SINGLE)


def windows(corpora: Sequence[Tokenised], is_start: Bools, length: int, seed: int) -> Windows:
    """Return all text of the corpora in windows that fit into `length` tokens, special ones included.

    Half of them are as long as they can be in whole sentences, half of a random length below. `is_start`
    [V]: which pieces begin a word. Windows too short to be parted are left out.
    """
    rng = np.random.default_rng([seed, 1])
    found = [
        _windows(number, corpus, is_start, length - N_SPECIAL, rng) for number, corpus in enumerate(corpora)
    ]
    return Windows(*np.ascontiguousarray(np.concatenate(found).T))  # [5, N]


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
            while n_more > 0:  # whole turns, and what is left
                chosen.append(rng.permutation(own)[:n_more])
                n_more -= len(own)
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
    n_pool = max(1, round(64 * n_tokens / mean))
    found: list[Integers] = []
    for first in range(0, len(order), n_pool):
        pool = order[first : first + n_pool]
        pool, begin = pool[np.argsort(lengths[pool], kind="stable")], 0
        for index, size in enumerate(lengths[pool].tolist()):
            if index > begin and size * (index - begin + 1) > n_tokens:
                found.append(pool[begin:index])
                begin = index
        found.append(pool[begin:])
    return [found[number] for number in rng.permutation(len(found))]


def _windows(
    number: int, corpus: Tokenised, is_start: Bools, room: int, rng: np.random.Generator
) -> Integers:
    """Return [N, 5]: corpus, document, start, cut and end of the windows of one corpus."""
    starts = corpus.sentence_starts.tolist()
    ends = corpus.document_starts.tolist()
    draws = _draws(rng, room)
    rows = []
    for document in range(corpus.n_documents):
        sentence, last = ends[document], ends[document + 1]
        position, end = starts[sentence], starts[last]
        while position < end:
            target, share = next(draws)
            most = position + target
            after = bisect_right(starts, most, sentence, last + 1)  # sentence starts up to `most`
            stop = starts[after - 1] if starts[after - 1] > position else min(most, end)
            cut = _cut_at(corpus, is_start, position, stop, starts[sentence + 1 : after - 1], share)
            if stop - position >= _SHORTEST and position < cut < stop:
                rows.append((number, document, position, cut, stop))
            position = stop
            sentence = bisect_right(starts, position, sentence, last) - 1
    return np.array(rows, np.int64).reshape(-1, 5)


def _cut_at(
    corpus: Tokenised, is_start: Bools, position: int, stop: int, inner: list[int], share: float
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


def _draws(rng: np.random.Generator, room: int) -> Iterator[tuple[int, float]]:
    """Yield how many tokens the next window may have, and a number in [0, 1) that chooses where it is cut.

    They are drawn thousands at a time: one by one they would take most of the time.
    """
    while True:
        lengths = rng.integers(min(_SHORTEST_TARGET, room), room + 1, _DRAWN)
        lengths = np.where(rng.random(_DRAWN) < 0.5, room, lengths)
        yield from zip(lengths[::-1].tolist(), rng.random(_DRAWN)[::-1].tolist(), strict=True)


def _strangers(every: Windows, false: Integers, rng: np.random.Generator) -> Integers:
    """Return for each window of `false` another one of them, of another document; itself if none is found."""
    order = false[np.lexsort((rng.random(len(false)), (every.end - every.cut)[false]))]
    partner = order.copy()
    for turn in range(1, min(8, len(order)) + 1 if len(order) > 1 else 1):
        is_own = every.document[partner] == every.document[order]
        partner = np.where(is_own, np.roll(order, turn), partner)
    partner = np.where(every.document[partner] == every.document[order], order, partner)
    by_window = dict(zip(order.tolist(), partner.tolist(), strict=True))
    return np.array([by_window[window] for window in false.tolist()], np.int64)


MADE_FROM = "vocabulary.txt"
"""Within WORK: what the vocabulary was made from: that of other texts or another size is not used."""


@dataclass(frozen=True, eq=False)
class Materials:
    """The texts as ids, and the pieces that the ids stand for."""

    corpora: tuple[Tokenised, ...]
    tokenizer: tokenizers.Tokenizer

    @property
    def n_pieces(self) -> int:
        """V, the pieces of the vocabulary."""
        return int(self.tokenizer.get_vocab_size())

    def pieces(self) -> Pieces:
        """Return what is known of the pieces of the vocabulary."""
        names = [self.tokenizer.id_to_token(number) or "" for number in range(self.n_pieces)]
        return Pieces(
            is_start=np.array([not name.startswith("##") for name in names]),
            is_end=np.array([name in SENTENCE_ENDS for name in names]),
            special=SpecialIds.of(self.tokenizer),
        )


def gather(
    files: Sequence[Path],
    out: Path,
    settings: PretrainingSettings,
    listener: PretrainingListener,
    *,
    has_tokenizer: bool = False,
) -> Materials:
    """Return the vocabulary and the tokens of `files`, from the folder `out` where they are cached.

    With `has_tokenizer` the tokenizer in the folder is that of the run, whatever it was made from. Raises
    FileError for a file that cannot be read.
    """
    work = out / WORK
    work.mkdir(parents=True, exist_ok=True)

    @cache
    def documents(path: Path) -> list[str]:
        listener.check()
        return read_documents(path, settings.column, listener.on_notice)

    made_from, is_there = work / MADE_FROM, (out / TOKENIZER).exists()
    if is_there:
        tokenizer = tokenizers.Tokenizer.from_file(str(out / TOKENIZER))
        tokenizer.no_truncation()  # as the file of another program may demand
        tokenizer.no_padding()
        if not has_tokenizer:  # a run that ended before its first step may have made it
            now = _made_from(files, settings, tokenizer)
            is_there = made_from.exists() and made_from.read_text("utf-8") == now
    if not is_there:
        listener.on_stage("vocabulary")
        tokenizer = train_tokenizer(balanced(list(map(documents, files))), settings.vocabulary_size)
        save_tokenizer(tokenizer, out, settings.n_positions)
        with replacing(made_from) as path:
            path.write_text(_made_from(files, settings, tokenizer), encoding="utf-8")
    corpora = []
    for path in files:
        cached = work / f"{_mark(path, tokenizer, settings.column)}.npz"
        if not cached.exists():
            listener.on_stage("tokens")
            save_tokenised(tokenise(documents(path), tokenizer, listener.check), cached)
        corpora.append(load_tokenised(cached))
        if not len(corpora[-1].ids):
            raise FileError(
                Message("{0} has no words in it.", path.name),
                Message("Give a file with sentences to train on."),
            )
    return Materials(tuple(corpora), tokenizer)


def _made_from(files: Sequence[Path], settings: PretrainingSettings, tokenizer: tokenizers.Tokenizer) -> str:
    marks = (_mark(path, tokenizer, settings.column) for path in files)
    return "\n".join([str(settings.vocabulary_size), *marks])


def _mark(path: Path, tokenizer: tokenizers.Tokenizer, column: str) -> str:
    """Return a name that changes with the text and with the vocabulary."""
    try:
        every = [file.stat() for file in files_in(path)]
    except OSError as error:
        message = Message("{0} could not be read: {1}.", path, error.strerror or error)
        raise FileError(message, Message("Check the path and the file.")) from error
    facts = [f"{one.st_size}\n{one.st_mtime_ns}" for one in every]
    marks = [str(path.resolve()), *facts, *([column] if column else []), tokenizer.to_str()]
    return hashlib.sha256("\n".join(marks).encode()).hexdigest()[:16]
