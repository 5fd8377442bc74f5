"""Disentangled attention: the buckets, the sum in float64, blocks of rows, and what a trace of it has."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from bertviz_app.encoder.attention import (
    DisentangledPositions,
    PositionHeads,
    Scores,
    attend,
    signed_buckets,
    table_rows,
)
from bertviz_app.encoder.config import Disentangling, EncoderConfig
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.recorder import layer_details, record
from bertviz_app.text import Edits, Tokens
from bertviz_app.trace.bias import DisentangledBias
from tests.support.encoder_sizes import DISENTANGLED, SMALL, small_config, small_encoder, small_ids
from tests.support.factories import make_tokens

KIND = Disentangling(span=8, farthest=20)
KINDS = {
    "both": KIND,
    "to position": replace(KIND, to_content=False),
    "to content": replace(KIND, to_position=False),
    "layers of their own": replace(KIND, shares_projections=False, has_norm=False),
    "no buckets": Disentangling(span=5),
}


def _encoder(kind: Disentangling) -> Encoder:
    return small_encoder(**{**DISENTANGLED, "disentangling": kind})


def _tokens(n_tokens: int) -> Tokens:
    return replace(make_tokens(n_tokens), ids=np.arange(n_tokens, dtype=np.int32) % 50)


@pytest.mark.parametrize(("n_buckets", "farthest"), [(256, 512), (16, 260), (8, 20), (32, 4096)])
@pytest.mark.slow
def test_the_buckets_are_those_of_transformers(n_buckets: int, farthest: int) -> None:
    from transformers.models.deberta_v2.modeling_deberta_v2 import make_log_bucket_position

    distances = torch.arange(1 - farthest, farthest)
    expected = make_log_bucket_position(distances, n_buckets, farthest).long()
    assert torch.equal(signed_buckets(distances, n_buckets, farthest), expected)
    assert expected.abs().max() < n_buckets


def test_near_distances_have_a_row_each_and_far_ones_share() -> None:
    assert table_rows(3, Disentangling(span=8, farthest=20)).tolist() == [10, 9, 8, 7, 6]
    rows = table_rows(19, Disentangling(span=8, farthest=20)).tolist()  # of keys 18 before to 18 after
    before = [*[15] * 7, *[14] * 5, 13, 13, 12, 11, 10, 9]
    assert rows == [*before, 8, *(16 - row for row in reversed(before))]
    assert table_rows(4, Disentangling(span=2)).tolist() == [3, 3, 3, 2, 1, 0, 0]


@pytest.mark.parametrize("n_tokens", [1, 3, 20])
def test_of_the_table_only_what_is_needed_is_used(n_tokens: int) -> None:
    positions = DisentangledPositions(small_config(**DISENTANGLED), KIND)
    found = positions(n_tokens)
    assert found.table is not None
    assert found.buckets is not None
    rows = table_rows(n_tokens, KIND)
    assert found.table.shape == (1, len(set(rows.tolist())), 32)
    whole = positions.norm(positions.table.weight)
    torch.testing.assert_close(found.table[0, found.buckets], whole[rows], rtol=0, atol=0)


@pytest.mark.parametrize("n_tokens", [1, 5, 127, 129, 300])
def test_it_is_the_softmax_of_three_products(n_tokens: int) -> None:
    generator = torch.Generator().manual_seed(0)
    queries, keys, values = (torch.randn(2, 3, n_tokens, 4, generator=generator) for _ in range(3))
    of_queries, of_keys = (torch.randn(1, 3, 9, 4, generator=generator) for _ in range(2))
    buckets = torch.randint(0, 9, (2 * n_tokens - 1,), generator=generator)
    by_position = PositionHeads(of_queries, of_keys, buckets)
    mixed, lse = attend(Scores(queries, keys, 0.3, by_position=by_position), values)
    positions = torch.arange(n_tokens)
    at = buckets[positions - positions[:, None] + n_tokens - 1]  # [T, T]
    scores = torch.einsum("bhie,bhje->bhij", queries.double(), keys.double())
    scores += torch.einsum("bhie,hije->bhij", queries.double(), of_keys[0].double()[:, at])
    scores += torch.einsum("hije,bhje->bhij", of_queries[0].double()[:, at], keys.double())
    scores *= 0.3
    torch.testing.assert_close(mixed.double(), scores.softmax(-1) @ values.double(), rtol=0, atol=1e-5)
    torch.testing.assert_close(lse.double(), scores.logsumexp(-1), rtol=0, atol=1e-5)


@pytest.mark.parametrize("kind", KINDS)
def test_the_weights_of_the_trace_are_the_encoders(kind: str) -> None:
    encoder = _encoder(KINDS[kind])
    trace = record(encoder, _tokens(12), "small")
    assert isinstance(trace.bias, DisentangledBias)
    n_parts = 1 + len(trace.added)
    assert trace.scale == pytest.approx((n_parts * 8) ** -0.5)
    assert n_parts == KINDS[kind].n_parts
    for layer in range(3):
        details = layer_details(encoder, trace.hidden[layer], layer)
        mixed = trace.attention(layer).astype(np.float64) @ trace.values[layer].astype(np.float64)
        np.testing.assert_allclose(details.mixed, mixed, atol=2e-6)
        np.testing.assert_array_equal(details.output, trace.hidden[layer + 1])


def test_a_pass_over_many_blocks_is_that_over_one(monkeypatch: pytest.MonkeyPatch) -> None:
    encoder = _encoder(KIND)
    whole = record(encoder, _tokens(20), "small")
    monkeypatch.setattr("bertviz_app.encoder.attention.ROWS_AT_ONCE", 3)
    blocks = record(encoder, _tokens(20), "small")
    np.testing.assert_allclose(blocks.hidden, whole.hidden, atol=1e-5)
    np.testing.assert_allclose(blocks.lse, whole.lse, atol=1e-5)


def test_the_tables_of_all_layers_are_allocated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    allocate, shapes = np.empty, []

    def noted(shape: Any, *arguments: Any, **named: Any) -> Any:
        shapes.append(shape)
        return allocate(shape, *arguments, **named)

    monkeypatch.setattr(np, "empty", noted)
    bias = record(_encoder(KIND), _tokens(9), "small").bias
    assert isinstance(bias, DisentangledBias)
    assert bias.position_keys is not None
    assert shapes.count(bias.position_keys.shape) == 2  # of keys and of queries


def test_a_muted_head_still_computes_its_attention() -> None:
    encoder = _encoder(KIND)
    as_ever, muted = (record(encoder, _tokens(9), "small", edits=Edits(heads)) for heads in ((), ((0, 1),)))
    np.testing.assert_array_equal(muted.attention(0), as_ever.attention(0))
    assert np.abs(muted.hidden[1] - as_ever.hidden[1]).max() > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_everything_it_has_can_be_trained(kind: str) -> None:
    encoder = _encoder(KINDS[kind])
    encoder(*small_ids(8, n_inputs=2)).hidden.square().sum().backward()
    assert encoder.disentangled is not None
    for name, parameter in encoder.named_parameters():
        assert parameter.grad is not None, name
    table = encoder.disentangled.table.weight.grad
    assert table is not None
    assert table.abs().max() > 0


def test_an_encoder_without_it_has_neither_table_nor_layers() -> None:
    names = [name for name, _ in Encoder(EncoderConfig(**vars(SMALL))).named_parameters()]
    assert not any("disentangled" in name or "position_" in name for name in names)
