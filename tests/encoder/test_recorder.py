"""What is recorded of a pass: taps, details of a layer, and numbers that are not finite."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from bertviz_app.encoder import attention
from bertviz_app.encoder.encoder import Encoder, Layer
from bertviz_app.encoder.recorder import Recorder, layer_details, record
from bertviz_app.errors import Cancelled, CheckpointError
from bertviz_app.text import Edits
from bertviz_app.torch_operations import has_cpu_flash_attention
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Capture, Form, Point, Taps
from bertviz_app.trace.provenance import LayerDetails
from bertviz_app.types import Doubles
from tests.support.checkpoint_folders import DISENTANGLED, MODERN, small_encoder, small_ids
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


PROJECTS_LAST: Mapping[str, Any] = {"form": Form(adds_before_projection=True)}
RELATIVE: Mapping[str, Any] = {"n_distance_buckets": 8, "embedding_width": 12}
KINDS: Mapping[str, Mapping[str, Any]] = {
    "bert": {},
    "modern": MODERN,
    "disentangled": DISENTANGLED,
    "projects last": PROJECTS_LAST,
    "relative": RELATIVE,
}
_EMBEDDINGS = ["token_embeddings", "segment_embeddings", "position_embeddings", "embedding_sum", "embeddings"]
_ATTENTION = ["queries", "keys", "values", "score_rows", "weight_rows", "lse", "weights", "mixed"]
_LAST = ["expanded", "active", "contracted", "output_sum", "output"]
_POOLER = ["pooler_dense", "pooled"]
_ALL = frozenset(Point)


class Everything:
    """A tap that notes the points in the order in which it is called."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, int]] = []

    def wants(self, point: Point, layer: int) -> bool:
        return True

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        self.calls.append((point.value, layer))
        return tensor


class Replace:
    """A tap that replaces one tensor."""

    def __init__(self, point: Point, layer: int, tensor: Tensor) -> None:
        self.at = point, layer
        self.tensor = tensor

    def wants(self, point: Point, layer: int) -> bool:
        return (point, layer) == self.at

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        return self.tensor


def _calls(encoder: Encoder) -> list[tuple[str, int]]:
    tap = Everything()
    encoder(*small_ids(), tap=tap)
    return tap.calls


def test_the_points_of_bert_in_their_order() -> None:
    layer = [*_ATTENTION, "projected", "attention_sum", "attention_norm", *_LAST]
    expected = [(name, 0) for name in _EMBEDDINGS]
    expected += [(name, number) for number in range(3) for name in layer]
    assert _calls(small_encoder()) == [*expected, *((name, 2) for name in _POOLER)]


def test_the_points_of_a_gated_pre_norm_encoder() -> None:
    calls = _calls(small_encoder(**MODERN))
    inner = [*_ATTENTION, "projected", "attention_sum", "attention_norm"]
    inner += ["expanded", "active", "gate", "gated", "contracted", "output_sum", "output"]
    assert [name for name, layer in calls if layer == 1] == ["input_norm", *inner]
    assert [name for name, layer in calls if layer == 0] == [
        *("token_embeddings", "embedding_sum", "embeddings"),
        *inner,
    ]


def test_points_that_only_some_encoders_have() -> None:
    assert {("position_queries", 0), ("position_keys", 2)} <= set(_calls(small_encoder(**DISENTANGLED)))
    assert ("embedding_norm", 0) in _calls(small_encoder(**RELATIVE))
    of_layer = [name for name, layer in _calls(small_encoder(**PROJECTS_LAST)) if layer == 1]
    assert of_layer.index("mixed") < of_layer.index("attention_sum") < of_layer.index("projected")


@pytest.mark.parametrize("kind", KINDS)
def test_a_tap_that_replaces_nothing_changes_no_number(kind: str) -> None:
    encoder = small_encoder(**KINDS[kind])
    plain, tapped = encoder(*small_ids()), encoder(*small_ids(), tap=Capture(_ALL))
    assert torch.equal(tapped.hidden, plain.hidden)


