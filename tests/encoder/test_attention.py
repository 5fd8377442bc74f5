"""Attention: its weights, its two ways, the positions in it and distances between tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode

from bertviz_app.encoder import attention, positions as rows
from bertviz_app.encoder.attention import (
    ROWS_AT_ONCE,
    DisentangledPositions,
    PositionHeads,
    Scores,
    SelfAttention,
    attend,
    attend_by_rows,
    attention_weights,
    table_rows,
)
from bertviz_app.encoder.config import (
    Blocks,
    Bottleneck,
    Convolution,
    Disentangling,
    GlobalTokens,
    LanguageAdapter,
    SpanConvolution,
    TokenProjection,
)
from bertviz_app.encoder.dense import Intervene, LayerTap
from bertviz_app.encoder.encoder import Encoder, FeedForward
from bertviz_app.encoder.positions import (
    NO_POSITIONS,
    ROWS_IN_CACHE,
    AttentionWindow,
    DistanceBias,
    Positions,
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
from bertviz_app.text import Edits, Tokens
from bertviz_app.trace.bias import DisentangledBias
from bertviz_app.trace.form import Capture, Form, Point, Taps
from tests.support.checkpoint_folders import (
    DISENTANGLED,
    MODERN,
    small_config,
    small_encoder,
    small_ids,
)
from tests.support.exactness import of_bound
from tests.support.factories import by_distance, make_tokens

Attend = Callable[[Scores, Tensor], tuple[Tensor, Tensor]]

LENGTHS = [1, 2, 3, 17, 127, 128, 129, 512, 1025]
SCALES = [0.125, 1.0, 0.25, 1.0, 0.125, 1.0, 0.125, 1.0, 0.125]
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


def defined(
    queries: Tensor, keys: Tensor, values: Tensor, scale: float, bias: Tensor | float = 0.0
) -> tuple[Tensor, Tensor]:
    """Return the mixed values and the logarithms of the sums by their definition, in the given precision."""
    scores = queries @ keys.transpose(-1, -2) * scale + bias
    return scores.softmax(-1) @ values, scores.logsumexp(-1)


def assert_same(ours: Iterable[Tensor], theirs: Iterable[Tensor], exact: Iterable[Tensor]) -> None:
    assert of_bound(*([tensor.numpy() for tensor in found] for found in (ours, theirs, exact))) <= 1


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("n_tokens", "scale"), list(zip(LENGTHS, SCALES, strict=True)))
def test_it_is_the_softmax(way: Attend, n_tokens: int, scale: float) -> None:
    single = queries, keys, values = heads(n_tokens)
    double = [x.double() for x in single]
    ours = way(Scores(queries, keys, scale), values)
    assert_same(ours, defined(*single, scale), defined(double[0], double[1], double[2], scale))


@pytest.mark.parametrize("way", [attend, attend_by_rows])
@pytest.mark.parametrize("n_tokens", LENGTHS[:-1])
def test_a_bias_by_distance_is_added_to_every_score(way: Attend, n_tokens: int) -> None:
    queries, keys, values = heads(n_tokens)
    by_distance = 3 * torch.randn(2, 2 * n_tokens - 1, generator=torch.Generator().manual_seed(1))
    positions = torch.arange(n_tokens)
    bias = by_distance.double()[:, positions - positions[:, None] + n_tokens - 1]
    ours = way(Scores(queries, keys, 0.25, DistanceBias(by_distance)), values)
    exact = defined(queries.double(), keys.double(), values.double(), 0.25, bias)
    assert_same(ours, defined(queries, keys, values, 0.25, bias.float()), exact)


def test_no_square_of_biases_is_ever_made() -> None:
    n_tokens = 4 * ROWS_AT_ONCE
    with Largest() as largest:
        attend(*inputs(n_tokens, 0.25, DistanceBias(torch.zeros(2, 2 * n_tokens - 1))))
    assert 0 < largest.n_numbers < 2 * n_tokens**2


@pytest.mark.parametrize("way", WAYS)
def test_large_scores_overflow_nothing(way: Attend) -> None:
    queries, keys, values = heads(40)
    queries, keys = queries * 30, keys * 30
    ours = way(Scores(queries, keys, 1.0), values)
    exact = defined(queries.double(), keys.double(), values.double(), 1.0)
    assert_same(ours, defined(queries, keys, values, 1.0), exact)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("n_tokens", [5, 130])
def test_gradients_flow(way: Attend, n_tokens: int) -> None:
    leaves = [x.detach().requires_grad_() for x in heads(n_tokens)]
    queries, keys, values = leaves
    doubles = [x.detach().double().requires_grad_() for x in leaves]
    ours = way(Scores(queries, keys, 0.25), values)[0]
    theirs = defined(queries, keys, values, 0.25)[0]
    exact = defined(doubles[0], doubles[1], doubles[2], 0.25)[0]
    assert_same(
        *(
            torch.autograd.grad(mixed.square().sum(), inputs)
            for mixed, inputs in ((ours, leaves), (theirs, leaves), (exact, doubles))
        )
    )


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


TOKENS = replace(make_tokens(12, pair=True), ids=np.arange(12, dtype=np.int32))


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


def test_a_long_text_in_bfloat16_is_turned_in_float32() -> None:
    n_tokens = ROWS_IN_CACHE + 1
    x = torch.randn(1, 1, n_tokens, 8).bfloat16()
    turn = rotation(n_tokens, frequencies(8, 10.0, torch.device("cpu")))
    assert torch.equal(rotated(x, turn), rotated(x.float(), turn))


def test_the_form_has_what_the_other_fields_of_a_configuration_state() -> None:
    plain = small_config()
    assert plain.form == Form()
    beside = replace(plain, bottleneck=Bottleneck(8), form=Form(is_gated=True))
    assert beside.form == Form(is_gated=True, has_bottleneck=True, attends_beside_bottleneck=True)
    shared = replace(beside, bottleneck=Bottleneck(8, is_shared=True), rotary_bases=(10_000.0,))
    assert shared.form == Form(is_gated=True, has_bottleneck=True, is_rotary=True)
    assert replace(shared, bottleneck=None, rotary_bases=()).form == Form(is_gated=True)
    others: dict[str, dict[str, Any]] = {
        "zeroes_masks": {"zeroed_id": 0},
        "has_convolution": {"convolution": Convolution(3)},
        "has_global_tokens": {"global_tokens": GlobalTokens()},
        "has_trigrams": {"token_projection": TokenProjection(16)},
        "has_blocks": {"blocks": Blocks(8, 2)},
        "has_span_convolution": {"span_convolution": SpanConvolution(3)},
        "has_adapter": {"adapter": LanguageAdapter(8)},
        "groups_queries": {"n_key_heads": 2},
    }
    for flag, fields in others.items():
        assert replace(plain, **fields).form == replace(Form(), **dict[str, Any]({flag: True}))
    alone = TokenProjection(16, has_neighbours=False)
    assert replace(plain, token_projection=alone).form == Form()


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


N_TOKENS, AT_ONCE = 17, 5
BOTTLENECK: Mapping[str, Any] = {
    "bottleneck": Bottleneck(width=16, is_shared=True),
    "form": Form(n_feed_forwards=3),
}
ROW_KINDS = pytest.mark.parametrize("changes", [{}, MODERN, DISENTANGLED, BOTTLENECK])


@pytest.fixture
def heights(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let five tokens be computed at a time; returns how many each feed-forward part was given."""
    monkeypatch.setattr(rows, "ROWS_IN_CACHE", AT_ONCE)
    found, compute = [], FeedForward.forward

    def counted(part: FeedForward, hidden: torch.Tensor, *tap: Any) -> torch.Tensor:
        found.append(hidden.shape[1])
        return compute(part, hidden, *tap)

    monkeypatch.setattr(FeedForward, "forward", counted)
    return found


