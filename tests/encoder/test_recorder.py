"""Tests of recording: what is kept, that it can be cancelled, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from bertviz_app.encoder import attention
from bertviz_app.encoder.encoder import Layer
from bertviz_app.encoder.recorder import Recorder, record
from bertviz_app.errors import Cancelled, CheckpointError
from bertviz_app.torch_operations import has_cpu_flash_attention
from bertviz_app.trace.form import Point
from tests.support.encoder_sizes import DISENTANGLED, MODERN, small_encoder, small_ids
from tests.support.factories import make_tokens

TOKENS = replace(make_tokens(12, pair=True), ids=np.arange(12, dtype=np.int32))


def test_the_trace_of_a_forward_pass() -> None:
    encoder = small_encoder()
    trace = record(encoder, TOKENS, "small")
    assert (trace.model, trace.tokens, trace.scale) == ("small", TOKENS, 8**-0.5)
    assert trace.queries.shape == (3, 4, 12, 8)
    with torch.inference_mode():
        ids = [torch.tensor(row.tolist())[None] for row in (TOKENS.ids, TOKENS.segment_ids)]
        output = encoder(*ids, torch.arange(12)[None])
    np.testing.assert_array_equal(trace.hidden[-1], output.hidden[0].numpy())
    assert trace.pooled is not None
    assert output.pooled is not None
    np.testing.assert_array_equal(trace.pooled, output.pooled[0].numpy())


def test_what_is_kept_of_a_layer_makes_the_next_state() -> None:
    encoder = small_encoder()
    trace = record(encoder, TOKENS, "small")
    mixed = trace.attention(1) @ trace.values[1]  # [H, T, E]
    concat = torch.from_numpy(mixed.transpose(1, 0, 2).reshape(12, 32))
    layer = encoder.layers[1]
    assert isinstance(layer, Layer)
    with torch.no_grad():
        hidden = layer.attention_norm(torch.tensor(trace.hidden[1]) + layer.attention.output(concat))
        hidden = layer.feed_forward_norm(hidden + layer.feed_forward(hidden))
    np.testing.assert_allclose(trace.hidden[2], hidden.numpy(), rtol=0, atol=1e-5)


def test_without_a_pooler() -> None:
    assert record(small_encoder(has_pooler=False), TOKENS, "small").pooled is None


def test_recording_changes_no_number_and_forbids_no_gradient() -> None:
    encoder = small_encoder()
    recorded = encoder(*small_ids(), tap=Recorder(encoder, 6))
    assert recorded.hidden.requires_grad
    assert torch.equal(recorded.hidden, encoder(*small_ids()).hidden)


def test_a_trace_shares_no_memory_with_the_model() -> None:
    encoder = small_encoder()
    trace = record(encoder, TOKENS, "small")
    before = trace.hidden.copy(), trace.token_embeddings.copy()
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter.zero_()
    np.testing.assert_array_equal(trace.hidden, before[0])
    np.testing.assert_array_equal(trace.token_embeddings, before[1])


def test_one_sequence_at_a_time() -> None:
    encoder = small_encoder()
    with pytest.raises(ValueError, match="one sequence"):
        encoder(*small_ids(6, n_inputs=2), tap=Recorder(encoder, 6))


@pytest.mark.parametrize("boundary", [1, 2, 4, 20, 40])
def test_it_can_be_cancelled_within_every_layer(boundary: int) -> None:
    checks: list[None] = []

    def check() -> None:
        checks.append(None)
        if len(checks) == boundary:
            raise Cancelled

    with pytest.raises(Cancelled):
        record(small_encoder(), TOKENS, "small", check)
    assert len(checks) == boundary


@pytest.mark.parametrize("changes", [{}, MODERN, DISENTANGLED])
def test_it_asks_several_times_in_each_layer(changes: Mapping[str, Any]) -> None:
    """Between two tensors of a layer, too: one layer of a long text takes seconds."""
    encoder, checks, n_checks = small_encoder(**changes), list[None](), list[int]()

    class Count:
        """Notes after each layer how often it was asked until then."""

        def wants(self, point: Point, layer: int) -> bool:
            return point in (Point.EMBEDDINGS, Point.OUTPUT)

        def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
            n_checks.append(len(checks))
            return tensor

    with torch.inference_mode():
        encoder(*small_ids(), tap=Count(), check=lambda: checks.append(None))
    assert len(n_checks) == 1 + encoder.config.n_layers
    assert min(np.diff(n_checks)) >= 10


def test_it_reports_each_layer_that_is_done() -> None:
    reported = list[tuple[int, int]]()
    record(small_encoder(), TOKENS, "small", progress=lambda *done: reported.append(done))
    assert reported == [(1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize("is_fused", [True, False])
def test_it_asks_between_parts_of_the_attention_of_a_long_text(
    monkeypatch: pytest.MonkeyPatch, *, is_fused: bool
) -> None:
    """By heads where a kernel computes it, else by blocks of queries; the numbers are those of the whole."""
    if is_fused and not has_cpu_flash_attention():
        pytest.skip("this torch has no such operation")
    monkeypatch.setattr(attention, "has_cpu_flash_attention", lambda: is_fused)
    encoder = small_encoder(n_positions=600)
    tokens = replace(make_tokens(600), ids=np.arange(600, dtype=np.int32) % 50)
    checks = list[None]()
    whole = record(encoder, tokens, "small", lambda: checks.append(None))
    n_checks = len(checks)
    monkeypatch.setattr(attention, "LONGEST_WHOLE", 500)
    checks.clear()
    trace = record(encoder, tokens, "small", lambda: checks.append(None))
    n_layers, n_heads = trace.n_layers, trace.n_heads
    assert n_checks >= (0 if is_fused else 5 * n_layers)
    assert len(checks) - n_checks == (n_layers * n_heads if is_fused else 0)
    for array, expected in ((trace.lse, whole.lse), (trace.hidden, whole.hidden)):
        np.testing.assert_array_equal(array, expected)


@pytest.mark.parametrize(
    ("name", "ids", "message"),
    [
        ("ids", 50, "The token id 50 does not exist: this model has token ids 0 to 49."),
        ("ids", -1, "The token id -1 does not exist: this model has token ids 0 to 49."),
        ("segment_ids", 2, "The segment id 2 does not exist: this model has segment ids 0 to 1."),
        ("position_ids", 20, "The position id 20 does not exist: this model has position ids 0 to 19."),
    ],
)
def test_ids_that_the_model_does_not_have(name: str, ids: int, message: str) -> None:
    row = getattr(TOKENS, name).copy()
    row[3] = ids
    with pytest.raises(CheckpointError) as caught:
        record(small_encoder(), replace(TOKENS, **{name: row}), "small")
    assert caught.value.message == message


@pytest.mark.parametrize("damage", ["nan", "inf"])
@pytest.mark.parametrize(
    ("parameter", "where"),
    [
        ("embeddings.token.weight", "the embeddings"),
        ("embeddings.norm.bias", "the embeddings"),
        ("layers.0.attention.query.weight", "layer 0"),
        ("layers.1.attention.key.weight", "layer 1"),
        ("layers.1.attention.value.bias", "layer 1"),
        ("layers.2.attention.output.weight", "layer 2"),
        ("layers.1.feed_forward.expand.bias", "layer 1"),
        ("layers.2.feed_forward_norm.weight", "layer 2"),
        ("pooler.dense.bias", "the pooler"),
    ],
)
def test_numbers_that_are_not_finite(parameter: str, where: str, damage: str) -> None:
    encoder = small_encoder()
    with torch.no_grad():
        encoder.get_parameter(parameter).view(-1)[:32] = float(
            damage if where != "the pooler" else "nan"
        )  # tanh(inf) is 1
    with pytest.raises(CheckpointError, match=f"The numbers of {where} are not finite"):
        record(encoder, TOKENS, "small")


def test_huge_but_finite_numbers_are_no_damage() -> None:
    encoder = small_encoder()
    with torch.no_grad():
        encoder.get_parameter("layers.1.attention.query.bias")[:] = 3e38
        encoder.get_parameter("layers.1.attention.key.weight")[:] = 0
        encoder.get_parameter("layers.1.attention.key.bias")[:] = 0
    assert np.isfinite(record(encoder, TOKENS, "small").hidden).all()
