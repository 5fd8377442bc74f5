"""A tap in a forward pass: where it is called, what its replacements change, and gradients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import torch
from torch import Tensor

from bertviz_app.encoder.encoder import Encoder
from bertviz_app.trace.form import Capture, Form, Point, Taps
from tests.support.encoder_sizes import DISENTANGLED, MODERN, small_encoder, small_ids

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


def test_each_tap_is_given_what_the_one_before_it_returned() -> None:
    first = Replace(Point.MIXED, 0, torch.zeros(1, 4, 6, 8))
    capture = Capture([Point.MIXED], [0])
    small_encoder()(*small_ids(), tap=Taps(first, capture))
    assert not capture.tensors[Point.MIXED, 0].any()


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
