"""The encoder as a module, in float32 and in bfloat16."""

from __future__ import annotations

import copy
import pickle
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from bertviz_app.checkpoint.assemble import copied_to
from bertviz_app.encoder import attention, dense
from bertviz_app.encoder.dense import (
    ACTIVATIONS,
    LONG,
    LONGEST_PACKED,
    Dense,
    PackedWeight,
    activation,
    arrange_weights,
    packed_bytes,
)
from bertviz_app.encoder.encoder import Encoder
from bertviz_app.encoder.recorder import record
from bertviz_app.errors import CheckpointError
from bertviz_app.text import Tokens
from bertviz_app.torch_operations import cpu_flash_attention
from bertviz_app.trace import Trace
from tests.support.checkpoint_folders import DISENTANGLED, MODERN, small_config, small_encoder, small_ids
from tests.support.exactness import of_bound
from tests.support.factories import make_tokens

EXPECTED = {
    "embeddings.token.weight": (50, 32),
    "embeddings.segment.weight": (2, 32),
    "embeddings.position.weight": (20, 32),
    "embeddings.norm.weight": (32,),
    "embeddings.norm.bias": (32,),
    "pooler.dense.weight": (32, 32),
    "pooler.dense.bias": (32,),
} | {
    f"layers.N.{name}.{part}": shape if part == "weight" else shape[:1]
    for name, shape in {
        "attention.query": (32, 32),
        "attention.key": (32, 32),
        "attention.value": (32, 32),
        "attention.output": (32, 32),
        "attention_norm": (32,),
        "feed_forward.expand": (64, 32),
        "feed_forward.contract": (32, 64),
        "feed_forward_norm": (32,),
    }.items()
    for part in ("weight", "bias")
}


def test_its_parameters_have_the_names_that_checkpoints_are_renamed_to() -> None:
    shapes = {name: tuple(tensor.shape) for name, tensor in small_encoder().state_dict().items()}
    assert {re.sub(r"\d", "N", name): shape for name, shape in shapes.items()} == EXPECTED
    assert len(shapes) == 7 + 3 * 16


def test_it_has_no_buffers_and_builds_without_memory() -> None:
    with torch.device("meta"):
        empty = Encoder(small_config())
    assert not list(empty.buffers())
    assert all(parameter.is_meta for parameter in empty.parameters())
    full = small_encoder()
    empty.load_state_dict(full.state_dict(), assign=True)
    assert torch.equal(empty(*small_ids()).hidden, full(*small_ids()).hidden)


def test_every_parameter_can_be_trained() -> None:
    encoder = small_encoder()
    output = encoder(*small_ids(8))
    assert output.pooled is not None
    (output.hidden.square().sum() + output.pooled.sum()).backward()
    for name, parameter in encoder.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.abs().max() > 0 or name.endswith("key.bias"), name  # it shifts whole rows


@pytest.mark.parametrize(("n_inputs", "n_tokens"), [(1, 1), (1, 7), (2, 130)])
@pytest.mark.parametrize(("n_in", "n_out"), [(32, 32), (5, 3), (1, 1), (1536, 384)])
def test_both_ways_of_a_dense_layer_agree(n_inputs: int, n_tokens: int, n_in: int, n_out: int) -> None:
    torch.manual_seed(0)
    layer, x = Dense(n_in, n_out), torch.randn(n_inputs, n_tokens, n_in)
    single = x @ layer.weight.T + layer.bias
    double = x.double() @ layer.weight.double().T + layer.bias.double()
    theirs, exact = ([found.detach().numpy()] for found in (single, double))
    with torch.inference_mode():
        without_gradient = layer(x)
    for out in (without_gradient, layer(x)):
        assert of_bound([out.detach().numpy()], theirs, exact) <= 1


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("is_intel", [False, True])
def test_every_way_of_a_long_text_agrees(
    monkeypatch: pytest.MonkeyPatch, *, is_intel: bool, is_packed: bool
) -> None:
    if is_packed and not dense.packs():
        pytest.skip("weights are packed on Intel's processors only")
    encoder, ids = small_encoder(n_positions=200), small_ids(LONG + 2)
    exact = encoder(*ids).hidden
    monkeypatch.setattr(dense, "packs", lambda: is_intel)
    if is_packed:
        for layer in encoder.layers.modules():
            if isinstance(layer, Dense):
                layer.packed = PackedWeight(layer.weight)
    with torch.inference_mode():
        torch.testing.assert_close(encoder(*ids).hidden, exact, rtol=0, atol=1e-5)
        monkeypatch.setattr(dense, "has_onednn_product", lambda: False)
        torch.testing.assert_close(encoder(*ids).hidden, exact, rtol=0, atol=1e-5)


