"""Tests of recording: what is kept, that it can be cancelled, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from bertviz_app.encoder.layers import Layer
from bertviz_app.encoder.recorder import Recorder, record
from bertviz_app.errors import Cancelled, CheckpointError
from tests.support.encoder_sizes import small_encoder, small_ids
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


@pytest.mark.parametrize("boundary", [1, 2, 4])
def test_it_can_be_cancelled_at_every_layer(boundary: int) -> None:
    asked: list[None] = []

    def check() -> None:
        asked.append(None)
        if len(asked) == boundary:
            raise Cancelled

    with pytest.raises(Cancelled):
        record(small_encoder(), TOKENS, "small", check)
    assert len(asked) == boundary


def test_it_asks_once_after_the_embeddings_and_each_layer() -> None:
    asked: list[None] = []
    record(small_encoder(), TOKENS, "small", lambda: asked.append(None))
    assert len(asked) == 1 + 3


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
