"""An encoder whose layers multiply in bfloat16: what it shares with that of float32, and how near it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from bertviz_app.checkpoint.assemble import placed
from bertviz_app.encoder import attention
from bertviz_app.encoder.dense import Dense
from bertviz_app.encoder.recorder import record
from bertviz_app.text import Tokens
from bertviz_app.torch_operations import cpu_flash_attention
from bertviz_app.trace import Trace
from tests.support.encoder_sizes import DISENTANGLED, MODERN, small_encoder
from tests.support.factories import make_tokens

KINDS: dict[str, Mapping[str, Any]] = {"bert": {}, "modern": MODERN, "disentangled": DISENTANGLED}


def _tokens(n_tokens: int) -> Tokens:
    return replace(make_tokens(n_tokens), ids=np.arange(n_tokens, dtype=np.int32) % 50)


def _both(kind: str, n_tokens: int) -> tuple[Trace, Trace]:
    encoder = small_encoder(**{**KINDS[kind], "n_positions": 200})
    low = placed(encoder, "cpu", in_bfloat16=True)
    tokens = _tokens(n_tokens)
    return record(encoder, tokens, "small"), record(low, tokens, "small")


@pytest.mark.parametrize("n_tokens", [12, 130])
@pytest.mark.parametrize("kind", KINDS)
def test_the_weights_are_near_those_of_float32_and_rows_add_up_to_1(kind: str, n_tokens: int) -> None:
    exact, low = _both(kind, n_tokens)
    assert not np.array_equal(low.hidden[-1], exact.hidden[-1])
    for layer in range(exact.n_layers):
        weights = low.attention(layer)
        np.testing.assert_allclose(weights, exact.attention(layer), rtol=0, atol=0.02)
        sums = np.exp(low.scores(layer) - low.lse[layer][..., None]).sum(-1)
        np.testing.assert_allclose(sums, 1, atol=1e-3)
    np.testing.assert_allclose(low.hidden, exact.hidden, rtol=0, atol=0.05 * np.abs(exact.hidden).max())


def test_long_texts_are_computed_where_torch_has_no_fused_kernel_of_16_bits(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse_16_bits(queries: torch.Tensor, *rest: Any) -> tuple[torch.Tensor, torch.Tensor]:
        assert queries.dtype == torch.float32
        return fused(queries, *rest)

    fused = cpu_flash_attention
    monkeypatch.setattr(attention, "cpu_flash_attention", refuse_16_bits)
    monkeypatch.setattr(attention, "cpu_flash_attention_takes_bfloat16", lambda: False)
    exact, low = _both("bert", 130)
    np.testing.assert_allclose(low.attention(1), exact.attention(1), rtol=0, atol=0.02)
    assert not np.array_equal(low.hidden[-1], exact.hidden[-1])


def test_products_of_few_shapes_are_compiled_for_texts_of_many_lengths(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def noting(x: torch.Tensor, *rest: Any) -> torch.Tensor:
        n_rows.add(x.numel() // x.shape[-1])
        return linear(x, *rest)

    layer, linear, n_rows = Dense(8, 6).to(torch.bfloat16), nn.functional.linear, set[int]()
    inputs = [torch.randn(2, n_tokens, 8) for n_tokens in range(1, 25)]
    expected = [linear(x.to(torch.bfloat16), layer.weight, layer.bias) for x in inputs]
    monkeypatch.setattr(nn.functional, "linear", noting)
    with torch.no_grad():
        for x, wanted in zip(inputs, expected, strict=True):
            torch.testing.assert_close(layer(x), wanted, rtol=1e-2, atol=1e-3)
    assert n_rows == {16, 32, 48}
    layer(inputs[0])
    assert 2 in n_rows  # where gradients are wanted nothing is filled up


def test_only_the_large_products_of_the_layers_have_16_bits() -> None:
    encoder = small_encoder()
    low = placed(encoder, "cpu", in_bfloat16=True)
    kinds = {name: parameter.dtype for name, parameter in low.named_parameters()}
    short = {name for name, kind in kinds.items() if kind == torch.bfloat16}
    assert len(short) == 3 * 2 * 6
    assert {name.split(".", 2)[2].rpartition(".")[0] for name in short} == {
        "attention.query",
        "attention.key",
        "attention.value",
        "attention.output",
        "feed_forward.expand",
        "feed_forward.contract",
    }
    assert low.embeddings.token.weight.data_ptr() == encoder.embeddings.token.weight.data_ptr()
    assert all(parameter.dtype == torch.float32 for parameter in encoder.parameters())


def test_the_first_hidden_state_is_that_of_float32() -> None:
    exact, low = _both("bert", 12)
    np.testing.assert_array_equal(low.hidden[0], exact.hidden[0])
    # Queries are products rounded to 16 bits: the lower half of each number is zero.
    assert not (low.queries[0].view(np.uint32) & 0xFFFF).any()
