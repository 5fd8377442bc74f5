"""`analyse`: analyses without a model, of attention weights alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bertviz_app.analysis.entry import OF_THE_MODEL, Needs
from bertviz_app.api import (
    ANALYSES,
    Trace,
    analyse,
    compare,
    from_arrays,
    head_measures,
    head_names,
    open_model,
)
from bertviz_app.errors import AnalysisError

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
        *("attention-flow", "divergence", "head-significance"),
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


OF_TWO_TEXTS = {"head-measures", "head-distance", "divergence"}


def cross(seed: int = 0, decoder: str = "abcde") -> Any:
    shape = 2, 3, len(decoder), 4
    return from_arrays(
        cross_attention=weights(*shape, seed=seed), decoder_tokens=[*decoder], encoder_tokens=[*"wxyz"]
    )


@pytest.mark.parametrize("analysis", OF_WEIGHTS, ids=lambda one: one.key)
def test_attention_to_another_text_is_analysed_or_refused(analysis: Any) -> None:
    if analysis.key in OF_TWO_TEXTS:
        result = analyse(analysis.key, cross(), cross(1))
        assert np.isfinite(next(iter(result.arrays().values()))).all()
        assert list(result.as_table().rows)
    else:
        with pytest.raises(AnalysisError, match="attend to another text"):
            analyse(analysis.key, cross(), cross(1))


def test_measures_of_attention_to_another_text_are_those_without_positions() -> None:
    trace = cross()
    of_rows = trace.attention().astype(np.float64)
    entropy = -(of_rows * np.log2(of_rows)).sum(-1).mean(-1)
    found = head_measures(trace)
    np.testing.assert_allclose(found.pop("entropy"), entropy, rtol=1e-6)
    np.testing.assert_allclose(found.pop("largest"), of_rows.max(-1).mean(-1), rtol=1e-6)
    assert all(np.isnan(values).all() for values in found.values())
    table = analyse("head-measures", trace)
    assert table.axes[0].labels == ("entropy", "largest")


def test_distances_of_heads_of_two_texts_are_those_of_their_rows() -> None:
    trace = cross()
    rows = 0.999 * trace.attention().astype(np.float64).reshape(6, 5, 4) + 0.001 / 4

    def apart(one: Any, other: Any) -> float:
        middle = (one + other) / 2
        parts = (float((row * np.log(row / middle)).sum()) for row in (one, other))
        return sum(parts) / 2

    expected = [[apart(one, other) for other in rows] for one in rows]
    np.testing.assert_allclose(
        analyse("head-distance", trace).arrays()["values"], expected, atol=1e-6, rtol=1e-5
    )


def test_two_runs_of_the_same_two_texts_are_compared() -> None:
    one, other = cross(), cross(1)
    both = compare(one, other)
    np.testing.assert_array_equal(both.difference(1, 2), one.attention(1, 2) - other.attention(1, 2))
    mean = (one.attention().astype(np.float64) + other.attention()) / 2
    bits = sum((run.attention() * np.log2(run.attention() / mean)).sum(-1) for run in (one, other)) / 2
    np.testing.assert_allclose(both.divergence, bits.mean(-1), atol=1e-6)
    alone = from_arrays(weights(2, 3, 5, 5), [*"abcde"])
    for wrong in (cross(decoder="abcdf"), alone):
        with pytest.raises(AnalysisError, match="between the same tokens only"):
            compare(one, wrong)


def test_a_head_that_looks_at_another_text_everywhere_alike_is_broad() -> None:
    even = np.full((1, 1, 5, 4), 0.25, np.float32)
    trace = from_arrays(cross_attention=even, decoder_tokens=[*"abcde"], encoder_tokens=[*"wxyz"])
    (name,) = head_names(trace).values()
    assert name.rule.key == "broad"
    assert name.value == pytest.approx(2.0)
