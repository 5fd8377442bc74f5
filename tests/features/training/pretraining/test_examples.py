"""Examples of a pre-training: the vocabulary, tokenised texts, and what is masked."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from bertviz_app.errors import FileError
from bertviz_app.features.training.pretraining.network import NO_PAIR, mask
from bertviz_app.features.training.pretraining.run import batch_of
from bertviz_app.features.training.pretraining.vocabulary import (
    N_SPECIAL,
    SPECIAL_PIECES,
    Pairs,
    Pieces,
    SpecialIds,
    Tokenised,
    Windows,
    balanced,
    batches,
    gather,
    load_tokenised,
    pairs,
    repeated,
    save_tokenised,
    save_tokenizer,
    tokenise,
    train_tokenizer,
    windows,
)
from bertviz_app.features.training.settings import sentences
from bertviz_app.text import Tokenizer
from tests.support.training_texts import TINY, Follower, english, korean, random_corpus, write_texts

N_PIECES = 400
SPECIAL = SpecialIds(pad=0, unknown=1, cls=2, sep=3, mask=4)
IS_START = np.arange(N_PIECES) % 3 > 0  # every third piece goes on with a word
PIECES = Pieces(IS_START, np.arange(N_PIECES) == 7, SPECIAL)


CORPORA = (
    random_corpus(40, 30, N_PIECES, 1),
    random_corpus(300, 3, N_PIECES, 2),
    random_corpus(1, 200, N_PIECES, 3, longest=90),
)


@pytest.fixture(scope="module")
def every() -> Windows:
    return windows(CORPORA, IS_START, 48, seed=0)


def test_windows_do_not_overlap_and_leave_little_out(every: Windows) -> None:
    for number, corpus in enumerate(CORPORA):
        own = every.taken(np.flatnonzero(every.corpus == number))
        order = np.argsort(own.start)
        assert (own.end[order][:-1] <= own.start[order][1:]).all()
        assert (own.end - own.start).sum() > 0.9 * len(corpus.ids)


def test_windows_fit_and_stay_in_one_document(every: Windows) -> None:
    assert (every.end - every.start).max() <= 48 - N_SPECIAL
    for number, corpus in enumerate(CORPORA):
        own = every.taken(np.flatnonzero(every.corpus == number))
        ends = corpus.sentence_starts[corpus.document_starts]
        assert (ends[own.document] <= own.start).all()
        assert (own.end <= ends[own.document + 1]).all()


def test_both_segments_have_tokens_and_are_parted_at_a_sentence_or_a_word(every: Windows) -> None:
    assert (every.start < every.cut).all()
    assert (every.cut < every.end).all()
    for number, corpus in enumerate(CORPORA):
        own = every.taken(np.flatnonzero(every.corpus == number))
        at_sentence = np.isin(own.cut, corpus.sentence_starts)
        at_word = IS_START[corpus.ids[own.cut]]
        assert (at_sentence | at_word).all()
        n_starts = np.isin(np.arange(len(corpus.ids) + 1), corpus.sentence_starts).cumsum()
        has_sentence_within = n_starts[own.end - 1] > n_starts[own.start]
        assert at_sentence[has_sentence_within].all()


def test_half_of_the_windows_are_full(every: Windows) -> None:
    # Of the corpus with short sentences: within one sentence of the room.
    own = (every.end - every.start)[every.corpus == 0]
    assert 0.4 < (own > 48 - N_SPECIAL - 14).mean() < 0.75


def test_small_corpora_come_more_often_by_the_root_of_their_share(every: Windows) -> None:
    more = repeated(every, seed=0)
    sizes = np.bincount(every.corpus, every.end - every.start)
    found = np.bincount(more.corpus, more.end - more.start)
    expected = (sizes / sizes.sum()) ** 0.5
    assert np.allclose(found / found.sum(), expected / expected.sum(), atol=0.01)
    assert found[sizes.argmax()] == sizes.max()
    assert np.bincount(more.corpus)[1] > np.bincount(every.corpus)[1]


def test_half_of_the_pairs_follow_and_the_others_are_of_another_document(every: Windows) -> None:
    two = every.taken(np.flatnonzero(every.corpus < 2))
    found = pairs(two, 48, seed=0)
    assert abs(found.is_next.mean() - 0.5) < 0.01
    follows = found.first + found.n_first == found.second
    assert (follows[found.is_next & (found.lengths < 48)]).all()
    for number in (0, 1):
        false = (found.corpus == number) & ~found.is_next
        corpus = CORPORA[number]
        ends = corpus.sentence_starts[corpus.document_starts]
        owner = np.searchsorted(ends, found.second[false], side="right") - 1
        assert (owner != two.document[false]).all()
        assert (found.second[false] + found.n_second[false] <= ends[owner + 1]).all()


def test_false_segments_are_as_long_as_true_ones(every: Windows) -> None:
    found = pairs(every.taken(np.flatnonzero(every.corpus < 2)), 48, seed=0)
    true, false = (found.n_second[found.is_next == side].mean() for side in (True, False))
    assert abs(true - false) < 0.8
    assert found.lengths.max() <= 48
    assert found.n_first.min() > 0
    assert found.n_second.min() > 0


def test_of_a_single_document_every_second_segment_follows(every: Windows) -> None:
    found = pairs(every.taken(np.flatnonzero(every.corpus == 2)), 48, seed=0)
    assert found.is_next.all()


def test_too_long_a_pair_loses_ends_of_the_longer_segment() -> None:
    starts, cuts, ends = (
        np.array([0, 100, 200, 300]),
        np.array([20, 110, 210, 310]),
        np.array([29, 129, 219, 319]),
    )
    four = Windows(np.zeros(4, np.int64), np.arange(4), starts, cuts, ends)
    seeds = (pairs(four, 32, seed) for seed in range(40))
    # The first two change their second segments: B of 19 after A of 20.
    crossed = next(found for found in seeds if not found.is_next[:2].any())
    assert crossed.lengths[0] == 32
    assert crossed.n_first[0] >= 13
    assert crossed.n_second[0] >= 9
    assert (crossed.n_first[1], crossed.n_second[1]) == (10, 9)


def test_batches_hold_every_pair_once_and_fit(every: Windows) -> None:
    found = pairs(every, 48, seed=0)
    cut = batches(found.lengths, 256, seed=0)
    assert sorted(np.concatenate(cut).tolist()) == list(range(len(found)))
    sizes = [found.lengths[chosen].max() * len(chosen) for chosen in cut]
    assert max(sizes) <= 256
    assert found.lengths.sum() / sum(sizes) > 0.9  # little padding
    assert batches(found.lengths, 256, seed=0)[0].tolist() == cut[0].tolist()
    assert batches(found.lengths, 256, seed=1)[0].tolist() != cut[0].tolist()


def test_a_batch_has_the_pairs_as_bert_is_given_them(every: Windows) -> None:
    found: Pairs = pairs(every, 48, seed=0)
    chosen = np.array([3, 50, 400])
    batch = batch_of(CORPORA, found, chosen, PIECES, [0])
    ids = batch.ids.clone().flatten()
    ids[batch.masked_positions] = batch.answers
    for row, number in enumerate(chosen):
        source = CORPORA[found.corpus[number]].ids
        first = source[found.first[number] :][: found.n_first[number]].tolist()
        second = source[found.second[number] :][: found.n_second[number]].tolist()
        expected = [SPECIAL.cls, *first, SPECIAL.sep, *second, SPECIAL.sep]
        n = len(expected)
        assert ids.view(batch.ids.shape)[row, :n].tolist() == expected
        assert batch.segment_ids[row, :n].tolist() == [0] * (len(first) + 2) + [1] * (len(second) + 1)
        assert batch.seen[row].sum() == n
        assert batch.seen[row, :n].all()
    assert batch.not_next.tolist() == (~found.is_next[chosen]).astype(int).tolist()


def test_a_share_of_the_examples_are_single_texts(every: Windows) -> None:
    two = every.taken(np.flatnonzero(every.corpus < 2))
    found = pairs(two, 48, seed=0, single_share=0.25)
    is_single = found.n_second == 0
    assert is_single.mean() == pytest.approx(0.25, abs=0.01)
    assert found.is_next[~is_single].mean() == pytest.approx(0.5, abs=0.01)
    assert (found.n_first[is_single] == (two.end - two.start)[is_single]).all()
    chosen = np.flatnonzero(is_single)[:2]
    batch = batch_of(CORPORA, found, chosen, PIECES, [0])
    ids = batch.ids.clone().flatten()
    ids[batch.masked_positions] = batch.answers
    for row, number in enumerate(chosen):
        source = CORPORA[found.corpus[number]].ids
        text = source[found.first[number] :][: found.n_first[number]].tolist()
        assert ids.view(batch.ids.shape)[row, : len(text) + 2].tolist() == [SPECIAL.cls, *text, SPECIAL.sep]
        assert batch.seen[row].sum() == len(text) + 2 == found.lengths[number]
    assert not batch.segment_ids.any()
    assert batch.not_next.tolist() == [NO_PAIR, NO_PAIR]
    assert batch.n_pairs == 0


def test_segments_without_their_last_sign_end_with_a_word(every: Windows) -> None:
    found = pairs(every, 48, seed=0)
    last = [
        CORPORA[corpus].ids[first + n - 1]
        for corpus, first, n in zip(found.corpus, found.first, found.n_first, strict=True)
    ]
    chosen = np.flatnonzero(np.isin(last, np.arange(50)) & (found.n_first > 1))[:6]
    pieces = Pieces(IS_START, np.arange(N_PIECES) < 50, SPECIAL)
    whole = batch_of(CORPORA, found, chosen, pieces, [0])
    cut = batch_of(CORPORA, found, chosen, pieces, [0], open_share=1.0)
    ids = cut.ids.clone().flatten()
    ids[cut.masked_positions] = cut.answers
    for row, number in enumerate(chosen):
        n_first = found.n_first[number]
        text = CORPORA[found.corpus[number]].ids[found.first[number] :][: n_first - 1].tolist()
        assert ids.view(cut.ids.shape)[row, : n_first + 1].tolist() == [SPECIAL.cls, *text, SPECIAL.sep]
    assert len(chosen) == 6
    assert cut.n_tokens < whole.n_tokens
    half = [batch_of(CORPORA, found, chosen, pieces, [seed], open_share=0.5).n_tokens for seed in range(30)]
    assert cut.n_tokens < np.mean(half) < whole.n_tokens


N_WORDS, MASK_ID, FIRST = 2_000, 4, 5
ORDINARY = np.arange(FIRST, N_WORDS)


def _texts(n_rows: int, n_tokens: int) -> tuple[np.ndarray, np.ndarray]:
    ids = np.random.default_rng(0).integers(FIRST, N_WORDS, (n_rows, n_tokens))
    ids[:, 0], ids[:, -1] = 2, 3
    ids[: n_rows // 2, -5:] = 0  # padding
    return ids, np.isin(ids, (0, 2, 3))


def test_the_shares_are_those_of_the_paper() -> None:
    ids, is_special = _texts(500, 102)
    masked = mask(ids, is_special, MASK_ID, ORDINARY, [1])
    seen = masked.ids.reshape(-1)[masked.positions]
    n_free = (~is_special).sum(axis=1)
    assert len(masked.positions) == np.round(0.15 * n_free).sum()
    is_masked, is_kept = seen == MASK_ID, seen == masked.answers
    # 3.5 standard deviations of a share of 7,300
    assert abs(is_masked.mean() - 0.8) < 0.017
    assert abs(is_kept.mean() - 0.1) < 0.013
    assert abs((~is_masked & ~is_kept).mean() - 0.1) < 0.013
    random = seen[~is_masked & ~is_kept]
    assert random.min() >= FIRST
    assert len(np.unique(random)) > 400  # drawn from all pieces


def test_special_tokens_are_never_chosen_and_the_rest_is_as_it_was() -> None:
    ids, is_special = _texts(50, 40)
    masked = mask(ids, is_special, MASK_ID, ORDINARY, [2])
    assert not is_special.reshape(-1)[masked.positions].any()
    assert np.array_equal(masked.answers, ids.reshape(-1)[masked.positions])
    untouched = np.ones(ids.size, bool)
    untouched[masked.positions] = False
    assert np.array_equal(masked.ids.reshape(-1)[untouched], ids.reshape(-1)[untouched])


def test_a_short_text_has_one_token_to_guess() -> None:
    ids = np.array([[2, 9, 3, 0], [2, 9, 8, 3]])
    masked = mask(ids, np.isin(ids, (0, 2, 3)), MASK_ID, ORDINARY, [3])
    assert len(masked.positions) == 2
    assert masked.positions[0] == 1


def test_places_differ_from_seed_to_seed_and_are_the_same_for_one() -> None:
    ids, is_special = _texts(20, 40)
    first, again, other = (mask(ids, is_special, MASK_ID, ORDINARY, [s]) for s in (1, 1, 2))
    assert np.array_equal(first.ids, again.ids)
    assert not np.array_equal(first.positions, other.positions)


def test_every_place_is_chosen_equally_often() -> None:
    ids = np.full((20_000, 10), 9)
    masked = mask(ids, np.zeros_like(ids, bool), MASK_ID, ORDINARY, [4])
    counts = np.bincount(masked.positions % 10, minlength=10) / 20_000  # 2 of 10 each: round(1.5) is even
    assert np.abs(counts - 0.2).max() < 0.012


DOCUMENTS = [*english(6).split("\n\n"), "\u200b", *korean(5).split("\n")]
BACKEND = train_tokenizer(DOCUMENTS, 300)


def _documents(corpus: Tokenised) -> list[list[list[int]]]:
    starts = corpus.sentence_starts
    found = [corpus.ids[a:b].tolist() for a, b in pairwise(starts)]
    owners = corpus.document_starts
    return [found[a:b] for a, b in pairwise(owners)]


def test_every_sentence_has_its_ids_and_empty_documents_are_gone() -> None:
    expected = [
        [BACKEND.encode(sentence, add_special_tokens=False).ids for sentence in sentences(document)]
        for document in DOCUMENTS
        if document != "\u200b"
    ]
    found = tokenise(DOCUMENTS, BACKEND)
    assert _documents(found) == expected
    assert found.ids.dtype == np.uint16


def test_it_is_kept_and_read_again(tmp_path: Path) -> None:
    whole = tokenise(DOCUMENTS, BACKEND)
    save_tokenised(whole, tmp_path / "a.npz")
    assert _documents(load_tokenised(tmp_path / "a.npz")) == _documents(whole)


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04 half of one"])
def test_a_damaged_file_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.npz").write_bytes(content)
    with pytest.raises(FileError, match=r"a\.npz"):
        load_tokenised(tmp_path / "a.npz")


def _stages(files: list[Path], out: Path, size: int = 300, *, has_tokenizer: bool = False) -> list[str]:
    """Return the stages of gathering what a run learns from, whose vocabulary has at most `size` pieces."""
    follower = Follower()
    settings = replace(TINY, vocabulary_size=size)
    found = gather(files, out, settings, follower, has_tokenizer=has_tokenizer)
    if "vocabulary" in follower.stages:
        assert found.n_pieces <= size
    return follower.stages


def test_what_the_same_texts_gave_is_used_again(tmp_path: Path) -> None:
    texts = write_texts(tmp_path)
    assert _stages(texts, tmp_path / "out") == ["vocabulary", "tokens", "tokens"]
    assert _stages(texts, tmp_path / "out") == []


def test_a_vocabulary_of_another_size_or_of_other_texts_is_made_anew(tmp_path: Path) -> None:
    texts = write_texts(tmp_path)
    _stages(texts, tmp_path / "out")
    assert _stages(texts, tmp_path / "out", 200)[0] == "vocabulary"
    assert _stages(texts[:1], tmp_path / "out", 200)[0] == "vocabulary"
    texts[0].write_text(texts[0].read_text("utf-8") * 2, "utf-8")
    assert _stages(texts[:1], tmp_path / "out", 200)[0] == "vocabulary"


def test_the_tokenizer_of_the_run_is_used_whatever_it_was_made_from(tmp_path: Path) -> None:
    texts = write_texts(tmp_path)
    _stages(texts, tmp_path / "out")
    assert _stages(texts[:1], tmp_path / "out", 200, has_tokenizer=True) == []


def test_the_special_pieces_come_first_and_case_is_gone() -> None:
    backend = train_tokenizer([english(), korean()], 300)
    assert [backend.id_to_token(number) for number in range(5)] == list(SPECIAL_PIECES)
    assert backend.get_vocab_size() <= 300
    assert backend.encode("The CAT ate").tokens == backend.encode("the cat ate").tokens


def test_hangul_stays_composed_however_it_is_typed() -> None:
    backend = train_tokenizer([english(), korean()], 300)
    whole, apart = backend.encode("영화가"), backend.encode("\u110b\u1167\u11bc\u1112\u116a\u1100\u1161")
    assert whole.tokens == apart.tokens == ["[CLS]", "영화가", "[SEP]"]


def test_transformers_reads_the_same_tokens(tmp_path: Path) -> None:
    from transformers import AutoTokenizer

    save_tokenizer(train_tokenizer([english(), korean()], 300), tmp_path, 48)
    (tmp_path / "config.json").write_text('{"model_type": "bert"}', encoding="utf-8")
    theirs = AutoTokenizer.from_pretrained(tmp_path)
    ours = Tokenizer.from_json(tmp_path / "tokenizer.json", 48)
    for pair in (("The cat sold Bread!", None), ("영화가 Good", "음악은 \u1112\u1161\u11ab")):
        tokens = ours.encode(*pair)
        found = theirs(*(text for text in pair if text is not None))
        assert found["input_ids"] == tokens.ids.tolist()
        assert found["token_type_ids"] == tokens.segment_ids.tolist()
    assert theirs.mask_token == "[MASK]"
    assert len((tmp_path / "vocab.txt").read_text("utf-8").splitlines()) == len(theirs)


def test_too_little_text_is_refused() -> None:
    with pytest.raises(FileError, match="pieces only"):
        train_tokenizer(["one two"], 300)


def test_no_corpus_gives_more_than_twice_the_smallest() -> None:
    large, small = ["a" * 10] * 100, ["b" * 10] * 3
    found = "".join(balanced([large, small]))
    assert found.count("a") == 60
    assert found.count("b") == 30
