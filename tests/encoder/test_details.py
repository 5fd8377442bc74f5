"""A layer computed again: the trace's own numbers, and what lies between them."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from bertviz_app.encoder.encoder import Layer
from bertviz_app.encoder.recorder import layer_details, record
from bertviz_app.text import Edits
from bertviz_app.trace import Trace
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.types import Doubles
from tests.support.encoder_sizes import MODERN, small_encoder
from tests.support.factories import make_tokens

LAST = 2


def _trace(n_tokens: int = 7, muted: tuple[tuple[int, int], ...] = ()) -> Trace:
    tokens = replace(make_tokens(n_tokens), ids=np.arange(n_tokens, dtype=np.int32))
    return record(small_encoder(), tokens, "small", edits=Edits(muted))


def _details(trace: Trace, layer: int, muted: tuple[int, ...] = ()) -> LayerDetails:
    return layer_details(
        small_encoder(), trace.hidden[layer], layer, Edits(tuple((layer, head) for head in muted))
    )


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_the_output_is_the_next_hidden_state_to_the_last_bit(layer: int) -> None:
    trace = _trace()
    np.testing.assert_array_equal(_details(trace, layer).output, trace.hidden[layer + 1])


@pytest.mark.parametrize("layer", [0, 2])
def test_each_head_gathers_the_values_by_its_weights(layer: int) -> None:
    trace = _trace()
    details = _details(trace, layer)
    mixed = trace.attention(layer).astype(np.float64) @ trace.values[layer].astype(np.float64)
    np.testing.assert_allclose(details.mixed, mixed, atol=2e-6)
    beside = np.concatenate(list(details.mixed), axis=-1)
    np.testing.assert_array_equal(details.concat, beside)


def test_the_stations_follow_from_each_other() -> None:
    trace, layer = _trace(), 1
    details = _details(trace, layer)
    block = small_encoder().layers[layer]
    assert isinstance(block, Layer)
    weights = {name: tensor.detach().double().numpy() for name, tensor in block.state_dict().items()}

    def dense(name: str, x: Doubles) -> Doubles:
        y: Doubles = x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
        return y

    def norm(name: str, x: Doubles) -> Doubles:
        centred = x - x.mean(-1, keepdims=True)
        spread = np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        y: Doubles = centred / spread * weights[f"{name}.weight"] + weights[f"{name}.bias"]
        return y

    wide = {name: getattr(details, name).astype(np.float64) for name in _NAMES}
    erf = np.vectorize(math.erf)
    expected = {
        "projected": dense("attention.output", wide["concat"]),
        "attention_sum": trace.hidden[layer].astype(np.float64) + wide["projected"],
        "attention_norm": norm("attention_norm", wide["attention_sum"]),
        "expanded": dense("feed_forward.expand", wide["attention_norm"]),
        "active": wide["expanded"] * 0.5 * (1 + erf(wide["expanded"] / math.sqrt(2))),
        "contracted": dense("feed_forward.contract", wide["active"]),
        "output_sum": wide["attention_norm"] + wide["contracted"],
        "output": norm("feed_forward_norm", wide["output_sum"]),
    }
    for name, values in expected.items():
        np.testing.assert_allclose(wide[name], values, atol=5e-6, err_msg=name)
    assert details.activation == "gelu"


_NAMES = (
    *("concat", "projected", "attention_sum", "attention_norm"),
    *("expanded", "active", "contracted", "output_sum", "output"),
)


@pytest.mark.parametrize("layer", [0, 1, 2])
def test_details_of_a_gated_pre_norm_layer_add_up(layer: int) -> None:
    encoder = small_encoder(**MODERN)
    tokens = replace(make_tokens(7), ids=np.arange(7, dtype=np.int32))
    trace = record(encoder, tokens, "small")
    details = layer_details(encoder, trace.hidden[layer], layer)
    np.testing.assert_array_equal(details.output, trace.hidden[layer + 1])
    assert (details.input_norm is None) == (layer == 0)
    assert details.gate is not None
    assert details.gated is not None
    np.testing.assert_allclose(details.gated, details.active * details.gate, rtol=1e-6)
    np.testing.assert_allclose(details.attention_sum, trace.hidden[layer] + details.projected, atol=1e-6)
    np.testing.assert_allclose(details.output_sum, details.attention_sum + details.contracted, atol=1e-6)
    assert np.allclose(details.output, details.output_sum) == (layer < LAST)
    weights = encoder.layer(layer).feed_forward.contract.weight.detach().numpy()
    np.testing.assert_allclose(details.contracted, details.gated @ weights.T, atol=1e-5)
    read = trace.hidden[0] if details.input_norm is None else details.input_norm
    values = read @ encoder.layer(layer).attention.value.weight.detach().numpy().T
    np.testing.assert_allclose(trace.values[layer].transpose(1, 0, 2).reshape(7, 32), values, atol=1e-5)


def test_the_details_of_the_last_layer_have_the_pooled_vector_before_its_tanh() -> None:
    trace = _trace()
    details = _details(trace, LAST)
    assert details.pooler_dense is not None
    assert trace.pooled is not None
    np.testing.assert_array_equal(torch.from_numpy(details.pooler_dense.copy()).tanh(), trace.pooled)
    assert _details(trace, 0).pooler_dense is None


def test_a_model_without_a_pooler_has_none() -> None:
    encoder = small_encoder(has_pooler=False)
    hidden = np.zeros((3, 32), np.float32)
    assert layer_details(encoder, hidden, LAST).pooler_dense is None


def test_muted_heads_hand_over_nothing() -> None:
    trace = _trace(muted=((1, 0), (1, 3)))
    details = _details(trace, 1, muted=(0, 3))
    assert not details.mixed[[0, 3]].any()
    assert details.mixed[[1, 2]].any()
    np.testing.assert_array_equal(details.output, trace.hidden[2])


def test_what_it_returns_is_read_only_and_its_size_is_known() -> None:
    details = _details(_trace(), 0)
    with pytest.raises(ValueError, match="read-only"):
        details.concat[0, 0] = 1
    assert details.n_bytes == 4 * 7 * (8 * 32 + 2 * 64)
