"""Distances between heads: by hand, bounds, and the numbers of MiniLM."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bertviz_app import open_model
from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.pure.heads import head_distance, map_of
from bertviz_app.analysis.reporter import SILENT, NoParameters
from bertviz_app.analysis.results import NamedArrays
from tests.support.factories import trace_of
from tests.support.naive_bert import S


def test_two_heads_by_hand() -> None:
    """Heads that look at other tokens are nearly ln 2 apart in each row; a head is 0 from itself."""
    attention = np.array([[[[1.0, 0], [1, 0]], [[0, 1.0], [1, 0]]]])
    found = head_distance(Inputs(trace_of(attention)), NoParameters(), SILENT)
    p, q = 0.999 + 0.0005, 0.0005
    middle = 0.5
    row = p * np.log(p / middle) + q * np.log(q / middle)  # both rows are as far from their mean
    expected = [[0, row], [row, 0]]
    np.testing.assert_allclose(found.named["values"], expected, atol=1e-6)
    assert row < np.log(2)
    np.testing.assert_allclose(np.abs(found.named["map"][:, 0]), row / 2, atol=1e-6)


def test_a_map_keeps_the_distances_of_a_plane() -> None:
    """Of points in a plane the map is the plane again, turned or mirrored."""
    points = np.array([[0.0, 0], [3, 0], [0, 4], [3, 4]])
    distances = np.linalg.norm(points[:, None] - points, axis=-1)
    found = map_of(distances)
    np.testing.assert_allclose(np.linalg.norm(found[:, None] - found, axis=-1), distances, atol=1e-5)


def test_the_numbers_of_minilm(minilm: Path) -> None:
    model = open_model(str(minilm), "cpu")
    found = model.analyse("head-distance", model.trace(S))
    assert isinstance(found, NamedArrays)
    values = found.named["values"]
    pairs = values[np.triu_indices(72, 1)]
    assert values.mean() == pytest.approx(2.1297, abs=2e-4), "zeros on the diagonal counted"
    assert pairs.max() == pytest.approx(7.2673, abs=2e-4)
    layers = np.arange(72) // 12
    same = (layers[:, None] == layers)[np.triu_indices(72, 1)]
    assert pairs[same].mean() == pytest.approx(1.8235, abs=2e-4)
    assert pairs[~same].mean() == pytest.approx(2.2213, abs=2e-4)
    np.testing.assert_array_equal(values, values.T)
    assert pairs.max() <= 12 * np.log(2)