@pytest.mark.parametrize(
    ("shape", "n_threads", "by_onednn"),
    [
        ((1, LONG - 1), 2, False),
        ((1, LONG), 1, True),
        ((1, LONG), 2, True),
        ((LONG // 8, 8), 2, True),
        ((LONG // 8, 8), 1, False),
        ((LONG // 8 - 1, 8), 2, False),
    ],
)
def test_without_packed_weights_onednn_computes_long_texts_and_on_several_threads_batches(
    shape: tuple[int, int], n_threads: int, *, by_onednn: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    layer, x, calls = Dense(24, 40).requires_grad_(requires_grad=False), torch.randn(*shape, 24), []

    def product(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        calls.append(x.shape)
        return torch.nn.functional.linear(x, weight, bias)

    monkeypatch.setattr(dense, "packs", lambda: False)
    monkeypatch.setattr(dense, "has_onednn_product", lambda: True)
    monkeypatch.setattr(dense, "onednn_product", product)
    monkeypatch.setattr(torch, "get_num_threads", lambda: n_threads)
    with torch.inference_mode():
        exact = torch.nn.functional.linear(x, layer.weight, layer.bias)
        torch.testing.assert_close(layer(x), exact, rtol=0, atol=1e-6)
    assert bool(calls) == by_onednn


@pytest.mark.skipif(not dense.packs(), reason="weights are packed on Intel's processors only")
def test_packed_weights_are_held_for_texts_that_gain_from_them() -> None:
    encoder = small_encoder()
    arrange_weights(encoder.layers, LONG - 1)
    assert packed_bytes(encoder.layers) == 0
    arrange_weights(encoder.layers, LONG)
    weights = [module.weight for module in encoder.layers.modules() if isinstance(module, Dense)]
    assert packed_bytes(encoder.layers) == sum(weight.nbytes for weight in weights)
    arrange_weights(encoder.layers, 5)
    assert packed_bytes(encoder.layers) > 0
    arrange_weights(encoder.layers, LONGEST_PACKED + 1)
    assert packed_bytes(encoder.layers) == 0


@pytest.mark.skipif(not dense.packs(), reason="weights are packed on Intel's processors only")
def test_a_packed_weight_that_changed_is_not_used() -> None:
    encoder, ids = small_encoder(n_positions=200), small_ids(LONG)
    arrange_weights(encoder.layers, LONG)
    copied = copy.deepcopy(encoder)
    with torch.no_grad():
        for parameter in (*encoder.layers.parameters(), *copied.layers.parameters()):
            parameter.mul_(1.1)
    assert packed_bytes(copied.layers) == 0
    exact = encoder(*ids).hidden
    with torch.inference_mode():
        for changed in (encoder, copied):
            torch.testing.assert_close(changed(*ids).hidden, exact, rtol=0, atol=1e-5)
    arrange_weights(encoder.layers, LONG)
    with torch.inference_mode():
        torch.testing.assert_close(encoder(*ids).hidden, exact, rtol=0, atol=1e-5)


def _train_with_a_fused_optimizer(layer: Dense) -> None:
    layer.requires_grad_(requires_grad=True)
    optimizer = torch.optim.AdamW(layer.parameters(), lr=0.1, fused=True)
    layer(torch.ones(1, 2, layer.in_features)).sum().backward()
    optimizer.step()
    layer.requires_grad_(requires_grad=False)


def _load_other_numbers(layer: Dense) -> None:
    layer.load_state_dict({name: 2 * tensor for name, tensor in layer.state_dict().items()})


_CHANGES: dict[str, Callable[[Dense], object]] = {
    "other numbers are loaded": _load_other_numbers,
    "the weight gets another storage": lambda layer: setattr(layer.weight, "data", layer.weight.data * 2),
    "to bfloat16 and back": lambda layer: layer.to(torch.bfloat16).to(torch.float32),
    "trained": _train_with_a_fused_optimizer,
}


@pytest.mark.skipif(not dense.packs(), reason="weights are packed on Intel's processors only")
@pytest.mark.parametrize("name", _CHANGES)
def test_packed_numbers_are_not_used_after_the_weight_changed_in_any_way(name: str) -> None:
    layer = Dense(64, 48).requires_grad_(requires_grad=False)
    layer.packed = PackedWeight(layer.weight)
    _CHANGES[name](layer)
    x = torch.randn(1, LONG + 3, 64)
    with torch.inference_mode():
        expected = torch.nn.functional.linear(x, layer.weight, layer.bias)
        torch.testing.assert_close(layer(x), expected, rtol=0, atol=1e-6)


@pytest.mark.skipif(not dense.packs(), reason="weights are packed on Intel's processors only")
def test_a_layer_with_packed_numbers_is_saved_without_them() -> None:
    layer = Dense(8, 4)
    layer.packed = PackedWeight(layer.weight)
    loaded = pickle.loads(pickle.dumps(layer))
    assert loaded.packed is None
    assert torch.equal(loaded.weight, layer.weight)


_OF_BERT = [pytest.param(sizes, marks=pytest.mark.slow) for sizes in ((768, 768), (768, 3072), (3072, 768))]


@pytest.mark.skipif(not dense.packs(), reason="weights are packed on Intel's processors only")
@pytest.mark.parametrize("n_threads", [1, 2, 4])
@pytest.mark.parametrize("sizes", [*_OF_BERT, (100, 130), (37, 101)])
def test_packed_numbers_serve_any_number_of_rows(sizes: tuple[int, int], n_threads: int) -> None:
    """They are packed for LONG rows; the numbers of rows beside powers of 2 end in a part of a block."""
    layer, before = Dense(*sizes).requires_grad_(requires_grad=False), torch.get_num_threads()
    layer.packed = PackedWeight(layer.weight)
    texts = [torch.randn(1, n_rows, sizes[0]) for n_rows in (LONG, LONG + 1, 255, 513, 1000)]
    torch.set_num_threads(n_threads)
    try:
        with torch.inference_mode():
            found = [layer(x) for x in texts]
    finally:
        torch.set_num_threads(before)
    for x, y in zip(texts, found, strict=True):
        exact = torch.nn.functional.linear(x.double(), layer.weight.double(), layer.bias.double())
        torch.testing.assert_close(y.double(), exact, rtol=0, atol=1e-5)


@pytest.mark.parametrize("missing", ["_mkl_linear", "_mkl_reorder_linear_weight"])
def test_nothing_is_packed_where_torch_lacks_an_operation(
    missing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Operations:
        """Has all operations but one."""

        def __getattr__(self, name: str) -> object:
            if name == missing:
                raise AttributeError(name)
            return getattr(operations, name)

    operations = torch.ops.mkl
    monkeypatch.setattr(torch.ops, "mkl", Operations())
    monkeypatch.setattr(dense, "_is_intel", lambda: True)
    assert not dense.packs.__wrapped__()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no file describes the processor")
def test_a_processor_that_no_file_describes_is_not_intels(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(dense, "_CPU_INFO", tmp_path / "missing")
    assert not dense.packs.__wrapped__()


def test_activations_by_name() -> None:
    from transformers.activations import ACT2FN

    x = torch.tensor([-1.0, 0.0, 2.0])
    for name in ACTIVATIONS:
        torch.testing.assert_close(activation(name)(x), ACT2FN[name](x), rtol=0, atol=1e-6)
    torch.testing.assert_close(activation("gelu")(x), torch.tensor([-0.158655, 0.0, 1.954500]))
    torch.testing.assert_close(activation("gelu_new")(x), torch.tensor([-0.158808, 0.0, 1.954598]))
    torch.testing.assert_close(activation("swish")(x), x * x.sigmoid())


def test_an_unknown_activation_is_an_error_that_names_the_known() -> None:
    with pytest.raises(CheckpointError, match="“prelu”") as caught:
        small_encoder(activation="prelu")
    assert all(name in caught.value.hint for name in ACTIVATIONS)


KINDS: dict[str, Mapping[str, Any]] = {"bert": {}, "modern": MODERN, "disentangled": DISENTANGLED}


def _tokens(n_tokens: int) -> Tokens:
    return replace(make_tokens(n_tokens), ids=np.arange(n_tokens, dtype=np.int32) % 50)


def _both(kind: str, n_tokens: int) -> tuple[Trace, Trace]:
    encoder = small_encoder(**{**KINDS[kind], "n_positions": 200})
    low = copied_to(encoder, "cpu", in_bfloat16=True)
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
    low = copied_to(encoder, "cpu", in_bfloat16=True)
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
