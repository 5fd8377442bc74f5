"""Tests of `attend`: fused and by rows, against each other and against a softmax in float64."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from bertviz_app.encoder import attention
from bertviz_app.encoder.attention import (
    ROWS_AT_ONCE,
    Scores,
    SelfAttention,
    attend,
    attend_by_rows,
    attention_weights,
)
from bertviz_app.encoder.dense import Intervene, LayerTap
from bertviz_app.encoder.positions import NO_POSITIONS, AttentionWindow, DistanceBias, Positions
from bertviz_app.text import Edits
from bertviz_app.trace.form import Capture, Point, Taps
from tests.support.encoder_sizes import small_config

Attend = Callable[[Scores, Tensor], tuple[Tensor, Tensor]]

LENGTHS = [1, 2, 3, 17, 127, 128, 129, 512, 1025]
SCALES = [0.125, 1.0]
WAYS: list[Attend] = [attend, attend_by_rows]


class Largest(TorchFunctionMode):
    """Keeps the size of the largest tensor that an operation returned."""

    n_numbers = 0

    def __torch_function__(
        self,
        func: Callable[..., object],
        types: Iterable[type],
        args: tuple[Any, ...] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> object:
        result = func(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, tuple | list) else (result,):
            if isinstance(tensor, Tensor):
                self.n_numbers = max(self.n_numbers, tensor.numel())
        return result


def heads(n_tokens: int, n_inputs: int = 1) -> tuple[Tensor, Tensor, Tensor]:
    """Return random queries, keys and values [B, 2, T, 16], as strided as the encoder's own."""
    generator = torch.Generator().manual_seed(n_tokens)
    flat = [torch.randn(n_inputs, n_tokens, 32, generator=generator) for _ in range(3)]
    queries, keys, values = [x.view(n_inputs, n_tokens, 2, 16).transpose(1, 2) for x in flat]
    return queries, keys, values


def inputs(n_tokens: int, scale: float, positions: Positions = NO_POSITIONS) -> tuple[Scores, Tensor]:
    """Return what scores are computed from, and the values, of random `heads`."""
    queries, keys, values = heads(n_tokens)
    return Scores(queries, keys, scale, positions), values


def exact(queries: Tensor, keys: Tensor, values: Tensor, scale: float) -> tuple[Tensor, Tensor]:
    scores = queries.double() @ keys.double().transpose(-1, -2) * scale
    return scores.softmax(-1) @ values.double(), scores.logsumexp(-1)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("n_tokens", LENGTHS)
def test_it_is_the_softmax(way: Attend, n_tokens: int, scale: float) -> None:
    queries, keys, values = heads(n_tokens)
    mixed, lse = way(Scores(queries, keys, scale), values)
    expected_mixed, expected_lse = exact(queries, keys, values, scale)
    torch.testing.assert_close(mixed.double(), expected_mixed, rtol=0, atol=1e-5)
    torch.testing.assert_close(lse.double(), expected_lse, rtol=0, atol=1e-5)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("n_tokens", LENGTHS)
def test_both_ways_agree(n_tokens: int, scale: float) -> None:
    one, other = (way(*inputs(n_tokens, scale)) for way in WAYS)
    torch.testing.assert_close(one[0], other[0], rtol=0, atol=1e-5)
    torch.testing.assert_close(one[1], other[1], rtol=0, atol=1e-5)


@pytest.mark.parametrize("way", [attend, attend_by_rows])
@pytest.mark.parametrize("n_tokens", LENGTHS[:-1])
def test_a_bias_by_distance_is_added_to_every_score(way: Attend, n_tokens: int) -> None:
    queries, keys, values = heads(n_tokens)
    by_distance = 3 * torch.randn(2, 2 * n_tokens - 1, generator=torch.Generator().manual_seed(1))
    positions = torch.arange(n_tokens)
    bias = by_distance.double()[:, positions - positions[:, None] + n_tokens - 1]
    scores = queries.double() @ keys.double().transpose(-1, -2) * 0.25 + bias
    mixed, lse = way(Scores(queries, keys, 0.25, DistanceBias(by_distance)), values)
    torch.testing.assert_close(mixed.double(), scores.softmax(-1) @ values.double(), rtol=0, atol=1e-5)
    torch.testing.assert_close(lse.double(), scores.logsumexp(-1), rtol=0, atol=1e-5)


def test_no_square_of_biases_is_ever_made() -> None:
    n_tokens = 4 * ROWS_AT_ONCE
    with Largest() as largest:
        attend(*inputs(n_tokens, 0.25, DistanceBias(torch.zeros(2, 2 * n_tokens - 1))))
    assert 0 < largest.n_numbers < 2 * n_tokens**2


