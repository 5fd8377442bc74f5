"""Norm-based attention: by hand, against its definition in float64, and the numbers of MiniLM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
import torch

from bertviz_app import open_model
from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.model_access import DenseWeights, ModelAccess
from bertviz_app.analysis.probing.decomposition.blocks import norm_attention
from bertviz_app.analysis.reporter import SILENT, NoParameters
from bertviz_app.analysis.results import HeadMatrices
from bertviz_app.api import Model
from bertviz_app.errors import CheckpointError
from bertviz_app.text import Tokens
from bertviz_app.trace import Trace
from bertviz_app.trace.form import Point, Tap
from bertviz_app.types import Doubles
from tests.support.factories import dense, trace_of

TEXT = "The quick brown fox jumps over the lazy dog."
MEAN_NORMS = (2.3077, 3.462, 3.6672, 4.1127, 3.6225, 3.4395)
"""The mean of ||f(x)|| over heads and tokens of each layer of MiniLM, in float64 by another program."""


def _found(model: Model, trace: Trace) -> HeadMatrices:
    found = model.analyse("norm-attention", trace)
    assert isinstance(found, HeadMatrices)
    return found


def _naive(folder: Path, trace: Trace) -> Doubles:
    """Return the definition with the checkpoint's own tensors, token by token, in float64."""
    from safetensors.numpy import load_file

    tensors = {
        name: value.astype(np.float64) for name, value in load_file(folder / "model.safetensors").items()
    }
    n_layers, n_heads, n_tokens, width = trace.n_layers, trace.n_heads, trace.n_tokens, trace.head_width
    attention, found = dense(trace), np.zeros((n_layers, n_heads, n_tokens, n_tokens))
    for layer in range(n_layers):
        names = [name for name in tensors if f"encoder.layer.{layer}.attention" in name]
        by_end = {name.split(f"layer.{layer}.attention.")[1]: tensors[name] for name in names}
        for head, i, j in np.ndindex(n_heads, n_tokens, n_tokens):
            rows = slice(head * width, (head + 1) * width)
            x = trace.hidden[layer, j].astype(np.float64)
            value = by_end["self.value.weight"][rows] @ x + by_end["self.value.bias"][rows]
            transformed = by_end["output.dense.weight"][:, rows] @ value
            found[layer, head, i, j] = np.linalg.norm(attention[layer, head, i, j] * transformed)
    return found


def test_it_is_its_definition(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate", pair="fish")
    found = _found(model, trace)
    np.testing.assert_allclose(found.arrays()["values"], _naive(tiny_bert, trace), rtol=1e-4, atol=1e-5)
    assert found.identity_error is not None
    assert found.identity_error < 1e-5


class _ModelByHand:
    """A model of one layer of two heads of width 2, whose W_O is the identity and whose b_O is 7."""

    def __init__(self, output: Doubles) -> None:
        self._output = output  # [T, 4]

    def weights(self, layer: int) -> SimpleNamespace:
        return SimpleNamespace(output=DenseWeights(torch.eye(4), torch.full((4,), 7.0)))

    def forward(self, inputs: Sequence[Tokens], tap: Tap) -> None:
        assert tap.wants(Point.PROJECTED, 0)
        tap(Point.PROJECTED, 0, torch.from_numpy(self._output)[None])


def test_two_heads_by_hand() -> None:
    """Where W_O is the identity f(x) is the value vector: (3, 4) has the length 5."""
    attention = np.array([[[[0.5, 0.5], [1.0, 0.0]], [[0.25, 0.75], [0.0, 1.0]]]])
    values = np.array([[[[3, 4], [0, 1]], [[0, 0], [6, 8]]]], np.float32)
    trace = replace(trace_of(attention), values=values)
    # Both heads side by side: half of (3, 4) and half of (0, 1), three quarters of (6, 8); (3, 4), (6, 8).
    output = np.array([[1.5, 2.5, 4.5, 6.0], [3.0, 4.0, 6.0, 8.0]]) + 7
    model = cast("ModelAccess", _ModelByHand(output))
    found = norm_attention(Inputs(trace, model), NoParameters(), SILENT)
    expected = [[[[2.5, 0.5], [5.0, 0.0]], [[0.0, 7.5], [0.0, 10.0]]]]
    np.testing.assert_allclose(found.arrays()["values"], expected, atol=1e-6)
    assert found.identity_error == pytest.approx(0, abs=1e-6)
    wrong = cast("ModelAccess", _ModelByHand(output + 0.5))
    assert norm_attention(Inputs(trace, wrong), NoParameters(), SILENT).identity_error == pytest.approx(0.5)


def test_a_muted_head_adds_nothing(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    found = _found(model, model.trace("the cat ate", muted=[(1, 2)]))
    values = found.arrays()["values"]
    assert not values[1, 2].any()
    assert values[1, 1].any()
    assert found.identity_error is not None
    assert found.identity_error < 1e-5


def test_a_trace_of_another_checkpoint_is_refused(tiny_bert: Path, minilm: Path) -> None:
    trace = open_model(str(minilm), "cpu").trace("the cat")
    with pytest.raises(CheckpointError, match="another checkpoint"):
        open_model(str(tiny_bert), "cpu").analyse("norm-attention", trace)


def test_the_numbers_of_minilm(minilm: Path) -> None:
    model = open_model(str(minilm), "cpu")
    trace = model.trace(TEXT)
    found = _found(model, trace)
    norms = found.arrays()["values"].max(2) / dense(trace).max(2)  # [L, H, T], of the largest weight on a key
    np.testing.assert_allclose(norms.mean((1, 2)), MEAN_NORMS, atol=2e-4)
    assert found.identity_error is not None
    assert found.identity_error < 1e-4
