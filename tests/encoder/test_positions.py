"""Tests of the bias by distance: the buckets, and what an encoder with one records."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from bertviz_app.encoder.details import layer_details
from bertviz_app.encoder.positions import RelativePositions, bias_of_rows, buckets_of
from bertviz_app.encoder.recorder import record
from tests.encoder.sizes import small_config, small_encoder, small_ids
from tests.factories import make_tokens

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


def test_a_distance_has_the_number_of_its_bucket() -> None:
    positions = RelativePositions(small_config(n_distance_buckets=32))
    by_distance = positions(5)
    assert by_distance.shape == (4, 9)
    torch.testing.assert_close(by_distance[:, 4], positions.buckets.weight[0])
    torch.testing.assert_close(by_distance[:, 8], positions.buckets.weight[20])
    torch.testing.assert_close(by_distance[:, 0], positions.buckets.weight[4])


def test_the_trace_has_the_bias_and_its_weights_are_the_encoders() -> None:
    encoder = small_encoder(n_distance_buckets=32)
    trace = record(encoder, TOKENS, "small")
    assert trace.bias is not None
    assert trace.bias.by_distance.shape == (3, 4, 23)
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
