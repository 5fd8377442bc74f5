"""Inputs of two lengths in one padded batch: each is as exact as alone, in every family."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from bertviz_app.encoder.encoder import Encoder
from bertviz_app.trace.form import Capture, Point
from tests.support.checkpoint_folders import opened
from tests.support.families import FAMILIES, write_family
from tests.support.peers import random_tokens, tensors

KINDS: list[tuple[str, str, dict[str, Any]]] = [
    *((family, "AutoModel", {}) for family in FAMILIES),
    ("deberta-v2", "AutoModel", {"conv_kernel_size": 3}),
    ("longformer", "AutoModelForSequenceClassification", {}),
    ("longformer", "AutoModelForQuestionAnswering", {"sep_token_id": 30}),
    ("longformer", "AutoModelForMultipleChoice", {"sep_token_id": 30}),
]
LONG, SHORT = 150, 60
"""More tokens than one block of rows, and padding wider than any window of these models."""


@pytest.mark.parametrize(("family", "made_by", "sizes"), KINDS)
def test_padding_changes_no_input(family: str, made_by: str, sizes: dict[str, Any], tmp_path: Path) -> None:
    write_family(tmp_path, family, made_by, **sizes)
    encoder = opened(tmp_path).encoder
    alone = [tensors(random_tokens(n_tokens, encoder.config.vocabulary_size)) for n_tokens in (LONG, SHORT)]
    together = [torch.cat((long, _padded(short))) for long, short in zip(*alone, strict=True)]
    seen = torch.arange(LONG) < torch.tensor([[LONG], [SHORT]])
    for points in ((), (Point.LSE,), (Point.WEIGHTS,)):
        _assert_alike(encoder, alone, together, seen, Capture(points))


def _assert_alike(
    encoder: Encoder, alone: list[tuple[Tensor, ...]], together: list[Tensor], seen: Tensor, capture: Capture
) -> None:
    with torch.inference_mode():
        batch = encoder(*together, seen=seen, tap=capture)
        for number, ids in enumerate(alone):
            output, n_tokens = encoder(*ids), ids[0].shape[1]
            ours = batch.hidden[number, :n_tokens]
            torch.testing.assert_close(ours, output.hidden[0], rtol=0, atol=1e-5)
            if output.pooled is not None:
                torch.testing.assert_close(batch.pooled[number], output.pooled[0], rtol=0, atol=1e-5)
    assert batch.hidden.isfinite().all()
    for (point, _), tensor in capture.tensors.items():
        if point is Point.WEIGHTS:
            assert not tensor[1, :, :SHORT, SHORT:].any()


def _padded(ids: Tensor) -> Tensor:
    """Return `ids` [1, T] with the last of them repeated up to the longer input's length."""
    return torch.cat((ids, ids[:, -1:].expand(-1, LONG - SHORT)), dim=1)
