"""Occlusion and Shapley values: by enumeration, and the numbers of MiniLM."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import numpy as np
import pytest

from bertviz_app import open_model
from bertviz_app.analysis.probing import attribution as masking
from bertviz_app.analysis.results import TokenScalars
from bertviz_app.api import Model
from bertviz_app.errors import AnalysisError
from bertviz_app.trace import Trace
from tests.support.naive_bert import OTHER, S

OCCLUSION = (0, 0.0682, 0.1157, 0.1178, 0.2546, 0.1702, 0.1129, 0.0890, 0.1432, 0.1661, 0.1283, 0)
"""Of MiniLM, for the cosine with OTHER, in float64 by another program."""


def _outcome(model: Model, trace: Trace, hidden: tuple[int, ...]) -> float:
    """Return how long the pooled vector is in its present direction with some tokens masked."""
    assert trace.pooled is not None
    direction = trace.pooled / np.linalg.norm(trace.pooled)
    masked = model.trace("the cat ate", replaced=dict.fromkeys(hidden, "[MASK]"))
    assert masked.pooled is not None
    return float(masked.pooled @ direction)


def test_occlusion_masks_one_token_at_a_time(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate")
    found = model.analyse("occlusion", trace, target="pooled")
    assert isinstance(found, TokenScalars)
    whole = _outcome(model, trace, ())
    expected = [0, *(whole - _outcome(model, trace, (at,)) for at in (1, 2, 3)), 0]
    np.testing.assert_allclose(found.values, expected, atol=1e-5)


def test_shapley_values_are_the_mean_over_orders(tiny_bert: Path) -> None:
    """Of three tokens there are six orders: enough random ones come near to the mean over all of them."""
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate")
    exact = np.zeros(5)
    for order in permutations((1, 2, 3)):
        for at, token in enumerate(order):
            hidden, without = order[at + 1 :], order[at:]
            exact[token] += (_outcome(model, trace, hidden) - _outcome(model, trace, without)) / 6
    found = model.analyse("shapley", trace, target="pooled", pairs=200)
    assert isinstance(found, TokenScalars)
    assert found.standard_errors is not None
    errors = np.abs(found.values - exact)
    assert (errors[1:4] < 4 * found.standard_errors[1:4] + 1e-5).all()
    assert found.standard_errors[1:4].all()
    assert found.values.sum() == pytest.approx(
        _outcome(model, trace, ()) - _outcome(model, trace, (1, 2, 3)), abs=1e-4
    )
    assert found.identity_error is not None
    assert found.identity_error < 1e-6
    few = model.analyse("shapley", trace, target="pooled", pairs=4)
    assert isinstance(few, TokenScalars)
    assert few.standard_errors is not None
    assert few.standard_errors[1:4].max() > found.standard_errors[1:4].max()


def test_the_seed_chooses_the_orders(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate the fish because it was hungry")
    one, same, other = (
        model.analyse("shapley", trace, seed=seed, pairs=2).arrays()["values"] for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, same)
    assert np.abs(one - other).max() > 0


def test_the_table_and_the_file_have_the_standard_errors(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    found = model.analyse("shapley", model.trace("the cat"))
    assert found.as_table().columns == ("position", "token", "value", "standard error")
    assert set(found.arrays()) == {"values", "standard_errors"}
    other = model.analyse("shapley", model.trace("the cat"), seed=3)
    assert isinstance(found, TokenScalars)
    assert isinstance(other, TokenScalars)


def test_the_standard_error_is_that_of_the_mean_of_a_sample(
    tiny_bert: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of two numbers a and b it is |a - b| / 2: their deviation |a - b| / √2, of a sample, divided by √2."""
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the cat ate the fish")
    tokens = (np.array([0, 1, 2, 3, 4]), np.array([3, 1, 4, 0, 2]))
    of_one = []
    for order in tokens:
        monkeypatch.setattr(masking, "_orders", lambda count, parameters, order=order: [order] * 2)
        found = model.analyse("shapley", trace, target="pooled", pairs=2)
        of_one.append(found.arrays()["values"])
        np.testing.assert_allclose(found.arrays()["standard_errors"], 0, atol=1e-7)
    monkeypatch.setattr(masking, "_orders", lambda count, parameters: tokens)
    both = model.analyse("shapley", trace, target="pooled", pairs=2).arrays()
    expected = np.abs(of_one[0] - of_one[1]) / 2
    assert expected.max() > 1e-3
    np.testing.assert_allclose(both["standard_errors"], expected, rtol=1e-4, atol=1e-6)


def test_a_text_of_special_tokens_only_is_refused(tiny_bert: Path) -> None:
    model = open_model(str(tiny_bert), "cpu")
    trace = model.trace("the")
    assert np.isfinite(model.analyse("occlusion", trace).arrays()["values"]).all()
    with pytest.raises(AnalysisError, match="compares two runs"):
        model.analyse("occlusion", trace, target="cosine")


def test_the_numbers_of_minilm(minilm: Path) -> None:
    model = open_model(str(minilm), "cpu")
    found = model.analyse("occlusion", model.trace(S), model.trace(OTHER), target="cosine")
    np.testing.assert_allclose(found.arrays()["values"], OCCLUSION, atol=2e-4)
