"""Vectors, pairs of tokens, and identities that hold of them."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, strategies as st

from bertviz_app import from_arrays, open_model
from bertviz_app.analysis import pairs, vectors as module
from bertviz_app.analysis.pairs import (
    PairHead,
    attention_row,
    most_specific_pair,
    pair_numbers,
    pair_others,
    pair_weights,
    specificity,
    strongest,
    strongest_heads,
)
from bertviz_app.analysis.vectors import (
    cls_vectors,
    cosine_matrix,
    cosines_between,
    mean_pooled,
    pca,
    token_maps,
)
from bertviz_app.errors import ArgumentError, Cancelled, SelectionError
from bertviz_app.trace import Trace
from bertviz_app.types import Floats
from tests.support.factories import (
    biased_trace,
    by_distance,
    dense,
    diagonal,
    disentangled_trace,
    make_trace,
    trace_of,
    windowed_trace,
)
from tests.support.peers import OTHER, S


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


def test_the_mean_is_taken_over_all_tokens_of_the_last_layer() -> None:
    trace = make_trace(5)
    expected = [math.fsum(trace.hidden[-1, :, dimension].tolist()) / 5 for dimension in range(trace.width)]
    np.testing.assert_allclose(mean_pooled(trace), expected, atol=1e-7)


PAIRS = [(0, 0), (0, 19), (7, 3), (19, 0), (19, 19)]


@pytest.mark.parametrize(("query", "key"), PAIRS)
@pytest.mark.parametrize(("layer", "head"), [(0, 0), (1, 2)])
def test_the_numbers_follow_the_formula(layer: int, head: int, query: int, key: int) -> None:
    trace = make_trace(20)
    numbers = pair_numbers(trace, layer, head, query, key)
    product = sum(
        float(q) * float(k)
        for q, k in zip(trace.queries[layer, head, query], trace.keys[layer, head, key], strict=True)
    )
    weights = dense(trace)[layer, head]
    row = weights[query]
    assert (numbers.query, numbers.key) == (query, key)
    assert numbers.product == pytest.approx(product, abs=1e-5)
    assert numbers.scaled == pytest.approx(product / math.sqrt(8), abs=1e-5)
    assert numbers.weight == pytest.approx(row[key], abs=1e-6)
    assert numbers.rank == sorted(row, reverse=True).index(row[key]) + 1
    assert numbers.row_entropy == pytest.approx(-(row * np.log2(row)).sum(), abs=1e-5)
    assert numbers.column_mean == pytest.approx(weights[:, key].mean(), abs=1e-6)
    assert numbers.others == pytest.approx(np.delete(weights[:, key], query).mean(), abs=1e-6)
    assert (numbers.n_keys, numbers.radicand) == (20, 8)


@pytest.mark.parametrize(("query", "key"), PAIRS)
def test_a_bias_stands_between_score_and_weight(query: int, key: int) -> None:
    trace = biased_trace(20)
    numbers = pair_numbers(trace, 1, 2, query, key)
    bias = float(by_distance(trace)[1, 2, key - query + 19])
    assert numbers.added == {"distance": bias}
    assert numbers.score == pytest.approx(numbers.scaled + bias, rel=1e-6)
    plain = pair_numbers(make_trace(20), 1, 2, query, key)
    assert (numbers.scaled, plain.added) == (plain.scaled, {})
    expected = math.exp(numbers.scaled + bias - float(trace.lse[1, 2, query]))
    assert numbers.weight == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(("query", "key"), PAIRS)
def test_content_and_position_add_up_to_what_the_weight_is_of(query: int, key: int) -> None:
    trace = disentangled_trace(20)
    numbers = pair_numbers(trace, 1, 2, query, key)
    assert numbers.radicand == 24
    assert numbers.scaled == pytest.approx(numbers.product / math.sqrt(24), abs=1e-6)
    assert list(numbers.added) == ["content_to_position", "position_to_content"]
    assert numbers.score == pytest.approx(numbers.scaled + sum(numbers.added.values()), abs=1e-5)
    expected = math.exp(numbers.score - float(trace.lse[1, 2, query]))
    assert numbers.weight == pytest.approx(expected, abs=1e-6)


def test_equal_weights_share_the_better_rank() -> None:
    row = [0.4, 0.2, 0.2, 0.1, 0.1]
    trace = trace_of(np.array([[[row] * 5]]))
    assert [pair_numbers(trace, 0, 0, 2, key).rank for key in range(5)] == [1, 2, 2, 4, 4]


def test_a_row_that_is_sure_has_no_entropy_and_no_minus_sign() -> None:
    trace = trace_of(diagonal(6))
    rounded_up = replace(trace, lse=trace.lse - np.float32(1e-6))
    for sure in (trace, rounded_up):
        assert f"{pair_numbers(sure, 0, 0, 3, 3).row_entropy:.3f}" == "0.000"


def test_a_weight_of_zero_leaves_the_entropy_finite() -> None:
    row = [0.5, 0.5, 0.0]
    numbers = pair_numbers(trace_of(np.array([[[row] * 3]])), 0, 0, 0, 2)
    assert numbers.weight == 0
    assert numbers.row_entropy == pytest.approx(1.0, abs=1e-6)


def test_in_a_window_the_softmax_is_over_the_keys_that_are_reached() -> None:
    trace = windowed_trace(20, 3)
    for layer, query, n_keys in ((0, 10, 20), (1, 10, 7), (1, 0, 4)):
        assert pair_numbers(trace, layer, 0, query, query).n_keys == n_keys


@pytest.mark.parametrize(
    ("weights", "count", "expected"),
    [
        ([0.1, 0.5, 0.4], 2, [1, 2]),
        ([0.2, 0.3, 0.2, 0.3], 4, [1, 3, 0, 2]),
        ([0.2, 0.8], 5, [1, 0]),
        ([1.0], 0, []),
    ],
)
def test_the_strongest_come_first_and_ties_by_place(
    weights: list[float], count: int, expected: list[int]
) -> None:
    assert strongest(np.array(weights, np.float32), count) == expected


TRACES = [make_trace(20), biased_trace(20), disentangled_trace(20), windowed_trace(20, 3)]


@pytest.mark.parametrize(("query", "key"), PAIRS)
@pytest.mark.parametrize("trace", TRACES)
def test_a_pair_has_in_each_head_the_weight_that_the_head_gives_it(
    trace: Trace, query: int, key: int
) -> None:
    found = pair_weights(trace, query, key)
    assert found.dtype == np.float32
    assert found.shape == (2, 3)
    np.testing.assert_allclose(found, dense(trace)[:, :, query, key], atol=2e-6)
    for layer, head in np.ndindex(2, 3):
        assert found[layer, head] == attention_row(trace, layer, head, query)[key]


def test_tokens_of_a_pair_are_named_by_position_or_text() -> None:
    trace = make_trace(20)
    np.testing.assert_array_equal(pair_weights(trace, "w7", "[CLS]"), pair_weights(trace, 7, 0))
    with pytest.raises(SelectionError, match="“w99”"):
        pair_weights(trace, "w99", 0)
    with pytest.raises(SelectionError, match="no token 20"):
        pair_weights(trace, 0, 20)
    with pytest.raises(ArgumentError, match="float"):
        pair_weights(trace, 0, 1.5)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match="trace"):
        pair_weights("text", 0, 1)  # type: ignore[arg-type]


def test_the_strongest_heads_by_hand() -> None:
    weights = np.array([[0.1, 0.5, 0.2], [0.5, 0.9, 0.0]], np.float32)
    found = strongest_heads(weights)
    assert [(one.layer, one.head) for one in found] == [(1, 1), (0, 1), (1, 0)]  # ties by layer and head
    assert found[0] == PairHead(1, 1, float(np.float32(0.9)))
    assert len(strongest_heads(weights, 99)) == 6


def test_heads_are_ordered_by_what_the_pair_has_above_the_other_tokens() -> None:
    weights = np.array([[0.5, 0.6, np.nan]], np.float32)
    found = strongest_heads(weights, others=np.array([[0.1, 0.5, np.nan]], np.float32))
    assert [(one.layer, one.head) for one in found] == [(0, 0), (0, 1), (0, 2)]
    assert (found[0].weight, found[0].others) == (0.5, float(np.float32(0.1)))


@pytest.mark.parametrize(("query", "key"), PAIRS)
@pytest.mark.parametrize("trace", TRACES)
def test_the_others_of_a_pair_are_the_tokens_that_can_see_its_key(trace: Trace, query: int, key: int) -> None:
    weights = dense(trace)
    for layer in range(2):
        others = [i for i in range(20) if i != query]
        if trace is TRACES[3] and layer == 1:  # its window of 3
            others = [i for i in others if abs(i - key) <= 3]
        expected = weights[layer][:, others, key].mean(-1)
        np.testing.assert_allclose(pair_others(trace, query, key)[layer], expected, atol=2e-6)


def test_tokens_before_the_key_of_a_causal_model_do_not_count() -> None:
    row = np.tril(np.ones((4, 4), np.float32)) / np.arange(1, 5, dtype=np.float32)[:, None]
    trace = from_arrays([row[None]], ["a", "b", "c", "d"])
    np.testing.assert_allclose(pair_others(trace, 3, 2), [[1 / 3]])
    assert np.isnan(pair_others(trace, 3, 3)).all()
    np.testing.assert_allclose(specificity(trace, 3, 3), [[1 / 4 - (1 + 1 / 2 + 1 / 3) / 3]], atol=1e-6)


def test_a_head_of_one_column_and_a_head_of_one_distance_are_specific_to_no_pair(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Heads: all look at w2; each at the token before; and w5 alone at w2, the others at [CLS]."""
    monkeypatch.setattr(pairs, "_ROWS", 3)
    column, before, specific = (np.zeros((8, 8)) for _ in range(3))
    column[:, 2] = 1
    before[np.arange(8), np.arange(8) - 1] = 1
    specific[:, 0] = 1
    specific[5, [0, 2]] = 0.2, 0.8
    trace = trace_of(np.array([[column, before, specific]]))
    np.testing.assert_allclose(specificity(trace, 5, 2)[0], [0, -1 / 7, 0.8], atol=1e-5)
    assert specificity(trace, 5, 4)[0, 1] == pytest.approx(0, abs=1e-5)
    assert pair_weights(trace, 5, 4)[0, 1] == pytest.approx(1, abs=1e-5)
    found = most_specific_pair(trace)
    assert found is not None
    assert (found.layer, found.head, found.query, found.key) == (0, 2, 5, 2)
    assert found.specificity == pytest.approx(0.8, abs=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("trace", TRACES)
def test_the_most_specific_pair_is_the_best_of_all_pairs_and_heads(trace: Trace) -> None:
    words = [at for at in range(20) if not trace.tokens.is_special[at]]
    each = {(q, k): specificity(trace, q, k) for q in words for k in words if q != k}
    (query, key), heads = max(each.items(), key=lambda pair: float(np.nanmax(pair[1])))
    found = most_specific_pair(trace)
    assert found is not None
    layer, head = np.unravel_index(int(np.nanargmax(heads)), heads.shape)
    assert (found.layer, found.head) == (int(layer), int(head))
    assert (found.query, found.key) == (query, key)
    assert found.specificity == pytest.approx(float(np.nanmax(heads)), abs=1e-5)


def test_the_most_specific_head_of_a_pruned_model_has_the_number_that_it_had() -> None:
    """Head 1 was pruned, and head 2 alone has a pair: its weights are not taken for those of another one."""
    even = np.full((8, 8), 1 / 8)
    specific = np.zeros((8, 8))
    specific[:, 0] = 1
    specific[5, [0, 2]] = 0.2, 0.8
    trace = replace(trace_of(np.array([[even, even, specific]])), pruned=((0, 1),))
    found = most_specific_pair(trace)
    assert found is not None
    assert (found.layer, found.head, found.query, found.key) == (0, 2, 5, 2)


def test_texts_without_pairs_have_no_most_specific_one() -> None:
    assert most_specific_pair(make_trace(4)) is None, "two words"
    assert most_specific_pair(make_trace(300)) is None, "too long"
    with pytest.raises(Cancelled):
        most_specific_pair(make_trace(9), _cancelled)


def _cancelled() -> None:
    raise Cancelled


TOLERANCES = {
    **dict.fromkeys(("norm-attention", "norm-attention-residual", "mixing-ratio", "globenc", "alti"), 1e-5),
    "layer-details": 1e-5,
    "self-test": 1e-5,
    "decompx": 5e-5,
    "similarity-pairs": 1e-6,
}
"""Of identities that compare with the values and hidden states of the trace, in float32."""


@pytest.mark.slow
@pytest.mark.parametrize("key", TOLERANCES)
def test_an_identity_holds_and_finds_a_hundredth_that_is_wrong(minilm: Path, key: str) -> None:
    model = open_model(str(minilm), "cpu")
    trace, other = model.trace(S), model.trace(OTHER) if key == "similarity-pairs" else None
    hidden = trace.hidden.copy()
    hidden[1:] *= np.float32(1.01)
    spoilt = replace(trace, hidden=hidden, values=trace.values * np.float32(1.01))
    right, wrong = (model.analyse(key, each, other).identity_error for each in (trace, spoilt))
    assert right is not None
    assert wrong is not None
    assert right < TOLERANCES[key] < wrong / 100
