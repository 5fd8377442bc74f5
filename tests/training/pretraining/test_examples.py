"""Windows hold the text once, pairs are half true and half false, batches lose nothing."""

from __future__ import annotations

import numpy as np
import pytest

from bertviz_app.training.pretraining.network import NO_PAIR
from bertviz_app.training.pretraining.run import batch_of
from bertviz_app.training.pretraining.vocabulary import (
    N_SPECIAL,
    Pairs,
    Pieces,
    SpecialIds,
    Windows,
    batches,
    pairs,
    repeated,
    windows,
)
from tests.support.corpora import random_corpus

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


def test_a_segment_of_one_sign_stays() -> None:
    corpus = random_corpus(2, 2, N_PIECES, 1)
    one = np.array([1])
    zero = np.array([0])
    single = Pairs(zero, zero, one, zero, zero, np.array([True]))
    pieces = Pieces(IS_START, np.ones(N_PIECES, bool), SPECIAL)
    assert batch_of([corpus], single, zero, pieces, [0], open_share=1.0).n_tokens == 3
