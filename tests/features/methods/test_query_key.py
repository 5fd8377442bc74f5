"""The map of queries and keys: what moving and scaling leave, and what the plane shows."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app.api import Model, analyse, from_arrays, open_model
from bertviz_app.errors import AnalysisError, SelectionError
from bertviz_app.features.methods.vectors import QueryKeyMap, best_factor
from tests.support.factories import biased_trace, make_tokens, random_trace

TEXT = "the cat ate the fish because it was hungry"


def _map(trace: object, model: Model | None = None, **parameters: object) -> QueryKeyMap:
    found = analyse("query-key-map", trace, **parameters)  # type: ignore[arg-type]
    assert isinstance(found, QueryKeyMap)
    return found


@pytest.mark.parametrize("special", [False, True])
def test_the_attention_of_the_moved_vectors_is_the_models(minilm: Path, special: bool) -> None:
    """Computed from the result alone, by another formula: row by row, in float64."""
    trace = open_model(str(minilm), "cpu").trace(TEXT)
    found = _map(trace, layer=3, head=7, leaves_out_special=special)
    moved = found.named["moved"].astype(np.float64)
    queries, keys = np.split(moved, 2)
    np.testing.assert_allclose(queries.mean(0), keys.mean(0), atol=1e-6)
    raised = np.exp(queries @ keys.T / np.sqrt(moved.shape[1]))
    inside = list(found.positions)
    weights = trace.attention(3, 7)[np.ix_(inside, inside)].astype(np.float64)
    np.testing.assert_allclose(
        raised / raised.sum(-1, keepdims=True), weights / weights.sum(-1, keepdims=True), atol=1e-5
    )
    assert found.identity_error is not None
    assert found.identity_error < 1e-12


def test_distances_follow_the_scores_better_than_without_scaling(minilm: Path) -> None:
    trace = open_model(str(minilm), "cpu").trace(TEXT)
    found = _map(trace, layer=2, head=3)
    queries, keys = (vectors[2, 3].astype(np.float64) for vectors in (trace.queries, trace.keys))
    scores = queries @ keys.T
    scores -= scores.mean(-1, keepdims=True)

    def follows(one: np.ndarray, other: np.ndarray) -> float:
        apart = np.square(one[:, None] - other).sum(-1)
        return float(np.corrcoef(apart.reshape(-1), scores.reshape(-1))[0, 1])

    moved = found.named["moved"].astype(np.float64)
    best = follows(*np.split(moved, 2))
    assert best == pytest.approx(float(found.facts["correlation"]), abs=1e-5)
    centred = follows(queries - queries.mean(0), keys - keys.mean(0))
    assert best <= centred < 0


def test_lengths_by_hand() -> None:
    """Keys are queries of a tenth of the length: with c² = 10, both have the same.

    Then what disturbs the order, c^-4 var |q|² + c^4 var |k|², is least.
    """
    queries = np.array([[3.0, 0], [-3, 0], [0, 3], [0, -3], [1, 0], [-1, 0], [0, 1], [0, -1]])
    factor, correlation = best_factor(queries, queries / 10)
    assert factor**2 == pytest.approx(10, rel=0.05)
    assert -1 < correlation < -0.7


def test_axes_are_those_of_a_singular_value_decomposition() -> None:
    trace = random_trace(make_tokens(9))
    found = _map(trace, layer=1, head=2)
    moved = found.named["moved"].astype(np.float64)
    _, lengths, axes = np.linalg.svd(moved - moved.mean(0), full_matrices=False)
    expected = (moved - moved.mean(0)) @ axes[:2].T
    np.testing.assert_allclose(np.abs(found.named["values"]), np.abs(expected), atol=1e-4)
    np.testing.assert_allclose(found.named["ratios"], lengths[:2] ** 2 / np.square(lengths).sum(), atol=1e-5)


def test_a_bias_of_the_distance_stays_as_it_is() -> None:
    found = _map(biased_trace(8), layer=1, head=1)
    assert found.identity_error is not None
    assert found.identity_error < 1e-12


def test_what_it_cannot_be_made_of() -> None:
    trace = random_trace(make_tokens(3))
    with pytest.raises(AnalysisError, match="needs two tokens"):
        _map(trace, leaves_out_special=True)
    with pytest.raises(SelectionError):
        _map(trace, layer=9)
    weights = from_arrays(np.full((1, 1, 2, 2), 0.5, np.float32), ["a", "b"])
    with pytest.raises(AnalysisError, match="weights alone"):
        _map(weights)
