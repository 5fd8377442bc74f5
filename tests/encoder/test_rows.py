"""A long text computed some tokens at a time: its numbers, and the tensors read of it, are the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import torch

from bertviz_app.encoder import positions as rows
from bertviz_app.encoder.config import Bottleneck
from bertviz_app.encoder.encoder import FeedForward
from bertviz_app.trace.form import Capture, Form, Point
from tests.support.encoder_sizes import DISENTANGLED, MODERN, small_encoder, small_ids

N_TOKENS, AT_ONCE = 17, 5
BOTTLENECK: Mapping[str, Any] = {
    "bottleneck": Bottleneck(width=16, is_shared=True),
    "form": Form(n_feed_forwards=3),
}
KINDS = pytest.mark.parametrize("changes", [{}, MODERN, DISENTANGLED, BOTTLENECK])


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


@KINDS
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


@KINDS
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


@KINDS
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
