"""Head ablation and importance: against runs with muted heads and torch, and the numbers of MiniLM."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from bertviz_app import open_model
from bertviz_app.analysis.combined import average_ranks, correlations
from bertviz_app.analysis.results import HeadScalars
from bertviz_app.errors import AnalysisError
from bertviz_app.types import Doubles, Floats
from tests.support.naive_bert import OTHER, NaiveBert, S, array

IMPORTANCE = {(5, 2): 0.02871, (5, 11): 0.01645, (3, 7): 0.01414, (1, 0): 0.01398, (3, 3): 0.01366}
"""Of MiniLM, for the cosine with OTHER, in float64 by another program."""


def _of(found: object, key: str) -> Floats:
    assert isinstance(found, HeadScalars)
    return found.of(key)


def test_zero_is_what_muting_does(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate")
    change = _of(model.analyse("head-ablation", trace, target="pooled"), "change")
    assert trace.pooled is not None
    direction = trace.pooled / np.linalg.norm(trace.pooled)
    for layer, head in np.ndindex(2, 4):
        muted = model.trace("the cat ate", muted=[(layer, head)])
        assert muted.pooled is not None
        expected = (muted.pooled - trace.pooled) @ direction
        assert change[layer, head] == pytest.approx(expected, abs=1e-5)


@pytest.mark.parametrize("flavour", ["mean", "uniform"])
def test_other_flavours_are_their_definitions(tiny_bert: Path, flavour: str) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate")
    naive = NaiveBert(tiny_bert, trace)
    change = _of(model.analyse("head-ablation", trace, target="pooled", flavour=flavour), "change")
    for layer in range(2):
        values = trace.values[layer, 1].astype(np.float64)
        output = naive.attention(layer)[1].detach().numpy() @ values
        replacement = (output if flavour == "mean" else values).mean(0)
        assert change[layer, 1] == pytest.approx(naive.change_with(layer, 1, replacement), abs=1e-5)


def test_importance_is_the_gradient_by_a_switch(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate")
    naive = NaiveBert(tiny_bert, trace)
    switches = torch.ones(2, 4, dtype=torch.float64, requires_grad=True)
    hooks = []
    for layer, block in enumerate(naive.model.encoder.layer):

        def scaled(module: object, inputs: tuple[torch.Tensor], layer: int = layer) -> tuple[torch.Tensor]:
            return (inputs[0] * switches[layer].repeat_interleave(8),)

        hooks.append(block.attention.output.dense.register_forward_pre_hook(scaled))
    pooled = naive.model(**naive.inputs).pooler_output[0]
    direction = pooled.detach() / pooled.detach().norm()
    (gradient,) = torch.autograd.grad(pooled @ direction, switches)
    found = _of(model.analyse("head-importance", trace, target="pooled"), "importance")
    np.testing.assert_allclose(found, np.abs(array(gradient)), atol=1e-5)


def test_a_muted_head_changes_nothing(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate", muted=[(0, 2)])
    for flavour in ("zero", "uniform"):
        change = _of(model.analyse("head-ablation", trace, flavour=flavour), "change")
        assert change[0, 2] == 0
        assert np.count_nonzero(change) == 7
    importance = _of(model.analyse("head-importance", trace), "importance")
    assert importance[0, 2] == 0
    assert np.count_nonzero(importance) == 7


def test_an_unknown_flavour_is_refused(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    with pytest.raises(AnalysisError, match="zero, mean, uniform"):
        model.analyse("head-ablation", model.trace("the cat"), flavour="noise")


def test_the_numbers_of_minilm(minilm: Path) -> None:
    """The flavours hardly agree: Spearman of zero and uniform is 0.11, as published for this text."""
    model = open_model(str(minilm), "cpu")
    trace, other = model.trace(S), model.trace(OTHER)
    importance = _of(model.analyse("head-importance", trace, other, target="cosine"), "importance")
    best = sorted(np.ndindex(6, 12), key=lambda at: -importance[at])[:5]
    assert best == list(IMPORTANCE)
    np.testing.assert_allclose([importance[at] for at in best], list(IMPORTANCE.values()), atol=2e-5)
    changes: dict[str, Doubles] = {}
    for flavour in ("zero", "uniform"):
        found = _of(model.analyse("head-ablation", trace, other, target="cosine", flavour=flavour), "change")
        changes[flavour] = found.reshape(-1).astype(np.float64)
    assert changes["zero"].min() == pytest.approx(-0.07435, abs=2e-5)
    assert changes["zero"].max() == pytest.approx(0.01281, abs=2e-5)
    assert changes["uniform"].min() == pytest.approx(-0.07726, abs=2e-5)
    ranks = np.array([average_ranks(values) for values in changes.values()])
    assert correlations(ranks)[0, 1] == pytest.approx(0.11, abs=0.005)
