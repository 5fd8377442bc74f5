"""Principal components, cosines and pooled vectors: by hand, and against slow independent ways."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from bertviz_app.analysis import vectors as module
from bertviz_app.analysis.vectors import (
    cls_vectors,
    cosine_matrix,
    cosines_between,
    mean_pooled,
    pca,
    token_maps,
)
from bertviz_app.errors import Cancelled
from bertviz_app.types import Floats
from tests.support.factories import make_trace


def _random(*shape: int, seed: int = 0) -> Floats:
    return np.random.default_rng(seed).normal(size=shape).astype(np.float32)


def _cloud(n_points: int, width: int, seed: int = 0) -> Floats:
    """Return points that vary more along some directions than along others."""
    spread = np.linspace(5, 0.2, width)
    turned, _ = np.linalg.qr(np.random.default_rng(seed + 1).normal(size=(width, width)))
    cloud: Floats = ((_random(n_points, width, seed=seed) * spread) @ turned + 3).astype(np.float32)
    return cloud


def test_four_points_by_hand() -> None:
    # Variances 2 * 9 = 18 along x and 2 * 4 = 8 along y, about the mean (10, 20).
    points = np.array([[13, 20, 5], [7, 20, 5], [10, 22, 5], [10, 18, 5]], np.float32)
    found = pca(points)
    np.testing.assert_allclose(found.mean, [10, 20, 5])
    np.testing.assert_allclose(found.axes, [[1, 0, 0], [0, 1, 0]], atol=1e-7)
    np.testing.assert_allclose(found.points, [[3, 0], [-3, 0], [0, 2], [0, -2]], atol=1e-6)
    np.testing.assert_allclose(found.ratios, [18 / 26, 8 / 26], rtol=1e-6)


def test_points_on_a_slanted_line_have_one_component() -> None:
    line = np.outer([-2, -1, 0, 3], [0.6, -0.8]).astype(np.float32)
    found = pca(line)
    np.testing.assert_allclose(found.ratios, [1, 0], atol=1e-6)
    # The largest entry of the axis is positive: here that of the second dimension.
    np.testing.assert_allclose(found.axes[0], [-0.6, 0.8], atol=1e-6)
    np.testing.assert_allclose(found.points[:, 0], [2, 1, 0, -3], atol=1e-6)
    assert (found.points[:, 1] == 0).all()


@pytest.mark.parametrize("n_points", [3, 10, 24, 25, 60])
def test_it_is_the_eigen_decomposition_of_the_covariance(n_points: int) -> None:
    cloud = _cloud(n_points, 24)
    found = pca(cloud)
    centred = cloud.astype(np.float64) - cloud.astype(np.float64).mean(0)
    covariance = sum(np.outer(point, point) for point in centred) / (n_points - 1)
    values, columns = torch.linalg.eigh(torch.from_numpy(covariance))
    np.testing.assert_allclose(found.ratios, values.numpy()[::-1][:2] / np.trace(covariance), rtol=1e-5)
    for axis, column in ((0, -1), (1, -2)):
        expected = columns.numpy()[:, column]
        expected = expected * np.sign(expected[np.abs(expected).argmax()])
        np.testing.assert_allclose(found.axes[axis], expected, atol=2e-5)
        np.testing.assert_allclose(found.points[:, axis], centred @ expected, atol=2e-4)


@given(st.integers(2, 30), st.integers(2, 30), st.integers(0, 10_000))
def test_axes_are_at_right_angles_and_no_direction_varies_more(n_points: int, width: int, seed: int) -> None:
    cloud = _cloud(n_points, width, seed)
    found = pca(cloud)
    products = found.axes.astype(np.float64) @ found.axes.T
    varied = np.diag(products) > 0
    np.testing.assert_allclose(products[np.ix_(varied, varied)], np.eye(int(varied.sum())), atol=1e-5)
    assert found.ratios[0] >= found.ratios[1] >= 0
    assert found.ratios.sum() <= 1 + 1e-6
    for direction in _random(5, width, seed=seed).astype(np.float64):
        along = cloud @ (direction / np.linalg.norm(direction))
        assert along.var() <= found.points[:, 0].astype(np.float64).var() * (1 + 1e-4) + 1e-6


@pytest.mark.parametrize("vectors", [np.ones((1, 4)), np.ones((5, 4)), np.zeros((3, 1))])
def test_where_nothing_varies_all_lies_at_the_origin(vectors: Floats) -> None:
    found = pca(vectors.astype(np.float32))
    assert (found.points == 0).all()
    assert (found.ratios == 0).all()
    assert found.axes.shape == (2, vectors.shape[1])


def test_the_same_cloud_in_another_order_or_in_blocks_gives_the_same_map(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cloud = _cloud(50, 20)
    order = np.random.default_rng(3).permutation(50)
    once = pca(cloud)
    np.testing.assert_allclose(pca(cloud[order]).points, once.points[order], atol=1e-4)
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", 7)
    in_blocks = pca(cloud)
    np.testing.assert_allclose(in_blocks.points, once.points, atol=1e-4)
    np.testing.assert_allclose(in_blocks.ratios, once.ratios, rtol=1e-6)


def test_it_can_be_stopped() -> None:
    def check() -> None:
        raise Cancelled

    for work in (lambda: pca(_random(3, 4), check=check), lambda: cosine_matrix(_random(3, 4), check)):
        with pytest.raises(Cancelled):
            work()


def test_maps_of_layers_on_their_own_keep_their_sides() -> None:
    hidden = np.stack([_cloud(9, 12, seed=seed) for seed in range(6)])
    hidden[3] = -hidden[2]  # the same map, but mirrored if the sign were left to the convention
    maps = token_maps(hidden, common=False)
    assert not maps.is_common
    for layer in range(6):
        alone = pca(hidden[layer])
        np.testing.assert_allclose(np.abs(maps.points[layer]), np.abs(alone.points), atol=1e-6)
        np.testing.assert_allclose(maps.ratios[layer], alone.ratios)
        if layer:
            assert ((maps.points[layer].astype(float) * maps.points[layer - 1]).sum(0) >= 0).all()
    np.testing.assert_allclose(maps.points[3], maps.points[2], atol=1e-5)


def test_a_common_map_is_that_of_all_layers_together() -> None:
    hidden = _random(4, 6, 10)
    maps = token_maps(hidden, common=True)
    together = pca(hidden.reshape(-1, 10))
    np.testing.assert_array_equal(maps.points.reshape(-1, 2), together.points)
    np.testing.assert_array_equal(maps.ratios, np.stack([together.ratios] * 4))
    # On one plane, a token that does not move stays where it is.
    still = np.concatenate((hidden, hidden[-1:]))
    points = token_maps(still, common=True).points
    np.testing.assert_array_equal(points[-1], points[-2])


def _naive_cosine(one: Floats, other: Floats) -> float:
    product = math.fsum(float(a) * float(b) for a, b in zip(one, other, strict=True))
    lengths = [math.sqrt(math.fsum(float(a) ** 2 for a in vector)) for vector in (one, other)]
    return product / (lengths[0] * lengths[1]) if all(lengths) else 0.0


@pytest.mark.parametrize("rows_at_once", [2, 4096])
def test_cosines_are_those_of_a_naive_loop(monkeypatch: pytest.MonkeyPatch, rows_at_once: int) -> None:
    monkeypatch.setattr(module, "_ROWS_AT_ONCE", rows_at_once)
    vectors = _random(7, 30)
    vectors[4] = 0
    vectors[5] = -3 * vectors[1]
    found = cosine_matrix(vectors)
    expected = [[_naive_cosine(one, other) for other in vectors] for one in vectors]
    np.testing.assert_allclose(found, expected, atol=1e-7)
    np.testing.assert_array_equal(found, found.T)
    assert found[5, 1] == pytest.approx(-1, abs=1e-7)
    assert (np.diag(found) == [1, 1, 1, 1, 0, 1, 1]).all()


def test_cosines_of_counterparts() -> None:
    some, others = _random(4, 9), _random(4, 9, seed=1)
    expected = [_naive_cosine(one, other) for one, other in zip(some, others, strict=True)]
    np.testing.assert_allclose(cosines_between(some, others), expected, atol=1e-7)
    assert cosines_between(some, some * 2) == pytest.approx(np.ones(4))


def test_cls_goes_from_the_embeddings_to_the_pooled_vector() -> None:
    trace = make_trace(5)
    assert trace.pooled is not None
    found = cls_vectors(trace)
    assert found.shape == (trace.n_layers + 2, trace.width)
    for row in range(trace.n_layers + 1):
        np.testing.assert_array_equal(found[row], trace.hidden[row][0])
    np.testing.assert_array_equal(found[-1], trace.pooled)


def test_a_model_without_pooler_has_one_row_less() -> None:
    trace = replace(make_trace(5), pooled=None)
    np.testing.assert_array_equal(cls_vectors(trace), trace.hidden[:, 0])


def test_the_mean_is_taken_over_all_tokens_of_the_last_layer() -> None:
    trace = make_trace(5)
    expected = [math.fsum(trace.hidden[-1, :, dimension].tolist()) / 5 for dimension in range(trace.width)]
    np.testing.assert_allclose(mean_pooled(trace), expected, atol=1e-7)