@ROW_KINDS
def test_parts_have_the_numbers_of_the_whole(
    changes: dict[str, Any], heights: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    encoder, ids = small_encoder(**changes), small_ids(N_TOKENS, 2)
    with torch.inference_mode():
        found = encoder(*ids).hidden
        assert set(heights) == {AT_ONCE, N_TOKENS % AT_ONCE}
        monkeypatch.setattr(rows, "ROWS_IN_CACHE", N_TOKENS)
        heights.clear()
        whole = encoder(*ids).hidden
    assert set(heights) == {N_TOKENS}
    torch.testing.assert_close(found, whole, rtol=0, atol=1e-5)


@ROW_KINDS
def test_who_reads_or_replaces_a_tensor_of_a_layer_gets_all_tokens(
    changes: dict[str, Any], heights: list[int]
) -> None:
    encoder, ids = small_encoder(**changes), small_ids(N_TOKENS)
    read = {Point.PROJECTED, Point.EXPANDED, Point.OUTPUT_SUM}
    with torch.inference_mode():
        expected = encoder(*ids).hidden
        for point in read:
            capture = Capture({point})
            heights.clear()
            assert torch.allclose(encoder(*ids, tap=capture).hidden, expected, atol=1e-5)
            assert set(heights) == {N_TOKENS}
            assert {tensor.shape[1] for tensor in capture.tensors.values()} == {N_TOKENS}


def test_what_was_read_of_the_attention_is_not_written_over(heights: list[int]) -> None:
    encoder, ids = small_encoder(), small_ids(N_TOKENS)
    capture = Capture({Point.PROJECTED, Point.ATTENTION_SUM})
    with torch.inference_mode():
        encoder(*ids, tap=capture)
        hidden = encoder.embeddings(*ids)
    projected, total = (capture.tensors[point, 0] for point in (Point.PROJECTED, Point.ATTENTION_SUM))
    torch.testing.assert_close(hidden + projected, total)


@ROW_KINDS
def test_gradients_are_those_of_the_whole(changes: dict[str, Any], heights: list[int]) -> None:
    encoder, ids = small_encoder(**changes), small_ids(N_TOKENS)
    encoder(*ids).hidden.square().sum().backward()
    assert set(heights) == {N_TOKENS}
    assert all(parameter.grad is not None for parameter in encoder.layers.parameters())


@pytest.mark.parametrize(("device", "n_calls"), [("cpu", 4), ("meta", 1)])
def test_only_a_processor_gets_parts(device: str, n_calls: int, heights: list[int]) -> None:
    calls = []

    def total(kept: torch.Tensor, given_up: torch.Tensor) -> torch.Tensor:
        calls.append(kept.shape)
        return kept + given_up

    with torch.inference_mode():
        rows.by_rows(total, *torch.zeros(2, 1, N_TOKENS, 3, device=device))
    assert len(calls) == n_calls
