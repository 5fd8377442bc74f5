"""Value zeroing: against the definition with `transformers`, and the numbers of MiniLM."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import torch

from bertviz_app import open_model
from bertviz_app.analysis.probing.interventions import MAX_TOKENS, value_zeroing
from bertviz_app.analysis.results import TokenMatrices
from tests.support.factories import make_trace
from tests.support.naive_bert import NaiveBert, S, array

CLS = (0.0968, 0.0758, 0.0658, 0.0855, 0.0969, 0.0912, 0.0489, 0.0443, 0.0938, 0.1805, 0.0599, 0.0606)
"""The row of [CLS] after the last layer of MiniLM, in float64 by another program."""


def test_it_is_its_definition(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate fish")
    naive, product = NaiveBert(tiny_bert, trace), np.eye(trace.n_tokens)
    for layer, block in enumerate(naive.model.encoder.layer):
        whole = array(naive.hidden(layer + 1))
        turned = np.zeros((trace.n_tokens, trace.n_tokens))
        for j in range(trace.n_tokens):

            def zeroed(module: object, inputs: object, values: torch.Tensor, j: int = j) -> torch.Tensor:
                found = values.clone()
                found[0, j] = 0
                return found

            hook = block.attention.self.value.register_forward_hook(zeroed)
            with torch.no_grad():
                after: Any = block(naive.hidden(layer)[None])
            hook.remove()
            without = array((after[0] if isinstance(after, tuple) else after)[0])
            lengths = np.linalg.norm(without, axis=-1) * np.linalg.norm(whole, axis=-1)
            turned[:, j] = 1 - (without * whole).sum(-1) / lengths
        product = turned / turned.sum(-1, keepdims=True) @ product
    found = model.analyse("value-zeroing", trace)
    assert isinstance(found, TokenMatrices)
    np.testing.assert_allclose(found.source(1).rows(slice(None)), product, atol=1e-4)


def test_muted_heads_stay_muted(tiny_bert: Path) -> None:
    """With all heads of a layer muted nothing turns: each token is its own."""
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate", muted=[(0, head) for head in range(4)])
    found = model.analyse("value-zeroing", trace)
    assert isinstance(found, TokenMatrices)
    np.testing.assert_allclose(found.source(0).rows(slice(None)), np.eye(trace.n_tokens))


def test_the_numbers_of_minilm(minilm: Path) -> None:
    model = open_model(str(minilm), "cpu")
    found = model.analyse("value-zeroing", model.trace(S))
    assert isinstance(found, TokenMatrices)
    np.testing.assert_allclose(found.source(5).rows(slice(0, 1))[0], CLS, atol=2e-4)


def test_a_text_that_would_take_hours_is_refused() -> None:
    trace = make_trace(MAX_TOKENS + 1, n_layers=1, n_heads=1)
    refused = value_zeroing.refuses_trace(trace)
    assert refused is not None
    assert refused.message == "Value zeroing is computed of up to 1024 tokens; this text has 1025."
    assert value_zeroing.refuses_trace(make_trace(5)) is None
