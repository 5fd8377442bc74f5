"""Attributions by gradients: by hand, against `transformers` and torch, and the numbers of MiniLM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from bertviz_app import open_model
from bertviz_app.analysis.entry import Inputs
from bertviz_app.analysis.model_access import ModelAccess
from bertviz_app.analysis.probing.attribution import _baseline
from bertviz_app.analysis.results import TokenScalars
from bertviz_app.api import Model
from bertviz_app.errors import AnalysisError
from bertviz_app.trace import Trace
from bertviz_app.types import Doubles
from tests.support.engine_model import EngineModel
from tests.support.families import write_family
from tests.support.naive_bert import OTHER, NaiveBert, S, array

CHEFER = (0.0812, 0.0678, 0.0850, 0.0735, 0.1512, 0.1069, 0.0522, 0.0537, 0.1075, 0.0927, 0.0693, 0.0589)
"""Of MiniLM, for the cosine with OTHER, in float64 by another program."""


def _found(
    model: Model, key: str, trace: Trace, other: Trace | None = None, **parameters: Any
) -> TokenScalars:
    found = model.analyse(key, trace, other, **parameters)
    assert isinstance(found, TokenScalars)
    return found


def _gradient(naive: NaiveBert, values: torch.Tensor, kind: str) -> tuple[float, Doubles]:
    """Return the outcome and its gradient by the embeddings' sum [T, W], with the model of `transformers`."""
    values = values.clone().requires_grad_()
    states, pooled = naive.values_of(values)
    vector = pooled if kind == "pooled" else states.mean(0)
    output = naive.output
    own = output.pooler_output[0] if kind == "pooled" else output.last_hidden_state[0].mean(0)
    outcome = vector @ (own / own.norm())
    (gradient,) = torch.autograd.grad(outcome, values)
    return float(outcome.detach()), array(gradient)


@pytest.mark.parametrize("kind", ["sentence", "pooled"])
def test_saliency_and_gradient_times_input(tiny_bert: Path, kind: str) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate", pair="fish")
    naive = NaiveBert(tiny_bert, trace)
    _, gradient = _gradient(naive, torch.from_numpy(trace.embedding_sum.copy()).double(), kind)
    found = _found(model, "saliency", trace, target=kind)
    np.testing.assert_allclose(found.values, np.linalg.norm(gradient, axis=-1), rtol=1e-3)
    words = array(naive.model.embeddings.word_embeddings.weight)[trace.tokens.ids]
    product = _found(model, "gradient-input", trace, target=kind)
    np.testing.assert_allclose(product.values, (words * gradient).sum(-1), rtol=1e-3, atol=1e-5)


def test_the_length_of_what_goes_into_a_norm_does_not_count(tiny_bert: Path) -> None:
    """Why gradient times input reads the token embeddings: of their sum with the others it is always 0."""
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate")
    values = torch.from_numpy(trace.embedding_sum.copy()).double()
    _, gradient = _gradient(NaiveBert(tiny_bert, trace), values, "sentence")
    assert np.abs((array(values) * gradient).sum(-1)).max() < 1e-9
    assert np.abs(gradient).max() > 1e-3


def test_integrated_gradients_are_their_integral(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate")
    naive = NaiveBert(tiny_bert, trace)
    table = naive.model.embeddings.word_embeddings.weight.detach()
    end = torch.from_numpy(trace.embedding_sum.copy()).double()
    start = end.clone()
    inner = np.flatnonzero(~trace.tokens.is_special)
    start[inner] += table[0] - table[trace.tokens.ids[inner].tolist()]  # [PAD] has the id 0
    mean, n_steps = np.zeros_like(array(end)), 400
    for step in range(n_steps):  # the rule of rectangles at their middles, unlike the program's
        mean += _gradient(naive, start + (step + 0.5) / n_steps * (end - start), "pooled")[1] / n_steps
    expected = (array(end - start) * mean).sum(-1)
    found = _found(model, "integrated-gradients", trace, target="pooled")
    np.testing.assert_allclose(found.values, expected, atol=2e-4)
    ends = [_gradient(naive, values, "pooled")[0] for values in (end, start)]
    assert found.values.sum() == pytest.approx(ends[0] - ends[1], abs=1e-4)
    assert not found.values[[0, -1]].any(), "special tokens are the same in the baseline"
    assert found.identity_error is not None
    few = _found(model, "integrated-gradients", trace, target="pooled", steps=2)
    assert few.identity_error is not None
    assert few.identity_error > 10 * found.identity_error


def test_chefer_is_its_definition(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate")
    naive = NaiveBert(tiny_bert, trace)
    outputs = naive.model(**naive.inputs, output_attentions=True)
    own = torch.tensor(trace.pooled).double()
    gradients = torch.autograd.grad(outputs.pooler_output[0] @ (own / own.norm()), outputs.attentions)
    relevance = np.eye(trace.n_tokens)
    for weights, gradient in zip(outputs.attentions, gradients, strict=True):
        positive = np.maximum(array(weights[0]) * array(gradient[0]), 0).mean(0)
        relevance = relevance + positive @ relevance
    row = (relevance - np.eye(trace.n_tokens))[0]  # the pooled vector is made of the first token's
    found = _found(model, "chefer", trace, target="pooled")
    assert found.identity_error == abs(float(found.values.sum(dtype=np.float64)) - 1) < 1e-6
    np.testing.assert_allclose(found.values, row / row.sum(), atol=1e-5)


def test_the_numbers_of_minilm(minilm: Path) -> None:
    model = open_model(str(minilm), "cpu")
    trace, other = model.trace(S), model.trace(OTHER)
    found = _found(model, "chefer", trace, other, target="cosine")
    np.testing.assert_allclose(found.values, CHEFER, atol=2e-4)
    integrated = _found(model, "integrated-gradients", trace, other, target="cosine")
    assert integrated.identity_error is not None
    assert integrated.identity_error < 1e-5


def test_the_baseline_is_what_the_model_makes_of_padding(tmp_path: Path) -> None:
    """ESM scales its token embeddings by how many are masked: the way begins at the model's own padding."""
    write_family(tmp_path / "esm", "esm", "AutoModelForMaskedLM")
    model = EngineModel(tmp_path / "esm")
    text = "the cat ate"
    trace = model.trace(text, replaced={1: "[MASK]"})
    pad = dict.fromkeys(np.flatnonzero(~trace.tokens.is_special).tolist(), "[PAD]")
    padded = model.trace(text, replaced=pad)

    def work(access: ModelAccess) -> Doubles:
        return array(_baseline(Inputs(trace, access)))

    found = model.with_model(trace, work)
    np.testing.assert_allclose(found, padded.embedding_sum, atol=1e-6)
    assert np.abs(padded.embedding_sum - trace.embedding_sum).max() > 0.01


def test_relevance_of_a_text_whose_weights_fill_the_memory_is_refused(
    tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = open_model(str(tiny_bert), "cpu")
    monkeypatch.setattr("bertviz_app.analysis.compare.MAX_BYTES", 100)
    with pytest.raises(AnalysisError, match="memory"):
        model.analyse("chefer", model.trace("the cat ate"))
