"""GlobEnc and ALTI: against their definitions written out, and the numbers of MiniLM."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from bertviz_app import open_model
from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.probing.decomposition.decompx import alti
from bertviz_app.analysis.reporter import SILENT, NoParameters, Reporter
from bertviz_app.analysis.results import TokenMatrices
from bertviz_app.api import Model
from bertviz_app.errors import AnalysisError
from bertviz_app.types import Doubles
from tests.support.factories import make_trace
from tests.support.families import write_family
from tests.support.naive_bert import NaiveBert, S, array

OF_MINILM = {
    "globenc": (
        0.0324,
        0.0655,
        0.0885,
        0.1201,
        0.1351,
        0.1009,
        0.0592,
        0.0549,
        0.1362,
        0.1315,
        0.0389,
        0.0368,
    ),
    "alti": (0.1088, 0.0252, 0.0444, 0.0992, 0.2934, 0.0433, 0.0182, 0.0157, 0.1205, 0.1032, 0.0772, 0.0510),
}
"""The row of [CLS] after the last layer, in float64 by another program."""


def _found(model: Model, key: str, text: str) -> TokenMatrices:
    found = model.analyse(key, model.trace(text))
    assert isinstance(found, TokenMatrices)
    return found


def _globenc(naive: NaiveBert) -> Doubles:
    product = np.eye(naive.trace.n_tokens)
    for layer, block in enumerate(naive.model.encoder.layer):
        parts, _, after = naive.parts(layer)
        fed = block.output.dense(block.intermediate(after))
        norm, sums = block.output.LayerNorm, after + fed
        spread = (sums.var(-1, unbiased=False) + norm.eps).sqrt()
        second = norm.weight * (parts - parts.mean(-1, keepdim=True)) / spread[:, None, None]
        product = np.linalg.norm(array(second), axis=-1) @ product
    shares: Doubles = product / product.sum(-1, keepdims=True)
    return shares


def _alti(naive: NaiveBert) -> Doubles:
    product = np.eye(naive.trace.n_tokens)
    for layer in range(naive.n_layers):
        parts, _, after = map(array, naive.parts(layer))
        shares = np.zeros((len(after), len(after)))
        for i, j in np.ndindex(*shares.shape):
            shares[i, j] = max(0.0, np.abs(after[i]).sum() - np.abs(after[i] - parts[i, j]).sum())
        product = shares / shares.sum(-1, keepdims=True) @ product
    return product


@pytest.mark.parametrize(("key", "definition"), [("globenc", _globenc), ("alti", _alti)])
def test_it_is_its_definition(tiny_bert: Path, key: str, definition: object) -> None:
    assert callable(definition)
    model = open_model(str(tiny_bert), "cpu")
    found = _found(model, key, "the cat ate fish")
    expected = definition(NaiveBert(tiny_bert, model.trace("the cat ate fish")))
    np.testing.assert_allclose(found.source(1).rows(slice(None)), expected, atol=1e-5)
    assert found.identity_error is not None
    assert found.identity_error < 1e-5


class TwoTokens:
    """Attention blocks of one layer and two tokens whose vectors are known."""

    def __init__(self, inputs: Inputs) -> None:
        self.trace, self.error = inputs.trace, 0.0

    def normed(self, layer: int, reporter: Reporter) -> Iterator[tuple[slice, Doubles, Doubles]]:
        rest = np.zeros((1, 2))
        yield slice(0, 1), np.array([[[1.0, -1.0], [-1.0, 1.0]]]), rest  # cancel each other
        yield slice(1, 2), np.array([[[1.0, 0.0], [2.0, 1.0]]]), rest


def test_alti_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Token 1's vector (3, 1) is 4 long, by the sizes of its numbers: 3 without token 0, 1 without itself.

    Token 0's parts cancel each other: without either the vector is longer, so it counts as its own alone.
    """
    monkeypatch.setattr("bertviz_app.analysis.probing.decomposition.decompx.AttentionBlocks", TwoTokens)
    trace = make_trace(2, n_layers=1)
    found = alti(Inputs(trace), NoParameters(), SILENT)
    expected = np.array([[1, 0], [0.25, 0.75]])
    np.testing.assert_allclose(found.source(0).rows(slice(None)), expected, atol=1e-7)


@pytest.mark.parametrize("key", OF_MINILM)
def test_the_numbers_of_minilm(minilm: Path, key: str) -> None:
    found = _found(open_model(str(minilm), "cpu"), key, S)
    np.testing.assert_allclose(found.source(5).rows(slice(0, 1))[0], OF_MINILM[key], atol=2e-4)
    rows = found.arrays()["values"].sum(-1)
    np.testing.assert_allclose(rows, 1, atol=1e-5)


def test_what_does_not_fit_the_method_is_refused(tmp_path: Path) -> None:
    write_family(tmp_path / "modern", "modernbert", "AutoModel")
    model = open_model(str(tmp_path / "modern"), "cpu")
    with pytest.raises(AnalysisError, match="norms follow the sums"):
        model.analyse("globenc", model.trace("the cat"))
    assert _found(model, "alti", "the cat").identity_error is not None
