"""Tests of the bias by distance: the buckets, and what an encoder with one records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from bertviz_app.encoder.positions import (
    NO_POSITIONS,
    AttentionWindow,
    RelativePositions,
    bias_of_rows,
    buckets_of,
    frequencies,
    linear_biases,
    rotated,
    rotation,
    slopes,
)
from bertviz_app.encoder.recorder import layer_details, record
from tests.support.encoder_sizes import MODERN, small_config, small_encoder, small_ids
from tests.support.factories import by_distance, make_tokens

TOKENS = replace(make_tokens(12, pair=True), ids=np.arange(12, dtype=np.int32))


def test_the_buckets_are_those_of_mpnet() -> None:
    from transformers.models.mpnet.modeling_mpnet import MPNetEncoder

    distances = torch.arange(-700, 701)
    expected = MPNetEncoder.relative_position_bucket(distances)
    assert torch.equal(buckets_of(distances, 32), expected)
    assert len(expected.unique()) == 31  # no key on the right is 0 tokens away


def test_near_distances_have_a_bucket_each_and_far_ones_share() -> None:
    assert buckets_of(torch.tensor([0, -1, -7, 1, 7]), 32).tolist() == [0, 1, 7, 17, 23]
    assert buckets_of(torch.tensor([-128, -5000, 128, 5000]), 32).tolist() == [15, 15, 31, 31]


@pytest.mark.parametrize(("first", "n_rows"), [(0, 9), (0, 1), (3, 4), (8, 1)])
def test_the_rows_are_cut_out_of_the_numbers_by_distance(first: int, n_rows: int) -> None:
    by_distance = torch.arange(34.0).view(2, 17)
    expected = [
        [[float(head * 17 + key - query + 8) for key in range(9)] for query in range(first, first + n_rows)]
        for head in range(2)
    ]
    assert bias_of_rows(by_distance, first, n_rows).tolist() == expected
    near = [[row[2:7] for row in head] for head in expected]
    assert bias_of_rows(by_distance, first, n_rows, slice(2, 7)).tolist() == near


def test_a_distance_has_the_number_of_its_bucket() -> None:
    positions = RelativePositions(small_config(n_distance_buckets=32))
    by_distance = positions(5).by_distance
    assert by_distance.shape == (4, 9)
    torch.testing.assert_close(by_distance[:, 4], positions.buckets.weight[0])
    torch.testing.assert_close(by_distance[:, 8], positions.buckets.weight[20])
    torch.testing.assert_close(by_distance[:, 0], positions.buckets.weight[4])


def test_the_trace_has_the_bias_and_its_weights_are_the_encoders() -> None:
    encoder = small_encoder(n_distance_buckets=32)
    trace = record(encoder, TOKENS, "small")
    assert by_distance(trace).shape == (3, 4, 23)
    for layer in range(3):
        details = layer_details(encoder, trace.hidden[layer], layer)
        mixed = trace.attention(layer).astype(np.float64) @ trace.values[layer].astype(np.float64)
        np.testing.assert_allclose(details.mixed, mixed, atol=2e-6)
        np.testing.assert_array_equal(details.output, trace.hidden[layer + 1])
    assert record(small_encoder(), TOKENS, "small").bias is None


def test_the_bias_can_be_trained() -> None:
    encoder = small_encoder(n_distance_buckets=32)
    encoder(*small_ids(8)).hidden.square().sum().backward()
    assert encoder.relative is not None
    gradient = encoder.relative.buckets.weight.grad
    assert gradient is not None
    assert gradient.abs().max() > 0


def test_products_of_rotated_vectors_depend_on_the_distance_alone() -> None:
    generator = torch.Generator().manual_seed(0)
    query, key = (torch.randn(8, generator=generator).double() for _ in range(2))
    turn = rotation(40, frequencies(8, 100.0, torch.device("cpu"))).double()
    queries, keys = (rotated(x.expand(1, 1, 40, 8), turn)[0, 0] for x in (query, key))
    products = queries @ keys.T
    for distance in (-3, 0, 17):
        of_distance = products.diagonal(distance)
        torch.testing.assert_close(of_distance, of_distance[:1].expand_as(of_distance), atol=1e-5, rtol=0)
    torch.testing.assert_close(queries.norm(dim=-1), query.norm().expand(40), atol=1e-6, rtol=0)
    assert (products[0] - products[0, 0]).abs()[1:].max() > 0.5


def test_interleaved_pairs_turn_as_those_of_two_halves() -> None:
    x = torch.randn(1, 2, 5, 8)
    angles = frequencies(8, 10.0, torch.device("cpu"))
    order = torch.tensor([0, 2, 4, 6, 1, 3, 5, 7])  # the first of each pair, then the second
    by_halves = rotated(x[..., order], rotation(5, angles))
    interleaved = rotated(x, rotation(5, angles, is_interleaved=True), is_interleaved=True)
    torch.testing.assert_close(interleaved[..., order], by_halves)
    assert (interleaved - x)[:, :, 1:].abs().min() > 0


def test_the_first_place_is_not_turned() -> None:
    x = torch.randn(1, 2, 3, 6)
    turned = rotated(x, rotation(3, frequencies(6, 10.0, torch.device("cpu"))))
    assert torch.equal(turned[:, :, 0], x[:, :, 0])
    angles = torch.tensor([2.0, 2.0 * 10.0 ** (-1 / 3), 2.0 * 10.0 ** (-2 / 3)])
    first, second = x[0, 0, 2].chunk(2)
    expected = torch.cat(
        (first * angles.cos() - second * angles.sin(), second * angles.cos() + first * angles.sin())
    )
    torch.testing.assert_close(turned[0, 0, 2], expected)


def test_a_window_shuts_out_what_is_beyond_it() -> None:
    tokens = replace(make_tokens(12), ids=np.arange(12, dtype=np.int32))
    trace = record(small_encoder(**MODERN), tokens, "small")
    assert by_distance(trace).shape == (3, 1, 23)
    positions = np.arange(12)
    is_far = np.abs(positions - positions[:, None]) > 2
    weights = trace.attention()
    assert (weights[0] > 0).all()
    assert not weights[1:, :, is_far].any()
    assert (weights[1:, :, ~is_far] > 0).all()
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-6)
    assert np.isneginf(trace.scores(1, 0)[is_far]).all()
    assert trace.position_embeddings is None


def test_a_text_within_the_window_has_no_bias() -> None:
    tokens = replace(make_tokens(3), ids=np.arange(3, dtype=np.int32))
    assert record(small_encoder(**MODERN), tokens, "small").bias is None


@pytest.mark.parametrize(("first", "n_rows", "keys"), [(0, 4, (0, 6)), (5, 3, (3, 10)), (9, 1, (7, 12))])
def test_the_keys_within_reach_of_a_block(first: int, n_rows: int, keys: tuple[int, int]) -> None:
    near = AttentionWindow(2).near(first, n_rows)
    assert (near.start, near.stop) == keys
    assert NO_POSITIONS.near(first, n_rows) == slice(None)


def test_a_pass_over_many_blocks_of_a_window_is_that_over_one(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = small_encoder(**MODERN)
    tokens = replace(make_tokens(20), ids=np.arange(20, dtype=np.int32))
    whole = record(encoder, tokens, "small")
    monkeypatch.setattr("bertviz_app.encoder.attention.ROWS_AT_ONCE", 3)
    blocks = record(encoder, tokens, "small")
    np.testing.assert_allclose(blocks.hidden, whole.hidden, atol=1e-5)
    np.testing.assert_allclose(blocks.lse, whole.lse, atol=1e-5)


def test_slopes_are_those_of_the_paper() -> None:
    eight = [2.0**-power for power in range(1, 9)]
    assert slopes(8) == eight
    assert slopes(12) == pytest.approx([*eight, 2**-0.5, 2**-1.5, 2**-2.5, 2**-3.5])
    assert linear_biases(4, 3, torch.device("cpu"))[0].tolist() == [-0.5, -0.25, 0.0, -0.25, -0.5]