@pytest.mark.parametrize("way", WAYS)
def test_large_scores_overflow_nothing(way: Attend) -> None:
    queries, keys, values = heads(40)
    mixed, lse = way(Scores(queries * 30, keys * 30, 1.0), values)
    expected_mixed, expected_lse = exact(queries * 30, keys * 30, values, 1.0)
    torch.testing.assert_close(mixed.double(), expected_mixed, rtol=0, atol=2e-3)
    torch.testing.assert_close(lse.double(), expected_lse, rtol=1e-6, atol=0)


@pytest.mark.parametrize("way", WAYS)
def test_inputs_of_a_batch_do_not_mix(way: Attend) -> None:
    queries, keys, values = heads(9, n_inputs=3)
    together = way(Scores(queries, keys, 0.25), values)
    for number in range(3):
        part = slice(number, number + 1)
        alone = way(Scores(queries[part], keys[part], 0.25), values[part])
        for ours, expected in zip(together, alone, strict=True):
            torch.testing.assert_close(ours[part], expected, rtol=0, atol=1e-6)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n_tokens", [5, 130])
def test_gradients_flow(way: Attend, n_tokens: int) -> None:
    leaves = [x.detach().requires_grad_() for x in heads(n_tokens)]
    queries, keys, values = leaves
    gradients = torch.autograd.grad(way(Scores(queries, keys, 0.25), values)[0].square().sum(), leaves)
    doubles = [x.detach().double().requires_grad_() for x in leaves]
    expected = torch.autograd.grad(exact(doubles[0], doubles[1], doubles[2], 0.25)[0].square().sum(), doubles)
    for ours, theirs in zip(gradients, expected, strict=True):
        torch.testing.assert_close(ours.double(), theirs, rtol=0, atol=1e-5)


def test_without_the_fused_operation_it_goes_by_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attention, "has_cpu_flash_attention", lambda: False)
    given = inputs(ROWS_AT_ONCE + 1, 0.25)
    for ours, by_rows in zip(attend(*given), attend_by_rows(*given), strict=True):
        assert torch.equal(ours, by_rows)


@pytest.mark.parametrize("way", WAYS)
def test_no_square_of_weights_is_ever_made(way: Attend) -> None:
    """The largest tensor that any operation returns stays below [H, T, T]."""
    n_tokens = 4 * ROWS_AT_ONCE
    with Largest() as largest:
        way(*inputs(n_tokens, 0.25))
    assert 0 < largest.n_numbers < 2 * n_tokens**2


@pytest.mark.parametrize(
    "positions",
    [
        NO_POSITIONS,
        AttentionWindow(3),
        DistanceBias(torch.linspace(-2, 2, 2 * 299).view(2, -1)),
    ],
)
def test_weights_as_a_whole_are_those_of_the_rows(positions: Positions) -> None:
    scores, values = inputs(150, 0.25, positions)
    mixed, lse = attend_by_rows(scores, values)
    weights, lse_of_weights = attention_weights(scores)
    assert weights.shape == (1, 2, 150, 150)
    torch.testing.assert_close(weights.sum(-1), torch.ones(1, 2, 150), rtol=0, atol=1e-6)
    torch.testing.assert_close(weights @ values, mixed, rtol=0, atol=1e-6)
    assert torch.equal(lse_of_weights, lse)


_HEADS = (Point.QUERIES, Point.KEYS, Point.VALUES, Point.LSE)


@pytest.mark.parametrize("muted", [[2], [0, 3], [0, 1, 2, 3]])
def test_the_output_of_a_muted_head_is_zero_and_its_attention_as_without(muted: list[int]) -> None:
    module = SelfAttention(small_config())
    hidden = torch.randn(1, 7, 32)
    silent = SelfAttention(small_config())
    silent.load_state_dict(module.state_dict())
    for head in muted:
        silent.output.weight.data[:, 8 * head : 8 * head + 8] = 0
    mute = Intervene(Edits(tuple((0, head) for head in muted)))
    captures = [Capture(_HEADS), Capture(_HEADS)]
    output = module(hidden, tap=LayerTap(Taps(mute, captures[0])))
    expected = silent(hidden, tap=LayerTap(captures[1]))
    torch.testing.assert_close(output, expected, rtol=0, atol=1e-6)
    for point in _HEADS:
        assert torch.equal(captures[0].tensors[point, 0], captures[1].tensors[point, 0])


def test_a_tap_is_given_the_heads() -> None:
    module = SelfAttention(small_config())
    hidden = torch.randn(1, 7, 32)
    capture = Capture(_HEADS)
    output = module(hidden, tap=LayerTap(capture))
    assert output.shape == (1, 7, 32)
    queries, keys, values, lse = (capture.tensors[point, 0] for point in _HEADS)
    assert queries.shape == keys.shape == values.shape == (1, 4, 7, 8)
    assert lse.shape == (1, 4, 7)
    query = hidden @ module.query.weight.T + module.query.bias
    torch.testing.assert_close(queries[0, 3], query[0, :, 24:], rtol=0, atol=1e-5)
