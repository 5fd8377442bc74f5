"""The patterns of heads on attention made by hand, and how much crosses from sentence to sentence."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.pure.heads import PATTERNS, head_patterns, inter_sentence, pattern_of
from bertviz_app.analysis.pure.heads import _of_head as of_head
from bertviz_app.analysis.reporter import SILENT, NoParameters
from tests.support.factories import make_trace

N = 10
PAIR = np.arange(N) >= N // 2
SAME = PAIR[:, None] == PAIR
THREE = SAME & np.isin((np.arange(N) - np.arange(N)[:, None]) % (N // 2), (1, 2, 3))
"""Each token attends to three of the five of its sentence: entropy ln 3, between 0.6 ln 5 and 0.6 ln 10."""


def name(weights: np.ndarray, same: np.ndarray | None = None) -> str:
    return pattern_of(of_head(weights / weights.sum(1, keepdims=True), same)[0])


@pytest.mark.parametrize(
    ("weights", "same", "expected"),
    [
        (np.ones((N, N)), None, "heterogeneous"),
        (np.ones((N, N)) + 20 * (np.arange(N) == 3), None, "vertical"),
        (np.ones((N, N)) + 9 * np.eye(N, k=-1), None, "diagonal"),
        (np.ones((N, N)) + 60 * (np.arange(N) == 3) + 60 * np.eye(N, k=1), None, "vertical and diagonal"),
        (np.where(SAME, 1.0, 0.01), SAME, "block"),
        (np.where(SAME, 1.0, 0.01), None, "heterogeneous"),
        (THREE.astype(float), SAME, "block"),
        (np.where(SAME, 1.0, 0.5), SAME, "heterogeneous"),
    ],
)
def test_the_pattern_of_a_head(weights: np.ndarray, same: np.ndarray | None, expected: str) -> None:
    assert name(weights, same) == expected


def test_shares_of_a_trace_are_those_of_its_weights() -> None:
    trace = make_trace(9, n_layers=2, n_heads=3)
    result = head_patterns(Inputs(trace), NoParameters(), SILENT)
    weights = trace.attention(1, 2).astype(np.float64)
    assert result.of("vertical")[1, 2] == pytest.approx(np.sort(weights.sum(0))[-2:].sum() / 9, rel=1e-5)
    assert result.of("diagonal")[1, 2] == pytest.approx(
        max(np.trace(weights, at) for at in (-1, 0, 1)) / 9, rel=1e-5
    )
    assert result.of("within")[1, 2] == 1
    assert set(result.of("pattern").ravel()) <= set(range(len(PATTERNS)))


def test_what_crosses_between_sentences_adds_up() -> None:
    trace = make_trace(9, n_layers=2, n_heads=3)
    sentences = np.array([-1, 0, 0, 0, -1, 1, 1, 1, -1], np.int32)
    trace = replace(trace, tokens=replace(trace.tokens, pair="a second one", sentences=sentences))
    result = inter_sentence(Inputs(trace), NoParameters(), SILENT)
    assert result.identity_error is not None
    assert 0 < result.identity_error < 1e-6
    weights = trace.attention(1, 2)
    assert result.of("1 → 2")[1, 2] == pytest.approx(weights[1:4, 5:8].sum(1).mean(), rel=1e-5)
    assert result.of("2 → 1")[1, 2] == pytest.approx(weights[5:8, 1:4].sum(1).mean(), rel=1e-5)
    for first in (0, 3):
        np.testing.assert_allclose(result.values[first : first + 3].sum(0), 1, atol=1e-5)


def test_of_one_sentence_there_is_itself_and_the_special_tokens() -> None:
    result = inter_sentence(Inputs(make_trace(9)), NoParameters(), SILENT)
    assert [scalar.key for scalar in result.scalars] == ["1 → 1", "1 → special"]
    np.testing.assert_allclose(result.values.sum(0), 1, atol=1e-5)


def test_patterns_themselves_have_no_difference() -> None:
    inputs = (Inputs(make_trace(8, seed=seed)) for seed in (1, 2))
    one, other = (head_patterns(each, NoParameters(), SILENT) for each in inputs)
    difference = one.minus(other)
    assert [scalar.key for scalar in difference.scalars] == ["vertical", "diagonal", "within"]
    assert np.array_equal(difference.of("diagonal"), one.of("diagonal") - other.of("diagonal"))
