"""Corrected p-values, sign flips, and heads beside chance, against SciPy and by all permutations."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from bertviz_app import analyse, from_arrays
from bertviz_app.analysis.measures import head_measures
from bertviz_app.analysis.results import HeadScalars
from bertviz_app.api import benjamini_hochberg, open_model, sign_flip_p
from bertviz_app.errors import AnalysisError, ArgumentError
from bertviz_app.features.methods.significance import (
    MAX_TOKENS,
    MEASURES_TESTED,
    head_significance,
)
from bertviz_app.types import Bools, Doubles
from tests.support.factories import make_trace
from tests.support.families import write_family


def _found(found: object) -> HeadScalars:
    assert isinstance(found, HeadScalars)
    return found


def test_corrected_p_values_are_scipys() -> None:
    generator = np.random.default_rng(0)
    for shape in ((1,), (7,), (6, 12)):
        p = generator.random(shape).round(2) ** 2  # with ties
        np.testing.assert_allclose(
            benjamini_hochberg(p), stats.false_discovery_control(p.ravel()).reshape(shape), atol=1e-15
        )
    with_gap = np.array([0.01, np.nan, 0.04])
    np.testing.assert_allclose(benjamini_hochberg(with_gap), [0.02, np.nan, 0.04])
    assert benjamini_hochberg([]).shape == (0,)


def test_corrected_p_values_by_hand() -> None:
    """Four of 0.01, 0.02, 0.03, 0.5: 4 * 0.01, 4 * 0.02 / 2, 4 * 0.03 / 3 are 0.04; the last is 0.5."""
    np.testing.assert_allclose(benjamini_hochberg([0.5, 0.03, 0.01, 0.02]), [0.5, 0.04, 0.04, 0.04])


@pytest.mark.parametrize("wrong", [[-0.1], [0.2, 1.5]])
def test_what_is_no_p_value_is_refused(wrong: list[float]) -> None:
    with pytest.raises(ArgumentError, match="from 0 to 1"):
        benjamini_hochberg(wrong)


def _scipy_p(differences: Doubles, n: float = np.inf) -> float:
    return float(
        stats.permutation_test(
            (differences,),
            np.mean,
            permutation_type="samples",
            n_resamples=n,
            vectorized=False,
            rng=np.random.default_rng(7),
        ).pvalue
    )


def test_few_texts_are_tested_exactly_and_as_scipy_does() -> None:
    generator = np.random.default_rng(1)
    differences = generator.normal(0.4, 1, (10, 5))
    differences[:, 4] = 0.25  # all alike: only the two extremes are as large
    found = sign_flip_p(differences)
    expected = [_scipy_p(differences[:, column]) for column in range(5)]
    np.testing.assert_allclose(found, expected, atol=1e-12)
    assert found[4] == 2 / 2**10


def test_many_texts_are_sampled_the_same_for_the_same_seed() -> None:
    differences = np.random.default_rng(2).normal(0.25, 1, (40, 3, 2))
    found = sign_flip_p(differences, n=4999)
    assert found.shape == (3, 2)
    np.testing.assert_array_equal(found, sign_flip_p(differences, n=4999))
    assert (found != sign_flip_p(differences, n=4999, seed=1)).any()
    for at in np.ndindex(3, 2):
        assert found[at] == pytest.approx(_scipy_p(differences[:, *at], 4999), abs=0.03)
    assert sign_flip_p(np.full(64, 0.1), n=999) == 1 / 1000, "none of 999, and itself"
    assert sign_flip_p(np.zeros(64), n=99) == 1, "every mean is as large as 0"


@pytest.mark.parametrize("wrong", [np.zeros((0, 2)), np.array([1.0, np.nan]), np.float64(1.0)])
def test_differences_that_cannot_be_tested_are_refused(wrong: Doubles) -> None:
    with pytest.raises(ArgumentError, match="finite differences"):
        sign_flip_p(wrong)
    with pytest.raises(ArgumentError, match="n of 1 or more"):
        sign_flip_p([1.0], n=0)


def _weights(n_tokens: int, seed: int = 0) -> Doubles:
    """Return [1, 3, T, T]: one head on the previous token, one with equal weights, one at random."""
    previous = np.eye(n_tokens, k=-1)
    previous[0, 0] = 1
    logits = np.random.default_rng(seed).normal(size=(n_tokens, n_tokens))
    rest = np.exp(logits) / np.exp(logits).sum(-1, keepdims=True)
    return np.stack([previous, np.full((n_tokens, n_tokens), 1 / n_tokens), rest])[None]


def test_chance_is_all_orders_of_the_keys() -> None:
    weights = _weights(5)
    tokens = ["[CLS]", "a", "cat", "sat", "[SEP]"]
    trace = from_arrays(weights.astype(np.float32), tokens)
    n = 20000
    found = _found(analyse("head-significance", trace, orders=n, measure="previous"))
    for head in range(3):
        matrix = trace.attention(0, head).astype(np.float64)
        sums = [
            sum(matrix[query, order[query - 1]] for query in range(1, 5))
            for order in itertools.permutations(range(5))
        ]
        own = sum(matrix[query, query - 1] for query in range(1, 5))
        exact = np.mean([one >= own - 1e-9 for one in sums])
        sd = np.sqrt(max(exact * (1 - exact), 1e-6) / n)
        assert found.of("p")[0, head] == pytest.approx(exact, abs=5 * sd + 2 / n)
        assert found.of("weight")[0, head] == pytest.approx(own / 4, abs=1e-6)
        assert found.of("by chance")[0, head] == pytest.approx(np.mean(sums) / 4, abs=0.02)
    assert found.of("p")[0, 1] == 1, "equal weights are the same in every order"
    np.testing.assert_allclose(found.of("q"), benjamini_hochberg(found.of("p")), atol=1e-6)


def test_chance_of_a_key_is_each_querys_own_order() -> None:
    """A head that puts 1 on one key gets it at the first with probability 1 / T in each row."""
    n_tokens = 4
    on_first = np.zeros((n_tokens, n_tokens))
    on_first[:, 0] = 1
    both = np.stack([on_first, np.full_like(on_first, 1 / n_tokens)])  # the second is not causal
    trace = from_arrays(both[None].astype(np.float32), list("abcd"))
    found = _found(analyse("head-significance", trace, measure="first", orders=50000))
    assert found.of("p")[0, 0] == pytest.approx(4.0**-4, rel=0.2), "all four rows at once"
    assert found.of("by chance")[0, 0] == pytest.approx(0.25, abs=0.01)
    alone = from_arrays(on_first[None, None].astype(np.float32), list("abcd"))
    found = _found(analyse("head-significance", alone, measure="first", orders=50000))
    assert found.of("p")[0, 0] == pytest.approx(1 / 24, rel=0.1), "taken for causal: of 1, 2, 3 and 4 keys"


def test_values_are_the_measures_and_seeds_decide(tmp_path: Path) -> None:
    trace = make_trace(12)
    measures = head_measures(trace)
    for measure in MEASURES_TESTED:
        found = _found(analyse("head-significance", trace, measure=measure, orders=99))
        np.testing.assert_allclose(found.of("weight"), measures[measure], atol=1e-6, err_msg=measure)
        assert (found.of("p") >= 1 / 100).all()
        significant = found.of("significant")
        np.testing.assert_array_equal(significant, found.of("q") <= 0.05)
        assert found.scalars[0].key == "weight", "which is what is drawn"
    one, again, other = (
        _found(analyse("head-significance", trace, orders=99, seed=seed)).of("p") for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()


def test_in_a_window_keys_are_exchanged_within_it(tmp_path: Path) -> None:
    write_family(tmp_path / "modernbert", "modernbert")
    model = open_model(str(tmp_path / "modernbert"), "cpu")
    trace = model.trace("the cat ate the fish because it was hungry and " * 8)
    found = _found(model.analyse("head-significance", trace, orders=199))
    n_limited = 0
    for layer in range(trace.n_layers):
        reached = np.isfinite(trace.scores(layer, 0))
        if reached.all():
            continue
        n_limited += 1
        expected = (1 / reached.sum(1)[1:]).mean()  # a row sums to 1, among the keys that it reaches
        np.testing.assert_allclose(found.of("by chance")[layer], expected, rtol=0.1)
    assert n_limited > 0


def test_a_long_text_and_a_wrong_measure_are_refused() -> None:
    long = make_trace(MAX_TOKENS + 1, n_layers=1)
    refused = head_significance.refusal(long)
    assert refused is not None
    assert "1024 tokens; this one has 1025" in str(refused)
    with pytest.raises(AnalysisError, match="previous, next, same, word, first, separator"):
        analyse("head-significance", make_trace(5), measure="entropy")
    with pytest.raises(AnalysisError, match="from 19 to 99999"):
        analyse("head-significance", make_trace(5), orders=3)


def _uniform(visible: Bools) -> Doubles:
    """Return weights [T, T] that are equal among the keys that each query may look at."""
    found: Doubles = visible / np.maximum(visible.sum(-1, keepdims=True), 1)
    return found


def _masks(n_tokens: int) -> dict[str, Bools]:
    at = np.arange(n_tokens)
    apart = at[:, None] - at
    causal, near = apart >= 0, np.abs(apart) <= 3
    return {
        "none": np.ones((n_tokens, n_tokens), bool),
        "causal": causal,
        "window": near,
        "causal window": causal & near,
        "window with a global token": near | (at == 0) | (at[:, None] == 0),
        "padding": np.tile(at < n_tokens - 4, (n_tokens, 1)),
        "causal with padding ahead": causal & (at >= 4),
    }


@pytest.mark.parametrize("name", list(_masks(16)))
def test_equal_weights_are_chance_within_every_mask(name: str) -> None:
    """Any order of equal weights is the same, so that p is 1; the softmax's rounding changes nothing."""
    n_tokens = 16
    visible = _masks(n_tokens)[name]
    rounded = _uniform(visible) * np.random.default_rng(0).uniform(1 - 6e-8, 1 + 6e-8, visible.shape)
    tokens = ["[CLS]", *"abcdef", "##g", *"hijkl", "[SEP]", "m", "[SEP]"]
    for weights in (_uniform(visible), rounded):
        trace = from_arrays(np.tile(weights, (2, 3, 1, 1)).astype(np.float32), tokens)
        for measure in MEASURES_TESTED:
            found = _found(analyse("head-significance", trace, measure=measure, orders=199))
            np.testing.assert_array_equal(found.of("p"), 1, err_msg=measure)
            np.testing.assert_allclose(found.of("by chance"), found.of("weight"), atol=1e-6)


def test_a_head_on_the_previous_token_is_found_within_a_causal_mask() -> None:
    n_tokens = 12
    visible = _masks(n_tokens)["causal"]
    previous = np.eye(n_tokens, k=-1)
    previous[0, 0] = 1
    weights = np.stack([0.5 * previous + 0.5 * _uniform(visible), _uniform(visible)])[None]
    found = _found(analyse("head-significance", from_arrays(weights, list("abcdefghijkl"))))
    assert found.of("p")[0].tolist() == [pytest.approx(1 / 2000), 1]
