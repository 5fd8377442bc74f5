"""DecompX and the similarity by pairs: by hand, against the definition, and the numbers of MiniLM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bertviz_app import open_model
from bertviz_app.analysis.probing.decomposition.decompx import add_bias
from bertviz_app.analysis.results import TokenMatrices
from bertviz_app.errors import AnalysisError
from bertviz_app.types import Doubles
from tests.support.families import write_family
from tests.support.naive_bert import OTHER, NaiveBert, S, array

CLS = (0.1938, 0.0160, 0.0542, 0.1141, 0.1706, 0.0425, 0.0356, 0.0126, 0.1383, 0.0902, 0.0861, 0.0461)
PAIRS = {
    ("fox", "fox"): 0.1290,
    ("jumps", "leaps"): 0.0991,
    ("dog", "hound"): 0.0596,
    ("lazy", "sleepy"): 0.0462,
    ("fox", "hound"): 0.0373,
    ("quick", "fast"): 0.0273,
    ("brown", "auburn"): 0.0226,
}
"""Of MiniLM, in float64 by another program."""


def test_a_bias_is_divided_by_how_much_each_part_points_along_it() -> None:
    """(3, 0) points 3 along (1, 0), (-1, 5) points -1: of the bias they get three quarters and a quarter."""
    parts, bias = np.array([[[3.0, 0.0], [-1.0, 5.0]]]), np.array([1.0, 0.0])
    np.testing.assert_allclose(add_bias(parts.copy(), bias), [[[3.75, 0], [-0.75, 5]]])
    across = np.array([[[0.0, 3.0], [0.0, 5.0]]])
    np.testing.assert_allclose(
        add_bias(across.copy(), bias), [[[0.5, 3], [0.5, 5]]], err_msg="equally, if none does"
    )


def _naive(naive: NaiveBert) -> Doubles:
    """Return the parts after the last layer [T, T, D], one vector at a time."""
    n_tokens = naive.trace.n_tokens
    parts: Any = [[torch.zeros(32, dtype=torch.float64) for _ in range(n_tokens)] for _ in range(n_tokens)]
    for i in range(n_tokens):
        parts[i][i] = naive.hidden(0)[i].clone()

    def add(row: list[torch.Tensor], bias: torch.Tensor) -> list[torch.Tensor]:
        shares = torch.tensor([float((part @ bias).abs()) for part in row], dtype=torch.float64)
        shares = shares / shares.sum()
        return [part + share * bias for part, share in zip(row, shares, strict=True)]

    def normed(row: list[torch.Tensor], norm: Any) -> list[torch.Tensor]:
        spread = (torch.stack(row).sum(0).var(unbiased=False) + norm.eps).sqrt()
        return add([norm.weight * (part - part.mean()) / spread for part in row], norm.bias)

    with torch.no_grad():
        for layer, block in enumerate(naive.model.encoder.layer):
            attention, self_ = naive.attention(layer), block.attention.self
            output = block.attention.output
            after = []
            for i in range(n_tokens):
                row = []
                for k in range(n_tokens):
                    mixed = torch.zeros(32, dtype=torch.float64)
                    for head in range(4):
                        rows = slice(8 * head, 8 * head + 8)
                        for j in range(n_tokens):
                            value = self_.value.weight[rows] @ parts[j][k]
                            mixed += attention[head, i, j] * (output.dense.weight[:, rows] @ value)
                    row.append(mixed)
                bias = output.dense.weight @ self_.value.bias + output.dense.bias
                row = add(row, bias)
                row = [new + old for new, old in zip(row, parts[i], strict=True)]
                after.append(normed(row, output.LayerNorm))
            parts = []
            for row in after:
                wide = add(
                    [block.intermediate.dense.weight @ part for part in row], block.intermediate.dense.bias
                )
                total = sum(wide)
                factor = block.intermediate.intermediate_act_fn(total) / total
                fed = add(
                    [block.output.dense.weight @ (factor * part) for part in wide], block.output.dense.bias
                )
                parts.append(normed([x + y for x, y in zip(row, fed, strict=True)], block.output.LayerNorm))
    return np.array([[array(part) for part in row] for row in parts])


def test_it_is_its_definition(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate")
    naive = NaiveBert(tiny_bert, trace)
    parts = _naive(naive)
    np.testing.assert_allclose(parts.sum(1), array(naive.hidden(2)), atol=1e-10)
    lengths = np.linalg.norm(parts, axis=-1)
    found = model.analyse("decompx", trace)
    assert isinstance(found, TokenMatrices)
    expected = lengths / lengths.sum(-1, keepdims=True)
    np.testing.assert_allclose(found.source(1).rows(slice(None)), expected, atol=1e-5)
    assert found.identity_error is not None
    assert found.identity_error < 1e-4


def test_of_a_muted_head_not_even_the_bias_is_divided_among_the_tokens(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    found = model.analyse("decompx", model.trace("the cat ate", muted=((1, 2),)))
    assert found.identity_error is not None
    assert found.identity_error < 1e-5


def test_pairs_of_tokens_add_up_to_the_cosine(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    a, b = model.trace("the cat ate"), model.trace("fish")
    found = model.analyse("similarity-pairs", a, b)
    assert isinstance(found, TokenMatrices)
    parts = [_naive(NaiveBert(tiny_bert, trace)).mean(0) for trace in (a, b)]
    vectors = [trace.hidden[-1].astype(np.float64).mean(0) for trace in (a, b)]
    lengths = np.linalg.norm(vectors[0]) * np.linalg.norm(vectors[1])
    np.testing.assert_allclose(found.arrays()["values"][0], parts[0] @ parts[1].T / lengths, atol=1e-5)
    np.testing.assert_allclose(found.arrays()["values"].sum(), vectors[0] @ vectors[1] / lengths, atol=1e-5)
    assert [axis.labels for axis in found.axes[1:]] == [a.tokens.pieces, b.tokens.pieces]


def test_runs_that_cannot_be_compared_are_refused(tiny_bert: Path, minilm: Path) -> None:
    model, other = open_model(str(tiny_bert), "cpu"), open_model(str(minilm), "cpu")
    with pytest.raises(AnalysisError, match="different checkpoints"):
        model.analyse("similarity-pairs", model.trace("the cat"), other.trace("the cat"))
    with pytest.raises(AnalysisError, match="different interventions"):
        model.analyse("similarity-pairs", model.trace("the cat"), model.trace("the cat", muted=[(0, 1)]))
    with pytest.raises(AnalysisError, match="compares two runs"):
        model.analyse("similarity-pairs", model.trace("the cat"))


def test_a_convolution_is_refused(tmp_path: Path) -> None:
    write_family(tmp_path / "deberta", "deberta-v2", "AutoModel", conv_kernel_size=3, conv_act="gelu")
    model = open_model(str(tmp_path / "deberta"), "cpu")
    with pytest.raises(AnalysisError, match="convolution"):
        model.analyse("decompx", model.trace("the cat"))


def test_the_numbers_of_minilm(minilm: Path) -> None:
    model = open_model(str(minilm), "cpu")
    trace, other = model.trace(S), model.trace(OTHER)
    found = model.analyse("decompx", trace)
    assert isinstance(found, TokenMatrices)
    np.testing.assert_allclose(found.source(5).rows(slice(0, 1))[0], CLS, atol=2e-4)
    pairs = model.analyse("similarity-pairs", trace, other)
    values = pairs.arrays()["values"][0]
    assert values.sum() == pytest.approx(0.69959, abs=1e-5)
    for (a, b), expected in PAIRS.items():
        at = trace.tokens.pieces.index(a), other.tokens.pieces.index(b)
        assert values[at] == pytest.approx(expected, abs=2e-4), (a, b)
    assert pairs.identity_error is not None
    assert pairs.identity_error < 1e-6