@pytest.mark.parametrize("kind", KINDS)
def test_a_tensor_of_another_input_leads_to_what_follows_from_it(kind: str) -> None:
    """The output of layer 1 is all that layer 2 reads: with that of another input the result is its."""
    encoder = small_encoder(**KINDS[kind])
    ids, segment_ids, position_ids = small_ids()
    other = encoder(ids.flip(-1), segment_ids, position_ids, tap=(capture := Capture([Point.OUTPUT], [1])))
    tap = Replace(Point.OUTPUT, 1, capture.tensors[Point.OUTPUT, 1])
    assert torch.equal(encoder(ids, segment_ids, position_ids, tap=tap).hidden, other.hidden)


def test_weights_that_are_replaced_mix_the_values() -> None:
    encoder, weights = small_encoder(), torch.eye(6).expand(1, 4, 6, 6)
    capture = Capture([Point.VALUES, Point.MIXED], [1])
    encoder(*small_ids(), tap=Taps(Replace(Point.WEIGHTS, 1, weights), capture))
    assert torch.equal(capture.tensors[Point.MIXED, 1], capture.tensors[Point.VALUES, 1])


def test_a_replacement_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match=r"mixed of layer 2 has the shape \[1, 4, 6, 8\]"):
        small_encoder()(*small_ids(), tap=Replace(Point.MIXED, 2, torch.zeros(1, 6, 32)))


class Nudge:
    """A tap that makes one tensor a leaf, moved by `step` times a fixed random direction."""

    def __init__(self, point: Point, layer: int, step: float = 0.0) -> None:
        self.at, self.step = (point, layer), step
        self.leaf = self.direction = torch.zeros(0)

    def wants(self, point: Point, layer: int) -> bool:
        return (point, layer) == self.at

    def __call__(self, point: Point, layer: int, tensor: Tensor) -> Tensor:
        generator = torch.Generator().manual_seed(0)
        self.direction = torch.randn(tensor.shape, generator=generator, dtype=tensor.dtype)
        self.leaf = (tensor.detach() + self.step * self.direction).requires_grad_()
        return self.leaf


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_gradients_of_every_tensor_are_differences_of_passes(kind: str) -> None:
    encoder = small_encoder(**KINDS[kind]).double()
    ids = small_ids()
    reached = dict.fromkeys(_calls(encoder))

    def score(tap: Nudge) -> Tensor:
        hidden, pooled = encoder(*ids, tap=tap)
        total: Tensor = (
            hidden * torch.linspace(-1, 1, hidden.numel(), dtype=hidden.dtype).view_as(hidden)
        ).sum()
        return total if pooled is None else total + pooled.sum()

    for name, layer in reached:
        if name in (Point.LSE, Point.SCORE_ROWS):  # read alone
            continue
        point = Point(name)
        tap = Nudge(point, layer)
        (gradient,) = torch.autograd.grad(score(tap), [tap.leaf])
        step = 1e-6
        with torch.no_grad():
            change = score(Nudge(point, layer, step)) - score(Nudge(point, layer, -step))
        slope = float((gradient * tap.direction).sum())
        assert slope == pytest.approx(float(change) / (2 * step), rel=1e-4, abs=1e-6), (name, layer)
    assert all(parameter.grad is None for parameter in encoder.parameters())


LAST = 2


def _trace(n_tokens: int = 7, muted: tuple[tuple[int, int], ...] = ()) -> Trace:
    tokens = replace(make_tokens(n_tokens), ids=np.arange(n_tokens, dtype=np.int32))
    return record(small_encoder(), tokens, "small", edits=Edits(muted))


def _details(trace: Trace, layer: int, muted: tuple[int, ...] = ()) -> LayerDetails:
    return layer_details(
        small_encoder(), trace.hidden[layer], layer, Edits(tuple((layer, head) for head in muted))
    )


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


def test_what_it_returns_is_read_only_and_its_size_is_known() -> None:
    details = _details(_trace(), 0)
    with pytest.raises(ValueError, match="read-only"):
        details.concat[0, 0] = 1
    assert details.n_bytes == 4 * 7 * (8 * 32 + 2 * 64)
