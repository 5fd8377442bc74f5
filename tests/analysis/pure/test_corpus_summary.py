"""Distributions and names over a corpus, against counts made one by one."""

from __future__ import annotations

import numpy as np
import pytest

from bertviz_app.analysis.measures import BROAD_SHARE, KEYS, MeasureKey, names_of
from bertviz_app.analysis.pure.corpus_summary import (
    LEAST_EVIDENCE,
    N_BINS,
    CorpusSummary,
    SummaryBuilder,
    heads_in_order,
)
from bertviz_app.types import Floats

N_SENTENCES, SHAPE = 300, (2, 3)


def made_up() -> tuple[np.ndarray, Floats]:
    """Return the numbers of tokens of sentences, and measures of heads that look at one place more often.

    Three of four sentences have enough tokens whose word is there again, see `n_word_of`.
    """
    source = np.random.default_rng(1)
    n_tokens = source.integers(3, 40, N_SENTENCES)
    values = source.random((N_SENTENCES, *SHAPE, len(KEYS)), np.float32) * 0.4
    entropy, distance, previous, word = (
        KEYS.index(key) for key in ("entropy", "distance", "previous", "word")
    )
    values[..., entropy] = source.random((N_SENTENCES, *SHAPE)) * 2
    values[..., distance] = source.random((N_SENTENCES, *SHAPE)) * 70
    values[:, 0, 1, previous] = source.random(N_SENTENCES) * 0.8 + 0.2  # three quarters of them from 0.5 on
    values[:, 1, 0, word] = source.random(N_SENTENCES) * 0.6 + 0.4
    values[:200, 1, 1, entropy] = np.log2(BROAD_SHARE * n_tokens[:200]) + 0.01
    return n_tokens, values


def n_word_of(n_tokens: np.ndarray) -> np.ndarray:
    """Return how many tokens of each sentence have their word elsewhere: 3 are too few for a name."""
    return np.where(np.arange(len(n_tokens)) % 4 == 0, 3, 4 + n_tokens % 5)


def summary_of(n_tokens: np.ndarray, values: Floats, block: int) -> CorpusSummary:
    builder = SummaryBuilder(KEYS, SHAPE)
    for first in range(0, len(values), block):
        part = slice(first, first + block)
        builder.add(n_tokens[part], values[part], n_word_of(n_tokens)[part])
    return builder.summary()


@pytest.mark.parametrize("block", [1, 7, N_SENTENCES])
def test_bars_and_means_are_those_of_all_sentences(block: int) -> None:
    n_tokens, values = made_up()
    summary = summary_of(n_tokens, values, block)
    np.testing.assert_allclose(summary.means, values.mean(0, np.float64).transpose(2, 0, 1), rtol=1e-6)
    for measure, highest in enumerate(summary.highest):
        assert highest in (1, 8, 128)
        edges = np.linspace(0, highest, N_BINS + 1)
        for head in np.ndindex(SHAPE):
            expected, _ = np.histogram(values[(slice(None), *head, measure)], edges)
            np.testing.assert_array_equal(summary.bars[(measure, *head)], expected)
    assert summary.highest[KEYS.index("distance")] == 128
    assert summary.highest[KEYS.index("first")] == 1


def test_a_weight_of_one_is_in_the_last_bar() -> None:
    values = np.ones((4, *SHAPE, len(KEYS)), np.float32)
    summary = summary_of(np.full(4, 9), values, 2)
    assert summary.bars[KEYS.index("first"), 0, 0, -1] == 4
    low, high = summary.range_of(KEYS.index("first"), N_BINS - 1)
    assert low < 1 < high


def test_names_have_the_share_of_the_sentences_that_give_them() -> None:
    n_tokens, values = made_up()
    summary = summary_of(n_tokens, values, 11)
    votes: dict[tuple[int, int], dict[str, int]] = {}
    is_long = np.flatnonzero(n_tokens > 4)
    for sentence in is_long.tolist():
        measures: dict[str, Floats] = {key: values[sentence, ..., at] for at, key in enumerate(KEYS)}
        n_queries: dict[MeasureKey, int] = dict.fromkeys(KEYS, int(n_tokens[sentence]))
        n_queries["word"] = int(n_word_of(n_tokens)[sentence])
        for head, name in names_of(measures, n_queries).items():
            votes.setdefault(head, {}).setdefault(name.rule.key, 0)
            votes[head][name.rule.key] += 1
    assert summary.n_named == len(is_long)
    expected = {}
    for head, found in votes.items():
        key = max(found, key=lambda each: found[each])
        if found[key] / len(is_long) >= LEAST_EVIDENCE:
            expected[head] = key, found[key] / len(is_long)
    assert {head: (name.rule.key, name.share) for head, name in summary.names.items()} == expected
    assert expected[0, 1][0] == "previous"
    assert expected[1, 1][0] == "broad"
    assert (0, 0) not in expected
    assert expected[1, 0][0] == "word"


def test_no_head_is_called_by_the_same_word_where_too_few_tokens_count() -> None:
    n_tokens, values = made_up()
    for n_word in (None, np.full(N_SENTENCES, 3)):
        builder = SummaryBuilder(KEYS, SHAPE)
        builder.add(n_tokens, values, n_word)
        assert (1, 0) not in builder.summary().names


def test_a_table_of_some_measures_names_by_these() -> None:
    n_tokens, values = made_up()
    at = KEYS.index("previous")
    builder = SummaryBuilder(("previous",), SHAPE)
    builder.add(n_tokens, values[..., at : at + 1])
    names = builder.summary().names
    assert {head: name.rule.key for head, name in names.items()} == {(0, 1): "previous"}


def test_heads_are_in_the_order_of_their_means() -> None:
    n_tokens, values = made_up()
    summary = summary_of(n_tokens, values, 50)
    assert heads_in_order(summary, None) == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert heads_in_order(summary, KEYS.index("previous"))[0] == (0, 1)
