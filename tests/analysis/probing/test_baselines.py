"""Null baselines of the head measures: equal weights in closed form, and words in random order."""

from __future__ import annotations

import numpy as np
import pytest

from bertviz_app.analysis.measures import KEYS
from bertviz_app.analysis.probing.baselines import in_random_order
from bertviz_app.analysis.results import HeadScalars
from bertviz_app.api import head_measures, open_model

TEXT = "The cat sat on the mat."


def test_the_baselines_of_the_bundled_model() -> None:
    model = open_model()
    trace = model.trace(TEXT)
    found = model.analyse("head-baselines", trace, orders=2)
    assert isinstance(found, HeadScalars)
    n_tokens = trace.n_tokens
    for key, values in head_measures(trace).items():
        np.testing.assert_array_equal(found.of(key), values)
    assert found.of("entropy_uniform")[0, 0] == pytest.approx(np.log2(n_tokens), rel=1e-5)
    assert found.of("entropy_bound")[0, 0] == pytest.approx(np.log2(n_tokens), rel=1e-6)
    assert found.of("previous_uniform")[0, 0] == pytest.approx(1 / n_tokens, rel=1e-5)
    assert found.of("largest_uniform")[0, 0] == pytest.approx(1 / n_tokens, rel=1e-5)
    distances = np.abs(np.subtract.outer(np.arange(n_tokens), np.arange(n_tokens)))
    assert found.of("distance_uniform")[0, 0] == pytest.approx(distances.mean(), rel=1e-5)
    assert found.of("distance_bound")[0, 0] == pytest.approx(distances.max(1).mean(), rel=1e-5)
    for key in KEYS:
        assert (found.of(key) <= found.of(f"{key}_bound") + 1e-5).all()
        assert (found.of(f"{key}_shuffled") <= found.of(f"{key}_bound") + 1e-5).all()
    again = model.analyse("head-baselines", trace, orders=2)
    assert isinstance(again, HeadScalars)
    np.testing.assert_array_equal(found.values, again.values)


def test_the_order_is_another_and_special_tokens_stay() -> None:
    tokens = open_model().trace(TEXT).tokens
    shuffled = in_random_order(tokens, np.random.default_rng(1))
    assert sorted(shuffled.ids.tolist()) == sorted(tokens.ids.tolist())
    assert shuffled.pieces != tokens.pieces
    assert shuffled.pieces[0] == tokens.pieces[0]
    assert shuffled.pieces[-1] == tokens.pieces[-1]


def test_of_a_pair_no_token_leaves_its_sentence() -> None:
    tokens = open_model().trace("the cat sat on the mat", "a dog ate the fish").tokens
    shuffled = in_random_order(tokens, np.random.default_rng(1))
    for sentence in (0, 1):
        own = tokens.sentences == sentence
        assert sorted(shuffled.ids[own].tolist()) == sorted(tokens.ids[own].tolist())


def test_the_measures_of_a_shuffled_text_are_those_of_its_trace() -> None:
    model = open_model()
    trace = model.trace("cat dog")  # of two words there are two orders
    found = model.analyse("head-baselines", trace, orders=1, seed=1)
    assert isinstance(found, HeadScalars)
    order = in_random_order(trace.tokens, np.random.default_rng(1)).pieces
    text = " ".join(order[1:-1])
    expected = head_measures(model.trace(text))["entropy"]
    np.testing.assert_allclose(found.of("entropy_shuffled"), expected, atol=1e-4)
