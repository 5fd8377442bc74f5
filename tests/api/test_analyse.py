"""`analyse`: analyses without a model, of attention weights alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bertviz_app.analysis.entry import OF_THE_MODEL, Needs
from bertviz_app.api import ANALYSES, Trace, analyse, compare, from_arrays, open_model
from bertviz_app.errors import AnalysisError, ArgumentError

OF_WEIGHTS = [one for one in ANALYSES if not one.needs & (OF_THE_MODEL | Needs.STATES)]
OF_MORE = [one for one in ANALYSES if one not in OF_WEIGHTS]


@pytest.fixture(scope="module")
def trace_of_bert() -> Trace:
    return open_model().trace("the cat")


PIECES = ["[CLS]", "the", "cat", "[SEP]", "a", "dog", "[SEP]"]


def weights(*shape: int, seed: int = 0) -> Any:
    numbers = np.random.default_rng(seed).random(shape, np.float32) + np.float32(0.01)
    return numbers / numbers.sum(-1, keepdims=True)


def test_the_analyses_of_weights_are_these() -> None:
    assert {one.key for one in OF_WEIGHTS} == {
        *("head-measures", "head-patterns", "inter-sentence", "head-distance", "attention-rollout"),
        *("attention-flow", "divergence"),
    }


@pytest.mark.parametrize("analysis", OF_WEIGHTS, ids=lambda one: one.key)
def test_analyses_of_weights_need_no_more(analysis: Any) -> None:
    trace = from_arrays(weights(2, 3, 7, 7), PIECES, sentence_b_start=4)
    other = from_arrays(weights(2, 3, 7, 7, seed=1), PIECES, sentence_b_start=4)
    result = analyse(analysis.key, trace, other)
    assert np.isfinite(next(iter(result.arrays().values()))).all()
    assert list(result.as_table().rows)


@pytest.mark.parametrize("analysis", OF_MORE, ids=lambda one: one.key)
def test_other_analyses_say_what_they_lack(analysis: Any) -> None:
    trace = from_arrays(weights(2, 3, 7, 7), PIECES)
    with pytest.raises(AnalysisError, match="weights alone are not enough"):
        analyse(analysis.key, trace, trace)


def test_the_second_run_may_lack_it(trace_of_bert: Trace) -> None:
    with pytest.raises(AnalysisError, match="weights alone are not enough"):
        analyse("text-cosines", trace_of_bert, from_arrays(weights(2, 3, 7, 7), PIECES))
    assert analyse("text-cosines", trace_of_bert, trace_of_bert).arrays()["cosine"].size


def test_rollout_is_the_product_of_the_layers() -> None:
    given = weights(3, 2, 7, 7)
    expected = np.eye(7)
    for layer in given.astype(np.float64):
        expected = (0.7 * layer.mean(0) + 0.3 * np.eye(7)) @ expected
    found = analyse("attention-rollout", from_arrays(given, PIECES), residual=0.3).arrays()["values"]
    np.testing.assert_allclose(found[-1], expected, atol=1e-6)


def test_layers_with_fewer_heads_have_nan_for_the_others() -> None:
    given = [weights(2, 7, 7), weights(3, 7, 7, seed=1)]
    trace = from_arrays(given, PIECES, sentence_b_start=4)
    for key in ("head-measures", "head-patterns", "inter-sentence"):
        found = analyse(key, trace).arrays()["values"]
        assert np.isnan(found[:, 0, 2]).all()
        assert np.isfinite(found[:, 0, :2]).all()
        assert np.isfinite(found[:, 1]).all()
    both = compare(trace, from_arrays(weights(2, 3, 7, 7), PIECES, sentence_b_start=4))
    assert np.isnan(both.divergence[0, 2])
    assert np.isfinite(both.divergence[1]).all()
    assert analyse("head-distance", trace).arrays()["values"].shape == (5, 5)
    assert np.isfinite(analyse("attention-rollout", trace).arrays()["values"]).all()


def test_the_difference_of_two_is_that_of_their_weights() -> None:
    one, other = weights(2, 3, 7, 7), weights(2, 3, 7, 7, seed=1)
    both = compare(from_arrays(one, PIECES), from_arrays(other, PIECES))
    np.testing.assert_array_equal(both.difference(1, 2), one[1, 2] - other[1, 2])


def test_attention_to_another_text_is_refused() -> None:
    cross = from_arrays(
        cross_attention=weights(2, 3, 4), decoder_tokens=list("abc"), encoder_tokens=list("wxyz")
    )
    for one in OF_WEIGHTS:
        with pytest.raises(AnalysisError, match="attend to another text"):
            analyse(one.key, cross, cross)


def test_wrong_calls_are_refused() -> None:
    trace = from_arrays(weights(2, 3, 7, 7), PIECES)
    with pytest.raises(AnalysisError, match="no analysis"):
        analyse("nothing", trace)
    with pytest.raises(AnalysisError, match="no parameter"):
        analyse("attention-rollout", trace, depth=3)
    with pytest.raises(AnalysisError, match="compares two runs"):
        analyse("divergence", trace)
    with pytest.raises(ArgumentError):
        analyse("attention-rollout", weights(7, 7))
